//! The text of a failure report.

use std::fmt::Write;
use std::ops::Range;
use std::time::{Duration, Instant};

use linpoint::history::Span;
use linpoint::verdict::{Known, Next, OrderWith, States, Violation};
use linpoint::{OpId, Part, Report, Spec};
use linpoint_report::{
    Heading, Operation, Operations, Outcome, Rendered, Row, TypedOperations, html, text,
};

use super::Context;
use crate::execution::{Failure, UnfinishedReason};
use crate::judge::Fault;
use crate::scenario::Scenario;
use crate::schedule::Interleaving;
use crate::shrink::core_of;

/// Columns of a report.
const WIDTH: usize = 100;
/// Operations in a timeline without an explanation.
const DRAWN: usize = 24;
/// Operations listed for each thread.
const LISTED: usize = 12;

/// A failed execution, with its clients named as threads.
pub(super) struct Named<'a, S: Spec> {
    pub(super) spec: &'a S,
    pub(super) failure: &'a Failure<S::Op, S::Ret>,
    pub(super) threads: usize,
    /// The steps of the execution.
    pub(super) interleaving: Option<&'a Interleaving>,
}

impl<'a, S: Spec> Named<'a, S> {
    fn typed(&self) -> TypedOperations<'a, S> {
        TypedOperations { spec: self.spec, history: &self.failure.execution.history }
    }

    /// `thread 2`, or `main` for the setup and the final operations.
    fn client(&self, process: u32) -> String {
        if process as usize == self.threads {
            "main".to_owned()
        } else {
            format!("thread {process}")
        }
    }

    /// An operation and its thread: `pop() by thread 2`.
    fn op_and_client(&self, id: OpId) -> String {
        let operation = self.operation(id);
        let client = operation.client.unwrap_or_default();
        format!("{} by {client}", text::clean(&operation.op))
    }
}

impl<S: Spec> Operations for Named<'_, S> {
    fn operation(&self, id: OpId) -> Operation {
        let operation = self.typed().operation(id);
        let client = operation.process.map(|process| self.client(process));
        let unfinished = self.failure.execution.unfinished.iter().find(|u| u.op == id);
        let op = match unfinished.map(|u| &u.reason) {
            Some(UnfinishedReason::Panicked(_)) => format!("{} panicked", operation.op),
            Some(UnfinishedReason::Waiting(_)) => format!("{} waits", operation.op),
            Some(UnfinishedReason::Cut(_) | UnfinishedReason::Stopped) | None => operation.op,
        };
        Operation { op, client, ..operation }
    }

    fn span(&self, id: OpId) -> Span {
        self.typed().span(id)
    }

    fn parts(&self, report: &Report) -> Vec<Part> {
        self.typed().parts(report)
    }

    fn states(&self, order: &[OpId], known: Known, window: Range<usize>) -> Option<States> {
        self.typed().states(order, known, window)
    }

    fn next(&self, part: &[OpId], order: &[OpId], known: Known, most: usize) -> Option<Vec<Next>> {
        self.typed().next(part, order, known, most)
    }

    fn order_with(&self, violation: &Violation, op: OpId, until: Instant) -> Option<OrderWith> {
        self.typed().order_with(violation, op, until)
    }

    fn steps(&self) -> Option<String> {
        self.interleaving.map(Interleaving::to_string)
    }
}

/// Everything that a report shows.
pub(super) struct ReportText<'a, S: Spec> {
    pub(super) named: &'a Named<'a, S>,
    pub(super) report: Option<&'a Report>,
    pub(super) scenario: &'a Scenario<S::Op>,
    pub(super) original: &'a Scenario<S::Op>,
    /// Executions, time, and whether shrinking completed.
    pub(super) shrinking: (u64, Duration, bool),
    pub(super) how: Option<&'a str>,
    pub(super) runner: &'a str,
    /// Which clocks see the failure, and what that means.
    pub(super) confirmed: Option<&'a str>,
    pub(super) context: &'a Context,
}

impl<'a, S: Spec + 'static> ReportText<'a, S> {
    pub(super) fn named(&self) -> &'a Named<'a, S> {
        self.named
    }

    /// The name of the specification: its type without path and parameters.
    fn model(&self) -> &'static str {
        let name = std::any::type_name::<S>();
        let name = name.split('<').next().unwrap_or(name);
        name.rsplit("::").next().unwrap_or(name)
    }

    /// The check as [`linpoint_report`] shows it.
    pub(super) fn rendered(&self) -> Option<(Rendered, &'a Report)> {
        let report = self.report?;
        let heading = Heading {
            name: self.context.name.clone(),
            model: self.model().to_owned(),
            note: Some(self.runner.to_owned()),
            operations: self.named.failure.execution.history.len(),
            time: report.stats.decide + report.stats.certify + report.stats.explain,
            ..Heading::default()
        };
        Some((Rendered::new(heading, self.named, report), report))
    }

    /// The timeline as an HTML page, if there is an explanation.
    pub(super) fn page(&self) -> Option<String> {
        let (rendered, report) = self.rendered()?;
        Some(html::render(&rendered, self.named, report))
    }

    /// The report. `files` lists the written files.
    pub(super) fn text(&self, files: &[(&str, String)]) -> String {
        let mut out = String::new();
        let name = text::clean(&self.context.name);
        let _ = writeln!(out, "linpoint: {name}: {}\n", self.fault());
        match self.rendered().map(|(rendered, _)| rendered.outcome) {
            Some(Outcome::Violation(explanations)) => {
                for explanation in &explanations {
                    out += text::explanation(explanation, WIDTH).trim_start_matches('\n');
                }
            }
            _ => {
                out += &text::timeline(&self.rows(), WIDTH);
                out.push('\n');
            }
        }
        self.interleaving(&mut out);
        self.unfinished(&mut out);
        self.scenario(&mut out);
        self.origin(&mut out);
        for (label, text) in files {
            // Paths and commands are not wrapped, so that they can be copied.
            text::fact(&mut out, label, text, 100 * WIDTH);
        }
        text::without_colours(&out)
    }

    fn fault(&self) -> String {
        let list = |ids: &[OpId]| {
            ids.iter().map(|id| self.named.op_and_client(*id)).collect::<Vec<_>>().join(", ")
        };
        match &self.named.failure.fault {
            Fault::NotLinearizable => "NOT LINEARIZABLE".to_owned(),
            Fault::Panicked { message, .. } => {
                format!("PANIC: an operation panicked: {}", text::clean(message))
            }
            Fault::Stuck { lost, .. } if !lost.is_empty() => format!(
                "STUCK: no progress, although in every possible order this operation could complete: {}",
                list(lost)
            ),
            Fault::Stuck { waiting, .. } => format!(
                "STUCK: no progress, although in every possible order one of these operations could \
                 complete: {}",
                list(waiting)
            ),
            Fault::Obstructed { op } => format!(
                "NOT OBSTRUCTION-FREE: with all other threads stopped, this operation does not return: {}",
                list(&[*op])
            ),
            Fault::Invalid(message) => format!(
                "INVALID: the run is linearizable, but the object is not valid after it: {}",
                text::clean(message)
            ),
            Fault::Check(error) => format!("NOT CHECKED: {}", text::clean(&error.to_string())),
            Fault::Undecided(limit) => format!(
                "UNDECIDED: {limit} of the check was hit, so this run may be correct or not; use fewer \
                 operations in a run, distinct values, or higher limits (check_limits)"
            ),
            Fault::TooManyWaits => {
                "GIVEN UP: operations legally wait forever in run after run, and \
                 their threads cannot be reused; tell the test how to release them (unblock)"
                    .to_owned()
            }
        }
    }

    /// The last operations, for a timeline without an explanation.
    fn rows(&self) -> Vec<Row> {
        let history = &self.named.failure.execution.history;
        let mut ids: Vec<OpId> = history.ids().collect();
        ids.sort_by_key(|id| history.span(*id).call);
        let hidden = ids.len().saturating_sub(DRAWN);
        let special = |id: OpId| match &self.named.failure.fault {
            Fault::Panicked { op, .. } | Fault::Obstructed { op } => *op == id,
            Fault::Stuck { waiting, lost } => {
                if lost.is_empty() {
                    waiting.contains(&id)
                } else {
                    lost.contains(&id)
                }
            }
            _ => false,
        };
        let row = |id: &OpId| Row {
            id: *id,
            operation: self.named.operation(*id),
            core: special(*id),
            failing: false,
        };
        ids[hidden..].iter().map(row).collect()
    }

    /// The steps of the threads.
    fn interleaving(&self, out: &mut String) {
        let Some(interleaving) = self.named.interleaving else { return };
        for line in interleaving.to_string().lines() {
            let _ = writeln!(out, "  {line}");
        }
        out.push('\n');
        if let Some(fewest) = &interleaving.fewest {
            text::fact(out, "schedule", fewest, WIDTH);
        }
    }

    /// The operations that did not return, with the reason.
    fn unfinished(&self, out: &mut String) {
        for unfinished in &self.named.failure.execution.unfinished {
            let op = self.named.op_and_client(unfinished.op);
            let why = match &unfinished.reason {
                UnfinishedReason::Panicked(message) => text::clean(message),
                UnfinishedReason::Waiting(state) => format!("its thread is {}", text::clean(state)),
                UnfinishedReason::Cut(reason) => {
                    format!("cut off: {}", text::clean(&reason.to_string()))
                }
                UnfinishedReason::Stopped => "its thread was stopped".to_owned(),
            };
            text::fact(out, "not returned", &format!("{op}: {why}"), WIDTH);
        }
    }

    /// The operations of every thread.
    fn scenario(&self, out: &mut String) {
        let spec = self.named.spec;
        let list = |ops: &[S::Op]| {
            let shown = ops.iter().take(LISTED).map(|op| text::clean(&spec.describe_op(op)));
            let mut shown: Vec<String> = shown.collect();
            let more = ops.len().saturating_sub(LISTED);
            if more > 0 {
                shown.push(format!("and {more} more"));
            }
            shown.join(", ")
        };
        let Scenario { setup, threads, finally } = self.scenario;
        if !setup.is_empty() {
            text::fact(out, "setup", &list(setup), WIDTH);
        }
        let is_shown = |thread: usize| self.is_in_core(thread) && !threads[thread].is_empty();
        let (mut others, mut hidden) = (0, 0);
        for (thread, ops) in threads.iter().enumerate() {
            if is_shown(thread) {
                text::fact(out, &format!("thread {thread}"), &list(ops), WIDTH);
            } else if !ops.is_empty() {
                (others, hidden) = (others + 1, hidden + ops.len());
            }
        }
        if others > 0 {
            let (others, ops) = (text::count(others, "thread"), text::count(hidden, "operation"));
            let note = format!("{ops} of {others} that are not part of the contradiction");
            text::fact(out, "others", &note, WIDTH);
        }
        if !finally.is_empty() {
            text::fact(out, "finally", &list(finally), WIDTH);
        }
    }

    /// True if the contradiction is about operations of this thread, or it is not known what it is about.
    fn is_in_core(&self, thread: usize) -> bool {
        let history = &self.named.failure.execution.history;
        let core = core_of(self.named.failure, self.report);
        let process = |id: &OpId| history.extras(*id).process;
        core.is_empty() || core.iter().any(|id| process(id) == Some(thread as u32))
    }

    fn origin(&self, out: &mut String) {
        let (executions, time, complete) = self.shrinking;
        let size = |scenario: &Scenario<S::Op>| {
            let threads = text::count(scenario.threads.len(), "thread");
            format!("{threads} and {}", text::count(scenario.len(), "operation"))
        };
        if executions > 0 {
            let result = if self.scenario == self.original {
                format!(
                    "no smaller scenario failed in {executions} executions; what is drawn above is the \
                     contradiction in this one"
                )
            } else {
                let by = format!("{executions} executions, {}", text::duration(time));
                format!("from {} to {}, by {by}", size(self.original), size(self.scenario))
            };
            let ended = if complete { "" } else { "; time ran out" };
            text::fact(out, "shrunk", &(result + ended), WIDTH);
        }
        let found = self.how.unwrap_or("by running a saved scenario");
        text::fact(out, "found", found, WIDTH);
        text::fact(out, "recorded", self.runner, WIDTH);
        if let Some(confirmed) = self.confirmed {
            text::fact(out, "confirmed", confirmed, WIDTH);
        }
    }
}
