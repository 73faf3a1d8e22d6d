//! Stacks whose values repeat.
//!
//! Idea. Returns are handled one after the other. Before each there are *states*: a set of operations
//! that have taken effect although they are still open, and all contents that the stack can have after
//! them. Which operations have taken effect determines how many elements there are and which, but not
//! their order: 2^k states at most, with k operations open together, and for each a set of words. A
//! return needs few sequences of open operations to be tried, by arguments that are specific to stacks
//! ([`step`]). Sets of words are decision diagrams that share what they have in common ([`words`](crate::monitor::returns::words)), so
//! that the many orders of overlapping pushes are never listed. If no state is left, there is no order.
//! Otherwise the states are followed backwards, which gives an order ([`course`]).
//!
//! Time: O(n 2^k) states; for each a few operations on sets of words, which take constant time as long
//! as the sets differ near the top only. Exponential in the worst case, so work and memory are counted
//! and may be refused, like more than 64 operations open together.
//!
//! Pending operations are handled. Completed pops of unknown result are not.
//!
//! That sets of operations are few if k is small is the idea of the FPT algorithms of FPTLin's authors,
//! who then solve reachability with matched pushes and pops. Sets of words take the place of that here;
//! they, the choice of sequences, pending operations and orders are ours.

mod moments;
mod step;
mod witness;

use super::super::columns::Columns;
use super::super::effort::Effort;
use super::super::returns::word::Word;
use super::super::returns::{course, stuck};
use super::super::{Clock, Found, Refusal};
use moments::Moments;
use step::Stepper;

/// Decides the rows. No value was removed before it was added, see `shortage.rs`.
pub(crate) fn decide(
    c: &Columns,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
) -> Result<Found, Refusal> {
    let moments = Moments::of(c, effort)?;
    let mut stepper = Stepper::new(c, &moments);
    let mut course = course::forward(&mut stepper, effort)?;
    clock.decided();
    if course.end.at < moments.len() {
        return Ok(Found::Contradiction(stuck(
            c,
            moments.returned(course.end.at),
            "last in, first out",
        )));
    }
    Ok(Found::Order(course::order::<_, Word>(&mut stepper, &mut course, effort)?))
}
