//! Set and lock.

use linpoint::spec::models::{Mutex, MutexOp, MutexRet, Set, SetOp, SetRet};

use crate::Rng;
use crate::small::SmallObject;
use crate::small::draw::Style;

/// A set of numbers below `keys`.
pub struct SmallSet {
    /// How many different elements there are.
    pub keys: u8,
}

/// A lock without owners.
pub struct SmallMutex;

impl SmallObject for SmallSet {
    type Op = SetOp<u8>;
    type Ret = SetRet;
    type Spec = Set<u8>;

    fn name(&self) -> &'static str {
        "set"
    }

    fn spec(&self) -> Set<u8> {
        Set::new()
    }

    fn step(&self, state: u64, op: &SetOp<u8>) -> Option<(SetRet, u64)> {
        let there = |v: &u8| state >> v & 1 == 1;
        Some(match op {
            SetOp::Insert(v) => (SetRet(!there(v)), state | 1 << v),
            SetOp::Remove(v) => (SetRet(there(v)), state & !(1 << v)),
            SetOp::Contains(v) => (SetRet(there(v)), state),
        })
    }

    fn draw(&self, rng: &mut Rng, _style: &Style, _fresh: u8) -> SetOp<u8> {
        let key = rng.u8(..self.keys);
        match rng.usize(..5) {
            0 | 1 => SetOp::Insert(key),
            2 | 3 => SetOp::Remove(key),
            _ => SetOp::Contains(key),
        }
    }

    fn any_result(&self, rng: &mut Rng, _op: &SetOp<u8>, _values: u8) -> SetRet {
        SetRet(rng.bool())
    }

    fn letters(&self, _values: u8) -> Vec<(SetOp<u8>, Option<SetRet>)> {
        let of_key = |k: u8| [SetOp::Insert(k), SetOp::Remove(k), SetOp::Contains(k)];
        let results = [Some(SetRet(true)), Some(SetRet(false)), None];
        let ops = (0..self.keys).flat_map(of_key);
        ops.flat_map(|op| results.map(|ret| (op.clone(), ret))).collect()
    }
}

impl SmallObject for SmallMutex {
    type Op = MutexOp;
    type Ret = MutexRet;
    type Spec = Mutex;

    fn name(&self) -> &'static str {
        "mutex"
    }

    fn spec(&self) -> Mutex {
        Mutex::default()
    }

    fn step(&self, state: u64, op: &MutexOp) -> Option<(MutexRet, u64)> {
        match op {
            MutexOp::Acquire(_) => (state == 0).then_some((MutexRet::Done, 1)),
            MutexOp::Release(_) => (state == 1).then_some((MutexRet::Done, 0)),
            MutexOp::TryAcquire(_) => Some((MutexRet::Bool(state == 0), 1)),
        }
    }

    fn draw(&self, rng: &mut Rng, _style: &Style, _fresh: u8) -> MutexOp {
        match rng.usize(..5) {
            0 | 1 => MutexOp::Acquire(None),
            2 | 3 => MutexOp::Release(None),
            _ => MutexOp::TryAcquire(None),
        }
    }

    fn any_result(&self, rng: &mut Rng, op: &MutexOp, _values: u8) -> MutexRet {
        match op {
            MutexOp::TryAcquire(_) => MutexRet::Bool(rng.bool()),
            _ => MutexRet::Done,
        }
    }

    fn letters(&self, _values: u8) -> Vec<(MutexOp, Option<MutexRet>)> {
        let (acquire, release) = (MutexOp::Acquire(None), MutexOp::Release(None));
        let attempt = MutexOp::TryAcquire(None);
        vec![
            (acquire, Some(MutexRet::Done)),
            (acquire, None),
            (release, Some(MutexRet::Done)),
            (release, None),
            (attempt, Some(MutexRet::Bool(true))),
            (attempt, Some(MutexRet::Bool(false))),
            (attempt, None),
        ]
    }
}
