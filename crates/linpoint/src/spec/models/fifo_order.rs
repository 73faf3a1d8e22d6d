//! In which order the operations of a queue took effect: a guess from the order of their returns.
//!
//! An operation takes effect when it returns, unless that does not fit. Then one of a few things has happened, and the
//! first that fits is taken:
//!
//! - What is at the front was removed by somebody who has not returned yet: that came first.
//! - Two enqueues overlapped and took effect the other way round: the later one goes before the earlier one. Nobody in
//!   between can tell, since the queue was not empty, and none of the two at its front.
//! - What was found was put there by an enqueue that has not returned yet: that came first.
//! - The queue was found empty by somebody who returned late: that goes to the moment when it was empty last.
//!
//! One pass, linear in the number of operations if queues with more than one change are short. Runs of real queues hardly
//! ever need more; where that fails, nothing is known. Whoever asks has to check the order ([`Claims::likely_order`]).
//!
//! [`Claims::likely_order`]: crate::spec::Claims::likely_order

use std::collections::VecDeque;

use crate::spec::Returned;

/// An operation of a queue, with what it returned.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Seen<'a, V> {
    Added(&'a V),
    Removed(&'a V),
    /// Was at the front, and stayed.
    Found(&'a V),
    /// The queue was empty.
    Nothing,
}

// Whatever the values are, these are references to them.
impl<V> Clone for Seen<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Seen<'_, V> {}

/// So many elements behind the front, an enqueue is looked for that came first.
const REACH: usize = 16;

/// Operations in the order of their returns, `seen` at the same positions; positions in the likely order.
pub(super) fn likely_order<V: Eq, O, R>(
    run: &[Returned<'_, O, R>],
    seen: &[Seen<'_, V>],
) -> Option<Vec<u32>> {
    let mut simulation = Simulation::new(run, seen);
    for at in 0..run.len() as u32 {
        simulation.returned(at)?;
    }
    Some(simulation.chain.in_order())
}

struct Simulation<'a, V, O, R> {
    run: &'a [Returned<'a, O, R>],
    seen: &'a [Seen<'a, V>],
    /// The operation of the same process that returned next; `NONE` if there is none.
    following: Vec<u32>,
    /// The next operation of each process to return.
    upcoming: Vec<u32>,
    /// Enqueues of what is in the queue.
    queue: VecDeque<u32>,
    chain: Chain,
    /// The queue was empty after this one; `None` for the beginning.
    empty_after: Option<u32>,
}

/// No position.
const NONE: u32 = u32::MAX;

impl<'a, V: Eq, O, R> Simulation<'a, V, O, R> {
    fn new(run: &'a [Returned<'a, O, R>], seen: &'a [Seen<'a, V>]) -> Self {
        let processes = run.iter().map(|op| op.process as usize + 1).max().unwrap_or(0);
        let mut upcoming = vec![NONE; processes];
        let mut following = vec![NONE; run.len()];
        for (at, op) in run.iter().enumerate().rev() {
            let next = &mut upcoming[op.process as usize];
            following[at] = std::mem::replace(next, at as u32);
        }
        let chain = Chain::new(run.len());
        Simulation {
            run,
            seen,
            following,
            upcoming,
            queue: VecDeque::new(),
            chain,
            empty_after: None,
        }
    }

    fn op(&self, at: u32) -> &Returned<'a, O, R> {
        &self.run[at as usize]
    }

    /// `at` returns now; it takes effect now, or has done so before.
    fn returned(&mut self, at: u32) -> Option<()> {
        let process = self.op(at).process as usize;
        self.upcoming[process] = self.following[at as usize];
        if self.chain.has(at) {
            return Some(());
        }
        match self.seen[at as usize] {
            Seen::Added(_) => {
                self.queue.push_back(at);
                self.chain.append(at);
            }
            Seen::Removed(value) => {
                self.bring_to_front(value, at)?;
                self.remove(at);
            }
            Seen::Found(value) => {
                self.bring_to_front(value, at)?;
                self.chain.append(at);
            }
            Seen::Nothing => self.find_empty(at)?,
        }
        Some(())
    }

    /// Removes the front.
    fn remove(&mut self, at: u32) {
        self.queue.pop_front();
        self.chain.append(at);
        if self.queue.is_empty() {
            self.empty_after = Some(at);
        }
    }

    /// Whatever has to come first so that `at` finds the value at the front.
    fn bring_to_front(&mut self, value: &V, at: u32) -> Option<()> {
        loop {
            match self.queue.front() {
                Some(front) if self.seen[*front as usize] == Seen::Added(value) => return Some(()),
                Some(front) => {
                    let in_the_way = self.seen[*front as usize];
                    if let Some(remover) = self.open(at, |seen| removes(seen, in_the_way)) {
                        self.remove(remover);
                        continue;
                    }
                }
                None => {}
            }
            return self.bring_enqueue_to_front(value, at);
        }
    }

    /// An enqueue of the value becomes the first of those in the queue.
    fn bring_enqueue_to_front(&mut self, value: &V, at: u32) -> Option<()> {
        let behind = (1..self.queue.len().min(REACH))
            .find(|behind| self.seen[self.queue[*behind] as usize] == Seen::Added(value));
        let adder = match behind {
            Some(behind) => self.queue[behind],
            None => self.open(at, |seen| seen == Seen::Added(value))?,
        };
        let call = self.op(adder).call;
        let passed = self.queue.iter().take(behind.unwrap_or(self.queue.len()));
        if passed.into_iter().any(|earlier| self.op(*earlier).end < call) {
            return None;
        }
        match self.queue.front() {
            Some(front) => self.chain.put_before(adder, *front),
            None => self.chain.append(adder),
        }
        if let Some(behind) = behind {
            self.queue.remove(behind);
        }
        self.queue.push_front(adder);
        Some(())
    }

    /// `at` goes to where the queue is empty.
    fn find_empty(&mut self, at: u32) -> Option<()> {
        let call = self.op(at).call;
        loop {
            let Some(front) = self.queue.front() else {
                self.chain.append(at);
                break;
            };
            let first = self.chain.after(self.empty_after);
            if first.is_none_or(|first| self.op(first).end >= call) {
                self.chain.put_after(at, self.empty_after);
                break;
            }
            let in_the_way = self.seen[*front as usize];
            let remover = self.open(at, |seen| removes(seen, in_the_way))?;
            self.remove(remover);
        }
        self.empty_after = Some(at);
        Some(())
    }

    /// An operation of this kind that has been called before `at` returned, and has neither returned nor taken effect.
    fn open(&self, at: u32, is_it: impl Fn(Seen<'a, V>) -> bool) -> Option<u32> {
        let end = self.op(at).end;
        let fits = |next: &u32| {
            *next != NONE
                && is_it(self.seen[*next as usize])
                && self.op(*next).call <= end
                && self.op(*next).process != self.op(at).process
                && !self.chain.has(*next)
        };
        self.upcoming.iter().copied().find(fits)
    }
}

fn removes<V: Eq>(remover: Seen<'_, V>, added: Seen<'_, V>) -> bool {
    matches!((remover, added), (Seen::Removed(a), Seen::Added(b)) if a == b)
}

/// Positions in an order that can be changed anywhere.
struct Chain {
    /// What comes after each position, and at the end, what comes first. `NONE`: it is not in the chain.
    after: Vec<u32>,
    before: Vec<u32>,
    last: u32,
}

impl Chain {
    fn new(len: usize) -> Chain {
        let mut after = vec![NONE; len + 1];
        let mut before = vec![NONE; len + 1];
        // The position behind the last one closes the ring.
        (after[len], before[len]) = (len as u32, len as u32);
        Chain { after, before, last: len as u32 }
    }

    fn has(&self, at: u32) -> bool {
        self.after[at as usize] != NONE
    }

    /// What comes after `at`, or first.
    fn after(&self, at: Option<u32>) -> Option<u32> {
        let next = self.after[at.unwrap_or(self.last) as usize];
        (next != self.last).then_some(next)
    }

    fn append(&mut self, at: u32) {
        self.put_before(at, self.last);
    }

    fn put_after(&mut self, at: u32, earlier: Option<u32>) {
        let next = self.after[earlier.unwrap_or(self.last) as usize];
        self.put_before(at, next);
    }

    /// It may be in the chain already.
    fn put_before(&mut self, at: u32, later: u32) {
        if self.has(at) {
            let (before, after) = (self.before[at as usize], self.after[at as usize]);
            self.after[before as usize] = after;
            self.before[after as usize] = before;
        }
        let before = self.before[later as usize];
        (self.before[at as usize], self.after[at as usize]) = (before, later);
        self.after[before as usize] = at;
        self.before[later as usize] = at;
    }

    fn in_order(&self) -> Vec<u32> {
        std::iter::successors(self.after(None), |at| self.after(Some(*at))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Seen::{Added, Found, Nothing, Removed};

    /// Process, call, end, and what was seen; in the order of returns.
    fn order(ops: &[(u32, u64, u64, Seen<'_, u8>)]) -> Option<Vec<u32>> {
        assert!(ops.is_sorted_by_key(|op| op.2), "not in the order of returns");
        let returned = |op: &(u32, u64, u64, _)| Returned {
            process: op.0,
            op: &(),
            ret: &(),
            call: op.1,
            end: op.2,
        };
        let run: Vec<Returned<'_, (), ()>> = ops.iter().map(returned).collect();
        likely_order(&run, &ops.iter().map(|op| op.3).collect::<Vec<_>>())
    }

    #[test]
    fn without_surprises_it_is_the_order_of_returns() {
        let ops = [
            (0, 0, 1, Nothing),
            (0, 2, 3, Added(&1)),
            (1, 2, 4, Added(&2)),
            (2, 5, 6, Found(&1)),
            (0, 5, 7, Removed(&1)),
            (1, 5, 8, Removed(&2)),
            (1, 9, 10, Nothing),
        ];
        assert_eq!(order(&ops), Some((0..7).collect()));
    }

    #[test]
    fn who_removed_the_front_came_first() {
        let ops = [
            (0, 0, 1, Added(&1)),
            (0, 2, 3, Added(&2)),
            (0, 4, 5, Removed(&2)),
            (1, 2, 6, Removed(&1)),
        ];
        assert_eq!(order(&ops), Some(vec![0, 1, 3, 2]));
        let too_late = [ops[0], ops[1], ops[2], (1, 6, 7, Removed(&1))];
        assert_eq!(order(&too_late), None);
    }

    #[test]
    fn enqueues_that_overlap_may_have_changed_places() {
        let ops = [
            (0, 0, 4, Added(&1)),
            (2, 0, 5, Nothing),
            (1, 3, 6, Added(&2)),
            (0, 7, 8, Removed(&2)),
            (0, 9, 10, Removed(&1)),
        ];
        // Finding nothing came first, too.
        assert_eq!(order(&ops), Some(vec![1, 2, 0, 3, 4]));
        let one_after_the_other = [ops[0], ops[1], (1, 5, 6, Added(&2)), ops[3], ops[4]];
        assert_eq!(order(&one_after_the_other), None);
    }

    #[test]
    fn what_is_found_was_added_before() {
        let ops = [(0, 0, 1, Removed(&1)), (1, 0, 2, Added(&1)), (0, 2, 3, Nothing)];
        assert_eq!(order(&ops), Some(vec![1, 0, 2]));
        assert_eq!(order(&[(0, 0, 1, Removed(&1)), (1, 2, 3, Added(&1))]), None);
    }

    #[test]
    fn who_found_nothing_waits_for_those_who_remove() {
        let ops = [(0, 0, 1, Added(&1)), (0, 2, 3, Nothing), (1, 2, 4, Removed(&1))];
        assert_eq!(order(&ops), Some(vec![0, 2, 1]));
        assert_eq!(order(&[ops[0], ops[1], (1, 4, 5, Removed(&1))]), None);
    }
}
