//! Axes: from values to shares of their length, and the values that are written beside them.

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    Seconds,
    /// Numbers without a unit.
    Plain,
}

impl Unit {
    /// `1.5 ms`, `20 k`.
    pub(super) fn text(self, x: f64) -> String {
        let steps: &[(f64, &str)] = match self {
            Unit::Seconds => &[(1.0, " s"), (1e-3, " ms"), (1e-6, " \u{b5}s"), (1e-9, " ns")],
            Unit::Plain => &[(1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")],
        };
        if x == 0.0 {
            return "0".to_owned();
        }
        // 999.9996 ms is a second.
        let fits = |(step, _): &&(f64, &str)| x.abs() >= step * 0.999_5;
        let (step, unit) = steps.iter().find(fits).or(steps.last()).copied().unwrap_or((1.0, ""));
        format!("{}{unit}", three_digits(x / step))
    }

    /// The smallest value that is not drawn as zero.
    pub(super) fn least(self) -> f64 {
        match self {
            Unit::Seconds => 1e-9,
            Unit::Plain => 1.0,
        }
    }
}

/// A number with three significant digits, and no zeros at the end.
fn three_digits(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return "0".to_owned();
    }
    let before = x.abs().log10().floor() as i32 + 1;
    let decimals = (3 - before).clamp(0, 12) as usize;
    let text = format!("{x:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// An axis from zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Linear {
    pub(super) high: f64,
}

impl Linear {
    /// An axis to at least `most`, with room for about `ticks` values beside it.
    pub(super) fn to(most: f64, ticks: usize) -> Linear {
        let step = Linear::step(most, ticks);
        Linear { high: (most / step).ceil().max(1.0) * step }
    }

    pub(super) fn share(self, x: f64) -> f64 {
        (x / self.high).clamp(0.0, 1.0)
    }

    pub(super) fn ticks(self, about: usize) -> Vec<f64> {
        let step = Linear::step(self.high, about);
        let count = (self.high / step * (1.0 + 1e-9)).floor() as usize;
        (0..=count.min(100)).map(|k| k as f64 * step).collect()
    }

    fn step(most: f64, ticks: usize) -> f64 {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        round_up(most / ticks.max(1) as f64)
    }
}

/// A logarithmic axis between two round values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Log {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Log {
    /// An axis for values from `min` to `max`, which are positive.
    pub(super) fn around(min: f64, max: f64) -> Log {
        let low = round_down(min);
        let high = round_up(max.max(min));
        Log { low, high: if high > low * 1.5 { high } else { round_up(low * 1.6) } }
    }

    /// The position on the axis. Zero is at its lower end.
    pub(super) fn share(self, x: f64) -> f64 {
        if x <= self.low {
            return 0.0;
        }
        ((x / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0)
    }

    /// The powers of ten; for a short axis also 2 and 5 times them, for a long one fewer.
    pub(super) fn ticks(self) -> Vec<f64> {
        let (from, to) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let decades = to - from;
        let factors: &[f64] = if decades <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (decades / 8 + 1).max(1) as usize;
        let powers = (from..=to).step_by(every).map(|power| 10f64.powi(power));
        let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * power));
        let inside = |x: &f64| *x >= self.low * 0.999 && *x <= self.high * 1.001;
        all.filter(inside).collect()
    }
}

/// The smallest of 1, 2, 5, 10, 20, … that is not below `x`, with any power of ten.
fn round_up(x: f64) -> f64 {
    let power = 10f64.powi(x.log10().floor() as i32);
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= x * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// The largest of these that is not above `x`.
fn round_down(x: f64) -> f64 {
    let power = 10f64.powi(x.log10().floor() as i32);
    let factor = [5.0, 2.0].into_iter().find(|factor| factor * power <= x * (1.0 + 1e-9));
    factor.unwrap_or(1.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_units() {
        let seconds = [0.0, 1e-9, 2.5e-5, 0.1234567, 0.9999999, 59.0, 3600.0];
        let texts = ["0", "1 ns", "25 \u{b5}s", "123 ms", "1 s", "59 s", "3600 s"];
        assert_eq!(seconds.map(|x| Unit::Seconds.text(x)), texts);
        let plain = [1.0, 999.0, 1000.0, 1.5e6, 0.25];
        assert_eq!(plain.map(|x| Unit::Plain.text(x)), ["1", "999", "1 k", "1.5 M", "0.25"]);
    }

    #[test]
    fn axes_end_at_round_values() {
        assert_eq!(Linear::to(37.0, 4), Linear { high: 40.0 });
        assert_eq!(Linear::to(0.0, 4).ticks(4).len(), 3);
        assert_eq!(Linear { high: 40.0 }.ticks(4), [0.0, 10.0, 20.0, 30.0, 40.0]);
        let log = Log::around(0.0013, 0.4);
        assert_eq!((log.low, log.high), (0.001, 0.5));
        assert_eq!((log.share(0.0), log.share(0.5), log.share(9.0)), (0.0, 1.0, 1.0));
        assert!((log.share(0.01) - 0.370_5).abs() < 1e-4);
        // A single value has an axis too.
        let one = Log::around(5.0, 5.0);
        assert_eq!((one.low, one.high, one.ticks()), (5.0, 10.0, vec![5.0, 10.0]));
        assert_eq!(Log::around(1e-9, 1e9).ticks().len(), 7);
    }
}
