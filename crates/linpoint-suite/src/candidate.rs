//! The candidates under test: linpoint's own checker, and the oracle, to test the tests.

use std::time::Duration;

use linpoint::history::{History, OpId};
use linpoint::spec::Spec;
use linpoint::verdict::{CoreStatus, Verdict, ViolationKind};
use linpoint::{Algorithm, Checker, Hints, Switches};

use crate::oracle::{Oracle, called_by, prefix, relax_outside};
use crate::runner::{Answer, Candidate, Refusal};

/// [`Checker`] with one engine, several in competition, or the planner's choice; one thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckerCandidate {
    /// The engine; `None` if the planner chooses.
    pub engine: Option<String>,
    /// The switches, and a name for them.
    pub switches: (Switches, &'static str),
    /// See [`Checker::split_by_key`].
    pub split_by_key: bool,
    /// The time limit, if there is one.
    pub timeout: Option<Duration>,
}

impl CheckerCandidate {
    /// The planner chooses.
    pub fn planned() -> Self {
        CheckerCandidate {
            engine: None,
            switches: (Switches::default(), ""),
            split_by_key: true,
            timeout: None,
        }
    }

    /// A candidate that uses this engine.
    pub fn engine(name: &str) -> Self {
        CheckerCandidate { engine: Some(name.to_owned()), ..CheckerCandidate::planned() }
    }

    /// Sets a time limit.
    pub fn within(self, time: Duration) -> Self {
        CheckerCandidate { timeout: Some(time), ..self }
    }

    /// Variants with each switch off, with all of them off, and without the split by key.
    pub fn variants(&self) -> Vec<CheckerCandidate> {
        let on = Switches::default();
        // A new switch must not be forgotten here.
        let Switches {
            absorb_reads: _,
            first_of_class: _,
            drop_idle_pending: _,
            count_pending: _,
            dominance: _,
            slot_masks: _,
            memoise_steps: _,
            guide: _,
            monitors: _,
        } = on;
        let switches = [
            (Switches { absorb_reads: false, ..on }, " without absorb_reads"),
            (Switches { first_of_class: false, ..on }, " without first_of_class"),
            (Switches { drop_idle_pending: false, ..on }, " without drop_idle_pending"),
            (Switches { count_pending: false, ..on }, " without count_pending"),
            (Switches { dominance: false, ..on }, " without dominance"),
            (Switches { slot_masks: false, ..on }, " without slot_masks"),
            (Switches { memoise_steps: false, ..on }, " without memoise_steps"),
            (Switches { guide: false, ..on }, " without guide"),
            (Switches { monitors: false, ..on }, " without monitors"),
            (Switches::plain(), " plain"),
        ];
        let switched = switches.map(|switches| CheckerCandidate { switches, ..self.clone() });
        let whole = CheckerCandidate { split_by_key: false, ..self.clone() };
        switched.into_iter().chain([whole]).collect()
    }
}

impl<S: Spec> Candidate<S> for CheckerCandidate {
    fn name(&self) -> String {
        let engine = self.engine.as_deref().unwrap_or("planner");
        let split = if self.split_by_key { "" } else { " without split_by_key" };
        format!("{engine}{}{split}", self.switches.1)
    }

    fn decide(&self, spec: &S, history: &History<S::Op, S::Ret>, hints: Hints) -> Answer {
        let mut checker = Checker::new(spec)
            .threads(1)
            .hints(hints)
            .switches(self.switches.0)
            .split_by_key(self.split_by_key);
        if let Some(engine) = &self.engine {
            checker = checker.engine(engine.parse::<Algorithm>().expect("an engine"));
        }
        if let Some(time) = self.timeout {
            checker = checker.timeout(time);
        }
        match checker.check(history) {
            Err(e) => Answer::Error(format!("{e:?}")),
            Ok(report) => match report.verdict {
                Verdict::Linearizable(witness) => Answer::Yes(witness.order),
                Verdict::Undecided(u) => Answer::Undecided(u.limit.to_string()),
                Verdict::Violation(v) => Answer::No(Refusal {
                    core_is_minimal: v.core_status == CoreStatus::Minimal,
                    failing: v.failing,
                    failing_is_earliest: v.failing_is_earliest,
                    kind: Some(v.kind),
                    allowed: (v.allowed_is_complete && v.failing_is_earliest).then_some(v.allowed),
                    core: Some(v.core),
                    part: Some(v.part),
                }),
            },
        }
    }
}

/// The oracle as a candidate, with all the evidence a candidate can give.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OracleCandidate {
    /// See [`Oracle::remember_failures`].
    pub remember_failures: bool,
}

impl<S: Spec> Candidate<S> for OracleCandidate {
    fn name(&self) -> String {
        "oracle".into()
    }

    fn decide(&self, spec: &S, history: &History<S::Op, S::Ret>, hints: Hints) -> Answer {
        let oracle = Oracle::new()
            .assert_hints(hints == Hints::Assert)
            .remember_failures(self.remember_failures);
        if let Some(order) = oracle.order(spec, history) {
            return Answer::Yes(order);
        }
        // If the hints are not the cause, the evidence is about the history without them.
        let legal_without_hints = oracle.assert_hints(false).linearizable(spec, history);
        let oracle = if legal_without_hints { oracle } else { oracle.assert_hints(false) };
        let failing = oracle.earliest_failure(spec, history);
        // A core is about events up to the failing return.
        let last = failing.map_or(u32::MAX - 1, |id| history.span(id).ret);
        let (called, cut) = (called_by(history, last), prefix(history, last));
        let mut core: Vec<OpId> = cut.ids().collect();
        for id in cut.ids() {
            let without: Vec<OpId> = core.iter().copied().filter(|&other| other != id).collect();
            let relaxed = relax_outside(&cut, &without);
            if !oracle.remember_failures(true).linearizable(spec, &relaxed) {
                core = without;
            }
        }
        let core = core.into_iter().map(|id| called[id.index()]).collect();
        let allowed = failing.and_then(|id| {
            let local = called.iter().position(|&other| other == id)?;
            let results = oracle.allowed_results(spec, &cut, OpId(local as u32))?;
            Some(results.iter().map(|ret| spec.describe_ret(history.op(id), ret)).collect())
        });
        Answer::No(Refusal {
            core: Some(core),
            core_is_minimal: true,
            failing,
            allowed,
            failing_is_earliest: true,
            part: None,
            kind: Some(if legal_without_hints {
                ViolationKind::HintBroken
            } else {
                ViolationKind::NotLinearizable
            }),
        })
    }
}
