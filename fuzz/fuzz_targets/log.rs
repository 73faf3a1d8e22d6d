//! Logs of other programs: the first line is the map.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linpoint_fuzz::log(data));
