//! A part of a history, compiled once into numbers.
//!
//! Completed operations are numbered by call order and get a *slot*: the lowest that is free while
//! they are open. Distinct (operation, result) pairs become classes. Pending operations get no
//! slot; they are grouped into [`PendingClass`]es and counted. What could never matter is dropped
//! here, and an index says which pending classes can matter to which operations.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::oracle::Class;
use super::{ClassId, Switches};
use crate::check::Hints;
use crate::history::{History, OpId};
use crate::spec::{PartView, Spec, Traces};
use crate::split::Event;

/// Pending operations that are treated as identical.
#[derive(Clone, Debug)]
pub(crate) struct PendingClass {
    /// What the specification is asked about.
    pub(crate) class: ClassId,
    /// The operations, in call order.
    pub(crate) ops: Vec<OpId>,
    /// For each of `ops`, the number of return events before its call.
    pub(crate) called_at: Vec<u32>,
    /// The last return event before which the effect could still be noticed.
    pub(crate) last_use: u32,
    /// When to try it, see [`Problem::preference`]; by default after everything else.
    pub(crate) preference: u64,
}

impl PendingClass {
    /// How many operations have been called before return event `returns`.
    pub(crate) fn called_by(&self, returns: u32) -> u32 {
        match self.called_at.last() {
            Some(last) if *last <= returns => self.called_at.len() as u32,
            _ => self.called_at.partition_point(|at| *at <= returns) as u32,
        }
    }
}

/// A compiled part. "Operation" means a completed one here, as a local number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problem {
    /// The operation in the history.
    pub(crate) ids: Vec<OpId>,
    pub(crate) class: Vec<ClassId>,
    pub(crate) slot: Vec<u32>,
    /// Position of the operation's return among all returns.
    pub(crate) return_of: Vec<u32>,
    /// Operations in the order of their returns.
    pub(crate) returns: Vec<u32>,
    /// For each return, how many operations were called before it.
    pub(crate) calls_before: Vec<u32>,
    /// Number of slots.
    pub(crate) width: usize,
    /// For each class: it never changes the state.
    pub(crate) is_read: Vec<bool>,
    pub(crate) pending: Vec<PendingClass>,
    /// Which pending classes can matter to operations of a class.
    pub(crate) matter_to_class: Vec<Matter>,
    /// Which pending classes can matter to those of a pending class.
    pub(crate) matter_to_pending: Vec<Matter>,
    /// In which order to try operations that are open together: smaller first. Empty: by return.
    pub(crate) preference: Vec<u64>,
    pub(crate) order: Option<super::hints::AssertedOrder>,
    /// Number of pending operations that were dropped because they cannot matter.
    pub(crate) dropped: usize,
    /// An operation that is neither absorbed nor dropped for a twin, because somebody wants to know
    /// all states in which it can take effect.
    pub(crate) watched: Option<u32>,
}

/// No number: a group that was not kept.
const NOBODY: u32 = u32::MAX;

/// A set of pending classes.
#[derive(Clone, Debug)]
pub(crate) enum Matter {
    All,
    Some(SmallVec<[u32; 2]>),
}

/// A compiled part, and what its classes stand for.
pub(crate) struct Compiled<'h, S: Spec> {
    pub(crate) problem: Problem,
    pub(crate) classes: Vec<Class<'h, S>>,
    /// For each class an operation that belongs to it, to name in errors.
    pub(crate) example: Vec<OpId>,
}

/// Memory that compiling one part after the other uses again and again.
pub(crate) struct Scratch<'h, S: Spec> {
    class_ids: FxHashMap<Class<'h, S>, ClassId>,
    /// For each operation of the history its number in its part.
    local: Vec<u32>,
    /// The last compiled part, for its allocations.
    pub(crate) used_up: Option<Compiled<'h, S>>,
}

impl<S: Spec> Default for Scratch<'_, S> {
    fn default() -> Self {
        Scratch { class_ids: FxHashMap::default(), local: Vec::new(), used_up: None }
    }
}

impl Problem {
    /// Empty, with the allocations of `self`.
    fn cleared(mut self) -> Problem {
        let Problem { ids, class, slot, return_of, returns, calls_before, .. } = &mut self;
        ids.clear();
        [class, slot, return_of, returns, calls_before].into_iter().for_each(Vec::clear);
        self.is_read.clear();
        Problem {
            width: 0,
            pending: Vec::new(),
            matter_to_class: Vec::new(),
            matter_to_pending: Vec::new(),
            preference: Vec::new(),
            order: None,
            dropped: 0,
            watched: None,
            ..self
        }
    }
}

/// Compiles the part with these `events`.
pub(crate) fn compile<'h, S: Spec>(
    spec: &S,
    history: &'h History<S::Op, S::Ret>,
    events: &[Event],
    hints: Hints,
    switches: &Switches,
    scratch: &mut Scratch<'h, S>,
) -> Compiled<'h, S> {
    scratch.class_ids.clear();
    scratch.local.resize(history.len(), 0);
    let out = match scratch.used_up.take() {
        Some(Compiled { problem, mut classes, mut example }) => {
            classes.clear();
            example.clear();
            Compiled { problem: problem.cleared(), classes, example }
        }
        None => Compiled { problem: Problem::default(), classes: Vec::new(), example: Vec::new() },
    };
    let Scratch { class_ids, local, .. } = scratch;
    let mut compiler = Compiler { spec, history, class_ids, out };
    let pending = compiler.completed(events, local);
    let use_hints = hints != Hints::Ignore && history.has_hints();
    let asserted = use_hints && hints == Hints::Assert;
    let groups = compiler.group_pending(pending, asserted, switches);
    // Moving a pending operation past one of another key needs a free order: where an asserted one
    // ties keys together, everything may matter to everything.
    let tied = asserted && compiler.has_several_footprints(events);
    let by_trace = Switches { drop_idle_pending: switches.drop_idle_pending && !tied, ..*switches };
    compiler.keep_what_matters(groups, &by_trace);
    let mut out = compiler.out;
    let is_read = |(op, ret): &Class<'h, S>| switches.absorb_reads && spec.is_read(op, *ret);
    out.problem.is_read.extend(out.classes.iter().map(is_read));
    if use_hints {
        out.problem.preference = super::hints::preference(history, &out.problem);
    } else if switches.guide {
        ask_for_guide(spec, history, &mut out.problem);
    }
    if asserted {
        let order = super::hints::AssertedOrder::new(history, &out.problem);
        for (class, pending) in out.problem.pending.iter_mut().enumerate() {
            if order.binds_pending(class as u32) {
                pending.last_use = u32::MAX;
            }
        }
        out.problem.order = Some(order);
    }
    out
}

/// Lets the specification guess the order of the completed operations and of the first operation
/// of each pending class.
fn ask_for_guide<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>, problem: &mut Problem) {
    let completed = problem.ids.len();
    let first_of_each = problem.pending.iter().map(|p| p.ops[0]);
    let ids: Vec<OpId> = problem.ids.iter().copied().chain(first_of_each).collect();
    if let Some(mut keys) = spec.guide(&PartView::new(history, &ids)) {
        for (pending, key) in problem.pending.iter_mut().zip(keys.split_off(completed)) {
            pending.preference = key;
        }
        problem.preference = keys;
    }
}

/// A pending operation with the number of returns before its call.
type Pending = (OpId, u32);

struct Compiler<'s, 'h, S: Spec> {
    spec: &'s S,
    history: &'h History<S::Op, S::Ret>,
    class_ids: &'s mut FxHashMap<Class<'h, S>, ClassId>,
    out: Compiled<'h, S>,
}

/// What makes pending operations identical.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Alike {
    Class(ClassId),
    Anonymous(u64),
    Alone(OpId),
}

impl<'h, S: Spec> Compiler<'_, 'h, S> {
    fn class(&mut self, id: OpId) -> ClassId {
        let key = (self.history.op(id), self.history.ret(id));
        let next = self.out.classes.len() as ClassId;
        let class = *self.class_ids.entry(key).or_insert(next);
        if class == next {
            self.out.classes.push(key);
            self.out.example.push(id);
        }
        class
    }

    /// Numbers the completed operations; gives back the pending ones.
    fn completed(&mut self, events: &[Event], local: &mut [u32]) -> Vec<Pending> {
        let mut pending = Vec::new();
        let mut slots = Slots::default();
        for event in events {
            let id = event.op();
            if event.is_return() {
                let op = local[id.index()];
                let p = &mut self.out.problem;
                p.return_of[op as usize] = p.returns.len() as u32;
                p.returns.push(op);
                p.calls_before.push(p.ids.len() as u32);
                slots.free(p.slot[op as usize]);
            } else if self.history.span(id).is_pending() {
                pending.push((id, self.out.problem.returns.len() as u32));
            } else {
                let class = self.class(id);
                let p = &mut self.out.problem;
                local[id.index()] = p.ids.len() as u32;
                p.slot.push(slots.take());
                p.ids.push(id);
                p.class.push(class);
                p.return_of.push(0);
            }
        }
        self.out.problem.width = slots.width;
        pending
    }

    /// True if not all operations touch the same.
    fn has_several_footprints(&self, events: &[Event]) -> bool {
        let mut footprints = events.iter().map(|e| self.spec.footprint(self.history.op(e.op())));
        let first = footprints.next();
        footprints.any(|f| Some(&f) != first.as_ref())
    }

    /// Names that the classes in `classes` sense.
    fn names_sensed(&self, classes: impl Iterator<Item = usize>) -> FxHashSet<u64> {
        classes
            .flat_map(|c| {
                let (op, ret) = self.out.classes[c];
                self.spec.senses(op, ret).names().to_vec()
            })
            .collect()
    }

    /// Drops pending operations that cannot matter for a reason of their own, groups the rest.
    fn group_pending(
        &mut self,
        pending: Vec<Pending>,
        asserted: bool,
        switches: &Switches,
    ) -> Vec<PendingClass> {
        if pending.is_empty() {
            return Vec::new();
        }
        let named_by_completed = self.names_sensed(0..self.out.classes.len());
        // An unknown result may name anything.
        let all_known = self.out.classes.iter().all(|(_, ret)| ret.is_some());
        let mut kept = Vec::new();
        for (id, at) in pending {
            let op = self.history.op(id);
            let unmentioned = || {
                let traces = self.spec.leaves(op);
                !traces.names().iter().any(|n| named_by_completed.contains(n))
            };
            // Optional and without effect, or without anyone to notice it.
            let idle = self.spec.is_read(op, None)
                || (all_known && self.spec.idle_unless_named(op) && unmentioned());
            if switches.drop_idle_pending && idle {
                self.out.problem.dropped += 1;
            } else {
                kept.push((id, at, self.class(id)));
            }
        }
        let named = self.names_sensed(0..self.out.classes.len());
        let mut groups: Vec<PendingClass> = Vec::new();
        let mut group_of: FxHashMap<Alike, usize> = FxHashMap::default();
        for (id, at, class) in kept {
            let alike = self.alike(id, class, asserted, switches, &named);
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
        if !switches.count_pending || (asserted && self.history.extras(id).hint.is_some()) {
            return Alike::Alone(id);
        }
        let op = self.history.op(id);
        if let (true, Some(kind)) = (switches.drop_idle_pending, self.spec.anonymous_kind(op))
            && let Traces::Named(names) = self.spec.leaves(op)
            && !names.iter().any(|n| named.contains(n))
        {
            return Alike::Anonymous(kind);
        }
        Alike::Class(class)
    }

    /// Finds out who can notice whom, and drops the pending classes that nobody can notice.
    ///
    /// Why dropping is right: take a linearization with the fewest pending operations, and among
    /// those one in which each stands as late as possible. One that is last, or that is followed at
    /// once by an operation of the same part that does not sense it, can be removed (the claim of
    /// [`Spec::leaves`]), which contradicts "fewest"; one that is followed by an operation on
    /// another key can be moved behind it. So each is followed at once by one that senses it, and
    /// the chain ends in a completed operation. Removing only loosens asserted orders; moving may
    /// break them, so the caller switches this off where an asserted order ties keys together.
    fn keep_what_matters(&mut self, groups: Vec<PendingClass>, switches: &Switches) {
        if groups.is_empty() {
            return;
        }
        let returns = self.out.problem.returns.len() as u32;
        let leaves: Vec<Traces> = groups.iter().map(|g| self.leaves(g, switches)).collect();
        let notice = Notice::new(&leaves);
        let mut last_of_class = vec![None; self.out.classes.len()];
        for (op, class) in self.out.problem.class.iter().enumerate() {
            let at = self.out.problem.return_of[op];
            let last: &mut Option<u32> = &mut last_of_class[*class as usize];
            *last = Some(last.map_or(at, |l| l.max(at)));
        }
        let senses = |class: usize| {
            let (op, ret) = self.out.classes[class];
            if switches.drop_idle_pending { self.spec.senses(op, ret) } else { Traces::Any }
        };
        let to_class: Vec<Matter> = last_of_class
            .iter()
            .enumerate()
            .map(|(c, last)| match last {
                Some(_) => notice.by(&senses(c)),
                None => Matter::Some(SmallVec::new()),
            })
            .collect();
        let senses_to_act = |class: usize| {
            let (op, _) = self.out.classes[class];
            if switches.drop_idle_pending { self.spec.senses_to_act(op) } else { Traces::Any }
        };
        let to_pending: Vec<Matter> =
            groups.iter().map(|g| notice.by(&senses_to_act(g.class as usize))).collect();
        let last_use = last_uses(groups.len(), &last_of_class, &to_class, &to_pending, returns);
        self.renumber(groups, &last_use, to_class, to_pending);
    }

    fn leaves(&self, group: &PendingClass, switches: &Switches) -> Traces {
        let (op, _) = self.out.classes[group.class as usize];
        if switches.drop_idle_pending { self.spec.leaves(op) } else { Traces::Any }
    }

    /// Keeps the groups that somebody can notice.
    fn renumber(
        &mut self,
        groups: Vec<PendingClass>,
        last_use: &[Option<u32>],
        to_class: Vec<Matter>,
        to_pending: Vec<Matter>,
    ) {
        let p = &mut self.out.problem;
        let mut number = vec![NOBODY; groups.len()];
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
                list.into_iter().map(|i| number[i as usize]).filter(|i| *i != NOBODY).collect(),
            ),
        };
        p.matter_to_class = to_class.into_iter().map(rename).collect();
        let kept = to_pending.into_iter().zip(&number).filter(|(_, n)| **n != NOBODY);
        p.matter_to_pending = kept.map(|(m, _)| rename(m)).collect();
    }
}

/// Who leaves which trace, by name.
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

    /// The pending classes that something with these senses can notice.
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
        found.sort_unstable();
        found.dedup();
        Matter::Some(found)
    }
}

/// The last return before which each pending class can still be noticed, directly or through
/// another pending one; `None` if never. Later than the truth is safe, so a propagation that does
/// not settle soon ends with "to the end".
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

/// Gives out the lowest free slot.
#[derive(Default)]
struct Slots {
    /// One bit for each slot that is taken.
    taken: SmallVec<[u64; 4]>,
    /// One more than the largest slot ever taken.
    width: usize,
}

impl Slots {
    fn take(&mut self) -> u32 {
        let word = match self.taken.iter().position(|w| *w != u64::MAX) {
            Some(word) => word,
            None => {
                self.taken.push(0);
                self.taken.len() - 1
            }
        };
        let bit = self.taken[word].trailing_ones();
        self.taken[word] |= 1 << bit;
        let slot = 64 * word as u32 + bit;
        self.width = self.width.max(slot as usize + 1);
        slot
    }

    fn free(&mut self, slot: u32) {
        self.taken[slot as usize / 64] &= !(1 << (slot % 64));
    }
}
