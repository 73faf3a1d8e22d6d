//! The reader of "porcupine".
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linpoint_fuzz::read("porcupine", data));
