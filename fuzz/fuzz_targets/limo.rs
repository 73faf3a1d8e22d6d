//! The reader of "limo".
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linpoint_fuzz::read("limo", data));
