//! Priority queues, and bags, in which all elements have the same priority. Besides what all
//! [containers](super::container) do:
//!
//! - If there are elements that come out first, the operation returned late: it came before they were added.
//! - If the value is not there, it was added by an operation that has not returned yet.

use std::cmp::Ordering;

use super::super::part::Done;
use super::REACH;
use super::container::{Brought, Container, simulate};
use super::course::Course;
use crate::spec::{Name, Role};

/// `compare` says which of two elements comes out first: the greater one.
pub(super) fn likely_order(
    run: &[Done],
    compare: &dyn Fn(u32, u32) -> Ordering,
) -> Option<Vec<u32>> {
    simulate(run, Content { adds: Vec::new(), compare })
}

/// What was added and not removed.
struct Content<'a> {
    /// Those that come out first are last.
    adds: Vec<u32>,
    compare: &'a dyn Fn(u32, u32) -> Ordering,
}

impl Content<'_> {
    /// Where the elements begin that come out no later than this one.
    fn place(&self, at: u32) -> usize {
        self.adds.partition_point(|other| (self.compare)(*other, at).is_lt())
    }
}

impl Container for Content<'_> {
    fn next(&self) -> Option<u32> {
        self.adds.last().copied()
    }

    fn add(&mut self, at: u32) {
        let place = self.place(at);
        self.adds.insert(place, at);
    }

    fn take(&mut self) {
        self.adds.pop();
    }

    fn prefer(&mut self, value: Name, course: &Course<'_>) {
        let Some(&first) = self.adds.last() else { return };
        let last = self.adds.len() - 1;
        let equal = self.adds.iter().rev().take_while(|op| (self.compare)(**op, first).is_eq());
        let mut equal = equal.enumerate();
        if let Some((back, _)) = equal.find(|(_, op)| course.op(**op).role == Role::Add(value)) {
            self.adds.swap(last - back, last);
        }
    }

    fn bring(&mut self, value: Name, at: u32, course: &mut Course<'_>) -> Option<Brought> {
        let adds_it = |op: u32| course.op(op).role == Role::Add(value);
        let back = self.adds.iter().rev().take(REACH).position(|op| adds_it(*op));
        let add = match back {
            Some(back) => self.adds[self.adds.len() - 1 - back],
            None => {
                let add = course.open(at, adds_it)?;
                course.append(add);
                self.add(add);
                add
            }
        };
        // Operations mostly take effect in the order of their returns.
        let greater = self.adds.iter().rev().take_while(|op| (self.compare)(**op, add).is_gt());
        let Some(&first) = greater.min() else {
            self.prefer(value, course);
            return Some(Brought::ToFront);
        };
        if !course.may_precede(at, first) {
            return None;
        }
        if add > first {
            if !course.may_precede(add, first) {
                return None;
            }
            course.put_before(add, first);
        }
        course.put_before(at, first);
        if let Role::Remove(_) = course.op(at).role {
            self.adds.retain(|op| *op != add);
        }
        Some(Brought::Earlier)
    }
}
