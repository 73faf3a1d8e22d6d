//! What a model is: shared memory, what a thread remembers, and a function that performs one atomic step.
//!
//! A model is written so that it can be laid beside the pseudo-code: the function [`Model::step`] is a `match`
//! over operation and line, each arm touches shared memory once and says where to go on.

use std::fmt::Debug;
use std::hash::Hash;

use linpoint::Spec;

use crate::names::Names;
use crate::simple::SnapshotRole;

/// The operations of a model's specification.
pub type Op<M> = <<M as Model>::Spec as Spec>::Op;
/// The results of a model's specification.
pub type Ret<M> = <<M as Model>::Spec as Spec>::Ret;
/// The states of a model's specification.
pub type State<M> = <<M as Model>::Spec as Spec>::State;

/// An algorithm, step by step, with the specification that it should meet.
///
/// See `examples/your_own.rs` for one that is explained from scratch.
pub trait Model: Send + Sync {
    /// What is right. Its results have to be enumerable ([`Spec::outcomes`]).
    type Spec: Spec<State: Send + Sync>;
    /// Shared memory: plain data, as small as possible.
    type Shared: Clone + Eq + Hash + Debug + Send + Sync;
    /// What a thread remembers within an operation. Reset when the operation returns.
    type Local: Clone + Eq + Hash + Debug + Default + Send + Sync;

    /// What is right.
    fn spec(&self) -> &Self::Spec;

    /// Shared memory before the first step.
    fn initial(&self) -> Self::Shared;

    /// What a thread may call next, where no program says what it calls. `fresh` is a value that no
    /// operation has carried so far: 1, 2, 3, ….
    fn calls(&self, thread: usize, fresh: u8) -> Vec<Op<Self>>;

    /// The value that an operation carries, if values are told apart only by being different.
    fn carries(&self, _op: &Op<Self>) -> Option<u8> {
        None
    }

    /// Performs one atomic step of `op`: the one of line `cx.line`, which is 0 at the call.
    fn step(
        &self,
        cx: &mut Cx,
        op: &Op<Self>,
        mem: &mut Self::Shared,
        me: &mut Self::Local,
    ) -> Flow<Ret<Self>>;

    /// True if the step that comes next, that of line `cx.line`, may be joined to the one before it: because it touches
    /// nothing that others can see or change, or because it is a *left mover* (whatever others do between the two could as
    /// well be done after both): releasing a lock, reading what nobody else changes any more.
    ///
    /// CLAIM: every step of another thread that can be performed right before it can be performed right after
    /// it instead, with the same effect, and a step that never waits.
    fn is_mover(&self, _cx: &Cx, _op: &Op<Self>, _mem: &Self::Shared, _me: &Self::Local) -> bool {
        false
    }

    /// Which names mean nothing by themselves. Nothing by default.
    fn symmetry(&self) -> Symmetry {
        Symmetry::default()
    }

    /// Visits every name in shared memory, roots before the heap. Needed for [`Symmetry::nodes`] and
    /// [`Symmetry::values`].
    fn shared_names(&self, _mem: &mut Self::Shared, _names: &mut Names) {}

    /// Visits every name that a thread remembers.
    fn local_names(&self, _me: &mut Self::Local, _names: &mut Names) {}

    /// Visits every value in a part of the specification.
    fn spec_names(&self, _part: SpecPart<'_, Self::Spec>, _names: &mut Names) {}

    /// True if `step` says with [`Cx::point`] when operations take effect.
    fn has_points(&self) -> bool {
        false
    }

    /// What is needed to explore simple executions, if this is a snapshot object.
    ///
    /// CLAIM: values are only moved about, and are 0 and 1; segments are 0 at first; a process updates its own only.
    fn snapshot(&self) -> Option<SnapshotRole<Self>>
    where
        Self: Sized,
    {
        None
    }

    /// The operation of this thread with this name and argument, for programs that people type.
    fn parse(&self, thread: usize, name: &str, argument: Option<u8>) -> Option<Op<Self>>;

    /// What the pseudo-code calls this line.
    fn label(&self, _op: &Op<Self>, line: u8) -> String {
        line.to_string()
    }

    /// Shared memory in words.
    fn show(&self, mem: &Self::Shared) -> String {
        format!("{mem:?}")
    }

    /// What a thread remembers, in words.
    fn show_local(&self, me: &Self::Local) -> String {
        format!("{me:?}")
    }
}

/// A part of a specification that may mention values.
pub enum SpecPart<'a, S: Spec> {
    /// An operation.
    Op(&'a mut S::Op),
    /// A result.
    Ret(&'a mut S::Ret),
    /// A state.
    State(&'a mut S::State),
}

/// Where a thread goes on after a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flow<R> {
    /// At this line.
    Goto(u8),
    /// The operation returns.
    Return(R),
    /// Nowhere: the step cannot be performed now. Whatever it has changed is forgotten.
    Wait,
}

/// Which names mean nothing by themselves, so that states that differ only in them are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Symmetry {
    /// Threads. CLAIM: no step depends on the number of a thread or on the order of threads.
    pub threads: bool,
    /// Values. CLAIM: values are only moved and handed out, and all of them are visited.
    pub values: bool,
    /// Nodes of a garbage-collected heap. CLAIM: node names are only compared for equality, and all of
    /// them are visited.
    pub nodes: bool,
}

/// What a step is told, and what it tells beside its effect.
#[derive(Clone, Debug, Default)]
pub struct Cx {
    /// The thread that performs the step.
    pub thread: usize,
    /// The line.
    pub line: u8,
    pub(crate) takes_effect: bool,
    /// What was chosen, of how many.
    script: Vec<(usize, usize)>,
    chosen: usize,
}

impl Cx {
    pub(crate) fn new(thread: usize) -> Cx {
        Cx { thread, ..Cx::default() }
    }

    /// A number below `n`, which has to be at least 1; every one of them is tried.
    pub fn choose(&mut self, n: usize) -> usize {
        let at = self.chosen;
        self.chosen += 1;
        if at == self.script.len() {
            self.script.push((0, n));
        }
        self.script[at].0
    }

    /// The operation takes effect at this step. Only the method `points` listens.
    pub fn point(&mut self) {
        self.takes_effect = true;
    }

    /// Prepares the next combination of choices; false if there is none.
    pub(crate) fn next_choice(&mut self) -> bool {
        self.chosen = 0;
        self.takes_effect = false;
        while let Some((choice, of)) = self.script.last_mut() {
            *choice += 1;
            if choice < of {
                return true;
            }
            self.script.pop();
        }
        false
    }
}
