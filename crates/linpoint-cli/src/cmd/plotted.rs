//! A history as plots show it.

use linpoint_formats::raw::{Attempt, Clock, Fate, Lasting, Moment, Reading, Unit};
use linpoint_formats::{RawHistory, Value};
use linpoint_report::plot::{Axis, Ending, Fault, Plot, Point};

/// What is plotted of a history.
pub fn plot_of(raw: &RawHistory) -> Plot {
    let time = Time::new(raw);
    let points = raw.ops.attempts().map(|attempt| Point {
        start: time.at(attempt.start),
        end: attempt.end.map_or(f64::INFINITY, |end| time.at(end)),
        name: attempt.name_number as u32,
        ending: ending(&attempt),
    });
    let points: Vec<Point> = points.collect();
    let last = points.iter().map(|point| point.start.max(finite(point.end))).fold(0.0, f64::max);
    let fault = |fault: &linpoint_formats::raw::Fault| {
        let to = match fault.end {
            Lasting::Moment => None,
            Lasting::Until(end) => Some(time.moment(end)?),
            Lasting::ToTheEnd => Some(last),
        };
        let text = format!("{}: {}", fault.lane, fault.text());
        Some(Fault { text, from: time.moment(fault.begin)?, to })
    };
    Plot {
        axis: time.axis(),
        names: raw.ops.names().map(str::to_owned).collect(),
        faults: raw
            .faults
            .iter()
            .filter(|fault| fault.process.is_none())
            .filter_map(fault)
            .collect(),
        points,
    }
}

fn finite(x: f64) -> f64 {
    if x.is_finite() { x } else { 0.0 }
}

/// How an operation ended. A compare-and-set that found another value failed, as in Jepsen.
fn ending(attempt: &Attempt<'_>) -> Ending {
    match attempt.fate {
        Fate::Returned if attempt.name == "cas" && attempt.result == Some(&Value::Bool(false)) => {
            Ending::Failed
        }
        Fate::Returned => Ending::Ok,
        Fate::Dropped => Ending::Failed,
        Fate::Lost | Fate::Open => Ending::Unknown,
    }
}

/// From the numbers or times of events to values on the axis.
struct Time<'a> {
    raw: &'a RawHistory,
    /// The first reading. Differences to it are exact, readings themselves may be too large for floating-point numbers.
    first: Reading,
    /// In seconds, if it is known.
    unit: Option<f64>,
}

impl Time<'_> {
    fn new(raw: &RawHistory) -> Time<'_> {
        let starts = || raw.ops.attempts().map(|attempt| attempt.start);
        let first = match raw.clock {
            Clock::Order => raw.readings.first().copied(),
            Clock::Whole => starts().min().map(Reading::Whole),
            Clock::Float => starts().min().map(|bits| Reading::Float(f64::from_bits(bits))),
        };
        let unit = raw.unit.map(|unit| match unit {
            Unit::Nanoseconds => 1e-9,
            Unit::Microseconds => 1e-6,
            Unit::Milliseconds => 1e-3,
            Unit::Seconds => 1.0,
        });
        Time { raw, first: first.unwrap_or(Reading::Whole(0)), unit }
    }

    fn has_clock(&self) -> bool {
        self.raw.clock != Clock::Order || !self.raw.readings.is_empty()
    }

    fn axis(&self) -> Axis {
        match (self.has_clock(), self.unit) {
            (false, _) => Axis::Positions,
            (true, None) => Axis::Clock,
            (true, Some(_)) => Axis::Seconds,
        }
    }

    /// The value of a call or an end.
    fn at(&self, event: u64) -> f64 {
        match self.raw.clock {
            Clock::Whole => self.value(Reading::Whole(event)),
            Clock::Float => self.value(Reading::Float(f64::from_bits(event))),
            // Events are numbered from 1.
            Clock::Order if !self.has_clock() => event as f64 - 1.0,
            Clock::Order => {
                let readings = &self.raw.readings;
                let place = usize::try_from(event).unwrap_or(usize::MAX).saturating_sub(1);
                let reading = readings.get(place).or(readings.last());
                reading.map_or(0.0, |reading| self.value(*reading))
            }
        }
    }

    /// The value of a reading.
    fn value(&self, reading: Reading) -> f64 {
        let since = match (reading, self.first) {
            (Reading::Whole(time), Reading::Whole(first)) if time >= first => (time - first) as f64,
            (time, first) => time.as_float() - first.as_float(),
        };
        since * self.unit.unwrap_or(1.0)
    }

    /// The value of a moment between calls and ends.
    fn moment(&self, moment: Moment) -> Option<f64> {
        match moment.time {
            Some(time) if self.has_clock() => Some(self.value(time)),
            _ if self.raw.clock != Clock::Order => None,
            // The event before it, or a place after that event.
            _ if self.has_clock() => Some(self.at(moment.after)),
            _ => Some(moment.after as f64 - 0.5),
        }
    }
}
