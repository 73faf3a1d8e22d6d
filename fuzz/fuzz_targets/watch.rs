//! Streams.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linpoint_fuzz::watch(data));
