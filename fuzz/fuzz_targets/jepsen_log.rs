//! The reader of "jepsen-log".
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linpoint_fuzz::read("jepsen-log", data));
