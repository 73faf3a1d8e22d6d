//! A model of your own: a counter that hands out numbers, by read and compare-and-swap, or by read and write.
//!
//! ```sh
//! cargo run -p linpoint-model --example your_own
//! ```

use linpoint::Sequential;
use linpoint_model::{Bounds, Cx, Flow, Interface, Model, Outcome, Settings, explore};

/// The specification: an ordinary struct, used by one thread. The operation takes a number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Counter(u8);

impl Sequential for Counter {
    type Op = ();
    type Ret = u8;

    fn apply(&mut self, (): &()) -> u8 {
        self.0 += 1;
        self.0
    }
}

/// The model.
struct Tickets {
    spec: Counter,
    compares: bool,
}

impl Model for Tickets {
    type Spec = Counter;
    // A thread may always call the same operation; in programs it is called "take".
    const INTERFACE: Interface<Counter> =
        Interface::new(|_thread, _fresh| vec![()], |_, name, _| (name == "take").then_some(()));
    type Shared = u8; // shared memory: the counter
    type Local = u8; // local state of a thread: the value it has read

    fn spec(&self) -> &Counter {
        &self.spec
    }

    /// One atomic step, as in the pseudo-code: each line accesses shared memory once.
    fn step(&self, cx: &mut Cx, (): &(), counter: &mut u8, seen: &mut u8) -> Flow<u8> {
        match cx.line {
            // 0: seen := counter
            0 => {
                *seen = *counter;
                Flow::Goto(1)
            }
            // 1: CAS(counter, seen → seen + 1), on failure goto 0
            _ if self.compares && *counter != *seen => Flow::Goto(0),
            // or just counter := seen + 1
            _ => {
                *counter = *seen + 1;
                Flow::Return(*counter)
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for compares in [true, false] {
        let model = Tickets { spec: Counter(0), compares };
        // Every program of 4 operations on 2 threads, in every interleaving.
        let result = explore(&model, &Bounds::Total { threads: 2, ops: 4 }, &Settings::default())?;
        println!("compares: {compares}, {} states", result.counts.stored);
        let Outcome::Violation(violation) = result.outcome else { continue };
        for step in &violation.steps {
            let ret = step.ret.as_ref().map(|ret| format!(", returns {ret}")).unwrap_or_default();
            println!(
                "  thread {} line {}: counter = {}{ret}",
                step.thread, step.lines[0], step.shared
            );
        }
    }
    Ok(())
}
