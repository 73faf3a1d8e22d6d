//! Asking the monitor about a history before it is split: one that takes all keys at once needs no
//! split, and splitting millions of operations costs more than deciding them.

use std::time::Instant;

use super::{CheckError, Checker, Hints, Report, Stats};
use crate::budget::Memory;
use crate::decide::ask_about_all;
use crate::history::{History, OpId};
use crate::monitor::{Answer, Refusal, verify_names};
use crate::plan::{Features, Forced, Monitor};
use crate::search::guard;
use crate::spec::{Refutation, Spec};
use crate::verdict::{Verdict, Witness, certify};

/// What the monitor says about a history that is not split.
pub(super) enum Whole {
    Linearizable(Box<Report>),
    Refuted {
        refutation: Refutation,
        monitor: &'static str,
    },
    /// What is refused as a whole may still be accepted in parts, if there are several.
    Refused(Refusal),
    NotAsked,
}

impl Whole {
    pub(super) fn refusal(&self) -> Option<&Refusal> {
        match self {
            Whole::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

impl<S: Spec> Checker<'_, S> {
    /// Asks the monitor about the history as it is: one that takes all keys at once needs no split.
    pub(super) fn ask_about_all(
        &self,
        history: &History<S::Op, S::Ret>,
        hints: Hints,
        memory: &Memory,
        begin: Instant,
    ) -> Result<Whole, CheckError> {
        let forced = self.forced()?;
        let asked = forced.as_ref().is_none_or(|f| *f == Forced::Monitor(Monitor::OfShape));
        if !asked || self.all_failures || self.no_monitor(hints).is_some() {
            return Ok(Whole::NotAsked);
        }
        if history.has_several_objects() || self.cancel.is_cancelled() {
            return Ok(Whole::NotAsked);
        }
        let panicked = |message| {
            let description = "asked for its shape".to_owned();
            CheckError::SpecPanicked { op: OpId(0), description, message }
        };
        let outcome = match ask_about_all(self.spec, history, memory).map_err(panicked)? {
            Ok(outcome) => outcome,
            Err(refusal) => return Ok(Whole::Refused(refusal)),
        };
        let order = match outcome.answer {
            Answer::Violation(refutation) => {
                return Ok(Whole::Refuted { refutation, monitor: outcome.monitor });
            }
            Answer::Linearizable(order) => order,
        };
        let decide = begin.elapsed();
        let now = Instant::now();
        let validated = guard(|| certify::replay_is_legal(self.spec, history, &order))
            .map_err(panicked)?
            .and_then(|()| certify::order_is_valid(history, &order, false));
        if let Err(message) = validated {
            // Values that share a name explain a wrong order. Nothing else does.
            let names = guard(|| verify_names(self.spec, history)).map_err(panicked)?;
            return names.map_or_else(
                |refusal| Ok(Whole::Refused(refusal)),
                |()| Err(CheckError::Internal(message)),
            );
        }
        let mut plan = self.plan_with(history, Features::of_whole(history))?;
        plan.split = "not split: the monitor takes all operations at once".into();
        let stats = Stats {
            steps: history.len() as u64,
            parts: 1,
            peak_bytes: memory.peak(),
            decide,
            certify: now.elapsed(),
            ..Stats::default()
        };
        Ok(Whole::Linearizable(Box::new(Report {
            verdict: Verdict::Linearizable(Witness { order }),
            engine: outcome.monitor.to_owned(),
            more: Vec::new(),
            plan,
            stats,
            parts: Vec::new(),
        })))
    }
}
