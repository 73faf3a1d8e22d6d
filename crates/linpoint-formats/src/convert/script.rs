//! The events of a history in the order in which they happened, and the processes that perform
//! them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use linpoint::history::{Interval, IntervalBuilder, Span};
use rustc_hash::FxHashMap;

use crate::Format;
use crate::raw::{RawHistory, RawId};

/// What happens to an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    Call,
    End,
}

/// The events of a history.
pub(super) struct Script {
    /// The operations, in the order of the file.
    pub(super) ids: Vec<RawId>,
    /// The ranks of the call and the return of each; [`Span::NEVER`] if it did not return.
    pub(super) ranks: Vec<(u32, u32)>,
    /// The process of each in the new format.
    pub(super) assigned: Vec<Option<u32>>,
    /// All events in order, by position in `ids`. An operation that never returned ends where its
    /// process is next active.
    pub(super) events: Vec<(u32, Event)>,
    /// All process numbers are below this.
    pub(super) processes: u32,
}

impl Script {
    pub(super) fn new(raw: &RawHistory, to: Format) -> Result<Script, String> {
        let ids: Vec<RawId> = raw.ops.ids().collect();
        let mut builder = IntervalBuilder::<(), ()>::new(raw.ties);
        builder.reserve(ids.len());
        for op in raw.ops.iter() {
            let (start, end, extras) = (op.start, op.end, op.extras);
            let interval = Interval { op: (), ret: None, start, end, extras };
            builder.add(interval).map_err(|error| error.to_string())?;
        }
        let history = builder.finish().map_err(|error| error.to_string())?;
        let spans = history.ids().map(|id| history.span(id));
        let ranks: Vec<(u32, u32)> = spans.map(|span| (span.call, span.ret)).collect();
        let most = raw.processes.keys().max().map_or(0, |most| most.saturating_add(1));
        let mut script =
            Script { assigned: Vec::new(), events: Vec::new(), processes: most, ids, ranks };
        script.assign_processes(raw, to, history.ranks() as usize);
        Ok(script)
    }

    /// Assigns processes. A process with an open operation, and an operation without a process
    /// where one is needed, gets a spare number.
    fn assign_processes(&mut self, raw: &RawHistory, to: Format, ranks: usize) {
        let own: Vec<Option<u32>> = raw.ops.iter().map(|op| op.extras.process).collect();
        let mut happens = vec![(0, Event::Call); ranks];
        for (at, &(call, ret)) in self.ranks.iter().enumerate() {
            happens[call as usize] = (at as u32, Event::Call);
            if ret != Span::NEVER {
                happens[ret as usize] = (at as u32, Event::End);
            }
        }
        self.assigned = own.clone();
        let mut open: FxHashMap<u32, u32> = FxHashMap::default();
        let mut spare = BinaryHeap::new();
        let first_spare = self.processes;
        for (op, event) in happens {
            let at = op as usize;
            if event == Event::End {
                self.events.push((op, event));
                if let Some(process) = self.assigned[at] {
                    open.remove(&process);
                    if process >= first_spare {
                        spare.push(Reverse(process));
                    }
                }
                continue;
            }
            if let Some(before) = own[at].and_then(|process| open.get(&process).copied()) {
                if self.ranks[before as usize].1 == Span::NEVER {
                    self.events.push((before, Event::End));
                } else if to.needs_processes() {
                    self.assigned[at] = None;
                }
            }
            if self.assigned[at].is_none() && to.needs_processes() {
                let process = spare.pop().map_or(self.processes, |Reverse(process)| process);
                self.processes = self.processes.max(process.saturating_add(1));
                self.assigned[at] = Some(process);
            }
            self.events.push((op, event));
            if let Some(process) = self.assigned[at] {
                open.insert(process, op);
            }
        }
        // Operations that never end.
        let mut left: Vec<u32> = open.into_values().collect();
        left.sort_unstable();
        self.events.extend(left.into_iter().map(|op| (op, Event::End)));
    }

    /// Positions in the order of calls.
    pub(super) fn in_call_order(&self) -> impl Iterator<Item = usize> + '_ {
        let calls = self.events.iter().filter(|(_, event)| *event == Event::Call);
        calls.map(|(at, _)| *at as usize)
    }
}
