//! A history that was read and joined to its model.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use linpoint::history::{Span, Timeline};
use linpoint::hitting::{Measure, Measured, NotMeasured, measure};
use linpoint::shrink::{Shrunk, Until};
use linpoint::subject::{Call, RetId, Subject};
use linpoint::verdict::{
    Blocked, CoreStatus, Known, Next, OrderWith, Partial, Reason, ReasonKind, States, Verdict,
    Violation, ViolationKind, blocked_after, next_after, states_along,
};
use linpoint::{Allowance, CheckError, Checker, OpId, Plan, Progress, Report};
use rustc_hash::FxHashMap;

use super::moments::{FailedOp, PlacedFault, Times};
use super::typed::{AnyHistory, difference};
use super::{Difference, Facts, Recorded, Settings, facts};
use crate::model::ModelName;
use crate::raw::{Broken, Lines};
use crate::workload::JepsenAnswer;
use crate::{Format, Value};

/// A history of one of the bundled models, ready to be checked.
pub struct LoadedHistory {
    pub(super) any: Box<dyn AnyHistory>,
    pub(super) model: ModelName,
    pub(super) note: Option<String>,
    pub(super) format: Format,
    pub(super) processes: BTreeMap<u32, Value>,
    pub(super) objects: Vec<Value>,
    pub(super) lines: Lines,
    pub(super) faults: Vec<PlacedFault>,
    pub(super) times: Option<Times>,
    pub(super) failed: Vec<FailedOp>,
    pub(super) remarks: FxHashMap<u32, String>,
    pub(super) unknown_results: usize,
    pub(super) jepsen: Option<Box<JepsenAnswer>>,
    pub(super) broken: Vec<Broken>,
}

/// The name of a client, for people.
pub(crate) fn client(process: &Value) -> String {
    match process {
        Value::Int(n) => format!("client {n}"),
        name => name.bare(),
    }
}

impl LoadedHistory {
    /// Injected faults, and other events that are not operations.
    pub fn faults(&self) -> &[PlacedFault] {
        &self.faults
    }

    /// Operations that certainly did not happen, if they were kept.
    pub fn failed(&self) -> &[FailedOp] {
        &self.failed
    }

    /// What the file says about an operation, for people, if it was kept.
    pub fn remark(&self, id: OpId) -> Option<&str> {
        self.remarks.get(&id.0).map(String::as_str)
    }

    /// The clock at calls and returns, if the file has it and it was kept ([`ReadLimits::details`](super::ReadLimits)).
    pub fn times(&self) -> Option<&Times> {
        self.times.as_ref()
    }

    /// What Jepsen's checker says, if the history is one of a workload.
    pub fn jepsen(&self) -> Option<&JepsenAnswer> {
        self.jepsen.as_deref()
    }

    /// The model, with its options.
    pub fn model(&self) -> &ModelName {
        &self.model
    }

    /// The format it was read from.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The note in the file.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Number of operations.
    pub fn len(&self) -> usize {
        self.timeline().len()
    }

    /// True if there are no operations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Operations that returned something that is not known. Each fits more states than its result
    /// would, so they can hide a violation.
    pub fn unknown_results(&self) -> usize {
        self.unknown_results
    }

    /// The first thing in which another history is not the same: the model, or an operation with its
    /// result, its object, or when it was called and returned. Names of processes do not count.
    pub fn difference(&self, other: &LoadedHistory) -> Option<Difference> {
        let object = |history: &LoadedHistory, id: OpId| {
            let object = history.any.timeline().extras(id).object?;
            history.objects.get(object as usize).cloned()
        };
        let same_object = |a: OpId, b: OpId| object(self, a) == object(other, b);
        difference(&*self.any, &*other.any, &same_object)
    }

    /// The operations and their specification, for the library.
    pub fn subject(&self) -> Box<dyn Subject + '_> {
        self.any.subject()
    }

    /// When the operations were open.
    pub fn timeline(&self) -> &Timeline {
        self.any.timeline()
    }

    /// What its operations can reveal. `kinds` are numbers for the names of operations. If the allowance is
    /// exhausted, the facts are not to be used.
    pub(crate) fn facts(&self, kinds: &[u16], allowance: &Allowance) -> Result<Facts, CheckError> {
        let (subject, timeline) = (self.subject(), self.timeline());
        self.sound(Ok(Facts {
            informative: facts::informative_ops(&*subject, timeline, kinds, allowance),
            changing: facts::changing(&*subject, timeline),
            parts: Checker::of_subject(&*subject).part_sizes(timeline)?,
        }))
    }

    /// The answer, unless the model failed meanwhile: then it cannot be trusted.
    fn sound<T>(&self, answer: Result<T, CheckError>) -> Result<T, CheckError> {
        match self.any.failure() {
            Some(message) => Err(CheckError::Failed(message)),
            None => answer,
        }
    }

    /// True if the result of the operation at this position is known, or it never returned.
    pub(crate) fn is_known(&self, at: usize) -> bool {
        u32::try_from(at).is_ok_and(|at| {
            self.timeline().span(OpId(at)).is_pending() || self.subject().is_known(RetId(at))
        })
    }

    /// Shrinks it to the core of a violation, within limits.
    pub(crate) fn shrink(&self, violation: &Violation, until: Until) -> Result<Shrunk, CheckError> {
        self.sound(linpoint::shrink::shrink(&*self.subject(), self.timeline(), violation, until))
    }

    /// Checks it.
    pub fn check(&self, settings: &Settings) -> Result<Report, CheckError> {
        let report = self.sound(settings.checker(&*self.subject()).check(self.timeline()))?;
        Ok(self.with_guarantees(report, settings))
    }

    /// The report, if what else the file promises holds too. Of a history that is not linearizable, that is not asked.
    fn with_guarantees(&self, mut report: Report, settings: &Settings) -> Report {
        if !report.verdict.is_linearizable() {
            return report;
        }
        let violation = |broken: &Broken| Violation {
            kind: ViolationKind::BrokenGuarantee,
            part: self.timeline().ids().collect(),
            reason: Reason::new(ReasonKind::Contradiction).text(broken.sentence.clone()),
            failing: None,
            failing_is_earliest: false,
            allowed: Vec::new(),
            allowed_is_complete: false,
            partials: Vec::new(),
            core: broken.ops.iter().map(|op| OpId(*op)).collect(),
            core_status: CoreStatus::Extended,
            confirmed_by: None,
        };
        let mut violations = self.broken.iter().map(violation);
        if let Some(first) = violations.next() {
            report.verdict = Verdict::Violation(Box::new(first));
            report.engine = "guarantees of watches".to_owned();
            if settings.all_failures {
                report.more = violations.collect();
            }
        }
        report
    }

    /// Checks it, and calls `progress` about ten times a second.
    pub fn check_watched(
        &self,
        settings: &Settings,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Report, CheckError> {
        let subject = self.subject();
        let report =
            self.sound(settings.checker(&*subject).progress(progress).check(self.timeline()))?;
        Ok(self.with_guarantees(report, settings))
    }

    /// How a check with these settings would go, see [`linpoint::Checker::foresee`].
    pub fn foresee(&self, settings: &Settings) -> Result<Plan, CheckError> {
        self.sound(settings.checker(&*self.subject()).foresee(self.timeline()))
    }

    /// How deep it is, see [`linpoint::hitting`].
    pub fn measure(&self, what: &Measure) -> Result<Measured, NotMeasured> {
        let measured = measure(&*self.subject(), self.timeline(), what);
        self.any.failure().map_or(measured, |message| Err(NotMeasured::SpecPanicked(message)))
    }

    /// How many operations differ from each other, arguments included.
    pub fn different_operations(&self) -> usize {
        let calls: Vec<Call> = self.timeline().ids().map(Call::unknown).collect();
        let mut classes = Vec::with_capacity(calls.len());
        self.subject().classes().classify(&calls, &mut classes);
        classes.iter().max().map_or(0, |most| most.index() + 1)
    }

    /// The independent parts, with the status of each in a check with these settings.
    pub fn parts(
        &self,
        settings: &Settings,
        report: &Report,
    ) -> Result<Vec<linpoint::Part>, CheckError> {
        self.sound(settings.checker(&*self.subject()).parts(self.timeline(), report))
    }

    /// The states along an order of one part, see [`linpoint::verdict::states_along`].
    pub fn states(&self, order: &[OpId], known: Known, window: Range<usize>) -> Option<States> {
        states_along(&*self.subject(), self.timeline(), order, known, window)
    }

    /// What can come next after an order of a part, see [`linpoint::verdict::next_after`].
    pub fn next(
        &self,
        part: &[OpId],
        order: &[OpId],
        known: Known,
        most: usize,
    ) -> Option<Vec<Next>> {
        next_after(&*self.subject(), self.timeline(), (part, order), known, most)
    }

    /// The order that gets furthest with an operation, see [`linpoint::Checker::order_with`].
    pub fn order_with(
        &self,
        settings: &Settings,
        violation: &Violation,
        op: OpId,
        until: Instant,
    ) -> OrderWith {
        settings.checker(&*self.subject()).order_with(self.timeline(), violation, op, until)
    }

    /// Why a partial order of a violation ends, see [`linpoint::verdict::blocked_after`].
    pub fn blocked(&self, violation: &Violation, partial: &Partial) -> Option<Vec<Blocked>> {
        blocked_after(&*self.subject(), self.timeline(), violation, partial)
    }

    /// An operation as text: `enqueue(5)`.
    pub fn op(&self, id: OpId) -> String {
        self.subject().describe_op(id)
    }

    /// Its result as text, if it has one.
    pub fn ret(&self, id: OpId) -> Option<String> {
        let subject = self.subject();
        subject.is_known(RetId::of(id)).then(|| subject.describe_ret(Call::recorded(id)))
    }

    /// An operation as a name and values; `None` for Java's collections.
    pub fn recorded(&self, id: OpId) -> Option<Recorded> {
        self.any.recorded(id)
    }

    /// When it was open.
    pub fn span(&self, id: OpId) -> Span {
        self.timeline().span(id)
    }

    /// The number by which the library knows who performed it.
    pub fn process(&self, id: OpId) -> Option<u32> {
        self.timeline().extras(id).process
    }

    /// Who performed it.
    pub fn client(&self, id: OpId) -> Option<String> {
        let process = self.timeline().extras(id).process?;
        self.processes.get(&process).map(client)
    }

    /// The object it was performed on.
    pub fn object(&self, id: OpId) -> Option<String> {
        let object = self.timeline().extras(id).object?;
        self.objects.get(object as usize).map(Value::bare)
    }

    /// The line of the file on which it begins.
    pub fn line(&self, id: OpId) -> Option<u32> {
        self.lines.get(id.index())
    }
}
