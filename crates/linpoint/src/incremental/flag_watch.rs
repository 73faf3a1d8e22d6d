//! Flags in a stream, in the words of their specification: see [`super::flags`].

use crate::spec::{Role, Spec};

use super::flags::{Did, Flag, Way};
use super::monitor::{Mark, Miss, Monitor, Token, allowed_in};

/// An element of a set, or a lock without owners.
pub(super) struct FlagWatch<S: Spec> {
    flag: Flag,
    /// The states in which the flag is down and up, as far as they are known.
    states: [Option<S::State>; 2],
}

impl<S: Spec> FlagWatch<S> {
    pub(super) fn new(initial: S::State) -> Self {
        FlagWatch { flag: Flag::default(), states: [Some(initial), None] }
    }

    fn possible_states(&self) -> Vec<S::State> {
        let possible = [false, true].into_iter().filter(|up| self.flag.may_be(*up));
        possible.filter_map(|up| self.states[usize::from(up)].clone()).collect()
    }
}

impl<S: Spec> Monitor<S> for FlagWatch<S> {
    fn call(&mut self, spec: &S, op: &S::Op) -> Option<Token> {
        let way = way(spec, op)?;
        if way == Way::Up && self.states[1].is_none() {
            self.states[1] = after(spec, self.states[0].as_ref(), op);
        }
        Some(Token { call: self.flag.call(way), own: None })
    }

    fn ret(
        &mut self,
        spec: &S,
        op: &S::Op,
        token: Token,
        ret: Option<&S::Ret>,
    ) -> Result<Mark, Miss> {
        let way = way(spec, op).ok_or(Miss::Unclear)?;
        let did = did(spec, op, ret, way)?;
        let before = self.flag.clone();
        if self.flag.end(token.call, way, did) {
            return Ok(Mark::Always);
        }
        self.flag = before;
        Err(Miss::Impossible)
    }

    fn fail(&mut self, spec: &S, op: &S::Op, token: Token) -> Result<(), Miss> {
        let way = way(spec, op).ok_or(Miss::Unclear)?;
        let before = self.flag.clone();
        if self.flag.end(token.call, way, Did::Nothing) {
            return Ok(());
        }
        self.flag = before;
        Err(Miss::Impossible)
    }

    /// It stays among the operations that may flip the flag, for ever.
    fn crash(&mut self, _spec: &S, _op: &S::Op, _token: Token) -> Mark {
        Mark::Always
    }

    fn allowed(&self, spec: &S, op: &S::Op, token: Token) -> Option<Vec<S::Ret>> {
        allowed_in(spec, op, self.states.iter().flatten(), |_, ret, _| {
            let Some(way) = way(spec, op) else { return false };
            let did = did(spec, op, Some(ret), way);
            did.is_ok_and(|did| self.flag.clone().end(token.call, way, did))
        })
    }

    fn states(&self, _spec: &S) -> Vec<S::State> {
        self.possible_states()
    }

    fn settled(&self, _spec: &S) -> Option<S::State> {
        self.states[usize::from(self.flag.settled()?)].clone()
    }

    fn stored(&self) -> usize {
        self.flag.stored()
    }
}

/// Which way the operation may flip the flag; `None` if the monitor does not know it.
fn way<S: Spec>(spec: &S, op: &S::Op) -> Option<Way> {
    match spec.shaped()?.role(op, None, true) {
        Role::Raise => Some(Way::Up),
        Role::Lower => Some(Way::Down),
        Role::Idle => Some(Way::Neither),
        _ => None,
    }
}

/// What an operation did, going by its result.
fn did<S: Spec>(spec: &S, op: &S::Op, ret: Option<&S::Ret>, way: Way) -> Result<Did, Miss> {
    let shaped = spec.shaped().ok_or(Miss::Unclear)?;
    match (shaped.role(op, ret, false), way) {
        (Role::Raise, Way::Up) | (Role::Lower, Way::Down) => Ok(Did::Flip),
        (Role::IsUp, _) => Ok(Did::Find(true)),
        (Role::IsDown, _) => Ok(Did::Find(false)),
        (Role::Idle, _) => Ok(Did::Nothing),
        _ => Err(Miss::Unclear),
    }
}

/// The state in which the flag is up: what a raise makes of the one in which it is down.
fn after<S: Spec>(spec: &S, down: Option<&S::State>, op: &S::Op) -> Option<S::State> {
    let (down, mut next) = (down?, Vec::new());
    spec.successors(down, op, None, &mut next);
    next.into_iter().find(|state| state != down)
}
