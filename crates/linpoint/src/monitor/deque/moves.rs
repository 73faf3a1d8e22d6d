//! What one operation does to a state: pops, pushes, and elements that only pass through. Which of these are tried, and
//! when, is decided in [`super::step`].

use smallvec::SmallVec;

use super::ends::End;
use super::moments::Called;
use super::step::{Move, Phase, Popped, Push, State, Stepper};
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;
use crate::monitor::returns::graph::{Done, Origin};
use crate::monitor::returns::pending::{TAKE, Used};

impl Stepper<'_> {
    /// Pops at one end.
    pub(super) fn pop(
        &mut self,
        node: u32,
        state: &State,
        end: End,
        phase: Phase,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let Done { open, pending } = state.done;
        for i in 0..self.moment.pops[end.index()].len() {
            let pop = self.moment.pops[end.index()][i];
            if !pop.is_next(open) {
                continue;
            }
            let value = pop.value;
            let Some(contents) = state.contents.pop(end, value, &mut self.graph.words, effort)?
            else {
                continue;
            };
            let after = State { done: Done { open: open | pop.bit, pending }, contents };
            let by = Move::Pop { row: self.moment.row_of(pop.bit), end, value };
            self.graph.add(phase, after, Origin::Node(node), by, effort)?;
        }
        let Some((row, pending)) = self.take(end, pending, effort)? else { return Ok(()) };
        for value in state.contents.ends(end, &self.graph.words, effort)? {
            // A pop that returns comes first.
            if self.moment.has_pop(end, value, open) {
                continue;
            }
            if let Some(contents) = state.contents.pop(end, value, &mut self.graph.words, effort)? {
                let after = State { done: Done { open, pending }, contents };
                let by = Move::Pop { row, end, value };
                let waits = self.is_lazy && phase == Phase::Pops;
                let phase = if waits { Phase::Takes } else { phase };
                self.graph.add(phase, after, Origin::Node(node), by, effort)?;
            }
        }
        Ok(())
    }

    /// A pop that never returned, if there is one left.
    pub(super) fn take(
        &mut self,
        end: End,
        used: Used,
        effort: &mut Effort<'_>,
    ) -> Result<Option<(u32, Used)>, Refusal> {
        let taken = self.graph.pending.count(used, take_of(end));
        let is_left = taken < self.moment.takes[end.index()];
        let Some(row) = self.moments.take(end, taken).filter(|_| is_left) else { return Ok(None) };
        Ok(Some((row, self.graph.pending.add(used, take_of(end), effort)?)))
    }

    /// The pushes at these ends that may take effect.
    pub(super) fn pushes(
        &mut self,
        ends: &[End],
        done: Done,
        effort: &mut Effort<'_>,
    ) -> Result<SmallVec<[Push; 8]>, Refusal> {
        let mut pushes = SmallVec::new();
        for &end in ends {
            let choices = &self.moment.pushes[end.index()];
            pushes.extend(choices.iter().filter(|push| push.is_next(done.open)).map(|push| Push {
                row: self.moment.row_of(push.bit),
                end,
                value: push.value,
                done: Done { open: done.open | push.bit, ..done },
                waits: false,
            }));
        }
        for called in self.moments.unfinished(self.c, &self.moment) {
            let Called { end, value, rows, is_found_across } = called;
            effort.work(4)?;
            // One that returns comes first.
            if !ends.contains(&end) || self.moment.has_push(end, value, done.open) {
                continue;
            }
            let kind = 2 * value + end.index() as u32;
            if let Some(&row) = rows.get(self.graph.pending.count(done.pending, kind) as usize) {
                let pending = self.graph.pending.add(done.pending, kind, effort)?;
                let waits = self.is_lazy || !is_found_across;
                pushes.push(Push { row, end, value, done: Done { pending, ..done }, waits });
            }
        }
        Ok(pushes)
    }

    /// Adds the state after a push at the end of the operation that returns.
    pub(super) fn push_here(
        &mut self,
        node: u32,
        state: &State,
        push: Push,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let reads = match push.waits {
            true => self.moment.peeks_of(push.end, push.value) & !state.done.open,
            false => 0,
        };
        if push.waits && reads == 0 {
            return Ok(());
        }
        self.push(node, state, push, reads, effort)
    }

    /// Adds the state after a push.
    pub(super) fn push(
        &mut self,
        node: u32,
        state: &State,
        push: Push,
        reads: u64,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let Push { row, end, value, mut done, waits: _ } = push;
        done.open |= reads;
        let contents = state.contents.push(end, value, &mut self.graph.words, effort)?;
        let by = Move::Push { row, end, reads };
        self.graph.add(Phase::Pushes, State { done, contents }, Origin::Node(node), by, effort)
    }

    /// The operation that returns pops what an open push at this end has just pushed.
    pub(super) fn push_and_pop(
        &mut self,
        node: u32,
        state: &State,
        end: End,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let value = self.moment.value;
        for push in self.pushes(&[end], state.done, effort)? {
            if push.value == value {
                let mut reads = self.moment.peeks_of(end, value);
                if state.contents.len() == 0 {
                    reads |= self.moment.peeks_of(end.other(), value);
                }
                let (row, bit, end) = (self.moment.row, self.moment.bit, self.moment.end);
                let used = push.done.pending;
                self.pass(node, state, push, reads, Popped { row, bit, end, used }, effort)?;
            }
        }
        Ok(())
    }

    /// Adds the state after a push, peeks, and a pop.
    pub(super) fn pass(
        &mut self,
        node: u32,
        state: &State,
        push: Push,
        reads: u64,
        pop: Popped,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let reads = reads & !state.done.open;
        let done = Done { open: push.done.open | reads | pop.bit, pending: pop.used };
        let by = Move::Pass { push: push.row, reads, pop: pop.row };
        let mut contents = state.contents.clone();
        // If the ends differ, the deque is empty, and at another place afterwards.
        contents.reach[push.end.index()] += 1;
        contents.reach[pop.end.index()] -= 1;
        self.graph.add(Phase::Passes, State { done, contents }, Origin::Node(node), by, effort)
    }
}

/// Pops at an end that never returned, in place of the value that is pushed.
pub(super) fn take_of(end: End) -> u32 {
    TAKE - end.index() as u32
}
