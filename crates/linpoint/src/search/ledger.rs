//! Which pending operations have taken effect, counted by class.
//!
//! A pending operation never returns, so it would hold its slot to the end. Instead, identical ones
//! are interchangeable and only counted: a [`UsedId`] identifies an interned multiset of classes. A
//! class leaves the multiset once no operation that could notice it is left
//! ([`super::pending::PendingClass::last_use`]), so that configurations that differ only in such
//! classes become equal again.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Stop;
use super::problem::Problem;
use crate::budget::Budget;

/// Identifies a multiset of pending classes; 0 is the empty one.
pub(crate) type UsedId = u32;

/// Classes with their counts, sorted by class.
type Counts = SmallVec<[(u32, u32); 4]>;

pub(crate) struct Ledger {
    sets: Vec<Counts>,
    /// The smallest `last_use` of the classes in each set.
    first_retirement: Vec<u32>,
    ids: FxHashMap<Counts, UsedId>,
    /// If false, every class may be used any number of times, and nothing is counted.
    counting: bool,
}

/// Approximate memory of an interned multiset.
const SET_BYTES: usize = 2 * size_of::<Counts>() + 32;

impl Ledger {
    pub(crate) fn new(counting: bool) -> Self {
        let mut ids = FxHashMap::default();
        ids.insert(Counts::new(), 0);
        Ledger { sets: vec![Counts::new()], first_retirement: vec![u32::MAX], ids, counting }
    }

    /// The number of operations of the class that have taken effect.
    pub(crate) fn count(&self, used: UsedId, class: u32) -> u32 {
        let set = &self.sets[used as usize];
        match set.binary_search_by_key(&class, |(c, _)| *c) {
            Ok(at) => set[at].1,
            Err(_) => 0,
        }
    }

    /// The classes in use.
    pub(crate) fn classes(&self, used: UsedId) -> &[(u32, u32)] {
        &self.sets[used as usize]
    }

    /// One more operation of the class takes effect.
    pub(crate) fn add(
        &mut self,
        used: UsedId,
        class: u32,
        problem: &Problem,
        budget: &mut Budget<'_>,
    ) -> Result<UsedId, Stop> {
        if !self.counting {
            return Ok(0);
        }
        let mut set = self.sets[used as usize].clone();
        budget.work(set.len())?;
        match set.binary_search_by_key(&class, |(c, _)| *c) {
            Ok(at) => set[at].1 += 1,
            Err(at) => set.insert(at, (class, 1)),
        }
        self.intern(set, problem, budget)
    }

    /// Drops the classes that cannot be noticed from return event `returns` on.
    pub(crate) fn retire(
        &mut self,
        used: UsedId,
        returns: u32,
        problem: &Problem,
        budget: &mut Budget<'_>,
    ) -> Result<UsedId, Stop> {
        if self.first_retirement[used as usize] >= returns {
            return Ok(used);
        }
        let mut set = self.sets[used as usize].clone();
        budget.work(set.len())?;
        set.retain(|(class, _)| problem.pending[*class as usize].last_use >= returns);
        self.intern(set, problem, budget)
    }

    /// True if `a` uses no more of any class than `b`: then everything that can follow `b` can
    /// follow `a`, because pending operations are optional.
    pub(crate) fn uses_no_more(&self, a: UsedId, b: UsedId) -> bool {
        a == b || self.sets[a as usize].iter().all(|(class, n)| *n <= self.count(b, *class))
    }

    fn intern(
        &mut self,
        set: Counts,
        problem: &Problem,
        budget: &mut Budget<'_>,
    ) -> Result<UsedId, Stop> {
        if let Some(&id) = self.ids.get(&set) {
            return Ok(id);
        }
        budget.reserve(SET_BYTES + 16 * set.len())?;
        budget.fits_another(&self.sets)?;
        budget.fits_another_in(&self.ids)?;
        let id = self.sets.len() as UsedId;
        let retires = set.iter().map(|(c, _)| problem.pending[*c as usize].last_use).min();
        self.first_retirement.push(retires.unwrap_or(u32::MAX));
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        Ok(id)
    }
}
