//! The streaming monitor of flags, based on the roles of operations: see [`super::flags`].

use crate::history::OpId;
use crate::spec::Role;
use crate::subject::{Call, Marks, StateId, StreamSubject};

use super::flags::{Did, Flag, Way};
use super::monitor::{Allowed, Miss, Relevance, Returned, StreamMonitor, Token, allowed_in};
use super::open_ops::OpenOp;

/// An element of a set, or a lock without owners.
pub(super) struct FlagMonitor {
    flag: Flag,
    /// The states in which the flag is down and up, if known.
    states: [Option<StateId>; 2],
}

impl FlagMonitor {
    pub(super) fn new(initial: StateId) -> Self {
        FlagMonitor { flag: Flag::default(), states: [Some(initial), None] }
    }

    /// Ends an operation, unless that is impossible.
    fn end(&mut self, call: u64, way: Way, did: Did) -> Result<(), Miss> {
        let before = self.flag.clone();
        if self.flag.end(call, way, did) {
            return Ok(());
        }
        self.flag = before;
        Err(Miss::Impossible)
    }
}

impl StreamMonitor for FlagMonitor {
    fn call(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Option<Token> {
        let way = way(subject, op)?;
        if way == Way::Up && self.states[1].is_none() {
            self.states[1] = state_up(subject, self.states[0], op);
        }
        Some(Token { call: self.flag.call(way), own: None })
    }

    fn ret(&mut self, subject: &mut dyn StreamSubject, call: Call, token: Token) -> Returned {
        let way = way(subject, call.op).ok_or(Miss::Unclear)?;
        let did = did(subject, call, way)?;
        self.end(token.call, way, did)?;
        Ok(Relevance::Always)
    }

    fn fail(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Result<(), Miss> {
        let way = way(subject, open.op).ok_or(Miss::Unclear)?;
        self.end(open.token.call, way, Did::Nothing)
    }

    /// The operation permanently stays among those that may flip the flag.
    fn crash(&mut self, _subject: &mut dyn StreamSubject, _open: OpenOp) -> Relevance {
        Relevance::Always
    }

    fn allowed(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Option<Allowed> {
        let states = self.states.into_iter().flatten();
        allowed_in(subject, open.op, states, |subject, _, ret, _| {
            let Some(way) = way(subject, open.op) else { return false };
            let did = did(subject, Call { op: open.op, ret }, way);
            did.is_ok_and(|did| self.flag.clone().end(open.token.call, way, did))
        })
    }

    fn states(&self, _subject: &mut dyn StreamSubject) -> Vec<StateId> {
        let possible = [false, true].into_iter().filter(|up| self.flag.may_be(*up));
        possible.filter_map(|up| self.states[usize::from(up)]).collect()
    }

    fn settled(&self, _subject: &mut dyn StreamSubject) -> Option<StateId> {
        self.states[usize::from(self.flag.settled()?)]
    }

    fn stored(&self) -> usize {
        self.flag.stored()
    }

    fn mark(&self, marks: &mut Marks) {
        self.states.iter().flatten().for_each(|state| marks.state(*state));
    }
}

/// The direction in which the operation may flip the flag; `None` if the monitor does not know it.
fn way(subject: &dyn StreamSubject, op: OpId) -> Option<Way> {
    match subject.role(Call::unknown(op), true) {
        Role::Raise => Some(Way::Up),
        Role::Lower => Some(Way::Down),
        Role::Idle => Some(Way::Neither),
        _ => None,
    }
}

/// What an operation did, according to its result.
fn did(subject: &dyn StreamSubject, call: Call, way: Way) -> Result<Did, Miss> {
    match (subject.role(call, false), way) {
        (Role::Raise, Way::Up) | (Role::Lower, Way::Down) => Ok(Did::Flip),
        (Role::IsUp, _) => Ok(Did::Find(true)),
        (Role::IsDown, _) => Ok(Did::Find(false)),
        (Role::Idle, _) => Ok(Did::Nothing),
        _ => Err(Miss::Unclear),
    }
}

/// The state in which the flag is up: the result of a raise in the state in which it is down.
fn state_up(
    subject: &mut dyn StreamSubject,
    down: Option<StateId>,
    raise: OpId,
) -> Option<StateId> {
    let (down, mut next) = (down?, Vec::new());
    subject.successors(down, raise, &mut next);
    next.into_iter().find(|state| *state != down)
}
