//! Turns the core of a violation into a small history of its own.
//!
//! A core contradicts itself even if every other operation is relaxed: took place at any time, with
//! any result, or not at all. A relaxed operation is one that was called before everything else and
//! never returned. So the core, together with all others relaxed, is a history that is not
//! linearizable. Leaving a relaxed operation out keeps it so, but can change the reason: without
//! the enqueue, any dequeue of its value is wrong. So one is left out only if every operation of
//! the core is still needed: with any one of them relaxed, the rest is linearizable. A small
//! history cannot show more than that. When the core was found, it was already checked that the
//! operations outside it explain nothing.

use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::{Budget, Memory};
use crate::check::{CheckError, Settings};
use crate::history::{OpId, Span, Timeline};
use crate::minimise::{Reply, minimise};
use crate::monitor::{self, Answer, Effort, Outcome};
use crate::search::Idle;
use crate::sorting::sort_by_key;
use crate::spec::Traces;
use crate::subject::{Case, RetId, Subject};
use crate::verdict::{CoreStatus, Verdict, Violation};

/// Memory for one query, if nothing else is said.
const MEMORY: usize = 1 << 30;

/// The largest query, in operations.
const MAX_QUERY: usize = 20_000;

/// How an operation of a [`Shrunk`] history differs from the recorded one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It does not differ.
    Stays,
    /// It was still open when the history stopped being linearizable, so it does not return.
    Open,
    /// It is called before everything else and does not return.
    Relaxed,
}

/// A smaller history that is still not linearizable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shrunk {
    /// The operations kept, in call order. Relaxed ones come first.
    pub kept: Vec<(OpId, Fate)>,
    /// True if every operation of the core is needed, and no relaxed operation could be left out.
    pub is_minimal: bool,
}

/// The limits of shrinking. A history that has not been shrunk to the end is still not linearizable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Until {
    /// When it ends.
    pub deadline: Instant,
    /// Bytes for one query, see [`Limits::memory`](crate::Limits); 1 GiB if not given.
    pub memory: Option<usize>,
}

/// Shrinks a history to the core of a violation, within limits.
///
/// # Errors
///
/// The same as for a check.
pub fn shrink(
    subject: &dyn Subject,
    timeline: &Timeline,
    violation: &Violation,
    until: Until,
) -> Result<Shrunk, CheckError> {
    let Until { deadline, memory } = until;
    let memory = memory.unwrap_or(MEMORY);
    let case = &Case::new(subject, timeline);
    let until = violation.failing.map_or(Span::NEVER - 1, |failing| case.span(failing).ret);
    let in_core: FxHashSet<OpId> = violation.core.iter().copied().collect();
    let matters =
        |id: &OpId| !in_core.contains(id) && case.span(*id).call < until && !case.is_read(*id);
    let others: Vec<OpId> = violation.part.iter().copied().filter(matters).collect();
    let mut work =
        Shrinking { case, until, deadline, memory, core: violation.core.clone(), others };
    let mut is_minimal = true;
    if violation.core_status != CoreStatus::Minimal {
        if !work.start_from_proof(&violation.part)?
            && let Some(failing) = violation.failing
        {
            work.start_small(failing)?;
        }
        is_minimal &= work.relax_more()?;
    }
    let kept = work.needed()?;
    is_minimal &= Instant::now() < deadline && work.core.len() <= MAX_QUERY;
    Ok(Shrunk { kept: work.fates(&kept), is_minimal })
}

struct Shrinking<'a> {
    case: &'a Case<'a>,
    /// The rank at which the history stopped being linearizable.
    until: u32,
    deadline: Instant,
    /// For one query.
    memory: usize,
    core: Vec<OpId>,
    /// Relaxed operations that could matter.
    others: Vec<OpId>,
}

impl<'a> Shrinking<'a> {
    fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// The history of the core and the relaxed operations.
    fn build(&self, core: &[OpId], relaxed: &[OpId]) -> Case<'a> {
        let relaxed_set: FxHashSet<OpId> = relaxed.iter().copied().collect();
        let ids: Vec<OpId> = relaxed.iter().chain(core).copied().collect();
        self.case.derive(&ids, |id, row| {
            row.extras.hint = None;
            if relaxed_set.contains(&id) {
                row.relax();
            } else if row.span.ret > self.until {
                (row.span.ret, row.ret) = (Span::NEVER, RetId::UNKNOWN);
            }
        })
    }

    /// Whether it is linearizable; `None` if there was not enough time.
    fn is_linearizable(&self, core: &[OpId], relaxed: &[OpId]) -> Result<Option<bool>, CheckError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left < Duration::from_millis(1) {
            return Ok(None);
        }
        let relaxed = self.pruned(core, relaxed);
        if core.len() + relaxed.len() > MAX_QUERY {
            return Ok(None);
        }
        // One hard query must not use up the time of all the easy ones.
        let settings = Settings::query(left / 8, self.memory);
        Ok(match settings.check(&self.build(core, &relaxed))?.verdict {
            Verdict::Linearizable(_) => Some(true),
            Verdict::Violation(_) => Some(false),
            Verdict::Undecided(_) => None,
        })
    }

    /// The relaxed operations that could make a difference to the core. In containers, an element
    /// that nothing names is as good as none
    /// ([`Claims::idle_unless_named`](crate::spec::Claims::idle_unless_named)), and no more
    /// elements can be taken out than were put in: further operations that take any element have
    /// nothing to take.
    fn pruned(&self, core: &[OpId], relaxed: &[OpId]) -> Vec<OpId> {
        let case = self.case;
        let adds = |id: &OpId| case.subject.idle_unless_named(case.op(*id));
        let is_completed = |id: &OpId| case.span(*id).ret <= self.until;
        let completed = core.iter().copied().filter(is_completed).map(|id| case.call(id));
        let pending = core.iter().copied().filter(|id| !is_completed(id));
        let pending = pending.chain(relaxed.iter().copied()).map(|id| case.op(id));
        let idle = Idle::new(case.subject, completed, pending);
        let mut kept = relaxed.to_vec();
        kept.retain(|id| !idle.is_idle(case.op(*id)));
        if core.iter().chain(relaxed).any(adds) {
            let most = core.iter().chain(&kept).filter(|id| adds(id)).count();
            let mut classes = Vec::with_capacity(kept.len());
            let calls: Vec<_> = kept.iter().map(|id| case.call(*id).without_result()).collect();
            case.subject.classes().classify(&calls, &mut classes);
            let mut copies: FxHashMap<_, usize> = FxHashMap::default();
            let mut classes = classes.into_iter();
            kept.retain(|id| {
                let takes = case.leaves(*id) == Traces::Any;
                let copies = copies.entry(classes.next()).or_default();
                *copies += usize::from(takes);
                !takes || *copies <= most
            });
        }
        kept
    }

    /// If a monitor or the specification knows operations that contradict each other, shrinking
    /// starts with those. They contradict each other whenever the others took place.
    fn start_from_proof(&mut self, part: &[OpId]) -> Result<bool, CheckError> {
        if self.is_late() {
            return Ok(false);
        }
        let memory = Memory::new(Some(self.memory));
        let effort = Effort::within(Budget::new(Some(self.deadline), &memory));
        let proof = match monitor::decide_case(self.case, part, effort) {
            Ok(Outcome { answer: Answer::Violation(proof), .. }) => Some(proof),
            _ => self.case.subject.refute(&self.case.rows(part)),
        };
        let Some(proof) = proof.filter(|proof| proof.ops.len() < self.core.len()) else {
            return Ok(false);
        };
        let core = self.by_call(&proof.ops);
        let named: FxHashSet<OpId> = core.iter().copied().collect();
        let rest = part.iter().copied();
        let others: Vec<OpId> =
            rest.filter(|id| !named.contains(id) && !self.case.is_read(*id)).collect();
        let until = std::mem::replace(&mut self.until, Span::NEVER - 1);
        if self.is_linearizable(&core, &others)? == Some(true) {
            self.until = until;
            return Ok(false);
        }
        (self.core, self.others) = (core, others);
        Ok(true)
    }

    /// If the failing operation and those just before it or related to it are a core, shrinking
    /// starts with those.
    fn start_small(&mut self, failing: OpId) -> Result<(), CheckError> {
        let case = self.case;
        let all = [&self.core[..], &self.others[..]].concat();
        let sensed = case.senses(failing);
        let meets = |traces: Traces| traces.names().iter().any(|n| sensed.names().contains(n));
        let is_related = |id: &OpId| meets(case.leaves(*id)) || meets(case.senses(*id));
        let related: Vec<OpId> = all.iter().copied().filter(is_related).collect();
        let mut latest = self.by_call(&all);
        latest.reverse();
        let mut window = 0;
        while window < self.core.len() && window + related.len() < MAX_QUERY && !self.is_late() {
            let near = latest.iter().take(window).chain(related.iter().filter(|_| window > 0));
            let core: FxHashSet<OpId> = near.copied().chain([failing]).collect();
            let others: Vec<OpId> = all.iter().copied().filter(|id| !core.contains(id)).collect();
            let core = self.by_call(&core.into_iter().collect::<Vec<_>>());
            if self.is_linearizable(&core, &others)? == Some(false) {
                (self.core, self.others) = (core, others);
                return Ok(());
            }
            window = (window * 2).max(1);
        }
        Ok(())
    }

    /// Relaxes operations of the core while the rest is not linearizable. Returns true if every
    /// remaining operation is needed.
    fn relax_more(&mut self) -> Result<bool, CheckError> {
        let all = [&self.others[..], &self.core[..]].concat();
        let without = |core: &[OpId]| -> Vec<OpId> {
            let core: FxHashSet<OpId> = core.iter().copied().collect();
            all.iter().copied().filter(|id| !core.contains(id)).collect()
        };
        let mut failed = None;
        let found = minimise(self.core.clone(), 1, |core| {
            match self.is_linearizable(core, &without(core)) {
                Ok(Some(is_linearizable)) => (!is_linearizable).into(),
                Ok(None) if self.is_late() => Reply::Stop,
                Ok(None) => Reply::Unknown,
                Err(error) => {
                    failed = Some(error);
                    Reply::Stop
                }
            }
        });
        (self.others, self.core) = (without(&found.items), found.items);
        failed.map_or(Ok(found.is_minimal), Err)
    }

    /// True if every operation of the core is needed when only `relaxed` are kept of the others.
    fn every_op_is_needed(&self, relaxed: &[OpId]) -> Result<bool, CheckError> {
        for (at, &op) in self.core.iter().enumerate() {
            if self.is_late() {
                return Ok(false);
            }
            let core = [&self.core[..at], &self.core[at + 1..]].concat();
            let relaxed = [relaxed, &[op]].concat();
            if self.is_linearizable(&core, &relaxed)? != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The relaxed operations that cannot be left out.
    fn needed(&self) -> Result<Vec<OpId>, CheckError> {
        if self.every_op_is_needed(&[])? {
            return Ok(Vec::new());
        }
        let case = self.case;
        let mut names: FxHashSet<u64> = FxHashSet::default();
        for id in &self.core {
            names.extend(case.senses(*id).names());
        }
        let is_named = |id: &OpId| case.leaves(*id).names().iter().any(|name| names.contains(name));
        let named: Vec<OpId> = self.others.iter().copied().filter(is_named).collect();
        let kept = match self.every_op_is_needed(&named)? {
            true => named,
            false => self.pruned(&self.core, &self.others),
        };
        let mut failed = None;
        let found = minimise(kept, 0, |kept| match self.every_op_is_needed(kept) {
            _ if self.is_late() => Reply::Stop,
            Ok(are_needed) => are_needed.into(),
            Err(error) => {
                failed = Some(error);
                Reply::Stop
            }
        });
        failed.map_or(Ok(found.items), Err)
    }

    fn by_call(&self, ids: &[OpId]) -> Vec<OpId> {
        let mut ids = ids.to_vec();
        sort_by_key(&mut ids, |id| self.case.span(*id).call);
        ids
    }

    fn fates(&self, relaxed: &[OpId]) -> Vec<(OpId, Fate)> {
        let of_core = |id: OpId| match self.case.span(id).ret > self.until {
            true => (id, Fate::Open),
            false => (id, Fate::Stays),
        };
        let relaxed = self.by_call(relaxed).into_iter().map(|id| (id, Fate::Relaxed));
        relaxed.chain(self.by_call(&self.core).into_iter().map(of_core)).collect()
    }
}
