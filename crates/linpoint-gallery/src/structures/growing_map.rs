//! A hash map that grows: it has a sequence of tables, and the contents of a full one move to the
//! next.
//!
//! The thread that moves a table marks every cell, so that other threads continue with the next
//! table. The contents of a cell and the mark must be exchanged atomically: if the cell is read
//! first and overwritten later, an update in between is lost. This is the resizing error in section
//! 8 of Lowe's paper.

use linpoint::spec::models::{KeyValueOp, KeyValueRet};

use super::sync::Mutex;
use super::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use super::sync::thread;

/// No value.
const ABSENT: u64 = 0;
/// The contents are in the next table.
const MOVED: u64 = 1;
/// Added to every value.
const FIRST: u64 = 2;

/// A map. If its moves are not `careful`, they lose updates.
pub struct GrowingMap {
    tables: Vec<Table>,
    current: AtomicUsize,
    growing: Mutex<()>,
    careful: bool,
}

struct Table {
    slots: Box<[Slot]>,
    /// The number of keys with a slot.
    used: AtomicUsize,
}

struct Slot {
    /// The key plus one, zero for none. A slot never changes its key.
    key: AtomicU64,
    cell: AtomicU64,
}

impl Table {
    fn new(capacity: usize) -> Self {
        let slot = |_| Slot { key: AtomicU64::new(0), cell: AtomicU64::new(ABSENT) };
        Table { slots: (0..capacity).map(slot).collect(), used: AtomicUsize::new(0) }
    }

    /// The slots in which a key may be, in the order of probing.
    fn places(&self, key: u64) -> impl Iterator<Item = &Slot> {
        let len = self.slots.len();
        let begin = key as usize % len;
        (0..len).map(move |n| &self.slots[(begin + n) % len])
    }

    fn find(&self, key: u64) -> Option<&Slot> {
        for slot in self.places(key) {
            match slot.key.load(Acquire) {
                0 => return None,
                there if there == key + 1 => return Some(slot),
                _ => {}
            }
        }
        None
    }

    /// The slot of the key, claimed if it has none yet; `None` if the table is full.
    fn claim(&self, key: u64) -> Option<&Slot> {
        for slot in self.places(key) {
            let mut there = slot.key.load(Acquire);
            if there == 0 {
                if self.used.load(Acquire) * 4 >= self.slots.len() * 3 {
                    return None;
                }
                match slot.key.compare_exchange(0, key + 1, AcqRel, Acquire) {
                    Ok(_) => {
                        self.used.fetch_add(1, AcqRel);
                        return Some(slot);
                    }
                    Err(other) => there = other,
                }
            }
            if there == key + 1 {
                return Some(slot);
            }
        }
        None
    }
}

impl GrowingMap {
    /// An empty map with tables of these capacities. The last one must be large enough for all
    /// keys: a third larger, plus some more for threads that claim slots concurrently.
    pub fn new(careful: bool, capacities: &[usize]) -> Self {
        GrowingMap {
            tables: capacities.iter().map(|&capacity| Table::new(capacity)).collect(),
            current: AtomicUsize::new(0),
            growing: Mutex::new(()),
            careful,
        }
    }

    /// Waits until the table after `level` is in use.
    fn wait_for_move(&self, level: usize) {
        while self.current.load(Acquire) == level {
            thread::yield_now();
        }
    }

    fn grow(&self, level: usize) {
        let _held = self.growing.lock().unwrap();
        if self.current.load(Acquire) != level {
            return;
        }
        let next = self.tables.get(level + 1).expect("the last table is full");
        for slot in &self.tables[level].slots {
            let held = self.mark(slot);
            if held >= FIRST {
                let key = slot.key.load(Acquire) - 1;
                let new = next.claim(key).expect("the next table is larger");
                new.cell.store(held, Release);
            }
        }
        self.current.store(level + 1, Release);
    }

    /// Marks the slot as moved and returns its contents.
    fn mark(&self, slot: &Slot) -> u64 {
        if self.careful {
            return slot.cell.swap(MOVED, AcqRel);
        }
        let held = slot.cell.load(Acquire);
        slot.cell.store(MOVED, Release);
        held
    }

    fn put(&self, key: u64, value: u64) {
        loop {
            let level = self.current.load(Acquire);
            let Some(slot) = self.tables[level].claim(key) else {
                self.grow(level);
                continue;
            };
            if replace(slot, value + FIRST) {
                return;
            }
            self.wait_for_move(level);
        }
    }

    fn delete(&self, key: u64) {
        loop {
            let level = self.current.load(Acquire);
            match self.tables[level].find(key) {
                Some(slot) if !replace(slot, ABSENT) => self.wait_for_move(level),
                _ => return,
            }
        }
    }

    fn get(&self, key: u64) -> Option<u64> {
        loop {
            let level = self.current.load(Acquire);
            let cell = self.tables[level].find(key).map_or(ABSENT, |slot| slot.cell.load(Acquire));
            match cell {
                ABSENT => return None,
                MOVED => self.wait_for_move(level),
                value => return Some(value - FIRST),
            }
        }
    }

    /// Performs one operation.
    pub fn perform(&self, op: &KeyValueOp<u64, u64>) -> KeyValueRet<u64> {
        match op {
            KeyValueOp::Get(key) => return KeyValueRet::Value(self.get(*key)),
            KeyValueOp::Put(key, value) => self.put(*key, *value),
            KeyValueOp::Delete(key) => self.delete(*key),
            _ => crate::not_offered(op),
        }
        KeyValueRet::Done
    }
}

/// Changes the cell, unless it has been moved.
fn replace(slot: &Slot, to: u64) -> bool {
    let mut before = slot.cell.load(Acquire);
    while before != MOVED {
        match slot.cell.compare_exchange(before, to, AcqRel, Acquire) {
            Ok(_) => return true,
            Err(now) => before = now,
        }
    }
    false
}
