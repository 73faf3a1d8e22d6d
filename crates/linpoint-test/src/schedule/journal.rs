//! The events of an execution under a scheduler, in order.
//!
//! Both schedulers use a single OS thread, so the order is exact. Recording it is invisible to the
//! code under test: the lock is one of `std`, unknown to both schedulers, and it is never
//! contended.

use std::sync::Mutex;

use linpoint::History;

use crate::execution::{Execution, Truncation, Unfinished, UnfinishedReason};

/// An event of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Event<Op, Ret> {
    Call(u32, Op),
    Return(u32, Ret),
    Panic(u32, String),
}

/// Events in order.
#[derive(Debug)]
pub(crate) struct Journal<Op, Ret>(Mutex<Vec<Event<Op, Ret>>>);

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum End {
    /// All threads ended.
    Finished,
    /// No thread could continue.
    Waiting,
    /// A limit was reached.
    Cut(Truncation),
    /// The operation of this process ran alone and did not return.
    Obstructed(u32),
}

impl<Op, Ret> Default for Journal<Op, Ret> {
    fn default() -> Self {
        Journal(Mutex::new(Vec::new()))
    }
}

impl<Op, Ret> Journal<Op, Ret> {
    fn events(&self) -> std::sync::MutexGuard<'_, Vec<Event<Op, Ret>>> {
        // A panic cannot leave a vector half changed.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn note(&self, event: Event<Op, Ret>) {
        self.events().push(event);
    }

    /// The operation that `process` is in, with its position.
    #[cfg_attr(not(feature = "shuttle"), allow(dead_code))]
    pub fn open(&self, process: u32) -> Option<(usize, Op)>
    where
        Op: Clone,
    {
        let events = self.events();
        let last = events.iter().enumerate().rev().find_map(|(at, event)| match event {
            Event::Call(by, op) if *by == process => Some(Some((at, op.clone()))),
            Event::Return(by, _) | Event::Panic(by, _) if *by == process => Some(None),
            _ => None,
        });
        last.flatten()
    }

    /// Removes and returns all events.
    pub fn take(&self) -> Vec<Event<Op, Ret>> {
        std::mem::take(&mut *self.events())
    }
}

/// The execution that consists of these events.
pub(crate) fn execution<Op: Clone, Ret: Clone>(
    events: &[Event<Op, Ret>],
    end: &End,
) -> Execution<Op, Ret> {
    let mut builder = History::from_events();
    let mut open = Vec::new();
    let mut unfinished = Vec::new();
    for event in events {
        match event {
            Event::Call(process, op) => {
                // Each process has one operation at a time, so the builder accepts all calls.
                if let Ok(id) = builder.call_by(*process, op.clone()) {
                    open.push((*process, id));
                }
            }
            Event::Return(process, _) | Event::Panic(process, _) => {
                let Some(at) = open.iter().position(|(by, _)| by == process) else { continue };
                let (_, id) = open.swap_remove(at);
                let _ = match event {
                    Event::Return(_, ret) => builder.ret(id, ret.clone()),
                    _ => builder.crash(id),
                };
                if let Event::Panic(_, message) = event {
                    unfinished.push(Unfinished {
                        op: id,
                        reason: UnfinishedReason::Panicked(message.clone()),
                    });
                }
            }
        }
    }
    for (process, op) in open {
        let reason = match end {
            End::Obstructed(by) if *by == process => {
                UnfinishedReason::Waiting("waiting for another thread".to_owned())
            }
            End::Obstructed(_) => UnfinishedReason::Stopped,
            End::Cut(why) => UnfinishedReason::Cut(why.clone()),
            End::Finished | End::Waiting => UnfinishedReason::Waiting("asleep".to_owned()),
        };
        unfinished.push(Unfinished { op, reason });
    }
    Execution { history: builder.finish(), unfinished, schedule: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_become_a_history_with_pending_operations() {
        let journal = Journal::default();
        journal.note(Event::Call(0, "a"));
        journal.note(Event::Call(1, "b"));
        journal.note(Event::Return(1, 7));
        journal.note(Event::Call(1, "c"));
        journal.note(Event::Panic(1, "ouch".to_owned()));
        let events = journal.take();
        let execution = execution(&events, &End::Waiting);
        let ids: Vec<_> = execution.history.ids().collect();
        assert_eq!(execution.history.ret(ids[1]), Some(&7));
        assert!(execution.history.span(ids[1]).precedes(execution.history.span(ids[2])));
        assert_eq!(execution.panicked(), Some((ids[2], "ouch")));
        assert_eq!(execution.waiting().collect::<Vec<_>>(), [ids[0]]);
        assert!(journal.take().is_empty());
    }
}
