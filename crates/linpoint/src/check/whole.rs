//! Rung 0 of the ladder: asks the monitor about the history before it is split. A monitor that
//! handles all keys together needs no split, and splitting millions of operations costs more than
//! deciding them.

use std::time::Instant;

use super::run::Settings;
use super::{CheckError, Report, Stats};
use crate::budget::{Budget, Memory};
use crate::decide::{ask_about_all, effort};
use crate::history::OpId;
use crate::monitor::{Answer, Outcome, Refusal, verify_names};
use crate::parallel::Helper;
use crate::plan::Features;
use crate::spec::Refutation;
use crate::subject::{Case, guard};
use crate::verdict::certify::{self, Invalid};
use crate::verdict::{Verdict, Witness};

/// The monitor's answer for the unsplit history.
pub(super) enum Whole {
    Linearizable(Box<Report>),
    Refuted {
        refutation: Refutation,
        monitor: &'static str,
        /// Some order explains this many returns.
        explained: u32,
    },
    /// The monitor may still accept single parts, if there are several.
    Refused(Refusal),
    NotAsked,
}

impl Settings<'_> {
    /// Climbs rung 0, if the plan has it.
    pub(super) fn ask_about_whole(
        &self,
        case: &Case<'_>,
        memory: &Memory,
        begin: Instant,
    ) -> Result<Whole, CheckError> {
        let mut plan = self.plan_with(case, Features::of_whole(case))?;
        let deadline = self.limits.time.and_then(|time| begin.checked_add(time));
        let budget = &mut Budget::new(deadline, memory).watch(&self.cancel);
        if !plan.asks_about_whole() || budget.check_now().is_err() {
            return Ok(Whole::NotAsked);
        }
        let panicked = |message| {
            let description = "asked for its shape".to_owned();
            CheckError::SpecPanicked { op: OpId(0), description, message }
        };
        let deadline = self.limits.time.and_then(|time| begin.checked_add(time));
        let effort = effort(deadline, memory, &self.cancel);
        let outcome = match ask_about_all(case, plan.threads, memory, effort).map_err(panicked)? {
            Ok(outcome) => outcome,
            Err(refusal) => return Ok(Whole::Refused(refusal)),
        };
        let order = match outcome.answer {
            Answer::Violation(refutation) => {
                let Outcome { monitor, explained, .. } = outcome;
                return Ok(Whole::Refuted { refutation, monitor, explained });
            }
            Answer::Linearizable(order) => order,
        };
        let decide = begin.elapsed();
        let now = Instant::now();
        let (legal, valid) = Helper::among(plan.threads, case.len()).both(
            || certify::replay_is_legal(case, &order, budget),
            || certify::order_is_valid(case.timeline(), &order, false),
        );
        let validated = match legal {
            Err(Invalid::Unknown(limit)) => {
                let reason = format!("{limit} was hit while its order was validated");
                return Ok(Whole::Refused(Refusal { reason }));
            }
            Err(Invalid::Panicked(message)) => return Err(panicked(message)),
            Err(Invalid::Illegal(message)) => Err(message),
            Ok(()) => valid,
        };
        if let Err(message) = validated {
            // Only values that share a name can explain an invalid order.
            let names = guard(|| verify_names(case)).map_err(panicked)?;
            return names.map_or_else(
                |refusal| Ok(Whole::Refused(refusal)),
                |()| Err(CheckError::Internal(message)),
            );
        }
        plan.split = "not split: the monitor takes all operations at once".into();
        let stats = Stats {
            steps: case.len() as u64,
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

#[cfg(test)]
mod tests {
    use std::hash::{Hash, Hasher};

    use crate::history::{History, Interval, Ties};
    use crate::spec::Spec;
    use crate::spec::models::{
        Queue, QueueOp, QueueRet, Register, RegisterOp, RegisterRet, Set, SetOp, SetRet,
    };
    use crate::{Checker, Engine, Verdict};

    /// A value whose name collides with every other.
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
    struct Namesake(u8);

    impl Hash for Namesake {
        fn hash<H: Hasher>(&self, _: &mut H) {}
    }

    /// Verdicts do not depend on names. A refusal that names caused says so.
    fn verdicts_are_correct<S: Spec>(
        spec: &S,
        draw: impl Fn(&mut fastrand::Rng) -> (S::Op, S::Ret),
    ) {
        let mut random = fastrand::Rng::with_seed(6);
        let (mut refused, mut answers) = (0, [0; 2]);
        for _ in 0..1000 {
            let mut intervals = History::from_intervals(Ties::Ordered);
            for at in 0..random.u64(1..7) {
                let (op, ret) = draw(&mut random);
                let interval = Interval::new(op, ret, 3 * at, 3 * at + random.u64(1..9));
                intervals.add(interval).unwrap();
            }
            let history = intervals.finish().unwrap();
            let is_yes = |engine: Option<Engine>| {
                let checker = Checker::new(spec).threads(1);
                let checker = engine.into_iter().fold(checker, |c, engine| c.engine(engine));
                let report = checker.check(&history).unwrap();
                assert!(!matches!(report.verdict, Verdict::Undecided(_)));
                let plan = report.plan.to_string();
                (matches!(report.verdict, Verdict::Linearizable(_)), plan.contains("share a name"))
            };
            let (yes, named) = is_yes(None);
            assert_eq!(yes, is_yes(Some(Engine::JitGraph)).0);
            refused += usize::from(named);
            answers[usize::from(yes)] += 1;
        }
        assert!(refused > 100 && answers.iter().all(|count| *count > 100), "{refused} {answers:?}");
    }

    #[test]
    fn hash_collisions_never_change_a_verdict() {
        let value = |random: &mut fastrand::Rng| Namesake(random.u8(0..3));
        verdicts_are_correct(&Set::new(), |random| {
            let op = [SetOp::Insert, SetOp::Remove, SetOp::Contains][random.usize(0..3)];
            (op(value(random)), SetRet(random.u8(0..4) > 0))
        });
        verdicts_are_correct(&Queue::new(), |random| match random.u8(0..5) {
            0 | 1 => (QueueOp::Enqueue(value(random)), QueueRet::Done),
            2 => (QueueOp::Dequeue, QueueRet::Value(None)),
            3 => (QueueOp::Dequeue, QueueRet::Value(Some(value(random)))),
            _ => (QueueOp::Peek, QueueRet::Value(Some(value(random)))),
        });
        verdicts_are_correct(&Register { initial: Namesake(0) }, |random| match random.bool() {
            true => (RegisterOp::Write(value(random)), RegisterRet::Written),
            false => (RegisterOp::Read, RegisterRet::Value(value(random))),
        });
    }
}
