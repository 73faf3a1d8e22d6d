//! Fills the gaps: one revision after the other, with the requests that did not answer.
//!
//! Everything between two gaps is determined. At a gap, the requests that can have written it are tried, the most
//! likely one first ([`Guesses`]); a mismatch takes the last choice back. What was tried in vain is remembered.
//!
//! *What need not be tried.* Call a simple put *plain* if nothing can notice when it takes effect: no operation mentions its
//! key at any of the gaps up to the next known write of the key, which does not depend on it, and no other request can
//! write the key meanwhile, or depends on it. It can take effect at every gap from now on until then, its *end*. Where plain puts can
//! write a gap, only one with the earliest end is tried. *Why.* Let an order write the gap with the plain put `x`, and
//! let `a` end no later than `x`. If the order uses `a`, it does so before the end of `a`, so `x` can take its place;
//! otherwise `x` is left out. The keys have other revisions then, and no operation mentions those.

mod choices;

use rustc_hash::{FxHashMap, FxHashSet};

use super::guess::Guesses;
use super::known::{Known, Looked};
use super::read::{Key, NO_VALUE, Row, What};
use super::seen::How;
use super::store::{Done, Store};
use crate::monitor::Refusal;
use crate::spec::Work;

/// Remember at most this much.
const MOST_REMEMBERED: usize = 64 << 20;

/// A gap for which choices are left.
#[derive(Debug)]
struct Frame {
    revision: usize,
    options: Vec<Row>,
    next: usize,
    mark: Mark,
}

/// A point to which everything can be taken back.
#[derive(Clone, Copy, Debug)]
struct Mark {
    store: usize,
    used: usize,
    granted: usize,
}

/// How far it came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Furthest {
    pub(super) revision: usize,
    /// The row that did not fit there; `None` if nothing could write the revision.
    pub(super) row: Option<Row>,
}

pub(super) struct Search<'a> {
    looked: Looked<'a>,
    known: &'a Known,
    guesses: &'a Guesses,
    store: Store,
    is_used: Vec<bool>,
    used: Vec<Row>,
    /// Which row wrote each gap.
    pub(super) filled: Vec<Option<Row>>,
    /// Grants without an answer that took effect just before a revision.
    pub(super) granted: Vec<(usize, Row)>,
    grants: FxHashMap<i64, Row>,
    /// Keys that simple requests may write.
    open_keys: Vec<Key>,
    frames: Vec<Frame>,
    in_vain: FxHashSet<Box<[u64]>>,
    remembered: usize,
    /// Hints are taken for facts.
    trusts_hints: bool,
    pub(super) furthest: Furthest,
}

impl<'a> Search<'a> {
    pub(super) fn new(looked: Looked<'a>, known: &'a Known, guesses: &'a Guesses) -> Search<'a> {
        let mut open_keys: Vec<Key> = guesses.by_place.keys().map(|(key, _)| *key).collect();
        open_keys.sort_unstable();
        open_keys.dedup();
        let rows = || (0..).zip(&looked.part.rows);
        let grants = rows().filter_map(|(row, what)| match what {
            What::PendingGrant(lease) => Some((*lease, row)),
            _ => None,
        });
        Search {
            looked,
            known,
            guesses,
            store: Store::new(looked.part.keys),
            is_used: vec![false; looked.part.rows.len()],
            used: Vec::new(),
            filled: vec![None; looked.course.last + 1],
            granted: Vec::new(),
            grants: grants.collect(),
            open_keys,
            frames: Vec::new(),
            in_vain: FxHashSet::default(),
            remembered: 0,
            trusts_hints: false,
            furthest: Furthest::default(),
        }
    }

    /// Fills all gaps, if that is possible. With hints that are taken for facts, a "no" means nothing.
    pub(super) fn run(&mut self, trusts_hints: bool, work: Work<'_>) -> Result<bool, Refusal> {
        self.undo(Mark { store: 0, used: 0, granted: 0 });
        self.frames.clear();
        self.in_vain.clear();
        (self.trusts_hints, self.remembered) = (trusts_hints, 0);
        if !self.fits(1, work)? {
            return Ok(false);
        }
        let mut at = 1;
        while at < self.looked.course.last {
            let next = at + 1;
            let goes_on = match self.looked.course.owner[next] {
                Some(owner) => self.perform_owner(owner, next) && self.fits(next, work)?,
                None => {
                    self.choose(next, work)?;
                    false
                }
            };
            at = match goes_on {
                true => next,
                false => match self.next_choice(work)? {
                    Some(revision) => revision,
                    None => return Ok(false),
                },
            };
        }
        Ok(true)
    }

    fn mark(&self) -> Mark {
        let (used, granted) = (self.used.len(), self.granted.len());
        Mark { store: self.store.mark(), used, granted }
    }

    fn undo(&mut self, mark: Mark) {
        self.store.undo(mark.store);
        self.used.drain(mark.used..).for_each(|row| self.is_used[row as usize] = false);
        self.granted.truncate(mark.granted);
    }

    fn failed(&mut self, revision: usize, row: Option<Row>) -> bool {
        if revision >= self.furthest.revision {
            self.furthest = Furthest { revision, row };
        }
        false
    }

    /// Lists the choices for a gap.
    fn choose(&mut self, revision: usize, work: Work<'_>) -> Result<(), Refusal> {
        let is_in_vain = !self.in_vain.is_empty() && self.in_vain.contains(&self.essence(revision));
        let options = match is_in_vain {
            true => Vec::new(),
            false => self.options(revision, work)?,
        };
        if options.is_empty() {
            self.failed(revision, None);
        }
        self.frames.push(Frame { revision, options, next: 0, mark: self.mark() });
        Ok(())
    }

    /// Makes the next choice that is left, and takes everything back that came after it.
    fn next_choice(&mut self, work: Work<'_>) -> Result<Option<usize>, Refusal> {
        while let Some(frame) = self.frames.last_mut() {
            let (revision, mark) = (frame.revision, frame.mark);
            let option = frame.options.get(frame.next).copied();
            frame.next += 1;
            let is_repeated = frame.next > 2;
            self.undo(mark);
            let Some(row) = option else {
                // A single choice in vain is found again as fast.
                if is_repeated && self.remembered < MOST_REMEMBERED {
                    let essence = self.essence(revision);
                    work(essence.len())?;
                    self.remembered += 8 * essence.len();
                    self.in_vain.insert(essence);
                }
                self.frames.pop();
                continue;
            };
            work(8)?;
            if self.fill(row, revision) && self.fits(revision, work)? {
                return Ok(Some(revision));
            }
        }
        Ok(None)
    }

    /// What the future depends on: the revisions of keys, as far as somebody mentions them, and what is left.
    fn essence(&self, revision: usize) -> Box<[u64]> {
        let entries = self.store.entries.iter();
        let is_open = &self.known.writers.is_open;
        let open = (0..).zip(entries).filter(|(key, _)| is_open[*key as usize]);
        let mut essence = vec![revision as u64];
        for (key, entry) in open {
            let is_mentioned = self.known.is_write(key, entry.revision)
                || self.guesses.is_hinted(key, entry.revision);
            essence.push(match entry.revision {
                0 => 0,
                at if is_mentioned => at as u64,
                _ => 1,
            });
            if self.known.writers.leased[key as usize] {
                essence.push(entry.lease.cast_unsigned());
            }
            if self.looked.part.has_versions {
                essence.push(entry.version.cast_unsigned());
            }
        }
        let mut left: Vec<u64> =
            self.used.iter().filter_map(|row| self.guesses.alike(*row)).collect();
        left.sort_unstable();
        essence.push(u64::MAX);
        essence.extend(left);
        essence.push(u64::MAX);
        let mut leases: Vec<u64> =
            self.store.leases.iter().map(|lease| lease.cast_unsigned()).collect();
        leases.sort_unstable();
        essence.extend(leases);
        essence.push(u64::MAX);
        essence.extend(self.granted.iter().map(|(_, row)| u64::from(*row)));
        essence.into()
    }

    /// Lets the leases exist that a transaction needs.
    fn grant_missing(&mut self, row: Row, revision: usize) -> bool {
        let (What::Txn { txn, .. } | What::PendingTxn(txn)) = &self.looked.part.rows[row as usize]
        else {
            return false;
        };
        let missing: Vec<i64> = self.store.missing_leases(txn).collect();
        missing.iter().all(|lease| {
            let Some(&grant) = self.grants.get(lease) else { return false };
            let is_free = !self.granted.iter().any(|(_, used)| *used == grant);
            let can = is_free && self.looked.in_time(grant, revision);
            if can {
                self.granted.push((revision, grant));
                self.store.grant(*lease);
            }
            can
        })
    }

    fn perform_owner(&mut self, owner: Row, revision: usize) -> bool {
        let What::Txn { txn, succeeded, results, .. } = &self.looked.part.rows[owner as usize]
        else {
            return false;
        };
        let done = Some(Done { succeeded: *succeeded, wrote: true });
        let is_done = self.grant_missing(owner, revision)
            && self.store.perform(txn, revision, Some(results)) == done;
        is_done || self.failed(revision, Some(owner))
    }

    /// Lets a row write a gap.
    fn fill(&mut self, row: Row, revision: usize) -> bool {
        let mark = self.store.mark();
        let wrote = match &self.looked.part.rows[row as usize] {
            What::PendingTxn(txn) => {
                self.grant_missing(row, revision)
                    && self.store.perform(txn, revision, None).is_some_and(|done| done.wrote)
            }
            What::PendingRevoke(lease) => self.store.revoke(*lease),
            What::Revoke { lease, at } => *at as usize == revision && self.store.revoke(*lease),
            _ => false,
        };
        self.is_used[row as usize] = true;
        self.used.push(row);
        self.filled[revision] = Some(row);
        let may = |key: Key| match self.known.next_fact(key, revision) {
            Some((_, How::Put { revision: seen, .. })) => seen >= revision as i64,
            _ => true,
        };
        wrote && self.store.changed_since(mark).all(may) && self.is_pinned(revision, mark)
    }

    /// True if what was changed since a point is what the gap is known to have changed.
    fn is_pinned(&self, revision: usize, mark: usize) -> bool {
        let Some(pins) = self.known.pins.get(&revision) else { return true };
        pins.iter().all(|(key, put)| {
            let entry = self.store.entries[*key as usize];
            let is_there = match put {
                None => entry.revision == 0,
                Some(NO_VALUE) => entry.revision == revision,
                Some(value) => entry.revision == revision && entry.value == *value,
            };
            is_there && self.store.changed_since(mark).any(|changed| changed == *key)
        })
    }

    /// Compares the store with everything that was answered about a revision.
    fn fits(&mut self, revision: usize, work: Work<'_>) -> Result<bool, Refusal> {
        let Looked { part, course, .. } = self.looked;
        let (answered, about) = (&course.answered[revision], &course.about[revision]);
        for row in answered {
            if let What::Grant { lease, .. } = part.rows[*row as usize] {
                self.store.grant(lease);
            }
        }
        for &row in answered.iter().chain(about) {
            let does_fit = match &part.rows[row as usize] {
                What::Range { range, of, found, .. } if *of == revision as i64 => {
                    work(4 + (range.to - range.from) as usize)?;
                    self.store.shows(range, found)
                }
                What::Txn { txn, succeeded, results, .. } => {
                    work(8)?;
                    let done = Some(Done { succeeded: *succeeded, wrote: false });
                    self.store.perform(txn, revision, Some(results)) == done
                }
                What::Event { key, value, .. } => {
                    let entry = self.store.entries[*key as usize];
                    match value {
                        Some(value) => entry.revision == revision && entry.value == *value,
                        None => entry.revision == 0,
                    }
                }
                _ => true,
            };
            if !does_fit {
                return Ok(self.failed(revision, Some(row)));
            }
        }
        for &row in answered {
            let did_write = match part.rows[row as usize] {
                What::Revoke { lease, .. } if !self.is_used[row as usize] => {
                    self.store.revoke(lease)
                }
                _ => false,
            };
            if did_write {
                return Ok(self.failed(revision, Some(row)));
            }
        }
        Ok(true)
    }
}
