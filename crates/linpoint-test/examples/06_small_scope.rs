//! 6. All small scenarios, and no specification to write.
//!
//! `cargo run -p linpoint-test --features shuttle --example 06_small_scope`
//!
//! A set that checks before it inserts. All scenarios of up to two threads with one operation each
//! are tried, in all schedules; many bugs show in such small scenarios. The specification is
//! derived from the object itself: what the set does when a single thread uses it is correct.

use std::collections::BTreeSet;

use linpoint_test::Test;
use linpoint_test::report::Files;
use linpoint_test::schedule::derived::Derived;
use linpoint_test::schedule::shuttle::Shuttle;
use linpoint_test::sync::shuttled::Mutex;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Op {
    Insert(u8),
    Remove(u8),
}

#[derive(Default)]
struct Set {
    values: Mutex<BTreeSet<u8>>,
    atomic: bool,
}

impl Set {
    /// True if the set changed.
    fn perform(&self, op: &Op) -> bool {
        match op {
            Op::Insert(value) if self.atomic => self.values.lock().unwrap().insert(*value),
            Op::Insert(value) => {
                let known = self.values.lock().unwrap().contains(value);
                if !known {
                    self.values.lock().unwrap().insert(*value); // Another may have come first.
                }
                !known
            }
            Op::Remove(value) => self.values.lock().unwrap().remove(value),
        }
    }
}

fn test(atomic: bool) -> Test<Set, Derived<Op, bool>> {
    let make = move || Set { atomic, ..Set::default() };
    let derived = Derived::under(Shuttle::random().executions(1), make, Set::perform);
    Test::new(make).spec(derived).ops_from([Op::Insert(1), Op::Remove(1)]).perform(Set::perform)
}

/// Runs the example.
pub fn main() {
    let all = |atomic| {
        let test = test(atomic).name("set that checks before it inserts");
        test.shuttle(Shuttle::depth_first()).small_scope(2, 1).files(Files::none())
    };
    let report = all(false).try_run().expect_err("both insert");
    println!("{report}");
    println!("\nThe atomic one: {}", all(true).run());
}
