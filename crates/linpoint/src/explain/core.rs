//! A core: a few operations whose results and real-time order already contradict each other.
//!
//! Only events up to the failing return are considered. Everything that returned before it can be
//! explained, so the failing operation is always part of the core.
//!
//! Operations outside the core are *relaxed*, not deleted: they may have happened at any time, with
//! any result, or not at all. Deleting an enqueue would invent a bug; relaxing it cannot. A set is
//! a core if the history stays bad with everything else relaxed. The search grows a candidate from
//! the failing operation, the operations that share traces with it and those just before it, and
//! then shrinks it: first by halves, then one by one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::UNANSWERED;
use super::probe::Probe;
use crate::history::OpId;
use crate::minimise::{Reply, minimise};
use crate::sorting::sort_by_key;
use crate::spec::Traces;
use crate::subject::Case;
use crate::verdict::CoreStatus;

/// The operations of an argument are reduced for at most this share of the time that is left.
const ARGUING: u32 = 4;
/// What is left of them is reduced by engines for at most this share. A person needs no less than the argument.
const AFTER_ARGUMENT: u32 = 6;

pub(super) struct Core {
    /// In call order.
    pub(super) ops: Vec<OpId>,
    pub(super) status: CoreStatus,
}

/// The history with all operations outside `core` relaxed.
pub(super) fn relaxed<'a>(part: &Case<'a>, core: &[OpId]) -> Case<'a> {
    let all: Vec<OpId> = part.ids().collect();
    relaxed_within(part, &all, core)
}

/// The operations `ids`, with all operations outside `core` relaxed.
fn relaxed_within<'a>(part: &Case<'a>, ids: &[OpId], core: &[OpId]) -> Case<'a> {
    let core: FxHashSet<OpId> = core.iter().copied().collect();
    part.derive(ids, |id, row| {
        if !core.contains(&id) {
            row.relax();
        }
    })
}

/// Which relaxed operations can matter. In a long history nearly all of them cannot, and are
/// skipped. The rule is the one that [`crate::search`] uses for pending operations.
struct Relevance {
    /// Operations that leave a trace, by the name of the trace.
    by_name: FxHashMap<u64, Vec<OpId>>,
    /// Operations that may leave any trace.
    any: Vec<OpId>,
}

impl Relevance {
    fn new(part: &Case<'_>) -> Self {
        let mut relevance = Relevance { by_name: FxHashMap::default(), any: Vec::new() };
        for id in part.ids().filter(|id| !part.is_read(*id)) {
            let traces = part.leaves(id);
            if traces.is_any() {
                relevance.any.push(id);
            } else {
                for name in traces.names() {
                    relevance.by_name.entry(*name).or_default().push(id);
                }
            }
        }
        relevance
    }

    /// The core itself, and every other operation that could matter to it, directly or through
    /// others.
    fn to(&self, part: &Case<'_>, core: &[OpId]) -> Vec<OpId> {
        let mut found: FxHashSet<OpId> = core.iter().copied().collect();
        let mut asked: FxHashSet<u64> = FxHashSet::default();
        let mut todo: Vec<Traces> = core.iter().map(|id| part.senses(*id)).collect();
        while let Some(sensed) = todo.pop() {
            if sensed.is_any() {
                return part.ids().collect();
            }
            let named = sensed.names().iter().filter(|name| asked.insert(**name));
            let leavers = named.flat_map(|name| self.by_name.get(name)).flatten();
            let any = self.any.iter().filter(|_| !sensed.names().is_empty());
            for id in leavers.chain(any) {
                if found.insert(*id) {
                    todo.push(part.subject.senses_to_act(part.op(*id)));
                }
            }
        }
        let mut found: Vec<OpId> = found.into_iter().collect();
        sort_by_key(&mut found, |id| id.0);
        found
    }
}

/// Operations named by a monitor, by the specification, or by an argument.
pub(super) struct Proof<'p> {
    pub(super) ops: Vec<OpId>,
    /// True if they contradict each other in this history. It may have been cut off before that.
    pub(super) is_whole: bool,
    /// The argument, if there is one: whether these operations are still enough for it. It is asked before an engine,
    /// because it needs no search.
    pub(super) argument: Option<Holds<'p>>,
}

/// Whether some operations are enough for an argument.
type Holds<'p> = &'p dyn Fn(&[OpId]) -> bool;

pub(super) fn find<'a>(
    probe: &Probe<'a>,
    part: &Case<'a>,
    failing: Option<OpId>,
    proof: Option<&Proof<'_>>,
) -> Core {
    if let Some(limit) = probe.is_late() {
        return Core { ops: part.ids().collect(), status: CoreStatus::NotMinimised(limit) };
    }
    let relevance = Relevance::new(part);
    let mut shrinking = Shrinking { probe, part, relevance, limit: None };
    let mut argued = None;
    if let Some(proof) = proof {
        argued = proof.argument.and_then(|holds| shrinking.shrink_argument(&proof.ops, holds));
    }
    let proved = |shrinking: &mut Shrinking<'_, '_>, proof: &&Proof<'_>| {
        shrinking.ask(&proof.ops).unwrap_or(proof.is_whole)
    };
    let is_argued = argued.is_some();
    let proved =
        argued.or_else(|| proof.filter(|p| proved(&mut shrinking, p)).map(|p| p.ops.clone()));
    let mut ops = match proved {
        Some(ops) => ops,
        None => match failing.and_then(|failing| shrinking.grow(failing)) {
            Some(grown) => grown,
            None => part.ids().collect(),
        },
    };
    shrinking.limit = None;
    let quick = probe.with_a_share(AFTER_ARGUMENT);
    if is_argued {
        shrinking.probe = &quick;
    }
    ops = shrinking.shrink(ops);
    sort_by_call(&mut ops, part);
    let status = match shrinking.limit {
        None => CoreStatus::Minimal,
        Some(limit) => CoreStatus::NotMinimised(limit),
    };
    Core { ops, status }
}

fn sort_by_call(ops: &mut [OpId], part: &Case<'_>) {
    sort_by_key(ops, |id| part.span(*id).call);
}

struct Shrinking<'p, 'a> {
    probe: &'p Probe<'a>,
    part: &'p Case<'a>,
    relevance: Relevance,
    /// The limit that left a query unanswered, if any.
    limit: Option<crate::budget::Limit>,
}

impl Shrinking<'_, '_> {
    fn is_core(&mut self, ops: &[OpId]) -> bool {
        self.ask(ops) == Some(true)
    }

    /// Whether these operations are a core; `None` if a limit was hit first.
    fn ask(&mut self, ops: &[OpId]) -> Option<bool> {
        if let Some(limit) = self.probe.is_late() {
            self.limit = Some(limit);
            return None;
        }
        let relevant = self.relevance.to(self.part, ops);
        let bad = self.probe.is_bad(&relaxed_within(self.part, &relevant, ops));
        if bad.is_none() {
            self.limit.get_or_insert(UNANSWERED);
        }
        bad
    }

    /// A core that is hopefully small already. Tries the failing operation alone, then with those
    /// that share a trace with it, then with more and more of those called before it returned.
    fn grow(&mut self, failing: OpId) -> Option<Vec<OpId>> {
        let related = self.related(failing);
        let until = self.part.span(failing).ret;
        let mut before: Vec<OpId> =
            self.part.ids().filter(|id| self.part.span(*id).call < until).collect();
        sort_by_call(&mut before, self.part);
        before.reverse();
        let mut window = 0;
        loop {
            let mut ops: Vec<OpId> = before.iter().take(window).copied().collect();
            ops.push(failing);
            if window > 0 {
                ops.extend(&related);
            }
            sort_by_key(&mut ops, |id| id.0);
            ops.dedup();
            if self.is_core(&ops) {
                return Some(ops);
            }
            if window >= before.len() || self.probe.is_late().is_some() {
                return None;
            }
            window = (window * 2).max(1);
        }
    }

    /// Operations that leave what `failing` senses, or sense the same.
    fn related(&self, failing: OpId) -> Vec<OpId> {
        let part = self.part;
        let sensed = part.senses(failing);
        let names = sensed.names();
        let meets = |names_of: &[u64]| names_of.iter().any(|n| names.contains(n));
        part.ids()
            .filter(|id| meets(part.leaves(*id).names()) || meets(part.senses(*id).names()))
            .collect()
    }

    /// As few operations as the argument needs. `ops` are probably enough, otherwise all are.
    fn shrink_argument(&self, ops: &[OpId], holds: Holds<'_>) -> Option<Vec<OpId>> {
        let quick = self.probe.with_a_share(ARGUING);
        let mut ops = ops.to_vec();
        if !holds(&ops) {
            ops = self.part.ids().collect();
            holds(&ops).then_some(())?;
        }
        sort_by_call(&mut ops, self.part);
        let ask = |ops: &[OpId]| match quick.is_late() {
            None => holds(ops).into(),
            Some(_) => Reply::Stop,
        };
        Some(minimise(ops, 1, ask).items)
    }

    /// Relaxes as many operations as possible, the earliest called first.
    fn shrink(&mut self, mut ops: Vec<OpId>) -> Vec<OpId> {
        sort_by_call(&mut ops, self.part);
        minimise(ops, 1, |ops| match self.ask(ops) {
            Some(is_bad) => is_bad.into(),
            None if self.probe.is_late().is_some() => Reply::Stop,
            None => Reply::Unknown,
        })
        .items
    }
}
