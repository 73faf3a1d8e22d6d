//! A priority queue, initially empty. A value is its own priority, and values may repeat.
//!
//! Insert gives [`PriorityQueueRet::Done`]; poll and peek give the first element in the
//! [`Order`], or nothing if there is none, and poll removes it. Of equal elements one is removed. Of
//! different elements that the order calls equal (a priority with something else), any may be first.
//!
//! Pending: a peek has no effect and is dropped. An insert may take effect at any time after its
//! call, or never. A poll may remove whatever is first at any time after its call, or do nothing.

mod replay;

use super::{Value, show_elements, show_option};
use crate::spec::{Mention, Name, Role, Run, Shape, Shaped, Spec, stable_hash};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToWire, args,
};

/// Which element comes first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// The largest.
    #[default]
    Max,
    /// The smallest.
    Min,
}

/// A priority queue.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PriorityQueue<V> {
    /// Which element comes first.
    pub order: Order,
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V> PriorityQueue<V> {
    /// An empty priority queue.
    pub fn new(order: Order) -> Self {
        PriorityQueue { order, values: std::marker::PhantomData }
    }
}

/// Operations of a [`PriorityQueue`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PriorityQueueOp<V> {
    /// Gives [`PriorityQueueRet::Done`].
    Insert(V),
    /// Gives [`PriorityQueueRet::Value`].
    Poll,
    /// Gives [`PriorityQueueRet::Value`].
    Peek,
}

/// Results of a [`PriorityQueue`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PriorityQueueRet<V> {
    /// An insert is done.
    Done,
    /// The first element, `None` if there was none.
    Value(Option<V>),
}

use PriorityQueueOp::{Insert, Peek, Poll};
use PriorityQueueRet::Done;

impl<V: Value + Ord> PriorityQueue<V> {
    /// Where `a` stands to `b` in the state, whose last element comes out first.
    fn compare(&self, a: &V, b: &V) -> std::cmp::Ordering {
        match self.order {
            Order::Max => a.cmp(b),
            Order::Min => b.cmp(a),
        }
    }

    /// Where `a` stands to `b` in the state: different elements of one priority are sorted too, by
    /// their hash, so that states do not depend on the order in which they came.
    fn sort(&self, a: &V, b: &V) -> std::cmp::Ordering {
        self.compare(a, b).then_with(|| match a == b {
            true => std::cmp::Ordering::Equal,
            false => stable_hash(a).cmp(&stable_hash(b)),
        })
    }

    /// The elements that may be first.
    fn first<'a>(&self, state: &'a [V]) -> &'a [V] {
        let Some(last) = state.last() else { return &[] };
        let below = match state {
            [.., next, _] if self.compare(next, last).is_eq() => {
                state.partition_point(|v| self.compare(v, last).is_lt())
            }
            _ => state.len() - 1,
        };
        &state[below..]
    }

    /// Tells `found` every result of `op` that `wanted` accepts, with the state that follows.
    fn step(
        &self,
        state: &[V],
        op: &PriorityQueueOp<V>,
        wanted: impl Fn(&PriorityQueueRet<V>) -> bool,
        mut found: impl FnMut(PriorityQueueRet<V>, Vec<V>),
    ) {
        let mut tell = |ret, after: &dyn Fn() -> Vec<V>| {
            if wanted(&ret) {
                found(ret, after());
            }
        };
        if let Insert(v) = op {
            let at = state.partition_point(|w| self.sort(w, v).is_lt());
            return tell(Done, &|| [&state[..at], std::slice::from_ref(v), &state[at..]].concat());
        }
        let first = self.first(state);
        if first.is_empty() {
            return tell(PriorityQueueRet::Value(None), &Vec::new);
        }
        let below = state.len() - first.len();
        for (i, v) in first.iter().enumerate().filter(|(i, v)| !first[..*i].contains(v)) {
            tell(PriorityQueueRet::Value(Some(v.clone())), &|| match op {
                Poll => [&state[..below + i], &state[below + i + 1..]].concat(),
                _ => state.to_vec(),
            });
        }
    }
}

impl<V: Value + Ord> Spec for PriorityQueue<V> {
    type Op = PriorityQueueOp<V>;
    type Ret = PriorityQueueRet<V>;
    /// Sorted, so that equal contents are equal states; the last comes out first.
    type State = Vec<V>;

    fn initial(&self) -> Vec<V> {
        Vec::new()
    }

    fn successors(
        &self,
        state: &Vec<V>,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Vec<V>>,
    ) {
        let wanted = |got: &Self::Ret| ret.is_none_or(|ret| ret == got);
        self.step(state, op, wanted, |_, after| next.push(after));
    }

    fn outcomes(&self, state: &Vec<V>, op: &Self::Op, out: &mut Vec<(Self::Ret, Vec<V>)>) -> bool {
        self.step(state, op, |_| true, |ret, after| out.push((ret, after)));
        true
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        matches!((op, ret), (Peek, _) | (Poll, Some(PriorityQueueRet::Value(None))))
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        replay::replay(self, run)
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            PriorityQueueRet::Value(v) => show_option(v.as_ref()),
        }
    }

    fn describe_state(&self, state: &Vec<V>) -> String {
        let order = match self.order {
            Order::Max => "largest first",
            Order::Min => "smallest first",
        };
        show_elements(state.iter().rev(), state.len(), order)
    }

    fn state_bytes(&self, state: &Vec<V>) -> usize {
        size_of::<Vec<V>>() + state.capacity() * size_of::<V>()
    }
}

/// The element that an operation adds, or finds.
fn element<'a, V>(
    op: &'a PriorityQueueOp<V>,
    ret: Option<&'a PriorityQueueRet<V>>,
) -> Option<&'a V> {
    match (op, ret) {
        (Insert(v), _) | (_, Some(PriorityQueueRet::Value(Some(v)))) => Some(v),
        _ => None,
    }
}

type Mentioned<'a, V> = Mention<'a, PriorityQueueOp<V>, PriorityQueueRet<V>>;

impl<V: Value + Ord> Shaped<PriorityQueueOp<V>, PriorityQueueRet<V>> for PriorityQueue<V> {
    fn shape(&self) -> Shape {
        Shape::PriorityQueue
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(
        &self,
        op: &PriorityQueueOp<V>,
        ret: Option<&PriorityQueueRet<V>>,
        _pending: bool,
    ) -> Role {
        match (op, ret) {
            (Insert(v), None | Some(Done)) => Role::Add(Name::of(v)),
            (Poll, None) => Role::Take,
            (Poll, Some(PriorityQueueRet::Value(Some(v)))) => Role::Remove(Name::of(v)),
            (Peek, None) => Role::Idle,
            (Peek, Some(PriorityQueueRet::Value(Some(v)))) => Role::Peek(Name::of(v)),
            (Poll | Peek, Some(PriorityQueueRet::Value(None))) => Role::Empty,
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn same_name(&self, a: Mentioned<'_, V>, b: Mentioned<'_, V>) -> bool {
        element(a.op, a.ret) == element(b.op, b.ret)
    }

    fn compare(&self, a: Mentioned<'_, V>, b: Mentioned<'_, V>) -> std::cmp::Ordering {
        match (element(a.op, a.ret), element(b.op, b.ret)) {
            (Some(a), Some(b)) => PriorityQueue::compare(self, a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        }
    }
}

impl<V: Value + Ord> ToWire<PriorityQueueOp<V>, PriorityQueueRet<V>> for PriorityQueue<V> {
    fn name(&self) -> &'static str {
        PriorityQueue::<wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        let min = self.order == Order::Min;
        Some(min.then_some(("min", wire::Value::Bool(true))).into_iter().collect())
    }

    fn op<'a>(&self, op: &'a PriorityQueueOp<V>) -> (&'static str, Args<'a>) {
        match op {
            Insert(v) => ("insert", args([v])),
            Poll => ("poll", args([])),
            Peek => ("peek", args([])),
        }
    }

    fn ret(&self, _op: &PriorityQueueOp<V>, ret: &PriorityQueueRet<V>) -> Option<wire::Value> {
        match ret {
            Done => Some("ok".into()),
            PriorityQueueRet::Value(v) => wire::value_or_nil(v.as_ref()),
        }
    }
}

impl FromWire for PriorityQueue<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "priority-queue",
        about: "the largest value (or the smallest) comes out first",
        operations: &["insert(value)", "poll() -> value or null", "peek() -> value or null"],
        options: &["min: the smallest first", "max: the largest first (default)"],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        let order = match (options.switch("min")?, options.switch("max")?) {
            (true, true) => {
                return Err("a priority queue is min or max, not both".to_owned().into());
            }
            (true, false) => Order::Min,
            (false, _) => Order::Max,
        };
        Ok(PriorityQueue::new(order))
    }

    #[inline(always)]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "insert" => wire::element(call).map(Insert),
            "poll" => wire::none(call).map(|()| Poll),
            "peek" => wire::none(call).map(|()| Peek),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            Insert(_) => wire::done(value).map(|()| Done),
            Poll | Peek => Ok(PriorityQueueRet::Value(wire::maybe(value))),
        }
    }

    #[inline(always)]
    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, Insert(_)).then_some(Done)
    }

    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.below(20) {
            0 | 1 => Peek,
            2..11 => Insert(chance.scattered()),
            _ => Poll,
        })
    }

    /// In place: states are copied otherwise.
    fn perform(
        &self,
        state: &mut Self::State,
        op: &Self::Op,
        _chance: &mut dyn Chance,
    ) -> Option<Self::Ret> {
        Some(match op {
            Insert(v) => {
                let at = state.partition_point(|w| self.sort(w, v).is_lt());
                state.insert(at, v.clone());
                Done
            }
            Poll => PriorityQueueRet::Value(state.pop()),
            Peek => PriorityQueueRet::Value(state.last().cloned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::replay::tests::Job;
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};

    #[test]
    fn sequential_semantics() {
        let ops = [Poll, Insert(2), Insert(5), Insert(2), Peek, Poll, Insert(1), Poll];
        let (rets, state) = run(&PriorityQueue::new(Order::Max), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "ok", "5", "5", "ok", "2"]);
        assert_eq!(state, "[2, 1] (largest first)");
        let (rets, state) = run(&PriorityQueue::new(Order::Min), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "ok", "2", "2", "ok", "1"]);
        assert_eq!(state, "[2, 5] (smallest first)");
    }

    #[test]
    fn a_pending_poll_takes_the_first() {
        let spec = PriorityQueue::new(Order::Max);
        assert_eq!(next(&spec, &vec![1, 2], &Poll, None), ["[1] (largest first)"]);
        assert_eq!(next(&spec, &vec![], &Poll, None), ["empty"]);
    }

    #[test]
    fn of_equal_priorities_any_may_be_first() {
        let spec = PriorityQueue::new(Order::Max);
        let jobs = [Job(2, 'b'), Job(1, 'a'), Job(2, 'a'), Job(2, 'a')];
        let (mut one, mut other) = (vec![vec![]], vec![vec![]]);
        for i in 0..4 {
            one = vec![next_states(&spec, &one[0], &Insert(jobs[i].clone())).remove(0)];
            other = vec![next_states(&spec, &other[0], &Insert(jobs[3 - i].clone())).remove(0)];
        }
        assert_eq!(one, other);
        let mut outcomes = Vec::new();
        spec.outcomes(&one[0], &Poll, &mut outcomes);
        let mut found: Vec<String> =
            outcomes.iter().map(|(ret, _)| spec.describe_ret(&Poll, ret)).collect();
        found.sort();
        assert_eq!(found, ["Job(2, 'a')", "Job(2, 'b')"]);
        assert!(outcomes.iter().all(|(_, state)| state.len() == 3));
        let ops = [Insert(Job(2, 'b')), Insert(Job(1, 'a')), Insert(Job(2, 'a')), Poll, Poll, Peek];
        check_claims(&spec, &ops, 3, 300).unwrap();
    }

    fn next_states(
        spec: &PriorityQueue<Job>,
        state: &Vec<Job>,
        op: &PriorityQueueOp<Job>,
    ) -> Vec<Vec<Job>> {
        let mut next = Vec::new();
        spec.successors(state, op, None, &mut next);
        next
    }

    #[test]
    fn claims_hold() {
        let ops = [Insert(1), Insert(2), Insert(3), Poll, Poll, Peek];
        check_claims(&PriorityQueue::new(Order::Max), &ops, 1, 400).unwrap();
        check_claims(&PriorityQueue::new(Order::Min), &ops, 2, 400).unwrap();
    }
}
