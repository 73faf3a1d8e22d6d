//! All linearizations of a short history, for the method `common`.

use std::collections::BTreeSet;

use super::{Numbers, ThreadEvent};
use crate::bounds::MAX_THREADS;

/// Operations with their results, in linearization order.
pub(crate) type Linearization = Vec<(u32, u32)>;

/// An operation of the history.
struct Known {
    op: u32,
    ret: Option<u32>,
    call: usize,
    end: usize,
}

/// All linearizations of these events. Open operations may or may not be included.
pub(crate) fn linearizations(
    numbers: &dyn Numbers,
    events: &[ThreadEvent],
) -> BTreeSet<Linearization> {
    let mut known: Vec<Known> = Vec::new();
    let mut open: Vec<Option<usize>> = vec![None; MAX_THREADS];
    for (time, taken) in events.iter().enumerate() {
        let mine = &mut open[usize::from(taken.thread)];
        if let Some(op) = taken.event.call() {
            *mine = Some(known.len());
            known.push(Known { op, ret: None, call: 2 * time, end: usize::MAX });
        }
        let ended = taken.event.ret().and_then(|ret| Some((ret, mine.take()?)));
        if let Some((ret, at)) = ended {
            known[at].ret = Some(ret);
            known[at].end = 2 * time + 1;
        }
    }
    let mut search =
        Search { numbers, used: vec![false; known.len()], known, found: BTreeSet::new() };
    search.extend(numbers.initial(), &mut Vec::new());
    search.found
}

struct Search<'a> {
    numbers: &'a dyn Numbers,
    known: Vec<Known>,
    used: Vec<bool>,
    found: BTreeSet<Linearization>,
}

impl Search<'_> {
    fn extend(&mut self, state: u32, order: &mut Linearization) {
        let left: Vec<usize> = (0..self.known.len()).filter(|at| !self.used[*at]).collect();
        if left.iter().all(|at| self.known[*at].ret.is_none()) {
            self.found.insert(order.clone());
        }
        let first_end = left.iter().map(|at| self.known[*at].end).min().unwrap_or(usize::MAX);
        for at in left {
            let Known { op, ret: expected, call, .. } = self.known[at];
            if call > first_end {
                continue;
            }
            let mut outcomes = Vec::new();
            self.numbers.outcomes(state, op, &mut outcomes);
            for (ret, next) in outcomes {
                if expected.is_none_or(|expected| expected == ret) {
                    self.used[at] = true;
                    order.push((op, ret));
                    self.extend(next, order);
                    order.pop();
                    self.used[at] = false;
                }
            }
        }
    }
}
