//! The order behind a "yes".
//!
//! From the last return to the first: given a state and contents that it can have, the links between
//! states are followed backwards ([`Record`]). A link fits if the contents before it are in the set of
//! the state that it comes from; then they can be reached, so no choice has to be undone.

use super::contents::Contents;
use super::ends::End;
use super::forward::{Course, Record, Recorded};
use super::moments::end_of;
use super::step::{Done, Link, Move, Node, Origin, Phase, Stepper};
use crate::monitor::Refusal;
use crate::monitor::columns::Kind;
use crate::monitor::effort::Effort;
use crate::monitor::returns::word::Word;
use crate::monitor::returns::words::Words;

/// Contents of a deque, cut like those of the states.
struct Halves {
    reach: [i32; 2],
    words: [Word; 2],
}

impl Halves {
    /// Some contents of a set.
    fn some(contents: &Contents, words: &Words) -> Halves {
        let [front, back] = contents.pairs.first().copied().unwrap_or_default();
        Halves { reach: contents.reach, words: [Word::some(words, front), Word::some(words, back)] }
    }

    fn len(&self) -> usize {
        self.words[0].values.len() + self.words[1].values.len()
    }

    /// The value at an end.
    fn end(&self, end: End) -> Option<u32> {
        let half = self.words[end.index()].values.last();
        half.or_else(|| self.words[end.other().index()].values.first()).copied()
    }

    /// Whether they are in the set.
    fn are_in(
        &mut self,
        contents: &Contents,
        words: &Words,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        if contents.len() != self.len() {
            return Ok(false);
        }
        self.cut_like(contents, effort)?;
        let [front, back] = &mut self.words;
        for pair in &contents.pairs {
            if front.is_in(words, pair[0], effort)? && back.is_in(words, pair[1], effort)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Moves the cut to where the contents of a state have it.
    fn cut_like(&mut self, contents: &Contents, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        self.reach = contents.reach;
        let front = contents.half(End::Front);
        if front == self.words[0].values.len() {
            return Ok(());
        }
        effort.work(self.len())?;
        let [before, after] = &self.words;
        // From front to back.
        let mut all: Vec<u32> = before.values.iter().rev().chain(&after.values).copied().collect();
        let back = all.split_off(front);
        all.reverse();
        self.words = [Word::new(all), Word::new(back)];
        Ok(())
    }

    fn push(&mut self, end: End, value: u32) {
        let is_top = self.reach[end.index()] >= 0;
        self.reach[end.index()] += 1;
        if is_top {
            self.words[end.index()].values.push(value);
        } else {
            self.change_bottom(end.other(), |values| values.insert(0, value));
        }
    }

    fn pop(&mut self, end: End) {
        let is_top = self.reach[end.index()] > 0;
        self.reach[end.index()] -= 1;
        if is_top {
            let word = &mut self.words[end.index()];
            word.values.pop();
            word.known.truncate(word.values.len() + 1);
        } else {
            self.change_bottom(end.other(), |values| drop(values.drain(..1)));
        }
    }

    /// Nothing is known about a word whose bottom changed.
    fn change_bottom(&mut self, half: End, change: impl FnOnce(&mut Vec<u32>)) {
        let mut values = std::mem::take(&mut self.words[half.index()].values);
        change(&mut values);
        self.words[half.index()] = Word::new(values);
    }
}

/// An order that leads to one of the states after the last return.
pub(super) fn order(
    stepper: &mut Stepper<'_>,
    course: &mut Course,
    effort: &mut Effort<'_>,
) -> Result<Vec<u32>, Refusal> {
    let Some(end) = course.end.states.first() else { return Err(lost()) };
    let contents = Halves::some(&end.contents, &stepper.words);
    let mut back = Back { order: Vec::new(), done: end.done, contents };
    course.end.states.clear();
    let mut until = course.end.at;
    let mut record = Record::default();
    while let Some(stop) = course.stops.pop() {
        let from = stop.at;
        record.repeat(stepper, stop, until, effort)?;
        for at in (from..until).rev() {
            stepper.moments.fill(stepper.c, at, &mut stepper.moment);
            back.undo_return(stepper, record.at(at), effort)?;
        }
        until = from;
        if stepper.words.is_large() {
            let known = &mut back.contents.words;
            let mut others = |visit: crate::monitor::returns::words::Visit<'_>| {
                known.iter_mut().flat_map(|word| &mut word.known).for_each(visit);
            };
            course.sweep(stepper, &mut others, effort)?;
        }
    }
    if back.contents.len() != 0 || back.done.open != 0 {
        return Err(lost());
    }
    back.order.reverse();
    Ok(back.order)
}

/// A state and its contents, and the operations after it in reverse.
struct Back {
    order: Vec<u32>,
    done: Done,
    contents: Halves,
}

impl Back {
    /// Goes back to a state before a return.
    fn undo_return(
        &mut self,
        stepper: &Stepper<'_>,
        recorded: &Recorded,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let is_end = |node: &Node| node.phase == Phase::After && node.state.done == self.done;
        let mut node = recorded.nodes.iter().position(is_end).ok_or_else(lost)? as u32;
        effort.work(node as usize)?;
        self.contents.cut_like(&recorded.nodes[node as usize].state.contents, effort)?;
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
        recorded: &Recorded,
        node: u32,
        effort: &mut Effort<'_>,
    ) -> Result<(Origin, Move), Refusal> {
        let first = recorded.links.partition_point(|link| link.to < node);
        for &Link { from, by, .. } in
            recorded.links[first..].iter().take_while(|link| link.to == node)
        {
            let before = match from {
                Origin::Node(node) => &recorded.nodes[node as usize].state,
                Origin::Before(state) => &recorded.before[state as usize],
            };
            if self.undo(by, stepper, &before.contents, effort)? {
                return Ok((from, by));
            }
        }
        Err(lost())
    }

    /// Undoes a move and returns whether the contents before it are in the set. If not, they are as
    /// before.
    fn undo(
        &mut self,
        by: Move,
        stepper: &Stepper<'_>,
        before: &Contents,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        let contents = &mut self.contents;
        match by {
            Move::Stay | Move::Pass { .. } => contents.are_in(before, &stepper.words, effort),
            Move::Reads(bits) => Ok(reads_fit(stepper, bits, contents)
                && contents.are_in(before, &stepper.words, effort)?),
            Move::Pop { end, value, .. } => {
                contents.push(end, value);
                let fits = contents.are_in(before, &stepper.words, effort)?;
                if !fits {
                    contents.pop(end);
                }
                Ok(fits)
            }
            Move::Push { row, end, .. } => {
                let value = stepper.c.values[row as usize];
                if contents.end(end) != Some(value) {
                    return Ok(false);
                }
                contents.pop(end);
                let fits = contents.are_in(before, &stepper.words, effort)?;
                if !fits {
                    contents.push(end, value);
                }
                Ok(fits)
            }
        }
    }
}

/// True if all of these operations find what they found.
fn reads_fit(stepper: &Stepper<'_>, bits: u64, contents: &Halves) -> bool {
    let c = stepper.c;
    rows_of(stepper, bits).all(|row| match c.kinds[row as usize] {
        Kind::Peek => contents.end(end_of(c, row)) == Some(c.values[row as usize]),
        _ => contents.len() == 0,
    })
}

/// The rows in these slots.
fn rows_of(stepper: &Stepper<'_>, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let row = (bits != 0).then(|| stepper.moment.row_of(bits))?;
        bits &= bits - 1;
        Some(row)
    })
}

/// Writes the operations of a move, the last one first.
fn write(stepper: &Stepper<'_>, by: Move, order: &mut Vec<u32>) {
    match by {
        Move::Stay => {}
        Move::Reads(bits) => order.extend(rows_of(stepper, bits)),
        Move::Pop { row, .. } => order.push(row),
        Move::Push { row, reads, .. } => {
            order.extend(rows_of(stepper, reads));
            order.push(row);
        }
        Move::Pass { push, reads, pop } => {
            order.push(pop);
            order.extend(rows_of(stepper, reads));
            order.push(push);
        }
    }
}

/// An error in this module. The searches then decide.
fn lost() -> Refusal {
    Refusal::new("the order was lost")
}
