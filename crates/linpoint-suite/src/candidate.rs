//! linpoint's own checker as a candidate.

use linpoint::history::History;
use linpoint::spec::Spec;
use linpoint::verdict::{CoreStatus, Verdict};
use linpoint::{Checker, Hints};

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
                    core: Some(v.core),
                    part: Some(v.part),
                }),
            },
        }
    }
}
