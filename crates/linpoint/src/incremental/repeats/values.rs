//! Values as small numbers, and which of them come out first.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::history::OpId;
use crate::spec::{Name, Slot};
use crate::subject::{Call, Marks, Place, StreamSubject};

/// Forget nothing before there are this many values. Tests forget often.
const FEW: usize = if cfg!(debug_assertions) { 4 } else { 1 << 12 };

#[derive(Clone, Copy)]
struct Value {
    name: Name,
    /// An operation that adds it.
    add: OpId,
}

/// The values that are in use.
pub(super) struct Values {
    numbers: FxHashMap<Name, u32>,
    /// By number.
    list: Vec<Option<Value>>,
    free: Vec<u32>,
    /// By number: of two values, the one of the greater rank comes out first.
    ranks: Vec<u64>,
    /// Values by rank, if they have priorities.
    sorted: Option<Vec<u32>>,
    /// With more values than this, those that are not in use are forgotten.
    most: usize,
}

/// The place where an operation names its value.
fn value_of(call: Call) -> Place {
    Place { call, slot: Slot::Value }
}

impl Values {
    pub(super) fn new(has_priorities: bool) -> Values {
        Values {
            numbers: FxHashMap::default(),
            list: Vec::new(),
            free: Vec::new(),
            ranks: Vec::new(),
            sorted: has_priorities.then(Vec::new),
            most: FEW,
        }
    }

    pub(super) fn ranks(&self) -> &[u64] {
        &self.ranks
    }

    pub(super) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// An operation that adds the value.
    pub(super) fn add_of(&self, value: u32) -> Option<OpId> {
        self.list.get(value as usize).copied().flatten().map(|value| value.add)
    }

    /// The number of the value that this operation names; `None` if it is not in use. The outer `None`
    /// means that another value has the same name.
    pub(super) fn find(
        &self,
        subject: &dyn StreamSubject,
        call: Call,
        name: Name,
    ) -> Option<Option<u32>> {
        let Some(&value) = self.numbers.get(&name) else { return Some(None) };
        let add = Call::unknown(self.add_of(value)?);
        subject.same_name(value_of(add), value_of(call)).then_some(Some(value))
    }

    /// The number of the value that this operation adds. `None` if another value has the same name.
    pub(super) fn number(
        &mut self,
        subject: &dyn StreamSubject,
        add: OpId,
        name: Name,
    ) -> Option<u32> {
        if let Some(value) = self.find(subject, Call::unknown(add), name)? {
            return Some(value);
        }
        let value = self.free.pop().unwrap_or(self.list.len() as u32);
        if value as usize == self.list.len() {
            self.list.push(None);
            self.ranks.push(1);
        }
        self.list[value as usize] = Some(Value { name, add });
        self.numbers.insert(name, value);
        self.rank(subject, value, add);
        Some(value)
    }

    /// Gives a rank to a new value.
    fn rank(&mut self, subject: &dyn StreamSubject, value: u32, add: OpId) {
        let Some(mut sorted) = self.sorted.take() else { return };
        let compare = |other: &u32| match self.add_of(*other) {
            Some(other) => {
                let [a, b] = [other, add].map(|add| value_of(Call::unknown(add)));
                subject.compare(a, b)
            }
            None => Ordering::Equal,
        };
        let at = sorted.partition_point(|other| compare(other).is_lt());
        let equal = sorted.get(at).filter(|other| compare(other).is_eq()).copied();
        sorted.insert(at, value);
        if let Some(equal) = equal {
            self.ranks[value as usize] = self.ranks[equal as usize];
        } else {
            let rank = |at: usize| sorted.get(at).map(|value| self.ranks[*value as usize]);
            let low = at.checked_sub(1).and_then(rank).unwrap_or(0);
            let high = rank(at + 1).unwrap_or(u64::MAX);
            self.ranks[value as usize] = low + (high - low) / 2;
            if high - low < 2 {
                self.spread(&sorted, value);
            }
        }
        self.sorted = Some(sorted);
    }

    /// There is no room between two ranks: all get new ones. `value` differs from its neighbours.
    fn spread(&mut self, sorted: &[u32], value: u32) {
        let step = u64::MAX / (sorted.len() as u64 + 2);
        let (mut rank, mut last) = (0, None);
        for &other in sorted {
            let old = (other != value).then(|| self.ranks[other as usize]);
            if old.is_none() || old != last {
                rank += step;
            }
            last = old;
            self.ranks[other as usize] = rank;
        }
    }

    /// True if there may be much to forget.
    pub(super) fn is_large(&self) -> bool {
        self.numbers.len() > self.most
    }

    /// Forgets all other values.
    pub(super) fn keep(&mut self, is_used: &[bool]) {
        let is_kept = |value: u32| is_used.get(value as usize).copied().unwrap_or(false);
        for (number, value) in (0..).zip(&mut self.list) {
            if let Some(Value { name, .. }) = value.take_if(|_| !is_kept(number)) {
                self.numbers.remove(&name);
                self.free.push(number);
            }
        }
        if let Some(sorted) = &mut self.sorted {
            sorted.retain(|value| is_kept(*value));
        }
        self.most = 2 * self.numbers.len() + FEW;
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn mark(&self, marks: &mut Marks) {
        self.list.iter().flatten().for_each(|value| marks.op(value.add));
    }
}
