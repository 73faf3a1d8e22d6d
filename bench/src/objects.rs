//! The objects that are simulated, and the mix of operations on each.

use std::collections::{BTreeMap, VecDeque};

use linpoint::spec::models::{
    KeyValueOp, KeyValueRet, QueueOp, QueueRet, RegisterOp, RegisterRet, StackOp, StackRet,
};

use crate::generate::Object;
use linpoint::random::SplitMix64 as Rng;

/// The source of values.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// Each value is used once.
    Unique(u32),
    /// Each value is used once, in an order that looks random.
    Scattered(u32),
    /// Values `1..=n`.
    Among(u32),
}

impl Values {
    /// Each value is used once.
    pub const UNIQUE: Values = Values::Unique(0);
    /// Each value is used once, in an order that looks random.
    pub const SCATTERED: Values = Values::Scattered(0);

    /// The next value, never 0.
    pub fn draw(&mut self, rng: &mut Rng) -> u32 {
        match self {
            Values::Unique(last) => {
                *last += 1;
                *last
            }
            Values::Scattered(last) => {
                *last += 1;
                // Both steps are invertible, so no two values are the same, and 0 stays 0.
                let mixed = last.wrapping_mul(0x9e37_79b1);
                mixed ^ (mixed >> 15)
            }
            Values::Among(n) => 1 + rng.index(*n as usize) as u32,
        }
    }
}

/// A queue: enqueues with probability `adds`, else dequeues.
pub struct SimQueue {
    /// Share of enqueues.
    pub adds: f64,
    /// What is enqueued.
    pub values: Values,
    /// What is in it.
    pub items: VecDeque<u32>,
}

impl Object for SimQueue {
    type Op = QueueOp<u32>;
    type Ret = QueueRet<u32>;

    fn draw(&mut self, rng: &mut Rng) -> Self::Op {
        if rng.chance(self.adds) {
            QueueOp::Enqueue(self.values.draw(rng))
        } else {
            QueueOp::Dequeue
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            QueueOp::Enqueue(v) => {
                self.items.push_back(*v);
                QueueRet::Done
            }
            QueueOp::Dequeue => QueueRet::Value(self.items.pop_front()),
            QueueOp::Peek => QueueRet::Value(self.items.front().copied()),
        }
    }
}

/// A stack: pushes with probability one half, else pops.
pub struct SimStack {
    /// What is pushed.
    pub values: Values,
    /// What is in it.
    pub items: Vec<u32>,
}

impl Object for SimStack {
    type Op = StackOp<u32>;
    type Ret = StackRet<u32>;

    fn draw(&mut self, rng: &mut Rng) -> Self::Op {
        if rng.chance(0.5) { StackOp::Push(self.values.draw(rng)) } else { StackOp::Pop }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            StackOp::Push(v) => {
                self.items.push(*v);
                StackRet::Done
            }
            StackOp::Pop => StackRet::Value(self.items.pop()),
            StackOp::Peek => StackRet::Value(self.items.last().copied()),
        }
    }
}

/// A register that begins with 0: reads and writes half and half.
pub struct SimRegister {
    /// What is written.
    pub values: Values,
    /// Ambiguous writes never write this.
    pub never_ambiguous: Option<u32>,
    /// What it holds.
    pub holds: u32,
}

impl Object for SimRegister {
    type Op = RegisterOp<u32>;
    type Ret = RegisterRet<u32>;

    fn draw(&mut self, rng: &mut Rng) -> Self::Op {
        if rng.chance(0.5) { RegisterOp::Write(self.values.draw(rng)) } else { RegisterOp::Read }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            RegisterOp::Write(v) => {
                self.holds = *v;
                RegisterRet::Written
            }
            RegisterOp::Read => RegisterRet::Value(self.holds),
        }
    }

    fn may_crash(&self, op: &Self::Op) -> bool {
        matches!(op, RegisterOp::Write(v) if Some(*v) != self.never_ambiguous)
    }
}

/// The operations of a map.
#[derive(Clone, Copy, Debug)]
pub enum Mix {
    /// Lowe's: get, put, delete and get-or-else-update, a quarter each.
    Lowe,
    /// Half gets, two fifths puts, one tenth deletions.
    Store,
}

/// Draws an operation of a map.
pub fn draw_map_op(
    mix: Mix,
    keys: usize,
    values: &mut Values,
    rng: &mut Rng,
) -> KeyValueOp<u32, u32> {
    let key = rng.index(keys) as u32;
    let pick = rng.index(20);
    match (mix, pick) {
        (Mix::Lowe, 0..5) | (Mix::Store, 0..10) => KeyValueOp::Get(key),
        (Mix::Lowe, 5..10) | (Mix::Store, 10..18) => KeyValueOp::Put(key, values.draw(rng)),
        (Mix::Lowe, 10..15) | (Mix::Store, _) => KeyValueOp::Delete(key),
        (Mix::Lowe, _) => KeyValueOp::GetOrElseUpdate(key, values.draw(rng)),
    }
}

/// The effect of an operation of a map on the value of its key.
pub fn apply_map_op(op: &KeyValueOp<u32, u32>, value: &mut Option<u32>) -> KeyValueRet<u32> {
    match op {
        KeyValueOp::Get(_) => KeyValueRet::Value(*value),
        KeyValueOp::Put(_, v) => {
            *value = Some(*v);
            KeyValueRet::Done
        }
        KeyValueOp::Delete(_) => {
            *value = None;
            KeyValueRet::Done
        }
        KeyValueOp::GetOrElseUpdate(_, v) => KeyValueRet::Value(Some(*value.get_or_insert(*v))),
        other => unreachable!("{other:?} is in no mix"),
    }
}

/// The key of an operation of a map.
pub fn map_key(op: &KeyValueOp<u32, u32>) -> u32 {
    match op {
        KeyValueOp::Get(k)
        | KeyValueOp::Put(k, _)
        | KeyValueOp::Append(k, _)
        | KeyValueOp::Delete(k)
        | KeyValueOp::Remove(k)
        | KeyValueOp::GetOrElseUpdate(k, _)
        | KeyValueOp::CompareAndSet(k, _, _) => *k,
    }
}

/// A map with small integers as keys.
pub struct SimMap {
    /// The operations.
    pub mix: Mix,
    /// The values.
    pub values: Values,
    /// The value of each key.
    pub holds: Vec<Option<u32>>,
}

impl SimMap {
    /// An empty map.
    pub fn new(mix: Mix, keys: usize, values: Values) -> Self {
        SimMap { mix, values, holds: vec![None; keys] }
    }
}

impl Object for SimMap {
    type Op = KeyValueOp<u32, u32>;
    type Ret = KeyValueRet<u32>;

    fn draw(&mut self, rng: &mut Rng) -> Self::Op {
        draw_map_op(self.mix, self.holds.len(), &mut self.values, rng)
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        apply_map_op(op, &mut self.holds[map_key(op) as usize])
    }

    fn may_crash(&self, op: &Self::Op) -> bool {
        !matches!(op, KeyValueOp::Get(_))
    }
}

/// A key-value store of strings, as in the logs that Porcupine is tested with: each client appends
/// and puts values that no other client does.
pub struct SimStore {
    /// Number of keys.
    pub keys: usize,
    /// Number of operations so far.
    pub drawn: u32,
    /// What the keys hold.
    pub holds: BTreeMap<String, String>,
}

impl Object for SimStore {
    type Op = KeyValueOp<String, String>;
    type Ret = KeyValueRet<String>;

    fn draw(&mut self, rng: &mut Rng) -> Self::Op {
        let key = rng.index(self.keys).to_string();
        self.drawn += 1;
        let value = format!("x {} y", self.drawn);
        match rng.index(10) {
            0..5 => KeyValueOp::Get(key),
            5..8 => KeyValueOp::Append(key, value),
            _ => KeyValueOp::Put(key, value),
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            KeyValueOp::Get(k) => {
                KeyValueRet::Value(Some(self.holds.get(k).cloned().unwrap_or_default()))
            }
            KeyValueOp::Append(k, v) => {
                self.holds.entry(k.clone()).or_default().push_str(v);
                KeyValueRet::Done
            }
            KeyValueOp::Put(k, v) => {
                self.holds.insert(k.clone(), v.clone());
                KeyValueRet::Done
            }
            other => unreachable!("{other:?} is not drawn"),
        }
    }
}
