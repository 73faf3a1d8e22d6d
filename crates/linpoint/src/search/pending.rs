//! Reduces pending operations: drops and groups them, and determines which operations can notice
//! which.
//!
//! A pending operation may take effect at any time after its call, or never. Each one that a search
//! has to consider multiplies its configurations. So everything that cannot matter is dropped here,
//! identical ones are grouped and counted, and an index records which groups can matter to which
//! operations.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::problem::Compiler;
use super::{ClassId, Switches};
use crate::history::OpId;
use crate::sorting::sort_by_key;
use crate::spec::Traces;
use crate::split::Event;
use crate::subject::{Call, Subject};

/// Pending operations that are treated as identical.
#[derive(Clone, Debug)]
pub(crate) struct PendingClass {
    /// The class of all of them.
    pub(crate) class: ClassId,
    /// The operations, in call order.
    pub(crate) ops: Vec<OpId>,
    /// For each of `ops`, the number of return events before its call.
    pub(crate) called_at: Vec<u32>,
    /// The last return event before which the effect could still be noticed.
    pub(crate) last_use: u32,
    /// Its priority, see [`super::problem::Problem::preference`]. By default it is tried after
    /// everything else.
    pub(crate) preference: u64,
}

impl PendingClass {
    /// The number of operations called before return event `returns`.
    pub(crate) fn called_by(&self, returns: u32) -> u32 {
        match self.called_at.last() {
            Some(last) if *last <= returns => self.called_at.len() as u32,
            _ => self.called_at.partition_point(|at| *at <= returns) as u32,
        }
    }
}

/// The number of a group that was not kept.
const DROPPED: u32 = u32::MAX;

/// A set of pending classes.
#[derive(Clone, Debug)]
pub(crate) enum Matter {
    All,
    Some(SmallVec<[u32; 2]>),
}

/// A pending operation with the number of returns before its call.
pub(super) type Pending = (OpId, u32);

/// Which pending operations have no use. See
/// [`Claims::idle_unless_named`](crate::spec::Claims::idle_unless_named).
pub(crate) struct Idle<'a> {
    subject: &'a dyn Subject,
    /// Traces that are sensed by name; `None` if some operation may need what it does not name.
    named: Option<FxHashSet<u64>>,
}

impl<'a> Idle<'a> {
    /// For a history of these completed and pending operations.
    pub(crate) fn new(
        subject: &'a dyn Subject,
        mut completed: impl Iterator<Item = Call> + Clone,
        pending: impl Iterator<Item = OpId> + Clone,
    ) -> Self {
        let can_be_idle = pending.clone().any(|op| subject.idle_unless_named(op));
        let is_needed = |call| subject.needs_unnamed(call);
        if !can_be_idle || completed.clone().any(is_needed) {
            return Idle { subject, named: None };
        }
        let mut named = FxHashSet::default();
        completed.by_ref().for_each(|call| named.extend(subject.senses(call).names()));
        // An operation that senses what it leaves itself is not worth a special case.
        pending.for_each(|op| named.extend(subject.senses_to_act(op).names()));
        Idle { subject, named: Some(named) }
    }

    /// True if the history has a linearization without `op`, one of the pending operations, if it has one at all.
    pub(crate) fn is_idle(&self, op: OpId) -> bool {
        let Some(named) = &self.named else { return false };
        self.subject.idle_unless_named(op)
            && !self.subject.leaves(op).names().iter().any(|name| named.contains(name))
    }
}

/// What makes pending operations identical.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Alike {
    Class(ClassId),
    Anonymous(u64),
    Alone(OpId),
}

impl Compiler<'_, '_> {
    /// True if operations have different footprints.
    pub(super) fn has_several_footprints(&self, events: &[Event]) -> bool {
        let mut footprints =
            events.iter().map(|e| self.case.subject.footprint(self.case.op(e.op())));
        let first = footprints.next();
        footprints.any(|f| Some(&f) != first.as_ref())
    }

    /// Names that the `classes` sense.
    fn names_sensed(&self, classes: impl Iterator<Item = usize>) -> FxHashSet<u64> {
        classes
            .flat_map(|c| self.case.subject.senses(self.out.classes[c]).names().to_vec())
            .collect()
    }

    /// Drops pending operations that cannot matter for reasons of their own, and groups the rest.
    pub(super) fn group_pending(
        &mut self,
        pending: Vec<Pending>,
        asserted: bool,
        switches: &Switches,
    ) -> Vec<PendingClass> {
        if pending.is_empty() {
            return Vec::new();
        }
        let subject = self.case.subject;
        let calls = &self.out.classes;
        let idle = Idle::new(
            subject,
            calls.iter().copied(),
            pending.iter().map(|(id, _)| self.case.op(*id)),
        );
        let mut kept = Vec::new();
        for (id, at) in pending {
            let op = self.case.op(id);
            // Optional and without effect, or with an effect that nothing can notice.
            let idle = subject.is_read(Call::unknown(op)) || idle.is_idle(op);
            if switches.drop_idle_pending && idle {
                self.out.dropped += 1;
            } else {
                kept.push((id, at));
            }
        }
        let ids: Vec<OpId> = kept.iter().map(|(id, _)| *id).collect();
        let classes = self.classify(&ids);
        let named = self.names_sensed(0..self.out.classes.len());
        let mut groups: Vec<PendingClass> = Vec::new();
        let mut group_of: FxHashMap<Alike, usize> = FxHashMap::default();
        for ((id, at), class) in kept.into_iter().zip(classes) {
            let mut alike = self.alike(id, class, asserted, switches, &named);
            if let (Alike::Anonymous(_), Some(group)) = (alike, group_of.get(&alike))
                && !subject.same_kind(self.case.op(groups[*group].ops[0]), self.case.op(id))
            {
                alike = Alike::Class(class);
            }
            let group = *group_of.entry(alike).or_insert_with(|| {
                let (ops, called_at) = (Vec::new(), Vec::new());
                let (last_use, preference) = (0, u64::MAX);
                groups.push(PendingClass { class, ops, called_at, last_use, preference });
                groups.len() - 1
            });
            groups[group].ops.push(id);
            groups[group].called_at.push(at);
        }
        groups
    }

    fn alike(
        &self,
        id: OpId,
        class: ClassId,
        asserted: bool,
        switches: &Switches,
        named: &FxHashSet<u64>,
    ) -> Alike {
        if !switches.count_pending || (asserted && self.case.extras(id).hint.is_some()) {
            return Alike::Alone(id);
        }
        let (subject, op) = (self.case.subject, self.case.op(id));
        if let (true, Some(kind)) = (switches.drop_idle_pending, subject.anonymous_kind(op))
            && let Traces::Named(names) = subject.leaves(op)
            && !names.iter().any(|n| named.contains(n))
        {
            return Alike::Anonymous(kind);
        }
        Alike::Class(class)
    }

    /// Determines which operations can notice which, and drops the pending classes that nothing can
    /// notice.
    ///
    /// Why dropping is correct: take a linearization with the fewest pending operations, and among
    /// those one in which each comes as late as possible. A pending operation that is last, or that
    /// is followed immediately by an operation of the same part that does not sense it, can be
    /// removed (by the claim [`Claims::leaves`](crate::spec::Claims::leaves)), which contradicts
    /// "fewest". One that is followed by an operation on another key can be moved behind it. So
    /// each is followed immediately by one that senses it, and the chain ends in a completed
    /// operation. Removing only loosens asserted orders; moving may break them, so the caller
    /// switches this off where an asserted order ties keys together.
    pub(super) fn keep_what_matters(&mut self, groups: Vec<PendingClass>, switches: &Switches) {
        if groups.is_empty() {
            return;
        }
        let returns = self.out.returns.len() as u32;
        let leaves: Vec<Traces> = groups.iter().map(|g| self.leaves(g, switches)).collect();
        let notice = Notice::new(&leaves);
        let mut last_of_class = vec![None; self.out.classes.len()];
        for (op, class) in self.out.class.iter().enumerate() {
            let at = self.out.return_of[op];
            let last: &mut Option<u32> = &mut last_of_class[class.index()];
            *last = Some(last.map_or(at, |l| l.max(at)));
        }
        let subject = self.case.subject;
        let senses = |class: usize| {
            let call = self.out.classes[class];
            if switches.drop_idle_pending { subject.senses(call) } else { Traces::Any }
        };
        let to_class: Vec<Matter> = last_of_class
            .iter()
            .enumerate()
            .map(|(c, last)| match last {
                Some(_) => notice.by(&senses(c)),
                None => Matter::Some(SmallVec::new()),
            })
            .collect();
        let senses_to_act = |class: ClassId| {
            let Call { op, .. } = self.out.classes[class.index()];
            if switches.drop_idle_pending { subject.senses_to_act(op) } else { Traces::Any }
        };
        let to_pending: Vec<Matter> =
            groups.iter().map(|g| notice.by(&senses_to_act(g.class))).collect();
        let last_use = last_uses(groups.len(), &last_of_class, &to_class, &to_pending, returns);
        self.renumber(groups, &last_use, to_class, to_pending);
    }

    fn leaves(&self, group: &PendingClass, switches: &Switches) -> Traces {
        let Call { op, .. } = self.out.classes[group.class.index()];
        if switches.drop_idle_pending { self.case.subject.leaves(op) } else { Traces::Any }
    }

    /// Keeps the groups that something can notice.
    fn renumber(
        &mut self,
        groups: Vec<PendingClass>,
        last_use: &[Option<u32>],
        to_class: Vec<Matter>,
        to_pending: Vec<Matter>,
    ) {
        let p = &mut self.out;
        let mut number = vec![DROPPED; groups.len()];
        for (i, mut group) in groups.into_iter().enumerate() {
            match last_use[i] {
                Some(last) => {
                    number[i] = p.pending.len() as u32;
                    group.last_use = last;
                    p.pending.push(group);
                }
                None => p.dropped += group.ops.len(),
            }
        }
        let rename = |matter: Matter| match matter {
            Matter::All => Matter::All,
            Matter::Some(list) => Matter::Some(
                list.into_iter().map(|i| number[i as usize]).filter(|i| *i != DROPPED).collect(),
            ),
        };
        p.matter_to_class = to_class.into_iter().map(rename).collect();
        let kept = to_pending.into_iter().zip(&number).filter(|(_, n)| **n != DROPPED);
        p.matter_to_pending = kept.map(|(m, _)| rename(m)).collect();
    }
}

/// Which operations leave which trace, by name.
struct Notice {
    by_name: FxHashMap<u64, SmallVec<[u32; 2]>>,
    leaves_any: SmallVec<[u32; 2]>,
}

impl Notice {
    fn new(leaves: &[Traces]) -> Self {
        let mut by_name: FxHashMap<u64, SmallVec<[u32; 2]>> = FxHashMap::default();
        let mut leaves_any = SmallVec::new();
        for (i, traces) in leaves.iter().enumerate() {
            if traces.is_any() {
                leaves_any.push(i as u32);
            } else {
                for name in traces.names() {
                    by_name.entry(*name).or_default().push(i as u32);
                }
            }
        }
        Notice { by_name, leaves_any }
    }

    /// The pending classes that an operation with these senses can notice.
    fn by(&self, sensed: &Traces) -> Matter {
        if sensed.is_any() {
            return Matter::All;
        }
        if sensed.names().is_empty() {
            return Matter::Some(SmallVec::new());
        }
        let mut found = self.leaves_any.clone();
        for name in sensed.names() {
            found.extend(self.by_name.get(name).into_iter().flatten().copied());
        }
        sort_by_key(&mut found, |class| *class);
        found.dedup();
        Matter::Some(found)
    }
}

/// The last return before which each pending class can still be noticed, directly or through
/// another pending one; `None` if never. A value that is too late is safe, so a propagation that
/// does not converge soon ends with "to the end".
fn last_uses(
    count: usize,
    last_of_class: &[Option<u32>],
    to_class: &[Matter],
    to_pending: &[Matter],
    returns: u32,
) -> Vec<Option<u32>> {
    const ROUNDS: usize = 8;
    let mut last: Vec<Option<u32>> = vec![None; count];
    let mut of_all: Option<u32> = None;
    for (at, matter) in last_of_class.iter().zip(to_class) {
        match matter {
            Matter::All => of_all = of_all.max(*at),
            Matter::Some(list) => list.iter().for_each(|p| {
                last[*p as usize] = last[*p as usize].max(*at);
            }),
        }
    }
    for round in 0.. {
        let mut changed = false;
        last.iter_mut().for_each(|l| *l = (*l).max(of_all));
        for (q, matter) in to_pending.iter().enumerate() {
            let Some(at) = last[q] else { continue };
            match matter {
                Matter::All => {
                    changed |= of_all < Some(at);
                    of_all = of_all.max(Some(at));
                }
                Matter::Some(list) => {
                    for p in list {
                        changed |= last[*p as usize] < Some(at);
                        last[*p as usize] = last[*p as usize].max(Some(at));
                    }
                }
            }
        }
        if !changed {
            break;
        }
        if round == ROUNDS {
            return vec![Some(returns); count];
        }
    }
    last
}
