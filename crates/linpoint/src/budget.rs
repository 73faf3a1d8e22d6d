//! Limits on time and memory, cancellation, and progress.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use crate::allowance::Allowance;

/// The limit that ended a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Limit {
    /// The wall-clock limit.
    Time,
    /// The memory limit.
    Memory,
    /// The limit on search steps of a single engine.
    Steps,
    /// The bound on schedule depth, see [`crate::Engine::Hitting`].
    Depth,
    /// The limit on configurations of a stream, see [`crate::incremental`].
    Configurations,
    /// [`Cancel::cancel`] was called.
    Cancelled,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limit::Time => "the time limit",
            Limit::Memory => "the memory limit",
            Limit::Steps => "the limit on search steps",
            Limit::Depth => "the bound on depth",
            Limit::Configurations => "the limit on configurations",
            Limit::Cancelled => "cancellation",
        })
    }
}

/// Stops a running check from another thread.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Asks every search that uses this token to stop soon.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once [`Cancel::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The state of a running check. The progress callback receives it about ten times a second.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Configurations visited by all engines.
    pub steps: u64,
    /// Bytes counted against the memory limit.
    pub bytes: usize,
    /// Number of independent parts decided so far.
    pub parts_done: usize,
    /// Number of independent parts.
    pub parts: usize,
    /// The part that an engine searches, from 1 on; 0 if none does. If several are searched, the one that began first.
    pub part: usize,
    /// Number of returns of that part.
    pub returns: usize,
    /// Number of them that some order explains.
    pub returns_reached: usize,
}

/// The part that an engine searches, and how far it has come. Only for progress: another thread may see values of
/// different moments.
#[derive(Debug)]
pub(crate) struct Searched {
    part: AtomicUsize,
    returns: AtomicU32,
    reached: AtomicU32,
}

impl Searched {
    const NONE: usize = usize::MAX;

    pub(crate) fn nothing() -> Self {
        let (returns, reached) = (AtomicU32::new(0), AtomicU32::new(0));
        Searched { part: AtomicUsize::new(Self::NONE), returns, reached }
    }

    /// An order explains this many returns of a part. Counts if no other part is searched.
    fn explains(&self, part: usize, returns: u32, reached: u32) {
        let free =
            self.part.compare_exchange(Self::NONE, part, Ordering::Relaxed, Ordering::Relaxed);
        match free {
            Ok(_) => {
                self.returns.store(returns, Ordering::Relaxed);
                self.reached.store(reached, Ordering::Relaxed);
            }
            Err(current) if current == part => {
                self.reached.fetch_max(reached, Ordering::Relaxed);
            }
            Err(_) => {}
        }
    }

    /// A part is searched no more.
    pub(crate) fn leave(&self, part: usize) {
        let (none, relaxed) = (Self::NONE, Ordering::Relaxed);
        // Fails if the part was not the one that counts.
        let _ = self.part.compare_exchange(part, none, relaxed, relaxed);
    }

    /// The part from 1 on, its returns, and how many of them are explained.
    pub(crate) fn now(&self) -> (usize, usize, usize) {
        match self.part.load(Ordering::Relaxed) {
            Self::NONE => (0, 0, 0),
            part => {
                let load = |n: &AtomicU32| n.load(Ordering::Relaxed) as usize;
                (part + 1, load(&self.returns), load(&self.reached))
            }
        }
    }
}

/// How many bytes the process has allocated, if the program counts them. See [`count_memory_with`].
static METER: OnceLock<fn() -> usize> = OnceLock::new();

/// Makes memory limits count every allocation of the process.
///
/// Without this, a limit counts what engines keep: configurations, states, tables. That is most of what grows, but not
/// what a specification allocates behind [`Spec::state_bytes`](crate::Spec::state_bytes), nor what preparing and
/// explaining need for a while. A program with a counting global allocator passes its counter here, once; the
/// `linpoint` command does. A check then stops when the process has grown by the limit since the check began.
pub fn count_memory_with(meter: fn() -> usize) {
    // The first meter stays: counters of two allocators cannot be mixed.
    let _ = METER.set(meter);
}

fn allocated() -> Option<usize> {
    METER.get().map(|meter| meter())
}

/// Bytes in use, shared by all searches under one limit.
#[derive(Debug)]
pub(crate) struct Memory {
    used: AtomicUsize,
    peak: AtomicUsize,
    limit: usize,
    /// What the process may have allocated, if that is counted.
    most_allocated: usize,
}

impl Memory {
    pub(crate) fn new(limit: Option<usize>) -> Self {
        let limit = Limits { memory: limit, time: None }.memory_bytes();
        let most_allocated = allocated().map_or(usize::MAX, |now| now.saturating_add(limit));
        Memory { used: AtomicUsize::new(0), peak: AtomicUsize::new(0), limit, most_allocated }
    }

    /// No limit.
    pub(crate) const fn unlimited() -> Self {
        Memory {
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            limit: usize::MAX,
            most_allocated: usize::MAX,
        }
    }

    /// True if `bytes` more would be too many, going by what the process has allocated.
    #[inline]
    pub(crate) fn is_short_of(&self, bytes: usize) -> bool {
        self.most_allocated != usize::MAX
            && allocated().is_some_and(|now| now.saturating_add(bytes) > self.most_allocated)
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Reserves `bytes` if they fit under the limit.
    pub(crate) fn reserve(&self, bytes: usize) -> bool {
        if self.is_short_of(bytes) {
            return false;
        }
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > self.limit {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        true
    }

    pub(crate) fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The budget of one search: the shared limits, and how much of them this search has used. A
/// [`Session`](crate::subject::Session) reserves memory for its states here.
pub struct Budget<'a> {
    deadline: Option<Instant>,
    cancels: SmallVec<[&'a Cancel; 2]>,
    superseded: Option<(&'a AtomicUsize, usize)>,
    memory: &'a Memory,
    held: usize,
    max_held: usize,
    steps: u64,
    /// Work since the last look at the clock that is not counted in steps.
    work: u64,
    max_steps: u64,
    total_steps: Option<&'a std::sync::atomic::AtomicU64>,
    /// Where to report how many returns of this part are explained, and how many it has.
    searched: Option<(&'a Searched, usize, u32)>,
    explained: u32,
    allowance: Allowance,
}

/// Number of steps between two looks at the clock.
const STEPS_PER_LOOK: u64 = 1024;
/// The same for units of work, each of which takes a few nanoseconds.
const WORK_PER_LOOK: u64 = 1 << 16;

impl<'a> Budget<'a> {
    pub(crate) fn new(deadline: Option<Instant>, memory: &'a Memory) -> Self {
        Budget {
            deadline,
            cancels: SmallVec::new(),
            superseded: None,
            memory,
            held: 0,
            max_held: usize::MAX,
            steps: 0,
            work: 0,
            max_steps: u64::MAX,
            total_steps: None,
            searched: None,
            explained: 0,
            allowance: Allowance::unlimited(),
        }
    }

    /// The limits of an allowance.
    pub fn of(allowance: &Allowance) -> Budget<'static> {
        let mut budget = Budget::unlimited();
        budget.allowance = allowance.clone();
        budget
    }

    /// No limits. For looking at a few states.
    pub fn unlimited() -> Budget<'static> {
        static MEMORY: Memory = Memory::unlimited();
        Budget::new(None, &MEMORY)
    }

    pub(crate) fn watch(mut self, cancel: &'a Cancel) -> Self {
        self.cancels.push(cancel);
        self
    }

    /// Stops once `first_failure` is below `part`, since the answer for this part is no longer
    /// needed.
    pub(crate) fn unless_failed_before(
        mut self,
        first_failure: &'a AtomicUsize,
        part: usize,
    ) -> Self {
        self.superseded = Some((first_failure, part));
        self
    }

    pub(crate) fn count_into(mut self, total: &'a std::sync::atomic::AtomicU64) -> Self {
        self.total_steps = Some(total);
        self
    }

    /// Says now and then how many returns of a part are explained.
    pub(crate) fn report_to(mut self, searched: &'a Searched, part: usize, returns: u32) -> Self {
        self.searched = Some((searched, part, returns));
        self
    }

    /// What it explains is not the history itself.
    pub(crate) fn silent(mut self) -> Self {
        self.searched = None;
        self
    }

    /// Some order explains this many returns.
    #[inline]
    pub(crate) fn explains(&mut self, returns: u32) {
        self.explained = returns;
    }

    /// Takes no more memory than this, however much there is.
    pub(crate) fn max_bytes(mut self, max: usize) -> Self {
        self.max_held = max;
        self
    }

    pub(crate) fn max_steps(mut self, max: u64) -> Self {
        self.max_steps = max;
        self
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Counts one step of the search. Checks the clock and the cancel flags every
    /// [`STEPS_PER_LOOK`] steps.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Limit> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_PER_LOOK) { self.look() } else { Ok(()) }
    }

    /// Counts work equivalent to `steps` steps.
    pub(crate) fn spend(&mut self, steps: u64) -> Result<(), Limit> {
        let looks = self.steps / STEPS_PER_LOOK;
        self.steps += steps;
        for _ in looks..self.steps / STEPS_PER_LOOK {
            self.look()?;
        }
        Ok(())
    }

    /// Counts work of a step that takes longer the wider a history is: choices looked at, words of masks copied. A
    /// step of a wide history takes milliseconds, so counting steps is not enough to keep a time limit.
    #[inline]
    pub(crate) fn work(&mut self, units: usize) -> Result<(), Limit> {
        self.work += units as u64;
        if self.work < WORK_PER_LOOK {
            return Ok(());
        }
        self.work = 0;
        self.check_now()
    }

    /// Fails if the process would have allocated too much with this many bytes more. Unlike [`Budget::reserve`], nothing
    /// is taken: it is for what is reserved elsewhere, or not at all.
    pub(crate) fn fits(&self, bytes: usize) -> Result<(), Limit> {
        if self.memory.is_short_of(bytes) { Err(Limit::Memory) } else { self.allowance.fits(bytes) }
    }

    /// Fails if a vector is full and the process would have allocated too much after it has doubled. A table that
    /// doubles is the largest single allocation of a search.
    #[inline]
    pub(crate) fn fits_another<T>(&self, list: &Vec<T>) -> Result<(), Limit> {
        if list.len() < list.capacity() { Ok(()) } else { self.fits(list.len() * size_of::<T>()) }
    }

    /// The same for a hash table, which is copied into one twice as large.
    #[inline]
    pub(crate) fn fits_another_in<K, V, S>(&self, table: &HashMap<K, V, S>) -> Result<(), Limit> {
        if table.len() < table.capacity() {
            return Ok(());
        }
        // One cell in eight stays vacant, and each has a byte of its hash.
        self.fits(2 * (table.capacity() / 7 * 8) * (size_of::<(K, V)>() + 1))
    }

    #[cold]
    fn look(&mut self) -> Result<(), Limit> {
        if let Some(total) = self.total_steps {
            total.fetch_add(STEPS_PER_LOOK, Ordering::Relaxed);
        }
        if let Some((searched, part, returns)) = self.searched {
            searched.explains(part, returns, self.explained);
        }
        self.check_now()
    }

    /// Checks the clock and the cancel flags.
    pub(crate) fn check_now(&self) -> Result<(), Limit> {
        let superseded =
            |(first, part): (&AtomicUsize, usize)| first.load(Ordering::Relaxed) < part;
        if self.cancels.iter().any(|c| c.is_cancelled()) || self.superseded.is_some_and(superseded)
        {
            return Err(Limit::Cancelled);
        }
        if self.steps >= self.max_steps {
            return Err(Limit::Steps);
        }
        if self.memory.is_short_of(0) {
            return Err(Limit::Memory);
        }
        match self.deadline {
            Some(deadline) if Instant::now() + time_to_free(self.held) >= deadline => {
                Err(Limit::Time)
            }
            _ => self.allowance.look(),
        }
    }

    /// Reserves memory that is about to be allocated.
    ///
    /// # Errors
    ///
    /// [`Limit::Memory`] if not enough is left.
    pub fn reserve(&mut self, bytes: usize) -> Result<(), Limit> {
        if self.held.saturating_add(bytes) <= self.max_held && self.memory.reserve(bytes) {
            self.held += bytes;
            Ok(())
        } else {
            Err(Limit::Memory)
        }
    }

    /// Releases memory that was reserved before.
    pub fn release(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.held);
        self.held -= bytes;
        self.memory.release(bytes);
    }
}

impl Drop for Budget<'_> {
    fn drop(&mut self) {
        self.memory.release(self.held);
        if let Some(total) = self.total_steps {
            total.fetch_add(self.steps % STEPS_PER_LOOK, Ordering::Relaxed);
        }
    }
}

/// Three quarters of the memory that was free at the first call, so that a hard instance ends as
/// undecided instead of being killed by the operating system. No limit if the amount of free memory
/// is unknown.
fn default_memory() -> usize {
    static DEFAULT: OnceLock<usize> = OnceLock::new();
    *DEFAULT.get_or_init(|| {
        let free = [free_on_the_machine(), free_in_the_container()].into_iter().flatten().min();
        free.map_or(usize::MAX, |bytes| bytes / 4 * 3)
    })
}

fn free_on_the_machine() -> Option<usize> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

fn free_in_the_container() -> Option<usize> {
    let read = |name: &str| {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/memory.{name}")).ok()?;
        text.trim().parse::<usize>().ok()
    };
    read("max")?.checked_sub(read("current")?)
}

/// The limits of a check. By default there is no time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Wall-clock time, including the explanation.
    pub time: Option<Duration>,
    /// Bytes for everything that grows during the search: visited configurations, interned states
    /// (as reported by [`crate::Spec::state_bytes`]), transition tables; and everything that the
    /// process allocates meanwhile, if the program counts that ([`count_memory_with`]). The history
    /// itself belongs to the caller and is not counted. `None` means three quarters of the memory that is free on
    /// this machine or in this container.
    pub memory: Option<usize>,
}

impl Limits {
    /// The memory limit in bytes: the given limit, or the default. To run several checks in
    /// parallel, divide it among them.
    pub fn memory_bytes(&self) -> usize {
        self.memory.unwrap_or_else(default_memory)
    }
}

/// Giving memory back also takes time, before the deadline. Small pieces, the worst case, take about this long.
fn time_to_free(bytes: usize) -> Duration {
    Duration::from_nanos(bytes as u64 / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_about_the_part_that_began_first() {
        let searched = Searched::nothing();
        assert_eq!(searched.now(), (0, 0, 0));
        searched.explains(4, 10, 3);
        searched.explains(1, 20, 15);
        searched.leave(1);
        searched.explains(4, 10, 2);
        assert_eq!(searched.now(), (5, 10, 3));
        searched.leave(4);
        searched.explains(1, 20, 16);
        assert_eq!(searched.now(), (2, 20, 16));
    }
}
