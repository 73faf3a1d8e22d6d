//! Semaphores.
//!
//! Idea. Releases are interchangeable, and so are acquires. Sweep over the peaks and perform both
//! as late as possible, only where one is about to end, always the one with the earliest end; an
//! acquire that finds no permit is preceded by a release.
//!
//! Exact as long as no operation found that there was no permit, with pending operations. *Claim:
//! every linearization has at least as many releases and as many acquires up to each peak `x` as
//! the sweep.* By induction: what ends at `x` forces one more of its kind (the argument is that of
//! the flags' sweep, for each kind separately: let `y` be the last peak where one was performed
//! that ends after `x`; those performed since, and this one, have to be performed between `y` and
//! `x`). And an acquire at 0 permits forces a release, since the number of permits is never
//! negative: every linearization has at least as many acquires, so it has at least one more
//! release. If no called release is left, there is no linearization.
//!
//! With operations that found no permit, the sweep without them still proves a "no": it requires
//! less. So does one of them at all of whose peaks there is a permit even if only the releases that
//! had ended are performed, and all the acquires that had been called. For a "yes", three policies
//! of when to take all permits are tried; each resulting order is an explanation by construction.
//! If none gives one, the monitor refuses. (Taking them as soon as possible is wrong when another
//! acquire must have one of them soon; taking them as late as possible is wrong when more are
//! released until then. We know no exact rule.)
//!
//! Time O(n log k) with k operations open at the same time. Refused: initial permits close to the
//! limit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::spec::Role;

use super::peaks::{self, Peaks};
use super::{Clock, Contradiction, Found, Refusal, Rows, minimise};

/// Decides the rows.
pub(crate) fn decide(rows: Rows<'_>, initial: u64, clock: &mut Clock) -> Result<Found, Refusal> {
    if initial > u64::MAX / 2 {
        return Err(Refusal::new("the semaphore may be full"));
    }
    let (entries, peaks) = read(rows)?;
    clock.prepared();
    if is_impossible(initial, &entries, peaks) {
        clock.decided();
        return Ok(Found::Contradiction(contradiction(initial, &entries, peaks)));
    }
    let explains = |policy: &Policy| Sweep::new(initial, *policy).run(&entries, |_| ()).is_ok();
    let policy = [Policy::BeforeReleases, Policy::Late, Policy::Soon].into_iter().find(explains);
    clock.decided();
    let Some(policy) = policy else {
        return Err(Refusal::new("it is ambiguous when no permit was available"));
    };
    let mut order = Vec::with_capacity(entries.len());
    let _ = Sweep::new(initial, policy).run(&entries, |row| order.push(row));
    Ok(Found::Order(order))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Idle,
    Release,
    Acquire,
    NoPermit,
}

type Entry = peaks::Entry<Effect>;

/// The operations by left end, and the number of peaks.
fn read(rows: Rows<'_>) -> Result<(Vec<Entry>, u32), Refusal> {
    let peaks = Peaks::of(rows);
    let entries = peaks.entries(|row| match rows.role(row) {
        Role::Foreign(reason) => Err(Refusal::new(reason)),
        Role::Idle => Ok(Effect::Idle),
        Role::Release => Ok(Effect::Release),
        Role::Acquire => Ok(Effect::Acquire),
        Role::NoPermit => Ok(Effect::NoPermit),
        _ => Err(Refusal::new("an operation that this kind of object lacks")),
    })?;
    Ok((entries, peaks.count))
}

/// True if one of the two reasons proves that the operations contradict each other.
fn is_impossible(initial: u64, entries: &[Entry], peaks: u32) -> bool {
    Sweep::new(initial, Policy::Ignore).run(entries, |_| ()).is_err()
        || finds_permits(initial, entries, peaks)
}

/// True if a permit was available all the time for an operation that found none.
fn finds_permits(initial: u64, entries: &[Entry], peaks: u32) -> bool {
    if entries.iter().all(|e| e.effect != Effect::NoPermit) {
        return false;
    }
    // The change in the minimum number of permits from peak to peak.
    let mut change = vec![0i64; peaks as usize + 1];
    for e in entries {
        match e.effect {
            Effect::Release if e.right != Peaks::NEVER => change[e.right as usize + 1] += 1,
            Effect::Acquire => change[e.left as usize] -= 1,
            _ => {}
        }
    }
    // For each peak, the next peak at which there may have been no permit.
    let mut least = i128::from(initial);
    let mut next: Vec<u32> = (0..peaks)
        .map(|peak| {
            least += i128::from(change[peak as usize]);
            if least <= 0 { peak } else { Peaks::NEVER }
        })
        .collect();
    for peak in (1..next.len()).rev() {
        next[peak - 1] = next[peak - 1].min(next[peak]);
    }
    entries.iter().any(|e| e.effect == Effect::NoPermit && next[e.left as usize] > e.right)
}

/// When to take all permits for the operations that found none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Policy {
    /// Never: those operations are left out.
    Ignore,
    /// When one of those operations ends.
    Late,
    /// Or when a release would come in between, if there are enough acquires.
    BeforeReleases,
    /// Or as soon as there are enough acquires.
    Soon,
}

/// The sweep.
struct Sweep {
    permits: u64,
    policy: Policy,
    /// Open operations that have not been performed, by right end: end and row in one number.
    releases: BinaryHeap<Reverse<u64>>,
    acquires: BinaryHeap<Reverse<u64>>,
    /// Open operations that found no permit, and the first of their right ends.
    waiting: Vec<u32>,
    waiting_right: u32,
}

/// There is no explanation, or this policy does not find it.
struct Stuck;

impl Sweep {
    fn new(permits: u64, policy: Policy) -> Sweep {
        Sweep {
            permits,
            policy,
            releases: BinaryHeap::new(),
            acquires: BinaryHeap::new(),
            waiting: Vec::new(),
            waiting_right: Peaks::NEVER,
        }
    }

    /// Explains operations sorted by left end. Passes each to `emit` when it takes effect.
    fn run(&mut self, entries: &[Entry], mut emit: impl FnMut(u32)) -> Result<(), Stuck> {
        for e in entries {
            self.until(e.left, &mut emit)?;
            let at_end = Reverse(u64::from(e.right) << 32 | u64::from(e.row));
            match e.effect {
                Effect::Release => self.releases.push(at_end),
                Effect::Acquire => self.acquires.push(at_end),
                Effect::NoPermit if self.policy == Policy::Ignore => {}
                Effect::NoPermit if self.permits > 0 => {
                    self.waiting.push(e.row);
                    self.waiting_right = self.waiting_right.min(e.right);
                }
                _ if e.right != Peaks::NEVER => emit(e.row),
                _ => {}
            }
            if self.policy == Policy::Soon {
                self.take_all_if_possible(&mut emit);
            }
        }
        self.until(Peaks::NEVER, &mut emit)
    }

    /// Performs the operations that must take effect before this peak.
    fn until(&mut self, peak: u32, emit: &mut impl FnMut(u32)) -> Result<(), Stuck> {
        loop {
            let (release, acquire) = (first(&self.releases), first(&self.acquires));
            let next = release.min(acquire).min(self.waiting_right);
            if next >= peak {
                return Ok(());
            }
            if next == self.waiting_right {
                while self.permits > 0 {
                    self.acquire(emit)?;
                }
            } else if next == acquire {
                if self.permits == 0 {
                    self.release(emit)?;
                }
                self.acquire(emit)?;
            } else {
                if self.policy != Policy::Late {
                    self.take_all_if_possible(emit);
                }
                self.release(emit)?;
            }
        }
    }

    fn take_all_if_possible(&mut self, emit: &mut impl FnMut(u32)) {
        if !self.waiting.is_empty() && self.permits <= self.acquires.len() as u64 {
            while self.permits > 0 && self.acquire(emit).is_ok() {}
        }
    }

    fn release(&mut self, emit: &mut impl FnMut(u32)) -> Result<(), Stuck> {
        let Some(Reverse(first)) = self.releases.pop() else { return Err(Stuck) };
        emit(first as u32);
        self.permits += 1;
        Ok(())
    }

    fn acquire(&mut self, emit: &mut impl FnMut(u32)) -> Result<(), Stuck> {
        let Some(Reverse(first)) = self.acquires.pop() else { return Err(Stuck) };
        emit(first as u32);
        self.permits -= 1;
        if self.permits == 0 {
            self.waiting.drain(..).for_each(emit);
            self.waiting_right = Peaks::NEVER;
        }
        Ok(())
    }
}

fn first(heap: &BinaryHeap<Reverse<u64>>) -> u32 {
    heap.peek().map_or(Peaks::NEVER, |Reverse(first)| (first >> 32) as u32)
}

/// A few operations that contradict each other; see [`minimise`]. An operation that might have
/// taken a permit takes one when it is relaxed.
fn contradiction(initial: u64, entries: &[Entry], peaks: u32) -> Contradiction {
    let relaxed = |e: &Entry| {
        let effect = match e.effect {
            Effect::Idle => return None,
            Effect::Release => Effect::Release,
            Effect::Acquire | Effect::NoPermit => Effect::Acquire,
        };
        Some(Entry { left: 0, right: Peaks::NEVER, effect, ..*e })
    };
    let relaxed: Vec<Option<Entry>> = entries.iter().map(relaxed).collect();
    let is_bad = |mixed: &[Entry]| is_impossible(initial, mixed, peaks);
    let core = minimise::core(entries, &relaxed, is_bad);
    let rows: Vec<u32> = core.iter().map(|e| e.row).collect();
    let found_none = core.iter().any(|e| e.effect == Effect::NoPermit);
    Contradiction::of_all(
        &rows,
        match (rows.len(), found_none) {
            (1, true) => " found no permit, but one was available all the time",
            (1, false) => " took a permit, but none was available",
            (_, true) => " contradict each other: there must have been a permit available",
            (_, false) => {
                " contradict each other: more permits were taken than there can have been"
            }
        },
    )
}
