//! Models: shared memory, the local state of a thread, and a function that performs one atomic step.
//!
//! A model follows its pseudo-code line by line: the function [`Model::step`] is a `match` over operation and line; each
//! arm accesses shared memory once and names the next line.

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

/// An algorithm, step by step, with its specification.
///
/// `examples/your_own.rs` explains one from scratch.
pub trait Model: Send + Sync {
    /// The specification. Its results have to be enumerable ([`Spec::outcomes`]).
    type Spec: Spec<State: Send + Sync>;
    /// What threads can call.
    const INTERFACE: Interface<Self::Spec>;
    /// Shared memory: plain data, as small as possible.
    type Shared: Clone + Eq + Hash + Debug + Default + Send + Sync;
    /// Local state of a thread within an operation. Reset when the operation returns.
    type Local: Clone + Eq + Hash + Debug + Default + Send + Sync;

    /// The specification.
    fn spec(&self) -> &Self::Spec;

    /// Shared memory before the first step.
    fn initial(&self) -> Self::Shared {
        Self::Shared::default()
    }

    /// Performs one atomic step of `op`: line `cx.line`, which is 0 at the call.
    fn step(
        &self,
        cx: &mut Cx,
        op: &Op<Self>,
        mem: &mut Self::Shared,
        me: &mut Self::Local,
    ) -> Flow<Ret<Self>>;

    /// True if the next step, that of line `cx.line`, may be merged into the previous one: because it accesses nothing that
    /// other threads can see or change, or because it is a *left mover* (steps of other threads between the two could as
    /// well come after both), such as releasing a lock or reading memory that no other thread changes any more.
    ///
    /// CLAIM: every step of another thread that can be performed right before it can be performed right after it instead,
    /// with the same effect. The step never waits.
    fn is_mover(&self, _cx: &Cx, _op: &Op<Self>, _mem: &Self::Shared, _me: &Self::Local) -> bool {
        false
    }

    /// Names without a meaning of their own. None by default.
    fn symmetry(&self) -> Symmetry {
        Symmetry::default()
    }

    /// Visits every name in shared memory, roots before the heap. Needed for [`Symmetry::nodes`] and
    /// [`Symmetry::values`].
    fn shared_names(&self, _mem: &mut Self::Shared, _names: &mut Names) {}

    /// Visits every name in the local state of a thread.
    fn local_names(&self, _me: &mut Self::Local, _names: &mut Names) {}

    /// True if `step` marks linearization points with [`Cx::point`].
    fn has_points(&self) -> bool {
        false
    }

    /// How to explore simple executions, if the model is a snapshot object.
    ///
    /// CLAIM: values are 0 and 1 and are only copied; segments are 0 initially; a process updates only its own segment.
    fn snapshot(&self) -> Option<SnapshotRole<Self>>
    where
        Self: Sized,
    {
        None
    }

    /// The label of this line in the pseudo-code.
    fn label(&self, _op: &Op<Self>, line: u8) -> String {
        line.to_string()
    }

    /// Shared memory as text.
    fn show(&self, mem: &Self::Shared) -> String {
        format!("{mem:?}")
    }

    /// The local state of a thread as text.
    fn show_local(&self, me: &Self::Local) -> String {
        format!("{me:?}")
    }
}

/// What threads can call on an object, whichever algorithm implements it.
pub struct Interface<S: Spec> {
    /// The operations that a thread may call next, unless a program says so. The second argument is a value that no
    /// operation has carried so far: 1, 2, 3, ….
    pub calls: fn(usize, u8) -> Vec<S::Op>,
    /// The operation of this thread with this name and argument, for programs given as text.
    pub parse: fn(usize, &str, Option<u8>) -> Option<S::Op>,
    /// The value that an operation carries, if values are only compared for equality.
    pub carries: fn(&S::Op) -> Option<u8>,
    /// Visits every value in a part of the specification.
    pub names: fn(SpecPart<'_, S>, &mut Names),
}

impl<S: Spec> Interface<S> {
    /// Operations without values that could be renamed.
    pub const fn new(
        calls: fn(usize, u8) -> Vec<S::Op>,
        parse: fn(usize, &str, Option<u8>) -> Option<S::Op>,
    ) -> Interface<S> {
        Interface { calls, parse, carries: |_| None, names: |_, _| {} }
    }

    /// Values are only compared for equality, and this is where they are.
    pub const fn with_values(
        self,
        carries: fn(&S::Op) -> Option<u8>,
        names: fn(SpecPart<'_, S>, &mut Names),
    ) -> Interface<S> {
        Interface { calls: self.calls, parse: self.parse, carries, names }
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

/// How a thread continues after a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flow<R> {
    /// At this line.
    Goto(u8),
    /// The operation returns.
    Return(R),
    /// The step is not enabled now. Its changes are discarded.
    Wait,
}

/// Names without a meaning of their own: states that differ only in them are equivalent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Symmetry {
    /// Threads. CLAIM: no step depends on the number of a thread or on the order of threads.
    pub threads: bool,
    /// Values. CLAIM: values are only copied and returned, and all of them are visited.
    pub values: bool,
    /// Nodes of a garbage-collected heap. CLAIM: node names are only compared for equality, and all of them are visited.
    pub nodes: bool,
}

/// Input of a step beside memory, and its output beside its effect.
#[derive(Clone, Debug, Default)]
pub struct Cx {
    /// The thread that performs the step.
    pub thread: usize,
    /// The line.
    pub line: u8,
    pub(crate) takes_effect: bool,
    /// Choices so far, each with the number of alternatives.
    script: Vec<(usize, usize)>,
    chosen: usize,
}

impl Cx {
    pub(crate) fn new(thread: usize) -> Cx {
        Cx { thread, ..Cx::default() }
    }

    /// A nondeterministic choice below `n`, which has to be at least 1. All choices are explored.
    pub fn choose(&mut self, n: usize) -> usize {
        let at = self.chosen;
        self.chosen += 1;
        if at == self.script.len() {
            self.script.push((0, n));
        }
        self.script[at].0
    }

    /// The operation takes effect at this step. Only the method `points` uses this.
    pub fn point(&mut self) {
        self.takes_effect = true;
    }

    /// Advances to the next combination of choices; false if there is none.
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
