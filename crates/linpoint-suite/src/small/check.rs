//! Compares a monitor with brute force.

use std::collections::BTreeMap;
use std::fmt;

use linpoint::history::{History, OpId};
use linpoint::monitor::{self, Answer, Outcome, Refusal};

use super::brute::{Brute, wrong_order};
use super::draw::{Style, draw};
use super::{SmallObject, list};
use crate::rng_of_case;

/// Counts of what was tried, and the results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// "Yes" of both, with a valid order.
    pub yes: u64,
    /// "No" of both, with a confirmed contradiction.
    pub no: u64,
    /// Histories with pending operations among those that were decided.
    pub with_pending: u64,
    /// Rows of all contradictions.
    pub contradiction_rows: u64,
    /// Refusals by reason.
    pub refused: BTreeMap<String, u64>,
}

impl Tally {
    /// Histories that the monitor decided.
    pub fn decided(&self) -> u64 {
        self.yes + self.no
    }

    /// Adds another tally.
    pub fn add(&mut self, other: &Tally) {
        self.yes += other.yes;
        self.no += other.no;
        self.with_pending += other.with_pending;
        self.contradiction_rows += other.contradiction_rows;
        for (reason, count) in &other.refused {
            *self.refused.entry(reason.clone()).or_default() += count;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.contradiction_rows as f64 / self.no.max(1) as f64;
        write!(
            f,
            "{} decided ({} yes, {} no, {} with pending operations; {rows:.2} rows a contradiction)",
            self.decided(),
            self.yes,
            self.no,
            self.with_pending
        )?;
        for (reason, count) in &self.refused {
            write!(f, "\n    {count} refused: {reason}")?;
        }
        Ok(())
    }
}

/// A monitor under test. Panics at the first disagreement, with the history.
pub struct Trial<B: SmallObject> {
    object: B,
    spec: B::Spec,
    brute: Brute,
    monitor: Monitor<B::Spec, B::Op, B::Ret>,
    /// What was tried so far.
    pub tally: Tally,
}

/// The monitor under test.
type Monitor<S, O, R> = fn(&S, &History<O, R>, &[OpId]) -> Result<Outcome, Refusal>;

impl<B: SmallObject> Trial<B> {
    /// Tries the monitor that [`monitor::decide`] chooses.
    pub fn new(object: B) -> Self {
        Trial::of(object, monitor::decide)
    }

    /// Tries this monitor.
    pub fn of(object: B, monitor: Monitor<B::Spec, B::Op, B::Ret>) -> Self {
        let spec = object.spec();
        Trial { object, spec, brute: Brute::default(), monitor, tally: Tally::default() }
    }

    /// Draws this many histories.
    pub fn random(&mut self, style: &Style, seed: u64, count: u64) {
        for case in 0..count {
            let history = draw(&self.object, style, &mut rng_of_case(seed, case));
            self.one(&history);
        }
    }

    /// Tries all histories of exactly `ops` operations with values below `values`; only one in
    /// `stride` of them.
    pub fn all(&mut self, ops: usize, values: u8, stride: u64) {
        let letters = self.object.letters(values);
        let mut count = 0;
        list::all::<B>(&letters, ops, &mut |history| {
            // A fixed but irregular choice.
            let chosen = stride <= 1 || rng_of_case(7, count).u64(..).is_multiple_of(stride);
            count += 1;
            if chosen {
                self.one(history);
            }
        });
    }

    /// Tries one history. Returns the monitor's answer: true for linearizable.
    ///
    /// # Panics
    ///
    /// If the monitor is wrong.
    pub fn one(&mut self, history: &History<B::Op, B::Ret>) -> Option<bool> {
        let ids: Vec<OpId> = history.ids().collect();
        let outcome = match (self.monitor)(&self.spec, history, &ids) {
            Ok(outcome) => outcome,
            Err(refusal) => {
                *self.tally.refused.entry(refusal.reason).or_default() += 1;
                return None;
            }
        };
        let expected = self.brute.linearizable(&self.object, history, |_| true);
        let wrong = match &outcome.answer {
            Answer::Linearizable(_) if !expected => Some("says yes, but no order exists".into()),
            Answer::Linearizable(order) => wrong_order(&self.object, history, order),
            Answer::Violation(found) if expected => {
                Some(format!("says no, but an order exists: {}", found.reason))
            }
            Answer::Violation(found) => {
                let keep = |id: OpId| found.ops.contains(&id);
                let rest_is_fine = self.brute.linearizable(&self.object, history, keep);
                rest_is_fine.then(|| format!("is no contradiction: {found:?}"))
            }
        };
        if let Some(wrong) = wrong {
            let name = self.object.name();
            panic!("{name}, {}: {wrong}\n{}", outcome.monitor, show(history));
        }
        self.tally.with_pending += u64::from(history.ids().any(|id| history.span(id).is_pending()));
        match &outcome.answer {
            Answer::Linearizable(_) => self.tally.yes += 1,
            Answer::Violation(found) => {
                self.tally.no += 1;
                self.tally.contradiction_rows += found.ops.len() as u64;
            }
        }
        Some(expected)
    }
}

/// A history, a line for each operation.
pub fn show<O: fmt::Debug, R: fmt::Debug>(history: &History<O, R>) -> String {
    let line = |id: OpId| {
        let span = history.span(id);
        let end = if span.is_pending() { "..".to_owned() } else { span.ret.to_string() };
        let ret = history.ret(id).map_or(String::new(), |ret| format!(" -> {ret:?}"));
        format!("  {id} [{},{end}] {:?}{ret}\n", span.call, history.op(id))
    };
    history.ids().map(line).collect()
}
