//! Flags: elements of a set, a lock without owners, a test-and-set bit. There may be any number of
//! flags, each raised and lowered any number of times.
//!
//! Idea. A flag is flipped: raises and lowers alternate. Sweep over the peaks and flip as late as
//! possible, only where an operation is about to end that needs a flip; then perform the raise (or
//! lower) with the earliest end. Reads are performed as soon as the flag is in the state that they
//! found.
//!
//! Exact, with repeated values, failed operations (they are reads) and pending operations (raises
//! and lowers that need not be performed; pending reads are left out). *Claim: every linearization
//! has at least as many flips up to each peak `x` as the sweep.* By induction over the flips of the
//! sweep. Each of them is forced at its peak `x`:
//!
//! * by a read that ends at `x` and has been open since `l`, all the time with the flag in the wrong
//!   state after `f` flips. A linearization has at least `f` flips before `l`, and some number of other
//!   parity when it does the read: at least `f + 1` up to `x`.
//! * by a raise `t` that ends at `x` (lowers are alike). Let `y` be the last peak where the sweep
//!   performed a raise that ends later than `x`. All raises then open and not done ended later than
//!   `x`, so `t` and the raises performed since were all called after `y`, and all end at `x` at the
//!   latest. A linearization has done all those performed up to `y` in number, by induction, and then
//!   these, and `t`: one more than the sweep so far. If there is no `y`, all those performed end by
//!   `x`, and the same count holds.
//!
//! If no operation is available for a forced flip, all that have been called by `x` are performed
//! and every linearization needs one more, so there is none. Otherwise every operation was
//! performed between its call and its return.
//!
//! Time O(n log k) with k operations open at the same time. Nothing is allocated for a key.
//!
//! Paper: Lee and Mathur decide sets whose elements are added once (their algorithm 2, corrected
//! for equal times). This is a different algorithm, which needs no such condition.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::sorting::sort_by_key;
use crate::spec::Role;

use super::columns::{Kind, Named};
use super::merge::Starts;
use super::peaks::{Finder, Peaks};
use super::{Clock, Contradiction, Found, Refusal, Rows, minimise};

/// Decides the rows.
pub(crate) fn decide(rows: Rows<'_>, clock: &mut Clock) -> Result<Found, Refusal> {
    let flags = Flags::group(rows, Named::read(rows)?);
    clock.prepared();
    let answer = flags.explain();
    clock.decided();
    Ok(match answer {
        Ok(starts) => Found::Order(flags.order(starts)),
        Err(flag) => {
            rows.verify_names()?;
            let entries = by_left(flags.entries_of(flag), &mut Vec::new()).to_vec();
            Found::Contradiction(contradiction(rows, &entries))
        }
    })
}

/// An operation on a flag.
#[derive(Clone, Copy, Debug)]
struct Entry {
    left: u32,
    right: u32,
    row: u32,
    kind: Kind,
}

/// All operations, by flag.
struct Flags {
    /// The entries of a flag are adjacent.
    entries: Vec<Entry>,
    /// For each flag, the end of its entries, which is the beginning of the next flag's.
    ends: Vec<u32>,
    /// Number of peaks.
    peaks: u32,
}

impl Flags {
    fn group(rows: Rows<'_>, named: Named) -> Flags {
        let Named { kinds, keys, .. } = named;
        let mut next = vec![0u32; keys.count.max(1) + 1];
        for &key in &keys.of_row {
            next[key as usize + 1] += 1;
        }
        for key in 1..next.len() {
            next[key] += next[key - 1];
        }
        let finder = Finder::of(rows);
        let nothing = Entry { left: 0, right: 0, row: 0, kind: Kind::Idle };
        let mut entries = vec![nothing; rows.len()];
        finder.each(rows, |row, left, right| {
            let place = &mut next[keys.of_row.get(row).map_or(0, |key| *key as usize)];
            entries[*place as usize] = Entry { left, right, row: row as u32, kind: kinds[row] };
            *place += 1;
        });
        next.pop();
        Flags { entries, ends: next, peaks: finder.count() }
    }

    #[inline]
    fn entries_of(&self, flag: usize) -> &[Entry] {
        let start = if flag == 0 { 0 } else { self.ends[flag - 1] };
        &self.entries[start as usize..self.ends[flag] as usize]
    }

    /// For each peak, the position where its operations begin in an order of all; or a flag that
    /// cannot be explained.
    fn explain(&self) -> Result<Starts, usize> {
        let mut sweeper = Sweeper::new(self);
        let mut starts = Starts::new(self.peaks);
        for flag in 0..self.ends.len() {
            sweeper.run(flag, |_, peak| starts.count(peak)).map_err(|_| flag)?;
        }
        Ok(starts)
    }

    /// An order of all operations, if there is no contradiction.
    fn order(&self, starts: Starts) -> Vec<u32> {
        let mut sweeper = Sweeper::new(self);
        let mut placing = starts.into_placing();
        for flag in 0..self.ends.len() {
            // This succeeded before.
            let _ = sweeper.run(flag, |row, peak| placing.place(row, peak));
        }
        placing.order
    }
}

/// The operations of one flag, by left end.
fn by_left<'a>(entries: &'a [Entry], sorted: &'a mut Vec<Entry>) -> &'a [Entry] {
    if entries.is_sorted_by_key(|e| e.left) {
        return entries;
    }
    sorted.clear();
    sorted.extend_from_slice(entries);
    sort_by_key(sorted, |e| e.left);
    sorted
}

/// Sweeps over one flag after the other.
struct Sweeper<'a> {
    flags: &'a Flags,
    sweep: Sweep,
    sorted: Vec<Entry>,
}

impl<'a> Sweeper<'a> {
    fn new(flags: &'a Flags) -> Self {
        Sweeper { flags, sweep: Sweep::default(), sorted: Vec::new() }
    }

    /// Explains one flag. An element that comes and goes once, or stays, needs no sweep.
    #[inline]
    fn run(&mut self, flag: usize, mut emit: impl FnMut(u32, u32)) -> Result<(), Stuck> {
        let returned = |e: &Entry, kind: Kind| e.kind == kind && e.right != Peaks::NEVER;
        let entries = self.flags.entries_of(flag);
        match entries {
            [up] if returned(up, Kind::Raise) => {
                emit(up.row, up.right);
                return Ok(());
            }
            [a, b] => {
                let (up, down) = if a.left > b.left { (b, a) } else { (a, b) };
                if returned(up, Kind::Raise) && returned(down, Kind::Lower) {
                    emit(up.row, up.right.min(down.right));
                    emit(down.row, down.right);
                    return Ok(());
                }
            }
            _ => {}
        }
        self.sweep.run(by_left(entries, &mut self.sorted), emit)
    }
}

/// The sweep over the operations of one flag.
#[derive(Default)]
struct Sweep {
    up: bool,
    /// Open raises that have not been performed, by right end: end and row in one number.
    raises: BinaryHeap<Reverse<u64>>,
    /// Open lowers likewise.
    lowers: BinaryHeap<Reverse<u64>>,
    /// Open reads of the state that the flag is not in.
    waiting: Vec<u32>,
    /// The first right end of those reads.
    waiting_right: u32,
    /// The first right end of all open operations that have not been performed.
    deadline: u32,
}

/// No operation is available for a flip that is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stuck {
    /// The peak at which it is needed.
    peak: u32,
    /// True if the flag is up and has to be lowered.
    up: bool,
}

impl Sweep {
    /// Explains operations sorted by left end. Passes each to `emit`, with its peak, when it takes
    /// effect.
    fn run(&mut self, entries: &[Entry], mut emit: impl FnMut(u32, u32)) -> Result<(), Stuck> {
        self.up = false;
        self.raises.clear();
        self.lowers.clear();
        self.waiting.clear();
        (self.waiting_right, self.deadline) = (Peaks::NEVER, Peaks::NEVER);
        for e in entries {
            while self.deadline < e.left {
                self.flip(&mut emit)?;
            }
            let toggle = Reverse(u64::from(e.right) << 32 | u64::from(e.row));
            match e.kind {
                Kind::Raise => self.raises.push(toggle),
                Kind::Lower => self.lowers.push(toggle),
                Kind::IsUp | Kind::IsDown if (e.kind == Kind::IsUp) != self.up => {
                    self.waiting.push(e.row);
                    self.waiting_right = self.waiting_right.min(e.right);
                }
                // A read that is performed, or an irrelevant operation.
                _ => {
                    if e.right != Peaks::NEVER {
                        emit(e.row, e.left);
                    }
                    continue;
                }
            }
            self.deadline = self.deadline.min(e.right);
        }
        while self.deadline != Peaks::NEVER {
            self.flip(&mut emit)?;
        }
        Ok(())
    }

    fn flip(&mut self, emit: &mut impl FnMut(u32, u32)) -> Result<(), Stuck> {
        let peak = self.deadline;
        let toggles = if self.up { &mut self.lowers } else { &mut self.raises };
        let Some(Reverse(toggle)) = toggles.pop() else {
            return Err(Stuck { peak, up: self.up });
        };
        emit(toggle as u32, peak);
        self.up = !self.up;
        for row in self.waiting.drain(..) {
            emit(row, peak);
        }
        self.waiting_right = Peaks::NEVER;
        let first = |heap: &BinaryHeap<Reverse<u64>>| {
            heap.peek().map_or(Peaks::NEVER, |Reverse(toggle)| (toggle >> 32) as u32)
        };
        self.deadline = first(&self.raises).min(first(&self.lowers));
        Ok(())
    }
}

/// A few operations of one flag that contradict each other.
///
/// The others are relaxed, not removed: a raise that may have happened at any time or not at all
/// explains much. So all raises of a flag may be needed to show that there were too few, and trial
/// determines which rows can be left out.
fn contradiction(rows: Rows<'_>, entries: &[Entry]) -> Contradiction {
    let relaxed = |e: &Entry| {
        let kind = match rows.relaxed_role(e.row as usize) {
            Role::Raise => Kind::Raise,
            Role::Lower => Kind::Lower,
            _ => return None,
        };
        Some(Entry { left: 0, right: Peaks::NEVER, row: e.row, kind })
    };
    let relaxed: Vec<Option<Entry>> = entries.iter().map(relaxed).collect();
    let mut sweep = Sweep::default();
    let mut why = None;
    let core = minimise::core(entries, &relaxed, |mixed| match sweep.run(mixed, |_, _| ()) {
        Ok(()) => false,
        Err(stuck) => {
            why = Some(stuck);
            true
        }
    });
    // The operation that ended when no flip was available comes first.
    let mut named: Vec<u32> = core.iter().map(|e| e.row).collect();
    if let Some(last) = core.iter().position(|e| why.is_some_and(|why| e.right == why.peak)) {
        named.swap(0, last);
    }
    let (state, verb) = match why {
        Some(Stuck { up: true, .. }) => ("clear", "cleared"),
        _ => ("set", "set"),
    };
    let end = match named.len() {
        1 => format!(
            " needs it {state}, but no operation that had begun by then could have {verb} it"
        ),
        _ => format!(
            " contradict each other: for the first it has to be {verb} more often than it can have \
             been by then"
        ),
    };
    Contradiction::of_all(&named, end)
}
