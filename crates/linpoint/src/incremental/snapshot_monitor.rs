//! The streaming monitor of snapshot objects, based on the roles of operations: see
//! [`super::lanes`].

use crate::history::OpId;
use crate::spec::{Name, Role, Slot};
use crate::subject::{Call, Marks, Place, StateId, StreamSubject};

use super::lanes::{Lanes, View};
use super::monitor::{Allowed, Miss, Relevance, Returned, StreamMonitor, Token, allowed_in};
use super::open_ops::OpenOp;

/// A snapshot object.
pub(super) struct SnapshotMonitor {
    /// The operations that performed the updates. The first values have none.
    lanes: Lanes<Option<OpId>>,
    first: StateId,
    /// A scan that found the first values; `None` if they are the initial values of the
    /// specification.
    found: Option<Call>,
}

/// Stop listing views after this many.
const MOST_VIEWS: usize = 4096;

/// Stop listing views after looking at this many updates.
const MOST_STEPS: usize = 1 << 20;

/// Do not monitor objects with more segments than this.
const MOST_SEGMENTS: usize = 1 << 16;

impl SnapshotMonitor {
    /// A snapshot object with the initial values and state of the specification.
    pub(super) fn new(segments: usize, name: Name, initial: StateId) -> Option<Self> {
        if segments > MOST_SEGMENTS {
            return None;
        }
        let lanes = Lanes::new((0..segments).map(|_| (name.0, None)));
        Some(SnapshotMonitor { lanes, first: initial, found: None })
    }

    /// A snapshot object in a state, where the result of `scan` reveals its contents.
    pub(super) fn resume(
        subject: &mut dyn StreamSubject,
        segments: usize,
        state: StateId,
        scan: OpId,
    ) -> Option<Self> {
        let mut outcomes = Vec::new();
        if segments > MOST_SEGMENTS || !subject.outcomes(state, Call::unknown(scan), &mut outcomes)
        {
            return None;
        }
        let (ret, _) = outcomes.pop().filter(|_| outcomes.is_empty())?;
        let mut names = Vec::new();
        subject.view(ret, &mut names);
        let names: Vec<Name> = names.into_iter().collect::<Option<_>>()?;
        let call = Call { op: scan, ret };
        if names.len() != segments || subject.role(call, false) != Role::Scan {
            return None;
        }
        let lanes = Lanes::new(names.into_iter().map(|name| (name.0, None)));
        Some(SnapshotMonitor { lanes, first: state, found: Some(call) })
    }

    /// True if the value with this name in the segment, if any, is the one mentioned at `there`.
    fn is(&self, subject: &dyn StreamSubject, segment: usize, name: Name, there: Place) -> bool {
        let here = match (self.lanes.any_named(segment, name.0), self.found) {
            (None, _) => return true,
            (Some(None), None) => return subject.is_initial(there),
            (Some(None), Some(call)) => Place { call, slot: Slot::Segment(segment as u32) },
            (Some(Some(op)), _) => Place { call: Call::unknown(*op), slot: Slot::Value },
        };
        subject.same_name(here, there)
    }

    /// The view of a scan that was called at `called`; `None` if nothing is known about it.
    fn view(
        &self,
        subject: &dyn StreamSubject,
        call: Call,
        called: u64,
    ) -> Result<Option<View>, Miss> {
        let mut names = Vec::new();
        subject.view(call.ret, &mut names);
        if names.iter().all(Option::is_none) && names.len() <= self.lanes.segments() {
            return Ok(None);
        }
        if names.len() != self.lanes.segments() {
            return Err(Miss::Unclear);
        }
        let mut view = Vec::with_capacity(names.len());
        for (segment, name) in names.into_iter().enumerate() {
            // An unknown value could be any.
            let name = name.ok_or(Miss::Unclear)?;
            let there = Place { call, slot: Slot::Segment(segment as u32) };
            if !self.is(subject, segment, name, there) {
                return Err(Miss::Unclear);
            }
            view.push(self.lanes.find(segment, name.0, called));
        }
        // If one segment is impossible, the scan is impossible, however unclear the others are.
        if view.contains(&Err(Miss::Impossible)) {
            return Err(Miss::Impossible);
        }
        let view: View = view.into_iter().collect::<Result<_, Miss>>()?;
        if self.lanes.fits(&view, called) { Ok(Some(view)) } else { Err(Miss::Impossible) }
    }

    fn state(&self, subject: &mut dyn StreamSubject, view: &[u64]) -> Option<StateId> {
        let mut state = self.first;
        let mut next = Vec::new();
        for (segment, number) in view.iter().enumerate() {
            if let Some(op) = self.lanes.update(segment, *number)? {
                subject.successors(state, *op, &mut next);
                state = next.pop()?;
                next.clear();
            }
        }
        Some(state)
    }

    /// The states that a scan called at `call` can find, if there are not too many.
    fn states_since(
        &self,
        subject: &mut dyn StreamSubject,
        call: u64,
        most: usize,
    ) -> Vec<StateId> {
        let columns: Vec<Vec<u64>> = (0..self.lanes.segments())
            .map(|segment| self.lanes.candidates(segment, call).take(MOST_STEPS).collect())
            .collect();
        let mut states = Vec::new();
        if columns.iter().any(Vec::is_empty) {
            return states;
        }
        // Enumerates all combinations, latest updates first.
        let mut at: Vec<usize> = columns.iter().map(|column| column.len() - 1).collect();
        for _ in 0..MOST_STEPS / columns.len().max(1) {
            let view: Vec<u64> = columns.iter().zip(&at).map(|(column, at)| column[*at]).collect();
            if self.lanes.fits(&view, call) {
                states.extend(self.state(subject, &view));
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

impl StreamMonitor for SnapshotMonitor {
    fn call(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Option<Token> {
        let called = Call::unknown(op);
        match subject.role(called, true) {
            // A scan. Its role is known only when it returns.
            Role::Idle if subject.is_read(called) => {
                Some(Token { call: self.lanes.call_scan(), own: None })
            }
            Role::Update { segment, value } => {
                let there = Place { call: called, slot: Slot::Value };
                let segment = segment as usize;
                if !self.is(subject, segment, value, there) {
                    return None;
                }
                let own = self.lanes.call_update(segment, value.0, Some(op))?;
                Some(Token { call: self.lanes.now(), own: Some(own) })
            }
            _ => None,
        }
    }

    fn ret(&mut self, subject: &mut dyn StreamSubject, call: Call, token: Token) -> Returned {
        match (subject.role(call, false), token.own) {
            (Role::Update { segment, .. }, Some(_)) => {
                self.lanes.return_update(segment as usize);
                Ok(Relevance::Always)
            }
            (Role::Scan, None) => {
                let view = self.view(subject, call, token.call)?;
                self.lanes.end_scan(token.call, view);
                Ok(Relevance::Always)
            }
            _ => Err(Miss::Unclear),
        }
    }

    fn fail(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Result<(), Miss> {
        match (subject.role(Call::unknown(open.op), true), open.token.own) {
            (Role::Update { segment, .. }, Some(own)) => {
                self.lanes.fail_update(segment as usize, own)
            }
            _ => {
                self.lanes.end_scan(open.token.call, None);
                Ok(())
            }
        }
    }

    /// A crashed update stays open permanently.
    fn crash(&mut self, _subject: &mut dyn StreamSubject, open: OpenOp) -> Relevance {
        if open.token.own.is_none() {
            self.lanes.end_scan(open.token.call, None);
        }
        Relevance::Always
    }

    fn allowed(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Option<Allowed> {
        let states = self.states_since(subject, open.token.call, MOST_VIEWS);
        let is_complete = states.len() < MOST_VIEWS;
        let allowed = allowed_in(subject, open.op, states, |_, _, _, _| true)?;
        Some(Allowed { is_complete, ..allowed })
    }

    fn states(&self, subject: &mut dyn StreamSubject) -> Vec<StateId> {
        self.states_since(subject, self.lanes.now(), 4)
    }

    fn settled(&self, subject: &mut dyn StreamSubject) -> Option<StateId> {
        self.state(subject, &self.lanes.only()?)
    }

    fn stored(&self) -> usize {
        self.lanes.stored()
    }

    fn mark(&self, marks: &mut Marks) {
        marks.state(self.first);
        self.found.into_iter().for_each(|call| marks.call(call));
        self.lanes.updates().flatten().for_each(|op| marks.op(*op));
    }
}
