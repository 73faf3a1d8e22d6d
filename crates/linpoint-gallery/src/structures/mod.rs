//! The structures, written against `super::sync`: compiled for `std`, for shuttle and for loom.

pub mod counter;
pub mod definitions;
pub mod growing_map;
pub mod mailbox;
pub mod michael_scott;
pub mod read_free_map;
pub mod register;
pub mod shann;
pub mod sharded_map;
pub mod sized_stack;
pub mod skip_list;
pub mod slot_map;
pub mod ticket_queue;
pub mod treiber;

use super::sync;
