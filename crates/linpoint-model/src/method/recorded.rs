//! The method `recorded`: the history is part of the state, and is checked by the library when it is over.
//!
//! Histories share their beginnings: each is a number, the number of the history without the last event, and that
//! event. A history is over when nobody can call anything any more and nothing is open. Some never are (a thread
//! that waits for ever): those that nothing followed are judged at the end.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Numbers, Taken, Watch, is_linearizable};
use crate::system::{Event, Interner, Renaming};

/// Histories of a model.
pub(crate) struct Recorded<'m> {
    numbers: Box<dyn Numbers + 'm>,
    histories: Interner<(u32, Option<Taken>)>,
    known: Mutex<Known>,
}

/// What is known about each history.
#[derive(Default)]
struct Known {
    is_judged: Vec<bool>,
    is_continued: Vec<bool>,
    judged: u64,
}

impl Known {
    fn at(flags: &mut Vec<bool>, history: u32) -> &mut bool {
        let at = history as usize;
        if flags.len() <= at {
            flags.resize(at + 1, false);
        }
        &mut flags[at]
    }
}

impl<'m> Recorded<'m> {
    pub(crate) fn new(numbers: Box<dyn Numbers + 'm>) -> Self {
        Recorded { numbers, histories: Interner::new(), known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn events(&self, history: u32) -> Vec<Taken> {
        let mut events = Vec::new();
        let mut at = history;
        while let (before, Some(taken)) = self.histories.get(at) {
            events.push(taken);
            at = before;
        }
        events.reverse();
        events
    }
}

impl Watch for Recorded<'_> {
    fn initial(&self) -> u32 {
        self.histories.number(&(0, None))
    }

    fn advance(&self, carried: u32, thread: usize, event: Event) -> Option<u32> {
        let taken = Taken { thread: thread as u8, event };
        let next = self.histories.number(&(carried, Some(taken)));
        *Known::at(&mut self.known().is_continued, carried) = true;
        Some(next)
    }

    fn rename(&self, carried: u32, _renaming: &Renaming) -> u32 {
        // Nothing is renamed with this method: the reductions are off.
        carried
    }

    fn values(&self, _carried: u32) -> u64 {
        0
    }

    fn judge(&self, carried: u32) -> Option<bool> {
        {
            let mut known = self.known();
            if std::mem::replace(Known::at(&mut known.is_judged, carried), true) {
                return None;
            }
            known.judged += 1;
        }
        Some(is_linearizable(&*self.numbers, &self.events(carried)))
    }

    fn judge_rest(&self) -> Option<u32> {
        let last: Vec<u32> = {
            let mut known = self.known();
            let all = 0..self.histories.len() as u32;
            all.filter(|history| !*Known::at(&mut known.is_continued, *history)).collect()
        };
        last.into_iter().find(|history| self.judge(*history) == Some(false))
    }

    fn judged(&self) -> u64 {
        self.known().judged
    }

    fn len(&self) -> usize {
        self.histories.len()
    }

    fn bytes(&self) -> usize {
        let known = self.known();
        self.histories.bytes() + known.is_judged.capacity() + known.is_continued.capacity()
    }
}
