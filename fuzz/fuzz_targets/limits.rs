//! Checks with small limits. Every allocation is counted, as the command does.
#![no_main]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use linpoint_fuzz::Meter;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static BEGIN: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn grown(bytes: usize) {
    let now = NOW.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(now, Relaxed);
}

// SAFETY: every call is forwarded unchanged to the system's allocator, which fulfils the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn begin() {
    BEGIN.store(NOW.load(Relaxed), Relaxed);
    PEAK.store(NOW.load(Relaxed), Relaxed);
}

fn peak() -> usize {
    PEAK.load(Relaxed).saturating_sub(BEGIN.load(Relaxed))
}

libfuzzer_sys::fuzz_target!(
    init: linpoint::count_memory_with(|| NOW.load(Relaxed)),
    |data: &[u8]| linpoint_fuzz::limits(data, Some(Meter { begin, peak }))
);
