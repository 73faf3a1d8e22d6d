//! The small objects: one for each kind that a monitor knows.

mod appends;
mod bags;
mod containers;
mod deques;
mod flags;
mod numbers;
mod registers;
mod snapshots;

pub use appends::SmallAppends;
pub use bags::SmallBag;
pub use containers::{SmallPriorityQueue, SmallQueue, SmallStack};
pub use deques::SmallDeque;
pub use flags::{SmallMutex, SmallSet};
pub use numbers::{SmallCounter, SmallSemaphore};
pub use registers::{SmallCasRegister, SmallKeyValue, SmallRegister, SmallRmw};
pub use snapshots::SmallSnapshot;
