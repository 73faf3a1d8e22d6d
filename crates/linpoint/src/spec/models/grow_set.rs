//! A set that only grows and is read all at once, as tests of databases have it: inserts of rows, and reads of the
//! table.
//!
//! Add gives [`GrowSetRet::Done`], whether the value is new or not. Read gives all values, in any order. A read that shows
//! a value twice fits no state.
//!
//! Pending: a read has no effect and is dropped. An add may take effect at any time after its call, or never.
//!
//! Reads of a set that only grows are a chain: each has all that the one before it had. So an order is known in
//! advance ([`Claims::guide`]): reads by their size, and each add just before the first read that has its value, or
//! after all reads. If every value is added once, a linearization exists exactly if real time agrees with that
//! order, and two operations that disagree with it are a short proof ([`Claims::refute`]).

mod wire;

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::trie::Trie;
use super::{Value, replay, show_elements};
use crate::history::Span;
use crate::sorting::{pair, sort_by_key};
use crate::spec::{Claims, OpView, PartView, Refutation, Run, Spec, Traces};
use crate::verdict::{Form, OpMention, Reason, ReasonKind};
use crate::wire::ToWire;

/// A set that only grows, initially empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GrowSet<V> {
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V> GrowSet<V> {
    /// An empty set.
    pub fn new() -> Self {
        GrowSet { values: std::marker::PhantomData }
    }
}

/// Operations of a [`GrowSet`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GrowSetOp<V> {
    /// Gives [`GrowSetRet::Done`].
    Add(V),
    /// Gives [`GrowSetRet::Values`].
    Read,
}

/// Results of a [`GrowSet`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GrowSetRet<V> {
    /// An add is done.
    Done,
    /// All values, sorted.
    Values(std::sync::Arc<Vec<V>>),
}

use GrowSetOp::{Add, Read};
use GrowSetRet::{Done, Values};

impl<V: Ord> GrowSetRet<V> {
    /// A read of these values.
    pub fn values(mut values: Vec<V>) -> Self {
        values.sort();
        Values(values.into())
    }
}

/// A value that is there twice in a sorted list.
fn repeated<V: PartialEq>(values: &[V]) -> Option<&V> {
    values.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| &pair[0])
}

impl<V: Value + Ord> Spec for GrowSet<V> {
    type Op = GrowSetOp<V>;
    type Ret = GrowSetRet<V>;
    type State = Trie<V>;

    fn initial(&self) -> Trie<V> {
        Trie::default()
    }

    fn successors(
        &self,
        state: &Trie<V>,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Trie<V>>,
    ) {
        match (op, ret) {
            (Add(v), None | Some(Done)) => next.push(state.with(v)),
            (Read, None) => next.push(state.clone()),
            (Read, Some(Values(values)))
                if values.len() == state.len()
                    && values.iter().all(|v| state.contains(v))
                    && repeated(values).is_none() =>
            {
                next.push(state.clone());
            }
            _ => {}
        }
    }

    fn outcomes(
        &self,
        state: &Trie<V>,
        op: &Self::Op,
        out: &mut Vec<(Self::Ret, Trie<V>)>,
    ) -> bool {
        out.push(match op {
            Add(v) => (Done, state.with(v)),
            Read => (GrowSetRet::values(state.iter().cloned().collect()), state.clone()),
        });
        true
    }

    fn is_read(&self, op: &Self::Op, _ret: Option<&Self::Ret>) -> bool {
        matches!(op, Read)
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut set: std::collections::HashSet<&V, FxBuildHasher> = Default::default();
        replay(run, |op, ret| match (op, ret) {
            (Add(v), None | Some(Done)) => {
                set.insert(v);
                true
            }
            (Read, None) => true,
            (Read, Some(Values(values))) => {
                values.len() == set.len()
                    && values.iter().all(|v| set.contains(v))
                    && repeated(values).is_none()
            }
            _ => false,
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            Values(values) => format!("{values:?}"),
        }
    }

    fn describe_state(&self, state: &Trie<V>) -> String {
        let mut values: Vec<&V> = state.iter().collect();
        values.sort();
        show_elements(values, state.len(), "")
    }

    fn state_bytes(&self, state: &Trie<V>) -> usize {
        state.bytes_of_version()
    }
}

impl<V: Value + Ord> Claims<GrowSetOp<V>, GrowSetRet<V>> for GrowSet<V> {
    fn leaves(&self, op: &GrowSetOp<V>) -> Traces {
        match op {
            Add(value) => Traces::one(value),
            Read => Traces::none(),
        }
    }

    /// A read shows exactly what was added before. What was added stays, so an add leads to other states after other adds.
    fn senses(&self, op: &GrowSetOp<V>, ret: Option<&GrowSetRet<V>>) -> Traces {
        match (op, ret) {
            (Read, Some(Values(values))) => Traces::all(values.iter()),
            _ => Traces::Any,
        }
    }

    /// What no read shows was added after all reads, or never.
    fn idle_unless_named(&self, op: &GrowSetOp<V>) -> bool {
        matches!(op, Add(_))
    }

    fn refute(&self, part: &PartView<'_, GrowSetOp<V>, GrowSetRet<V>>) -> Option<Refutation> {
        Chain::of(part).refute(self)
    }

    fn guide(&self, part: &PartView<'_, GrowSetOp<V>, GrowSetRet<V>>) -> Option<Vec<u64>> {
        let chain = Chain::of(part);
        Some(part.iter().map(|view| chain.place(&view)).collect())
    }
}

/// An operation of a part.
type View<'a, V> = OpView<'a, GrowSetOp<V>, GrowSetRet<V>>;

/// What is known about a value.
struct Known<'a, V> {
    /// The smallest read that has it.
    read: Option<View<'a, V>>,
    /// Its adds: one, or several.
    adds: Vec<View<'a, V>>,
}

/// The reads of a part by size, and what they say about each value.
struct Chain<'a, V> {
    reads: Vec<View<'a, V>>,
    adds: Vec<View<'a, V>>,
    values: HashMap<&'a V, Known<'a, V>, FxBuildHasher>,
}

/// The values of a read, if they are known.
fn seen<'a, V>(view: &View<'a, V>) -> Option<&'a [V]> {
    match view.ret {
        Some(Values(values)) if matches!(view.op, Read) => Some(values),
        _ => None,
    }
}

/// True if the first operation returned before the second was called.
fn precedes(a: Span, b: Span) -> bool {
    a.ret < b.call
}

impl<'a, V: Value + Ord> Chain<'a, V> {
    fn of(part: &PartView<'a, GrowSetOp<V>, GrowSetRet<V>>) -> Self {
        let is_read = |view: &View<'a, V>| seen(view).is_some();
        let mut reads: Vec<View<'a, V>> = part.iter().filter(is_read).collect();
        sort_by_key(&mut reads, |view| {
            pair(seen(view).map_or(0, <[V]>::len) as u32, view.span.call)
        });
        let mut chain = Chain { reads: Vec::new(), adds: Vec::new(), values: HashMap::default() };
        for view in part.iter() {
            if let Add(value) = view.op {
                chain.adds.push(view);
                chain.known(value).adds.push(view);
            }
        }
        // Equal reads one after the other have nothing new.
        let mut last: Option<&[V]> = None;
        for &view in &reads {
            let values = seen(&view).unwrap_or_default();
            if last != Some(values) {
                for value in values {
                    chain.known(value).read.get_or_insert(view);
                }
            }
            last = Some(values);
        }
        chain.reads = reads;
        chain
    }

    fn known(&mut self, value: &'a V) -> &mut Known<'a, V> {
        self.values.entry(value).or_insert_with(|| Known { read: None, adds: Vec::new() })
    }

    /// Where the operation is in the order that the sizes of reads give.
    fn place(&self, view: &View<'a, V>) -> u64 {
        match view.op {
            Read => seen(view).map_or(0, |values| 2 * values.len() as u64 + 1),
            Add(value) => {
                let first = self.values.get(value).and_then(|known| known.read);
                first.as_ref().and_then(seen).map_or(u64::MAX, |values| 2 * values.len() as u64)
            }
        }
    }

    /// Two operations, or a few, that contradict each other.
    fn refute(&self, spec: &GrowSet<V>) -> Option<Refutation> {
        let told = Teller { spec };
        self.bad_value(&told).or_else(|| self.bad_chain(&told)).or_else(|| self.bad_times(&told))
    }

    /// A read that shows a value twice, or one that was added too late or never.
    fn bad_value(&self, told: &Teller<'_, V>) -> Option<Refutation> {
        for read in &self.reads {
            let values = seen(read).unwrap_or_default();
            if let Some(value) = repeated(values) {
                return Some(told.about(ReasonKind::Twice, &[*read], |reason| {
                    reason.op(told.short(read)).text(format!(" shows {value:?} twice"))
                }));
            }
        }
        for (value, known) in self.in_order() {
            let Some(read) = known.read else { continue };
            if known.adds.is_empty() {
                return Some(told.about(ReasonKind::Phantom, &[read], |reason| {
                    reason
                        .op(told.short(&read))
                        .text(format!(" shows {value:?}, which was never added"))
                }));
            }
        }
        // The earliest read is not always the smallest one.
        for read in &self.reads {
            let late =
                |known: &&Known<'a, V>| known.adds.iter().all(|add| precedes(read.span, add.span));
            let values = seen(read).unwrap_or_default().iter();
            if let Some((value, known)) =
                values.filter_map(|v| Some((v, self.values.get(v).filter(late)?))).next()
            {
                let ops: Vec<View<'a, V>> =
                    [*read].into_iter().chain(known.adds.iter().copied()).collect();
                return Some(told.about(ReasonKind::Future, &ops, |reason| {
                    let reason = reason
                        .op(told.short(read))
                        .text(format!(" shows {value:?}, but ended before "));
                    reason.op(told.full(&known.adds[0])).text(" was called")
                }));
            }
        }
        None
    }

    /// Two reads that each have a value that the other lacks. Reads are sorted by size, so neighbours are enough.
    fn bad_chain(&self, told: &Teller<'_, V>) -> Option<Refutation> {
        self.reads.windows(2).find_map(|pair| {
            let [small, large] = pair else { return None };
            let (few, many) = (seen(small)?, seen(large)?);
            let only_few = lacks(few, many)?;
            let only_many = lacks(many, few)?;
            Some(told.about(ReasonKind::Crossed, &[*small, *large], |reason| {
                let reason = reason
                    .op(told.short(small))
                    .text(format!(" shows {only_few:?} without {only_many:?}, "));
                reason
                    .op(told.short(large))
                    .text(format!(" shows {only_many:?} without {only_few:?}"))
            }))
        })
    }

    /// Two operations in real time whose places are the other way round.
    fn bad_times(&self, told: &Teller<'_, V>) -> Option<Refutation> {
        // Several adds of one value: the first that takes effect counts, and it is not known which that is.
        let single = |value: &V| self.values.get(value).is_some_and(|known| known.adds.len() == 1);
        let mut ops: Vec<(u64, View<'a, V>)> =
            Vec::with_capacity(self.reads.len() + self.adds.len());
        ops.extend(self.reads.iter().map(|read| (self.place(read), *read)));
        let is_single = |add: &&View<'a, V>| matches!(add.op, Add(value) if single(value));
        ops.extend(self.adds.iter().filter(is_single).map(|add| (self.place(add), *add)));
        let mut by_return: Vec<usize> =
            (0..ops.len()).filter(|&at| !ops[at].1.span.is_pending()).collect();
        sort_by_key(&mut by_return, |&at| ops[at].1.span.ret);
        let mut by_call: Vec<usize> = (0..ops.len()).collect();
        sort_by_key(&mut by_call, |&at| ops[at].1.span.call);
        let mut returned = by_return.into_iter().peekable();
        let mut largest: Option<usize> = None;
        for later in by_call {
            let call = ops[later].1.span.call;
            while let Some(at) = returned.next_if(|&at| ops[at].1.span.ret < call) {
                if largest.is_none_or(|known| ops[at].0 > ops[known].0) {
                    largest = Some(at);
                }
            }
            let earlier = largest.filter(|&at| ops[at].0 > ops[later].0);
            if let Some(found) =
                earlier.and_then(|at| self.contradiction(told, &ops[at].1, &ops[later].1))
            {
                return Some(found);
            }
        }
        None
    }

    /// Why `earlier`, which came first in real time, cannot have its place after `later`.
    fn contradiction(
        &self,
        told: &Teller<'_, V>,
        earlier: &View<'a, V>,
        later: &View<'a, V>,
    ) -> Option<Refutation> {
        // The read that must come after `later`, and which shows too little.
        let read = match later.op {
            Read => *later,
            Add(value) => self.values.get(value)?.read?,
        };
        let shown = seen(&read)?;
        let missing = match earlier.op {
            Add(value) => value,
            Read => lacks(seen(earlier)?, shown)?,
        };
        if shown.binary_search(missing).is_ok() {
            return None;
        }
        let mut ops = vec![*earlier, read];
        let began = if let Add(_) = later.op {
            ops.push(*later);
            Some(*later)
        } else {
            None
        };
        Some(told.about(ReasonKind::Missing, &ops, |reason| {
            let reason = reason.op(told.short(&read)).text(format!(" lacks {missing:?}"));
            let reason = match began {
                Some(add) => reason
                    .text(", but shows what ")
                    .op(told.full(&add))
                    .text(" added, and before that "),
                None => reason.text(", but before it "),
            };
            let reason = reason.op(told.short(earlier));
            reason.text(if matches!(earlier.op, Read) { " showed it" } else { " had returned" })
        }))
    }

    /// The values in the order of their first read, so that the answer is always the same.
    fn in_order(&self) -> Vec<(&'a V, &Known<'a, V>)> {
        let mut all: Vec<_> = self.values.iter().map(|(value, known)| (*value, known)).collect();
        all.sort_by_key(|(value, known)| {
            (known.read.map_or(u32::MAX, |read| read.span.call), *value)
        });
        all
    }
}

/// A value of the first sorted list that the second one lacks.
fn lacks<'a, V: Ord>(has: &'a [V], other: &[V]) -> Option<&'a V> {
    let mut other = other.iter().peekable();
    has.iter().find(|value| {
        while other.next_if(|v| v < value).is_some() {}
        other.peek() != Some(value)
    })
}

/// Mentions operations in sentences.
struct Teller<'s, V> {
    spec: &'s GrowSet<V>,
}

impl<V: Value + Ord> Teller<'_, V> {
    fn about(
        &self,
        kind: ReasonKind,
        ops: &[View<'_, V>],
        sentence: impl FnOnce(Reason) -> Reason,
    ) -> Refutation {
        let mut ids: Vec<_> = ops.iter().map(|view| view.id).collect();
        ids.sort_unstable();
        ids.dedup();
        Refutation { ops: ids, reason: sentence(Reason::new(kind)) }
    }

    /// The operation without its result, which may be long.
    fn short(&self, view: &View<'_, V>) -> OpMention {
        OpMention {
            op: view.id,
            form: Form::WithClient,
            call: self.spec.describe_op(view.op),
            process: None,
            result: None,
        }
    }

    fn full(&self, view: &View<'_, V>) -> OpMention {
        OpMention { form: Form::WithResult, ..self.short(view) }
    }
}

#[cfg(test)]
mod tests;
