//! Specifications over numbers; histories of explored runs, and the library's verdicts on them.
//!
//! Operations, results and states are numbers, so that methods and the library's engines are compiled once for all models.

use std::sync::Arc;

use linpoint::{CheckError, Checker, History, OpId, Report, Spec, Verdict};

use crate::model::{Model, SpecPart};
use crate::names::Names;
use crate::system::{Event, Interner};

/// An event of the thread in this position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ThreadEvent {
    pub(crate) thread: u8,
    pub(crate) event: Event,
}

/// A specification whose operations, results and states are numbers.
pub(crate) trait Numbers: Send + Sync {
    fn initial(&self) -> u32;
    fn outcomes(&self, state: u32, op: u32, out: &mut Vec<(u32, u32)>) -> bool;
    fn describe_op(&self, op: u32) -> String;
    fn describe_ret(&self, op: u32, ret: u32) -> String;
    fn describe_state(&self, state: u32) -> String;
    /// The part with other names for values.
    fn rename(&self, part: Part, names: &mut Names) -> Part;
    /// Bytes in use.
    fn bytes(&self) -> usize;
}

/// The number of a part of the specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Op(u32),
    Ret(u32),
    State(u32),
}

/// The specification of a model, over numbers. Compiled once for each specification.
pub(crate) struct Numbered<'m, S: Spec> {
    spec: &'m S,
    names: fn(SpecPart<'_, S>, &mut Names),
    ops: Arc<Interner<S::Op>>,
    rets: Arc<Interner<S::Ret>>,
    states: Interner<S::State>,
}

impl<'m, S: Spec> Numbered<'m, S> {
    pub(crate) fn new<M: Model<Spec = S>>(
        model: &'m M,
        ops: &Arc<Interner<S::Op>>,
        rets: &Arc<Interner<S::Ret>>,
    ) -> Self {
        let (spec, states) = (model.spec(), Interner::new());
        let names = M::INTERFACE.names;
        Numbered { spec, names, ops: Arc::clone(ops), rets: Arc::clone(rets), states }
    }
}

impl<S: Spec<State: Send + Sync>> Numbers for Numbered<'_, S> {
    fn initial(&self) -> u32 {
        self.states.intern(&self.spec.initial())
    }

    fn outcomes(&self, state: u32, op: u32, out: &mut Vec<(u32, u32)>) -> bool {
        let mut found = Vec::new();
        let (state, op) = (self.states.get(state), self.ops.get(op));
        let are_known = self.spec.outcomes(state, op, &mut found);
        let number =
            |(ret, state): (S::Ret, S::State)| (self.rets.intern(&ret), self.states.intern(&state));
        out.extend(found.into_iter().map(number));
        are_known
    }

    fn describe_op(&self, op: u32) -> String {
        self.spec.describe_op(self.ops.get(op))
    }

    fn describe_ret(&self, op: u32, ret: u32) -> String {
        self.spec.describe_ret(self.ops.get(op), self.rets.get(ret))
    }

    fn describe_state(&self, state: u32) -> String {
        self.spec.describe_state(self.states.get(state))
    }

    fn rename(&self, part: Part, names: &mut Names) -> Part {
        match part {
            Part::Op(op) => {
                let mut op = self.ops.get(op).clone();
                (self.names)(SpecPart::Op(&mut op), names);
                Part::Op(self.ops.intern(&op))
            }
            Part::Ret(ret) => {
                let mut ret = self.rets.get(ret).clone();
                (self.names)(SpecPart::Ret(&mut ret), names);
                Part::Ret(self.rets.intern(&ret))
            }
            Part::State(state) => {
                let mut state = self.states.get(state).clone();
                (self.names)(SpecPart::State(&mut state), names);
                Part::State(self.states.intern(&state))
            }
        }
    }

    fn bytes(&self) -> usize {
        let each = |state: usize| self.spec.state_bytes(self.states.get(state as u32));
        // An estimate: asking all states would take too long.
        let first = if self.states.len() == 0 { 0 } else { each(self.states.len() - 1) };
        self.states.bytes() + self.states.len() * first
    }
}

/// Numbers as a specification.
struct ByNumbers<'a>(&'a dyn Numbers);

impl Spec for ByNumbers<'_> {
    type Op = u32;
    type Ret = u32;
    type State = u32;

    fn initial(&self) -> u32 {
        self.0.initial()
    }

    fn successors(&self, state: &u32, op: &u32, ret: Option<&u32>, next: &mut Vec<u32>) {
        let mut outcomes = Vec::new();
        self.0.outcomes(*state, *op, &mut outcomes);
        let fits = |(got, _): &(u32, u32)| ret.is_none_or(|ret| ret == got);
        next.extend(outcomes.iter().filter(|outcome| fits(outcome)).map(|(_, state)| *state));
    }

    fn outcomes(&self, state: &u32, op: &u32, out: &mut Vec<(u32, u32)>) -> bool {
        self.0.outcomes(*state, *op, out)
    }

    fn describe_op(&self, op: &u32) -> String {
        self.0.describe_op(*op)
    }

    fn describe_ret(&self, op: &u32, ret: &u32) -> String {
        self.0.describe_ret(*op, *ret)
    }

    fn describe_state(&self, state: &u32) -> String {
        self.0.describe_state(*state)
    }
}

/// The history of these events.
pub(crate) fn history(events: &[ThreadEvent]) -> History<u32, u32> {
    let mut history = History::from_events();
    let mut open: Vec<Option<OpId>> = vec![None; crate::bounds::MAX_THREADS];
    for taken in events {
        let mine = &mut open[usize::from(taken.thread)];
        if let Some(op) = taken.event.call() {
            // A thread has one open operation at a time, so no event is refused.
            *mine = history.call_by(u32::from(taken.thread), op).ok();
        }
        if let Some(ret) = taken.event.ret() {
            let _ = mine.take().map(|op| history.ret(op, ret));
        }
    }
    history.finish()
}

/// The library's report on a history.
pub(crate) fn report(
    numbers: &dyn Numbers,
    history: &History<u32, u32>,
) -> Result<Report, CheckError> {
    Checker::new(&ByNumbers(numbers)).check(history)
}

/// True if the history of these events is linearizable.
pub(crate) fn is_linearizable(numbers: &dyn Numbers, events: &[ThreadEvent]) -> bool {
    let spec = ByNumbers(numbers);
    let report = Checker::new(&spec).threads(1).explains(false).check(&history(events));
    // Histories of models are short, so no limit can be hit.
    matches!(report.map(|report| report.verdict), Ok(Verdict::Linearizable(_)))
}
