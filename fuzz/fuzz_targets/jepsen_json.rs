//! The reader of "jepsen-json".
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linpoint_fuzz::read("jepsen-json", data));
