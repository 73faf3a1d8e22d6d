//! A lock, initially free.
//!
//! Acquire takes the lock and waits as long as it is held. Release frees it, and cannot happen when
//! it is free; with [`Mutex::owner`], it cannot happen unless it comes from the holder either.
//! Try-acquire takes the lock and gives true, or gives false if it is held.
//!
//! Operations may say who they come from; this is used only with `owner`. The lock is not
//! reentrant: a holder that acquires again waits for itself.
//!
//! Pending: an acquire or try-acquire may take the lock at any time after its call at which it is
//! free, or do nothing. A release may free it at any time after its call at which it can, or do
//! nothing.

use super::{one_outcome, replay_by_steps};
use crate::spec::{Claims, Mention, Role, Run, Shape, Shaped, Spec, Traces};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToWire, args,
};

/// A lock.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mutex {
    /// True if only the holder can release.
    pub owner: bool,
}

/// Operations of a [`Mutex`], with the process that they come from, if known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MutexOp {
    /// Takes the lock, waits for it. Gives [`MutexRet::Done`].
    Acquire(Option<u32>),
    /// Frees the lock. Gives [`MutexRet::Done`].
    Release(Option<u32>),
    /// Takes the lock if it is free. Gives [`MutexRet::Bool`].
    TryAcquire(Option<u32>),
}

/// Results of a [`Mutex`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MutexRet {
    /// Acquire or release is done.
    Done,
    /// Whether try-acquire took the lock.
    Bool(bool),
}

use MutexOp::{Acquire, Release, TryAcquire};
use MutexRet::{Bool, Done};

/// Who holds the lock: `None` if it is free, `Some(None)` if the holder is unknown or irrelevant.
type Holder = Option<Option<u32>>;

impl Mutex {
    /// The state in which `by` holds the lock.
    fn held(&self, by: Option<u32>) -> Holder {
        // Without owners all holders are alike, and so are their states.
        Some(if self.owner { by } else { None })
    }

    fn step(&self, &state: &Holder, op: &MutexOp) -> Option<(MutexRet, Holder)> {
        match (*op, state) {
            (Acquire(by), None) => Some((Done, self.held(by))),
            (Acquire(_), Some(_)) => None,
            (Release(by), _) => (state == self.held(by)).then_some((Done, None)),
            (TryAcquire(by), None) => Some((Bool(true), self.held(by))),
            (TryAcquire(_), Some(_)) => Some((Bool(false), state)),
        }
    }
}

impl Spec for Mutex {
    type Op = MutexOp;
    type Ret = MutexRet;
    type State = Holder;

    fn initial(&self) -> Holder {
        None
    }

    one_outcome!();

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        matches!((op, ret), (TryAcquire(_), Some(Bool(false))))
    }

    fn shaped(&self) -> Option<&dyn Shaped<MutexOp, MutexRet>> {
        (!self.owner).then_some(self)
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        self.owner.then_some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        replay_by_steps(run, self.initial(), |state, op| self.step(state, op))
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_op(&self, op: &Self::Op) -> String {
        let (name, by) = match op {
            Acquire(by) => ("acquire", by),
            Release(by) => ("release", by),
            TryAcquire(by) => ("try_acquire", by),
        };
        by.map_or_else(|| format!("{name}()"), |p| format!("{name}() by {p}"))
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            Bool(b) => b.to_string(),
        }
    }

    fn describe_state(&self, state: &Holder) -> String {
        match state {
            None => "free".into(),
            Some(None) => "held".into(),
            Some(Some(p)) => format!("held by {p}"),
        }
    }
}

/// For locks with owners. The claims about others follow from the shape.
impl Claims<MutexOp, MutexRet> for Mutex {
    /// The state that the operation makes. (A try-acquire that fails leaves nothing, which is less.)
    fn leaves(&self, op: &MutexOp) -> Traces {
        match op {
            Acquire(by) | TryAcquire(by) => Traces::one(&self.held(*by)),
            Release(_) => Traces::one(&Holder::None),
        }
    }

    /// The one state that the operation needs. A failed try-acquire fits many; one with an unknown result fits all, but
    /// leaves the holder that it finds.
    fn senses(&self, op: &MutexOp, ret: Option<&MutexRet>) -> Traces {
        match (op, ret) {
            (Acquire(_), _) | (TryAcquire(_), Some(Bool(true))) => Traces::one(&Holder::None),
            (Release(by), _) => Traces::one(&self.held(*by)),
            (TryAcquire(_), _) => Traces::Any,
        }
    }
}

/// A lock whose holder does not matter is a flag: up while somebody holds it.
impl Shaped<MutexOp, MutexRet> for Mutex {
    fn shape(&self) -> Shape {
        Shape::Flags
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &MutexOp, ret: Option<&MutexRet>, pending: bool) -> Role {
        match (op, ret) {
            (Acquire(_), None | Some(Done)) | (TryAcquire(_), Some(Bool(true))) => Role::Raise,
            (Release(_), None | Some(Done)) => Role::Lower,
            (TryAcquire(_), Some(Bool(false))) => Role::IsUp,
            // One that finds the lock held might as well not have happened; unless it returned.
            (TryAcquire(_), None) if pending => Role::Raise,
            (TryAcquire(_), None) => {
                Role::Foreign("it is not known whether a completed try_acquire took the lock")
            }
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    /// Operations of a lock have no names.
    fn same_name(
        &self,
        _a: Mention<'_, MutexOp, MutexRet>,
        _b: Mention<'_, MutexOp, MutexRet>,
    ) -> bool {
        true
    }
}

impl ToWire<MutexOp, MutexRet> for Mutex {
    fn name(&self) -> &'static str {
        Mutex::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        let owner = self.owner.then_some(("owner", wire::Value::Bool(true)));
        Some(owner.into_iter().collect())
    }

    fn op<'a>(&self, op: &'a MutexOp) -> (&'static str, Args<'a>) {
        match op {
            Acquire(_) => ("acquire", args([])),
            Release(_) => ("release", args([])),
            TryAcquire(_) => ("try_acquire", args([])),
        }
    }

    fn ret(&self, _op: &MutexOp, ret: &MutexRet) -> Option<wire::Value> {
        Some(match ret {
            Done => "ok".into(),
            Bool(b) => wire::Value::Bool(*b),
        })
    }
}

impl FromWire for Mutex {
    const INFO: ModelInfo = ModelInfo {
        name: "mutex",
        about: "a lock with at most one holder",
        operations: &["acquire()", "release()", "try_acquire() -> true or false"],
        options: &["owner: only the process that holds it can release it"],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Mutex { owner: options.switch("owner")? })
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        // Without owners it does not matter who asks, and then fewer operations differ.
        let by = call.process.filter(|_| self.owner);
        match call.name {
            "acquire" => wire::none(call).map(|()| Acquire(by)),
            "release" => wire::none(call).map(|()| Release(by)),
            "try_acquire" => wire::none(call).map(|()| TryAcquire(by)),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            TryAcquire(_) => wire::bool_ret(value).map(Bool),
            Acquire(_) | Release(_) => wire::done(value).map(|()| Done),
        }
    }

    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        (!matches!(op, TryAcquire(_))).then_some(Done)
    }

    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        let by = Some(chance.process()).filter(|_| self.owner);
        Some(match chance.below(3) {
            0 => Acquire(by),
            1 => Release(by),
            _ => TryAcquire(by),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};

    const A: Option<u32> = Some(1);
    const B: Option<u32> = Some(2);

    #[test]
    fn sequential_semantics() {
        let ops = [Release(A), Acquire(A), Acquire(B), TryAcquire(B), Release(B), TryAcquire(B)];
        let (rets, state) = run(&Mutex { owner: false }, &ops);
        assert_eq!(rets, ["waits", "ok", "waits", "false", "ok", "true"]);
        assert_eq!(state, "held");
        let (rets, state) = run(&Mutex { owner: true }, &ops);
        assert_eq!(rets, ["waits", "ok", "waits", "false", "waits", "false"]);
        assert_eq!(state, "held by 1");
    }

    #[test]
    fn pending_operations_need_their_state() {
        let spec = Mutex { owner: true };
        assert_eq!(next(&spec, &None, &Acquire(A), None), ["held by 1"]);
        assert_eq!(next(&spec, &Some(A), &Acquire(A), None), [""; 0]);
        assert_eq!(next(&spec, &Some(A), &TryAcquire(B), None), ["held by 1"]);
        assert_eq!(next(&spec, &Some(A), &Release(B), None), [""; 0]);
        assert_eq!(next(&spec, &Some(A), &Release(A), None), ["free"]);
    }

    #[test]
    fn claims_hold() {
        let ops = [A, B, None].map(|p| [Acquire(p), Release(p), TryAcquire(p)]).concat();
        for owner in [false, true] {
            check_claims(&Mutex { owner }, &ops, 1, 400).unwrap();
        }
    }
}
