//! The reader of "etcd".
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linpoint_fuzz::read("etcd", data));
