//! Differential and law tests of the library, in one binary.

mod bundled;
mod common;
mod deque_monitor;
mod differential;
mod etcd_monitor;
mod explanations;
mod histories;
mod hitting;
mod incremental;
mod little_memory;
mod long_streams;
mod monitors;
mod oracle;
mod priority_queue_monitor;
mod queue_larger;
mod queue_monitor;
mod queue_oriented;
mod repeats;
mod runner;
mod snapshots;
mod stack_monitor;
mod stack_repeats;
mod streams;
mod wide_streams;
