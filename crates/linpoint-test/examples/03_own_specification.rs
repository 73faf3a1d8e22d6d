//! 3. A specification of your own: an ordinary struct for one thread.
//!
//! `cargo run -p linpoint-test --example 03_own_specification`
//!
//! The object is a pair of accounts. Transfers take both locks, and so must code that reads both
//! balances.

use std::sync::Mutex;

use linpoint_test::{Sequential, Stress};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Op {
    Transfer(i64),
    Balances,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Accounts(i64, i64);

impl Sequential for Accounts {
    type Op = Op;
    type Ret = (i64, i64);

    fn apply(&mut self, op: &Op) -> (i64, i64) {
        if let Op::Transfer(amount) = op {
            self.0 -= amount;
            self.1 += amount;
        }
        (self.0, self.1)
    }

    fn is_read(&self, op: &Op, _ret: Option<&(i64, i64)>) -> bool {
        matches!(op, Op::Balances)
    }
}

/// Runs the example.
pub fn main() {
    let summary = Stress::new(|| (Mutex::new(100), Mutex::new(100)))
        .spec(Accounts(100, 100))
        .ops(
            |rng| if rng.chance(0.5) { Op::Transfer(rng.range(1..5) as i64) } else { Op::Balances },
        )
        .perform(|(first, second), op| {
            let (mut first, mut second) = (first.lock().unwrap(), second.lock().unwrap());
            if let Op::Transfer(amount) = op {
                *first -= amount;
                *second += amount;
            }
            (*first, *second)
        })
        .threads(3)
        .runs(200)
        .run();
    println!("{} operations in {} runs, all linearizable", summary.operations, summary.runs);
}
