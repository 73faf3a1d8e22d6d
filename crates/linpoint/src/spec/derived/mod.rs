//! The claims that follow from a shape.
//!
//! A specification that states its [`Shape`] and the [`Role`] of each operation has said what its operations do. The
//! claims of [`Claims`](super::Claims) follow from that and are derived here, each rule with its argument:
//!
//! * this file: claims about single operations;
//! * [`refute`]: contradictions of a few operations ([`sources`] has the rule);
//! * [`fifo_guide`], [`zone_guide`], [`likely`]: guesses at the order of operations.
//!
//! Nothing here depends on the types of operations. [`Derived`] asks a typed specification for its roles; the default
//! methods of [`Operations`](crate::subject::Operations) and [`Subject`](crate::subject::Subject) ask a dynamic model.
//!
//! Values are known by their [`Name`]s, which two different values may share. A trace that two values share is noticed by
//! more operations than necessary, and keeps more pending operations than necessary. That is safe. Guesses may be wrong
//! anyway. Where a shared name would make a claim false, the names are verified ([`same_kind`], [`refute`]).

mod fifo_guide;
mod likely;
mod part;
mod refute;
pub(crate) mod sources;
#[cfg(test)]
mod tests;
mod typed;
mod zone_guide;

pub use part::Done;
pub(crate) use part::{At, Part, Row, guide};
pub(crate) use sources::typed_mention as mention;
pub use typed::Derived;

use super::{Name, Role, Shape, Slot, Traces, stable_hash};

/// The trace of a value in the register of a key.
fn value(key: Option<Name>, value: Name) -> (Option<Name>, Name) {
    (key, value)
}

/// The trace of a flag that is up, or down.
fn flag(key: Option<Name>, is_up: bool) -> (Option<Name>, bool) {
    (key, is_up)
}

/// See [`Claims::leaves`](super::Claims::leaves).
///
/// * `pending`: what the operation does if it takes effect. Where it does nothing instead, it leaves nothing, which is less.
///
/// After an operation that changed a register or a flag, only what it left is there: nothing that needs another value can
/// follow. Containers, counters and permits are different: what is added there remains for whatever comes later.
pub(crate) fn leaves(pending: Role, key: Option<Name>) -> Traces {
    match pending {
        Role::Add(name) | Role::AddFront(name) => Traces::any_and(&name),
        Role::Raise => Traces::one(&flag(key, true)),
        Role::Lower => Traces::one(&flag(key, false)),
        Role::Write(to) | Role::Replace { to, .. } => Traces::one(&value(key, to)),
        Role::Update { segment, value } => Traces::any_and(&(segment, value)),
        role if changes_nothing(role) => Traces::none(),
        _ => Traces::Any,
    }
}

fn changes_nothing(role: Role) -> bool {
    matches!(
        role,
        Role::Idle
            | Role::Peek(_)
            | Role::PeekFront(_)
            | Role::Empty
            | Role::Full
            | Role::IsUp
            | Role::IsDown
            | Role::Read(_)
            | Role::Other(_)
            | Role::Shift(0)
            | Role::ShiftFrom { by: 0, .. }
            | Role::IsNumber(_)
            | Role::NoPermit
            | Role::Scan
    )
}

/// An operation with a result that may be unknown.
pub(crate) struct Senses<'a> {
    /// What it does with this result.
    pub(crate) role: Role,
    /// What it does if it takes effect, whatever it returns.
    pub(crate) pending: Role,
    pub(crate) key: Option<Name>,
    pub(crate) is_known: bool,
    /// What a scan found.
    pub(crate) view: &'a [Option<Name>],
}

/// See [`Claims::senses`](super::Claims::senses).
///
/// * An operation that needs one value, or a flag that is up, senses just that: after an operation that left something
///   else it cannot run.
/// * A write works on any value, and what was there before is gone.
/// * A failed compare-and-set needs any value but the expected one. It senses anything, because a write of 3 makes a
///   `cas(1, 2)` fail; and it senses the expected value by name, because a write of 1 differs for it from all others.
/// * A read with an unknown result fits any value, but the state stays what the write before has made it. So it senses
///   anything.
/// * An update or a scan of a snapshot leaves the (other) segments as it finds them: it senses anything. A scan senses what it
///   found by name.
pub(crate) fn senses(call: &Senses<'_>) -> Traces {
    let key = call.key;
    match call.role {
        Role::Remove(name) | Role::Peek(name) => Traces::any_and(&name),
        Role::RemoveFront(name) | Role::PeekFront(name) => Traces::any_and(&name),
        Role::Lower | Role::IsUp => Traces::one(&flag(key, true)),
        Role::Raise | Role::IsDown => Traces::one(&flag(key, false)),
        Role::Read(name) | Role::Replace { from: name, .. } => Traces::one(&value(key, name)),
        Role::Write(_) => Traces::none(),
        Role::Other(name) => Traces::any_and(&value(key, name)),
        Role::Scan => {
            let segments = (0u32..).zip(call.view);
            Traces::any_and_all(segments.filter_map(|(i, name)| Some((i, (*name)?))))
        }
        Role::Foreign(_) if !call.is_known => senses_unknown(call.pending, key),
        _ => Traces::Any,
    }
}

/// What an operation senses if it is not known whether it did anything.
///
/// An operation that raises a flag, or finds it up, works in every state, and the flag is up afterwards. A compare-and-set
/// is tempting: it seems to sense its expected value only, since one that fails might as well not have happened. But an
/// operation whose *result* is unknown may have returned, and then it cannot be left out: after a write of 3 it is sure to
/// leave the 3, without the write it may move on. So it senses what a failed one senses.
fn senses_unknown(pending: Role, key: Option<Name>) -> Traces {
    match pending {
        Role::Raise | Role::Lower => Traces::none(),
        Role::Replace { from, .. } => Traces::any_and(&value(key, from)),
        _ => Traces::Any,
    }
}

/// See [`Claims::senses_to_act`](super::Claims::senses_to_act).
///
/// * `unknown`: what it does if it returned, with an unknown result. Foreign if it may have done nothing.
///
/// A compare-and-set changes something only if it finds what it expects. An operation that waits for a flag to be down
/// needs it down; one that returns in any case leads to the same state without that.
pub(crate) fn senses_to_act(pending: Role, unknown: Role, key: Option<Name>) -> Traces {
    let may_fail = matches!(unknown, Role::Foreign(_));
    match pending {
        Role::Write(_) => Traces::none(),
        Role::Replace { from, .. } => Traces::one(&value(key, from)),
        Role::Raise | Role::Lower if may_fail => Traces::none(),
        Role::Raise => Traces::one(&flag(key, false)),
        Role::Lower => Traces::one(&flag(key, true)),
        role if changes_nothing(role) => Traces::none(),
        _ => Traces::Any,
    }
}

/// See [`Claims::anonymous_kind`](super::Claims::anonymous_kind). Kinds are hashes: see [`same_kind`].
///
/// * An element that no operation names is never seen. It takes up room at its place, but it does not matter which element it is.
///   Not so in a priority queue: which element a pending removal finds first depends on its priority.
/// * A value of a register that no operation names is only ever overwritten, or read with an unknown result; and every
///   compare-and-set, pending or not, fails on it. So all such writes can replace each other, and so can all
///   compare-and-sets that expect the same and lead to such values.
/// * A value that no scan names, at this segment: one is as good as another.
/// * What a pending addition to a counter would have returned does not matter, only what it adds.
pub(crate) fn anonymous_kind(shape: Shape, pending: Role, key: Option<Name>) -> Option<u64> {
    match (shape, pending) {
        (Shape::PriorityQueue, _) => None,
        (_, Role::Add(_)) => Some(0),
        (_, Role::AddFront(_)) => Some(1),
        (_, Role::Write(_)) => Some(stable_hash(&(key, "write"))),
        (_, Role::Replace { from, .. }) => Some(stable_hash(&(key, "replace", from))),
        (_, Role::Update { segment, .. }) => Some(u64::from(segment)),
        (_, Role::Shift(by)) if by != 0 => Some(by.cast_unsigned()),
        _ => None,
    }
}

/// The names that have to be equal for two operations of one [`anonymous_kind`] to be of one kind indeed.
pub(crate) fn same_kind(pending: Role, key: Option<Name>) -> impl Iterator<Item = Slot> {
    let source = matches!(pending, Role::Replace { .. }).then_some(Slot::Source);
    source.into_iter().chain(key.map(|_| Slot::Key))
}

/// See [`Claims::idle_unless_named`](super::Claims::idle_unless_named). In each case a linearization with the pending
/// operation becomes one without it:
///
/// * Queue, stack, deque, priority queue, bag: leave the addition out. If its element was never removed, nothing behind it (below
///   it, after it in the order) was seen while it was there. If it was removed, then by an operation that is pending too, since
///   a completed one would have named it: leave that out as well. Not so in a queue with a bound, where the element may
///   be what made it full.
/// * Flags: after an operation that raised the flag, no completed operation is known to have found it up. So up to the next
///   change nothing happened with a known result, and that change was a pending operation that lowered it: leave out both.
///   The same the other way round.
/// * Registers: up to the next change, no completed operation has found the value, and none has noticed that it was not some
///   other value ([`needs_unnamed`]). The next change was not a pending compare-and-set that needs this value, which
///   would have named it. So it works without this operation as well, and leads to the same state.
/// * Snapshot: up to the next update of the segment, no scan shows what it holds: it would have named it.
pub(crate) fn idle_unless_named(shape: Shape, pending: Role) -> bool {
    match pending {
        Role::Add(_) | Role::AddFront(_) => !matches!(shape, Shape::BoundedQueue { .. }),
        Role::Raise | Role::Lower | Role::Write(_) | Role::Replace { .. } => true,
        Role::Update { .. } => true,
        _ => false,
    }
}

/// See [`Claims::needs_unnamed`](super::Claims::needs_unnamed). A failed compare-and-set needs some value other than the
/// expected one, and does not name it.
pub(crate) fn needs_unnamed(role: Role, is_known: bool) -> bool {
    !is_known || matches!(role, Role::Other(_) | Role::Foreign(_))
}
