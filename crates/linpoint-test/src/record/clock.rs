//! The clocks that stamp calls and returns.
//!
//! Stamps must satisfy *call before, return after*: the clock is read for the call before the
//! operation does anything, and for the return after everything that it did can be seen by all threads.
//! Then, if the return stamp of one operation is smaller than the call stamp of another, the first had
//! taken effect before the second began, and a history of a linearizable object is linearizable.
//!
//! # x86-64
//!
//! `RDTSC` reads the time stamp counter. The processor may execute it before earlier instructions
//! have completed and after later ones have begun. What orders it:
//!
//! * `RDTSCP` reads the counter after all earlier instructions have executed and all earlier loads
//!   have their values, on Intel and AMD processors.
//! * `LFENCE` completes when all earlier instructions have, and no later instruction begins before:
//!   on all Intel processors; on AMD processors only if they say so (CPUID) or the kernel has set them up
//!   accordingly and says so (`lfence_rdtsc` in `/proc/cpuinfo`). In virtual machines often neither
//!   does. There, `LFENCE` only orders loads with loads, which x86 does anyway.
//! * `MFENCE` does the same as that full `LFENCE` on AMD processors, and on all of them waits until
//!   earlier stores are visible to other cores.
//!
//! Hence:
//!
//! * **call**: `RDTSC; LFENCE`, or `RDTSC; MFENCE; LFENCE` on AMD processors that do not promise
//!   that `LFENCE` waits. The operation begins after the clock has been read. If `RDTSC` executes
//!   early, the interval gets longer, never shorter. Without a fence that waits, a load of the operation
//!   can get its value first and the clock be read later: the operation then seems to have read a stale value.
//! * **return**: `MFENCE; RDTSCP`. `MFENCE` makes the stores of the operation visible, `RDTSCP` waits for its
//!   loads. Later instructions may begin earlier; they belong to no operation.
//! * The `RDTSC` of a call may even execute before the `RDTSCP` of the preceding return. The fence after
//!   it waits for both, so the larger of the two stamps was still read before the operation began.
//!   Logs use the larger one.
//!
//! The compiler reorders nothing: the instructions have side effects for it, and compiler fences stand around
//! them.
//!
//! Counters of different cores are comparable if the counter is invariant and the kernel keeps them
//! in step. [`Clock::private`] uses the counter only if the processor reports it as invariant and,
//! on Linux, the kernel offers it as a clock source. (The kernel withdraws it when it has seen cores
//! disagree.) And it tests itself: before its first use, two threads use an atomic counter, which is
//! certainly linearizable, for a few milliseconds. If their stamps contradict it, the system's clock is used instead.
//!
//! # Other processors
//!
//! [`Clock::private`] is [`Instant`], with sequentially consistent fences: the call's after its read, the return's
//! before. On Arm, Linux reads the counter after earlier instructions (`ISB`), and a load that
//! depends on the value read follows it, so that the fence orders later loads and stores after the read.
//! It is slower and coarser. Equal stamps count as concurrent.
//!
//! # Undrained clocks
//!
//! A *store* completes when it is in the store buffer of its core; other cores see it when it
//! leaves the buffer. A register that is written by a plain store is linearizable in the order of happens-before,
//! and in real time only if something waits for the buffer. The clocks above wait: the `MFENCE` of the return.
//! [`Clock::undrained`] does not. With it, an object whose last step is an unfenced store is
//! caught returning before its effect is visible. It finds missing fences, **and it reports objects that are
//! correct by the rules of their memory order**: decide whether such a report is a bug.
//!
//! # The shared counter
//!
//! [`Clock::shared`] counts events with one atomic counter. It is exact everywhere, but its two
//! locked instructions per operation synchronise all threads with each other, which hides missing
//! synchronisation and makes threads take turns.

use std::sync::atomic::{AtomicU64, Ordering, compiler_fence, fence};
use std::sync::{Arc, OnceLock};
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
    Tsc(tsc::Fence),
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
    /// The best clock that threads can read without touching shared memory. Never alarms on a
    /// linearizable object.
    pub fn private() -> Clock {
        static CHOSEN: OnceLock<Clock> = OnceLock::new();
        CHOSEN.get_or_init(Clock::best).clone()
    }

    fn best() -> Clock {
        #[cfg(target_arch = "x86_64")]
        if tsc::is_reliable() {
            let clock =
                Clock { source: Source::Tsc(tsc::Fence::of_this_processor()), drains: true };
            if self_test::passes(&clock) {
                return clock;
            }
        }
        let clock = Clock::instant();
        if self_test::passes(&clock) { clock } else { Clock::shared() }
    }

    /// The monotonic clock of the operating system.
    pub fn instant() -> Clock {
        Clock { source: Source::Instant(Instant::now()), drains: true }
    }

    /// One counter that all threads increment.
    pub fn shared() -> Clock {
        Clock { source: Source::Counter(Arc::default()), drains: false }
    }

    /// Does not wait for stores before a return is stamped: finds missing fences, and reports objects
    /// that are linearizable only in the order of happens-before. See the [module documentation](self).
    pub fn undrained(self) -> Clock {
        Clock { drains: false, ..self }
    }

    /// A short name: `private`, `undrained`, `system`, `shared`.
    pub fn name(&self) -> &'static str {
        match (&self.source, self.drains) {
            (Source::Counter(_), _) => "shared",
            (_, false) => "undrained",
            (Source::Instant(_), true) => "system",
            #[cfg(target_arch = "x86_64")]
            (Source::Tsc(_), true) => "private",
        }
    }

    /// A description for reports.
    pub fn describe(&self) -> String {
        let source = match &self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Tsc(_) => "private logs stamped by the TSC",
            Source::Instant(_) => "private logs stamped by the system clock",
            Source::Counter(_) => "a counter shared by all threads",
        };
        let fences = match (&self.source, self.drains) {
            (_, true) => "after stores have become visible",
            (Source::Counter(_), false) => "whose locked increments can hide missing fences",
            (_, false) => "undrained: stores may become visible after their return",
        };
        format!("{source}, {fences}")
    }

    /// The stamp of a call: read before any later instruction executes.
    #[inline]
    pub fn call(&self) -> u64 {
        compiler_fence(Ordering::SeqCst);
        let stamp = match &self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Tsc(fence) => tsc::before(*fence),
            Source::Instant(base) => {
                let stamp = nanoseconds(base);
                fence(Ordering::SeqCst);
                #[cfg(target_arch = "x86_64")]
                tsc::wait();
                stamp
            }
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

    /// The stamp of a return: read after every earlier instruction has executed and, unless the clock
    /// is [undrained](Clock::undrained), every earlier store is visible.
    #[inline]
    pub fn ret(&self) -> u64 {
        compiler_fence(Ordering::SeqCst);
        if self.drains {
            fence(Ordering::SeqCst);
        }
        let stamp = match &self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Tsc(_) => tsc::after(),
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
    use std::arch::x86_64::{__cpuid, __cpuid_count, __rdtscp, _mm_lfence, _mm_mfence, _rdtsc};
    use std::sync::OnceLock;

    /// What makes later instructions wait for the clock to be read.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum Fence {
        /// `LFENCE`.
        Loads,
        /// `MFENCE; LFENCE`.
        All,
    }

    impl Fence {
        pub(super) fn of_this_processor() -> Fence {
            if lfence_waits() { Fence::Loads } else { Fence::All }
        }
    }

    /// `RDTSC; LFENCE` or `RDTSC; MFENCE; LFENCE`.
    #[inline]
    #[allow(unsafe_code)] // The instructions have no other name; they touch no memory.
    pub(super) fn before(fence: Fence) -> u64 {
        // SAFETY: every x86-64 has these.
        unsafe {
            let stamp = _rdtsc();
            if fence == Fence::All {
                _mm_mfence();
            }
            _mm_lfence();
            stamp
        }
    }

    /// Later instructions wait until all earlier ones have completed.
    #[inline]
    #[allow(unsafe_code)] // As above.
    pub(super) fn wait() {
        // SAFETY: every x86-64 has both.
        unsafe {
            _mm_mfence();
            _mm_lfence();
        }
    }

    /// `RDTSCP`.
    #[inline]
    #[allow(unsafe_code)] // As above; the processor's number is written to a local variable.
    pub(super) fn after() -> u64 {
        let mut processor = 0;
        // SAFETY: `is_reliable` has asked for the instruction.
        unsafe { __rdtscp(&raw mut processor) }
    }

    /// True if `LFENCE` makes later instructions wait for all earlier ones.
    fn lfence_waits() -> bool {
        let vendor = __cpuid(0);
        let is_intel =
            [vendor.ebx, vendor.edx, vendor.ecx] == [0x756e_6547, 0x4965_6e69, 0x6c65_746e];
        is_intel || amd_promises() || the_kernel_promises()
    }

    /// "LFENCE is always dispatch serializing."
    fn amd_promises() -> bool {
        const FEATURES_2: u32 = 0x8000_0021;
        largest_extended() >= FEATURES_2 && __cpuid_count(FEATURES_2, 0).eax & (1 << 2) != 0
    }

    fn the_kernel_promises() -> bool {
        let is_flag = |line: &str| line.split_whitespace().any(|flag| flag == "lfence_rdtsc");
        let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let mut flags = processors.lines().filter(|line| line.starts_with("flags")).peekable();
        flags.peek().is_some() && flags.all(is_flag)
    }

    fn largest_extended() -> u32 {
        __cpuid(0x8000_0000).eax
    }

    /// True if the counter runs at one speed and in step on all cores.
    pub(super) fn is_reliable() -> bool {
        static RELIABLE: OnceLock<bool> = OnceLock::new();
        *RELIABLE.get_or_init(|| is_invariant() && has_rdtscp() && is_trusted_by_the_kernel())
    }

    fn is_invariant() -> bool {
        const POWER: u32 = 0x8000_0007;
        largest_extended() >= POWER && __cpuid(POWER).edx & (1 << 8) != 0
    }

    fn has_rdtscp() -> bool {
        const FEATURES: u32 = 0x8000_0001;
        largest_extended() >= FEATURES && __cpuid(FEATURES).edx & (1 << 27) != 0
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

/// Stamps the operations of an atomic counter, which is linearizable on every machine.
mod self_test {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::Clock;

    /// Operations of each thread: about two milliseconds.
    const OPERATIONS: usize = 20_000;

    /// An operation: what it returned, and its stamps.
    type Stamped = (u64, u64, u64);

    /// True if no stamp contradicts the counter.
    pub(super) fn passes(clock: &Clock) -> bool {
        let (counter, start) = (AtomicU64::new(0), Barrier::new(2));
        let run = |op: fn(&AtomicU64) -> u64| {
            start.wait();
            let stamped = |_| {
                let call = clock.call();
                let value = op(&counter);
                (value, call, clock.ret())
            };
            (0..OPERATIONS).map(stamped).collect::<Vec<Stamped>>()
        };
        let (adds, reads) = std::thread::scope(|scope| {
            let reader = scope.spawn(|| run(|counter| counter.load(Ordering::SeqCst)));
            let adds = run(|counter| counter.fetch_add(1, Ordering::SeqCst));
            (adds, reader.join())
        });
        reads.is_ok_and(|reads| agree(&adds, &reads))
    }

    /// A read sees every addition that returned before it was called, and none that was called after
    /// it returned. Both lists are in the order of one thread.
    pub(super) fn agree(adds: &[Stamped], reads: &[Stamped]) -> bool {
        reads.iter().all(|&(seen, call, ret)| {
            let returned = adds.partition_point(|add| add.2 < call) as u64;
            let called = adds.partition_point(|add| add.1 <= ret) as u64;
            returned <= seen && seen <= called
        })
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
            [Clock::private(), Clock::instant(), Clock::shared(), Clock::private().undrained()]
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
        assert!(Clock::instant().describe().contains("after stores have become visible"));
        assert!(Clock::instant().undrained().describe().contains("undrained"));
        assert!(Clock::shared().describe().contains("shared by all threads"));
    }

    #[test]
    fn the_self_test_notices_late_calls_and_early_returns() {
        let adds: Vec<_> = (0..10).map(|n| (n, 10 * n, 10 * n + 5)).collect();
        let read = |seen, call, ret| self_test::agree(&adds, &[(seen, call, ret)]);
        // Additions 0 to 2 have returned by 26, and addition 3 is called at 30.
        assert!(read(3, 26, 29) && read(3, 22, 32) && read(2, 22, 29) && read(4, 26, 33));
        assert!(!read(2, 26, 29), "an old value, as if the call had been stamped late");
        assert!(!read(4, 26, 29), "a new value, as if the return had been stamped early");
    }

    #[test]
    fn every_clock_passes_the_self_test() {
        for clock in [Clock::private(), Clock::instant(), Clock::shared()] {
            assert!(self_test::passes(&clock), "{}", clock.describe());
        }
    }
}
