//! The clocks that stamp calls and returns.
//!
//! Stamps must satisfy *call before, return after*: the clock is read for the call before any
//! instruction of the operation executes, and for the return after all of them have. Then, if the
//! return stamp of one operation is smaller than the call stamp of another, the first had executed
//! before the second began.
//!
//! # x86-64
//!
//! `RDTSC` reads the time stamp counter. The processor may execute it before earlier instructions
//! have completed and after later ones have begun. `LFENCE` completes only when all instructions
//! before it have, and no instruction after it begins before it completes. (Intel's manual says so
//! for all processors; on AMD processors it holds with the setting that every current Linux makes.)
//! Hence:
//!
//! * **call**: `RDTSC; LFENCE`. The operation begins after the clock has been read. If `RDTSC`
//!   executes early, before the preceding instructions, the interval gets longer, never shorter.
//! * **return**: `LFENCE; RDTSC`. The clock is read when every instruction of the operation has
//!   completed and every load has its value. (`RDTSCP` waits in the same way, and does no more.)
//!   Later instructions may begin earlier; they belong to no operation.
//! * The `RDTSC` of a call may even execute before that of the preceding return. The `LFENCE` after
//!   it waits for both, so the larger of the two stamps was still read before the operation began.
//!   Logs use the larger one.
//!
//! A *store* completes when it is in the store buffer of its core; other cores see it when it
//! leaves the buffer, which may be after the return stamp. So by default, *return after* holds for
//! what the operation has executed and read, but not for when other threads can see its stores: an
//! object whose last step is an unfenced store can be caught returning before its effect is
//! visible. For a linearizable object that is a bug, and the default finds such bugs. **Draining**
//! adds an `MFENCE` before the return: `MFENCE; LFENCE; RDTSC`, after which all stores of the
//! operation are visible. It finds fewer bugs, because the fence does what the object fails to do.
//! Use it for objects that promise linearizability only in the order of happens-before, such as a
//! deque whose owner publishes with a plain release store.
//!
//! Counters of different cores are comparable if the counter is invariant and the kernel keeps them
//! in step. [`Clock::private`] uses the counter only if the processor reports it as invariant and,
//! on Linux, the kernel offers it as a clock source. The kernel withdraws it when it has seen cores
//! disagree.
//!
//! # Other processors
//!
//! [`Clock::private`] is [`Instant`]: monotonic across threads, and ordered with the operation's
//! instructions as well as the system's `clock_gettime` is (on Linux, it orders its read of the
//! counter after the instructions before it). It is slower and coarser. Equal stamps count as
//! concurrent.
//!
//! # The shared counter
//!
//! [`Clock::shared`] counts events with one atomic counter. It is exact everywhere, but its two
//! locked instructions per operation synchronise all threads with each other, which hides missing
//! synchronisation. Use it for comparison, and on machines without a good clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence, fence};
use std::time::Instant;

/// Stamps events. See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Clock {
    source: Source,
    drains: bool,
}

#[derive(Clone, Debug)]
enum Source {
    #[cfg(target_arch = "x86_64")]
    Tsc,
    Instant(Instant),
    Counter(Arc<Padded>),
}

/// A counter on a cache line of its own.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Padded(AtomicU64);

impl Default for Clock {
    fn default() -> Self {
        Clock::private()
    }
}

impl Clock {
    /// The best clock that threads can read without touching shared memory.
    pub fn private() -> Clock {
        #[cfg(target_arch = "x86_64")]
        if tsc::is_reliable() {
            return Clock { source: Source::Tsc, drains: false };
        }
        Clock::instant()
    }

    /// The monotonic clock of the operating system.
    pub fn instant() -> Clock {
        Clock { source: Source::Instant(Instant::now()), drains: false }
    }

    /// One counter that all threads increment.
    pub fn shared() -> Clock {
        Clock { source: Source::Counter(Arc::default()), drains: false }
    }

    /// Waits before each return stamp until the stores of the operation are visible to all threads.
    pub fn draining(self) -> Clock {
        Clock { drains: true, ..self }
    }

    /// A description for reports.
    pub fn describe(&self) -> String {
        let source = match &self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Tsc => "private logs stamped by the TSC",
            Source::Instant(_) => "private logs stamped by the system clock",
            Source::Counter(_) => "a counter shared by all threads",
        };
        let fences = match (&self.source, self.drains) {
            (_, true) => "stores drained before each return",
            (Source::Counter(_), false) => "whose locked increments can hide missing fences",
            (_, false) => "no draining fence: stores may become visible after their return",
        };
        format!("{source}, {fences}")
    }

    /// The stamp of a call: read before any later instruction executes.
    #[inline]
    pub fn call(&self) -> u64 {
        compiler_fence(Ordering::SeqCst);
        let stamp = match &self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Tsc => tsc::before(),
            Source::Instant(base) => nanoseconds(base),
            Source::Counter(counter) => {
                let stamp = counter.0.fetch_add(1, Ordering::SeqCst);
                // On x86-64 the increment is a full barrier.
                if cfg!(not(target_arch = "x86_64")) {
                    fence(Ordering::SeqCst);
                }
                stamp
            }
        };
        compiler_fence(Ordering::SeqCst);
        stamp
    }

    /// The stamp of a return: read after every earlier instruction has executed.
    #[inline]
    pub fn ret(&self) -> u64 {
        compiler_fence(Ordering::SeqCst);
        if self.drains {
            fence(Ordering::SeqCst);
        }
        let stamp = match &self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Tsc => tsc::after(),
            Source::Instant(base) => nanoseconds(base),
            Source::Counter(counter) => {
                if cfg!(not(target_arch = "x86_64")) {
                    fence(Ordering::SeqCst);
                }
                counter.0.fetch_add(1, Ordering::SeqCst)
            }
        };
        compiler_fence(Ordering::SeqCst);
        stamp
    }
}

fn nanoseconds(base: &Instant) -> u64 {
    base.elapsed().as_nanos() as u64
}

#[cfg(target_arch = "x86_64")]
mod tsc {
    use std::arch::x86_64::{__cpuid, _mm_lfence, _rdtsc};
    use std::sync::OnceLock;

    /// `RDTSC; LFENCE`.
    #[inline]
    #[allow(unsafe_code)] // The instructions have no other name; they touch no memory.
    pub(super) fn before() -> u64 {
        // SAFETY: every x86-64 has both.
        unsafe {
            let stamp = _rdtsc();
            _mm_lfence();
            stamp
        }
    }

    /// `LFENCE; RDTSC`.
    #[inline]
    #[allow(unsafe_code)] // As above.
    pub(super) fn after() -> u64 {
        // SAFETY: every x86-64 has both.
        unsafe {
            _mm_lfence();
            _rdtsc()
        }
    }

    /// True if the counter runs at one speed and in step on all cores.
    pub(super) fn is_reliable() -> bool {
        static RELIABLE: OnceLock<bool> = OnceLock::new();
        *RELIABLE.get_or_init(|| is_invariant() && is_trusted_by_the_kernel())
    }

    fn is_invariant() -> bool {
        const FEATURES: u32 = 0x8000_0000;
        const POWER: u32 = 0x8000_0007;
        __cpuid(FEATURES).eax >= POWER && __cpuid(POWER).edx & (1 << 8) != 0
    }

    /// Linux withdraws the counter as a clock source when it finds that cores disagree.
    fn is_trusted_by_the_kernel() -> bool {
        let list = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
        match std::fs::read_to_string(list) {
            Ok(sources) => sources.split_whitespace().any(|source| source == "tsc"),
            // Not Linux, or no information: rely on the processor alone.
            Err(_) => !cfg!(target_os = "linux"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// A stamp taken before a message is sent is not larger than one taken after it arrives.
    #[test]
    fn stamps_are_ordered_across_threads_by_messages() {
        for clock in
            [Clock::private(), Clock::instant(), Clock::shared(), Clock::private().draining()]
        {
            let message = AtomicU64::new(0);
            std::thread::scope(|scope| {
                let (clock, message) = (&clock, &message);
                let play = move |mine: u64| {
                    for _ in 0..500 {
                        let mut got = message.load(Ordering::Acquire);
                        while got & 1 != mine {
                            std::thread::yield_now();
                            got = message.load(Ordering::Acquire);
                        }
                        let now = clock.ret();
                        assert!(now >= got >> 1, "{}: {now} after {}", clock.describe(), got >> 1);
                        message.store(clock.call() << 1 | (1 - mine), Ordering::Release);
                    }
                };
                scope.spawn(move || play(1));
                play(0);
            });
        }
    }

    #[test]
    fn descriptions_name_the_fences() {
        assert!(Clock::private().describe().contains("no draining fence"));
        assert!(Clock::private().draining().describe().contains("drained before each return"));
        assert!(Clock::shared().describe().contains("shared by all threads"));
    }
}
