//! Deques, whether values repeat or not.
//!
//! Idea. Returns are handled one after the other. Before each there are *states*: a set of operations
//! that have taken effect although they are still open, and all contents that the deque can have after
//! them ([`contents`]). A return needs few sequences of open operations to be tried, by arguments that
//! are specific to deques ([`step`]): as long as a deque is not emptied, each of its ends is a stack of its
//! own. The many orders of overlapping pushes are never listed. If no state is left, there is no
//! order. Otherwise the states are followed backwards, which gives an order ([`course`]).
//!
//! Time: O(n 2^k) states with k operations open together; for each a few operations on sets of words,
//! which take constant time as long as these differ near the ends only. Exponential in the worst case,
//! so work and memory are counted and may be refused, like more than 64 operations open together.
//!
//! Pending operations are handled, but each that may matter can double the number of states. Completed
//! pops of unknown result are not handled.
//!
//! The idea is that of `stack/repeats/`. Two ends, and the sequences that they need, are ours too.

mod anew;
mod bottom;
mod contents;
mod ends;
mod moments;
mod moves;
mod recut;
mod step;
#[cfg(test)]
mod tests;
mod witness;

use super::columns::Columns;
use super::effort::Effort;
use super::returns::{course, stuck};
use super::{Clock, Found, Refusal, Rows, idle, shortage};
use moments::Moments;
use step::Stepper;
use witness::Halves;

/// More values than this are refused: they are numbered together with the ends.
const MOST_VALUES: usize = 1 << 30;

/// Decides the rows.
pub(super) fn decide(
    rows: Rows<'_>,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
) -> Result<Found, Refusal> {
    let columns = Columns::read(rows)?;
    clock.prepared();
    let found = match shortage::find(&columns) {
        Some(contradiction) => Found::Contradiction(contradiction),
        None => decide_columns(&columns, clock, effort)?,
    };
    Ok(match found {
        Found::Order(rows) => Found::Order(idle::weave(&columns, rows)),
        contradiction => {
            rows.verify_names()?;
            contradiction
        }
    })
}

fn decide_columns(
    c: &Columns,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
) -> Result<Found, Refusal> {
    if c.value_count > MOST_VALUES {
        return Err(Refusal::new("there are too many different values"));
    }
    let moments = Moments::of(c, effort)?;
    if moments.has_pending()
        && let Ok(Found::Order(order)) = run(c, &moments, true, clock, effort)
    {
        return Ok(Found::Order(order));
    }
    run(c, &moments, false, clock, effort)
}

/// Handles all returns. If it is lazy, a contradiction is none, see [`step`].
fn run(
    c: &Columns,
    moments: &Moments,
    is_lazy: bool,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
) -> Result<Found, Refusal> {
    let mut stepper = Stepper::new(c, moments, is_lazy);
    let mut course = course::forward(&mut stepper, effort)?;
    clock.decided();
    if course.end.at < moments.len() {
        return Ok(Found::Contradiction(stuck(
            c,
            moments.returned(course.end.at),
            "that of a deque",
        )));
    }
    Ok(Found::Order(course::order::<_, Halves>(&mut stepper, &mut course, effort)?))
}
