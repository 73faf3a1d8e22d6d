//! Counter and semaphore.

use linpoint::spec::models::{
    Counter, CounterOp, CounterRet, Semaphore, SemaphoreOp, SemaphoreRet,
};

use crate::Rng;
use crate::small::SmallObject;
use crate::small::draw::Style;

/// A counter to which these amounts are added.
pub struct SmallCounter {
    /// The amounts.
    pub amounts: &'static [i64],
}

/// A semaphore.
pub struct SmallSemaphore {
    /// Its permits at the start.
    pub initial: u64,
}

impl SmallObject for SmallCounter {
    type Op = CounterOp;
    type Ret = CounterRet;
    type Spec = Counter;

    fn name(&self) -> &'static str {
        "counter"
    }

    fn spec(&self) -> Counter {
        Counter { initial: 0 }
    }

    fn step(&self, state: u64, op: &CounterOp) -> Option<(CounterRet, u64)> {
        let found = CounterRet::Value(state as i64);
        Some(match op {
            CounterOp::Get => (found, state),
            CounterOp::Add(by) => (CounterRet::Done, state.wrapping_add(*by as u64)),
            CounterOp::FetchAdd(by) => (found, state.wrapping_add(*by as u64)),
            CounterOp::AddFetch(by) => {
                let after = state.wrapping_add(*by as u64);
                (CounterRet::Value(after as i64), after)
            }
        })
    }

    fn draw(&self, rng: &mut Rng, _style: &Style, _fresh: u8) -> CounterOp {
        let by = self.amounts[rng.usize(..self.amounts.len())];
        match rng.usize(..3) {
            0 => CounterOp::Get,
            1 => CounterOp::Add(by),
            _ => CounterOp::FetchAdd(by),
        }
    }

    fn any_result(&self, rng: &mut Rng, op: &CounterOp, values: u8) -> CounterRet {
        match op {
            CounterOp::Add(_) => CounterRet::Done,
            _ => CounterRet::Value(rng.usize(..usize::from(values) + 2) as i64 - 1),
        }
    }

    fn letters(&self, values: u8) -> Vec<(CounterOp, Option<CounterRet>)> {
        let found = |op: CounterOp| {
            (0..i64::from(values)).map(move |n| (op.clone(), Some(CounterRet::Value(n))))
        };
        let mut letters: Vec<_> = found(CounterOp::Get).collect();
        for by in self.amounts {
            letters.extend(found(CounterOp::FetchAdd(*by)));
            letters.push((CounterOp::FetchAdd(*by), None));
            letters.push((CounterOp::Add(*by), Some(CounterRet::Done)));
            letters.push((CounterOp::Add(*by), None));
        }
        letters
    }
}

impl SmallObject for SmallSemaphore {
    type Op = SemaphoreOp;
    type Ret = SemaphoreRet;
    type Spec = Semaphore;

    fn name(&self) -> &'static str {
        "semaphore"
    }

    fn spec(&self) -> Semaphore {
        Semaphore { initial: self.initial }
    }

    fn start(&self) -> u64 {
        self.initial
    }

    fn step(&self, state: u64, op: &SemaphoreOp) -> Option<(SemaphoreRet, u64)> {
        match (op, state) {
            (SemaphoreOp::Release, _) => Some((SemaphoreRet::Done, state + 1)),
            (SemaphoreOp::TryAcquire, 0) => Some((SemaphoreRet::Bool(false), 0)),
            (SemaphoreOp::TryAcquire, _) => Some((SemaphoreRet::Bool(true), state - 1)),
            (SemaphoreOp::Acquire, 0) => None,
            (SemaphoreOp::Acquire, _) => Some((SemaphoreRet::Done, state - 1)),
        }
    }

    fn draw(&self, rng: &mut Rng, _style: &Style, _fresh: u8) -> SemaphoreOp {
        match rng.usize(..5) {
            0 | 1 => SemaphoreOp::Release,
            2 | 3 => SemaphoreOp::TryAcquire,
            _ => SemaphoreOp::Acquire,
        }
    }

    fn any_result(&self, rng: &mut Rng, op: &SemaphoreOp, _values: u8) -> SemaphoreRet {
        match op {
            SemaphoreOp::TryAcquire => SemaphoreRet::Bool(rng.bool()),
            _ => SemaphoreRet::Done,
        }
    }

    fn letters(&self, _values: u8) -> Vec<(SemaphoreOp, Option<SemaphoreRet>)> {
        vec![
            (SemaphoreOp::Release, Some(SemaphoreRet::Done)),
            (SemaphoreOp::Release, None),
            (SemaphoreOp::Acquire, Some(SemaphoreRet::Done)),
            (SemaphoreOp::Acquire, None),
            (SemaphoreOp::TryAcquire, Some(SemaphoreRet::Bool(true))),
            (SemaphoreOp::TryAcquire, Some(SemaphoreRet::Bool(false))),
            (SemaphoreOp::TryAcquire, None),
        ]
    }
}
