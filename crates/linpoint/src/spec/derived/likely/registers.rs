//! Registers: a value that is overwritten, or one for each key. Where the value is not what an operation found:
//!
//! - The operation returned late: it came while the value was there. If it replaced the value, then by another that was
//!   overwritten without being looked at.
//! - An operation that has not returned yet wrote the value. It may have replaced another one, and so on.
//! - Writes of values that were never read came before that of the value, which they overlap.

use rustc_hash::FxHashMap;

use super::super::part::Done;
use super::REACH;
use super::course::{Course, NONE};
use crate::spec::{Name, Role};

pub(super) fn likely_order(run: &[Done], keys: &[Option<Name>], initial: Name) -> Option<Vec<u32>> {
    let mut registers =
        Registers { course: Course::new(run), keys, initial, of_key: FxHashMap::default() };
    for at in 0..run.len() as u32 {
        if registers.course.returns(at) {
            registers.take_effect(at)?;
        }
    }
    Some(registers.course.in_order())
}

struct Registers<'a> {
    course: Course<'a>,
    keys: &'a [Option<Name>],
    initial: Name,
    of_key: FxHashMap<Option<Name>, Vec<Stay>>,
}

/// A value that was there for a while.
#[derive(Clone, Copy)]
struct Stay {
    value: Name,
    /// The operation that wrote it; [`NONE`] for the initial value.
    by: u32,
    /// True if the operation looked at what was there before.
    looked: bool,
    /// True if some operation saw the value.
    seen: bool,
}

impl Registers<'_> {
    fn take_effect(&mut self, at: u32) -> Option<()> {
        let key = self.keys[at as usize];
        let initial = Stay { value: self.initial, by: NONE, looked: true, seen: true };
        let stays = self.of_key.entry(key).or_insert_with(|| vec![initial]);
        let mut register = Register { course: &mut self.course, keys: self.keys, key, stays };
        match register.course.op(at).role {
            Role::Idle => register.course.append(at),
            Role::Write(_) => register.write(at),
            Role::Read(value) => register.read(value, at)?,
            Role::Replace { from, to } => register.replace(from, to, at)?,
            Role::Other(value) => register.find_other(value, at)?,
            _ => return None,
        }
        Some(())
    }
}

/// The register of one key.
struct Register<'r, 'a> {
    course: &'r mut Course<'a>,
    keys: &'r [Option<Name>],
    key: Option<Name>,
    /// What was there, one after the other. Never empty.
    stays: &'r mut Vec<Stay>,
}

impl Register<'_, '_> {
    fn value(&self) -> Option<Name> {
        self.stays.last().map(|stay| stay.value)
    }

    /// The stay that `at` begins.
    fn begun_by(&self, at: u32) -> Option<Stay> {
        let (value, looked) = match self.course.op(at).role {
            Role::Write(value) => (value, false),
            Role::Replace { to, .. } => (to, true),
            _ => return None,
        };
        Some(Stay { value, by: at, looked, seen: false })
    }

    fn write(&mut self, at: u32) {
        self.course.append(at);
        self.stays.extend(self.begun_by(at));
    }

    fn look(&mut self) {
        self.stays.iter_mut().last().into_iter().for_each(|stay| stay.seen = true);
    }

    fn read(&mut self, value: Name, at: u32) -> Option<()> {
        if self.value() != Some(value) {
            if let Some(stay) = self.stay_at(value, at) {
                self.course.put_before(at, self.stays[stay + 1].by);
                self.stays[stay].seen = true;
                return Some(());
            }
            self.bring(value, at)?;
        }
        self.look();
        self.course.append(at);
        Some(())
    }

    fn replace(&mut self, from: Name, to: Name, at: u32) -> Option<()> {
        if self.value() != Some(from) {
            let stay = self.stay_at(from, at).filter(|stay| !self.stays[stay + 1].looked);
            if let Some(stay) = stay {
                self.course.put_before(at, self.stays[stay + 1].by);
                self.stays[stay].seen = true;
                let begun = self.begun_by(at)?;
                self.stays.insert(stay + 1, begun);
                return Some(());
            }
            // An operation that left its own value may have found it.
            if self.bring(from, at).is_none() {
                return self.read(to, at);
            }
        }
        self.look();
        self.write(at);
        Some(())
    }

    /// `at` found anything but this value.
    fn find_other(&mut self, value: Name, at: u32) -> Option<()> {
        if self.value() == Some(value) {
            let [.., before, now] = self.stays[..] else { return None };
            if before.value != value && self.course.may_precede(at, now.by) {
                self.course.put_before(at, now.by);
                return Some(());
            }
            let writer = self.open_writer(at, |to| to != value)?;
            if let Role::Replace { from, .. } = self.course.op(writer).role
                && from != value
            {
                return None;
            }
            self.write(writer);
        }
        self.course.append(at);
        Some(())
    }

    /// The last stay of the value, if `at` may have come before it ended.
    fn stay_at(&self, value: Name, at: u32) -> Option<usize> {
        let recent = self.stays.len().saturating_sub(REACH)..self.stays.len() - 1;
        let stay = recent.rev().find(|stay| self.stays[*stay].value == value)?;
        self.course.may_precede(at, self.stays[stay + 1].by).then_some(stay)
    }

    /// Makes this the value.
    fn bring(&mut self, value: Name, at: u32) -> Option<()> {
        let mut wanted = vec![];
        let mut next = value;
        while wanted.len() < REACH {
            // What wrote it either needs nothing, or another value.
            let Some(writer) = self.open_writer(at, |to| to == next) else { break };
            if wanted.contains(&writer) {
                break;
            }
            wanted.push(writer);
            match self.course.op(writer).role {
                Role::Replace { from, .. } if Some(from) != self.value() => next = from,
                _ => {
                    wanted.into_iter().rev().for_each(|writer| {
                        if let Role::Replace { .. } = self.course.op(writer).role {
                            self.look();
                        }
                        self.write(writer);
                    });
                    return Some(());
                }
            }
        }
        self.bring_back(value)
    }

    /// A value that was overwritten becomes the last one.
    fn bring_back(&mut self, value: Name) -> Option<()> {
        let recent = self.stays.len().saturating_sub(REACH)..self.stays.len() - 1;
        let stay = recent.rev().find(|stay| self.stays[*stay].value == value)?;
        let Stay { by, looked, .. } = self.stays[stay];
        let may_move =
            |other: &Stay| !other.looked && !other.seen && self.course.may_precede(other.by, by);
        if by == NONE || looked || !self.stays[stay + 1..].iter().all(may_move) {
            return None;
        }
        self.stays[stay + 1..].iter().for_each(|other| self.course.put_before(other.by, by));
        self.stays[stay..].rotate_left(1);
        Some(())
    }

    /// An operation that has not returned and writes such a value.
    fn open_writer(&self, at: u32, is_it: impl Fn(Name) -> bool) -> Option<u32> {
        let course = &*self.course;
        let writes = |op: u32| match course.op(op).role {
            Role::Write(to) | Role::Replace { to, .. } => {
                self.keys[op as usize] == self.key && is_it(to)
            }
            _ => false,
        };
        course.open(at, writes)
    }
}
