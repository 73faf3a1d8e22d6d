//! In which order the operations of a queue took effect: a guess from the order of their returns.
//!
//! An operation takes effect when it returns, unless that does not fit. Then one of a few things has happened, and the
//! first that fits is taken:
//!
//! - What is at the front was removed by an operation that has not returned yet: that came first.
//! - Two enqueues overlapped and took effect the other way round: the later one precedes the earlier one. No operation in
//!   between can tell, since the queue was not empty, and none of the two at its front.
//! - What was found was put there by an enqueue that has not returned yet: that came first.
//! - The queue was found empty by an operation that returned late: it moves to the moment when the queue was empty last.
//!
//! One pass, linear in the number of operations if queues with more than one change are short. Runs of real queues hardly
//! ever need more; where that fails, nothing is known. The caller has to check the order ([`Claims::likely_order`]).
//!
//! [`Claims::likely_order`]: crate::spec::Claims::likely_order

use std::collections::VecDeque;

use super::part::Done;
use crate::spec::{Name, Role};

/// How far behind the front to look for an enqueue that came first.
const REACH: usize = 16;

/// Operations in the order of their returns; positions in the likely order. Nothing for queues that were full.
pub(super) fn likely_order(run: &[Done]) -> Option<Vec<u32>> {
    let mut simulation = Simulation::new(run);
    for at in 0..run.len() as u32 {
        simulation.returned(at)?;
    }
    Some(simulation.chain.in_order())
}

struct Simulation<'a> {
    run: &'a [Done],
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

impl<'a> Simulation<'a> {
    fn new(run: &'a [Done]) -> Self {
        let processes = run.iter().map(|op| op.process as usize + 1).max().unwrap_or(0);
        let mut upcoming = vec![NONE; processes];
        let mut following = vec![NONE; run.len()];
        for (at, op) in run.iter().enumerate().rev() {
            let next = &mut upcoming[op.process as usize];
            following[at] = std::mem::replace(next, at as u32);
        }
        let chain = Chain::new(run.len());
        Simulation { run, following, upcoming, queue: VecDeque::new(), chain, empty_after: None }
    }

    fn op(&self, at: u32) -> &'a Done {
        &self.run[at as usize]
    }

    /// `at` returns now; it takes effect now, or has done so before.
    fn returned(&mut self, at: u32) -> Option<()> {
        let process = self.op(at).process as usize;
        self.upcoming[process] = self.following[at as usize];
        if self.chain.has(at) {
            return Some(());
        }
        match self.op(at).role {
            Role::Add(_) => {
                self.queue.push_back(at);
                self.chain.append(at);
            }
            Role::Remove(value) => {
                self.bring_to_front(value, at)?;
                self.remove(at);
            }
            Role::Peek(value) => {
                self.bring_to_front(value, at)?;
                self.chain.append(at);
            }
            Role::Empty => self.find_empty(at)?,
            _ => return None,
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
    fn bring_to_front(&mut self, value: Name, at: u32) -> Option<()> {
        loop {
            match self.queue.front() {
                Some(front) if self.op(*front).role == Role::Add(value) => return Some(()),
                Some(front) => {
                    let in_the_way = self.op(*front).role;
                    if let Some(remover) = self.open(at, |role| removes(role, in_the_way)) {
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
    fn bring_enqueue_to_front(&mut self, value: Name, at: u32) -> Option<()> {
        let behind = (1..self.queue.len().min(REACH))
            .find(|behind| self.op(self.queue[*behind]).role == Role::Add(value));
        let adder = match behind {
            Some(behind) => self.queue[behind],
            None => self.open(at, |role| role == Role::Add(value))?,
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

    /// `at` moves to where the queue is empty.
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
            let in_the_way = self.op(*front).role;
            let remover = self.open(at, |role| removes(role, in_the_way))?;
            self.remove(remover);
        }
        self.empty_after = Some(at);
        Some(())
    }

    /// An operation of this kind that has been called before `at` returned, and has neither returned nor taken effect.
    fn open(&self, at: u32, is_it: impl Fn(Role) -> bool) -> Option<u32> {
        let end = self.op(at).end;
        let fits = |next: &u32| {
            *next != NONE
                && is_it(self.op(*next).role)
                && self.op(*next).call <= end
                && self.op(*next).process != self.op(at).process
                && !self.chain.has(*next)
        };
        self.upcoming.iter().copied().find(fits)
    }
}

fn removes(remover: Role, added: Role) -> bool {
    matches!((remover, added), (Role::Remove(a), Role::Add(b)) if a == b)
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

    const NOTHING: Role = Role::Empty;

    fn added(value: u64) -> Role {
        Role::Add(Name(value))
    }

    fn removed(value: u64) -> Role {
        Role::Remove(Name(value))
    }

    fn found(value: u64) -> Role {
        Role::Peek(Name(value))
    }

    /// Process, call, end, and role; in the order of returns.
    fn order(ops: &[(u32, u64, u64, Role)]) -> Option<Vec<u32>> {
        assert!(ops.is_sorted_by_key(|op| op.2), "not in the order of returns");
        let done = ops.iter().map(|&(process, call, end, role)| Done { process, call, end, role });
        likely_order(&done.collect::<Vec<_>>())
    }

    #[test]
    fn without_surprises_it_is_the_order_of_returns() {
        let ops = [
            (0, 0, 1, NOTHING),
            (0, 2, 3, added(1)),
            (1, 2, 4, added(2)),
            (2, 5, 6, found(1)),
            (0, 5, 7, removed(1)),
            (1, 5, 8, removed(2)),
            (1, 9, 10, NOTHING),
        ];
        assert_eq!(order(&ops), Some((0..7).collect()));
    }

    #[test]
    fn who_removed_the_front_came_first() {
        let ops = [
            (0, 0, 1, added(1)),
            (0, 2, 3, added(2)),
            (0, 4, 5, removed(2)),
            (1, 2, 6, removed(1)),
        ];
        assert_eq!(order(&ops), Some(vec![0, 1, 3, 2]));
        let too_late = [ops[0], ops[1], ops[2], (1, 6, 7, removed(1))];
        assert_eq!(order(&too_late), None);
    }

    #[test]
    fn enqueues_that_overlap_may_have_changed_places() {
        let ops = [
            (0, 0, 4, added(1)),
            (2, 0, 5, NOTHING),
            (1, 3, 6, added(2)),
            (0, 7, 8, removed(2)),
            (0, 9, 10, removed(1)),
        ];
        // Finding nothing came first, too.
        assert_eq!(order(&ops), Some(vec![1, 2, 0, 3, 4]));
        let one_after_the_other = [ops[0], ops[1], (1, 5, 6, added(2)), ops[3], ops[4]];
        assert_eq!(order(&one_after_the_other), None);
    }

    #[test]
    fn what_is_found_was_added_before() {
        let ops = [(0, 0, 1, removed(1)), (1, 0, 2, added(1)), (0, 2, 3, NOTHING)];
        assert_eq!(order(&ops), Some(vec![1, 0, 2]));
        assert_eq!(order(&[(0, 0, 1, removed(1)), (1, 2, 3, added(1))]), None);
    }

    #[test]
    fn who_found_nothing_waits_for_those_who_remove() {
        let ops = [(0, 0, 1, added(1)), (0, 2, 3, NOTHING), (1, 2, 4, removed(1))];
        assert_eq!(order(&ops), Some(vec![0, 2, 1]));
        assert_eq!(order(&[ops[0], ops[1], (1, 4, 5, removed(1))]), None);
    }
}
