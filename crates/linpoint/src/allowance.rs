//! An allowance of time and memory that several pieces of work share.
//!
//! A [`Budget`](crate::subject::Budget) is for one search that begins and ends. An allowance is for work that comes in
//! portions, such as the events of a stream: it lives as long as the stream, and its clock can stand still while nothing
//! is to be done.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::budget::{Limit, Limits, Memory};

/// Units of work between two looks at the clock. A unit takes a few nanoseconds.
const WORK_PER_LOOK: u64 = 1 << 15;

/// Time and memory, shared by all clones. The first limit that is reached stays reached.
///
/// ```
/// use linpoint::{Allowance, Limit, Limits};
/// use std::time::Duration;
///
/// let limits = Limits { time: Some(Duration::ZERO), memory: None };
/// let allowance = Allowance::new(&limits);
/// assert_eq!(allowance.exhausted(), None); // nothing has looked at the clock yet
/// assert_eq!(allowance.work(1_000_000), Err(Limit::Time));
/// assert_eq!(allowance.exhausted(), Some(Limit::Time));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Allowance(Option<Arc<Shared>>);

#[derive(Debug)]
struct Shared {
    began: Instant,
    /// Nanoseconds from the beginning to the end of the time; the maximum if there is no time limit.
    time: AtomicU64,
    memory: Memory,
    /// Work since the last look.
    work: AtomicU64,
    /// The limit that was reached: 0 for none, 1 for time, 2 for memory.
    reached: AtomicU8,
}

impl Allowance {
    /// The clock starts now.
    pub fn new(limits: &Limits) -> Allowance {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Allowance(Some(Arc::new(Shared {
            began: Instant::now(),
            time: AtomicU64::new(limits.time.map_or(u64::MAX, nanos)),
            memory: Memory::new(limits.memory),
            work: AtomicU64::new(0),
            reached: AtomicU8::new(0),
        })))
    }

    /// No limits.
    pub fn unlimited() -> Allowance {
        Allowance(None)
    }

    /// The clock stood still for this long. Waiting for input is not work.
    pub fn pause(&self, time: Duration) {
        if let Some(shared) = &self.0 {
            let more = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            let longer = shared.time.load(Ordering::Relaxed).saturating_add(more);
            shared.time.store(longer, Ordering::Relaxed);
        }
    }

    /// Counts work, in units of a few nanoseconds, and looks at the clock and the memory once in a while.
    ///
    /// # Errors
    ///
    /// The limit that was reached, now or earlier.
    #[inline]
    pub fn work(&self, units: usize) -> Result<(), Limit> {
        let Some(shared) = &self.0 else { return Ok(()) };
        // Threads that count at the same time may lose some of it.
        let work = shared.work.load(Ordering::Relaxed).saturating_add(units as u64);
        shared.work.store(work, Ordering::Relaxed);
        if work < WORK_PER_LOOK {
            return self.exhausted().map_or(Ok(()), Err);
        }
        self.look()
    }

    /// Looks at the clock and the memory.
    ///
    /// # Errors
    ///
    /// The limit that was reached, now or earlier.
    #[cold]
    pub fn look(&self) -> Result<(), Limit> {
        self.fits(0)?;
        let Some(shared) = &self.0 else { return Ok(()) };
        shared.work.store(0, Ordering::Relaxed);
        let time = shared.time.load(Ordering::Relaxed);
        if time != u64::MAX && shared.began.elapsed() >= Duration::from_nanos(time) {
            return Err(self.reach(Limit::Time));
        }
        Ok(())
    }

    /// Fails if the process would have too much memory with this many bytes more.
    pub(crate) fn fits(&self, bytes: usize) -> Result<(), Limit> {
        let Some(shared) = &self.0 else { return Ok(()) };
        if let Some(limit) = self.exhausted() {
            return Err(limit);
        }
        if shared.memory.is_short_of(bytes) {
            return Err(self.reach(Limit::Memory));
        }
        Ok(())
    }

    fn reach(&self, limit: Limit) -> Limit {
        if let Some(shared) = &self.0 {
            let code = if limit == Limit::Memory { 2 } else { 1 };
            shared.reached.store(code, Ordering::Relaxed);
        }
        limit
    }

    /// The limit that was reached, if any.
    #[inline]
    pub fn exhausted(&self) -> Option<Limit> {
        match self.0.as_ref()?.reached.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Limit::Time),
            _ => Some(Limit::Memory),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_stands_still_adds_time() {
        let allowance = Allowance::new(&Limits { time: Some(Duration::ZERO), memory: None });
        allowance.pause(Duration::from_secs(3600));
        assert_eq!(allowance.work(usize::MAX), Ok(()));
        assert_eq!(allowance.exhausted(), None);
    }

    #[test]
    fn a_limit_stays_reached_for_all_clones() {
        let allowance = Allowance::new(&Limits { time: Some(Duration::ZERO), memory: None });
        let other = allowance.clone();
        assert_eq!(allowance.look(), Err(Limit::Time));
        assert_eq!(other.work(1), Err(Limit::Time));
        other.pause(Duration::from_secs(3600));
        assert_eq!(other.exhausted(), Some(Limit::Time));
    }
}
