//! Semaphores.
//!
//! Idea. Releases are all alike, and so are acquires. Sweep over the peaks and perform both as late as
//! possible, only where one is about to end, always the one that has to be done first; an acquire that
//! finds no permit is preceded by a release.
//!
//! Exact as long as nobody found that there was no permit, with pending operations. *Claim: every
//! linearization has at least as many releases and as many acquires up to each peak `x` as the sweep.*
//! By induction: what ends at `x` forces one more of its kind (the argument is that of the flags' sweep,
//! for each kind apart: let `y` be the last peak where one was performed that ends after `x`; those
//! performed since, and this one, have to be done between `y` and `x`). And an acquire at 0 permits
//! forces a release, since permits are never fewer than none: acquires are at least as many in every
//! linearization, so its releases are at least one more. If no release has been called that is not
//! done, there is no linearization.
//!
//! With operations that found no permit, the sweep without them still proves a "no": it asks for less.
//! So does one of them at all of whose peaks there is a permit even if only the releases that had
//! ended are done, and all the acquires that had been called. For a "yes", three policies of when to take all permits are tried; each order that comes out
//! is an explanation by construction. If none does, the monitor refuses. (Taking them as soon as
//! possible is wrong when another acquire must have one of them soon; taking them as late as possible
//! is wrong when more are released until then. No exact rule is known to us.)
//!
//! Time O(n log k) with k operations open at once. Refused: initial permits close to the limit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::spec::Role;

use super::peaks::{self, Peaks};
use super::{Clock, Contradiction, Found, Refusal, Rows, shrink};

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
        return Err(Refusal::new("it is not clear when there was no permit"));
    };
    let mut order = Vec::with_capacity(entries.len());
    let _ = Sweep::new(initial, policy).run(&entries, |row| order.push(row));
    Ok(Found::Order(order))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Idle,
    Release,
    Acquire,
    NoPermit,
}

type Entry = peaks::Entry<Step>;

/// The operations by left end, and the number of peaks.
fn read(rows: Rows<'_>) -> Result<(Vec<Entry>, u32), Refusal> {
    let peaks = Peaks::of(rows);
    let entries = peaks.entries(|row| match rows.role(row) {
        Role::Foreign(reason) => Err(Refusal::new(reason)),
        Role::Idle => Ok(Step::Idle),
        Role::Release => Ok(Step::Release),
        Role::Acquire => Ok(Step::Acquire),
        Role::NoPermit => Ok(Step::NoPermit),
        _ => Err(Refusal::new("an operation that this kind of object lacks")),
    })?;
    Ok((entries, peaks.count))
}

/// True if the operations contradict each other for one of the two reasons that prove it.
fn is_impossible(initial: u64, entries: &[Entry], peaks: u32) -> bool {
    Sweep::new(initial, Policy::Ignore).run(entries, |_| ()).is_err()
        || finds_permits(initial, entries, peaks)
}

/// True if an operation that found no permit had one all the time.
fn finds_permits(initial: u64, entries: &[Entry], peaks: u32) -> bool {
    if entries.iter().all(|e| e.step != Step::NoPermit) {
        return false;
    }
    // How the least number of permits changes from peak to peak.
    let mut change = vec![0i64; peaks as usize + 1];
    for e in entries {
        match e.step {
            Step::Release if e.right != Peaks::NEVER => change[e.right as usize + 1] += 1,
            Step::Acquire => change[e.left as usize] -= 1,
            _ => {}
        }
    }
    // The next peak, from each one on, at which there may have been none.
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
    entries.iter().any(|e| e.step == Step::NoPermit && next[e.left as usize] > e.right)
}

/// When all permits are taken for the sake of those that found none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Policy {
    /// Never: they are left out.
    Ignore,
    /// When one of them ends.
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
    /// Open operations that are not done, by right end: the end and the row in one number.
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

    /// Explains operations sorted by left end. Tells `emit` each one that takes effect, in order.
    fn run(&mut self, entries: &[Entry], mut emit: impl FnMut(u32)) -> Result<(), Stuck> {
        for e in entries {
            self.until(e.left, &mut emit)?;
            let at_end = Reverse(u64::from(e.right) << 32 | u64::from(e.row));
            match e.step {
                Step::Release => self.releases.push(at_end),
                Step::Acquire => self.acquires.push(at_end),
                Step::NoPermit if self.policy == Policy::Ignore => {}
                Step::NoPermit if self.permits > 0 => {
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

    /// Performs what has to be done before this peak.
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

/// Few operations that contradict each other; see [`shrink`]. Whoever might have taken a permit does
/// so when it is relaxed.
fn contradiction(initial: u64, entries: &[Entry], peaks: u32) -> Contradiction {
    let relaxed = |e: &Entry| {
        let step = match e.step {
            Step::Idle => return None,
            Step::Release => Step::Release,
            Step::Acquire | Step::NoPermit => Step::Acquire,
        };
        Some(Entry { left: 0, right: Peaks::NEVER, step, ..*e })
    };
    let relaxed: Vec<Option<Entry>> = entries.iter().map(relaxed).collect();
    let is_bad = |mixed: &[Entry]| is_impossible(initial, mixed, peaks);
    let core = shrink::core(entries, &relaxed, is_bad);
    let rows: Vec<u32> = core.iter().map(|e| e.row).collect();
    let found_none = core.iter().any(|e| e.step == Step::NoPermit);
    Contradiction::of_all(
        &rows,
        match (rows.len(), found_none) {
            (1, true) => " found no permit, but there was one that nobody can have taken",
            (1, false) => " took a permit, but there was none that it can have taken",
            (_, true) => {
                " contradict each other: there must have been a permit that nobody had taken"
            }
            (_, false) => {
                " contradict each other: more permits were taken than there can have been"
            }
        },
    )
}
