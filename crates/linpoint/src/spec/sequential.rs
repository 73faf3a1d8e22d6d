//! An ordinary single-threaded struct as a specification.

use std::fmt::Debug;
use std::hash::Hash;

use super::{Claims, Footprint, Run, Shaped, Spec};

/// A deterministic object used by one thread. The value itself is the initial state.
///
/// ```
/// use linpoint::{History, Sequential, check};
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
/// struct Counter(u64);
///
/// impl Sequential for Counter {
///     type Op = u64; // add this much
///     type Ret = u64; // and return what was there
///     fn apply(&mut self, add: &u64) -> u64 {
///         let before = self.0;
///         self.0 += add;
///         before
///     }
/// }
///
/// let mut events = History::from_events();
/// let a = events.call(1);
/// let b = events.call(10);
/// events.ret(a, 10)?; // a saw b's addition,
/// events.ret(b, 0)?; // so b came first: fine, they overlap
/// let report = check(&Counter(0), &events.finish())?;
/// assert!(report.verdict.is_linearizable());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// An object of a known kind can state its [shape](Shaped). Its histories are then decided by a
/// monitor, in near-linear time.
///
/// ```
/// use std::collections::VecDeque;
///
/// use linpoint::spec::{Mention, Name, Role, Shape, Shaped};
/// use linpoint::{History, Sequential, check};
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
/// struct Mailbox(VecDeque<u32>);
///
/// impl Sequential for Mailbox {
///     type Op = Option<u32>; // send this, or receive
///     type Ret = Option<u32>; // what was received
///     fn apply(&mut self, op: &Option<u32>) -> Option<u32> {
///         match op {
///             Some(letter) => {
///                 self.0.push_back(*letter);
///                 None
///             }
///             None => self.0.pop_front(),
///         }
///     }
///     fn shaped(&self) -> Option<&dyn Shaped<Option<u32>, Option<u32>>> {
///         Some(self)
///     }
/// }
///
/// impl Shaped<Option<u32>, Option<u32>> for Mailbox {
///     fn shape(&self) -> Shape {
///         Shape::Queue
///     }
///     fn role(&self, op: &Option<u32>, ret: Option<&Option<u32>>, _pending: bool) -> Role {
///         match (op, ret) {
///             (Some(letter), None | Some(None)) => Role::Add(Name::of(letter)),
///             (Some(_), Some(Some(_))) => Role::Foreign("sending returned a letter"),
///             (None, None) => Role::Take,
///             (None, Some(None)) => Role::Empty,
///             (None, Some(Some(letter))) => Role::Remove(Name::of(letter)),
///         }
///     }
///     fn same_name(
///         &self,
///         a: Mention<'_, Option<u32>, Option<u32>>,
///         b: Mention<'_, Option<u32>, Option<u32>>,
///     ) -> bool {
///         let letter = |m: Mention<'_, Option<u32>, Option<u32>>| m.op.or(m.ret.copied().flatten());
///         letter(a) == letter(b)
///     }
/// }
///
/// let mut events = History::from_events();
/// let send = events.call(Some(7));
/// let receive = events.call(None);
/// events.ret(receive, Some(7))?;
/// events.ret(send, None)?;
/// let report = check(&Mailbox::default(), &events.finish())?;
/// assert!(report.verdict.is_linearizable());
/// assert_eq!(report.engine, "queue-monitor");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Sequential: Clone + Eq + Hash + Debug + Sync {
    /// What can be called, arguments included.
    type Op: Clone + Eq + Hash + Debug + Send + Sync;
    /// What can be returned.
    type Ret: Clone + Eq + Hash + Debug + Send + Sync;

    /// Performs the operation.
    fn apply(&mut self, op: &Self::Op) -> Self::Ret;

    /// False if the operation has to wait in this state (a lock that is held). `apply` is called
    /// only where this is true.
    fn enabled(&self, _op: &Self::Op) -> bool {
        true
    }

    /// See [`Spec::footprint`].
    fn footprint(&self, _op: &Self::Op) -> Footprint {
        Footprint::Whole
    }

    /// See [`Spec::is_read`], and mind its warning.
    fn is_read(&self, _op: &Self::Op, _ret: Option<&Self::Ret>) -> bool {
        false
    }

    /// The shape of the object, see [`Spec::shaped`].
    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        None
    }

    /// See [`Spec::claims`].
    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        None
    }

    /// See [`Spec::describe_op`].
    fn describe_op(&self, op: &Self::Op) -> String {
        format!("{op:?}")
    }

    /// See [`Spec::describe_ret`].
    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        format!("{ret:?}")
    }

    /// The state as text.
    fn describe(&self) -> String {
        format!("{self:?}")
    }

    /// Bytes that the state occupies, heap included, see [`Spec::state_bytes`].
    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

impl<S: Sequential> Spec for S {
    type Op = S::Op;
    type Ret = S::Ret;
    type State = S;

    fn initial(&self) -> S {
        self.clone()
    }

    fn successors(&self, state: &S, op: &S::Op, ret: Option<&S::Ret>, next: &mut Vec<S>) {
        if state.enabled(op) {
            let mut after = state.clone();
            let got = after.apply(op);
            if ret.is_none_or(|ret| *ret == got) {
                next.push(after);
            }
        }
    }

    fn outcomes(&self, state: &S, op: &S::Op, out: &mut Vec<(S::Ret, S)>) -> bool {
        if state.enabled(op) {
            let mut after = state.clone();
            let ret = after.apply(op);
            out.push((ret, after));
        }
        true
    }

    fn replay(&self, run: Run<'_, '_, S::Op, S::Ret>) -> Option<Result<(), usize>> {
        let mut object = self.clone();
        let legal = |object: &mut S, op: &S::Op, ret: Option<&S::Ret>| {
            object.enabled(op) && {
                let got = object.apply(op);
                ret.is_none_or(|ret| *ret == got)
            }
        };
        let wrong = run.enumerate().find(|(_, (op, ret))| !legal(&mut object, op, *ret));
        Some(wrong.map_or(Ok(()), |(at, _)| Err(at)))
    }

    fn footprint(&self, op: &S::Op) -> Footprint {
        Sequential::footprint(self, op)
    }

    fn is_read(&self, op: &S::Op, ret: Option<&S::Ret>) -> bool {
        Sequential::is_read(self, op, ret)
    }

    fn shaped(&self) -> Option<&dyn Shaped<S::Op, S::Ret>> {
        Sequential::shaped(self)
    }

    fn claims(&self) -> Option<&dyn Claims<S::Op, S::Ret>> {
        Sequential::claims(self)
    }

    fn describe_op(&self, op: &S::Op) -> String {
        Sequential::describe_op(self, op)
    }

    fn describe_ret(&self, op: &S::Op, ret: &S::Ret) -> String {
        Sequential::describe_ret(self, op, ret)
    }

    fn describe_state(&self, state: &S) -> String {
        state.describe()
    }

    fn state_bytes(&self, state: &S) -> usize {
        state.bytes()
    }
}
