//! What follows from an empty deque, see [`super::step`].

use super::ends::End;
use super::step::{Phase, Popped, Push, State, Stepper};
use crate::monitor::Refusal;
use crate::monitor::columns::Kind;
use crate::monitor::effort::Effort;

impl Stepper<'_> {
    /// Adds what follows from a node whose deque is empty, beyond what follows from any node.
    pub(super) fn start_anew(
        &mut self,
        node: u32,
        state: &State,
        phase: Phase,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let end = self.moment.end;
        match self.moment.kind {
            Kind::Remove => {
                if phase != Phase::Start {
                    self.push_and_pop(node, state, end, effort)?;
                }
                self.push_and_pop(node, state, end.other(), effort)
            }
            Kind::Add | Kind::Peek => {
                for push in self.pushes(&End::BOTH, state.done, effort)? {
                    self.push_or_pass(node, state, phase, push, effort)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn push_or_pass(
        &mut self,
        node: u32,
        state: &State,
        phase: Phase,
        push: Push,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let reads_at = |end| self.moment.peeks_of(end, push.value) & !state.done.open;
        let (reads, others) = (reads_at(push.end), reads_at(push.end.other()));
        let is_here = push.end == self.moment.end;
        // From the start, pushes at this end need no empty deque.
        if is_here && phase == Phase::Passes {
            self.push_here(node, state, push, effort)?;
        } else if !is_here && others != 0 {
            self.push(node, state, push, reads | others, effort)?;
        }
        if (push.done.open | reads | others) & self.moment.bit == 0 {
            for end in End::BOTH.into_iter().filter(|end| *end != push.end || others != 0) {
                self.pass_to(node, state, push, reads | others, end, effort)?;
            }
        }
        Ok(())
    }

    /// A pass whose pop is at this end.
    fn pass_to(
        &mut self,
        node: u32,
        state: &State,
        push: Push,
        reads: u64,
        end: End,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let pops = &self.moment.pops[end.index()];
        let fits = |pop: &&crate::monitor::returns::Choice| {
            pop.value == push.value && pop.is_next(state.done.open)
        };
        if let Some(pop) = pops.iter().find(fits) {
            let (row, bit, used) = (self.moment.row_of(pop.bit), pop.bit, push.done.pending);
            return self.pass(node, state, push, reads, Popped { row, bit, end, used }, effort);
        }
        // A pop that returns comes first, and there is none.
        if let Some((row, used)) = self.take(end, push.done.pending, effort)? {
            self.pass(node, state, push, reads, Popped { row, bit: 0, end, used }, effort)?;
        }
        Ok(())
    }
}
