//! One of the two sides: the sets of operations that a head can have taken.
//!
//! Operations are in the order of their returns, those that never returned last. A set that real
//! time allows has all operations before some position, lacks the one there, and has some of those
//! that were open when that one returned. These have different *slots*, so the set is a number and
//! a mask.

use crate::monitor::Refusal;
use crate::monitor::columns::{Columns, Kind};
use crate::monitor::peaks::Peaks;
use crate::sorting::{pair, sort_by_key};

/// A set of operations that real time allows to be the first ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Head {
    /// All operations before this position are taken; the one at it is not.
    at: u32,
    /// The slots of those after it that are taken.
    mask: u64,
}

impl Head {
    /// Nothing is taken.
    pub(super) const START: Head = Head { at: 0, mask: 0 };
}

#[derive(Debug)]
pub(super) struct Side {
    /// The rows, in the order of their returns.
    pub(super) rows: Vec<u32>,
    pub(super) left: Vec<u32>,
    pub(super) right: Vec<u32>,
    slot: Vec<u8>,
    /// Number of operations that returned.
    completed: u32,
    /// The operations that are open when the one at position `p` returns: `open[starts[p]..starts[p
    /// + 1]]`. The last position is after all returns.
    open: Vec<u32>,
    starts: Vec<u32>,
    /// The last left end of those before each place.
    last_left: Vec<u32>,
}

/// Longer lists of open operations would need too much memory.
const MOST_OPEN: usize = 1 << 25;

impl Side {
    pub(super) fn of(c: &Columns, is_here: impl Fn(Kind) -> bool) -> Result<Side, Refusal> {
        let mut rows: Vec<u32> =
            (0..c.len() as u32).filter(|row| is_here(c.kinds[*row as usize])).collect();
        sort_by_key(&mut rows, |row| pair(c.right[*row as usize], c.left[*row as usize]));
        let left: Vec<u32> = rows.iter().map(|row| c.left[*row as usize]).collect();
        let right: Vec<u32> = rows.iter().map(|row| c.right[*row as usize]).collect();
        let completed = right.partition_point(|right| *right != Peaks::NEVER) as u32;
        let mut last_left = vec![0];
        for &left in &left {
            last_left.push(left.max(last_left[last_left.len() - 1]));
        }
        let (open, starts) = (Vec::new(), Vec::new());
        let slot = vec![0; rows.len()];
        let mut side = Side { rows, left, right, slot, completed, open, starts, last_left };
        side.find_open()?;
        Ok(side)
    }

    fn find_open(&mut self) -> Result<(), Refusal> {
        let mut by_call: Vec<u32> = (0..self.rows.len() as u32).collect();
        sort_by_key(&mut by_call, |op| self.left[*op as usize]);
        let mut calls = by_call.into_iter().peekable();
        let mut now: Vec<u32> = Vec::new();
        let mut free: u64 = u64::MAX;
        for place in 0..=self.completed {
            let until = match place < self.completed {
                true => self.right[place as usize],
                false => Peaks::NEVER,
            };
            // An operation that returned before this one is no longer open.
            if let Some(gone) = place.checked_sub(1)
                && let Some(at) = now.iter().position(|op| *op == gone)
            {
                now.swap_remove(at);
                free |= 1 << self.slot[gone as usize];
            }
            while let Some(op) = calls.next_if(|op| self.left[*op as usize] <= until) {
                if free == 0 {
                    let reason = "values repeat, and more than 64 operations are open at once";
                    return Err(Refusal::new(reason));
                }
                let slot = free.trailing_zeros();
                free &= free - 1;
                self.slot[op as usize] = slot as u8;
                now.push(op);
            }
            self.starts.push(self.open.len() as u32);
            now.sort_unstable();
            self.open.extend(&now);
            if self.open.len() > MOST_OPEN {
                return Err(Refusal::new("values repeat, and too many operations are open"));
            }
        }
        self.starts.push(self.open.len() as u32);
        Ok(())
    }

    /// True if all operations that returned are taken.
    pub(super) fn is_done(&self, head: Head) -> bool {
        head.at == self.completed
    }

    fn around(&self, head: Head) -> &[u32] {
        let at = head.at as usize;
        &self.open[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    fn bit(&self, op: u32) -> u64 {
        1 << self.slot[op as usize]
    }

    /// What can be taken next, in the order of returns.
    pub(super) fn open(&self, head: Head) -> impl DoubleEndedIterator<Item = u32> {
        self.around(head).iter().copied().filter(move |op| head.mask & self.bit(*op) == 0)
    }

    pub(super) fn take(&self, head: Head, op: u32) -> Head {
        let Head { mut at, mut mask } = head;
        mask |= self.bit(op);
        while at < self.completed && mask & self.bit(at) != 0 {
            mask &= !self.bit(at);
            at += 1;
        }
        Head { at, mask }
    }

    /// The first right end of the operations that are not taken.
    pub(super) fn first_return(&self, head: Head) -> u32 {
        self.right.get(head.at as usize).copied().unwrap_or(Peaks::NEVER)
    }

    /// The last left end of the operations that are taken.
    pub(super) fn last_call(&self, head: Head) -> u32 {
        let taken = self.around(head).iter().filter(|op| head.mask & self.bit(**op) != 0);
        let around = taken.map(|op| self.left[*op as usize]).max().unwrap_or(0);
        around.max(self.last_left[head.at as usize])
    }
}
