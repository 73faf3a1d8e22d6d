//! The outcome of a check as text and numbers only.

use std::ops::Range;
use std::time::Duration;

use linpoint::history::Span;
use linpoint::verdict::{
    CoreStatus, Partial, States, Undecided, Verdict, Violation, ViolationKind, states_along,
};
use linpoint::{Checker, History, OpId, Part, Report, Spec};

/// An operation in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// What was called: `enqueue(5)`.
    pub op: String,
    /// What it returned, if it did and if it is known.
    pub ret: Option<String>,
    /// The number by which the library knows who performed it.
    pub process: Option<u32>,
    /// Who performed it.
    pub client: Option<String>,
    /// The object it was performed on, where there are several.
    pub object: Option<String>,
    /// When it was open.
    pub span: Span,
    /// The line of the input on which it begins.
    pub line: Option<u32>,
}

impl Operation {
    /// Operation and result; results that only say "ok" are left out.
    pub fn text(&self) -> String {
        let object = self.object.as_ref().map(|o| format!("{o}: ")).unwrap_or_default();
        let op = &self.op;
        match self.ret.as_deref() {
            Some("ok") => format!("{object}{op}"),
            Some(ret) => format!("{object}{op} -> {ret}"),
            None if self.span.is_pending() => format!("{object}{op}"),
            None => format!("{object}{op} -> ?"),
        }
    }
}

/// Something that can put the operations of a history into words.
pub trait Operations {
    /// One operation in words.
    fn operation(&self, id: OpId) -> Operation;

    /// When an operation was open.
    fn span(&self, id: OpId) -> Span;

    /// The independent parts with what became of each; empty if that is not known.
    fn parts(&self, _report: &Report) -> Vec<Part> {
        Vec::new()
    }

    /// The states along an order of one part, see [`linpoint::verdict::states_along`]. `None` if
    /// they cannot be told.
    fn states(&self, _order: &[OpId], _until: u32, _window: Range<usize>) -> Option<States> {
        None
    }

    /// What else happened: faults that were injected, messages of servers.
    fn annotations(&self) -> Vec<Annotation> {
        Vec::new()
    }
}

/// Something that happened and is not an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// Annotations of one lane are drawn in one row: `nemesis`, `server 3`.
    pub lane: String,
    /// What it is.
    pub text: String,
    /// It began after so many events (calls and returns) of the history.
    pub from: u32,
    /// It ended after so many events; `None`: it happened at one moment.
    pub to: Option<u32>,
}

/// A history and its specification, of any type, as [`Operations`].
#[derive(Clone, Copy)]
pub struct Typed<'a, S: Spec> {
    /// What puts operations into words.
    pub spec: &'a S,
    /// What was checked.
    pub history: &'a History<S::Op, S::Ret>,
}

impl<S: Spec> Operations for Typed<'_, S> {
    fn operation(&self, id: OpId) -> Operation {
        let op = self.history.op(id);
        let extras = self.history.extras(id);
        Operation {
            op: self.spec.describe_op(op),
            ret: self.history.ret(id).map(|ret| self.spec.describe_ret(op, ret)),
            process: extras.process,
            client: extras.process.map(|p| format!("client {p}")),
            object: extras.object.map(|o| format!("object {o}")),
            span: self.history.span(id),
            line: None,
        }
    }

    fn span(&self, id: OpId) -> Span {
        self.history.span(id)
    }

    fn parts(&self, report: &Report) -> Vec<Part> {
        Checker::new(self.spec).parts(self.history, report).unwrap_or_default()
    }

    fn states(&self, order: &[OpId], until: u32, window: Range<usize>) -> Option<States> {
        let subject = linpoint::subject::Typed::new(self.spec, self.history);
        states_along(&subject, self.history.timeline(), order, until, window)
    }
}

/// What was checked, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Heading {
    /// The file.
    pub name: String,
    /// The model, with its options.
    pub model: String,
    /// What the author of the file has to say about it.
    pub note: Option<String>,
    /// Number of operations.
    pub operations: usize,
    /// Completed operations whose result is not known.
    pub unknown_results: usize,
    /// How long the check took.
    pub time: Duration,
    /// How long reading the file took, all histories in it together.
    pub reading: Duration,
}

/// The outcome of a check, ready to be shown.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// What was checked, and how.
    pub heading: Heading,
    /// The engine that gave the answer.
    pub engine: String,
    /// The answer.
    pub outcome: Outcome,
}

/// The answer.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// There is a legal order.
    Linearizable,
    /// There is none, and here is why: the first failure, then those of other parts.
    Violation(Vec<Explanation>),
    /// A limit was hit first.
    Undecided(Undecided),
}

/// Why there is no legal order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// What was violated.
    pub kind: ViolationKind,
    /// One sentence that states the contradiction.
    pub reason: String,
    /// The operations to be drawn: the core, the failing one, and a few around it, in call order.
    pub rows: Vec<Row>,
    /// Number of operations of the core. Of a large one, only those near the failing return are drawn.
    pub core: usize,
    /// Number of operations in the part (key, object) of which this is about.
    pub part: usize,
    /// False if a limit ended the search for the earliest failing return.
    pub failing_is_earliest: bool,
    /// What the failing operation would have been allowed to return.
    pub allowed: Vec<String>,
    /// True if `allowed` is everything.
    pub allowed_is_complete: bool,
    /// The longest order that is legal as far as it goes: its operations in words.
    pub order: Vec<String>,
    /// The state it leads to.
    pub state: Option<String>,
    /// True if the failing operation is not part of that order.
    pub state_is_before: bool,
    /// Whether the core could be smaller.
    pub core_status: CoreStatus,
    /// The engine that confirmed the violation.
    pub confirmed_by: Option<String>,
}

/// An operation that is drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Which operation of the history.
    pub id: OpId,
    /// The operation in words.
    pub operation: Operation,
    /// True if it belongs to the core.
    pub core: bool,
    /// True if the history first has no linearization at its return.
    pub failing: bool,
}

/// So many operations around the failure are drawn beside the core.
const CONTEXT: usize = 8;
/// At most this many operations of the core are drawn.
const CORE: usize = 24;
/// Of a longer order than this, only the last operations are put into words.
const ORDER: usize = 24;

impl Rendered {
    /// Puts the outcome of a check into words.
    pub fn new(heading: Heading, operations: &dyn Operations, report: &Report) -> Rendered {
        let engine = report.engine.clone();
        let outcome = Outcome::new(operations, &report.verdict, &report.more);
        Rendered { heading, engine, outcome }
    }
}

impl Outcome {
    /// Puts a verdict into words; `more` are the violations in other parts.
    pub fn new(operations: &dyn Operations, verdict: &Verdict, more: &[Violation]) -> Outcome {
        match verdict {
            Verdict::Linearizable(_) => Outcome::Linearizable,
            Verdict::Undecided(undecided) => Outcome::Undecided(undecided.clone()),
            Verdict::Violation(first) => {
                let all = std::iter::once(&**first).chain(more);
                Outcome::Violation(all.map(|v| Explanation::new(operations, v)).collect())
            }
        }
    }
}

impl Explanation {
    /// Puts a violation into words.
    pub fn new(operations: &dyn Operations, violation: &Violation) -> Explanation {
        let failing = violation.failing;
        let mut core = violation.core.clone();
        core.sort_by_key(|id| (std::cmp::Reverse(operations.span(*id).call), *id));
        core.truncate(CORE);
        let mut ids: Vec<OpId> = core.iter().copied().chain(failing).collect();
        ids.extend(context(operations, violation));
        ids.sort_by_key(|id| (operations.span(*id).call, *id));
        ids.dedup();
        let row = |id: OpId| Row {
            id,
            operation: operations.operation(id),
            core: core.contains(&id),
            failing: failing == Some(id),
        };
        // The state *before* the failing operation is the more telling one.
        let without = |partial: &&Partial| failing.is_none_or(|id| !partial.order.contains(&id));
        let longest = violation.partials.iter().find(without).or(violation.partials.first());
        let order = longest.map_or(&[][..], |partial| &partial.order);
        let skipped = order.len().saturating_sub(ORDER);
        let mut steps = Vec::new();
        if skipped > 0 {
            steps.push(format!("({skipped} more)"));
        }
        // Such an order explains what had returned before the failure; what returned later took
        // part in it with any result.
        let limit = failing.map_or(Span::NEVER, |id| operations.span(id).ret);
        steps.extend(order[skipped..].iter().map(|id| {
            let mut operation = operations.operation(*id);
            if !operation.span.is_pending() && operation.span.ret >= limit {
                operation.ret = None;
            }
            operation.text()
        }));
        let rows: Vec<Row> = ids.into_iter().map(row).collect();
        Explanation {
            kind: violation.kind,
            reason: with_names(&violation.reason, &rows),
            rows,
            core: violation.core.len(),
            part: violation.part.len(),
            failing_is_earliest: violation.failing_is_earliest,
            allowed: violation.allowed.clone(),
            allowed_is_complete: violation.allowed_is_complete,
            order: steps,
            state: longest.map(|partial| partial.state.clone()),
            state_is_before: longest.as_ref().is_some_and(without),
            core_status: violation.core_status,
            confirmed_by: violation.confirmed_by.clone(),
        }
    }

    /// The operation at whose return the history first has no linearization.
    pub fn failing(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.failing)
    }
}

/// The reason with the names of clients in place of their numbers.
fn with_names(reason: &str, rows: &[Row]) -> String {
    const NUMBERED: &str = " by client ";
    let mut out = String::new();
    let mut rest = reason;
    while let Some(at) = rest.find(NUMBERED) {
        let (before, after) = rest.split_at(at + NUMBERED.len());
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let process = after[..digits].parse::<u32>().ok();
        let named = |row: &&Row| process.is_some() && row.operation.process == process;
        // The failing operation is the one that is mentioned most.
        let mut known = rows.iter().filter(|row| row.failing).chain(rows);
        match known.find(named).and_then(|row| row.operation.client.as_deref()) {
            Some(client) => {
                out.push_str(&before[..at]);
                out.push_str(" by ");
                out.push_str(client);
            }
            None => {
                out.push_str(before);
                out.push_str(&after[..digits]);
            }
        }
        rest = &after[digits..];
    }
    out.push_str(rest);
    out
}

/// The operations of the part that were open last before the failing return.
fn context(operations: &dyn Operations, violation: &Violation) -> Vec<OpId> {
    let Some(failing) = violation.failing else { return Vec::new() };
    let at = operations.span(failing).ret;
    let begun = violation.part.iter().copied().filter(|id| operations.span(*id).call < at);
    let mut near: Vec<OpId> = begun.collect();
    near.sort_by_key(|id| {
        let span = operations.span(*id);
        // Pending operations were open all along, but those called long ago say little.
        let until = if span.is_pending() { span.call } else { span.ret.min(at) };
        (at - until, at - span.call)
    });
    near.truncate(CONTEXT);
    near
}
