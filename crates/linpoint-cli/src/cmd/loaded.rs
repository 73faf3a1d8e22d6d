//! A loaded history as the report needs it.

use std::ops::Range;
use std::time::Instant;

use linpoint::history::Span;
use linpoint::verdict::{Blocked, Known, Next, OrderWith, Partial, States, Violation};
use linpoint::{OpId, Part, Report};
use linpoint_formats::raw::{self, Lasting, Unit};
use linpoint_formats::registry::{FailedOp, PlacedFault, Times};
use linpoint_formats::{LoadedHistory, Settings};
use linpoint_report::{Annotation, Clock, Failed, Operation, Operations, Reading, Recorded};

/// A loaded history with the settings of its check.
pub struct LoadedOperations<'a> {
    /// The history.
    pub history: &'a LoadedHistory,
    /// The settings.
    pub settings: &'a Settings,
    /// True if the history is from a file, so that its line numbers mean something to the user.
    pub has_lines: bool,
}

impl Operations for LoadedOperations<'_> {
    fn operation(&self, id: OpId) -> Operation {
        let history = self.history;
        Operation {
            op: history.op(id),
            ret: history.ret(id),
            process: history.process(id),
            client: history.client(id),
            object: history.object(id),
            span: history.span(id),
            line: history.line(id).filter(|_| self.has_lines),
        }
    }

    fn recorded(&self, id: OpId) -> Option<Recorded> {
        let recorded = self.history.recorded(id)?;
        Some(Recorded { op: recorded.op.to_owned(), args: recorded.args, ret: recorded.ret })
    }

    fn span(&self, id: OpId) -> Span {
        self.history.span(id)
    }

    fn parts(&self, report: &Report) -> Vec<Part> {
        self.history.parts(self.settings, report).unwrap_or_default()
    }

    fn states(&self, order: &[OpId], known: Known, window: Range<usize>) -> Option<States> {
        self.history.states(order, known, window)
    }

    fn next(&self, part: &[OpId], order: &[OpId], known: Known, most: usize) -> Option<Vec<Next>> {
        self.history.next(part, order, known, most)
    }

    fn order_with(&self, violation: &Violation, op: OpId, until: Instant) -> Option<OrderWith> {
        Some(self.history.order_with(self.settings, violation, op, until))
    }

    fn clock(&self) -> Option<Clock> {
        let clock = |times: &Times| Clock {
            unit: times.unit().map(Unit::name),
            since_1970: times.since_1970(),
        };
        self.history.times().map(clock)
    }

    fn times(&self, id: OpId) -> Option<(Reading, Option<Reading>)> {
        let (start, end) = self.history.times()?.of(id)?;
        Some((reading(start), end.map(reading)))
    }

    fn remark(&self, id: OpId) -> Option<String> {
        self.history.remark(id).map(str::to_owned)
    }

    fn failed(&self) -> Vec<Failed> {
        let failed = |op: &FailedOp| Failed {
            op: op.text.clone(),
            client: op.client.clone(),
            object: op.object.clone(),
            remark: Some(op.remark.clone()).filter(|remark| !remark.is_empty()),
            place: op.place,
            times: (op.times.0.map(reading), op.times.1.map(reading)),
            line: Some(op.line).filter(|_| self.has_lines),
        };
        self.history.failed().iter().map(failed).collect()
    }

    fn blocked(&self, violation: &Violation, partial: &Partial) -> Option<Vec<Blocked>> {
        self.history.blocked(violation, partial)
    }

    fn annotations(&self) -> Vec<Annotation> {
        self.history.faults().iter().map(|placed| annotation(placed, self.has_lines)).collect()
    }
}

fn reading(reading: raw::Reading) -> Reading {
    match reading {
        raw::Reading::Whole(n) => Reading::Whole(n),
        raw::Reading::Float(x) => Reading::Float(x),
    }
}

fn annotation(PlacedFault { fault, from, to }: &PlacedFault, has_lines: bool) -> Annotation {
    let end = match fault.end {
        Lasting::Until(moment) => moment.time,
        Lasting::Moment | Lasting::ToTheEnd => None,
    };
    Annotation {
        lane: fault.lane.clone(),
        client: fault.process.is_some().then(|| fault.lane.clone()),
        color: fault.color.map(|color| color.0),
        text: fault.text(),
        from: *from,
        to: *to,
        times: (fault.begin.time.map(reading), end.map(reading)),
        line: Some(fault.line).filter(|_| has_lines),
        page_only: false,
    }
}
