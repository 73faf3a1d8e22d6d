//! What is allowed: sequential specifications.
//!
//! There are two doors.
//!
//! * [`Sequential`] is the simple one: an ordinary single-threaded Rust struct with
//!   `apply(&mut self, &Op) -> Ret`. Every `Sequential` type is a [`Spec`]; the value itself is
//!   the initial state.
//! * [`Spec`] is the relation that all engines see. Implement it directly for nondeterministic
//!   objects, or for a state type of its own.
//!
//! Everything beyond the relation itself is optional and only makes checking faster or reports
//! clearer. But a *false* claim (an operation called a read that writes, keys called independent
//! that are not) makes verdicts wrong: [`claims::check_claims`] compares the claims of a spec with
//! its relation on random sequential runs, and belongs into every spec's tests.
//!
//! The bundled specifications are in [`models`].

pub mod claims;
mod decides;
pub(crate) mod derived;
mod expert;
pub mod models;
mod sequential;
mod shape;
mod traces;

pub use decides::{Decides, Work};
pub use derived::Derived;
#[doc(hidden)]
pub use derived::Done;
pub use expert::{Claims, EffectiveClaims};
pub use sequential::Sequential;
pub use shape::{Mention, Name, Role, Shape, Shaped, Slot, Text};
pub use traces::Traces;

use std::fmt::Debug;
use std::hash::{Hash, Hasher};

use smallvec::SmallVec;

use crate::history::{History, OpId, Span};
use crate::verdict::Reason;
use crate::wire::ToWire;

/// A sequential specification as a relation between states. See the [module docs](self).
pub trait Spec: Sync {
    /// What can be called, arguments included.
    type Op: Clone + Eq + Hash + Debug + Send + Sync;
    /// What can be returned.
    type Ret: Clone + Eq + Hash + Debug + Send + Sync;
    /// The state of the object.
    type State: Clone + Eq + Hash + Debug;

    /// The state before the first operation.
    fn initial(&self) -> Self::State;

    /// Pushes onto `next` every state to which `op` may lead from `state`, given that it returned
    /// `ret`, or given any result at all if `ret` is `None`. Pushing nothing means that this
    /// cannot happen in this state: the result is wrong, or the operation is not enabled.
    fn successors(
        &self,
        state: &Self::State,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Self::State>,
    );

    /// Pushes every result that `op` may have in `state`, with the state that follows. Returns
    /// false, having pushed nothing, if the results cannot be enumerated; then incremental checking
    /// is not available and reports cannot say what would have been allowed.
    fn outcomes(
        &self,
        _state: &Self::State,
        _op: &Self::Op,
        _out: &mut Vec<(Self::Ret, Self::State)>,
    ) -> bool {
        false
    }

    /// True if an operation that really returned `exact` (one of its [`Spec::outcomes`]) may have
    /// been recorded as having returned `recorded`. Not the same as equality where a record may leave
    /// something open, or say the same in several ways.
    ///
    /// CLAIM: `recorded` has the successors of all outcomes that it fits, and no others.
    fn fits(&self, _op: &Self::Op, exact: &Self::Ret, recorded: &Self::Ret) -> bool {
        exact == recorded
    }

    /// True if nothing needs to happen in `state` while these operations wait. Tests ask when all threads have come to
    /// rest. By default, none of the operations may be enabled. Override it if an operation waits for another one and not
    /// for a state: a send in a channel without room waits for a receive.
    fn may_rest(&self, state: &Self::State, waiting: &[Self::Op]) -> bool {
        let mut next = Vec::new();
        for op in waiting {
            self.successors(state, op, None, &mut next);
        }
        next.is_empty()
    }

    /// Which independent parts of the object the operation touches. Histories are split by it
    /// (P-compositionality): parts that share no operation are checked apart from each other.
    ///
    /// CLAIM: an operation neither reads nor changes anything outside its footprint.
    fn footprint(&self, _op: &Self::Op) -> Footprint {
        Footprint::Whole
    }

    /// True if the operation, whenever it can have this result, leaves the state as it is.
    ///
    /// CLAIM: in *every* state in which `op` may return `ret` (or anything, for `None`), the state
    /// itself is the only successor. It is not enough that this holds in some states: writing 5 over
    /// 5 changes nothing now, but the same write may be needed later, after a 3.
    fn is_read(&self, _op: &Self::Op, _ret: Option<&Self::Ret>) -> bool {
        false
    }

    /// The shape of the object, if it is of a known kind. Histories are then decided by a monitor in
    /// near-linear time, and where that is not possible, the search knows more about the operations. See
    /// [`Shaped`].
    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        None
    }

    /// Claims that make the search faster, for objects without a shape or whose shape says too little. They
    /// replace those that are [derived](Derived) from the shape. See [`Claims`].
    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        None
    }

    /// A monitor of its own, for an object of which no shape says enough. See [`Decides`].
    fn decides(&self) -> Option<&dyn Decides<Self::Op, Self::Ret>> {
        None
    }

    /// Performs the operations one after the other on an ordinary object that is changed in place,
    /// and gives the position of the first one that is not legal. `None` if the spec has no such
    /// object; then witnesses are replayed state by state, which is slow where states are large.
    ///
    /// CLAIM: the same answer as [`Spec::successors`] gives, applied again and again.
    fn replay(&self, _run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        None
    }

    /// The names of operations, for files and explanations. Bundled models have them.
    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        None
    }

    /// An operation as text, for explanations: `enqueue(5)`.
    fn describe_op(&self, op: &Self::Op) -> String {
        match self.wire() {
            Some(model) => crate::wire::describe(model, op),
            None => format!("{op:?}"),
        }
    }

    /// A result as text.
    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        format!("{ret:?}")
    }

    /// A state as text.
    fn describe_state(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    /// Bytes that a state occupies, heap included. Memory limits count states by this; the default
    /// sees only the struct itself.
    fn state_bytes(&self, _state: &Self::State) -> usize {
        size_of::<Self::State>()
    }
}

/// Operations one after the other, each with its result if that is known. See [`Spec::replay`].
pub type Run<'r, 'a, O, R> = &'r mut (dyn Iterator<Item = (&'a O, Option<&'a R>)> + 'r);

/// Which independent parts of an object an operation touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Footprint {
    /// All of it: no split is possible.
    Whole,
    /// These parts only. Operations that touch several parts join them.
    Keys(SmallVec<[u64; 2]>),
}

impl Footprint {
    /// The part named by `key`. Two keys with one hash only share a part, which is harmless.
    pub fn key<K: Hash + ?Sized>(key: &K) -> Footprint {
        Footprint::Keys(SmallVec::from_slice(&[stable_hash(key)]))
    }

    /// The parts named by `keys`.
    pub fn keys<K: Hash>(keys: impl IntoIterator<Item = K>) -> Footprint {
        Footprint::Keys(keys.into_iter().map(|k| stable_hash(&k)).collect())
    }
}

/// A hash that is the same in every run.
pub(crate) fn stable_hash<K: Hash + ?Sized>(key: &K) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}

/// The operations of a history that belong to one independent part.
#[derive(Clone, Debug)]
pub struct PartView<'a, O, R> {
    views: Vec<OpView<'a, O, R>>,
}

/// One operation as a [`PartView`] shows it.
#[derive(Debug)]
pub struct OpView<'a, O, R> {
    /// Which operation of the history.
    pub id: OpId,
    /// What was called.
    pub op: &'a O,
    /// What was returned, if known.
    pub ret: Option<&'a R>,
    /// When it was open.
    pub span: Span,
}

// Whatever operations and results are, these are references to them.
impl<O, R> Clone for OpView<'_, O, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O, R> Copy for OpView<'_, O, R> {}

impl<'a, O, R> PartView<'a, O, R> {
    /// The operations `ids` of `history`.
    pub fn new(history: &'a History<O, R>, ids: &[OpId]) -> Self {
        let view = |&id: &OpId| OpView {
            id,
            op: history.op(id),
            ret: history.ret(id),
            span: history.span(id),
        };
        PartView { views: ids.iter().map(view).collect() }
    }

    /// These operations.
    pub(crate) fn of(views: Vec<OpView<'a, O, R>>) -> Self {
        PartView { views }
    }

    /// Number of operations.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// True if the part has no operations.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// The operations of the part, with what is known about them.
    pub fn iter(&self) -> impl Iterator<Item = OpView<'a, O, R>> + use<'_, 'a, O, R> {
        self.views.iter().copied()
    }
}

/// A completed operation, as [`Claims::likely_order`] sees it.
#[derive(Debug)]
pub struct Returned<'a, O, R> {
    /// Who performed it. The operations of one process do not overlap.
    pub process: u32,
    /// What was called.
    pub op: &'a O,
    /// What was returned.
    pub ret: &'a R,
    /// When it was called. What returned before that has taken effect before it.
    pub call: u64,
    /// When it returned.
    pub end: u64,
}

// Whatever operations and results are, these are references to them.
impl<O, R> Clone for Returned<'_, O, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O, R> Copy for Returned<'_, O, R> {}

/// A few operations that already contradict the specification, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The operations; everything else may be relaxed without removing the contradiction.
    pub ops: Vec<OpId>,
    /// Why they contradict each other.
    pub reason: Reason,
}
