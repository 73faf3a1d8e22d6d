//! Integration tests of formats and the registry, in one binary.

mod bad_input;
mod convert;
mod etcd;
mod faults;
mod files;
mod fuzz_regressions;
mod jvm;
mod models;
mod published;
mod recorded;
mod servers;
mod threads;
mod watch;
