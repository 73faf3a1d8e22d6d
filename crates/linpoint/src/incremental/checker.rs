//! Checks streams of operations that are identified by numbers.

use rustc_hash::FxHashMap;

use super::configurations::{NoOutcomes, PartStep};
use super::part::PartChecker;
use super::stream_limits::StreamLimits;
use super::{Open, Step, StreamError, StreamViolation};
use crate::allowance::Allowance;
use crate::history::OpId;
use crate::spec::Footprint;
use crate::subject::{Marks, RetId, StreamSubject, guard};

const DEFAULT_CONFIGURATIONS: usize = 1_000_000;

/// Work for each end of an operation, in units of a few nanoseconds; and one unit for each slot, since
/// monitors look at open operations.
const WORK_PER_EVENT: usize = 64;

/// Checks a stream whose operations and results are identified by the numbers of a
/// [`StreamSubject`]. [`Incremental`](super::Incremental) is the typed version. All methods must be
/// called with the same subject.
///
/// Operations and results passed in stay in use as long as the checker needs them. Those that it
/// returns are valid until the next event, since an event may [sweep](StreamSubject::sweep) the
/// subject.
///
/// ```
/// use linpoint::incremental::{Step, StreamChecker};
/// use linpoint::spec::models::{Register, RegisterOp, RegisterRet};
/// use linpoint::subject::{Call, StreamSubject, TypedStream};
///
/// let spec = Register { initial: 0 };
/// let mut stream = TypedStream::new(&spec);
/// let (op, ret) = (stream.push_op(RegisterOp::Read), stream.push_ret(RegisterRet::Value(7)));
///
/// // From here on, types do not matter.
/// let stream: &mut dyn StreamSubject = &mut stream;
/// let mut checker = StreamChecker::new();
/// let read = checker.call(stream, op)?;
/// let Step::Violation(v) = checker.ret(stream, read, ret)? else { panic!("not written") };
/// let allowed = v.allowed.iter().map(|ret| stream.describe_ret(Call { op, ret: *ret }));
/// assert_eq!(allowed.collect::<Vec<_>>(), ["0"]);
/// assert_eq!(v.returned, Some(ret));
/// # Ok::<(), linpoint::incremental::StreamError>(())
/// ```
pub struct StreamChecker {
    by_key: bool,
    part_of_key: FxHashMap<u64, u32>,
    parts: Vec<PartChecker>,
    calls: u64,
    limits: StreamLimits,
    monitors: bool,
    /// Empty between sweeps.
    marks: Marks,
}

/// How an operation ended.
#[derive(Clone, Copy)]
enum Ending {
    Returned(RetId),
    Failed,
}

impl Default for StreamChecker {
    fn default() -> Self {
        StreamChecker::new()
    }
}

impl StreamChecker {
    /// See [`Incremental::new`](super::Incremental::new).
    pub fn new() -> Self {
        StreamChecker {
            by_key: true,
            part_of_key: FxHashMap::default(),
            parts: Vec::new(),
            calls: 0,
            limits: StreamLimits {
                configurations: DEFAULT_CONFIGURATIONS,
                allowance: Allowance::unlimited(),
            },
            monitors: true,
            marks: Marks::default(),
        }
    }

    /// See [`Incremental::whole`](super::Incremental::whole).
    pub fn whole() -> Self {
        StreamChecker { by_key: false, ..StreamChecker::new() }
    }

    /// See [`Incremental::max_configurations`](super::Incremental::max_configurations).
    pub fn max_configurations(mut self, most: usize) -> Self {
        self.limits.configurations = most;
        self
    }

    /// See [`Incremental::allowance`](super::Incremental::allowance). Checkers of several objects can
    /// share one.
    pub fn allowance(mut self, allowance: Allowance) -> Self {
        self.limits.allowance = allowance;
        self
    }

    /// See [`Incremental::configurations_only`](super::Incremental::configurations_only).
    pub fn configurations_only(mut self) -> Self {
        self.monitors = false;
        self
    }

    /// See [`Incremental::configurations`](super::Incremental::configurations).
    pub fn configurations(&self) -> usize {
        self.parts.iter().map(PartChecker::configurations).sum()
    }

    /// See [`Incremental::parts`](super::Incremental::parts).
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// See [`Incremental::monitored`](super::Incremental::monitored).
    pub fn monitored(&self) -> usize {
        self.parts.iter().filter(|part| part.is_monitored()).count()
    }

    /// See [`Incremental::stored`](super::Incremental::stored).
    pub fn stored(&self) -> usize {
        self.parts.iter().map(PartChecker::stored).sum()
    }

    fn part(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Result<u32, StreamError> {
        let footprint = if self.by_key { subject.footprint(op) } else { Footprint::Whole };
        let key = match &footprint {
            Footprint::Keys(keys) => match keys.as_slice() {
                [key] => Some(*key),
                _ => return Err(StreamError::SeveralParts(subject.describe_op(op))),
            },
            Footprint::Whole => None,
        };
        // Either every operation touches the whole object, or none does.
        let key = match key {
            Some(key) => key,
            None if self.by_key && !self.part_of_key.is_empty() => {
                return Err(StreamError::SeveralParts(subject.describe_op(op)));
            }
            None => {
                self.by_key = false;
                0
            }
        };
        let next = self.parts.len() as u32;
        let part = *self.part_of_key.entry(key).or_insert(next);
        if part == next {
            let one_key = self.by_key || subject.key(op).is_none();
            let part = PartChecker::new(subject, one_key && self.monitors, &self.limits);
            self.parts.push(part);
        }
        if !self.by_key && self.parts.len() > 1 {
            return Err(StreamError::SeveralParts(subject.describe_op(op)));
        }
        // The first operation may have had no key: a `len`, before an `insert`.
        if !self.by_key && subject.key(op).is_some() {
            self.parts[part as usize].has_keys();
        }
        Ok(part)
    }

    /// Records a call.
    ///
    /// # Errors
    ///
    /// [`StreamError::SeveralParts`].
    pub fn call(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Result<Open, StreamError> {
        self.tidy(subject, |marks| marks.op(op));
        let part = self.part(subject, op)?;
        let number = self.calls;
        self.calls += 1;
        let slot = self.parts[part as usize].call(subject, op, number, &self.limits);
        Ok(Open { part, slot, number })
    }

    fn open_op(&self, open: Open) -> Option<OpId> {
        self.parts.get(open.part as usize)?.open_op(open.slot, open.number)
    }

    /// Records that the operation returned `ret`, which may be [`RetId::UNKNOWN`], and reports
    /// whether a linearization still exists.
    ///
    /// # Errors
    ///
    /// All but [`StreamError::SeveralParts`].
    pub fn ret(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: Open,
        ret: RetId,
    ) -> Result<Step<RetId>, StreamError> {
        self.end(subject, open, Ending::Returned(ret))
    }

    /// Records that the operation did not take effect. If others have seen its effect, this is a
    /// violation.
    ///
    /// # Errors
    ///
    /// Like [`StreamChecker::ret`].
    pub fn fail(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: Open,
    ) -> Result<Step<RetId>, StreamError> {
        self.end(subject, open, Ending::Failed)
    }

    /// Records that the operation will never return.
    ///
    /// # Errors
    ///
    /// [`StreamError::NotOpen`].
    pub fn crash(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: Open,
    ) -> Result<(), StreamError> {
        self.open_op(open).ok_or(StreamError::NotOpen)?;
        self.parts[open.part as usize].crash(subject, open.slot, &self.limits);
        Ok(())
    }

    fn end(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: Open,
        ending: Ending,
    ) -> Result<Step<RetId>, StreamError> {
        let op = self.open_op(open).ok_or(StreamError::NotOpen)?;
        let work = WORK_PER_EVENT + self.parts[open.part as usize].open_slots();
        if let Err(limit) = self.limits.allowance.work(work) {
            return Ok(Step::Undecided(limit));
        }
        let returned = match ending {
            Ending::Returned(ret) if ret != RetId::UNKNOWN => Some(ret),
            _ => None,
        };
        let step = guard(|| {
            self.tidy(subject, |marks| returned.into_iter().for_each(|ret| marks.ret(ret)));
            let (part, limits) = (&mut self.parts[open.part as usize], &self.limits);
            match ending {
                Ending::Returned(ret) => part.ret(subject, open.slot, ret, limits),
                Ending::Failed => Ok(part.fail(subject, open.slot, limits)),
            }
        });
        match step {
            Ok(Ok(PartStep::Fine)) => Ok(Step::Fine),
            Ok(Ok(PartStep::Undecided)) => Ok(Step::Undecided(self.limits.reason())),
            Ok(Ok(PartStep::Violation { allowed, states })) => {
                Ok(Step::Violation(StreamViolation {
                    operation: open.number,
                    description: subject.describe_op(op),
                    returned,
                    allowed: allowed.rets,
                    allowed_is_complete: allowed.is_complete,
                    states: states.iter().map(|state| subject.describe_state(*state)).collect(),
                }))
            }
            Ok(Err(NoOutcomes(op))) => Err(StreamError::NoOutcomes(subject.describe_op(op))),
            Err(message) => {
                let description = guard(|| subject.describe_op(op));
                let description = description.unwrap_or_else(|_| "an operation".to_owned());
                Err(StreamError::SpecPanicked { description, message })
            }
        }
    }

    /// Sweeps the subject if it is time to. `more` marks what is in use besides the contents of the
    /// parts.
    #[inline]
    fn tidy(&mut self, subject: &mut dyn StreamSubject, more: impl FnOnce(&mut Marks)) {
        if subject.is_crowded() {
            more(&mut self.marks);
            self.sweep(subject);
        }
    }

    #[cold]
    fn sweep(&mut self, subject: &mut dyn StreamSubject) {
        self.parts.iter().for_each(|part| part.mark(&mut self.marks));
        subject.sweep(&self.marks);
        self.marks.clear();
    }
}
