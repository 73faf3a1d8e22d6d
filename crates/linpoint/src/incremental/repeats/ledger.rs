//! What open operations have done, without saying which of them did it.
//!
//! The result of an open operation is not known, and of two open additions of one value either may return
//! first. So an effect before the return is an *entry*, not a property of an operation: a value was
//! added, a value was taken, a value was found. An operation that returns with that value claims the entry.
//!
//! An effect takes place at some return, and only operations that had been called by then can have
//! caused it. So an entry has the call of the last operation that can claim it ([`Entry::until`]). Entries
//! hold if there is a different open operation for each: with both sorted, the i-th entry has at least i
//! open operations that were called in time.
//!
//! *Claims.* If an operation `p` returns and an entry fits, it claims that entry; of several, the one that
//! the fewest others can claim. Nothing else has to be tried: take an order in which another
//! operation `q` causes the effect of the entry, and `p` has the same effect later. Both had been called, `q`
//! is still open when `p` returns, so they can trade places.
//!
//! *Findings.* A peek, or a removal that finds nothing, changes nothing. It is enough to remember what was
//! found when: everything that can be found before a change. Entries of findings are not used up.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// In place of a value: there was nothing.
pub(super) const NOTHING: u32 = u32::MAX;

/// The calls of open operations of one kind, in their order.
#[derive(Default, Debug)]
pub(super) struct Calls {
    calls: Vec<u64>,
    /// How many of them may still return.
    live: usize,
}

impl Calls {
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    pub(super) fn live(&self) -> usize {
        self.live
    }

    pub(super) fn has(&self, call: u64) -> bool {
        self.calls.binary_search(&call).is_ok()
    }

    fn open(&mut self, call: u64) {
        let at = self.calls.partition_point(|other| *other < call);
        self.calls.insert(at, call);
        self.live += 1;
    }

    fn close(&mut self, call: u64) {
        if let Ok(at) = self.calls.binary_search(&call) {
            self.calls.remove(at);
            self.live -= 1;
        }
    }

    /// The last call that is not later than this one.
    pub(super) fn last_until(&self, until: u64) -> Option<u64> {
        let count = self.count_until(until);
        count.checked_sub(1).map(|at| self.calls[at])
    }

    fn count_until(&self, until: u64) -> usize {
        match self.calls.last() {
            Some(last) if *last <= until => self.calls.len(),
            _ => self.calls.partition_point(|call| *call <= until),
        }
    }
}

/// How an operation ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// It has added this value.
    Added(u32),
    /// It has removed this value, or found [`NOTHING`].
    Took(u32),
    /// It has found this value, or [`NOTHING`].
    Found(u32),
}

/// The operations that may still take effect.
#[derive(Default, Debug)]
pub(super) struct Open {
    /// Additions of each value.
    pub(super) adds: FxHashMap<u32, Calls>,
    pub(super) takes: Calls,
    pub(super) peeks: Calls,
    /// Removals and peeks that may still return: they may find nothing.
    pub(super) finders: Calls,
}

impl Open {
    pub(super) fn call_add(&mut self, value: u32, call: u64) {
        self.adds.entry(value).or_default().open(call);
    }

    pub(super) fn call_take(&mut self, call: u64) {
        self.takes.open(call);
        self.finders.open(call);
    }

    pub(super) fn call_peek(&mut self, call: u64) {
        self.peeks.open(call);
        self.finders.open(call);
    }

    pub(super) fn close_add(&mut self, value: u32, call: u64) {
        if let Some(calls) = self.adds.get_mut(&value) {
            calls.close(call);
            if calls.len() == 0 {
                self.adds.remove(&value);
            }
        }
    }

    pub(super) fn close_take(&mut self, call: u64) {
        self.takes.close(call);
        self.finders.close(call);
    }

    pub(super) fn close_peek(&mut self, call: u64) {
        self.peeks.close(call);
        self.finders.close(call);
    }

    /// An addition will never return.
    pub(super) fn crash_add(&mut self, value: u32) {
        if let Some(calls) = self.adds.get_mut(&value) {
            calls.live -= 1;
        }
    }

    /// A removal will never return.
    pub(super) fn crash_take(&mut self, call: u64) {
        self.takes.live -= 1;
        self.finders.close(call);
    }

    /// Nothing can change any more.
    pub(super) fn is_empty(&self) -> bool {
        self.adds.is_empty() && self.takes.len() == 0 && self.peeks.len() == 0
    }

    pub(super) fn stored(&self) -> usize {
        let adds: usize = self.adds.values().map(Calls::len).sum();
        adds + self.takes.len() + self.finders.len()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Effect {
    Added,
    Taken,
    Found,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Entry {
    effect: Effect,
    value: u32,
    /// The last call of an open operation that may have caused it.
    until: u64,
}

/// Everything that open operations have done, sorted.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Ledger(SmallVec<[Entry; 4]>);

impl Ledger {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn stored(&self) -> usize {
        self.0.len()
    }

    /// The values that occur.
    pub(super) fn values(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|entry| entry.value).filter(|value| *value != NOTHING)
    }

    /// The values that were added, or taken.
    pub(super) fn each(&self, effect: Effect) -> impl Iterator<Item = u32> {
        self.0.iter().filter(move |entry| entry.effect == effect).map(|entry| entry.value)
    }

    /// How many values were added and taken.
    pub(super) fn level(&self) -> usize {
        self.0.iter().filter(|entry| entry.effect != Effect::Found).count()
    }

    pub(super) fn count(&self, effect: Effect, value: u32) -> usize {
        let is_one = |entry: &&Entry| entry.effect == effect && entry.value == value;
        self.0.iter().filter(is_one).count()
    }

    fn insert(&mut self, entry: Entry) {
        let at = self.0.partition_point(|other| *other < entry);
        self.0.insert(at, entry);
    }

    /// An open removal takes this value now. False if there is none for it.
    pub(super) fn take(&mut self, value: u32, open: &Open) -> bool {
        if self.each(Effect::Taken).count() >= open.takes.len() {
            return false;
        }
        let Some(until) = open.takes.last_until(u64::MAX) else { return false };
        self.insert(Entry { effect: Effect::Taken, value, until });
        true
    }

    /// An open addition of this value takes effect now. False if there is none for it.
    pub(super) fn add(&mut self, value: u32, open: &Open) -> bool {
        self.add_until(value, u64::MAX, open)
    }

    /// The same for one that was called by `until`.
    pub(super) fn add_until(&mut self, value: u32, until: u64, open: &Open) -> bool {
        let Some(calls) = open.adds.get(&value) else { return false };
        let Some(until) = calls.last_until(until) else { return false };
        let entry = Entry { effect: Effect::Added, value, until };
        self.insert(entry);
        if self.adds_hold(open) {
            return true;
        }
        if let Ok(at) = self.0.binary_search(&entry) {
            self.0.remove(at);
        }
        false
    }

    /// Open operations can find this value now, or nothing.
    pub(super) fn find(&mut self, value: u32, open: &Open) {
        let finders = if value == NOTHING { &open.finders } else { &open.peeks };
        let Some(until) = finders.last_until(u64::MAX) else { return };
        self.forget(value);
        self.insert(Entry { effect: Effect::Found, value, until });
    }

    /// What can be found now need not be remembered.
    pub(super) fn forget(&mut self, value: u32) {
        let is_one = |entry: &Entry| entry.effect == Effect::Found && entry.value == value;
        if let Some(at) = self.0.iter().position(is_one) {
            self.0.remove(at);
        }
    }

    /// The ledger after an operation that was called at `call` has ended like this and is no longer
    /// open, and whether it has taken effect. `None` if that cannot be.
    pub(super) fn after(&self, end: End, call: u64, open: &Open) -> Option<(Ledger, bool)> {
        let mut ledger = self.clone();
        let (effect, value) = match end {
            End::Added(value) => (Effect::Added, value),
            End::Took(NOTHING) => (Effect::Found, NOTHING),
            End::Took(value) => (Effect::Taken, value),
            End::Found(value) => (Effect::Found, value),
        };
        let fits =
            |entry: &Entry| entry.effect == effect && entry.value == value && entry.until >= call;
        let place = ledger.0.iter().position(fits);
        if let Some(at) = place.filter(|_| effect != Effect::Found) {
            ledger.0.remove(at);
        }
        ledger.settle(open).then_some((ledger, place.is_some()))
    }

    /// Operations have ended: lowers all entries to the last operation that is still open. False if the
    /// entries do not hold any more.
    pub(super) fn settle(&mut self, open: &Open) -> bool {
        let mut is_claimed = true;
        self.0.retain(|entry| {
            let calls = match entry.effect {
                Effect::Added => open.adds.get(&entry.value),
                Effect::Taken => Some(&open.takes),
                Effect::Found if entry.value == NOTHING => Some(&open.finders),
                Effect::Found => Some(&open.peeks),
            };
            match calls.and_then(|calls| calls.last_until(entry.until)) {
                Some(until) => entry.until = until,
                None if entry.effect == Effect::Found => return false,
                None => is_claimed = false,
            }
            true
        });
        is_claimed && self.adds_hold(open) && self.takes_hold(open)
    }

    fn adds_hold(&self, open: &Open) -> bool {
        let (mut last, mut count) = (NOTHING, 0);
        self.0.iter().take_while(|entry| entry.effect == Effect::Added).all(|entry| {
            count = if entry.value == last { count + 1 } else { 1 };
            last = entry.value;
            let calls = open.adds.get(&entry.value);
            calls.is_some_and(|calls| calls.count_until(entry.until) >= count)
        })
    }

    fn takes_hold(&self, open: &Open) -> bool {
        let takes = self.0.iter().filter(|entry| entry.effect == Effect::Taken);
        let mut untils: SmallVec<[u64; 8]> = takes.map(|entry| entry.until).collect();
        untils.sort_unstable();
        untils.iter().zip(1..).all(|(until, count)| open.takes.count_until(*until) >= count)
    }
}
