//! The clock at every event, as whole numbers of steps since the first one.
//!
//! Readings may be nanoseconds since 1970 or decimal fractions of seconds. A page gets small numbers: the distance to the
//! earliest reading, divided by what all distances have in common. A clock that goes back is shown as the latest time so far,
//! because one bar ends to the left of another exactly if it returned before the other was called.

use linpoint::OpId;
use serde_json::{Value, json};

use crate::rendered::{Operations, Reading};

/// Larger numbers are not exact in JavaScript.
const EXACT: u64 = 1 << 52;
/// The largest number of decimal places that are kept.
const MOST_DECIMALS: i32 = 12;

/// The clock at every event, by rank.
pub(super) struct Ticks {
    by_rank: Vec<u64>,
    scale: Scale,
    unit: Option<&'static str>,
    since_1970: bool,
}

/// How readings become numbers of steps.
enum Scale {
    Whole { first: u64, step: u64 },
    Float { first: f64, factor: f64, step: u64 },
}

impl Ticks {
    /// The ticks of the operations `0..count`; `None` if there is no clock.
    pub(super) fn new(count: usize, operations: &dyn Operations) -> Option<Ticks> {
        let clock = operations.clock()?;
        let mut readings: Vec<(u32, Reading)> = Vec::with_capacity(2 * count);
        for id in (0..count as u32).map(OpId) {
            let (start, end) = operations.times(id)?;
            let span = operations.span(id);
            readings.push((span.call, start));
            if let (false, Some(end)) = (span.is_pending(), end) {
                readings.push((span.ret, end));
            }
        }
        let scale = Scale::of(readings.iter().map(|(_, reading)| *reading))?;
        let ranks = readings.iter().map(|(rank, _)| *rank as usize + 1).max().unwrap_or(0);
        let mut by_rank = vec![0; ranks];
        for (rank, reading) in readings {
            by_rank[rank as usize] = scale.tick(reading);
        }
        let mut latest = 0;
        for tick in &mut by_rank {
            latest = latest.max(*tick);
            *tick = latest;
        }
        Some(Ticks { by_rank, scale, unit: clock.unit, since_1970: clock.since_1970 })
    }

    pub(super) fn at(&self, rank: u32) -> u64 {
        let last = self.by_rank.last().copied().unwrap_or(0);
        self.by_rank.get(rank as usize).copied().unwrap_or(last)
    }

    /// A reading beside the operations.
    pub(super) fn of(&self, reading: Reading) -> u64 {
        self.scale.tick(reading)
    }

    /// What the page needs to show a tick as a time.
    pub(super) fn facts(&self) -> Value {
        let (first, step) = match self.scale {
            Scale::Whole { first, step } => (first.to_string(), step as f64),
            Scale::Float { first, factor, step } => (format!("{first:?}"), step as f64 / factor),
        };
        json!({ "unit": self.unit, "first": first, "step": step, "dated": self.since_1970 })
    }
}

impl Scale {
    /// The coarsest scale that keeps all readings; `None` if there are none.
    fn of(readings: impl Iterator<Item = Reading> + Clone) -> Option<Scale> {
        let whole = |reading: Reading| match reading {
            Reading::Whole(n) => Some(n),
            Reading::Float(_) => None,
        };
        let all: Option<(u64, u64)> = readings
            .clone()
            .map(whole)
            .try_fold((u64::MAX, 0), |(low, high), n| n.map(|n| (low.min(n), high.max(n))));
        match all {
            Some((low, high)) if low <= high => {
                let step = common(readings.filter_map(whole).map(|n| n - low));
                // A larger number of steps would not be exact.
                let step = step.max((high - low) / EXACT + 1);
                Some(Scale::Whole { first: low, step })
            }
            Some(_) => None,
            None => {
                let float = readings.map(as_float);
                let first = float.clone().fold(f64::INFINITY, f64::min);
                // As many decimal places as the largest reading can have.
                let most = float.clone().fold(f64::MIN_POSITIVE, f64::max);
                let factor = 10f64.powi((16 - most.log10().ceil() as i32).clamp(0, MOST_DECIMALS));
                let step = common(float.map(|x| ((x - first) * factor).round() as u64));
                Some(Scale::Float { first, factor, step })
            }
        }
    }

    fn tick(&self, reading: Reading) -> u64 {
        match (self, reading) {
            (Scale::Whole { first, step }, Reading::Whole(n)) => n.saturating_sub(*first) / step,
            (Scale::Whole { first, step }, Reading::Float(x)) => {
                ((x - *first as f64) / *step as f64).max(0.0) as u64
            }
            (Scale::Float { first, factor, step }, reading) => {
                ((as_float(reading) - first) * factor).round().max(0.0) as u64 / step
            }
        }
    }
}

fn as_float(reading: Reading) -> f64 {
    match reading {
        Reading::Whole(n) => n as f64,
        Reading::Float(x) => x,
    }
}

/// The greatest common divisor, at least 1.
fn common(numbers: impl Iterator<Item = u64>) -> u64 {
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    numbers.fold(0, divisor).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(readings: &[Reading]) -> Vec<u64> {
        let scale = Scale::of(readings.iter().copied()).unwrap();
        readings.iter().map(|reading| scale.tick(*reading)).collect()
    }

    #[test]
    fn nanoseconds_since_1970_become_small_numbers() {
        let base = 1_700_000_000_000_000_000;
        let readings = [0, 3_000, 4_500, 1_000_500].map(|n| Reading::Whole(base + n));
        assert_eq!(scaled(&readings), [0, 2, 3, 667]);
        let far = [0, 1, u64::MAX].map(Reading::Whole);
        assert!(scaled(&far)[2] <= EXACT);
    }

    #[test]
    fn decimal_fractions_become_whole_numbers() {
        let readings = [0.001, 0.0025, 0.004].map(Reading::Float);
        assert_eq!(scaled(&readings), [0, 1, 2]);
        let readings = [Reading::Whole(1), Reading::Float(1.5), Reading::Float(1.75)];
        assert_eq!(scaled(&readings), [0, 2, 3]);
        assert_eq!(scaled(&[Reading::Float(7.5)]), [0]);
    }
}
