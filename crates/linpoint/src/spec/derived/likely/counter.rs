//! Counters. Where the number is not what an operation found:
//!
//! - The operation only looked and returned late: it came when the number was that.
//! - Additions that have not returned yet came first: those that lead to the number, or towards it.
//!
//! An addition that found the number came before others that change it.

use super::super::part::Done;
use super::REACH;
use super::course::Course;
use crate::spec::Role;

pub(super) fn likely_order(run: &[Done], initial: i64) -> Option<Vec<u32>> {
    let mut counter = Counter { course: Course::new(run), number: initial, trail: Vec::new() };
    for at in 0..run.len() as u32 {
        if counter.course.returns(at) {
            counter.take_effect(at)?;
        }
    }
    Some(counter.course.in_order())
}

struct Counter<'a> {
    course: Course<'a>,
    number: i64,
    /// The additions, each with the number before it.
    trail: Vec<(u32, i64)>,
}

impl Counter<'_> {
    fn take_effect(&mut self, at: u32) -> Option<()> {
        match self.course.op(at).role {
            Role::Idle => self.course.append(at),
            Role::Shift(by) => {
                while let Some((next, by)) = self.found_by(at) {
                    self.add(next, by);
                }
                self.add(at, by);
            }
            Role::ShiftFrom { by, from } => {
                self.reach(from, at)?;
                self.add(at, by);
            }
            Role::IsNumber(number) if number == self.number => self.course.append(at),
            Role::IsNumber(number) => {
                let recent = self.trail.iter().rev().take(REACH);
                let mut open = recent.take_while(|(next, _)| self.course.may_precede(at, *next));
                match open.find(|(_, before)| *before == number) {
                    Some((next, _)) => self.course.put_before(at, *next),
                    None => {
                        self.reach(number, at)?;
                        self.course.append(at);
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn add(&mut self, at: u32, by: i64) {
        self.trail.push((at, self.number));
        self.number = self.number.wrapping_add(by);
        self.course.append(at);
    }

    /// An addition that has not returned and found the number as it is now.
    fn found_by(&self, at: u32) -> Option<(u32, i64)> {
        let found = |op: u32| match self.course.op(op).role {
            Role::ShiftFrom { by, from } if by != 0 && from == self.number => Some(by),
            _ => None,
        };
        let op = self.course.open(at, |op| found(op).is_some())?;
        Some((op, found(op)?))
    }

    /// Lets additions take effect that have not returned, until the number is this one.
    fn reach(&mut self, number: i64, at: u32) -> Option<()> {
        while self.number != number {
            if let Some((next, by)) = self.found_by(at) {
                self.add(next, by);
                continue;
            }
            let missing = number.wrapping_sub(self.number);
            let helps = |op: u32| match self.course.op(op).role {
                Role::Shift(by) => Some(by).filter(|by| {
                    let is_towards = *by != 0 && (*by < 0) == (missing < 0);
                    is_towards && by.unsigned_abs() <= missing.unsigned_abs()
                }),
                _ => None,
            };
            let next = self.course.open(at, |op| helps(op).is_some())?;
            let by = helps(next)?;
            self.add(next, by);
        }
        Some(())
    }
}
