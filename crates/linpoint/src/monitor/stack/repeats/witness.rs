//! The order behind a "yes".
//!
//! From the last return to the first: given a state and contents that it can have, the links between
//! states are followed backwards ([`Record`]). A link fits if the contents before it are in the set of
//! the state that it comes from; then they can be reached, so no choice has to be undone.

use super::forward::{Course, Record, Recorded};
use super::step::{Done, Link, Move, Node, Origin, Phase, Stepper};
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;
use crate::monitor::names::NONE;
use crate::monitor::returns::word::Word;
use crate::monitor::returns::words::{Set, Words};

/// Undoes a move and returns whether the contents before it are in the set. If not, they are as
/// before.
fn undo(
    contents: &mut Word,
    by: Move,
    words: &Words,
    set: Set,
    effort: &mut Effort<'_>,
) -> Result<bool, Refusal> {
    match by {
        Move::Stay | Move::Reads(_) | Move::PushAndPop { .. } => contents.is_in(words, set, effort),
        Move::Pop { value, .. } => contents.is_in_below(value, words, set, effort),
        Move::Push { row: _, reads: _ } => contents.is_in_without_top(words, set, effort),
    }
}

/// An order that leads to one of the states after the last return.
pub(super) fn order(
    stepper: &mut Stepper<'_>,
    course: &mut Course,
    effort: &mut Effort<'_>,
) -> Result<Vec<u32>, Refusal> {
    let Some(&end) = course.end.states.first() else { return Err(lost()) };
    let mut back =
        Back { order: Vec::new(), done: end.done, contents: Word::some(&stepper.words, end.words) };
    course.end.states.clear();
    let mut until = course.end.at;
    let mut record = Record::default();
    while let Some(stop) = course.stops.pop() {
        record.repeat(stepper, &stop, until, effort)?;
        for at in (stop.at..until).rev() {
            stepper.moments.fill(stepper.c, at, &mut stepper.moment);
            back.undo_return(stepper, &record.at(at), effort)?;
        }
        until = stop.at;
        if stepper.words.is_large() {
            course.sweep(stepper, &mut back.contents.known, effort)?;
        }
    }
    if !back.contents.values.is_empty() || back.done.open != 0 {
        return Err(lost());
    }
    back.order.reverse();
    Ok(back.order)
}

/// A state and its contents, and the operations after it in reverse.
struct Back {
    order: Vec<u32>,
    done: Done,
    contents: Word,
}

impl Back {
    /// Goes back to a state before a return.
    fn undo_return(
        &mut self,
        stepper: &Stepper<'_>,
        recorded: &Recorded<'_>,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let is_end = |node: &Node| node.phase == Phase::After && node.state.done == self.done;
        let mut node = recorded.nodes.iter().position(is_end).ok_or_else(lost)? as u32;
        effort.work(node as usize)?;
        loop {
            let (from, by) = self.undo_link(stepper, recorded, node, effort)?;
            write(stepper, by, &mut self.order);
            match from {
                Origin::Node(earlier) => node = earlier,
                Origin::Before(state) => {
                    self.done = recorded.before[state as usize].done;
                    return Ok(());
                }
            }
        }
    }

    /// Finds a link through which the contents reached the node, and undoes its move.
    fn undo_link(
        &mut self,
        stepper: &Stepper<'_>,
        recorded: &Recorded<'_>,
        node: u32,
        effort: &mut Effort<'_>,
    ) -> Result<(Origin, Move), Refusal> {
        let first = recorded.links.partition_point(|link| link.to < node);
        for &Link { from, by, .. } in
            recorded.links[first..].iter().take_while(|link| link.to == node)
        {
            let set = match from {
                Origin::Node(node) => recorded.nodes[node as usize].state.words,
                Origin::Before(state) => recorded.before[state as usize].words,
            };
            if fits_top(stepper, by, &self.contents)
                && undo(&mut self.contents, by, &stepper.words, set, effort)?
            {
                return Ok((from, by));
            }
        }
        Err(lost())
    }
}

/// False if the move pushed or saw something else than what is on top.
fn fits_top(stepper: &Stepper<'_>, by: Move, contents: &Word) -> bool {
    let top = contents.values.last().copied();
    match by {
        Move::Push { row, .. } => top == Some(stepper.c.values[row as usize]),
        // An empty result names no value.
        Move::Reads(bits) => {
            let row = stepper.moment.row_of(bits);
            top == Some(stepper.c.values[row as usize]).filter(|value| *value != NONE)
        }
        _ => true,
    }
}

/// Writes the operations of a move, the last one first.
fn write(stepper: &Stepper<'_>, by: Move, order: &mut Vec<u32>) {
    let moment = &stepper.moment;
    let write_reads = |order: &mut Vec<u32>, mut bits: u64| {
        while bits != 0 {
            order.push(moment.row_of(bits));
            bits &= bits - 1;
        }
    };
    match by {
        Move::Stay => {}
        Move::Reads(bits) => write_reads(order, bits),
        Move::Pop { row, .. } => order.push(row),
        Move::Push { row, reads } => {
            write_reads(order, reads);
            order.push(row);
        }
        Move::PushAndPop { row, reads } => {
            order.push(moment.row);
            write_reads(order, reads);
            order.push(row);
        }
    }
}

/// An error in this module. The searches then decide.
fn lost() -> Refusal {
    Refusal::new("the order was lost")
}
