//! A global allocator that counts, so that memory limits hold whatever allocates.
//!
//! Linking this crate installs the allocator; [`in_use`] reports its count:
//!
//! ```ignore
//! linpoint::count_memory_with(linpoint_memory::in_use);
//! ```
//!
//! Why it is worth the unsafe code: what engines count themselves missed growing strings, and fifteen operations took all
//! memory. Counting takes 0.2 to 1.3 % more instructions (callgrind, checks of 20,000 operations).
//!
//! It is a crate of its own because it runs at every allocation and has to be optimised. The command, which uses it, is not:
//! it computes little, and a first build should not wait for it.

#![allow(
    unsafe_code,
    reason = "a global allocator is an unsafe trait, and glibc's settings are a foreign function"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

/// Bytes that the process has allocated, except for what threads have not reported yet.
static ALLOCATED: AtomicIsize = AtomicIsize::new(0);

/// PERF: a thread reports once it has allocated or freed this many bytes more, so that threads do not fight over
/// one counter for every small object.
const UNREPORTED: isize = 1 << 16;

thread_local! {
    static SINCE_REPORT: Cell<isize> = const { Cell::new(0) };
}

/// Bytes that the process has allocated; off by 64 KiB a thread at most. If the system has given it much more, that: freed
/// memory that cannot be used again, because it lies in holes, is memory of the process too.
pub fn in_use() -> usize {
    let allocated = allocated();
    // PERF: asking the system takes microseconds, so it is asked once for some megabytes.
    if allocated.abs_diff(ASKED_AT.load(Ordering::Relaxed)) > BYTES_PER_QUESTION {
        ASKED_AT.store(allocated, Ordering::Relaxed);
        RESIDENT.store(resident().unwrap_or(0), Ordering::Relaxed);
    }
    allocated.max(RESIDENT.load(Ordering::Relaxed).saturating_sub(HOLES))
}

fn allocated() -> usize {
    usize::try_from(ALLOCATED.load(Ordering::Relaxed)).unwrap_or(0)
}

/// What the system last said, and how much was allocated then.
static RESIDENT: AtomicUsize = AtomicUsize::new(0);
static ASKED_AT: AtomicUsize = AtomicUsize::new(0);
const BYTES_PER_QUESTION: usize = 4 << 20;
/// The program itself, its stacks, and some holes.
const HOLES: usize = 15 << 20;

/// Resident memory according to Linux; `None` elsewhere.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<usize>().ok()?.checked_mul(1024)
}

/// Makes the system's allocator give large blocks back at once when they are freed. By default it raises the size of what is
/// large with every block that is freed, up to 32 MiB; then tables that doubled leave holes, and a check under
/// `--memory 300MB` took up to 365 MB. Checks of a million operations take the same time as before.
pub fn give_large_blocks_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::c_int;
        unsafe extern "C" {
            fn mallopt(parameter: c_int, value: c_int) -> c_int;
        }
        const M_MMAP_THRESHOLD: c_int = -3;
        // SAFETY: this function of glibc takes any values, and rejects those that it does not know.
        unsafe { mallopt(M_MMAP_THRESHOLD, 1 << 20) };
    }
}

#[inline(always)]
fn count(bytes: isize) {
    // A thread that is ending has no counter any more.
    let counted = SINCE_REPORT.try_with(|since| {
        let total = since.get() + bytes;
        if -UNREPORTED < total && total < UNREPORTED {
            since.set(total);
        } else {
            since.set(0);
            ALLOCATED.fetch_add(total, Ordering::Relaxed);
        }
    });
    if counted.is_err() {
        ALLOCATED.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// What an allocation takes: allocators add a header and round up to 16 bytes, at least 32. For millions of small states that
/// is a third of everything.
#[inline(always)]
fn taken(size: usize) -> isize {
    const HEADER: isize = 8;
    const GRAIN: isize = 16;
    const LEAST: isize = 32;
    // A layout has at most `isize::MAX` bytes, and one of nearly that is never allocated.
    let rounded = (size as isize).wrapping_add(HEADER + GRAIN - 1) & !(GRAIN - 1);
    rounded.max(LEAST)
}

/// The system's allocator, counted.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is forwarded unchanged to the system's allocator, which fulfils the contract. Counting allocates
// nothing: the counters are a static and a thread-local without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-taken(layout.size()));
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(taken(new_size) - taken(layout.size()));
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}
