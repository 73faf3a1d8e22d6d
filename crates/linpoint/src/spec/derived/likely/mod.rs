//! In which order operations took effect: a guess from the order of their returns.
//!
//! An operation takes effect when it returns, unless that does not fit. Then one of a few things has happened, and the first
//! that fits is taken: an operation that has not returned yet came first; this one came earlier and returned late; two that
//! overlapped took effect the other way round. Each shape has a file that says what fits and what to do if it does not.
//!
//! One pass, linear in the number of operations where objects are small and few operations overlap. Runs of real objects
//! hardly ever need more; where that fails, nothing is known. The caller has to check the order
//! ([`Claims::likely_order`](crate::spec::Claims::likely_order)), so a wrong guess costs time and nothing else.

mod container;
mod counter;
mod course;
mod flags;
mod priority_queue;
mod queue;
mod registers;
mod stack;

use std::cmp::Ordering;

use super::part::Done;
use crate::spec::{Name, Shape};

/// How far back, or how deep, to look for what fits.
const REACH: usize = 16;

/// A run of completed operations, in the order of their returns.
pub(crate) struct Run<'a> {
    pub(crate) shape: Shape,
    pub(crate) done: &'a [Done],
    /// The flag or register of each operation. Empty for shapes without keys.
    pub(crate) keys: &'a [Option<Name>],
    /// Which of two elements comes out first, see [`Shaped::compare`](crate::spec::Shaped::compare).
    pub(crate) compare: &'a dyn Fn(u32, u32) -> Ordering,
}

impl Run<'_> {
    /// True if there is a guess for this shape. The run is needed only then.
    pub(crate) fn can_be_guessed(shape: Shape) -> bool {
        use Shape::{Bag, BoundedQueue, Counter, Flags, PriorityQueue, Queue, Registers, Stack};
        matches!(
            shape,
            Queue
                | BoundedQueue { .. }
                | Stack
                | PriorityQueue
                | Bag
                | Flags
                | Registers { .. }
                | Counter { .. }
        )
    }

    /// True if operations of the shape have keys.
    pub(crate) fn has_keys(shape: Shape) -> bool {
        matches!(shape, Shape::Flags | Shape::Registers { .. })
    }

    /// Positions in the likely order; `None` if nothing fits.
    pub(crate) fn likely_order(&self) -> Option<Vec<u32>> {
        let done = self.done;
        match self.shape {
            Shape::Queue | Shape::BoundedQueue { .. } => queue::likely_order(done),
            Shape::Stack => stack::likely_order(done),
            Shape::PriorityQueue => priority_queue::likely_order(done, self.compare),
            // It is the turn of every element.
            Shape::Bag => priority_queue::likely_order(done, &|_, _| Ordering::Equal),
            Shape::Flags => flags::likely_order(done, self.keys),
            Shape::Registers { initial } => registers::likely_order(done, self.keys, initial),
            Shape::Counter { initial } => counter::likely_order(done, initial),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
