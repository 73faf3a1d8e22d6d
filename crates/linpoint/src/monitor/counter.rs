//! Counters with additions of a single amount.
//!
//! Idea. If all additions are of one amount, the number says how many of them have taken effect. A
//! read reveals that number, a fetch-and-add reveals its own position among the additions, and the
//! other additions are interchangeable. Sweep over the peaks and add as late as possible, only
//! where an operation is about to end that needs it. The next addition is the fetch-and-add that
//! found the current number, if there is one, and otherwise the plain addition with the earliest
//! end.
//!
//! Exact, with pending operations. *Claim: in every linearization at least as many additions take
//! effect up to each peak `x` as in the sweep.* By induction over the additions of the sweep. Each
//! is forced at its peak `x`: by a read or fetch-and-add that ends at `x` and reveals a number that
//! has not been reached, or passed, yet; or by a plain addition `t` that ends at `x`. For the
//! latter, let `y` be the last peak where the sweep performed a plain addition that ends later than
//! `x`. Then `t` and the plain additions performed since were all called after `y`, and all end at
//! `x` at the latest. Up to `y` a linearization has performed at least as many plain additions as
//! the sweep, because it is known how many of a given number of additions are plain ones. So up to
//! `x` it has performed one more.
//!
//! Therefore the answer is no if the forced addition is not available (the fetch-and-add has not
//! been called, or no called plain addition is left), or if a read or fetch-and-add begins after
//! its number was passed. Otherwise all took effect while they were open.
//!
//! Time O(n log k) with k operations open at the same time.
//!
//! Refused: additions of different amounts. That is a subset-sum problem, which is NP-hard: many
//! pending additions and one read. Numbers close to the limits, where additions wrap around, are
//! refused too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::spec::Role;

use super::names::NONE;
use super::peaks::{self, Peaks};
use super::{Clock, Contradiction, Found, Refusal, Rows, minimise};

/// Decides the rows.
pub(crate) fn decide(rows: Rows<'_>, initial: i64, clock: &mut Clock) -> Result<Found, Refusal> {
    let ops = Operations::read(rows, initial)?;
    clock.prepared();
    let stuck = Sweep::new(&ops).run(&ops.entries, |_| ()).err();
    clock.decided();
    Ok(match stuck {
        None => {
            let mut order = Vec::with_capacity(ops.entries.len());
            let _ = Sweep::new(&ops).run(&ops.entries, |row| order.push(row));
            Found::Order(order)
        }
        Some(_) => Found::Contradiction(contradiction(&ops)),
    })
}

/// The effect of an operation on the number of additions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    /// Changes nothing and reveals nothing.
    Idle,
    /// Adds one.
    Add,
    /// Adds one when this many have been added.
    AddTo(u32),
    /// Finds that this many have been added.
    Find(u32),
    /// Finds a number that no number of additions gives.
    Wrong,
}

type Entry = peaks::Entry<Effect>;

/// The operations by left end.
struct Operations {
    entries: Vec<Entry>,
    /// Number of additions, including pending ones.
    additions: usize,
}

impl Operations {
    fn read(rows: Rows<'_>, initial: i64) -> Result<Operations, Refusal> {
        // The amount, and how many times it is added.
        let (mut amount, mut additions) = (0, 0);
        for row in 0..rows.len() {
            match rows.role(row) {
                Role::Foreign(reason) => return Err(Refusal::new(reason)),
                Role::Idle | Role::IsNumber(_) => {}
                Role::Shift(by) | Role::ShiftFrom { by, .. } => {
                    if by != 0 && amount != 0 && by != amount {
                        return Err(Refusal::new("different amounts are added"));
                    }
                    if by != 0 {
                        amount = by;
                        additions += 1;
                    }
                }
                _ => return Err(Refusal::new("an operation that this kind of object lacks")),
            }
        }
        if i128::from(initial) + i128::from(amount) * additions as i128
            != i128::from(initial.wrapping_add(amount.wrapping_mul(additions as i64)))
        {
            return Err(Refusal::new("the counter may wrap around"));
        }
        // The number of additions that gives this number.
        let count = |number: i64| {
            let distance = i128::from(number) - i128::from(initial);
            if distance == 0 {
                return Some(0);
            }
            let (amount, most) = (i128::from(amount), additions as i128);
            let is_count =
                amount != 0 && distance % amount == 0 && (1..=most).contains(&(distance / amount));
            is_count.then(|| (distance / amount) as u32)
        };
        let step = |row: usize| {
            Ok(match rows.role(row) {
                Role::Shift(by) if by != 0 => Effect::Add,
                Role::ShiftFrom { by, from } if by != 0 => {
                    count(from).map_or(Effect::Wrong, Effect::AddTo)
                }
                Role::ShiftFrom { from: number, .. } | Role::IsNumber(number) => {
                    count(number).map_or(Effect::Wrong, Effect::Find)
                }
                _ => Effect::Idle,
            })
        };
        Ok(Operations { entries: Peaks::of(rows).entries(step)?, additions })
    }
}

/// The sweep.
struct Sweep {
    /// Number of additions so far.
    count: u32,
    /// Open plain additions that have not been performed, by right end: end and row in one number.
    plain: BinaryHeap<Reverse<u64>>,
    /// Open operations that need a greater number, by right end, with the number of additions
    /// needed when they end. May contain operations that have been performed.
    waiting: BinaryHeap<Reverse<u64>>,
    /// By number of additions: the fetch-and-add that found it, if it has been called.
    fetching: Vec<u32>,
    /// By number of additions: whether some fetch-and-add found it, called or not.
    is_fetched: Vec<bool>,
    /// By number of additions: the last of its open reads, and by row the previous one.
    reads: Vec<u32>,
    before: Vec<u32>,
}

/// No explanation exists.
struct Stuck;

impl Sweep {
    fn new(ops: &Operations) -> Sweep {
        let numbers = ops.additions + 2;
        Sweep {
            count: 0,
            plain: BinaryHeap::new(),
            waiting: BinaryHeap::new(),
            fetching: vec![NONE; numbers],
            is_fetched: vec![false; numbers],
            reads: vec![NONE; numbers],
            before: vec![NONE; ops.entries.len()],
        }
    }

    /// Explains operations sorted by left end. Passes each to `emit` when it takes effect.
    fn run(&mut self, entries: &[Entry], mut emit: impl FnMut(u32)) -> Result<(), Stuck> {
        for e in entries {
            match e.effect {
                Effect::AddTo(n) if self.is_fetched[n as usize] => return Err(Stuck),
                Effect::AddTo(n) => self.is_fetched[n as usize] = true,
                Effect::Wrong => return Err(Stuck),
                _ => {}
            }
        }
        for e in entries {
            while self.deadline() < e.left {
                self.add(&mut emit)?;
            }
            let at_end = |number: u32| Reverse(u64::from(e.right) << 32 | u64::from(number));
            match e.effect {
                Effect::Add => self.plain.push(at_end(e.row)),
                Effect::AddTo(n) | Effect::Find(n) if n < self.count => return Err(Stuck),
                Effect::AddTo(n) => {
                    self.fetching[n as usize] = e.row;
                    self.waiting.push(at_end(n + 1));
                }
                Effect::Find(n) if n > self.count => {
                    self.before[e.row as usize] = self.reads[n as usize];
                    self.reads[n as usize] = e.row;
                    self.waiting.push(at_end(n));
                }
                _ if e.right != Peaks::NEVER => emit(e.row),
                _ => {}
            }
        }
        while self.deadline() != Peaks::NEVER {
            self.add(&mut emit)?;
        }
        Ok(())
    }

    /// The deadline for the next addition.
    fn deadline(&mut self) -> u32 {
        while let Some(Reverse(first)) = self.waiting.peek() {
            if *first as u32 > self.count {
                break;
            }
            self.waiting.pop();
        }
        let first = |heap: &BinaryHeap<Reverse<u64>>| {
            heap.peek().map_or(Peaks::NEVER, |Reverse(first)| (first >> 32) as u32)
        };
        first(&self.plain).min(first(&self.waiting))
    }

    fn add(&mut self, emit: &mut impl FnMut(u32)) -> Result<(), Stuck> {
        let now = self.count as usize;
        if self.is_fetched[now] {
            if self.fetching[now] == NONE {
                return Err(Stuck);
            }
            emit(self.fetching[now]);
        } else {
            let Some(Reverse(first)) = self.plain.pop() else { return Err(Stuck) };
            emit(first as u32);
        }
        self.count += 1;
        let mut row = std::mem::replace(&mut self.reads[now + 1], NONE);
        while row != NONE {
            emit(row);
            row = self.before[row as usize];
        }
        Ok(())
    }
}

/// A few operations that contradict each other; see [`minimise`].
fn contradiction(ops: &Operations) -> Contradiction {
    let relaxed = |e: &Entry| {
        let adds = matches!(e.effect, Effect::Add | Effect::AddTo(_));
        adds.then_some(Entry { left: 0, right: Peaks::NEVER, row: e.row, effect: Effect::Add })
    };
    if let Some(wrong) = ops.entries.iter().find(|e| e.effect == Effect::Wrong) {
        // All additions are of one amount, whenever and however many times they took effect.
        let end = " found a number that no number of these additions gives";
        return Contradiction::of_all(&[wrong.row], end);
    }
    let relaxed: Vec<Option<Entry>> = ops.entries.iter().map(relaxed).collect();
    let is_bad = |mixed: &[Entry]| Sweep::new(ops).run(mixed, |_| ()).is_err();
    let core = minimise::core(&ops.entries, &relaxed, is_bad);
    let rows: Vec<u32> = core.iter().map(|e| e.row).collect();
    Contradiction::of_all(
        &rows,
        match rows.len() {
            1 => " does not fit the additions that had begun by then",
            _ => " contradict each other: no number of additions at each moment explains them",
        },
    )
}
