//! Millions of small histories: the differential tests of the monitors.
//!
//! The [`oracle`](crate::oracle) runs any specification and is slow. Monitors must be tested on
//! tens of millions of histories, so this is a reference of the same kind for small objects whose
//! state fits into 64 bits ([`SmallObject`]): [`brute::Brute`] tries every order, without pruning,
//! and a test compares it with the oracle. Histories are drawn at random ([`draw`]) or listed
//! ([`list`]).
//!
//! [`check::Trial`] runs a monitor on each history and compares: the verdict with the reference,
//! the order of a "yes" with the definition, and the contradiction of a "no" with the reference
//! once more, with everything outside it relaxed. Refusals are counted by reason.
//!
//! ```
//! use linpoint_suite::small::{check::Trial, draw::Style, objects::SmallQueue};
//!
//! let mut trial = Trial::new(SmallQueue);
//! trial.random(&Style::default(), 1, 200);
//! println!("{}", trial.tally);
//! assert!(trial.tally.decided() > 0);
//! ```

pub mod brute;
pub mod check;
pub mod draw;
pub mod list;
pub mod objects;

use std::fmt::Debug;
use std::hash::Hash;

use linpoint::spec::Spec;

use crate::Rng;

/// An object small enough to be searched by brute force.
pub trait SmallObject {
    /// What can be called.
    type Op: Clone + Eq + Hash + Debug + Send + Sync;
    /// What can be returned.
    type Ret: Clone + Eq + Hash + Debug + Send + Sync;
    /// The bundled specification that is tested.
    type Spec: Spec<Op = Self::Op, Ret = Self::Ret>;

    /// A name for messages.
    fn name(&self) -> &'static str;

    /// The specification that is tested.
    fn spec(&self) -> Self::Spec;

    /// The state before the first operation.
    fn start(&self) -> u64 {
        0
    }

    /// The result of the operation, and the next state; `None` if it has to wait.
    fn step(&self, state: u64, op: &Self::Op) -> Option<(Self::Ret, u64)>;

    /// Calls `visit` with each result of the operation and the next state, until it says true. Only
    /// for objects with several; [`SmallObject::step`] is one of them then.
    fn any_step(
        &self,
        state: u64,
        op: &Self::Op,
        visit: &mut dyn FnMut(Self::Ret, u64) -> bool,
    ) -> bool {
        self.step(state, op).is_some_and(|(ret, next)| visit(ret, next))
    }

    /// A result of the operation that is chosen at random, and the next state.
    fn draw_step(&self, _rng: &mut Rng, state: u64, op: &Self::Op) -> Option<(Self::Ret, u64)> {
        self.step(state, op)
    }

    /// True if a recorded result matches this one.
    fn fits(&self, exact: &Self::Ret, recorded: &Self::Ret) -> bool {
        exact == recorded
    }

    /// Some operation; `fresh` is a value that was not used before.
    fn draw(&self, rng: &mut Rng, style: &draw::Style, fresh: u8) -> Self::Op;

    /// Some result that such an operation might have.
    fn any_result(&self, rng: &mut Rng, op: &Self::Op, values: u8) -> Self::Ret;

    /// The result as recorded, which may leave something open.
    fn record(&self, _rng: &mut Rng, ret: Self::Ret) -> Self::Ret {
        ret
    }

    /// All operations with all their results, with values below `values`; no result: pending.
    fn letters(&self, values: u8) -> Vec<(Self::Op, Option<Self::Ret>)>;
}

/// A short sequence of numbers below 15 in a word: the state of small containers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nibbles(pub u64);

impl Nibbles {
    /// Number of elements.
    pub fn len(self) -> u32 {
        (67 - self.0.leading_zeros()) / 4
    }

    /// True if there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Puts a number at the front (of 15 at most).
    pub fn push(self, value: u8) -> Nibbles {
        assert!(value < 15 && self.len() < 16, "too large for a small object");
        Nibbles(self.0 << 4 | u64::from(value + 1))
    }

    /// Puts a number behind all others.
    pub fn push_first(self, value: u8) -> Nibbles {
        assert!(value < 15 && self.len() < 16, "too large for a small object");
        Nibbles(self.0 | u64::from(value + 1) << (4 * self.len()))
    }

    /// The number that was pushed last, and the others.
    pub fn pop_last(self) -> Option<(u8, Nibbles)> {
        (self.0 != 0).then(|| ((self.0 & 15) as u8 - 1, Nibbles(self.0 >> 4)))
    }

    /// The number that was pushed first, and the others.
    pub fn pop_first(self) -> Option<(u8, Nibbles)> {
        let shift = 4 * self.len().checked_sub(1)?;
        Some(((self.0 >> shift) as u8 - 1, Nibbles(self.0 & !(15 << shift))))
    }

    /// The numbers, last pushed first.
    pub fn iter(mut self) -> impl Iterator<Item = u8> {
        std::iter::from_fn(move || {
            let (value, rest) = self.pop_last()?;
            self = rest;
            Some(value)
        })
    }
}
