//! Lowe's queue-oriented algorithm: repeatedly pair the first enqueue with the first dequeue.
//!
//! Idea. In a linearization of a queue, the first dequeue that finds something finds what the first
//! enqueue added. So the history is consumed from the front: a dequeue that finds nothing and that
//! nothing precedes can go first; otherwise some enqueue that nothing precedes is paired with a
//! dequeue of the same value that no dequeue precedes, and both go. From then on, what preceded
//! that dequeue precedes all remaining dequeues. Usually one pair is known to be correct; where it
//! is not, all are tried, and the sets of operations that have failed are remembered.
//!
//! Unlike the queue monitor, this works if values are enqueued several times. It is complete for
//! histories of enqueues, dequeues and empty results that all returned; peeks and pending
//! operations are refused. Time: O(n k) plus sorting, with k operations open at the same time, as
//! long as it does not backtrack; exponential in the worst case, which a step limit ends with a
//! refusal.
//!
//! Paper: Gavin Lowe, "Testing for linearizability", Concurrency and Computation: Practice and
//! Experience, 2017, section 5, figure 3. Deviations: 1. times are peaks, so that making all
//! dequeues wait is one number (`floor` in `search.rs`); 2. failures are remembered where it
//! branches; 3. linked lists are relinked on backtracking instead of cloned; 4. lists of the
//! operations of each value, by their end, determine which pair ends first; 5. an order, or a few
//! values that have none.
//!
//! Four details are easy to get wrong, and each has a test: the earliest end is that of *all*
//! remaining operations of the value; a dequeue that found nothing counts when deciding whether a
//! dequeue precedes; it has to wait like the others; and it may rule out choosing the pair that
//! ends first.

mod links;
mod order;
mod search;

use super::columns::{Columns, Kind};
use super::contradiction::{Contradiction, Piece};
use super::minimise::few_rows;
use super::names::NONE;
use super::peaks::Peaks;
use super::{Clock, Found, Refusal};
use crate::sorting::sort_by_key;
use search::{Problem, Search};

/// Name at most this many operations in a sentence.
const NAMED: usize = 3;

/// Decides the rows.
pub(super) fn decide(c: &Columns, max_steps: u64, clock: &mut Clock) -> Result<Found, Refusal> {
    let rows = accepted(c)?;
    let problem = Problem::of(c, rows);
    clock.prepared();
    let mut search = Search::new(&problem, max_steps);
    let found = search.run().ok_or_else(|| {
        Refusal::new(format!("the queue-oriented search took more than {max_steps} steps"))
    })?;
    clock.decided();
    Ok(match found {
        Some(steps) => Found::Order(order::order(&problem, &steps)),
        None => Found::Contradiction(contradiction(c, &problem, max_steps)),
    })
}

/// The rows to decide, if the algorithm supports them.
fn accepted(c: &Columns) -> Result<Vec<u32>, Refusal> {
    let mut rows = Vec::with_capacity(c.len());
    for row in 0..c.len() as u32 {
        match c.kinds[row as usize] {
            Kind::Idle => continue,
            Kind::Add | Kind::Remove | Kind::Empty => {}
            Kind::Peek => return Err(Refusal::new("peeks are not part of the algorithm")),
            _ => return Err(Refusal::new("an operation never returned")),
        }
        if c.right[row as usize] == Peaks::NEVER {
            return Err(Refusal::new("an operation never returned"));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// A few values and empty results that contradict each other.
///
/// Deleting all operations of a value, or an empty result, from a linearizable history leaves it
/// linearizable. If more was enqueued of one of these values than dequeued, then a dequeue outside the
/// contradiction, being relaxed, might have removed it: then all dequeues are part of it.
fn contradiction(c: &Columns, problem: &Problem, max_steps: u64) -> Contradiction {
    // Numbers of values, then numbers of empty results.
    let values = problem.value_count as u32;
    let empties: Vec<u32> = (0..problem.len() as u32).filter(|i| problem.is_empty(*i)).collect();
    let all: Vec<u32> = (0..values + empties.len() as u32).collect();
    let rows_of = |things: &[u32]| {
        let mut is_wanted = vec![false; all.len()];
        things.iter().for_each(|thing| is_wanted[*thing as usize] = true);
        let of_values = (0..problem.len() as u32).filter(|i| {
            let value = problem.values[*i as usize];
            value != NONE && is_wanted[value as usize]
        });
        let wanted = |(at, _): &(usize, &u32)| is_wanted[values as usize + at];
        let of_empties = empties.iter().enumerate().filter(wanted).map(|(_, i)| *i);
        let mut chosen: Vec<u32> = of_values.chain(of_empties).collect();
        chosen.sort_unstable();
        chosen.into_iter().map(|i| problem.rows[i as usize]).collect::<Vec<u32>>()
    };
    let mut steps_left = max_steps;
    let is_bad = |things: &[u32]| {
        let part = Problem::of(c, rows_of(things));
        let mut search = Search::new(&part, steps_left);
        let found = search.run();
        steps_left = search.steps_left;
        found.is_some_and(|order| order.is_none())
    };
    // Most queries are about a small part.
    let cost = problem.len() / 16;
    let core = rows_of(&few_rows(all.clone(), cost, is_bad));
    let kind = |row: &u32| c.kinds[*row as usize];
    let mut sentence: Vec<Piece> = vec!["first in, first out cannot explain ".into()];
    let mut named: Vec<u32> = core.clone();
    sort_by_key(&mut named, |row| match kind(row) {
        Kind::Empty => 0u32,
        Kind::Remove => 1,
        _ => 2,
    });
    for (i, row) in named.iter().take(NAMED).enumerate() {
        if i > 0 {
            sentence.push(", ".into());
        }
        sentence.push((*row).into());
    }
    if named.len() > NAMED {
        let more = named.len() - NAMED;
        let operations = if more == 1 { "operation" } else { "operations" };
        sentence.push(format!(" and {more} more {operations} on the same values").into());
    }
    let added = core.iter().filter(|row| kind(row) == Kind::Add).count();
    let removed = core.iter().filter(|row| kind(row) == Kind::Remove).count();
    let is_removal = |row: &u32| matches!(kind(row), Kind::Remove | Kind::Empty);
    let others = (0..c.len() as u32).filter(|row| added > removed && is_removal(row));
    Contradiction::new(sentence).and(core.iter().copied().chain(others))
}
