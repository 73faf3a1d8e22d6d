//! A counting semaphore.
//!
//! Release adds a permit. Try-acquire takes a permit and gives true, or gives false if there is
//! none. Acquire takes a permit and waits as long as there is none.
//!
//! Pending: a release may take effect at any time after its call, or never. An acquire or
//! try-acquire may take a permit at any time after its call at which there is one, or do nothing.

use super::{one_outcome, replay_by_steps};
use crate::spec::{Mention, Role, Run, Shape, Shaped, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

/// A semaphore that has `initial` permits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Semaphore {
    /// The permits before the first operation.
    pub initial: u64,
}

/// Operations of a [`Semaphore`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SemaphoreOp {
    /// Adds a permit. Gives [`SemaphoreRet::Done`].
    Release,
    /// Takes a permit if there is one. Gives [`SemaphoreRet::Bool`].
    TryAcquire,
    /// Takes a permit, waits for one. Gives [`SemaphoreRet::Done`].
    Acquire,
}

/// Results of a [`Semaphore`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SemaphoreRet {
    /// A permit was added, or taken by acquire.
    Done,
    /// Whether a permit was taken by try-acquire.
    Bool(bool),
}

use SemaphoreOp::{Acquire, Release, TryAcquire};
use SemaphoreRet::{Bool, Done};

impl Semaphore {
    fn step(&self, &state: &u64, op: &SemaphoreOp) -> Option<(SemaphoreRet, u64)> {
        match (op, state) {
            // A full counter waits; 2^64 releases do not happen.
            (Release, _) => Some((Done, state.checked_add(1)?)),
            (TryAcquire, 0) => Some((Bool(false), 0)),
            (TryAcquire, _) => Some((Bool(true), state - 1)),
            (Acquire, 0) => None,
            (Acquire, _) => Some((Done, state - 1)),
        }
    }
}

impl Spec for Semaphore {
    type Op = SemaphoreOp;
    type Ret = SemaphoreRet;
    type State = u64;

    fn initial(&self) -> u64 {
        self.initial
    }

    one_outcome!();

    fn is_read(&self, _op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        ret == Some(&Bool(false))
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        replay_by_steps(run, self.initial(), |state, op| self.step(state, op))
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            Bool(b) => b.to_string(),
        }
    }

    fn describe_state(&self, state: &u64) -> String {
        format!("{state} permits")
    }
}

impl Shaped<SemaphoreOp, SemaphoreRet> for Semaphore {
    fn shape(&self) -> Shape {
        Shape::Semaphore { initial: self.initial }
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &SemaphoreOp, ret: Option<&SemaphoreRet>, pending: bool) -> Role {
        match (op, ret) {
            (Release, None | Some(Done)) => Role::Release,
            (Acquire, None | Some(Done)) | (TryAcquire, Some(Bool(true))) => Role::Acquire,
            (TryAcquire, Some(Bool(false))) => Role::NoPermit,
            // One that finds no permit might as well not have happened; unless it returned.
            (TryAcquire, None) if pending => Role::Acquire,
            (TryAcquire, None) => {
                Role::Foreign("it is not known whether a completed try_acquire took a permit")
            }
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    /// Operations of a semaphore have no names.
    fn same_name(
        &self,
        _a: Mention<'_, SemaphoreOp, SemaphoreRet>,
        _b: Mention<'_, SemaphoreOp, SemaphoreRet>,
    ) -> bool {
        true
    }
}

impl ToWire<SemaphoreOp, SemaphoreRet> for Semaphore {
    fn name(&self) -> &'static str {
        Semaphore::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        Some(vec![("initial", self.initial.to_value()?)])
    }

    fn op<'a>(&self, op: &'a SemaphoreOp) -> (&'static str, Args<'a>) {
        match op {
            Release => ("release", args([])),
            TryAcquire => ("try_acquire", args([])),
            Acquire => ("acquire", args([])),
        }
    }

    fn ret(&self, _op: &SemaphoreOp, ret: &SemaphoreRet) -> Option<wire::Value> {
        Some(match ret {
            Done => "ok".into(),
            Bool(b) => wire::Value::Bool(*b),
        })
    }
}

impl FromWire for Semaphore {
    const INFO: ModelInfo = ModelInfo {
        name: "semaphore",
        about: "permits that are taken and given back",
        operations: &["acquire()", "release()", "try_acquire() -> true or false"],
        options: &["initial=N: the permits before the first operation (0)"],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Semaphore { initial: options.int("initial")?.unwrap_or(0) })
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "acquire" => wire::none(call).map(|()| Acquire),
            "release" => wire::none(call).map(|()| Release),
            "try_acquire" => wire::none(call).map(|()| TryAcquire),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            TryAcquire => wire::bool_ret(value).map(Bool),
            Acquire | Release => wire::done(value).map(|()| Done),
        }
    }

    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        (*op != TryAcquire).then_some(Done)
    }

    fn draw(&self, _state: &u64, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.below(3) {
            0 => Release,
            1 => Acquire,
            _ => TryAcquire,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, part_of, run};
    use crate::spec::{EffectiveClaims, PartView};

    #[test]
    fn sequential_semantics() {
        let ops = [TryAcquire, Acquire, Release, TryAcquire, Release, Release, Acquire];
        let (rets, state) = run(&Semaphore::default(), &ops);
        assert_eq!(rets, ["false", "waits", "ok", "true", "ok", "ok", "ok"]);
        assert_eq!(state, "1 permits");
    }

    #[test]
    fn a_pending_acquire_needs_a_permit() {
        let spec = Semaphore { initial: 1 };
        assert_eq!(next(&spec, &0, &Acquire, None), [""; 0]);
        assert_eq!(next(&spec, &0, &TryAcquire, None), ["0 permits"]);
        assert_eq!(next(&spec, &1, &TryAcquire, None), ["0 permits"]);
        assert!(!spec.is_read(&TryAcquire, None) && spec.is_read(&TryAcquire, Some(&Bool(false))));
    }

    #[test]
    fn claims_hold() {
        for initial in [0, 1, u64::MAX] {
            let ops = [Release, TryAcquire, TryAcquire, Acquire];
            check_claims(&Semaphore { initial }, &ops, 1, 300).unwrap();
        }
    }

    #[test]
    fn a_permit_is_taken_once() {
        let h = part_of(&[(Acquire, Done), (Release, Done), (TryAcquire, Bool(true))]);
        let ids: Vec<_> = h.ids().collect();
        let found =
            EffectiveClaims::of(&Semaphore::default()).refute(&PartView::new(&h, &ids)).unwrap();
        assert_eq!(found.ops, [ids[0], ids[2]]);
    }
}
