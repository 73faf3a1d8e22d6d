//! Who is put to the test: linpoint's own checker, and the oracle, to test the tests.

use linpoint::history::{History, OpId};
use linpoint::spec::Spec;
use linpoint::verdict::{CoreStatus, Verdict, ViolationKind};
use linpoint::{Checker, Hints};

use crate::oracle::{Oracle, called_by, prefix, relax_outside};
use crate::runner::{Answer, Candidate, Refusal};

/// [`Checker`] with one engine, several in competition, or the planner's choice; one thread, no
/// limits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckerCandidate {
    /// The engine; `None`: the planner chooses.
    pub engine: Option<String>,
}

impl CheckerCandidate {
    /// The planner chooses.
    pub fn planned() -> Self {
        CheckerCandidate::default()
    }

    /// This engine.
    pub fn engine(name: &str) -> Self {
        CheckerCandidate { engine: Some(name.to_owned()) }
    }
}

impl<S: Spec> Candidate<S> for CheckerCandidate {
    fn name(&self) -> String {
        self.engine.clone().unwrap_or_else(|| "planner".into())
    }

    fn decide(&self, spec: &S, history: &History<S::Op, S::Ret>, hints: Hints) -> Answer {
        let mut checker = Checker::new(spec).threads(1).hints(hints);
        if let Some(engine) = &self.engine {
            checker = checker.engine(engine);
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
        let mut core: Vec<OpId> = history.ids().collect();
        for id in history.ids() {
            let without: Vec<OpId> = core.iter().copied().filter(|&other| other != id).collect();
            let relaxed = relax_outside(history, &without);
            if !oracle.remember_failures(true).linearizable(spec, &relaxed) {
                core = without;
            }
        }
        let legal_without_hints = oracle.assert_hints(false).linearizable(spec, history);
        let failing = oracle.earliest_failure(spec, history);
        let allowed = failing.and_then(|id| {
            let last = history.span(id).ret;
            let local = called_by(history, last).iter().position(|&other| other == id)?;
            let prefix = prefix(history, last);
            let results = oracle.allowed_results(spec, &prefix, OpId(local as u32))?;
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
