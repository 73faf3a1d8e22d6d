//! Queues. Besides what all [containers](super::container) do: two enqueues that overlapped may have taken effect the other way
//! round. The later one precedes the earlier one; no operation in between can tell, since the queue was not empty, and none of
//! the two at its front. Queues that were full are left to the search.

use std::collections::VecDeque;

use super::super::part::Done;
use super::REACH;
use super::container::{Brought, Container, simulate};
use super::course::Course;
use crate::spec::{Name, Role};

pub(super) fn likely_order(run: &[Done]) -> Option<Vec<u32>> {
    simulate(run, VecDeque::new())
}

/// The enqueues of what is in the queue.
impl Container for VecDeque<u32> {
    fn next(&self) -> Option<u32> {
        self.front().copied()
    }

    fn add(&mut self, at: u32) {
        self.push_back(at);
    }

    fn take(&mut self) {
        self.pop_front();
    }

    /// An enqueue of the value becomes the first of those in the queue.
    fn bring(&mut self, value: Name, at: u32, course: &mut Course<'_>) -> Option<Brought> {
        let behind = (1..self.len().min(REACH))
            .find(|behind| course.op(self[*behind]).role == Role::Add(value));
        let adder = match behind {
            Some(behind) => self[behind],
            None => course.open(at, |op| course.op(op).role == Role::Add(value))?,
        };
        let mut passed = self.iter().take(behind.unwrap_or(self.len()));
        if !passed.all(|earlier| course.may_precede(adder, *earlier)) {
            return None;
        }
        match self.front() {
            Some(front) => course.put_before(adder, *front),
            None => course.append(adder),
        }
        if let Some(behind) = behind {
            self.remove(behind);
        }
        self.push_front(adder);
        Some(Brought::ToFront)
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
