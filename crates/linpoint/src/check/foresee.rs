//! Predicts a check without searching: the plan, together with the monitor's answer, which is
//! cheap.

use super::CheckError;
use super::run::Settings;
use crate::budget::Memory;
use crate::decide::{Refusals, ask};
use crate::history::OpId;
use crate::monitor::{Effort, Outcome, Refusal};
use crate::plan::{Monitor, Plan, Tactic, effective_hints};
use crate::split::Split;
use crate::subject::Case;

impl Settings<'_> {
    /// See [`Checker::foresee`](super::Checker::foresee).
    pub(super) fn foresee(&self, case: &Case<'_>) -> Result<Plan, CheckError> {
        let split = self.split(case, effective_hints(case.timeline(), self.hints))?;
        let mut plan = self.plan_for(case, &split)?;
        let memory = Memory::new(self.limits.memory);
        if plan.asks_about_whole() {
            let ids: Vec<OpId> = case.ids().collect();
            match self.asked(case, &ids, Monitor::OfShape, &memory)? {
                Ok(outcome) => {
                    plan.split = "not split: the monitor takes all operations at once".into();
                    let why = format!("{} decides this history", outcome.monitor);
                    plan.note_decided(&Tactic::Whole, why);
                    return Ok(plan);
                }
                Err(refusal) => plan.note_refusal(&Tactic::Whole, &refusal.reason),
            }
        }
        let of_parts = plan.steps().find(|tactic| matches!(tactic, Tactic::Monitor(_))).cloned();
        if let Some(Tactic::Monitor(monitor)) = of_parts {
            self.foresee_parts(case, &split, monitor, &memory, &mut plan)?;
        }
        Ok(plan)
    }

    /// Asks the monitor about each part.
    fn foresee_parts(
        &self,
        case: &Case<'_>,
        split: &Split,
        monitor: Monitor,
        memory: &Memory,
        plan: &mut Plan,
    ) -> Result<(), CheckError> {
        let (refusals, mut decided, mut name) = (Refusals::default(), 0, "");
        for part in 0..split.len() {
            match self.asked(case, &split.ops(part), monitor, memory)? {
                Ok(outcome) => (decided, name) = (decided + 1, outcome.monitor),
                Err(refusal) => refusals.add(refusal),
            }
        }
        let tactic = Tactic::Monitor(monitor);
        match refusals.reason() {
            None => plan.note_decided(&tactic, format!("{name} decides each part")),
            Some(reason) if decided == 0 => plan.note_refusal(&tactic, &reason),
            Some(reason) => plan.note_why(
                &tactic,
                format!(
                    "{name} decides {decided} of {} parts; it refuses the rest: {reason}",
                    split.len()
                ),
            ),
        }
        Ok(())
    }

    fn asked(
        &self,
        case: &Case<'_>,
        ids: &[OpId],
        monitor: Monitor,
        memory: &Memory,
    ) -> Result<Result<Outcome, Refusal>, CheckError> {
        ask(case, ids, monitor, memory, Effort::constant()).map_err(|message| {
            let description = "asked for its shape".to_owned();
            CheckError::SpecPanicked { op: OpId(0), description, message }
        })
    }
}
