//! The lower bound for any checker: sorting the events, and reading the file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::measure::timed;

/// Bits of a digit.
const DIGIT: u32 = 11;
/// The lowest bit of the time of an event; its operation is below.
const TIME: u32 = 32;

/// CPU seconds for a radix sort of the calls and returns of these operations by time, excluding the
/// allocation of memory.
pub fn sort(spans: impl Iterator<Item = (u32, u32)>) -> f64 {
    let event = |time: u32, op: usize| u64::from(time) << TIME | op as u64;
    let mut events: Vec<u64> = spans
        .enumerate()
        .flat_map(|(op, (call, ret))| [event(call, 2 * op), event(ret, 2 * op + 1)])
        .collect();
    let mut scratch = events.clone();
    let latest = events.iter().map(|e| e >> TIME).max().unwrap_or(0);
    let ((), cpu) = timed(|| {
        let mut shift = TIME;
        while latest >> (shift - TIME) > 0 {
            pass(&events, &mut scratch, shift);
            std::mem::swap(&mut events, &mut scratch);
            shift += DIGIT;
        }
    });
    assert!(events.is_sorted_by_key(|e| e >> TIME), "sorted");
    cpu
}

/// Moves the events in the order of one digit.
fn pass(from: &[u64], to: &mut [u64], shift: u32) {
    let digit = |event: u64| (event >> shift) as usize & ((1 << DIGIT) - 1);
    let mut next = [0usize; 1 << DIGIT];
    for &event in from {
        next[digit(event)] += 1;
    }
    let mut sum = 0;
    for place in &mut next {
        sum += std::mem::replace(place, sum);
    }
    for &event in from {
        let place = &mut next[digit(event)];
        to[*place] = event;
        *place += 1;
    }
}

/// CPU seconds for reading a file and counting its lines.
pub fn read(path: &Path) -> io::Result<f64> {
    let (lines, cpu) = timed(|| -> io::Result<usize> {
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 1 << 18];
        let mut lines = 0;
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(lines),
                n => lines += buffer[..n].iter().filter(|b| **b == b'\n').count(),
            }
        }
    });
    assert!(lines? > 0, "there is a header");
    Ok(cpu)
}
