//! The method `recorded`: the history is part of the state, and the library checks it when it is complete.
//!
//! Histories share prefixes: each is the number of the history without its last event, and that event. A history is
//! complete when no operation is open and no thread can call one. Some never are (a thread waits forever): histories
//! without a continuation are judged at the end.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::{Numbers, Scratch, ThreadEvent, Tracker, is_linearizable};
use crate::system::{CachePadded, GrowingArray, Interner};

/// Histories of a model.
pub(crate) struct Recorded<'m> {
    numbers: Box<dyn Numbers + 'm>,
    histories: Interner<(u32, Option<ThreadEvent>)>,
    /// Flags of each history.
    known: GrowingArray<AtomicU8>,
    judged: CachePadded<AtomicU64>,
}

/// The history was judged.
const JUDGED: u8 = 1;
/// The history has a continuation.
const CONTINUED: u8 = 2;

impl<'m> Recorded<'m> {
    pub(crate) fn new(numbers: Box<dyn Numbers + 'm>) -> Self {
        let (histories, known) = (Interner::new(), GrowingArray::new());
        Recorded { numbers, histories, known, judged: CachePadded::default() }
    }

    fn events(&self, history: u32) -> Vec<ThreadEvent> {
        let mut events = Vec::new();
        let mut at = history;
        while let (before, Some(taken)) = *self.histories.get(at) {
            events.push(taken);
            at = before;
        }
        events.reverse();
        events
    }
}

impl Tracker for Recorded<'_> {
    fn initial(&self) -> u32 {
        self.histories.intern(&(0, None))
    }

    fn advance(&self, carried: u32, taken: ThreadEvent, _scratch: &mut Scratch) -> Option<u32> {
        let next = self.histories.intern(&(carried, Some(taken)));
        let known = self.known.entry(carried);
        if known.load(Ordering::Relaxed) & CONTINUED == 0 {
            known.fetch_or(CONTINUED, Ordering::Relaxed);
        }
        Some(next)
    }

    fn judge(&self, carried: u32) -> Option<bool> {
        if self.known.entry(carried).fetch_or(JUDGED, Ordering::Relaxed) & JUDGED != 0 {
            return None;
        }
        self.judged.fetch_add(1, Ordering::Relaxed);
        Some(is_linearizable(&*self.numbers, &self.events(carried)))
    }

    fn judge_rest(&self) -> Option<u32> {
        let is_last =
            |history: &u32| self.known.entry(*history).load(Ordering::Relaxed) & CONTINUED == 0;
        let mut last = (0..self.histories.len() as u32).filter(is_last);
        last.find(|history| self.judge(*history) == Some(false))
    }

    fn judged(&self) -> u64 {
        self.judged.load(Ordering::Relaxed)
    }

    fn len(&self) -> usize {
        self.histories.len()
    }

    fn bytes(&self) -> usize {
        self.histories.bytes() + self.known.bytes()
    }
}
