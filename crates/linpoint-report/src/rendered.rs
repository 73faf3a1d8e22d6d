//! The outcome of a check as text and numbers, without type parameters.

use std::ops::Range;
use std::time::{Duration, Instant};

use linpoint::history::Span;
use linpoint::verdict::{
    Argument, Blocked, CoreStatus, Known, Next, OrderWith, Partial, States, Undecided, Verdict,
    Violation, ViolationKind, blocked_after, next_after, states_along,
};
use linpoint::wire::Value;
use linpoint::{Checker, History, OpId, Part, Report, Spec};

use crate::difference::apart;
use crate::failing_parts::{FailingParts, PartName};
use crate::faults;
use crate::jepsen::Jepsen;
use crate::sentence::{SentencePiece, sentence};

/// An operation as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// What was called: `enqueue(5)`.
    pub op: String,
    /// The result, if it returned and the result is known.
    pub ret: Option<String>,
    /// The number of the process in the library.
    pub process: Option<u32>,
    /// The name of the client that called it.
    pub client: Option<String>,
    /// The object, if there are several.
    pub object: Option<String>,
    /// The call and the return, as event ranks.
    pub span: Span,
    /// The line of the call in the input.
    pub line: Option<u32>,
}

impl Operation {
    /// Operation and result; the result `ok` is left out.
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

/// An operation as a name and values, for programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// What was called: `enqueue`.
    pub op: String,
    /// The arguments.
    pub args: Vec<Value>,
    /// The result, if it returned and the result is known.
    pub ret: Option<Value>,
}

/// Describes the operations of a history.
pub trait Operations {
    /// One operation as text.
    fn operation(&self, id: OpId) -> Operation;

    /// One operation as a name and values; `None` if it is known as text only.
    fn recorded(&self, _id: OpId) -> Option<Recorded> {
        None
    }

    /// The call and the return of an operation, as event ranks.
    fn span(&self, id: OpId) -> Span;

    /// The independent parts with their status; empty if not known.
    fn parts(&self, _report: &Report) -> Vec<Part> {
        Vec::new()
    }

    /// The states along an order of one part, see [`linpoint::verdict::states_along`]. `None` if
    /// they are not known.
    fn states(&self, _order: &[OpId], _known: Known, _window: Range<usize>) -> Option<States> {
        None
    }

    /// Why a partial order of a violation ends, see [`linpoint::verdict::blocked_after`]. `None` if that is not known.
    fn blocked(&self, _violation: &Violation, _partial: &Partial) -> Option<Vec<Blocked>> {
        None
    }

    /// What can come next after an order of operations of `part`, at most `most` operations, see
    /// [`linpoint::verdict::next_after`]. `None` if it is not known.
    fn next(
        &self,
        _part: &[OpId],
        _order: &[OpId],
        _known: Known,
        _most: usize,
    ) -> Option<Vec<Next>> {
        None
    }

    /// The order that gets furthest and contains an operation, see [`linpoint::Checker::order_with`]. `None` if it cannot be
    /// searched for.
    fn order_with(&self, _violation: &Violation, _op: OpId, _until: Instant) -> Option<OrderWith> {
        None
    }

    /// The clock of the history; `None` if only the order of events is known.
    fn clock(&self) -> Option<Clock> {
        None
    }

    /// The clock at the call and at the return of an operation.
    fn times(&self, _id: OpId) -> Option<(Reading, Option<Reading>)> {
        None
    }

    /// What the input says about an operation, for people.
    fn remark(&self, _id: OpId) -> Option<String> {
        None
    }

    /// Operations that certainly did not happen, in the lanes of their clients.
    fn failed(&self) -> Vec<Failed> {
        Vec::new()
    }

    /// Other events: injected faults, messages of servers.
    fn annotations(&self) -> Vec<Annotation> {
        Vec::new()
    }

    /// An account of the execution, step by step, if there is one.
    fn steps(&self) -> Option<String> {
        None
    }
}

/// A clock whose readings are known for calls and returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Its unit, if it is known: `ns`, `us`, `ms` or `s`.
    pub unit: Option<&'static str>,
    /// True if it is known to count since 1970-01-01T00:00:00Z.
    pub since_1970: bool,
}

/// A reading of a clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reading {
    /// A whole number.
    Whole(u64),
    /// Any other number.
    Float(f64),
}

/// An event that is not an operation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Annotation {
    /// The row in which it is drawn: `nemesis`, `server 3`.
    pub lane: String,
    /// The client in whose lane a page draws it instead.
    pub client: Option<String>,
    /// Its colour in a page, if it has one of its own.
    pub color: Option<[u8; 3]>,
    /// The description.
    pub text: String,
    /// Number of events (calls and returns) of the history before it began.
    pub from: u32,
    /// Number of events before it ended; `None` for a single moment. What never ended lasts until all events have happened.
    pub to: Option<u32>,
    /// The clock when it began and when it ended, if known.
    pub times: (Option<Reading>, Option<Reading>),
    /// The line of the input on which it begins.
    pub line: Option<u32>,
    /// True if only pages show it: there would be too much on a terminal.
    pub page_only: bool,
}

/// An operation that certainly did not happen. It is no part of the history, but people look for it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Failed {
    /// What was called.
    pub op: String,
    /// Who called it.
    pub client: Option<String>,
    /// The object, if there are several.
    pub object: Option<String>,
    /// What the input says about it, for people.
    pub remark: Option<String>,
    /// Number of events of the history before it was called, and before it failed.
    pub place: (u32, u32),
    /// The clock then, if known.
    pub times: (Option<Reading>, Option<Reading>),
    /// The line of the call.
    pub line: Option<u32>,
}

/// [`Operations`] of a typed history and its specification.
#[derive(Clone, Copy)]
pub struct TypedOperations<'a, S: Spec> {
    /// Describes operations and results.
    pub spec: &'a S,
    /// The history.
    pub history: &'a History<S::Op, S::Ret>,
}

impl<S: Spec> Operations for TypedOperations<'_, S> {
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

    fn states(&self, order: &[OpId], known: Known, window: Range<usize>) -> Option<States> {
        let subject = linpoint::subject::Typed::new(self.spec, self.history);
        states_along(&subject, self.history.timeline(), order, known, window)
    }

    fn next(&self, part: &[OpId], order: &[OpId], known: Known, most: usize) -> Option<Vec<Next>> {
        let subject = linpoint::subject::Typed::new(self.spec, self.history);
        next_after(&subject, self.history.timeline(), (part, order), known, most)
    }

    fn order_with(&self, violation: &Violation, op: OpId, until: Instant) -> Option<OrderWith> {
        Some(Checker::new(self.spec).order_with(self.history, violation, op, until))
    }

    fn blocked(&self, violation: &Violation, partial: &Partial) -> Option<Vec<Blocked>> {
        let subject = linpoint::subject::Typed::new(self.spec, self.history);
        blocked_after(&subject, self.history.timeline(), violation, partial)
    }
}

/// The facts about a check that head a report.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Heading {
    /// The file.
    pub name: String,
    /// The model, with its options.
    pub model: String,
    /// The note in the file, by its author.
    pub note: Option<String>,
    /// Number of operations.
    pub operations: usize,
    /// Completed operations whose result is not known.
    pub unknown_results: usize,
    /// Duration of the check.
    pub time: Duration,
    /// Duration of reading the file, all its histories together.
    pub reading: Duration,
    /// What Jepsen's checker says, if the history is one of a workload.
    pub jepsen: Option<Jepsen>,
    /// Other files of a Jepsen run, for a page: the name of each, and the relative link to it.
    pub neighbours: Vec<(String, String)>,
}

/// The outcome of a check, ready for every output format.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The facts about the check.
    pub heading: Heading,
    /// The engine that decided.
    pub engine: String,
    /// The verdict.
    pub outcome: Outcome,
    /// How many of several keys or objects fail, and which.
    pub failing_parts: Option<FailingParts>,
}

/// A verdict as text.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// There is a legal order.
    Linearizable,
    /// There is none: the first failure, then those of other parts.
    Violation(Vec<Explanation>),
    /// A limit was reached first.
    Undecided(Undecided),
}

/// Why there is no legal order.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// What was violated.
    pub kind: ViolationKind,
    /// One sentence that states the contradiction. Long values are shown by their differences.
    pub reason: String,
    /// The same sentence in pieces, so that operations can be links.
    pub sentence: Vec<SentencePiece>,
    /// What kind of reason it is, for programs: `stale`.
    pub reason_kind: &'static str,
    /// The operations that the sentence names.
    pub named: Vec<OpId>,
    /// Operations of the core that are not drawn: they only close the argument. Each kind with how often it occurs.
    pub closing: Vec<(String, usize)>,
    /// The operations to draw: the core, the failing operation, and a few around it, in call order.
    pub rows: Vec<Row>,
    /// The faults and other events that are drawn with them.
    pub faults: Vec<Annotation>,
    /// Number of operations of the core. Of a large core, only those near the failing return are drawn.
    pub core: usize,
    /// Number of operations in the failing part (key, object).
    pub part: usize,
    /// What that part is called, if there are several and it has a name.
    pub part_name: Option<PartName>,
    /// False if a limit ended the search for the earliest failing return.
    pub failing_is_earliest: bool,
    /// The failing operation as text. Long values, here and below, are shown by their differences.
    pub failed: Option<Operation>,
    /// The results that the failing operation could have returned.
    pub allowed: Vec<String>,
    /// True if `allowed` has all of them.
    pub allowed_is_complete: bool,
    /// The operations of the longest legal partial order.
    pub order: Vec<String>,
    /// The state at the end of that order.
    pub state: Option<String>,
    /// True if that order does not contain the failing operation.
    pub state_is_before: bool,
    /// Whether the core is minimal.
    pub core_status: CoreStatus,
    /// The engine that confirmed the violation.
    pub confirmed_by: Option<String>,
}

/// An operation of a drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The operation in the history.
    pub id: OpId,
    /// The operation as text.
    pub operation: Operation,
    /// True if it belongs to the core.
    pub core: bool,
    /// True if its return is the first at which the history has no linearization.
    pub failing: bool,
}

/// Number of operations around the failure that are drawn beside the core.
const MAX_CONTEXT: usize = 8;
/// Number of core operations that are drawn, if the sentence does not say which matter.
const MAX_CORE: usize = 24;
/// All operations of a core up to this size are drawn.
const SMALL_CORE: usize = 6;
/// Kinds of operations that are listed beside the drawing.
const MAX_CLOSING: usize = 3;
/// What the rest is called.
pub(crate) const OTHERS: &str = "others";
/// Longer values are shown by their differences.
const MAX_VALUE: usize = 240;
/// Of a longer order, only this many operations at the end are described.
const MAX_ORDER: usize = 24;
/// And fewer, if they have more than this many characters on average.
const STEP_TEXT: usize = 40;

impl Rendered {
    /// Renders the outcome of a check as text.
    pub fn new(heading: Heading, operations: &dyn Operations, report: &Report) -> Rendered {
        let engine = report.engine.clone();
        let mut outcome = Outcome::new(operations, &report.verdict, &report.more);
        let failing_parts = FailingParts::new(operations, report, &mut outcome);
        Rendered { heading, engine, outcome, failing_parts }
    }
}

impl Outcome {
    /// Renders a verdict as text; `more` are the violations in other parts.
    pub fn new(operations: &dyn Operations, verdict: &Verdict, more: &[Violation]) -> Outcome {
        match verdict {
            Verdict::Linearizable(_) => Outcome::Linearizable,
            Verdict::Undecided(undecided) => Outcome::Undecided(undecided.clone()),
            Verdict::Violation(first) => {
                let all = std::iter::once(&**first).chain(more);
                let faults = operations.annotations();
                let explained = all.map(|v| Explanation::with_faults(operations, v, &faults));
                Outcome::Violation(explained.collect())
            }
        }
    }
}

impl Explanation {
    /// Renders a violation as text.
    pub fn new(operations: &dyn Operations, violation: &Violation) -> Explanation {
        Explanation::with_faults(operations, violation, &operations.annotations())
    }

    /// The same; `faults` are all annotations of the history.
    fn with_faults(
        operations: &dyn Operations,
        violation: &Violation,
        faults: &[Annotation],
    ) -> Explanation {
        let failing = violation.failing;
        let named = violation.reason.argument.as_ref().map(Argument::named).unwrap_or_default();
        let mut core = violation.core.clone();
        core.sort_by_key(|id| (std::cmp::Reverse(operations.span(*id).call), *id));
        if !named.is_empty() && core.len() > SMALL_CORE {
            core.retain(|id| named.contains(id) || failing == Some(*id));
        }
        core.truncate(MAX_CORE);
        let mut ids: Vec<OpId> = core.iter().chain(&named).copied().chain(failing).collect();
        ids.extend(context(operations, violation));
        ids.sort_by_key(|id| (operations.span(*id).call, *id));
        ids.dedup();
        let row = |id: OpId| Row {
            id,
            operation: operations.operation(id),
            core: core.contains(&id) || named.contains(&id),
            failing: failing == Some(id),
        };
        let closing = closing(operations, violation, &core);
        // The state *before* the failing operation is the more informative one.
        let without = |partial: &&Partial| failing.is_none_or(|id| !partial.order.contains(&id));
        let longest = violation.partials.iter().find(without).or(violation.partials.first());
        let order = longest.map(|partial| steps(operations, violation, partial, MAX_ORDER));
        let values = Values::new(operations, violation, order.unwrap_or_default(), longest);
        let rows: Vec<Row> = ids.into_iter().map(row).collect();
        let sentence = sentence(operations, &violation.reason);
        Explanation {
            kind: violation.kind,
            reason: sentence.iter().map(|piece| piece.text.as_str()).collect(),
            sentence,
            reason_kind: violation.reason.kind.name(),
            named,
            closing,
            faults: faults::near(faults, &rows),
            rows,
            core: violation.core.len(),
            part: violation.part.len(),
            part_name: None,
            failing_is_earliest: violation.failing_is_earliest,
            failed: values.failed,
            allowed: values.allowed,
            allowed_is_complete: violation.allowed_is_complete,
            order: values.order,
            state: values.state,
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

/// The texts of an explanation that may be long.
struct Values {
    failed: Option<Operation>,
    allowed: Vec<String>,
    order: Vec<String>,
    state: Option<String>,
}

impl Values {
    fn new(
        operations: &dyn Operations,
        violation: &Violation,
        order: Vec<String>,
        longest: Option<&Partial>,
    ) -> Values {
        let failed = violation.failing.map(|id| operations.operation(id));
        let found = failed.as_ref().map_or("", |failed| &failed.op);
        let ret = failed.as_ref().and_then(|failed| failed.ret.as_deref()).unwrap_or_default();
        let state = longest.map_or("", |partial| &partial.state);
        let mut texts = vec![found, ret, state];
        texts.extend(violation.allowed.iter().chain(&order).map(String::as_str));
        let mut brief = apart(&texts, MAX_VALUE).into_iter();
        let mut next = || brief.next().unwrap_or_default();
        let (op, ret, state) = (next(), next(), next());
        let failed = failed.map(|failed| {
            let ret = failed.ret.as_ref().map(|_| ret);
            Operation { op, ret, ..failed }
        });
        let state = longest.map(|_| state);
        let mut rest: Vec<String> = brief.collect();
        let order = rest.split_off(violation.allowed.len());
        Values { failed, allowed: rest, order, state }
    }
}

/// The last operations of a partial order, at most `most`, as text.
pub(crate) fn steps(
    operations: &dyn Operations,
    violation: &Violation,
    partial: &Partial,
    most: usize,
) -> Vec<String> {
    // Such an order explains the results before the failing return. Operations that returned later are in it
    // with any result.
    let limit = violation.failing.map_or(Span::NEVER, |id| operations.span(id).ret);
    let text = |id: &OpId| {
        let mut operation = operations.operation(*id);
        if !operation.span.is_pending() && operation.span.ret >= limit {
            operation.ret = None;
        }
        operation.text()
    };
    let mut length = 0;
    let fits = |text: &String| {
        length += text.chars().count();
        length <= most * STEP_TEXT
    };
    let mut steps: Vec<String> =
        partial.order.iter().rev().take(most).map(text).take_while(fits).collect();
    let skipped = partial.order.len() - steps.len();
    if skipped > 0 {
        steps.push(format!("({skipped} more)"));
    }
    steps.reverse();
    steps
}

/// The operations of the core that are not drawn, by their text, the most frequent first.
fn closing(
    operations: &dyn Operations,
    violation: &Violation,
    drawn: &[OpId],
) -> Vec<(String, usize)> {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    let hidden = violation.core.iter().filter(|id| !drawn.contains(id));
    let mut texts: Vec<String> = hidden.map(|id| operations.operation(*id).text()).collect();
    texts.sort();
    for text in texts {
        match kinds.last_mut() {
            Some((last, n)) if *last == text => *n += 1,
            _ => kinds.push((text, 1)),
        }
    }
    kinds.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    if kinds.len() > MAX_CLOSING {
        let others = kinds.drain(MAX_CLOSING..).map(|(_, n)| n).sum();
        kinds.push((OTHERS.to_owned(), others));
    }
    kinds
}

/// The operations of the part that were open last before the failing return.
fn context(operations: &dyn Operations, violation: &Violation) -> Vec<OpId> {
    let Some(failing) = violation.failing else { return Vec::new() };
    let at = operations.span(failing).ret;
    let begun = violation.part.iter().copied().filter(|id| operations.span(*id).call < at);
    let mut near: Vec<OpId> = begun.collect();
    near.sort_by_key(|id| {
        let span = operations.span(*id);
        // A pending operation stays open, but one that was called long ago explains little.
        let until = if span.is_pending() { span.call } else { span.ret.min(at) };
        (at - until, at - span.call)
    });
    near.truncate(MAX_CONTEXT);
    near
}
