//! The monitor: revisions say in which order writes took effect, and when reads did.
//!
//! *Times.* Every answer has a revision, so the order of all writes that answered is known, and reads lie between two
//! of them. Let `w(r)` be the moment of the write of revision `r`. It comes before everything that was answered at `r`
//! or later, so it comes before the earliest return among those: call that its *latest time*. If every operation was
//! called before its latest time, all of them can take effect at their latest times: these never fall along the order
//! of revisions. If one was called later, two operations contradict each other. So real time is decided once and for
//! all, and a request that did not answer can have written revision `r` exactly if it was called before the latest
//! time of `r`: it may take effect at any time after its call. Compactions have no revision, but theirs are done in the
//! order of what they compact, and take part in the same way (`course.rs`).
//!
//! *Contents.* What is left is a question without times: which requests that did not answer wrote the *gaps*, the
//! revisions that no answer owns, so that every answer shows what is there? An answer says about each key in it which
//! revision changed it last, and so that no later one up to its own did (`seen.rs`). Most violations contradict that
//! (`known.rs`), and most gaps are pinned by it. The rest is searched: revision by revision, with everything that is
//! answered at a revision compared with the store (`search.rs`).
//!
//! *Exact.* A "yes" is an order, which is validated as any other. A "no" is a contradiction between a few answers, or
//! all choices for the gaps have been tried, except those that `search.rs` proves to be needless. Between two gaps there
//! is no choice: order within a revision makes no difference, but for leases, whose odd uses are refused.
//!
//! Complexity: O(n + size of all answers), and a step for each key at each gap, if no choice has to be taken back.
//! Refuses: results that are not known, a lease that is granted twice, a refused compaction beside one that did not
//! answer, reads that were refused, and too many choices.

mod course;
mod guess;
mod known;
mod no;
mod read;
mod search;
mod seen;
mod store;

use rustc_hash::FxHashMap;

use super::{Etcd, EtcdOp, EtcdRet};
use crate::history::OpId;
use crate::monitor::{Answer, Refusal};
use crate::spec::{Decides, PartView, Work};
use course::{Course, Times};
use guess::Guesses;
use known::{Known, Looked};
use no::{No, no};
use read::{Compaction, Part, Row, Step, What};
use search::{Furthest, Search};

/// Units of work with hints that are taken for facts, for each row and key: enough if few choices are taken back.
const TRUSTING: usize = 64;

impl Decides<EtcdOp, EtcdRet> for Etcd {
    fn name(&self) -> &'static str {
        "etcd-monitor"
    }

    fn decide(
        &self,
        part: &PartView<'_, EtcdOp, EtcdRet>,
        work: Work<'_>,
    ) -> Result<Answer, Refusal> {
        let read = Part::read(part)?;
        refuse_odd_leases(&read)?;
        match order(&read, work)? {
            Ok(rows) => {
                let ids: Vec<OpId> = part.iter().map(|view| view.id).collect();
                Ok(Answer::Linearizable(rows.into_iter().map(|row| ids[row as usize]).collect()))
            }
            Err(no) => Ok(Answer::Violation(no.into_refutation(part))),
        }
    }
}

/// An order of all rows that took effect, or why there is none.
fn order(part: &Part, work: Work<'_>) -> Result<Result<Vec<Row>, No>, Refusal> {
    let course = match Course::of(part) {
        Ok(course) => course,
        Err(no) => return Ok(Err(no)),
    };
    let times = match Times::of(part, &course).map_err(Refusal::new)? {
        Ok(times) => times,
        Err(no) => return Ok(Err(no)),
    };
    work(4 * part.rows.len())?;
    let known = match Known::of(part, &course, &times) {
        Ok(known) => known,
        Err(no) => return Ok(Err(no)),
    };
    let looked = Looked { part, course: &course, times: &times };
    let guesses = Guesses::of(looked, &known);
    let mut search = Search::new(looked, &known, &guesses);
    let mut left =
        TRUSTING.saturating_mul(part.rows.len() + course.last).saturating_mul(part.keys + 16);
    let trusting = search.run(true, &mut |units| {
        left = left.checked_sub(units).ok_or_else(|| Refusal::new("hints lead nowhere"))?;
        work(units)
    });
    let found = match trusting {
        Ok(true) => true,
        // Unless it is the limit of everything, the search goes on without hints.
        Ok(false) | Err(_) => search.run(false, work)?,
    };
    Ok(match found {
        true => Ok(in_order(looked, &search)),
        false => Err(exhausted(looked, search.furthest)),
    })
}

/// Everything at its latest time.
fn in_order(looked: Looked<'_>, search: &Search<'_>) -> Vec<Row> {
    let Looked { part, course, times } = looked;
    let mut places: Vec<(u32, usize, Row)> = Vec::with_capacity(part.rows.len());
    let mut place = |row: Row, tie: usize| places.push((times.row[row as usize].rank, tie, row));
    for revision in 1..=course.last {
        let filler = search.filled[revision].filter(|_| course.is_gap(revision));
        if let Some(owner) = course.owner[revision] {
            place(owner, 4 * revision);
        }
        for &row in &course.answered[revision] {
            if Some(row) != filler {
                place(row, 4 * revision + 1);
            }
        }
        for &row in &course.about[revision] {
            if matches!(part.rows[row as usize], What::Event { .. }) {
                place(row, 4 * revision + 1);
            }
        }
    }
    let mut tie = 0;
    for (revision, row) in &course.compactions {
        // After the reads of what it compacts.
        let of = |answered: &&Row| match part.rows[**answered as usize] {
            What::Range { of, at, .. } => of < at && of < *revision,
            _ => false,
        };
        let before = (1..=course.last).rev().find(|at| {
            times.written[*at].rank <= times.row[*row as usize].rank
                && course.answered[*at].iter().any(|row| of(&row))
        });
        tie = tie.max(4 * (*revision).max(0) as usize + 2).max(4 * before.unwrap_or(0) + 2);
        place(*row, tie);
        for (at, answer, refused) in &course.refused {
            let first = course.first_compaction(*at).map(|(of, _)| of);
            if *answer == Compaction::Compacted && first == Some(*revision) {
                place(*refused, tie);
            }
        }
    }
    for (revision, answer, row) in &course.refused {
        let has_place = course.first_compaction(*revision).is_some() && *revision >= 0;
        if *answer == Compaction::Future || !has_place {
            place(*row, 0);
        }
    }
    for revision in 2..=course.last {
        if course.is_gap(revision)
            && let Some(row) = search.filled[revision]
        {
            places.push((times.written[revision].rank, 4 * revision, row));
        }
    }
    for (revision, row) in &search.granted {
        places.push((times.written[*revision].rank, 4 * revision - 1, *row));
    }
    // What has one place keeps its order: a compaction is refused after the one that it comes too late for.
    places.sort_by_key(|(rank, tie, _)| (*rank, *tie));
    places.into_iter().map(|(_, _, row)| row).collect()
}

/// All choices have been tried.
fn exhausted(looked: Looked<'_>, furthest: Furthest) -> No {
    let Furthest { revision, row } = furthest;
    let all = 0..looked.part.rows.len() as Row;
    let gaps = (2..=revision).filter(|revision| looked.course.is_gap(*revision)).count();
    let no = match row {
        Some(row) if gaps == 0 => {
            let end = format!(" is not what the requests before it leave at revision {revision}");
            no!(WrongResult, row, end)
        }
        Some(row) => {
            let end = format!(
                " fits no choice of the requests without an answer for the {gaps} revisions up to {revision} that \
                 nobody else wrote"
            );
            no!(NoOrder, row, end)
        }
        None => {
            let text = format!(
                "no request without an answer can have written revision {revision}, whatever wrote the revisions \
                 before it"
            );
            no!(NoOrder, text)
        }
    };
    no.and(all)
}

/// Leases are granted once, and revoked later.
fn refuse_odd_leases(part: &Part) -> Result<(), Refusal> {
    let mut grants: FxHashMap<i64, Option<i64>> = FxHashMap::default();
    for what in &part.rows {
        let (lease, at) = match *what {
            What::Grant { lease, at } => (lease, Some(at)),
            What::PendingGrant(lease) => (lease, None),
            _ => continue,
        };
        if grants.insert(lease, at).is_some() {
            return Err(Refusal::new("a lease is granted twice"));
        }
    }
    let is_needed = |lease: i64| {
        let txns = part.rows.iter().filter_map(|what| match what {
            What::Txn { txn, .. } | What::PendingTxn(txn) => Some(txn),
            _ => None,
        });
        txns.flat_map(|txn| txn.steps())
            .any(|step| matches!(step, Step::Put { lease: needed, .. } if *needed == lease))
    };
    for what in &part.rows {
        if let What::Revoke { lease, at } = *what
            && let Some(granted) = grants.get(&lease)
            && granted.is_none_or(|granted| granted >= at)
            && is_needed(lease)
        {
            return Err(Refusal::new("a lease is revoked while it may be granted"));
        }
    }
    Ok(())
}
