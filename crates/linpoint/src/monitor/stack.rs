//! Stacks whose elements are distinct: push, pop, peek, and empty results.
//!
//! Each element has an add and at most one removal, so it is known to be there at some peaks (it is
//! *critical* there, see [`super::container`]). Where nothing is critical the stack may be empty, and
//! the element whose operations all reach such a peak is outermost: it is peeled off, and the rest
//! decided without it ([`peel`]). If all elements can be peeled, putting them back, one inside the
//! other, gives an order ([`witness`]); if not, those that are left would each have to lie above
//! another one ([`contradiction`]). Pending pops: [`super::sandwich`].
//!
//! Time O(n log n), memory about 40 bytes for each operation. Trees with sixteen branches count
//! what is critical ([`cover`]) and find what reaches a peak ([`stabbing`]); both are accessed once
//! for each element or run of peaks, mostly near the previous access.
//!
//! Paper: Lee and Mathur on monitoring linearizability, the stack algorithm. Deviations: peaks instead
//! of events; runs of peaks; peeks by an interval tree of the critical elements instead of per-event
//! sets; witnesses, contradictions and pending operations are ours.

mod contradiction;
mod cover;
mod lines;
mod marks;
mod peeks;
mod peel;
pub(crate) mod repeats;
mod stabbing;
mod witness;

use super::columns::{Columns, Kind};
use super::container::Elements;
use super::contradiction::contradiction;
use super::effort::Effort;
use super::sandwich::{self, Monitor, Sandwich, Taken};
use super::{Clock, Found, Refusal};
use cover::Cover;
use marks::Marks;
use peel::{Peeled, Question, peel};

/// Rows and elements are counted in 30 bits, and two more give their kind; the number of an element
/// is at most twice the number of rows.
const MOST_ROWS: usize = 1 << 28;

/// Decides the rows.
pub(crate) fn decide(
    c: &Columns,
    e: &Elements,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
) -> Result<Found, Refusal> {
    if c.len().max(c.value_count / 2) > MOST_ROWS {
        return Err(Refusal::new("too many operations"));
    }
    let decided = sandwich::decide(c, e, &mut Stack { c, e }, effort)?;
    clock.decided();
    Ok(match decided {
        Sandwich::Yes(solved) => Found::Order(witness::order(c, e, solved)),
        Sandwich::No(stuck) => Found::Contradiction(contradiction::contradiction(c, e, stuck)),
        Sandwich::NoneFits => {
            let rows = (0..c.len() as u32).filter(|row| c.kinds[*row as usize] != Kind::Idle);
            let sentence = "no order exists, whichever elements the pending pops took";
            Found::Contradiction(contradiction![sentence].and(rows))
        }
    })
}

/// An order that explains the rows, if there is one.
pub(crate) fn find_order(
    c: &Columns,
    e: &Elements,
    effort: &mut Effort<'_>,
) -> Result<Option<Vec<u32>>, Refusal> {
    if c.len().max(c.value_count / 2) > MOST_ROWS {
        return Err(Refusal::new("too many operations"));
    }
    Ok(match sandwich::decide(c, e, &mut Stack { c, e }, effort)? {
        Sandwich::Yes(solved) => Some(witness::order(c, e, solved)),
        Sandwich::No(_) | Sandwich::NoneFits => None,
    })
}

/// The history, to be queried about pending pops.
struct Stack<'a> {
    c: &'a Columns,
    e: &'a Elements,
}

/// The details of a yes.
#[derive(Debug)]
struct Solved {
    /// For each element, the earliest beginning of its removal.
    ends: Vec<u32>,
    taken: Vec<Taken>,
    peeled: Peeled,
    /// For each empty result, the peak at which the stack was empty.
    empty_at: Vec<u32>,
}

/// The details of a no.
#[derive(Debug)]
struct Stuck {
    ends: Vec<u32>,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    /// This row found nothing, but the stack was never empty.
    NeverEmpty(u32),
    /// These elements are left.
    Left(Peeled),
}

impl Monitor for Stack<'_> {
    type Yes = Solved;
    type No = Stuck;

    fn ask(&mut self, taken: &[Taken]) -> Result<Solved, Stuck> {
        let mut ends: Vec<u32> =
            self.e.list.iter().map(|element| element.remove_left(self.c.peaks)).collect();
        for pair in taken {
            let last = self.e.list[pair.element as usize].last_left;
            ends[pair.element as usize] = last.max(self.c.left[pair.by as usize]);
        }
        let (peeled, empty_at) = solve(self.c, self.e, &ends)
            .map_err(|cause| Stuck { ends: std::mem::take(&mut ends), cause })?;
        Ok(Solved { ends, taken: taken.to_vec(), peeled, empty_at })
    }

    /// Elements that were peeled without further removals need none. (An empty result that is
    /// blocked may be the fault of any element.)
    fn blamed(&self, no: &Stuck) -> Option<Vec<u32>> {
        match &no.cause {
            Cause::NeverEmpty(_) => None,
            Cause::Left(peeled) => {
                let question = Question { c: self.c, e: self.e, ends: &no.ends };
                Some(contradiction::survivors(question, peeled))
            }
        }
    }
}

/// Decides for given ends of the elements: the peeling, and the positions of the empty results.
fn solve(c: &Columns, e: &Elements, ends: &[u32]) -> Result<(Peeled, Vec<u32>), Cause> {
    let question = Question { c, e, ends };
    let cover = Cover::new(c.peaks, question.critical().map(|element| question.span(element)));
    let empty_at = place_empties(c, e, &cover)?;
    let peeled = peel(question, cover);
    match peeled.left {
        0 => Ok((peeled, empty_at)),
        _ => Err(Cause::Left(peeled)),
    }
}

/// An empty result needs a peak at which nothing is certainly there, and no more than that:
/// everything that is peeled later goes to one side of it.
fn place_empties(c: &Columns, e: &Elements, cover: &Cover) -> Result<Vec<u32>, Cause> {
    if e.empties.is_empty() {
        return Ok(Vec::new());
    }
    let mut free = Marks::new(c.peaks);
    cover.each_free(|peak| free.insert(peak));
    let place = |row: &u32| {
        let i = *row as usize;
        free.next(c.left[i]).filter(|peak| *peak <= c.right[i]).ok_or(Cause::NeverEmpty(*row))
    };
    e.empties.iter().map(place).collect()
}
