//! Which requests without an answer may have written a gap, and which of them to try first.
//!
//! Nearly all requests are *simple*: they write one key, if it was last changed by a revision that they name. A
//! request was called by someone who had seen that revision, so it is a good guess that the revision wrote the key
//! (a *hint*), although that does not follow.

use rustc_hash::FxHashMap;

use super::super::EtcdExpected;
use super::known::{Known, Looked};
use super::read::{Key, Row, Step, Txn, ValueId, What};

/// A request that writes one key if that was last changed by a certain revision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simple {
    pub(super) key: Key,
    pub(super) expected: usize,
    /// The value that it puts, if some answer shows that.
    pub(super) value: Option<ValueId>,
    /// It deletes the key.
    pub(super) deletes: bool,
    pub(super) has_lease: bool,
}

/// What requests without an answer can do.
#[derive(Debug)]
pub(super) struct Guesses {
    /// Of each row; `None` if it is not simple.
    pub(super) simple: FxHashMap<Row, Simple>,
    /// Simple ones by key and revision, in the order of calls.
    pub(super) by_place: FxHashMap<(Key, usize), Vec<Row>>,
    /// All others, in the order of calls.
    pub(super) general: Vec<Row>,
    /// The others that may write a key.
    pub(super) general_of: Vec<Vec<Row>>,
    /// Requests that put one key whatever there was, with a value that was never read: all of one key are alike.
    pub(super) blind: FxHashMap<Row, Key>,
    /// Keys that are compared by others than simple requests, or in a way that is no fact.
    pub(super) is_delicate: Vec<bool>,
    /// Revisions at which some request expects a key to have been written, by key.
    hints: Vec<Vec<usize>>,
}

impl Guesses {
    pub(super) fn of(looked: Looked<'_>, known: &Known) -> Guesses {
        let keys = looked.part.keys;
        let mut guesses = Guesses {
            simple: FxHashMap::default(),
            by_place: FxHashMap::default(),
            general: Vec::new(),
            general_of: vec![Vec::new(); keys],
            blind: FxHashMap::default(),
            is_delicate: vec![false; keys],
            hints: vec![Vec::new(); keys],
        };
        let revokes = (0..looked.part.rows.len() as Row)
            .filter(|row| matches!(looked.part.rows[*row as usize], What::Revoke { .. }));
        for row in looked.course.pending.iter().copied().chain(revokes) {
            guesses.add(looked, known, row);
        }
        guesses.collect_hints(looked);
        guesses
    }

    fn add(&mut self, looked: Looked<'_>, known: &Known, row: Row) {
        let What::PendingTxn(txn) = &looked.part.rows[row as usize] else {
            // A revocation deletes any keys.
            self.general.push(row);
            return;
        };
        if let Some(simple) = simple(txn, known) {
            self.by_place.entry((simple.key, simple.expected)).or_default().push(row);
            self.simple.insert(row, simple);
            return;
        }
        self.general.push(row);
        for step in txn.steps() {
            let (Step::Put { key, .. } | Step::Delete(key)) = *step else { continue };
            let rows = &mut self.general_of[key as usize];
            if rows.last() != Some(&row) {
                rows.push(row);
            }
        }
        if let ([], [Step::Put { key, value, lease: 0 }]) = (&txn.conditions[..], &txn.success[..])
            && !known.is_seen(*key, *value)
        {
            self.blind.insert(row, *key);
        }
    }

    /// Every condition on a revision that may still hold or fail.
    fn collect_hints(&mut self, looked: Looked<'_>) {
        for (row, what) in (0..).zip(&looked.part.rows) {
            let txn = match what {
                What::PendingTxn(txn) => txn,
                What::Txn { txn, succeeded: false, .. } => txn,
                _ => continue,
            };
            // A single condition that failed is a fact.
            let is_plain = match what {
                What::PendingTxn(_) => self.simple.contains_key(&row),
                _ => txn.conditions.len() == 1,
            };
            for condition in &txn.conditions {
                self.is_delicate[condition.key as usize] |= !is_plain;
                if let EtcdExpected::Revision(revision) = condition.expected
                    && let Ok(revision @ 2..) = usize::try_from(revision)
                {
                    self.hints[condition.key as usize].push(revision);
                }
            }
        }
        for hints in &mut self.hints {
            hints.sort_unstable();
            hints.dedup();
        }
    }

    /// The first revision from this one on that is expected to have written a key.
    pub(super) fn next_hint(&self, key: Key, from: usize) -> Option<usize> {
        let hints = &self.hints[key as usize];
        hints.get(hints.partition_point(|revision| *revision < from)).copied()
    }

    pub(super) fn is_hinted(&self, key: Key, revision: usize) -> bool {
        self.hints[key as usize].binary_search(&revision).is_ok()
    }
}

/// See [`Simple`].
fn simple(txn: &Txn, known: &Known) -> Option<Simple> {
    let [condition] = &txn.conditions[..] else { return None };
    let EtcdExpected::Revision(expected) = condition.expected else { return None };
    let is_write = |step: &&Step| !matches!(step, Step::Range(_));
    if txn.failure.iter().any(|step| is_write(&step)) {
        return None;
    }
    let mut writes = txn.success.iter().filter(is_write);
    let (key, value, deletes, has_lease) = match (writes.next()?, writes.next()) {
        (Step::Put { key, value, lease }, None) => {
            let seen = Some(*value).filter(|value| known.is_seen(*key, *value));
            (*key, seen, false, *lease != 0)
        }
        (Step::Delete(key), None) => (*key, None, true, false),
        _ => return None,
    };
    // A revision that cannot be is never found.
    let expected = usize::try_from(expected).unwrap_or(usize::MAX);
    (key == condition.key).then_some(Simple { key, expected, value, deletes, has_lease })
}

impl Guesses {
    /// A number that rows have in common if it makes no difference which of them was used. `None`: it makes no
    /// difference that the row was.
    pub(super) fn alike(&self, row: Row) -> Option<u64> {
        if let Some(key) = self.blind.get(&row) {
            return Some((1 << 40) + u64::from(*key));
        }
        match self.simple.get(&row) {
            // The revision that it expects never comes back.
            Some(Simple { expected: 1.., .. }) => None,
            Some(Simple { key, value: None, deletes: false, has_lease: false, .. }) => {
                Some((2 << 40) + u64::from(*key))
            }
            _ => Some(u64::from(row)),
        }
    }
}
