//! The bundled specifications, one file each.
//!
//! Each file opens with what the object is, what its operations return, and what a *pending*
//! operation (one that never returned) may have done.

mod append;
mod bag;
mod bank;
mod cas_register;
mod channel;
mod counter;
mod deque;
mod etcd;
mod grow_set;
mod key_value;
mod map;
mod max_register;
mod multi_register;
mod mutex;
mod persistent;
mod priority_queue;
mod queue;
mod register;
mod rmw;
mod semaphore;
mod set;
mod snapshot;
mod sorted;
mod stack;
mod trie;

pub use append::Append;
pub use etcd::{
    EtcdCondition, EtcdExpected, EtcdFound, EtcdKey, EtcdRange, EtcdState, EtcdStep, EtcdTxn,
};
pub use priority_queue::Order;
pub use snapshot::View;

use std::fmt::Debug;
use std::hash::Hash;

use crate::spec::Run;
use crate::wire::{self, FromWire};

/// Lists the bundled models, one line each: the module, its types, and the model of wire values. The command, the
/// generator and the tests take every model from this list. (Modules are declared outside of the list, where rustfmt
/// finds them.)
macro_rules! models {
    ($($file:ident { $($name:ident),* } $model:ty;)*) => {
        $(pub use $file::{$($name),*};)*

        /// Calls `visitor` with the type of every bundled model, in the order in which they are listed.
        pub fn for_each_model(visitor: &mut impl ModelVisitor) {
            $(visitor.model::<$model>();)*
        }
    };
}

models! {
    register { Register, RegisterOp, RegisterRet } Register<wire::Value>;
    cas_register { CasRegister, CasRegisterOp, CasRegisterRet } CasRegister<wire::Value>;
    multi_register { MultiRegister, Micro, Reads, Transaction } MultiRegister<wire::Value, wire::Value>;
    key_value { KeyValue, KeyValueOp, KeyValueRet } KeyValue<wire::Value, wire::Value>;
    map { Map, MapOp, MapRet } Map<wire::Value, wire::Value>;
    set { Set, SetOp, SetRet } Set<wire::Value>;
    grow_set { GrowSet, GrowSetOp, GrowSetRet } GrowSet<wire::Value>;
    bag { Bag, BagOp, BagRet } Bag<wire::Value>;
    stack { Stack, StackOp, StackRet } Stack<wire::Value>;
    queue { Queue, QueueOp, QueueRet } Queue<wire::Value>;
    channel { Channel, ChannelOp, ChannelRet } Channel<wire::Value>;
    deque { Deque, DequeOp, DequeRet } Deque<wire::Value>;
    priority_queue { PriorityQueue, PriorityQueueOp, PriorityQueueRet } PriorityQueue<wire::Value>;
    counter { Counter, CounterOp, CounterRet } Counter;
    max_register { MaxRegister, MaxRegisterOp, MaxRegisterRet } MaxRegister;
    rmw { Rmw, RmwOp, RmwRet } Rmw<wire::Value>;
    mutex { Mutex, MutexOp, MutexRet } Mutex;
    semaphore { Semaphore, SemaphoreOp, SemaphoreRet } Semaphore;
    snapshot { Snapshot, SnapshotOp, SnapshotRet } Snapshot<wire::Value>;
    bank { Bank, BankOp, BankRet } Bank<wire::Value>;
    etcd { Etcd, EtcdOp, EtcdRet } Etcd;
}

/// Does something with the type of every bundled model. See [`for_each_model`].
pub trait ModelVisitor {
    /// One of the models.
    fn model<M: FromWire>(&mut self);
}

/// [`Spec::successors`] and [`Spec::outcomes`] of a model with a method `step(&self, &State, &Op)`, whose operations
/// have one outcome, a `(Ret, State)`, or at most one, an `Option` of that.
macro_rules! one_outcome {
    () => {
        fn successors(
            &self,
            state: &Self::State,
            op: &Self::Op,
            ret: Option<&Self::Ret>,
            next: &mut Vec<Self::State>,
        ) {
            $crate::spec::models::deterministic(self.step(state, op).into(), ret, next);
        }

        fn outcomes(
            &self,
            state: &Self::State,
            op: &Self::Op,
            out: &mut Vec<(Self::Ret, Self::State)>,
        ) -> bool {
            out.extend(Option::<(Self::Ret, Self::State)>::from(self.step(state, op)));
            true
        }
    };
}
use one_outcome;

/// What can be stored in a bundled object.
pub trait Value: Clone + Eq + Hash + Debug + Send + Sync + 'static {}
impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> Value for T {}

/// The successors of a deterministic step: `step` is the result and the state that follows, or
/// `None` where the operation is not enabled.
fn deterministic<R: PartialEq, S>(step: Option<(R, S)>, ret: Option<&R>, next: &mut Vec<S>) {
    if let Some((got, after)) = step
        && ret.is_none_or(|ret| *ret == got)
    {
        next.push(after);
    }
}

/// The rest of [`Spec::replay`]: `perform` does an operation in place and says whether it was legal. What it does after an
/// illegal one does not matter.
fn replay<'o, O, R>(
    run: Run<'_, 'o, O, R>,
    mut perform: impl FnMut(&'o O, Option<&'o R>) -> bool,
) -> Option<Result<(), usize>> {
    let illegal = run.enumerate().find(|&(_, (op, ret))| !perform(op, ret));
    Some(illegal.map_or(Ok(()), |(at, _)| Err(at)))
}

/// [`replay`] for states that are cheap to copy.
fn replay_by_steps<O, R: PartialEq, S, T: Into<Option<(R, S)>>>(
    run: Run<'_, '_, O, R>,
    mut state: S,
    step: impl Fn(&S, &O) -> T,
) -> Option<Result<(), usize>> {
    replay(run, |op, ret| match step(&state, op).into() {
        Some((got, after)) if ret.is_none_or(|ret| *ret == got) => {
            state = after;
            true
        }
        _ => false,
    })
}

/// An element that may be missing, as text.
fn show_option<V: Debug>(value: Option<&V>) -> String {
    value.map_or("empty".into(), |v| format!("{v:?}"))
}

/// The elements of a container as text: `[1, 2, 3] (front first)`. Long ones are cut.
fn show_elements<'a, V: Debug + 'a>(
    elements: impl IntoIterator<Item = &'a V>,
    len: usize,
    order: &str,
) -> String {
    const SHOWN: usize = 20;
    if len == 0 {
        return "empty".into();
    }
    let shown: Vec<String> = elements.into_iter().take(SHOWN).map(|v| format!("{v:?}")).collect();
    let more = if len > SHOWN { format!(", and {} more", len - SHOWN) } else { String::new() };
    let order = if order.is_empty() { String::new() } else { format!(" ({order})") };
    format!("[{}{more}]{order}", shown.join(", "))
}

#[cfg(test)]
pub(crate) mod tests {
    //! What the tests of the models share.

    use crate::history::History;
    use crate::spec::Spec;

    /// The results of a sequential run, and the last state, as text. A result that is not unique
    /// is shown as the first one; an operation that is not enabled as "waits".
    pub(crate) fn run<S: Spec>(spec: &S, ops: &[S::Op]) -> (Vec<String>, String) {
        let mut state = spec.initial();
        let mut rets = Vec::new();
        for op in ops {
            let mut out = Vec::new();
            assert!(spec.outcomes(&state, op, &mut out));
            let Some((ret, after)) = out.into_iter().next() else {
                rets.push("waits".into());
                continue;
            };
            rets.push(spec.describe_ret(op, &ret));
            state = after;
        }
        (rets, spec.describe_state(&state))
    }

    /// The states that follow from `state`, as text.
    pub(crate) fn next<S: Spec>(
        spec: &S,
        state: &S::State,
        op: &S::Op,
        ret: Option<&S::Ret>,
    ) -> Vec<String> {
        let mut next = Vec::new();
        spec.successors(state, op, ret, &mut next);
        next.iter().map(|s| spec.describe_state(s)).collect()
    }

    /// A history of concurrent operations.
    pub(crate) fn part_of<O: Clone, R: Clone>(ops: &[(O, R)]) -> History<O, R> {
        let mut events = History::from_events();
        let ids: Vec<_> = ops.iter().map(|(op, _)| events.call(op.clone())).collect();
        for (id, (_, ret)) in ids.into_iter().zip(ops) {
            events.ret(id, ret.clone()).unwrap();
        }
        events.finish()
    }
}
