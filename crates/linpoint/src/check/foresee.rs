//! What a check would do, as far as that can be known without a search: the plan, with the answer of the monitor,
//! which takes little time.

use super::CheckError;
use super::run::Settings;
use crate::budget::Memory;
use crate::decide::{Refusals, ask};
use crate::history::OpId;
use crate::monitor::{Outcome, Refusal};
use crate::plan::{Monitor, Plan, Tactic, effective_hints};
use crate::subject::Case;

impl Settings<'_> {
    /// See [`Checker::foresee`](super::Checker::foresee).
    pub(super) fn foresee(&self, case: &Case<'_>) -> Result<Plan, CheckError> {
        let split = self.split(case, effective_hints(case.timeline(), self.hints))?;
        let mut plan = self.plan_for(case, &split)?;
        let Some(monitor) = plan.steps().find_map(|tactic| match tactic {
            Tactic::Monitor(monitor) => Some(*monitor),
            _ => None,
        }) else {
            return Ok(plan);
        };
        let memory = Memory::new(self.limits.memory);
        let all = !case.timeline().has_several_objects() && !self.all_failures;
        if all && monitor == Monitor::OfShape {
            let ids: Vec<OpId> = case.ids().collect();
            if let Ok(outcome) = self.asked(case, &ids, monitor, &memory)? {
                plan.split = "not split: the monitor takes all operations at once".into();
                plan.note_decided(format!("{} decides this history", outcome.monitor));
                return Ok(plan);
            }
        }
        let (refusals, mut decided, mut name) = (Refusals::default(), 0, "");
        for part in 0..split.len() {
            match self.asked(case, &split.ops(part), monitor, &memory)? {
                Ok(outcome) => (decided, name) = (decided + 1, outcome.monitor),
                Err(refusal) => refusals.add(refusal),
            }
        }
        match refusals.reason() {
            None => plan.note_decided(format!("{name} decides each part")),
            Some(reason) if decided == 0 => plan.note_refusal(reason),
            Some(reason) => plan.note_monitor(format!(
                "{name} decides {decided} of {} parts; the others it refuses: {reason}",
                split.len()
            )),
        }
        Ok(plan)
    }

    fn asked(
        &self,
        case: &Case<'_>,
        ids: &[OpId],
        monitor: Monitor,
        memory: &Memory,
    ) -> Result<Result<Outcome, Refusal>, CheckError> {
        ask(case, ids, monitor, memory).map_err(|message| {
            let description = "asked for its shape".to_owned();
            CheckError::SpecPanicked { op: OpId(0), description, message }
        })
    }
}
