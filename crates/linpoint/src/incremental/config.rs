//! A configuration of a stream, and lists of them.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::subject::{RetId, StateId};

use super::stream_limits::StreamLimits;

/// Work for one step of the specification, in units of a few nanoseconds. States may have thousands of
/// elements, so the clock is looked at often.
pub(super) const WORK_PER_STEP: usize = 1 << 11;

/// The same for copying a configuration.
const WORK_PER_COPY: usize = 64;

/// A way to explain the part so far.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Config {
    pub(super) state: StateId,
    /// Open operations that have taken effect, with their results, by slot.
    pub(super) done: SmallVec<[(u32, RetId); 4]>,
    /// How many of each kind of crashed operation have taken effect, by kind.
    pub(super) used: SmallVec<[(u32, u32); 2]>,
}

impl Config {
    pub(super) fn result_of(&self, slot: u32) -> Option<RetId> {
        self.done.iter().find(|(s, _)| *s == slot).map(|(_, ret)| *ret)
    }

    pub(super) fn in_state(&self, state: StateId) -> Config {
        Config { state, done: self.done.clone(), used: self.used.clone() }
    }

    pub(super) fn take_effect(&self, slot: u32, ret: RetId, state: StateId) -> Config {
        let mut after = self.in_state(state);
        let at = after.done.partition_point(|(s, _)| *s < slot);
        after.done.insert(at, (slot, ret));
        after
    }

    pub(super) fn used(&self, kind: u32) -> u32 {
        self.used.iter().find(|(k, _)| *k == kind).map_or(0, |(_, n)| *n)
    }

    pub(super) fn use_crashed(&mut self, kind: u32) {
        let at = self.used.partition_point(|(k, _)| *k < kind);
        match self.used.get_mut(at) {
            Some((k, n)) if *k == kind => *n += 1,
            _ => self.used.insert(at, (kind, 1)),
        }
    }
}

/// Configurations on the way to a return.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) met: FxHashSet<Config>,
    /// Those of them that are still to be explored.
    pub(super) todo: VecDeque<Config>,
    /// Those after the return, each with the result.
    pub(super) found: Vec<(Config, RetId)>,
}

/// True if this many configurations more may be met.
pub(super) fn has_room(limits: &StreamLimits, more: usize, lists: &Lists) -> bool {
    let Lists { met, todo, found } = lists;
    if met.len() + found.len() > limits.configurations {
        return false;
    }
    // A table doubles when it is full, and so does a list. One cell in eight of a table stays vacant.
    let mut bytes = 0;
    if met.len() + more > met.capacity() {
        bytes += 2 * (met.capacity() / 7 * 8) * (size_of::<Config>() + 1);
    }
    if todo.len() + more > todo.capacity() {
        bytes += 2 * todo.capacity() * size_of::<Config>();
    }
    if found.len() + more > found.capacity() {
        bytes += 2 * found.capacity() * size_of::<(Config, RetId)>();
    }
    limits.allowance.fits(bytes).is_ok() && limits.allowance.work(WORK_PER_STEP).is_ok()
}

/// Drops configurations that are equal to others. If a limit is reached, some may stay.
pub(super) fn keep_distinct(configs: &mut Vec<Config>, limits: &StreamLimits) {
    if configs.len() > 1 {
        let mut seen = FxHashSet::default();
        configs.retain(|c| limits.allowance.work(WORK_PER_COPY).is_err() || seen.insert(c.clone()));
    }
}
