//! A history together with its specification, behind an interface without type parameters.

use linpoint::history::{Extras, Span};
use linpoint::verdict::{States, states_along};
use linpoint::{CheckError, Checker, History, OpId, Part, Plan, Progress, Report, Spec};
use rustc_hash::FxHashSet;
use std::ops::Range;

use super::Settings;

/// Who is told how far a check has come.
pub(super) type Watcher<'a> = Option<&'a (dyn Fn(Progress) + Sync)>;

/// What can be done with a history of any model.
pub(super) trait AnyHistory: Send + Sync {
    fn len(&self) -> usize;
    fn check(&self, settings: &Settings, progress: Watcher<'_>) -> Result<Report, CheckError>;
    fn foresee(&self, settings: &Settings) -> Result<Plan, CheckError>;
    fn different(&self) -> usize;
    fn parts(&self, settings: &Settings, report: &Report) -> Result<Vec<Part>, CheckError>;
    fn states(&self, order: &[OpId], known_until: u32, window: Range<usize>) -> Option<States>;
    fn op(&self, id: OpId) -> String;
    fn ret(&self, id: OpId) -> Option<String>;
    fn span(&self, id: OpId) -> Span;
    fn extras(&self, id: OpId) -> Extras;
}

pub(super) struct Typed<S: Spec> {
    pub(super) spec: S,
    pub(super) history: History<S::Op, S::Ret>,
}

impl<S: Spec> Typed<S> {
    fn checker<'a>(&'a self, settings: &Settings) -> Checker<'a, S> {
        let mut checker = Checker::new(&self.spec)
            .hints(settings.hints)
            .all_failures(settings.all_failures)
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

impl<S: Spec + Send + Sync> AnyHistory for Typed<S> {
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

    fn different(&self) -> usize {
        let history = &self.history;
        let ops: FxHashSet<&S::Op> = history.ids().map(|id| history.op(id)).collect();
        ops.len()
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

    fn span(&self, id: OpId) -> Span {
        self.history.span(id)
    }

    fn extras(&self, id: OpId) -> Extras {
        self.history.extras(id)
    }
}
