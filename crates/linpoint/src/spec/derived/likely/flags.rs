//! Flags: sets, locks. Where a flag is not as an operation found it:
//!
//! - The operation only looked and returned late: it came before the flag was changed.
//! - Another operation that has not returned yet changed it; of several, the one that returns first.
//!
//! That finds an order if there is one: the flag is changed as late as possible, see the monitor of flags.

use rustc_hash::FxHashMap;

use super::super::part::Done;
use super::course::{Course, NONE};
use crate::spec::{Name, Role};

pub(super) fn likely_order(run: &[Done], keys: &[Option<Name>]) -> Option<Vec<u32>> {
    let mut flags = Flags { course: Course::new(run), keys, flags: FxHashMap::default() };
    for at in 0..run.len() as u32 {
        if flags.course.returns(at) {
            flags.take_effect(at)?;
        }
    }
    Some(flags.course.in_order())
}

/// A flag, and what changed it last.
#[derive(Clone, Copy)]
struct Flag {
    is_up: bool,
    changed_by: u32,
}

struct Flags<'a> {
    course: Course<'a>,
    keys: &'a [Option<Name>],
    flags: FxHashMap<Option<Name>, Flag>,
}

impl Flags<'_> {
    /// `at` takes effect when it returns, or a little earlier.
    fn take_effect(&mut self, at: u32) -> Option<()> {
        let role = self.course.op(at).role;
        let Some((needs_up, changes)) = meaning(role) else {
            self.course.append(at);
            return (role == Role::Idle).then_some(());
        };
        let key = self.keys[at as usize];
        let flag = self.flags.entry(key).or_insert(Flag { is_up: false, changed_by: NONE });
        if flag.is_up != needs_up {
            let changed_by = flag.changed_by;
            if !changes && changed_by != NONE && self.course.may_precede(at, changed_by) {
                self.course.put_before(at, changed_by);
                return Some(());
            }
            let (course, keys) = (&self.course, self.keys);
            let change = course.open(at, |op| {
                keys[op as usize] == key && meaning(course.op(op).role) == Some((!needs_up, true))
            })?;
            self.course.append(change);
            *flag = Flag { is_up: needs_up, changed_by: change };
        }
        self.course.append(at);
        if changes {
            *flag = Flag { is_up: !needs_up, changed_by: at };
        }
        Some(())
    }
}

/// Whether the flag has to be up, and whether it is changed.
fn meaning(role: Role) -> Option<(bool, bool)> {
    match role {
        Role::Raise => Some((false, true)),
        Role::Lower => Some((true, true)),
        Role::IsUp => Some((true, false)),
        Role::IsDown => Some((false, false)),
        _ => None,
    }
}
