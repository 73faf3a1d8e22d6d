//! Calls and their ends, as events in the order in which they happened.
//!
//! Ids of calls must be consecutive numbers, as programs write them: then an id says which operation it is, and only open
//! operations are remembered. In a part, an operation that was called before the part is not known. What concerns such
//! operations is noted, and is done when the part is joined to the whole.

use rustc_hash::FxHashMap;

use super::Receiver;
use crate::Value;

/// The events of a part, or of the whole.
#[derive(Default)]
pub(crate) struct Events {
    /// Number of events. Each happens at its number, from 1.
    count: u64,
    /// The id of the first call.
    first: Option<u64>,
    calls: u64,
    /// The open operations by their ids, each with its process.
    open: FxHashMap<u64, Option<u32>>,
    /// The processes that called something here; true for those that have an open operation.
    busy: FxHashMap<u32, bool>,
    /// There are whole operations, which are no events.
    intervals: bool,
    /// For a part: what concerns operations that were called before it.
    notes: Option<Vec<Note>>,
}

enum Note {
    /// The first call of a process: it must not have an open operation.
    Call { process: u32 },
    /// An operation ends.
    End { id: u64, time: u64, end: EventEnd },
}

/// How an operation ends.
#[derive(Clone, Debug)]
pub(crate) enum EventEnd {
    /// It returns this, or something unknown.
    Returned(Option<Value>),
    /// It will never return.
    Lost,
}

impl Events {
    /// For a part of what will be joined.
    pub(super) fn of_part() -> Events {
        Events { notes: Some(Vec::new()), ..Events::default() }
    }

    /// The events of a part, which begins again.
    pub(super) fn take_part(&mut self) -> Events {
        std::mem::replace(self, Events::of_part())
    }

    /// An operation that is no event.
    #[inline]
    pub(crate) fn interval(&mut self) {
        self.intervals = true;
    }

    /// A call. Returns its time; `None`: the id is not the next number, or the process has an open operation.
    #[inline]
    pub(crate) fn call(&mut self, id: u64, process: Option<u32>) -> Option<u64> {
        let first = *self.first.get_or_insert(id);
        if id != first.checked_add(self.calls)? {
            return None;
        }
        if let Some(process) = process {
            match self.busy.insert(process, true) {
                Some(true) => return None,
                Some(false) => {}
                None => self.notes.iter_mut().for_each(|notes| notes.push(Note::Call { process })),
            }
        }
        self.open.insert(id, process);
        self.calls += 1;
        self.count += 1;
        Some(self.count)
    }

    /// The end of an operation. `None`: it is not open, or the receiver refuses.
    #[inline]
    pub(crate) fn end(&mut self, id: u64, end: EventEnd, to: &mut dyn Receiver) -> Option<bool> {
        self.count += 1;
        let time = self.count;
        if let Some(process) = self.open.remove(&id) {
            return self.end_open(id, process, time, &end, to);
        }
        // Those that were called here have ended.
        let was_before = self.first.is_none_or(|first| id < first);
        self.notes.as_mut().filter(|_| was_before)?.push(Note::End { id, time, end });
        Some(true)
    }

    #[inline]
    fn end_open(
        &mut self,
        id: u64,
        process: Option<u32>,
        time: u64,
        end: &EventEnd,
        to: &mut dyn Receiver,
    ) -> Option<bool> {
        if let Some(process) = process {
            self.busy.insert(process, false);
        }
        let at = usize::try_from(id - self.first?).ok()?;
        Some(match end {
            EventEnd::Returned(result) => to.end(at, time, result.as_ref()),
            EventEnd::Lost => true,
        })
    }

    /// Number of events.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Adds the events of a part whose operations have been joined to those of `whole`. `None`: something is unusual.
    pub(super) fn join(&mut self, part: Events, whole: &mut dyn Receiver) -> Option<()> {
        let follows = match (self.first, part.first) {
            (Some(first), Some(next)) => first.checked_add(self.calls) == Some(next),
            _ => true,
        };
        self.first = self.first.or(part.first);
        for note in part.notes.into_iter().flatten() {
            match note {
                Note::Call { process } if self.busy.get(&process) == Some(&true) => return None,
                Note::Call { .. } => {}
                Note::End { id, time, end } => {
                    let process = self.open.remove(&id)?;
                    let ended = self.end_open(id, process, self.count + time, &end, whole);
                    ended.filter(|ended| *ended)?;
                }
            }
        }
        self.open.extend(part.open);
        self.busy.extend(part.busy);
        self.count += part.count;
        self.calls += part.calls;
        self.intervals |= part.intervals;
        (follows && !self.is_mixed()).then_some(())
    }

    /// True if there are whole operations, with their times.
    pub(super) fn has_times(&self) -> bool {
        self.intervals
    }

    /// True if there are events and whole operations.
    pub(super) fn is_mixed(&self) -> bool {
        self.intervals && self.count > 0
    }
}
