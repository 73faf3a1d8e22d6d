//! A part of a history, compiled once into numbers.
//!
//! Completed operations are numbered by call order and get a *slot*: the lowest that is free while
//! they are open. Distinct (operation, result) pairs become classes. Pending operations get no
//! slot; they are grouped and counted, see [`super::pending`].

use smallvec::SmallVec;

use super::pending::{Matter, Pending, PendingClass};
use super::{ClassId, Switches};
use crate::check::Hints;
use crate::history::OpId;
use crate::split::Event;
use crate::subject::{Call, Case, Classes};

/// A compiled part. Here, "operation" means a completed one, as a local number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problem {
    /// The operation in the history.
    pub(crate) ids: Vec<OpId>,
    pub(crate) class: Vec<ClassId>,
    /// The call that each class stands for.
    pub(crate) classes: Vec<Call>,
    pub(crate) slot: Vec<u32>,
    /// Position of the operation's return among all returns.
    pub(crate) return_of: Vec<u32>,
    /// Operations in the order of their returns.
    pub(crate) returns: Vec<u32>,
    /// For each return, how many operations were called before it.
    pub(crate) calls_before: Vec<u32>,
    /// Number of slots.
    pub(crate) width: usize,
    /// True for classes that never change the state.
    pub(crate) is_read: Vec<bool>,
    pub(crate) pending: Vec<PendingClass>,
    /// Which pending classes can matter to operations of a class.
    pub(crate) matter_to_class: Vec<Matter>,
    /// Which pending classes can matter to those of a pending class.
    pub(crate) matter_to_pending: Vec<Matter>,
    /// The order in which to try operations that are open together, smaller first. Empty: by
    /// return.
    pub(crate) preference: Vec<u64>,
    pub(crate) order: Option<super::hints::AssertedOrder>,
    /// Number of pending operations that were dropped because they cannot matter.
    pub(crate) dropped: usize,
    /// An operation that is neither absorbed nor dropped for a twin, because all states in which it
    /// can take effect are wanted.
    pub(crate) tracked: Option<u32>,
}

/// Memory that is reused from part to part.
pub(crate) struct Scratch<'a> {
    classes: Box<dyn Classes + 'a>,
    /// The number of each operation of the history within its part.
    local: Vec<u32>,
    /// The previous compiled part, for its allocations.
    pub(crate) used_up: Option<Problem>,
}

impl<'a> Scratch<'a> {
    pub(crate) fn new(case: &Case<'a>) -> Self {
        Scratch { classes: case.subject.classes(), local: Vec::new(), used_up: None }
    }
}

impl Problem {
    /// An empty problem with the allocations of `self`.
    fn cleared(mut self) -> Problem {
        let Problem { ids, slot, return_of, returns, calls_before, .. } = &mut self;
        ids.clear();
        [slot, return_of, returns, calls_before].into_iter().for_each(Vec::clear);
        self.is_read.clear();
        self.class.clear();
        self.classes.clear();
        Problem {
            width: 0,
            pending: Vec::new(),
            matter_to_class: Vec::new(),
            matter_to_pending: Vec::new(),
            preference: Vec::new(),
            order: None,
            dropped: 0,
            tracked: None,
            ..self
        }
    }
}

/// Compiles the part with these `events`.
pub(crate) fn compile(
    case: &Case<'_>,
    events: &[Event],
    hints: Hints,
    switches: &Switches,
    scratch: &mut Scratch<'_>,
) -> Problem {
    scratch.classes.clear();
    scratch.local.resize(case.len(), 0);
    let out = scratch.used_up.take().map_or_else(Problem::default, Problem::cleared);
    let Scratch { classes, local, .. } = scratch;
    let mut compiler = Compiler { case, classes: &mut **classes, out };
    let pending = compiler.completed(events, local);
    let use_hints = hints != Hints::Ignore && case.timeline().has_hints();
    let asserted = use_hints && hints == Hints::Assert;
    let groups = compiler.group_pending(pending, asserted, switches);
    // Moving a pending operation past one of another key must not break an asserted order: where
    // such an order ties keys together, everything may matter to everything.
    let tied = asserted && compiler.has_several_footprints(events);
    let by_trace = Switches { drop_idle_pending: switches.drop_idle_pending && !tied, ..*switches };
    compiler.keep_what_matters(groups, &by_trace);
    let mut problem = compiler.out;
    let is_read = |call: &Call| switches.absorb_reads && case.subject.is_read(*call);
    problem.is_read.extend(problem.classes.iter().map(is_read));
    if use_hints {
        problem.preference = super::hints::preference(case, &problem);
    } else if switches.guide {
        ask_for_guide(case, &mut problem);
    }
    if asserted {
        let order = super::hints::AssertedOrder::new(case, &problem);
        for (class, pending) in problem.pending.iter_mut().enumerate() {
            if order.binds_pending(class as u32) {
                pending.last_use = u32::MAX;
            }
        }
        problem.order = Some(order);
    }
    problem
}

/// Asks the specification for a likely order of the completed operations and of the first operation
/// of each pending class.
fn ask_for_guide(case: &Case<'_>, problem: &mut Problem) {
    let completed = problem.ids.len();
    let first_of_each = problem.pending.iter().map(|p| p.ops[0]);
    let ids: Vec<OpId> = problem.ids.iter().copied().chain(first_of_each).collect();
    if let Some(mut keys) = case.subject.guide(&case.rows(&ids)) {
        for (pending, key) in problem.pending.iter_mut().zip(keys.split_off(completed)) {
            pending.preference = key;
        }
        problem.preference = keys;
    }
}

pub(super) struct Compiler<'s, 'a> {
    pub(super) case: &'s Case<'a>,
    classes: &'s mut (dyn Classes + 'a),
    pub(super) out: Problem,
}

impl Compiler<'_, '_> {
    /// The classes of operations; their results may be unknown.
    pub(super) fn classify(&mut self, ids: &[OpId]) -> Vec<ClassId> {
        let calls: Vec<Call> = ids.iter().map(|id| self.case.call(*id)).collect();
        let mut classes = Vec::with_capacity(calls.len());
        self.classes.classify(&calls, &mut classes);
        for (call, class) in calls.iter().zip(&classes) {
            if class.index() == self.out.classes.len() {
                self.out.classes.push(*call);
            }
        }
        classes
    }

    /// Numbers the completed operations. Returns the pending ones.
    fn completed(&mut self, events: &[Event], local: &mut [u32]) -> Vec<Pending> {
        let mut pending = Vec::new();
        let mut slots = Slots::default();
        for event in events {
            let id = event.op();
            let p = &mut self.out;
            if event.is_return() {
                let op = local[id.index()];
                p.return_of[op as usize] = p.returns.len() as u32;
                p.returns.push(op);
                p.calls_before.push(p.ids.len() as u32);
                slots.free(p.slot[op as usize]);
            } else if self.case.span(id).is_pending() {
                pending.push((id, p.returns.len() as u32));
            } else {
                local[id.index()] = p.ids.len() as u32;
                p.slot.push(slots.take());
                p.ids.push(id);
                p.return_of.push(0);
            }
        }
        self.out.width = slots.width;
        let ids = std::mem::take(&mut self.out.ids);
        self.out.class = self.classify(&ids);
        self.out.ids = ids;
        pending
    }
}

/// Gives out the lowest free slot.
#[derive(Default)]
struct Slots {
    /// One bit for each slot that is taken.
    taken: SmallVec<[u64; 4]>,
    /// One more than the largest slot ever taken.
    width: usize,
}

impl Slots {
    fn take(&mut self) -> u32 {
        let word = match self.taken.iter().position(|w| *w != u64::MAX) {
            Some(word) => word,
            None => {
                self.taken.push(0);
                self.taken.len() - 1
            }
        };
        let bit = self.taken[word].trailing_ones();
        self.taken[word] |= 1 << bit;
        let slot = 64 * word as u32 + bit;
        self.width = self.width.max(slot as usize + 1);
        slot
    }

    fn free(&mut self, slot: u32) {
        self.taken[slot as usize / 64] &= !(1 << (slot % 64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Extras, History, Interval, OrderHint, Ties};
    use crate::spec::models::{Register, RegisterOp, RegisterRet};
    use crate::split::Split;
    use crate::subject::Typed;

    /// Nothing reads the pending write after the first return. But if its position is asserted, what has a smaller one
    /// must not come after it, so it has to be remembered. Random histories hardly ever show that.
    #[test]
    fn pending_operations_with_asserted_positions_are_remembered() {
        let mut builder = History::from_intervals(Ties::Ordered);
        let at =
            |position| Extras { hint: Some(OrderHint { scope: 0, position }), ..Extras::default() };
        let (read, written) = (RegisterOp::Read, Some(RegisterRet::Written));
        let rows = [
            (RegisterOp::Write(1), None, 0, None, at(5)),
            (read, Some(RegisterRet::Value(1)), 1, Some(2), Extras::default()),
            (RegisterOp::Write(2), written, 3, Some(4), at(3)),
        ];
        for (op, ret, start, end, extras) in rows {
            builder.add(Interval { op, ret, start, end, extras }).unwrap();
        }
        let (spec, history) = (Register { initial: 0 }, builder.finish().unwrap());
        let typed = Typed::new(&spec, &history);
        let case = Case::new(&typed, history.timeline());
        let split = Split::whole(history.timeline());
        let last_use = |hints| {
            let scratch = &mut Scratch::new(&case);
            compile(&case, split.events(0), hints, &Switches::default(), scratch).pending[0]
                .last_use
        };
        assert_eq!(last_use(Hints::Ignore), 0);
        assert_eq!(last_use(Hints::Assert), u32::MAX);
    }
}
