//! A specification together with operations, results and states that come and go.

use super::adapter::{Adapter, Columns};
use super::index::Bits;
use super::slab::Slab;
use super::{Call, Operations, RetId, StateId};
use crate::history::OpId;
use crate::spec::Spec;

/// A specification together with the operations of a stream.
///
/// [`StreamChecker`](crate::incremental::StreamChecker) asks it, and says from time to time which numbers are still in
/// use ([`StreamSubject::sweep`]). A number keeps its meaning until it is swept.
pub trait StreamSubject: Operations {
    /// The initial state.
    fn initial(&mut self) -> StateId;

    /// Pushes every state to which `op` may lead from `state`, whatever it returns. See
    /// [`Spec::successors`](crate::Spec::successors). Equal states have equal numbers.
    fn successors(&mut self, state: StateId, op: OpId, next: &mut Vec<StateId>);

    /// Pushes every result that the operation may have in `state`, with the state that follows. If the result of
    /// `call` is known, only those that [fit](StreamSubject::fits) it. Equal states have equal numbers, and so have equal
    /// results that different operations may have; but a result that is equal to the one of `call` may have its number.
    /// Returns false, having pushed nothing, if the results cannot be enumerated.
    fn outcomes(&mut self, state: StateId, call: Call, out: &mut Vec<(RetId, StateId)>) -> bool;

    /// See [`Spec::fits`](crate::Spec::fits).
    fn fits(&self, op: OpId, exact: RetId, recorded: RetId) -> bool;

    /// True if the operations are equal.
    fn same_op(&self, a: OpId, b: OpId) -> bool;

    /// A state as text.
    fn describe_state(&self, state: StateId) -> String;

    /// True if it is time for a [sweep](StreamSubject::sweep).
    fn is_crowded(&self) -> bool;

    /// Forgets everything that is not marked. Its numbers may be used again.
    fn sweep(&mut self, live: &Marks);
}

/// The operations, results and states of a stream that are still in use.
#[derive(Default)]
pub struct Marks {
    ops: Bits,
    rets: Bits,
    states: Bits,
    visited: usize,
}

impl Marks {
    /// True if the operation is still in use.
    pub fn has_op(&self, op: OpId) -> bool {
        self.ops.get(op.0)
    }

    /// True if the result is still in use.
    pub fn has_ret(&self, ret: RetId) -> bool {
        self.rets.get(ret.0)
    }

    /// True if the state is still in use.
    pub fn has_state(&self, state: StateId) -> bool {
        self.states.get(state.0)
    }

    /// How often something was found to be in use. Marking took time in proportion to it.
    pub fn visited(&self) -> usize {
        self.visited
    }

    pub(crate) fn op(&mut self, op: OpId) {
        self.visited += 1;
        self.ops.set(op.0);
    }

    pub(crate) fn ret(&mut self, ret: RetId) {
        self.visited += 1;
        if ret != RetId::UNKNOWN {
            self.rets.set(ret.0);
        }
    }

    pub(crate) fn call(&mut self, call: Call) {
        self.op(call.op);
        self.ret(call.ret);
    }

    pub(crate) fn state(&mut self, state: StateId) {
        self.visited += 1;
        self.states.set(state.0);
    }

    /// Nothing is in use.
    pub(crate) fn clear(&mut self) {
        for bits in [&mut self.ops, &mut self.rets, &mut self.states] {
            bits.clear();
        }
        self.visited = 0;
    }
}

/// A sweep is not worth it for fewer new values than this. Debug builds sweep often, so that tests notice values that
/// were not marked.
const FEW: usize = if cfg!(debug_assertions) { 8 } else { 512 };

/// A sweep is not worth it for fewer bytes of new states than this.
const FEW_BYTES: usize = 1 << 20;

/// A specification and the operations of a stream as a [`StreamSubject`].
///
/// Values that are not in use any more are dropped in sweeps. Between two of them about as many are added as
/// there are in use, and a few hundred; and states that take about as much memory, and a megabyte.
pub type TypedStream<'a, S> = Adapter<'a, S, StreamColumns<S>>;

/// The operations, results and states of a stream.
pub struct StreamColumns<S: Spec> {
    /// Not interned.
    ops: Slab<S::Op>,
    /// Recorded results are not interned, those of [`StreamSubject::outcomes`] are.
    rets: Slab<S::Ret>,
    /// All interned.
    states: Slab<S::State>,
    /// Bytes that the states occupy on the heap.
    state_bytes: usize,
    /// With more values, or bytes, a sweep is due.
    most: usize,
    most_bytes: usize,
    /// For [`Spec::outcomes`] and [`Spec::successors`], empty in between.
    outcomes: Vec<(S::Ret, S::State)>,
    successors: Vec<S::State>,
}

impl<S: Spec> Columns<S> for StreamColumns<S> {
    #[inline]
    fn op(&self, op: OpId) -> &S::Op {
        self.ops.get(op.0)
    }

    #[inline]
    fn ret(&self, ret: RetId) -> Option<&S::Ret> {
        self.is_known(ret).then(|| self.rets.get(ret.0))
    }

    #[inline]
    fn is_known(&self, ret: RetId) -> bool {
        ret != RetId::UNKNOWN
    }
}

impl<S: Spec> StreamColumns<S> {
    /// Number of values.
    fn len(&self) -> usize {
        self.ops.len() + self.rets.len() + self.states.len()
    }
}

impl<'a, S: Spec> TypedStream<'a, S> {
    /// A stream without operations.
    pub fn new(spec: &'a S) -> Self {
        let columns = StreamColumns {
            ops: Slab::default(),
            rets: Slab::default(),
            states: Slab::default(),
            state_bytes: 0,
            most: FEW,
            most_bytes: FEW_BYTES,
            outcomes: Vec::new(),
            successors: Vec::new(),
        };
        Adapter::with_columns(spec, columns)
    }

    /// Gives a number to an operation that begins.
    pub fn push_op(&mut self, op: S::Op) -> OpId {
        OpId(self.columns.ops.push(op))
    }

    /// Gives a number to a result that was recorded.
    pub fn push_ret(&mut self, ret: S::Ret) -> RetId {
        RetId(self.columns.rets.push(ret))
    }

    /// The operation behind a number.
    ///
    /// # Panics
    ///
    /// If it was swept.
    pub fn op(&self, op: OpId) -> &S::Op {
        self.columns.ops.get(op.0)
    }

    /// The result behind a number.
    ///
    /// # Panics
    ///
    /// If it was swept, or is unknown.
    pub fn ret(&self, ret: RetId) -> &S::Ret {
        self.columns.rets.get(ret.0)
    }

    /// Number of operations, results and states that are stored.
    pub fn stored(&self) -> usize {
        self.columns.len()
    }

    fn intern(&mut self, state: S::State) -> StateId {
        let columns = &mut self.columns;
        let (id, is_new) = columns.states.intern(state);
        if is_new {
            columns.state_bytes += heap_bytes(self.spec, columns.states.get(id));
        }
        StateId(id)
    }
}

fn heap_bytes<S: Spec>(spec: &S, state: &S::State) -> usize {
    spec.state_bytes(state).saturating_sub(size_of::<S::State>())
}

impl<S: Spec> StreamSubject for TypedStream<'_, S> {
    fn initial(&mut self) -> StateId {
        self.intern(self.spec.initial())
    }

    fn successors(&mut self, state: StateId, op: OpId, next: &mut Vec<StateId>) {
        let mut found = std::mem::take(&mut self.columns.successors);
        found.clear();
        let from = self.columns.states.get(state.0);
        self.spec.successors(from, self.columns.op(op), None, &mut found);
        next.extend(found.drain(..).map(|state| self.intern(state)));
        self.columns.successors = found;
    }

    fn outcomes(&mut self, state: StateId, call: Call, out: &mut Vec<(RetId, StateId)>) -> bool {
        let mut found = std::mem::take(&mut self.columns.outcomes);
        found.clear();
        let op = self.columns.op(call.op);
        let are_known = self.spec.outcomes(self.columns.states.get(state.0), op, &mut found);
        for (ret, next) in found.drain(..) {
            let recorded = (call.ret != RetId::UNKNOWN).then(|| self.ret(call.ret));
            if recorded.is_some_and(|recorded| !self.spec.fits(self.op(call.op), &ret, recorded)) {
                continue;
            }
            // Usually the result is the recorded one, and often the state stays the same: then nothing is hashed.
            let ret = match recorded {
                Some(recorded) if *recorded == ret => call.ret,
                _ => RetId(self.columns.rets.intern(ret).0),
            };
            let is_same = next == *self.columns.states.get(state.0);
            out.push((ret, if is_same { state } else { self.intern(next) }));
        }
        self.columns.outcomes = found;
        are_known
    }

    fn fits(&self, op: OpId, exact: RetId, recorded: RetId) -> bool {
        self.spec.fits(self.op(op), self.ret(exact), self.ret(recorded))
    }

    fn same_op(&self, a: OpId, b: OpId) -> bool {
        self.op(a) == self.op(b)
    }

    fn describe_state(&self, state: StateId) -> String {
        self.spec.describe_state(self.columns.states.get(state.0))
    }

    fn is_crowded(&self) -> bool {
        self.columns.len() > self.columns.most || self.columns.state_bytes > self.columns.most_bytes
    }

    fn sweep(&mut self, live: &Marks) {
        let (spec, columns) = (self.spec, &mut self.columns);
        columns.ops.sweep(&live.ops);
        columns.rets.sweep(&live.rets);
        columns.states.sweep(&live.states);
        columns.state_bytes = columns.states.iter().map(|state| heap_bytes(spec, state)).sum();
        // The next sweep will look at what was marked and at all slots, so it must be worth it.
        let room = columns.ops.room() + columns.rets.room() + columns.states.room();
        columns.most = 2 * columns.len() + (room + live.visited()) / 4 + FEW;
        columns.most_bytes = 2 * columns.state_bytes + FEW_BYTES;
    }
}
