//! The untyped check: settings and a case go in, a [`Report`] comes out.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::parts::statuses;
use super::whole::Whole;
use super::{CheckError, Hints, Report, Stats};
use crate::budget::{Budget, Cancel, Limit, Limits, Memory, Progress, Searched};
use crate::decide::{PartAnswer, PartReport, Refusals, Run};
use crate::explain::{EXPLAINING, Setting, explain, order_with};
use crate::history::OpId;
use crate::plan::{Algorithm, Features, Monitor, NoMonitor, Plan, Tactic, effective_hints};
use crate::search::Switches;
use crate::split::Split;
use crate::subject::{Case, guard};
use crate::verdict::{OrderWith, Undecided, Verdict, Violation, Witness, certify};

/// Settings of a check. See the methods of [`Checker`](super::Checker).
#[derive(Clone)]
pub(crate) struct Settings<'a> {
    pub(super) limits: Limits,
    pub(super) threads: Option<usize>,
    /// Overrides the planner's choice.
    pub(super) algorithm: Option<Algorithm>,
    pub(super) switches: Switches,
    pub(super) split_by_key: bool,
    pub(super) hints: Hints,
    pub(super) all_failures: bool,
    pub(super) explains: bool,
    pub(super) cancel: Cancel,
    pub(super) progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings {
            limits: Limits::default(),
            threads: None,
            algorithm: None,
            switches: Switches::default(),
            split_by_key: true,
            hints: Hints::default(),
            all_failures: false,
            explains: true,
            cancel: Cancel::new(),
            progress: None,
        }
    }
}

impl Settings<'_> {
    /// Settings for a query about a derived history: one thread, no explanation, order hints
    /// ignored.
    pub(crate) fn query(time: Duration, memory: usize) -> Self {
        Settings {
            limits: Limits { time: Some(time), memory: Some(memory) },
            threads: Some(1),
            hints: Hints::Ignore,
            explains: false,
            ..Settings::default()
        }
    }

    /// Why monitors are not used.
    fn no_monitor(&self, case: &Case<'_>, hints: Hints) -> NoMonitor {
        let at_all = if !self.switches.monitors {
            Some("switched off")
        } else if hints == Hints::Assert {
            Some("monitors do not use asserted positions")
        } else if !case.subject.shape().has_monitor() && case.subject.own_monitor().is_none() {
            Some("there is none for this kind of object")
        } else {
            None
        };
        let whole = case
            .timeline()
            .has_several_objects()
            .then_some("the operations are about several objects");
        NoMonitor { at_all: at_all.map(str::to_owned), whole: whole.map(str::to_owned) }
    }

    /// Returns the plan for this history.
    pub(crate) fn plan(&self, case: &Case<'_>) -> Result<Plan, CheckError> {
        let hints = effective_hints(case.timeline(), self.hints);
        let split = self.split(case, hints)?;
        self.plan_for(case, &split)
    }

    pub(crate) fn split(&self, case: &Case<'_>, hints: Hints) -> Result<Split, CheckError> {
        guard(|| Split::new(case, hints, self.split_by_key)).map_err(|message| {
            let description = "asked for its footprint".to_owned();
            CheckError::SpecPanicked { op: OpId(0), description, message }
        })
    }

    pub(super) fn plan_for(&self, case: &Case<'_>, split: &Split) -> Result<Plan, CheckError> {
        self.plan_with(case, Features::of(case, split))
    }

    pub(super) fn plan_with(
        &self,
        case: &Case<'_>,
        features: Features,
    ) -> Result<Plan, CheckError> {
        let threads = self.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        let no_monitor = self.no_monitor(case, effective_hints(case.timeline(), self.hints));
        let by_key = self.split_by_key;
        Ok(Plan::new(features, self.algorithm.as_ref(), no_monitor, by_key, threads, self.limits))
    }

    /// See [`Checker::order_with`](super::Checker::order_with).
    pub(crate) fn order_with(
        &self,
        case: &Case<'_>,
        violation: &Violation,
        op: OpId,
        until: Instant,
    ) -> OrderWith {
        let memory = Memory::new(self.limits.memory);
        let hints = effective_hints(case.timeline(), self.hints);
        let deadline = Some(until);
        order_with(
            case,
            violation,
            op,
            &Setting { hints, deadline, memory: &memory, cancel: &self.cancel },
        )
    }

    /// Checks a history by climbing the ladder of its plan.
    pub(crate) fn check(&self, case: &Case<'_>) -> Result<Report, CheckError> {
        let begin = Instant::now();
        // A limit beyond what the clock can express is none.
        let deadline = self.limits.time.and_then(|t| begin.checked_add(t));
        let memory = Memory::new(self.limits.memory);
        let hints = effective_hints(case.timeline(), self.hints);
        let whole = self.ask_about_whole(case, &memory, begin)?;
        if let Whole::Linearizable(report) = whole {
            return Ok(*report);
        }
        let budget = Budget::new(deadline, &memory).watch(&self.cancel);
        if let (Err(limit), Whole::Refused(_) | Whole::NotAsked) = (budget.check_now(), &whole) {
            return self.undecided_unsplit(case, limit, begin);
        }
        let (steps, certify_nanos) = (AtomicU64::new(0), AtomicU64::new(0));
        let (refusals, searched) = (Refusals::default(), Searched::nothing());
        let split = self.split(case, hints)?;
        let mut plan = self.plan_for(case, &split)?;
        if let Whole::Refused(refusal) = &whole {
            plan.note_refusal(&Tactic::Whole, &refusal.reason);
        }
        if let (Some(reason), Whole::Refused(_) | Whole::NotAsked) = (plan.refused(), &whole) {
            let (monitor, reason) = (Monitor::OfShape.name().to_owned(), reason.to_owned());
            return Err(CheckError::Refused { monitor, reason });
        }
        let run = Run {
            case,
            split: &split,
            plan: &plan,
            hints,
            switches: self.switches,
            all_failures: false,
            deadline,
            memory: &memory,
            cancel: &self.cancel,
            steps: &steps,
            certify_nanos: &certify_nanos,
            progress: self.progress,
            searched: &searched,
            refusals: &refusals,
        };
        let mut parts = match &whole {
            Whole::Refuted { refutation, monitor, explained } => {
                run.refuted(refutation, monitor, *explained)
            }
            _ => run.parts()?,
        };
        if self.all_failures && split.len() > 1 && parts.iter().any(is_violation) {
            // The verdict is known. The other parts get a little time, not as much as it takes.
            let soon = Instant::now() + EXPLAINING;
            let deadline = Some(deadline.map_or(soon, |deadline| deadline.min(soon)));
            let again = Run { all_failures: true, deadline, ..run };
            // An error there does not change what is known.
            if let Ok(rest) = again.parts() {
                parts = with_decided(rest, parts);
            }
        }
        let replay = Duration::from_nanos(certify_nanos.load(Ordering::Relaxed));
        let mut stats = Stats {
            parts: split.len(),
            decide: begin.elapsed().saturating_sub(replay),
            certify: replay,
            ..Stats::default()
        };
        let until = if self.explains { deadline } else { Some(Instant::now()) };
        let setting = Setting { hints, deadline: until, memory: &memory, cancel: &self.cancel };
        let (verdict, engine, more) = self.conclude(case, &split, &parts, &setting, &mut stats)?;
        stats.steps = steps.load(Ordering::Relaxed);
        stats.peak_bytes = memory.peak();
        if let Some(reason) = refusals.reason() {
            plan.note_refusal(&Tactic::Monitor(Monitor::OfShape), &reason);
        }
        Ok(Report { verdict, engine, more, plan, stats, parts: statuses(&parts) })
    }

    /// The answer if a limit was hit before the history was split, which takes time of its own.
    fn undecided_unsplit(
        &self,
        case: &Case<'_>,
        limit: Limit,
        begin: Instant,
    ) -> Result<Report, CheckError> {
        let plan = self.plan_with(case, Features::of_whole(case))?;
        let returns = case.timeline().spans().iter().filter(|span| !span.is_pending()).count();
        let undecided = Undecided { limit, parts_done: 0, parts: 1, returns_reached: 0, returns };
        let engine = plan.steps().last().map_or_else(String::new, Tactic::name);
        let stats = Stats { parts: 1, decide: begin.elapsed(), ..Stats::default() };
        let verdict = Verdict::Undecided(undecided);
        Ok(Report { verdict, engine, more: Vec::new(), plan, stats, parts: Vec::new() })
    }

    /// Combines the answers for all parts into one verdict. A violation takes precedence, then
    /// undecided.
    fn conclude(
        &self,
        case: &Case<'_>,
        split: &Split,
        parts: &[Option<PartReport>],
        setting: &Setting<'_>,
        stats: &mut Stats,
    ) -> Result<(Verdict, String, Vec<Violation>), CheckError> {
        let mut violations = Vec::new();
        let mut undecided = None;
        let mut orders = Vec::new();
        let mut engines: Vec<&str> = Vec::new();
        for (part, report) in parts.iter().enumerate() {
            let Some(PartReport { answer, engine }) = report else { continue };
            match answer {
                PartAnswer::Linearizable(order) => {
                    orders.push(order);
                    if !engines.contains(&engine.as_str()) {
                        engines.push(engine);
                    }
                }
                PartAnswer::Violation(evidence) => {
                    if violations.is_empty() || self.all_failures {
                        violations.push((part, evidence, engine));
                    }
                }
                PartAnswer::Undecided { limit, reached, returns } => {
                    undecided.get_or_insert((*limit, *reached, *returns, engine));
                }
            }
        }
        if let Some((_, _, engine)) = violations.first() {
            let begin = Instant::now();
            let mut explained = Vec::new();
            for (part, evidence, _) in &violations {
                let ops = split.ops(*part);
                // The first gets all the time that it needs; all others together as much again.
                let latest = (begin + 2 * EXPLAINING).max(Instant::now());
                let deadline = setting.deadline.map_or(latest, |deadline| deadline.min(latest));
                let setting = Setting { deadline: Some(deadline), ..*setting };
                explained.push(explain(case, &ops, evidence, &setting)?);
            }
            stats.explain = begin.elapsed();
            let first = Box::new(explained.remove(0));
            return Ok((Verdict::Violation(first), (*engine).clone(), explained));
        }
        if let Some((limit, reached, returns, engine)) = undecided {
            let undecided = Undecided {
                limit,
                parts_done: orders.len(),
                parts: parts.len(),
                returns_reached: reached as usize,
                returns: returns as usize,
            };
            return Ok((Verdict::Undecided(undecided), engine.clone(), Vec::new()));
        }
        let begin = Instant::now();
        let order = certify::merge(case.timeline(), &orders);
        certify::order_is_valid(case.timeline(), &order, setting.hints == Hints::Assert)
            .map_err(CheckError::Internal)?;
        stats.certify += begin.elapsed();
        Ok((Verdict::Linearizable(Witness { order }), engines.join(", "), Vec::new()))
    }
}

fn is_violation(report: &Option<PartReport>) -> bool {
    matches!(report, Some(PartReport { answer: PartAnswer::Violation(_), .. }))
}

/// The reports of all parts; where there is no answer, the one of an earlier run.
fn with_decided(
    mut parts: Vec<Option<PartReport>>,
    earlier: Vec<Option<PartReport>>,
) -> Vec<Option<PartReport>> {
    let is_open = |report: &Option<PartReport>| {
        matches!(report, None | Some(PartReport { answer: PartAnswer::Undecided { .. }, .. }))
    };
    for (part, earlier) in parts.iter_mut().zip(earlier) {
        if is_open(part) || is_violation(&earlier) {
            *part = earlier.or(part.take());
        }
    }
    parts
}
