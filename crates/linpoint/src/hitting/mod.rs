//! Strong hitting families of schedules, and linearizability depth.
//!
//! Most histories are linearizable for a simple reason: if a few operations take effect as late as
//! possible, in the right order, nothing else matters. The number of such operations measures how
//! subtle a history is, and schedules that delay few operations are a good place to look for a
//! witness.
//!
//! * [`Poset`]: the partial order of operations.
//! * [`Family`]: the schedules that delay any `d` operations in any order, for increasing `d`.
//! * [`measure`]: the depth of a history. The engine `hitting` searches for witnesses in the same
//!   way.

mod depth;
mod family;
mod measure;
mod poset;
mod replay;
mod search;
#[cfg(test)]
mod tests;

pub use family::{Family, Schedule, TooMany};
pub use measure::{Exact, Measure, Measured, NotMeasured, measure};
pub use poset::{MOST_ELEMENTS, Poset};

use crate::budget::Budget;
use crate::search::{Automaton, Choice, Outcome, Problem, Stop, Stopped};

/// The engine tries families up to this `d`.
pub(crate) const ENGINE_DEPTH: usize = 5;

/// The completed operations of a part.
fn poset_of(problem: &Problem) -> Option<Poset> {
    // Operations are numbered by their calls.
    let before =
        |a: usize, b: usize| problem.calls_before[problem.return_of[a] as usize] as usize <= b;
    Poset::new(problem.ids.len(), before)
}

/// The engine `hitting`. It assumes that pending operations did not happen, which is always
/// possible. So it misses some witnesses, and never refutes.
pub(crate) fn run(
    problem: &Problem,
    automaton: &mut Automaton<'_>,
    budget: &mut Budget<'_>,
) -> Result<Outcome, Stopped> {
    let stopped = |stop: Stop| Stopped { stop, reached: 0 };
    let (None, Some(poset)) = (&problem.order, poset_of(problem)) else {
        return Err(stopped(search::gave_up()));
    };
    // A slot belongs to one open operation at a time, so slots are chains, and as few as possible.
    let mut chains = vec![Vec::new(); problem.width];
    for (op, slot) in problem.slot.iter().enumerate() {
        chains[*slot as usize].push(op);
    }
    let mut replay = replay::Replay::new(automaton, &problem.class);
    let hit = search::search(&poset, &chains, &mut replay, ENGINE_DEPTH, budget);
    match hit.map_err(stopped)? {
        Some(hit) => {
            let choice = |op: u8| Choice::op(u32::from(op));
            Ok(Outcome::Linearizable(hit.order.into_iter().map(choice).collect()))
        }
        None => Err(stopped(search::gave_up())),
    }
}
