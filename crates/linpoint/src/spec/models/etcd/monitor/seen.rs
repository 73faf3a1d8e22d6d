//! What answers say about single keys at single revisions.

use super::super::EtcdExpected;
use super::course::Course;
use super::no::{No, no};
use super::read::{Found, Key, NO_VALUE, Part, Range, Row, Shown, Step, Txn, ValueId, What};

/// What an answer says about a key at a revision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) key: Key,
    pub(super) at: usize,
    pub(super) how: How,
    pub(super) by: Row,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// It was last changed by this revision, which put this value.
    Put { revision: i64, value: ValueId },
    /// It was absent.
    Absent,
    /// It was there.
    There,
    /// It was not last changed by this revision.
    Not(i64),
    /// It was deleted by this very revision.
    Deleted,
}

/// Calls `each` with everything that the answers say.
///
/// # Errors
///
/// An answer that no store gives, whatever happened, or what `each` says.
pub(super) fn each_seen(
    part: &Part,
    course: &Course,
    each: &mut impl FnMut(Seen) -> Result<(), No>,
) -> Result<(), No> {
    for at in 1..=course.last {
        for &by in course.owner[at].iter().chain(&course.answered[at]) {
            let place = Place { by, at };
            match &part.rows[by as usize] {
                What::Range { range, of, found, .. } => {
                    let place = Place { by, at: *of as usize };
                    place.range(range, found, &[], each)?;
                }
                What::Txn { txn, succeeded, results, wrote, .. } => {
                    place.txn(txn, *succeeded, results, *wrote, each)?;
                }
                _ => {}
            }
        }
        for &by in &course.about[at] {
            if let What::Event { key, value, .. } = part.rows[by as usize] {
                let how = match value {
                    Some(value) => How::Put { revision: at as i64, value },
                    None => How::Deleted,
                };
                each(Seen { key, at, how, by })?;
            }
        }
    }
    Ok(())
}

/// An answer, and the revision that it is about.
#[derive(Clone, Copy)]
struct Place {
    by: Row,
    at: usize,
}

impl Place {
    fn malformed(self, what: &str) -> No {
        no!(NoResult, self.by, format!(": {what}"))
    }

    fn seen(
        self,
        key: Key,
        how: How,
        each: &mut impl FnMut(Seen) -> Result<(), No>,
    ) -> Result<(), No> {
        each(Seen { key, at: self.at, how, by: self.by })
    }

    /// A range that sees the store at this revision. `own` are keys that its transaction has written before: at the
    /// next revision, or deleted.
    fn range(
        self,
        range: &Range,
        found: &Found,
        own: &[(Key, Option<ValueId>)],
        each: &mut impl FnMut(Seen) -> Result<(), No>,
    ) -> Result<(), No> {
        self.well_formed(range, found)?;
        let is_cut = found.count > found.keys.len() as i64;
        let end = match (is_cut, found.keys.last()) {
            (true, Some(last)) => last.key + 1,
            (true, None) => range.from,
            (false, _) => range.to,
        };
        let mut shown = found.keys.iter().peekable();
        for key in range.from..end {
            let here = shown.next_if(|shown| shown.key == key);
            let written = own.iter().rfind(|(written, _)| *written == key).map(|(_, value)| *value);
            match (written, here) {
                (None, None) => self.seen(key, How::Absent, each)?,
                (None, Some(&Shown { value, revision, .. })) => {
                    self.seen(key, How::Put { revision, value }, each)?;
                }
                (Some(None), None) => {}
                (Some(Some(value)), Some(shown)) => {
                    let is_own = shown.value == value || shown.value == NO_VALUE;
                    if !is_own || shown.revision != self.at as i64 + 1 {
                        return Err(self.malformed("it does not show its own put"));
                    }
                }
                (Some(_), _) => return Err(self.malformed("it does not show its own changes")),
            }
        }
        Ok(())
    }

    fn well_formed(self, range: &Range, found: &Found) -> Result<(), No> {
        let shown = found.keys.len();
        let in_range = found.keys.iter().all(|key| (range.from..range.to).contains(&key.key));
        if !in_range || found.keys.windows(2).any(|pair| pair[0].key >= pair[1].key) {
            return Err(self.malformed("its keys are not in the range, or not in order"));
        }
        if range.keys_only && found.keys.iter().any(|key| key.value != NO_VALUE) {
            return Err(self.malformed("it has values, and was asked for keys only"));
        }
        let has_limit = range.limit != 0 && !range.is_single;
        let is_right = match has_limit && shown == range.limit {
            true => found.count >= shown as i64,
            false => found.count == shown as i64 && (!has_limit || shown < range.limit),
        };
        if !is_right || found.deleted != 0 {
            return Err(self.malformed("its count does not fit its keys and its limit"));
        }
        Ok(())
    }

    fn txn(
        self,
        txn: &Txn,
        succeeded: bool,
        results: &[Found],
        wrote: bool,
        each: &mut impl FnMut(Seen) -> Result<(), No>,
    ) -> Result<(), No> {
        // Everything is evaluated in the state before it.
        let before = Place { at: if wrote { self.at - 1 } else { self.at }, ..self };
        match (succeeded, &txn.conditions[..]) {
            (true, conditions) => {
                for condition in conditions {
                    before.condition(condition.key, condition.expected, each)?;
                }
            }
            (false, []) => return Err(self.malformed("it has no conditions that could fail")),
            (false, [only]) => {
                let how = match only.expected {
                    EtcdExpected::Revision(0) | EtcdExpected::Version(0) => Some(How::There),
                    EtcdExpected::Revision(expected) => Some(How::Not(expected)),
                    EtcdExpected::Version(_) => None,
                };
                if let Some(how) = how {
                    before.seen(only.key, how, each)?;
                }
            }
            // One of several does not hold.
            (false, _) => {}
        }
        let steps = txn.branch(succeeded);
        if steps.len() != results.len() {
            return Err(self.malformed("it has not one result for each operation"));
        }
        let mut own: Vec<(Key, Option<ValueId>)> = Vec::new();
        for (step, found) in steps.iter().zip(results) {
            let is_empty = found.keys.is_empty() && found.count == 0;
            match step {
                Step::Range(range) => before.range(range, found, &own, each)?,
                Step::Put { key, value, .. } => {
                    if !is_empty || found.deleted != 0 {
                        return Err(self.malformed("a put has no result"));
                    }
                    own.push((*key, Some(*value)));
                }
                Step::Delete(key) => {
                    if !is_empty || !(0..=1).contains(&found.deleted) {
                        return Err(self.malformed("a delete removes at most one key"));
                    }
                    let was_there = found.deleted == 1;
                    match own.iter().rfind(|(written, _)| written == key) {
                        None => {
                            let how = if was_there { How::There } else { How::Absent };
                            before.seen(*key, how, each)?;
                        }
                        Some((_, value)) if value.is_some() == was_there => {}
                        Some(_) => return Err(self.malformed("it does not see its own changes")),
                    }
                    if was_there {
                        own.push((*key, None));
                    }
                }
            }
        }
        Ok(())
    }

    fn condition(
        self,
        key: Key,
        expected: EtcdExpected,
        each: &mut impl FnMut(Seen) -> Result<(), No>,
    ) -> Result<(), No> {
        let how = match expected {
            EtcdExpected::Revision(0) | EtcdExpected::Version(0) => How::Absent,
            EtcdExpected::Revision(revision) => How::Put { revision, value: NO_VALUE },
            EtcdExpected::Version(version) if version > 0 => How::There,
            EtcdExpected::Version(_) => return Err(self.malformed("no key has such a version")),
        };
        self.seen(key, how, each)
    }
}
