//! A history together with its specification, behind an interface without type parameters.

use linpoint::history::{Extras, Span};
use linpoint::hitting::{Measure, Measured, NotMeasured, measure};
use linpoint::verdict::{States, Violation, states_along};
use linpoint::{CheckError, Checker, History, OpId, Part, Plan, Progress, Report, Spec};
use rustc_hash::FxHashSet;
use std::any::Any;
use std::ops::Range;
use std::time::Instant;

use super::Settings;
use super::facts::{self, Facts};
use super::shrink::{self, Shrunk};

/// In what two histories differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// They are not histories of the same object.
    Model,
    /// An operation of the first, and what the second has instead, if anything.
    Operation {
        /// In the first.
        was: OpId,
        /// In the second.
        is: Option<OpId>,
    },
    /// The second has more operations.
    Longer,
}

/// Who is told how far a check has come.
pub(super) type Watcher<'a> = Option<&'a (dyn Fn(Progress) + Sync)>;

/// What can be done with a history of any model.
pub(super) trait AnyHistory: Send + Sync {
    fn len(&self) -> usize;
    fn check(&self, settings: &Settings, progress: Watcher<'_>) -> Result<Report, CheckError>;
    fn foresee(&self, settings: &Settings) -> Result<Plan, CheckError>;
    fn measure(&self, what: &Measure) -> Result<Measured, NotMeasured>;
    fn different(&self) -> usize;
    fn as_any(&self) -> &dyn Any;
    fn difference(
        &self,
        other: &dyn AnyHistory,
        same_object: &dyn Fn(OpId, OpId) -> bool,
    ) -> Option<Difference>;
    fn facts(&self, kinds: &[u16]) -> Result<Facts, CheckError>;
    fn shrink(&self, violation: &Violation, deadline: Instant) -> Result<Shrunk, CheckError>;
    fn parts(&self, settings: &Settings, report: &Report) -> Result<Vec<Part>, CheckError>;
    fn states(&self, order: &[OpId], known_until: u32, window: Range<usize>) -> Option<States>;
    fn op(&self, id: OpId) -> String;
    fn ret(&self, id: OpId) -> Option<String>;
    fn is_known(&self, id: OpId) -> bool;
    fn span(&self, id: OpId) -> Span;
    fn extras(&self, id: OpId) -> Extras;
}

pub(super) struct Typed<S: Spec> {
    pub(super) spec: S,
    pub(super) history: History<S::Op, S::Ret>,
    /// Whether two specifications are of the same object.
    pub(super) alike: fn(&S, &S) -> bool,
}

impl<S: Spec> Typed<S> {
    /// The operations in the order of their calls.
    fn in_call_order(&self) -> Vec<OpId> {
        let mut ids: Vec<OpId> = self.history.ids().collect();
        ids.sort_unstable_by_key(|id| self.history.span(*id).call);
        ids
    }

    fn checker<'a>(&'a self, settings: &Settings) -> Checker<'a, S> {
        let mut checker = Checker::new(&self.spec)
            .hints(settings.hints)
            .all_failures(settings.all_failures)
            .explains(!settings.verdict_only)
            .cancel(&settings.cancel);
        if let Some(time) = settings.limits.time {
            checker = checker.timeout(time);
        }
        if let Some(bytes) = settings.limits.memory {
            checker = checker.memory(bytes);
        }
        if let Some(threads) = settings.threads {
            checker = checker.threads(threads);
        }
        if let Some(engine) = &settings.engine {
            checker = checker.engine(engine);
        }
        checker
    }
}

impl<S: Spec + Send + Sync + 'static> AnyHistory for Typed<S> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn difference(
        &self,
        other: &dyn AnyHistory,
        same_object: &dyn Fn(OpId, OpId) -> bool,
    ) -> Option<Difference> {
        let other = match other.as_any().downcast_ref::<Typed<S>>() {
            Some(other) if (self.alike)(&self.spec, &other.spec) => other,
            _ => return Some(Difference::Model),
        };
        let (ours, theirs) = (&self.history, &other.history);
        let mut in_other = other.in_call_order().into_iter();
        for was in self.in_call_order() {
            let is = in_other.next();
            let same = |is: OpId| {
                ours.op(was) == theirs.op(is)
                    && ours.ret(was) == theirs.ret(is)
                    && ours.span(was) == theirs.span(is)
                    && same_object(was, is)
            };
            if !is.is_some_and(same) {
                return Some(Difference::Operation { was, is });
            }
        }
        in_other.next().map(|_| Difference::Longer)
    }

    fn len(&self) -> usize {
        self.history.len()
    }

    fn check(&self, settings: &Settings, progress: Watcher<'_>) -> Result<Report, CheckError> {
        match progress {
            Some(progress) => self.checker(settings).progress(progress).check(&self.history),
            None => self.checker(settings).check(&self.history),
        }
    }

    fn foresee(&self, settings: &Settings) -> Result<Plan, CheckError> {
        self.checker(settings).foresee(&self.history)
    }

    fn measure(&self, what: &Measure) -> Result<Measured, NotMeasured> {
        measure(&self.spec, &self.history, what)
    }

    fn different(&self) -> usize {
        let history = &self.history;
        let ops: FxHashSet<&S::Op> = history.ids().map(|id| history.op(id)).collect();
        ops.len()
    }

    fn shrink(&self, violation: &Violation, deadline: Instant) -> Result<Shrunk, CheckError> {
        shrink::shrink(&self.spec, &self.history, violation, deadline)
    }

    fn facts(&self, kinds: &[u16]) -> Result<Facts, CheckError> {
        Ok(Facts {
            telling: facts::telling(&self.spec, &self.history, kinds),
            changing: facts::changing(&self.spec, &self.history),
            parts: Checker::new(&self.spec).part_sizes(&self.history)?,
        })
    }

    fn parts(&self, settings: &Settings, report: &Report) -> Result<Vec<Part>, CheckError> {
        self.checker(settings).parts(&self.history, report)
    }

    fn states(&self, order: &[OpId], known_until: u32, window: Range<usize>) -> Option<States> {
        states_along(&self.spec, &self.history, order, known_until, window)
    }

    fn op(&self, id: OpId) -> String {
        self.spec.describe_op(self.history.op(id))
    }

    fn ret(&self, id: OpId) -> Option<String> {
        let ret = self.history.ret(id)?;
        Some(self.spec.describe_ret(self.history.op(id), ret))
    }

    fn is_known(&self, id: OpId) -> bool {
        self.history.ret(id).is_some() || self.history.span(id).is_pending()
    }

    fn span(&self, id: OpId) -> Span {
        self.history.span(id)
    }

    fn extras(&self, id: OpId) -> Extras {
        self.history.extras(id)
    }
}
