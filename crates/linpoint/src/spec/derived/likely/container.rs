//! Containers: what queues, stacks and priority queues have in common.
//!
//! Where an operation does not find the element whose turn it is,
//!
//! - that element was removed by an operation that has not returned yet: that came first;
//! - or else the container knows how its own element can have been there ([`Container::bring`]).
//!
//! Where it was found empty, by an operation that returned late, that moves to the moment when it was empty last.

use super::super::part::Done;
use super::course::Course;
use crate::spec::{Name, Role};

/// What is in a container. Elements are known by the operations that added them.
pub(super) trait Container {
    /// The element whose turn it is.
    fn next(&self) -> Option<u32>;

    /// Adds an element.
    fn add(&mut self, at: u32);

    /// Removes the element whose turn it is.
    fn take(&mut self);

    /// Makes it the turn of an element with this value, if it need not come to that: for a priority queue, elements of one
    /// priority.
    fn prefer(&mut self, _value: Name, _course: &Course<'_>) {}

    /// Whatever has to come first so that `at` finds the value.
    fn bring(&mut self, value: Name, at: u32, course: &mut Course<'_>) -> Option<Brought>;
}

/// How an operation finds its value.
pub(super) enum Brought {
    /// It is its turn now.
    ToFront,
    /// It was its turn earlier: the operation has been put there.
    Earlier,
}

/// The likely order of the operations on a container that is empty at the beginning.
pub(super) fn simulate<C: Container>(run: &[Done], content: C) -> Option<Vec<u32>> {
    let mut simulation = Simulation { course: Course::new(run), content, empty_after: None };
    for at in 0..run.len() as u32 {
        simulation.returned(at)?;
    }
    Some(simulation.course.in_order())
}

struct Simulation<'a, C> {
    course: Course<'a>,
    content: C,
    /// It was empty after this one; `None` for the beginning.
    empty_after: Option<u32>,
}

impl<C: Container> Simulation<'_, C> {
    fn returned(&mut self, at: u32) -> Option<()> {
        if !self.course.returns(at) {
            return Some(());
        }
        match self.course.op(at).role {
            Role::Add(_) => {
                self.content.add(at);
                self.course.append(at);
            }
            Role::Remove(value) => {
                if let Brought::ToFront = self.bring(value, at)? {
                    self.remove(at);
                }
            }
            Role::Peek(value) => {
                if let Brought::ToFront = self.bring(value, at)? {
                    self.course.append(at);
                }
            }
            Role::Empty => self.find_empty(at)?,
            _ => return None,
        }
        Some(())
    }

    /// Removes the element whose turn it is.
    fn remove(&mut self, at: u32) {
        self.content.take();
        self.course.append(at);
        if self.content.next().is_none() {
            self.empty_after = Some(at);
        }
    }

    /// An operation that has not returned and removed the element whose turn it is.
    fn open_remover(&self, at: u32) -> Option<u32> {
        let Role::Add(added) = self.course.op(self.content.next()?).role else { return None };
        self.course.open(at, |op| self.course.op(op).role == Role::Remove(added))
    }

    fn bring(&mut self, value: Name, at: u32) -> Option<Brought> {
        loop {
            let is_it = |next: u32| self.course.op(next).role == Role::Add(value);
            if self.content.next().is_some_and(is_it) {
                return Some(Brought::ToFront);
            }
            self.content.prefer(value, &self.course);
            if self.content.next().is_some_and(is_it) {
                return Some(Brought::ToFront);
            }
            match self.open_remover(at) {
                Some(remover) => self.remove(remover),
                None => return self.content.bring(value, at, &mut self.course),
            }
        }
    }

    /// `at` moves to where it was empty.
    fn find_empty(&mut self, at: u32) -> Option<()> {
        while self.content.next().is_some() {
            // Something was added since then.
            let first = self.course.after(self.empty_after)?;
            if self.course.may_precede(at, first) {
                self.course.put_before(at, first);
                self.empty_after = Some(at);
                return Some(());
            }
            let remover = self.open_remover(at)?;
            self.remove(remover);
        }
        self.course.append(at);
        self.empty_after = Some(at);
        Some(())
    }
}
