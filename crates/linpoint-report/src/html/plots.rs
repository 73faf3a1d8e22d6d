//! The plots of a history, folded below its timeline.

use linpoint::OpId;

use super::columns::Columns;
use super::encode::OpText;
use crate::plot::{self, Axis, Ending, Fault, Place, Plot, Point};
use crate::rendered::{Annotation, Failed, Operations, Reading};

/// The rules for the section, and for what is in it.
pub(super) fn style() -> String {
    [include_str!("../../assets/plots.css"), plot::STYLE].concat()
}

/// The section; nothing for a single operation.
pub(super) fn section(columns: &Columns, operations: &dyn Operations) -> String {
    if columns.named.len() < 2 {
        return String::new();
    }
    let picture = plot::render(&plot(columns, operations), Place::Page);
    format!(
        "<details id=\"plots\">\n<summary>Latency, throughput, concurrency</summary>\n\
         <div>{picture}</div>\n</details>\n"
    )
}

fn plot(columns: &Columns, operations: &dyn Operations) -> Plot {
    let time = Time::new(columns, operations);
    let point = |&(id, name): &(OpId, u32)| {
        let span = operations.span(id);
        let (start, end) = match time.of(operations, id) {
            Some(times) => times,
            None if span.is_pending() => (f64::from(span.call), f64::INFINITY),
            None => (f64::from(span.call), f64::from(span.ret)),
        };
        let ending = if span.is_pending() { Ending::Unknown } else { Ending::Ok };
        Point { start, end, name, ending }
    };
    let mut points: Vec<Point> = columns.named.iter().map(point).collect();
    let mut names = columns.kinds.texts.clone();
    for failed in operations.failed() {
        points.extend(time.failed(&failed, &mut names));
    }
    let ends = points.iter().map(|point| point.end).filter(|end| end.is_finite());
    let last = points.iter().map(|point| point.start).chain(ends).fold(0.0, f64::max);
    let annotations = operations.annotations();
    let faults = annotations.iter().filter(|annotation| annotation.client.is_none());
    Plot {
        axis: time.axis,
        names,
        faults: faults.filter_map(|fault| time.fault(fault, last)).collect(),
        points,
    }
}

/// From the clock of the history to values on the axis.
struct Time {
    axis: Axis,
    /// Seconds of a unit of the clock, or 1 if it is not known.
    unit: f64,
    /// The first reading. Differences to it are exact; readings themselves may be too large for that.
    first: Reading,
}

impl Time {
    fn new(columns: &Columns, operations: &dyn Operations) -> Time {
        let positions = Time { axis: Axis::Positions, unit: 1.0, first: Reading::Whole(0) };
        let Some(clock) = operations.clock() else { return positions };
        let starts = columns.named.iter().filter_map(|(id, _)| Some(operations.times(*id)?.0));
        let earlier = |a: Reading, b: Reading| if value(b) < value(a) { b } else { a };
        let (axis, unit) = match clock.unit {
            Some("ns") => (Axis::Seconds, 1e-9),
            Some("us") => (Axis::Seconds, 1e-6),
            Some("ms") => (Axis::Seconds, 1e-3),
            Some("s") => (Axis::Seconds, 1.0),
            _ => (Axis::Clock, 1.0),
        };
        match starts.reduce(earlier) {
            Some(first) => Time { axis, unit, first },
            None => positions,
        }
    }

    /// The call and the return of an operation, if the history has a clock.
    fn of(&self, operations: &dyn Operations, id: OpId) -> Option<(f64, f64)> {
        if self.axis == Axis::Positions {
            return None;
        }
        let (start, end) = operations.times(id)?;
        Some((self.at(start), end.map_or(f64::INFINITY, |end| self.at(end))))
    }

    /// An operation that did not happen; `None` if it is not known when it was called.
    fn failed(&self, failed: &Failed, names: &mut Vec<String>) -> Option<Point> {
        let (start, end) = match (self.axis, failed.times) {
            (Axis::Positions, _) => (f64::from(failed.place.0), f64::from(failed.place.1)),
            (_, (start, end)) => (self.at(start?), end.map_or(f64::INFINITY, |end| self.at(end))),
        };
        let kind = OpText::parse(&failed.op).kind;
        let name = names.iter().position(|name| name == kind).unwrap_or_else(|| {
            names.push(kind.to_owned());
            names.len() - 1
        });
        Some(Point { start, end, name: name as u32, ending: Ending::Failed })
    }

    fn at(&self, reading: Reading) -> f64 {
        let since = match (reading, self.first) {
            (Reading::Whole(time), Reading::Whole(first)) if time >= first => (time - first) as f64,
            (time, first) => value(time) - value(first),
        };
        since * self.unit
    }

    /// A fault; `None` if it is not known when it was.
    fn fault(&self, annotation: &Annotation, last: f64) -> Option<Fault> {
        if self.axis == Axis::Positions {
            return Some(Fault::at_positions(annotation));
        }
        let text = format!("{}: {}", annotation.lane, annotation.text);
        let (from, to) = annotation.times;
        let to = match (annotation.to, to) {
            (None, _) => None,
            (Some(_), Some(end)) => Some(self.at(end)),
            (Some(_), None) => Some(last),
        };
        Some(Fault { text, from: self.at(from?), to })
    }
}

fn value(reading: Reading) -> f64 {
    match reading {
        Reading::Whole(n) => n as f64,
        Reading::Float(x) => x,
    }
}
