//! What goes in comes out, in one order or another.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::super::rng::Rng;
use super::super::values::Supply;
use super::{Blocked, Draft, Object, Op};
use crate::{Format, Value};

/// A bag, stack, queue, deque or priority queue.
pub(super) struct Container {
    kind: Kind,
    supply: Supply,
    capacity: Option<usize>,
    /// So many in a hundred only look.
    peeks: u64,
}

/// What it holds, in its order.
enum Kind {
    Bag(Vec<i64>),
    Stack(Vec<i64>),
    Queue(VecDeque<i64>),
    Deque(VecDeque<i64>),
    Largest(BinaryHeap<i64>),
    Smallest(BinaryHeap<Reverse<i64>>),
}

impl Container {
    pub(super) fn new(draft: &Draft<'_>) -> Container {
        let kind = match draft.model.name.as_str() {
            "bag" => Kind::Bag(Vec::new()),
            "stack" => Kind::Stack(Vec::new()),
            "queue" => Kind::Queue(VecDeque::new()),
            "deque" => Kind::Deque(VecDeque::new()),
            _ if draft.option("min") == Some(&Value::Bool(true)) => {
                Kind::Smallest(BinaryHeap::new())
            }
            _ => Kind::Largest(BinaryHeap::new()),
        };
        let supply = match kind {
            Kind::Largest(_) | Kind::Smallest(_) => {
                Supply::scattered(draft.values, draft.operations)
            }
            _ => Supply::new(draft.values),
        };
        let peeks = if draft.format == Format::Limo { 0 } else { 10 };
        Container { kind, supply, capacity: draft.size("capacity"), peeks }
    }

    fn len(&self) -> usize {
        match &self.kind {
            Kind::Bag(items) | Kind::Stack(items) => items.len(),
            Kind::Queue(items) | Kind::Deque(items) => items.len(),
            Kind::Largest(items) => items.len(),
            Kind::Smallest(items) => items.len(),
        }
    }

    fn add(&mut self, value: i64, name: &str) {
        match &mut self.kind {
            Kind::Bag(items) | Kind::Stack(items) => items.push(value),
            Kind::Deque(items) if name == "push_front" => items.push_front(value),
            Kind::Queue(items) | Kind::Deque(items) => items.push_back(value),
            Kind::Largest(items) => items.push(value),
            Kind::Smallest(items) => items.push(Reverse(value)),
        }
    }

    fn take(&mut self, name: &str, rng: &mut Rng) -> Option<i64> {
        match &mut self.kind {
            Kind::Bag(items) if items.is_empty() => None,
            Kind::Bag(items) => Some(items.swap_remove(rng.index(items.len()))),
            Kind::Stack(items) => items.pop(),
            Kind::Deque(items) if name == "pop_back" => items.pop_back(),
            Kind::Queue(items) | Kind::Deque(items) => items.pop_front(),
            Kind::Largest(items) => items.pop(),
            Kind::Smallest(items) => items.pop().map(|Reverse(value)| value),
        }
    }

    fn look(&self, name: &str) -> Option<i64> {
        match &self.kind {
            Kind::Bag(items) | Kind::Stack(items) => items.last().copied(),
            Kind::Deque(items) if name == "peek_back" => items.back().copied(),
            Kind::Queue(items) | Kind::Deque(items) => items.front().copied(),
            Kind::Largest(items) => items.peek().copied(),
            Kind::Smallest(items) => items.peek().map(|Reverse(value)| *value),
        }
    }
}

fn is_take(op: &Op) -> bool {
    matches!(op.name, "remove" | "pop" | "dequeue" | "pop_front" | "pop_back" | "poll")
}

impl Object for Container {
    fn draw(&mut self, _who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        let front = rng.percent(50);
        // Adding, taking, looking.
        let names = match (&self.kind, front) {
            (Kind::Bag(_), _) => ["add", "remove", "remove"],
            (Kind::Stack(_), _) => ["push", "pop", "peek"],
            (Kind::Queue(_), _) => ["enqueue", "dequeue", "peek"],
            (Kind::Deque(_), true) => ["push_front", "pop_front", "peek_front"],
            (Kind::Deque(_), false) => ["push_back", "pop_back", "peek_back"],
            (Kind::Largest(_) | Kind::Smallest(_), _) => ["insert", "poll", "peek"],
        };
        Some(match rng.percent(50) {
            _ if rng.percent(self.peeks) => Op::alone(names[2]),
            true => Op::new(names[0], [self.supply.draw(rng)]),
            false => Op::alone(names[1]),
        })
    }

    fn apply(&mut self, _who: u32, op: &Op, rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let found = |value: Option<i64>| Some(value.map_or(Value::Nil, Value::Int));
        Ok(match op.args.first() {
            None if is_take(op) => found(self.take(op.name, rng)),
            None => found(self.look(op.name)),
            Some(value) => {
                let room = self.capacity.is_none_or(|capacity| self.len() < capacity);
                if room {
                    self.add(value.as_int().unwrap_or_default(), op.name);
                }
                self.capacity.map(|_| Value::str(if room { "ok" } else { "full" }))
            }
        })
    }

    fn wrong(&self, op: &Op, _result: &Value) -> Option<Value> {
        op.args.is_empty().then(|| self.supply.never())
    }

    fn has_results(&self, op: &Op) -> bool {
        op.args.is_empty() || self.capacity.is_some()
    }
}
