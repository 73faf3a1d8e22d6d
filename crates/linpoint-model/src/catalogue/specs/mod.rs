//! Sequential specifications of the objects in the catalogue.

mod deque;
mod queue;
mod set;
mod slot;
mod snapshot;
mod stack;

pub(super) use deque::deque_names;
pub use deque::{Deque, DequeOp, Side};
pub(super) use queue::queue_names;
pub use queue::{Queue, QueueOp};
pub use set::{Set, SetOp};
pub(super) use slot::slot_names;
pub use slot::{Slot, SlotOp};
pub use snapshot::{MAX_SEGMENTS, Snapshot, SnapshotOp, SnapshotRet, View};
pub(super) use stack::stack_names;
pub use stack::{Stack, StackOp};

/// The result of an operation on a container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ContainerRet {
    /// A value was added.
    Ok,
    /// This value was removed; 0 was never added.
    Value(u8),
    /// The container was empty.
    Empty,
    /// The container was full.
    Full,
}

impl ContainerRet {
    fn words(self) -> String {
        match self {
            ContainerRet::Ok => "ok".into(),
            ContainerRet::Value(value) => value.to_string(),
            ContainerRet::Empty => "empty".into(),
            ContainerRet::Full => "full".into(),
        }
    }

    fn of(value: Option<u8>) -> ContainerRet {
        value.map_or(ContainerRet::Empty, ContainerRet::Value)
    }
}
