//! Stacks. Besides what all [containers](super::container) do, if the value is below others:
//!
//! - The operation returned late: it came before the value above was pushed. That changes nothing for what happened above.
//! - Pushes that overlapped took effect the other way round: those above came before that of the value.
//!
//! If the value is not there, it was pushed by an operation that has not returned yet.

use super::super::part::Done;
use super::REACH;
use super::container::{Brought, Container, simulate};
use super::course::Course;
use crate::spec::{Name, Role};

pub(super) fn likely_order(run: &[Done]) -> Option<Vec<u32>> {
    simulate(run, Vec::new())
}

/// The pushes of what is on the stack.
impl Container for Vec<u32> {
    fn next(&self) -> Option<u32> {
        self.last().copied()
    }

    fn add(&mut self, at: u32) {
        self.push(at);
    }

    fn take(&mut self) {
        self.pop();
    }

    fn bring(&mut self, value: Name, at: u32, course: &mut Course<'_>) -> Option<Brought> {
        let pushes_it = |op: u32| course.op(op).role == Role::Add(value);
        let Some(above) = self.iter().rev().take(REACH).position(|op| pushes_it(*op)) else {
            let adder = course.open(at, pushes_it)?;
            course.append(adder);
            self.push(adder);
            return Some(Brought::ToFront);
        };
        let place = self.len() - 1 - above;
        let push = self[place];
        if course.may_precede(at, self[place + 1]) {
            course.put_before(at, self[place + 1]);
            if let Role::Remove(_) = course.op(at).role {
                self.remove(place);
            }
            return Some(Brought::Earlier);
        }
        if !self[place + 1..].iter().all(|other| course.may_precede(*other, push)) {
            return None;
        }
        self[place + 1..].iter().for_each(|other| course.put_before(*other, push));
        self[place..].rotate_left(1);
        Some(Brought::ToFront)
    }
}
