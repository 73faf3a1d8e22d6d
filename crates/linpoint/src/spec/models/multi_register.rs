//! Several registers with transactions: reads and writes of several keys in one step.
//!
//! A [`Transaction`] does its reads and writes in order, at one instant. Its result has what each of
//! its reads saw, in the order of the reads; `None` for a read that was not recorded, which fits any
//! value. A result with another number of reads than the transaction has fits nothing.
//!
//! Pending: a transaction that only reads has no effect and is dropped. Another may take effect, as
//! a whole, at any time after its call, or never.

mod wire;

use std::collections::{BTreeMap, HashMap};

use rustc_hash::FxBuildHasher;

use super::sorted::Sorted;
use super::{Value, replay};
use crate::spec::derived::sources::{TypedRules, Words};
use crate::spec::{
    Claims, Footprint, Mention, Name, PartView, Refutation, Role, Run, Shape, Shaped, Slot, Spec,
    Traces, stable_hash,
};
use crate::wire::ToWire;

/// Registers with transactions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MultiRegister<K, V> {
    /// What some registers hold before the first transaction.
    pub initial: BTreeMap<K, V>,
    /// What all the others hold.
    pub default: V,
}

/// One step of a [`Transaction`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Micro<K, V> {
    /// Reads a key.
    Read(K),
    /// Writes a key.
    Write(K, V),
}

/// The operation of a [`MultiRegister`]: steps done in order, at one instant. Gives [`Reads`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transaction<K, V>(pub Vec<Micro<K, V>>);

/// The result of a [`Transaction`]: what each read saw, `None` where that is not known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reads<V>(pub Vec<Option<V>>);

use Micro::{Read, Write};

impl<K: Value + Ord, V: Value> Transaction<K, V> {
    /// What the transaction leaves: the last write of each key.
    fn written(&self) -> BTreeMap<&K, &V> {
        let mut written = BTreeMap::new();
        for micro in &self.0 {
            if let Write(k, v) = micro {
                written.insert(k, v);
            }
        }
        written
    }

    /// What the transaction is known to have found: the reads of keys that it had not written.
    fn found<'a>(&'a self, reads: &'a Reads<V>) -> Vec<(&'a K, &'a V)> {
        let mut own: Vec<&K> = Vec::new();
        let mut seen = reads.0.iter();
        let mut found = Vec::new();
        for micro in &self.0 {
            match micro {
                Write(k, _) => own.push(k),
                Read(k) => {
                    if let Some(Some(v)) = seen.next()
                        && !own.contains(&k)
                    {
                        found.push((k, v));
                    }
                }
            }
        }
        found
    }
}

impl<K: Value + Ord, V: Value> MultiRegister<K, V> {
    /// What a key holds before the first transaction.
    fn first(&self, key: &K) -> &V {
        self.initial.get(key).unwrap_or(&self.default)
    }

    fn holds<'a>(&'a self, state: &'a Sorted<K, V>, key: &K) -> &'a V {
        state.get(key).unwrap_or_else(|| self.first(key))
    }

    /// What the transaction reads, and the state that follows.
    fn step(&self, state: &Sorted<K, V>, op: &Transaction<K, V>) -> (Vec<V>, Sorted<K, V>) {
        let (mut reads, mut after) = (Vec::new(), state.clone());
        for micro in &op.0 {
            match micro {
                Read(k) => reads.push(self.holds(&after, k).clone()),
                // Initial values are not stored: equal contents, equal states.
                Write(k, v) => after.set(k, (v != self.first(k)).then(|| v.clone())),
            }
        }
        (reads, after)
    }
}

impl<K: Value + Ord, V: Value> Spec for MultiRegister<K, V> {
    type Op = Transaction<K, V>;
    type Ret = Reads<V>;
    type State = Sorted<K, V>;

    fn initial(&self) -> Self::State {
        Sorted::default()
    }

    fn successors(
        &self,
        state: &Self::State,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Self::State>,
    ) {
        let (reads, after) = self.step(state, op);
        let fits = |ret: &Reads<V>| {
            ret.0.len() == reads.len()
                && ret.0.iter().zip(&reads).all(|(seen, is)| seen.as_ref().is_none_or(|s| s == is))
        };
        if ret.is_none_or(fits) {
            next.push(after);
        }
    }

    /// Single reads may be left open.
    fn fits(&self, _op: &Self::Op, exact: &Self::Ret, recorded: &Self::Ret) -> bool {
        exact.0.len() == recorded.0.len()
            && exact.0.iter().zip(&recorded.0).all(|(is, seen)| seen.is_none() || seen == is)
    }

    fn outcomes(
        &self,
        state: &Self::State,
        op: &Self::Op,
        out: &mut Vec<(Self::Ret, Self::State)>,
    ) -> bool {
        let (reads, after) = self.step(state, op);
        out.push((Reads(reads.into_iter().map(Some).collect()), after));
        true
    }

    fn footprint(&self, op: &Self::Op) -> Footprint {
        if op.0.is_empty() {
            // It touches nothing, but it has to be in some part.
            return Footprint::key(&());
        }
        Footprint::keys(op.0.iter().map(|m| match m {
            Read(k) | Write(k, _) => k,
        }))
    }

    fn is_read(&self, op: &Self::Op, _ret: Option<&Self::Ret>) -> bool {
        op.0.iter().all(|m| matches!(m, Read(_)))
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut store: HashMap<&K, &V, FxBuildHasher> = HashMap::default();
        replay(run, |op, ret| {
            let mut seen = ret.map(|ret| ret.0.iter());
            for micro in &op.0 {
                match micro {
                    Write(k, v) => drop(store.insert(k, v)),
                    Read(k) => {
                        let Some(seen) = &mut seen else { continue };
                        let holds = store.get(k).copied().unwrap_or_else(|| self.first(k));
                        match seen.next() {
                            Some(v) if v.as_ref().is_none_or(|v| v == holds) => {}
                            _ => return false,
                        }
                    }
                }
            }
            seen.is_none_or(|mut seen| seen.next().is_none())
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_op(&self, op: &Self::Op) -> String {
        let show = |m: &Micro<K, V>| match m {
            Read(k) => format!("read({k:?})"),
            Write(k, v) => format!("write({k:?}, {v:?})"),
        };
        let steps: Vec<String> = op.0.iter().map(show).collect();
        match &steps[..] {
            [one] => one.clone(),
            _ => format!("[{}]", steps.join(", ")),
        }
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        let show = |v: &Option<V>| v.as_ref().map_or("?".into(), |v| format!("{v:?}"));
        match &ret.0[..] {
            [] => "ok".into(),
            [one] => show(one),
            many => format!("[{}]", many.iter().map(show).collect::<Vec<_>>().join(", ")),
        }
    }

    /// All registers that have an initial value of their own, and those that were changed.
    fn describe_state(&self, state: &Self::State) -> String {
        let mut all: BTreeMap<&K, &V> = self.initial.iter().collect();
        all.extend(state.iter().map(|(k, v)| (k, v)));
        format!("{all:?}")
    }

    fn state_bytes(&self, state: &Self::State) -> usize {
        state.bytes()
    }
}

impl<K: Value + Ord, V: Value> Claims<Transaction<K, V>, Reads<V>> for MultiRegister<K, V> {
    fn leaves(&self, op: &Transaction<K, V>) -> Traces {
        let written = op.written();
        if written.is_empty() { Traces::none() } else { Traces::any_and_all(written) }
    }

    /// Every transaction senses anything: it leaves the other keys as it finds them.
    fn senses(&self, op: &Transaction<K, V>, ret: Option<&Reads<V>>) -> Traces {
        ret.map_or(Traces::Any, |ret| Traces::any_and_all(op.found(ret)))
    }

    /// Values that no operation names are only ever overwritten, or read with an unknown result. So only the
    /// keys matter, and not what a pending transaction would have read.
    fn anonymous_kind(&self, op: &Transaction<K, V>) -> Option<u64> {
        let keys: Vec<&K> = op.written().into_keys().collect();
        (!keys.is_empty()).then(|| stable_hash(&keys))
    }

    fn same_kind(&self, a: &Transaction<K, V>, b: &Transaction<K, V>) -> bool {
        a.written().keys().eq(b.written().keys())
    }

    /// Writes are blind: up to the next write of its key, a value that no operation names is not read with
    /// a known result. So the transaction can be left out.
    fn idle_unless_named(&self, op: &Transaction<K, V>) -> bool {
        !self.is_read(op, None)
    }

    fn refute(&self, part: &PartView<'_, Transaction<K, V>, Reads<V>>) -> Option<Refutation> {
        TypedRules::<Transaction<K, V>, Reads<V>, (&K, &V)> {
            initial: &|(k, v)| usize::from(*v == self.first(k)),
            provides: &|op, things| op.written().into_iter().for_each(things),
            sees: &|op, ret, things| op.found(ret).into_iter().for_each(things),
            takes: &|_, _, _| {},
            words: Words::VALUES,
        }
        .refute(self, part)
    }
}

/// The key of a transaction of one step, and the value that it writes or finds.
fn single<'a, K, V>(
    op: &'a Transaction<K, V>,
    ret: Option<&'a Reads<V>>,
) -> Option<(&'a K, Option<&'a V>)> {
    match (&op.0[..], ret.map(|ret| &ret.0[..])) {
        ([Write(k, v)], _) => Some((k, Some(v))),
        ([Read(k)], Some([v])) => Some((k, v.as_ref())),
        ([Read(k)], _) => Some((k, None)),
        _ => None,
    }
}

impl<K: Value + Ord, V: Value> MultiRegister<K, V> {
    /// The value that is mentioned; `None` if it is the initial value of its key.
    fn mentioned<'a>(&self, mention: Mention<'a, Transaction<K, V>, Reads<V>>) -> Option<&'a V> {
        let (k, v) = single(mention.op, mention.ret)?;
        v.filter(|v| *v != self.first(k))
    }
}

/// A register for each key, as long as each transaction has one step. Keys may have different
/// initial values: all of them are called "none".
impl<K: Value + Ord, V: Value> Shaped<Transaction<K, V>, Reads<V>> for MultiRegister<K, V> {
    fn shape(&self) -> Shape {
        Shape::Registers { initial: Name::of(&None::<V>) }
    }

    fn role(&self, op: &Transaction<K, V>, ret: Option<&Reads<V>>, _pending: bool) -> Role {
        let value = |k: &K, v: &V| Name::of(&Some(v).filter(|v| *v != self.first(k)));
        match (&op.0[..], ret.map(|ret| &ret.0[..])) {
            ([Write(k, v)], None | Some([])) => Role::Write(value(k, v)),
            ([Read(_)], None | Some([None])) => Role::Idle,
            ([Read(k)], Some([Some(v)])) => Role::Read(value(k, v)),
            ([_], _) => Role::Foreign("an operation has a result of another kind"),
            _ => Role::Foreign("a transaction has more than one step"),
        }
    }

    fn key(&self, op: &Transaction<K, V>) -> Option<Name> {
        single(op, None).map(|(k, _)| Name::of(k))
    }

    fn same_name(
        &self,
        a: Mention<'_, Transaction<K, V>, Reads<V>>,
        b: Mention<'_, Transaction<K, V>, Reads<V>>,
    ) -> bool {
        let key = |op| single(op, None).map(|(k, _)| k);
        match a.slot {
            Slot::Key => key(a.op) == key(b.op),
            _ => self.mentioned(a) == self.mentioned(b),
        }
    }

    fn is_initial(&self, mention: Mention<'_, Transaction<K, V>, Reads<V>>) -> bool {
        self.mentioned(mention).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};

    fn spec() -> MultiRegister<char, i32> {
        MultiRegister { initial: [('x', 1)].into(), default: 0 }
    }

    fn t(micros: &[Micro<char, i32>]) -> Transaction<char, i32> {
        Transaction(micros.to_vec())
    }

    #[test]
    fn sequential_semantics() {
        let ops = [
            t(&[Read('x'), Write('x', 5), Read('x'), Read('y')]),
            t(&[Write('y', 2), Write('y', 3)]),
            t(&[]),
            t(&[Write('x', 1)]),
            t(&[Read('y')]),
        ];
        let (rets, state) = run(&spec(), &ops);
        assert_eq!(rets, ["[1, 5, 0]", "ok", "ok", "ok", "3"]);
        assert_eq!(state, "{'x': 1, 'y': 3}");
    }

    #[test]
    fn states_are_canonical() {
        let mut out = vec![];
        spec().successors(&spec().initial(), &t(&[Write('x', 1), Write('y', 0)]), None, &mut out);
        assert_eq!(out, [spec().initial()]);
    }

    #[test]
    fn unknown_reads_fit_everything() {
        let (spec, op) = (spec(), t(&[Read('x'), Write('x', 4), Read('x')]));
        let fits = |reads: &[Option<i32>]| {
            !next(&spec, &spec.initial(), &op, Some(&Reads(reads.to_vec()))).is_empty()
        };
        assert!(fits(&[None, None]) && fits(&[Some(1), None]) && fits(&[None, Some(4)]));
        assert!(!fits(&[Some(2), None]) && !fits(&[None, Some(1)]) && !fits(&[Some(1)]));
        assert_eq!(next(&spec, &spec.initial(), &op, None), ["{'x': 4}"]);
    }

    #[test]
    fn claims_hold() {
        let ops = [
            t(&[Read('x')]),
            t(&[Read('y')]),
            t(&[Write('x', 2)]),
            t(&[Write('x', 3), Read('x')]),
            t(&[Write('y', 2)]),
            t(&[Write('y', 3)]),
            t(&[]),
        ];
        check_claims(&spec(), &ops, 1, 300).unwrap();
        let joined = [
            t(&[Read('x'), Read('y')]),
            t(&[Read('x'), Write('y', 2)]),
            t(&[Write('x', 7), Write('y', 8)]),
            t(&[Write('y', 9), Write('x', 6)]),
            t(&[Read('z'), Write('z', 5)]),
        ];
        check_claims(&spec(), &joined, 2, 300).unwrap();
    }
}
