//! What threads can call on the objects of the catalogue.

use super::specs::*;
use crate::model::{Flow, Interface};

/// How a thread continues after a step of an operation on a container.
pub(super) type ContainerFlow = Flow<ContainerRet>;
/// How a thread continues after a step of an operation on a snapshot object.
pub(super) type SnapshotFlow = Flow<SnapshotRet>;

pub(super) const STACK: Interface<Stack> = Interface::new(
    |_, fresh| StackOp::all(fresh),
    |_, name, argument| StackOp::parse(name, argument),
)
.with_values(StackOp::value, stack_names);

pub(super) const QUEUE: Interface<Queue> = Interface::new(
    |_, fresh| QueueOp::all(fresh),
    |_, name, argument| QueueOp::parse(name, argument),
)
.with_values(QueueOp::value, queue_names);

pub(super) const DEQUE: Interface<Deque> = Interface::new(
    |_, fresh| DequeOp::all(fresh),
    |_, name, argument| DequeOp::parse(name, argument),
)
.with_values(DequeOp::value, deque_names);

pub(super) const SLOT: Interface<Slot> = Interface::new(
    |_, fresh| vec![SlotOp::Update(fresh), SlotOp::Delete, SlotOp::Get],
    |_, name, argument| SlotOp::parse(name, argument),
)
.with_values(
    |op| match op {
        SlotOp::Update(value) => Some(*value),
        SlotOp::Delete | SlotOp::Get => None,
    },
    slot_names,
);

pub(super) const SNAPSHOT: Interface<Snapshot> =
    Interface::new(|thread, _| SnapshotOp::all(thread), SnapshotOp::parse);

/// Keys of sets, unless a program says so.
const KEYS: u8 = 2;

pub(super) const SET: Interface<Set> = Interface::new(
    |_, _| SetOp::all(KEYS, false),
    |_, name, key| SetOp::parse(name, key).filter(|op| !matches!(op, SetOp::AddHigh(_))),
);

/// A set whose nodes may have an upper level.
pub(super) const LEVELLED_SET: Interface<Set> =
    Interface::new(|_, _| SetOp::all(KEYS, true), |_, name, key| SetOp::parse(name, key));
