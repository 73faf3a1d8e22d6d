//! The core of a violation as a history of its own.
//!
//! A core contradicts itself even if every other operation is relaxed: took place at any time, with any
//! result, or not at all. A relaxed operation is one that was called before everything else and never
//! returned, so the core and all the others relaxed are a history that is not linearizable. Leaving a
//! relaxed operation out keeps it so, but can change the reason: without the enqueue, any dequeue of its
//! value is wrong. So one is left out only if every operation of the core is still needed: with any one of
//! them relaxed, the rest is linearizable. That is as much as a small history can show; that the operations
//! which are not in it would have explained nothing, is what the core has been checked for before.

use std::time::{Duration, Instant};

use linpoint::history::Span;
use linpoint::monitor::{self, Answer, Outcome};
use linpoint::spec::{PartView, Traces};
use linpoint::verdict::{CoreStatus, Violation};
use linpoint::{CheckError, Checker, Hints, History, OpId, Spec, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};

/// Memory for one question.
const MEMORY: usize = 1 << 30;

/// Operations of the largest question that is asked.
const QUESTION: usize = 20_000;

/// What becomes of an operation that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It stays as it is.
    Stays,
    /// It was still open when the history became wrong: it does not return.
    Open,
    /// It is called before everything else and does not return.
    Relaxed,
}

/// A smaller history that is not linearizable either.
pub(crate) struct Shrunk {
    /// What is kept, in the order of calls; what is relaxed comes first.
    pub(crate) kept: Vec<(OpId, Fate)>,
    /// Every operation of the core is needed, and nothing that is relaxed could be left out.
    pub(crate) is_minimal: bool,
}

/// Shrinks a history to the core of a violation, as long as there is time.
pub(super) fn shrink<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    violation: &Violation,
    deadline: Instant,
) -> Result<Shrunk, CheckError> {
    let until = violation.failing.map_or(Span::NEVER - 1, |failing| history.span(failing).ret);
    let in_core: FxHashSet<OpId> = violation.core.iter().copied().collect();
    let matters = |id: &OpId| {
        !in_core.contains(id)
            && history.span(*id).call < until
            && !spec.is_read(history.op(*id), None)
    };
    let others: Vec<OpId> = violation.part.iter().copied().filter(matters).collect();
    let mut work =
        Shrinking { spec, history, until, deadline, core: violation.core.clone(), others };
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
    is_minimal &= Instant::now() < deadline && work.core.len() <= QUESTION;
    Ok(Shrunk { kept: work.fates(&kept), is_minimal })
}

struct Shrinking<'a, S: Spec> {
    spec: &'a S,
    history: &'a History<S::Op, S::Ret>,
    /// The rank at which the history became wrong.
    until: u32,
    deadline: Instant,
    core: Vec<OpId>,
    /// What is relaxed and could matter.
    others: Vec<OpId>,
}

impl<S: Spec> Shrinking<'_, S> {
    /// The core and what is relaxed, as a history.
    fn build(&self, core: &[OpId], relaxed: &[OpId]) -> History<S::Op, S::Ret> {
        let relaxed_set: FxHashSet<OpId> = relaxed.iter().copied().collect();
        let ids: Vec<OpId> = relaxed.iter().chain(core).copied().collect();
        self.history.derive(&ids, |id, row| {
            row.extras.hint = None;
            if relaxed_set.contains(&id) {
                row.relax();
            } else if row.span.ret > self.until {
                (row.span.ret, row.ret) = (Span::NEVER, None);
            }
        })
    }

    /// Whether it is linearizable; `None` if there was no time to find out.
    fn is_linearizable(&self, core: &[OpId], relaxed: &[OpId]) -> Result<Option<bool>, CheckError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left < Duration::from_millis(1) {
            return Ok(None);
        }
        // One hard question must not use up the time of all the easy ones.
        let left = left / 8;
        let relaxed = self.pruned(core, relaxed);
        if core.len() + relaxed.len() > QUESTION {
            return Ok(None);
        }
        let history = self.build(core, &relaxed);
        let checker = Checker::new(self.spec).hints(Hints::Ignore).explains(false);
        let checker = checker.threads(1).timeout(left).memory(MEMORY);
        Ok(match checker.check(&history)?.verdict {
            Verdict::Linearizable(_) => Some(true),
            Verdict::Violation(_) => Some(false),
            Verdict::Undecided(_) => None,
        })
    }

    /// Those of the relaxed operations that could make a difference to the core. In containers, an element
    /// that nobody names is as good as none ([`Spec::idle_unless_named`]), and no more can be taken out than
    /// was put in: more operations that take anything have nothing to take.
    fn pruned(&self, core: &[OpId], relaxed: &[OpId]) -> Vec<OpId> {
        let (spec, history) = (self.spec, self.history);
        let adds = |id: &OpId| spec.idle_unless_named(history.op(*id));
        let mut names: FxHashSet<u64> = FxHashSet::default();
        let mut is_known = true;
        for id in core.iter().filter(|id| history.span(**id).ret <= self.until) {
            is_known &= history.ret(*id).is_some();
            names.extend(spec.senses(history.op(*id), history.ret(*id)).names());
        }
        let is_named = |id: &OpId| {
            spec.leaves(history.op(*id)).names().iter().any(|name| names.contains(name))
        };
        let mut kept = relaxed.to_vec();
        kept.retain(|id| !is_known || !adds(id) || is_named(id));
        if core.iter().chain(relaxed).any(adds) {
            let most = core.iter().chain(&kept).filter(|id| adds(id)).count();
            let mut copies: FxHashMap<&S::Op, usize> = FxHashMap::default();
            kept.retain(|id| {
                let takes = spec.leaves(history.op(*id)) == Traces::Any;
                let copies = copies.entry(history.op(*id)).or_default();
                *copies += usize::from(takes);
                !takes || *copies <= most
            });
        }
        kept
    }

    /// If a monitor or the specification itself knows operations that contradict each other, that is
    /// where shrinking begins. What they name is a contradiction whenever the others took place.
    fn start_from_proof(&mut self, part: &[OpId]) -> Result<bool, CheckError> {
        let proof = match monitor::decide(self.spec, self.history, part) {
            Ok(Outcome { answer: Answer::Violation(proof), .. }) => Some(proof),
            _ => self.spec.refute(&PartView::new(self.history, part)),
        };
        let Some(proof) = proof.filter(|proof| proof.ops.len() < self.core.len()) else {
            return Ok(false);
        };
        let mut core = proof.ops;
        core.sort_unstable_by_key(|id| self.history.span(*id).call);
        let named: FxHashSet<OpId> = core.iter().copied().collect();
        let is_read = |id: &OpId| self.spec.is_read(self.history.op(*id), None);
        let rest = part.iter().copied().filter(|id| !named.contains(id) && !is_read(id));
        let others: Vec<OpId> = rest.collect();
        let until = std::mem::replace(&mut self.until, Span::NEVER - 1);
        if self.is_linearizable(&core, &others)? == Some(true) {
            self.until = until;
            return Ok(false);
        }
        (self.core, self.others) = (core, others);
        Ok(true)
    }

    /// If the failing operation and those just before it or related to it are a core, that is where
    /// shrinking begins.
    fn start_small(&mut self, failing: OpId) -> Result<(), CheckError> {
        let (spec, history) = (self.spec, self.history);
        let all = [&self.core[..], &self.others[..]].concat();
        let sensed = spec.senses(history.op(failing), history.ret(failing));
        let meets = |traces: Traces| traces.names().iter().any(|n| sensed.names().contains(n));
        let is_related = |id: &OpId| {
            let op = history.op(*id);
            meets(spec.leaves(op)) || meets(spec.senses(op, history.ret(*id)))
        };
        let related: Vec<OpId> = all.iter().copied().filter(is_related).collect();
        let mut latest = all.clone();
        latest.sort_unstable_by_key(|id| std::cmp::Reverse(history.span(*id).call));
        let mut window = 0;
        while window < self.core.len() && window + related.len() < QUESTION {
            let near = latest.iter().take(window).chain(related.iter().filter(|_| window > 0));
            let core: FxHashSet<OpId> = near.copied().chain([failing]).collect();
            let others: Vec<OpId> = all.iter().copied().filter(|id| !core.contains(id)).collect();
            let mut core: Vec<OpId> = core.into_iter().collect();
            core.sort_unstable_by_key(|id| history.span(*id).call);
            if self.is_linearizable(&core, &others)? == Some(false) {
                (self.core, self.others) = (core, others);
                return Ok(());
            }
            window = (window * 2).max(1);
        }
        Ok(())
    }

    /// Relaxes operations of the core while the rest is not linearizable: in chunks of halving size.
    /// True if every question was answered.
    fn relax_more(&mut self) -> Result<bool, CheckError> {
        let mut is_complete = true;
        let mut chunk = self.core.len().div_ceil(2);
        while chunk > 0 {
            let mut from = 0;
            while from < self.core.len() && self.core.len() > 1 {
                let to = (from + chunk).min(self.core.len());
                let without = [&self.core[..from], &self.core[to..]].concat();
                let relaxed = [&self.others[..], &self.core[from..to]].concat();
                match self.is_linearizable(&without, &relaxed)? {
                    Some(false) => (self.core, self.others) = (without, relaxed),
                    Some(true) => from = to,
                    None if Instant::now() >= self.deadline => return Ok(false),
                    None => (from, is_complete) = (to, false),
                }
            }
            // Only the last round, one by one, has to be complete.
            is_complete |= chunk > 1;
            chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
        }
        Ok(is_complete)
    }

    /// True if every operation of the core is needed where only `relaxed` are left of the others.
    fn is_honest(&self, relaxed: &[OpId]) -> Result<bool, CheckError> {
        for (at, &op) in self.core.iter().enumerate() {
            let core = [&self.core[..at], &self.core[at + 1..]].concat();
            let relaxed = [relaxed, &[op]].concat();
            if self.is_linearizable(&core, &relaxed)? != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Those of the others that cannot be left out.
    fn needed(&self) -> Result<Vec<OpId>, CheckError> {
        if self.is_honest(&[])? {
            return Ok(Vec::new());
        }
        let mut names: FxHashSet<u64> = FxHashSet::default();
        for id in &self.core {
            let senses = self.spec.senses(self.history.op(*id), self.history.ret(*id));
            names.extend(senses.names());
        }
        let is_named = |id: &OpId| {
            self.spec.leaves(self.history.op(*id)).names().iter().any(|name| names.contains(name))
        };
        let named: Vec<OpId> = self.others.iter().copied().filter(is_named).collect();
        let all = self.pruned(&self.core, &self.others);
        let mut kept = if self.is_honest(&named)? { named } else { all };
        let mut chunk = kept.len().div_ceil(2);
        while chunk > 0 && Instant::now() < self.deadline {
            let mut from = 0;
            while from < kept.len() && Instant::now() < self.deadline {
                let to = (from + chunk).min(kept.len());
                let without = [&kept[..from], &kept[to..]].concat();
                if self.is_honest(&without)? {
                    kept = without;
                } else {
                    from = to;
                }
            }
            chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
        }
        Ok(kept)
    }

    /// What becomes of what is kept.
    fn fates(&self, relaxed: &[OpId]) -> Vec<(OpId, Fate)> {
        let by_call = |ids: &[OpId]| {
            let mut ids = ids.to_vec();
            ids.sort_unstable_by_key(|id| self.history.span(*id).call);
            ids
        };
        let of_core = |id: OpId| match self.history.span(id).ret > self.until {
            true => (id, Fate::Open),
            false => (id, Fate::Stays),
        };
        let relaxed = by_call(relaxed).into_iter().map(|id| (id, Fate::Relaxed));
        relaxed.chain(by_call(&self.core).into_iter().map(of_core)).collect()
    }
}
