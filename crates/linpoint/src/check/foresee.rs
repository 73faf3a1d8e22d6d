//! What a check would do, as far as that can be known without a search: the plan, with the answer of the monitor,
//! which takes little time.

use super::{CheckError, Checker};
use crate::budget::Memory;
use crate::decide::{Refusals, ask};
use crate::history::{History, OpId};
use crate::monitor::{Outcome, Refusal};
use crate::plan::{Monitor, Plan, Tactic, effective_hints};
use crate::spec::Spec;

impl<S: Spec> Checker<'_, S> {
    /// How this history would be checked, like [`Checker::plan`]; and where the plan has a monitor, whether it
    /// decides the history or why it does not. That takes about as long as a check by the monitor.
    ///
    /// ```
    /// use linpoint::spec::models::{Queue, QueueOp, QueueRet};
    /// use linpoint::{Checker, History};
    ///
    /// let mut events = History::from_events();
    /// let put = events.call(QueueOp::Enqueue(1));
    /// events.ret(put, QueueRet::Done)?;
    /// let plan = Checker::new(&Queue::new()).foresee(&events.finish())?;
    /// assert_eq!(plan.ladder[0].why, "queue-monitor decides this history");
    /// assert_eq!(plan.steps().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn foresee(&self, history: &History<S::Op, S::Ret>) -> Result<Plan, CheckError> {
        let split = self.split(history, effective_hints(history, self.hints))?;
        let mut plan = self.plan_for(history, &split)?;
        let Some(monitor) = plan.steps().find_map(|tactic| match tactic {
            Tactic::Monitor(monitor) => Some(*monitor),
            _ => None,
        }) else {
            return Ok(plan);
        };
        let memory = Memory::new(self.limits.memory);
        let all = !history.has_several_objects() && !self.all_failures;
        if all && monitor == Monitor::OfShape {
            let ids: Vec<OpId> = history.ids().collect();
            if let Ok(outcome) = self.asked(history, &ids, monitor, &memory)? {
                plan.split = "not split: the monitor takes all operations at once".into();
                plan.note_decided(format!("{} decides this history", outcome.monitor));
                return Ok(plan);
            }
        }
        let (refusals, mut decided, mut name) = (Refusals::default(), 0, "");
        for part in 0..split.len() {
            match self.asked(history, &split.ops(part), monitor, &memory)? {
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
        history: &History<S::Op, S::Ret>,
        ids: &[OpId],
        monitor: Monitor,
        memory: &Memory,
    ) -> Result<Result<Outcome, Refusal>, CheckError> {
        ask(self.spec, history, ids, monitor, memory).map_err(|message| {
            let description = "asked for its shape".to_owned();
            CheckError::SpecPanicked { op: OpId(0), description, message }
        })
    }
}
