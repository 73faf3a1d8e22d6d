//! Snapshot objects in a stream, in the words of their specification: see [`super::lanes`].

use crate::spec::{Mention, Name, Role, Shape, Shaped, Slot, Spec};

use super::lanes::{Lanes, View};
use super::monitor::{Mark, Miss, Monitor, Token, allowed_in};

/// A snapshot object.
pub(super) struct Snapshot<S: Spec> {
    /// Updates with who performed them; the first values have none.
    lanes: Lanes<Option<S::Op>>,
    first: S::State,
    /// A scan that found the first values; `None` if they are the ones that the specification starts
    /// with.
    found: Option<(S::Op, S::Ret)>,
}

/// Of more views than this no list is made.
const MOST_VIEWS: usize = 4096;

/// More than this is not tried to list them: so many updates are looked at.
const MOST_STEPS: usize = 1 << 20;

/// More segments than this are not watched.
const MOST_SEGMENTS: usize = 1 << 16;

impl<S: Spec> Snapshot<S> {
    pub(super) fn new(spec: &S) -> Option<Self> {
        match spec.shaped()?.shape() {
            Shape::Snapshot { segments, initial } if segments <= MOST_SEGMENTS => {
                let lanes = Lanes::new((0..segments).map(|_| (initial.0, None)));
                Some(Snapshot { lanes, first: spec.initial(), found: None })
            }
            _ => None,
        }
    }

    /// A snapshot object in a state.
    pub(super) fn resume(spec: &S, state: &S::State, scan: &S::Op) -> Option<Self> {
        let (shaped, mut outcomes) = (spec.shaped()?, Vec::new());
        let Shape::Snapshot { segments, .. } = shaped.shape() else { return None };
        if segments > MOST_SEGMENTS || !spec.outcomes(state, scan, &mut outcomes) {
            return None;
        }
        let (ret, _) = outcomes.pop().filter(|_| outcomes.is_empty())?;
        let mut names = Vec::new();
        shaped.view(&ret, &mut names);
        let names: Vec<Name> = names.into_iter().collect::<Option<_>>()?;
        if names.len() != segments || shaped.role(scan, Some(&ret), false) != Role::Scan {
            return None;
        }
        let lanes = Lanes::new(names.into_iter().map(|name| (name.0, None)));
        Some(Snapshot { lanes, first: state.clone(), found: Some((scan.clone(), ret)) })
    }

    /// True if what has this name in the segment, if anything does, is what is mentioned there.
    fn is(
        &self,
        shaped: &dyn Shaped<S::Op, S::Ret>,
        segment: usize,
        name: Name,
        there: Mention<'_, S::Op, S::Ret>,
    ) -> bool {
        let here = match (self.lanes.any_named(segment, name.0), &self.found) {
            (None, _) => return true,
            (Some(None), None) => return shaped.is_initial(there),
            (Some(None), Some((op, ret))) => {
                Mention { op, ret: Some(ret), slot: Slot::Segment(segment as u32) }
            }
            (Some(Some(op)), _) => Mention { op, ret: None, slot: Slot::Value },
        };
        shaped.same_name(here, there)
    }

    /// The view of a scan; `None` if nothing is known about it.
    fn view(
        &self,
        spec: &S,
        op: &S::Op,
        call: u64,
        ret: Option<&S::Ret>,
    ) -> Result<Option<View>, Miss> {
        let shaped = spec.shaped().ok_or(Miss::Unclear)?;
        let mut names = Vec::new();
        ret.into_iter().for_each(|ret| shaped.view(ret, &mut names));
        if names.iter().all(Option::is_none) && names.len() <= self.lanes.segments() {
            return Ok(None);
        }
        if names.len() != self.lanes.segments() {
            return Err(Miss::Unclear);
        }
        let mut view = Vec::with_capacity(names.len());
        for (segment, name) in names.into_iter().enumerate() {
            // A value that is not known could be any.
            let name = name.ok_or(Miss::Unclear)?;
            let there = Mention { op, ret, slot: Slot::Segment(segment as u32) };
            if !self.is(shaped, segment, name, there) {
                return Err(Miss::Unclear);
            }
            view.push(self.lanes.find(segment, name.0, call));
        }
        // What is impossible for one segment is impossible, however unclear the others are.
        if view.contains(&Err(Miss::Impossible)) {
            return Err(Miss::Impossible);
        }
        let view: View = view.into_iter().collect::<Result<_, Miss>>()?;
        if self.lanes.fits(&view, call) { Ok(Some(view)) } else { Err(Miss::Impossible) }
    }

    fn state(&self, spec: &S, view: &[u64]) -> Option<S::State> {
        let mut state = self.first.clone();
        let mut next = Vec::new();
        for (segment, number) in view.iter().enumerate() {
            if let Some(op) = self.lanes.update(segment, *number)? {
                spec.successors(&state, op, None, &mut next);
                state = next.pop()?;
                next.clear();
            }
        }
        Some(state)
    }

    /// The states that a scan that was called at `call` can find, if they are not too many.
    fn states_since(&self, spec: &S, call: u64, most: usize) -> Vec<S::State> {
        let columns: Vec<Vec<u64>> = (0..self.lanes.segments())
            .map(|segment| self.lanes.candidates(segment, call).take(MOST_STEPS).collect())
            .collect();
        let mut states = Vec::new();
        if columns.iter().any(Vec::is_empty) {
            return states;
        }
        // Counts through all combinations, latest updates first.
        let mut at: Vec<usize> = columns.iter().map(|column| column.len() - 1).collect();
        for _ in 0..MOST_STEPS / columns.len().max(1) {
            let view: Vec<u64> = columns.iter().zip(&at).map(|(column, at)| column[*at]).collect();
            if self.lanes.fits(&view, call) {
                states.extend(self.state(spec, &view));
            }
            let Some(turn) = at.iter().position(|at| *at > 0) else { break };
            if states.len() >= most {
                break;
            }
            at[turn] -= 1;
            for (at, column) in at.iter_mut().zip(&columns).take(turn) {
                *at = column.len() - 1;
            }
        }
        states
    }
}

impl<S: Spec> Monitor<S> for Snapshot<S> {
    fn call(&mut self, spec: &S, op: &S::Op) -> Option<Token> {
        let shaped = spec.shaped()?;
        match shaped.role(op, None, true) {
            // A scan, which says so only when it returns.
            Role::Idle if spec.is_read(op, None) => {
                Some(Token { call: self.lanes.call_scan(), own: None })
            }
            Role::Update { segment, value } => {
                let there = Mention { op, ret: None, slot: Slot::Value };
                let segment = segment as usize;
                if !self.is(shaped, segment, value, there) {
                    return None;
                }
                let own = self.lanes.call_update(segment, value.0, Some(op.clone()))?;
                Some(Token { call: self.lanes.now(), own: Some(own) })
            }
            _ => None,
        }
    }

    fn ret(
        &mut self,
        spec: &S,
        op: &S::Op,
        token: Token,
        ret: Option<&S::Ret>,
    ) -> Result<Mark, Miss> {
        let shaped = spec.shaped().ok_or(Miss::Unclear)?;
        match (shaped.role(op, ret, false), token.own) {
            (Role::Update { segment, .. }, Some(_)) => {
                self.lanes.return_update(segment as usize);
                Ok(Mark::Always)
            }
            (Role::Scan, None) => {
                let view = self.view(spec, op, token.call, ret)?;
                self.lanes.end_scan(token.call, view);
                Ok(Mark::Always)
            }
            _ => Err(Miss::Unclear),
        }
    }

    fn fail(&mut self, spec: &S, op: &S::Op, token: Token) -> Result<(), Miss> {
        match (spec.shaped().map(|shaped| shaped.role(op, None, true)), token.own) {
            (Some(Role::Update { segment, .. }), Some(own)) => {
                self.lanes.fail_update(segment as usize, own)
            }
            _ => {
                self.lanes.end_scan(token.call, None);
                Ok(())
            }
        }
    }

    /// An update stays open for ever.
    fn crash(&mut self, _spec: &S, _op: &S::Op, token: Token) -> Mark {
        if token.own.is_none() {
            self.lanes.end_scan(token.call, None);
        }
        Mark::Always
    }

    fn allowed(&self, spec: &S, op: &S::Op, token: Token) -> Option<Vec<S::Ret>> {
        let states = self.states_since(spec, token.call, MOST_VIEWS);
        allowed_in(spec, op, &states, |_, _, _| true)
    }

    fn states(&self, spec: &S) -> Vec<S::State> {
        self.states_since(spec, self.lanes.now(), 4)
    }

    fn settled(&self, spec: &S) -> Option<S::State> {
        self.state(spec, &self.lanes.only()?)
    }

    fn stored(&self) -> usize {
        self.lanes.stored()
    }
}
