//! The events of a part that is watched by a monitor, kept for another engine that may have to go on.
//!
//! They begin at a moment at which nothing was open and the state was known. Operations that do not matter
//! any more are dropped as soon as they are the greater part. *Why that is right for registers:* a
//! zone is dead because some other zone had to come after it, and that one had returned before anybody was called who
//! is still open. All dead zones can come before all others: had one to come after a zone that is not dead,
//! that one would be dead too. So whatever the others do, it is as if the dead ones had been all done before
//! the first event, and what they wrote cannot be found any more in either case.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::spec::Spec;

use super::monitor::{Mark, Monitor};
use super::part::Part;

/// Most events that are kept when what does not matter was dropped.
const MOST: usize = 1 << 15;

/// Fewer than this are not worth dropping.
const FEW: usize = 64;

/// What happened since nothing was open.
pub(super) struct Kept<S: Spec> {
    /// The state before the first event.
    base: S::State,
    /// Operations by their numbers, and what happened to them; `None` if it was too much.
    events: Option<Vec<(u64, Event<S>)>>,
    /// When to drop what does not matter.
    tidy_at: usize,
}

pub(super) enum Event<S: Spec> {
    Call(S::Op),
    Return(Option<S::Ret>, Mark),
    Fail,
    Crash(Mark),
}

impl<S: Spec> Kept<S> {
    pub(super) fn new(base: S::State) -> Self {
        Kept { base, events: Some(Vec::new()), tidy_at: FEW }
    }

    /// Number of events.
    pub(super) fn len(&self) -> usize {
        self.events.as_ref().map_or(0, Vec::len)
    }

    /// Nothing is open, and this is the state.
    pub(super) fn restart(&mut self, base: S::State) {
        self.base = base;
        match &mut self.events {
            Some(events) => events.clear(),
            None => self.events = Some(Vec::new()),
        }
        self.tidy_at = FEW;
    }

    pub(super) fn push(&mut self, number: u64, event: Event<S>, monitor: &dyn Monitor<S>) {
        let Some(events) = &mut self.events else { return };
        events.push((number, event));
        if events.len() < self.tidy_at {
            return;
        }
        if monitor.forgets() {
            let ended = events.iter().filter_map(|(number, event)| match event {
                Event::Return(_, mark) | Event::Crash(mark) => Some((*number, *mark)),
                Event::Fail => Some((*number, Mark::Nothing)),
                Event::Call(_) => None,
            });
            let over: FxHashSet<u64> = ended
                .filter(|(_, mark)| !monitor.matters(*mark))
                .map(|(number, _)| number)
                .collect();
            events.retain(|(number, _)| !over.contains(number));
            events.shrink_to(2 * events.len() + FEW);
        }
        self.tidy_at = 2 * events.len().max(FEW);
        if self.tidy_at > 2 * MOST {
            self.events = None;
        }
    }

    /// The configurations that explain what was kept, for operations that are open in these slots.
    pub(super) fn explain(
        &mut self,
        spec: &S,
        most: usize,
        open: Vec<Option<(S::Op, u64)>>,
        free: Vec<u32>,
    ) -> Part<S> {
        let Some(events) = self.events.take() else {
            return Part::given_up(open, free, self.base.clone());
        };
        let mut part = Part::new(self.base.clone());
        let mut slots: FxHashMap<u64, u32> = FxHashMap::default();
        for (number, event) in events {
            let slot = slots.get(&number).copied();
            match (event, slot) {
                (Event::Call(op), _) => {
                    slots.insert(number, part.call(op, number));
                }
                // All were fine. What cannot be enumerated is found out at the next return.
                (Event::Return(ret, _), Some(slot)) => {
                    drop(part.ret(spec, slot, ret.as_ref(), most));
                }
                (Event::Fail, Some(slot)) => drop(part.fail(slot)),
                (Event::Crash(_), Some(slot)) => part.crash(spec, slot),
                (_, None) => {}
            }
        }
        let numbered = open.iter().enumerate();
        let slots: FxHashMap<u64, u32> =
            numbered.filter_map(|(slot, open)| Some((open.as_ref()?.1, slot as u32))).collect();
        part.move_to(|number| slots.get(&number).copied(), open.len(), free);
        part
    }
}
