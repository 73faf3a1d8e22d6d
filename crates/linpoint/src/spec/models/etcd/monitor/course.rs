//! The course of revisions: which row wrote which, and which rows were answered at it.

use super::no::{No, no};
use super::read::{Compaction, Part, Row, What};
use crate::history::Span;

/// What is known of each revision from the answers alone.
#[derive(Debug)]
pub(super) struct Course {
    /// The last revision that matters.
    pub(super) last: usize,
    /// The row that wrote a revision, if its answer says so. The others are *gaps*.
    pub(super) owner: Vec<Option<Row>>,
    /// The rows that were answered at a revision, and did not write it. A [`What::Revoke`] may have.
    pub(super) answered: Vec<Vec<Row>>,
    /// The rows that say what a revision, not the current one, looked like: reads of old revisions, events.
    pub(super) about: Vec<Vec<Row>>,
    /// Compactions that were done, by revision.
    pub(super) compactions: Vec<(i64, Row)>,
    /// Compactions that were refused.
    pub(super) refused: Vec<(i64, Compaction, Row)>,
    /// Rows that did not answer and may have written, in the order of their calls.
    pub(super) pending: Vec<Row>,
    /// True if some compaction did not answer.
    pub(super) has_pending_compaction: bool,
}

impl Course {
    pub(super) fn of(part: &Part) -> Result<Course, No> {
        let last = last_revision(part)?;
        let mut course = Course {
            last,
            owner: vec![None; last + 1],
            answered: vec![Vec::new(); last + 1],
            about: vec![Vec::new(); last + 1],
            compactions: Vec::new(),
            refused: Vec::new(),
            pending: Vec::new(),
            has_pending_compaction: false,
        };
        for (row, what) in (0..).zip(&part.rows) {
            course.add(row, what)?;
        }
        course.compactions.sort_unstable();
        course.pending.sort_by_key(|row| part.calls[*row as usize]);
        for pair in course.compactions.windows(2) {
            if pair[0].0 == pair[1].0 {
                let end = " both compacted the same revision, which is done once".to_owned();
                return Err(no!(Twice, pair[0].1, " and ", pair[1].1, end));
            }
        }
        Ok(course)
    }

    fn add(&mut self, row: Row, what: &What) -> Result<(), No> {
        match *what {
            What::Txn { at, wrote: true, .. } => {
                let owner = &mut self.owner[at as usize];
                if let Some(other) = owner {
                    let end =
                        format!(" were both answered with revision {at}: every write has its own");
                    return Err(no!(Twice, *other, " and ", row, end));
                }
                *owner = Some(row);
            }
            What::Txn { at, .. } | What::Grant { at, .. } | What::Revoke { at, .. } => {
                self.answered[at as usize].push(row);
            }
            What::Range { of, at, .. } => {
                self.answered[at as usize].push(row);
                if of != at {
                    self.about[of as usize].push(row);
                }
            }
            What::Event { at, .. } => self.about[at as usize].push(row),
            What::Compact { revision, answer: Compaction::Done } => {
                self.compactions.push((revision, row));
            }
            What::Compact { revision, answer } => self.refused.push((revision, answer, row)),
            What::PendingTxn(_) | What::PendingRevoke(_) => self.pending.push(row),
            What::PendingCompact => self.has_pending_compaction = true,
            What::PendingGrant(_) | What::Idle => {}
        }
        Ok(())
    }

    /// True if no answer says who wrote the revision.
    pub(super) fn is_gap(&self, revision: usize) -> bool {
        self.owner.get(revision).is_some_and(Option::is_none)
    }
}

/// The last revision that is mentioned. No more can have been written than there are writes.
fn last_revision(part: &Part) -> Result<usize, No> {
    let may_write = |what: &&What| match what {
        What::Txn { wrote, .. } => *wrote,
        What::Revoke { .. } | What::PendingTxn(_) | What::PendingRevoke(_) => true,
        _ => false,
    };
    let most = 1 + part.rows.iter().filter(may_write).count() as i64;
    let mut last = 1;
    for (row, what) in (0..).zip(&part.rows) {
        let (least, at) = match *what {
            What::Txn { at, wrote, .. } => (if wrote { 2 } else { 1 }, at),
            What::Grant { at, .. } | What::Revoke { at, .. } => (1, at),
            What::Event { at, .. } => (2, at),
            What::Range { of, at, .. } if of > at => {
                let end = ": an answer cannot show a revision that has not been reached";
                return Err(no!(Future, row, end));
            }
            What::Range { at, .. } => (1, at),
            What::Compact { revision, answer: Compaction::Done } => (-1, revision),
            _ => continue,
        };
        if at < least || (least == -1 && at == -1) {
            return Err(no!(NoResult, row, format!(": it cannot have had revision {at}")));
        }
        if at > most {
            let writes = most - 1;
            // The request that wrote a revision did so once, whatever it answered.
            let end = format!(
                ", but all requests together wrote at most {writes} times, which ends at revision {most}"
            );
            let others = (0..).zip(&part.rows).filter(|(_, what)| !cannot_write(what));
            return Err(no!(Phantom, row, end).and(others.map(|(row, _)| row)));
        }
        last = last.max(at);
    }
    Ok(last as usize)
}

/// True for rows that write nothing, whatever they answered.
fn cannot_write(what: &What) -> bool {
    match what {
        What::Range { .. } | What::Event { .. } | What::Idle => true,
        What::Grant { .. } | What::PendingGrant(_) => true,
        What::Compact { .. } | What::PendingCompact => true,
        What::Txn { .. } | What::Revoke { .. } => false,
        What::PendingTxn(_) | What::PendingRevoke(_) => false,
    }
}

/// The latest rank at which something can have happened, and the row whose return says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latest {
    pub(super) rank: u32,
    pub(super) by: Option<Row>,
}

impl Latest {
    const NEVER: Latest = Latest { rank: Span::NEVER, by: None };

    fn at_most(&mut self, other: Latest) {
        if other.rank < self.rank {
            *self = other;
        }
    }
}

/// The latest times, see [`super`].
#[derive(Debug)]
pub(super) struct Times {
    /// When a revision was written.
    pub(super) written: Vec<Latest>,
    /// When a row took effect.
    pub(super) row: Vec<Latest>,
}

impl Times {
    /// Computes the latest times from the end to the beginning, and compares them with the calls.
    pub(super) fn of(part: &Part, course: &Course) -> Result<Result<Times, No>, &'static str> {
        let returned = |row: Row| Latest { rank: part.rets[row as usize], by: Some(row) };
        let mut row: Vec<Latest> = (0..part.rows.len() as Row).map(returned).collect();
        // Of compactions, later revisions come later.
        for (revision, answer, refused) in &course.refused {
            if *answer == Compaction::Future && *revision <= 1 {
                return Ok(Err(no!(NoResult, *refused, ": there is no earlier revision than 1")));
            }
            if *answer == Compaction::Future || *revision < 0 {
                continue;
            }
            if course.has_pending_compaction {
                return Err("a compaction was refused, and another one did not answer");
            }
            let Some((_, first)) = course.first_compaction(*revision) else {
                // Those that were refused too might have been done, if it were not known.
                let done = course.compactions.iter().map(|(_, row)| *row);
                let others = done.chain(course.refused.iter().map(|(.., row)| *row));
                let end = ", but nothing was compacted so far".to_owned();
                return Ok(Err(no!(NoResult, *refused, end).and(others)));
            };
            row[first as usize].at_most(returned(*refused));
        }
        for pair in course.compactions.windows(2).rev() {
            let later = row[pair[1].1 as usize];
            row[pair[0].1 as usize].at_most(later);
        }
        let mut written = vec![Latest::NEVER; course.last + 2];
        let mut compactions = course.compactions.iter().rev().peekable();
        for at in (1..=course.last).rev() {
            let mut latest = written[at + 1];
            while let Some((_, compaction)) = compactions.next_if(|(of, _)| *of >= at as i64) {
                latest.at_most(row[*compaction as usize]);
            }
            for &answered in &course.answered[at] {
                let mut own = row[answered as usize];
                own.at_most(written[at + 1]);
                if let What::Range { of, at, .. } = part.rows[answered as usize]
                    && of < at
                    && let Some((_, compaction)) = course.first_compaction(of.saturating_add(1))
                {
                    own.at_most(row[compaction as usize]);
                }
                row[answered as usize] = own;
                latest.at_most(own);
            }
            let events = course.about[at].iter();
            for &event in
                events.filter(|row| matches!(part.rows[**row as usize], What::Event { .. }))
            {
                latest.at_most(returned(event));
            }
            if let Some(owner) = course.owner[at] {
                latest.at_most(returned(owner));
                row[owner as usize] = latest;
            }
            written[at] = latest;
        }
        for (revision, answer, refused) in &course.refused {
            if let (Compaction::Future, Ok(revision)) = (answer, usize::try_from(*revision))
                && let Some(written) = written.get(revision)
            {
                row[*refused as usize].at_most(*written);
            }
        }
        Ok(Times { written, row }.compare(part, course))
    }

    fn compare(self, part: &Part, course: &Course) -> Result<Times, No> {
        for (row, latest) in (0..).zip(&self.row) {
            if part.calls[row as usize] <= latest.rank {
                continue;
            }
            let Some(by) = latest.by else { continue };
            let compactions = course.compactions.iter().map(|(_, row)| *row);
            let refused = course.refused.iter().map(|(.., row)| *row);
            let end = " was called: revisions never go back".to_owned();
            let no = no!(Stale, by, " had returned before ", row, end);
            return Err(no.and(compactions.chain(refused)));
        }
        Ok(self)
    }
}

impl Course {
    /// The first compaction of this or a later revision.
    pub(super) fn first_compaction(&self, revision: i64) -> Option<(i64, Row)> {
        let at = self.compactions.partition_point(|(of, _)| *of < revision);
        self.compactions.get(at).copied()
    }
}
