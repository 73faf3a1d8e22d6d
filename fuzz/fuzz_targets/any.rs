//! Whatever the input is in: the format is detected, compressed inputs included.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linpoint_fuzz::detect(data));
