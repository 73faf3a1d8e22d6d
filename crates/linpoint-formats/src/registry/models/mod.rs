//! The entries of the registry, grouped by kind of object.

mod containers;
mod java;
mod keyed;
mod registers;
mod sync;
mod views;

use super::Entry;

/// All models, in the order in which they are listed.
pub(super) static ALL: &[Entry] = &[
    registers::REGISTER,
    registers::CAS_REGISTER,
    keyed::MULTI_REGISTER,
    keyed::KV,
    containers::SET,
    containers::BAG,
    containers::STACK,
    containers::QUEUE,
    containers::DEQUE,
    containers::PRIORITY_QUEUE,
    sync::COUNTER,
    registers::RMW,
    sync::MUTEX,
    sync::SEMAPHORE,
    registers::SNAPSHOT,
    keyed::BANK,
    java::JAVA,
];
