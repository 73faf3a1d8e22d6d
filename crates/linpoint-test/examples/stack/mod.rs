//! The stack of the tutorial: Treiber's, over an arena whose nodes are reused. It is written
//! against `super::sync`, so it compiles for `std`, shuttle and loom.
//!
//! It has the best known bug of its kind. Can you see it?

use linpoint_test::Test;
use linpoint_test::models::{Stack, StackOp, StackRet};

use super::sync::Mutex;
use super::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};

const NODES: usize = 64;

pub struct Treiber {
    /// Number of the node on top; zero for none.
    top: AtomicUsize,
    values: Vec<AtomicU64>,
    nexts: Vec<AtomicUsize>,
    unused: Mutex<Vec<usize>>,
}

impl Treiber {
    pub fn new() -> Self {
        Treiber {
            top: AtomicUsize::new(0),
            values: (0..=NODES).map(|_| AtomicU64::new(0)).collect(),
            nexts: (0..=NODES).map(|_| AtomicUsize::new(0)).collect(),
            unused: Mutex::new((1..=NODES).rev().collect()),
        }
    }

    pub fn push(&self, value: u64) {
        let node = self.unused.lock().unwrap().pop().expect("there are nodes left");
        self.values[node].store(value, Relaxed);
        loop {
            let top = self.top.load(Acquire);
            self.nexts[node].store(top, Relaxed);
            if self.top.compare_exchange(top, node, AcqRel, Relaxed).is_ok() {
                return;
            }
        }
    }

    pub fn pop(&self) -> Option<u64> {
        loop {
            let top = self.top.load(Acquire);
            if top == 0 {
                return None;
            }
            let next = self.nexts[top].load(Relaxed);
            let value = self.values[top].load(Relaxed);
            if self.top.compare_exchange(top, next, AcqRel, Relaxed).is_ok() {
                self.unused.lock().unwrap().push(top);
                return Some(value);
            }
        }
    }
}

/// The definition of the test, for every scheduler.
pub fn test() -> Test<Treiber, Stack<u64>> {
    Test::new(Treiber::new)
        .spec(Stack::new())
        .ops(|rng| if rng.chance(0.5) { StackOp::Push(rng.fresh()) } else { StackOp::Pop })
        .perform(|stack: &Treiber, op| match op {
            StackOp::Push(value) => {
                stack.push(*value);
                StackRet::Done
            }
            StackOp::Pop => StackRet::Value(stack.pop()),
            StackOp::Peek => unreachable!("not drawn"),
        })
        .threads(3)
        .operations(4)
}
