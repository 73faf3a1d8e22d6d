//! The streaming monitor of registers, based on the roles of operations: see [`super::zones`].

use rustc_hash::FxHashMap;

use crate::history::OpId;
use crate::spec::{Name, Role, Slot};
use crate::subject::{Call, Marks, Place, StateId, StreamSubject};

use super::monitor::{Allowed, Miss, Relevance, Returned, StreamMonitor, Token, allowed_in};
use super::open_ops::OpenOp;
use super::zones::{Path, Zones};

/// A register, or one key of a map.
pub(super) struct RegisterMonitor {
    zones: Zones<Written>,
    /// Some state. A plain write leads to the same state from each.
    base: StateId,
    /// The zones of crashed writes, if their values were found.
    crashed: FxHashMap<u64, Option<u64>>,
}

/// What is known about a value.
struct Written {
    /// An operation that wrote it or found it; `None` for the initial value of the specification.
    example: Option<Call>,
    /// The state of the object, unless it follows from a plain write.
    state: Option<StateId>,
}

/// A state that an operation may be able to find, and to replace.
struct Reach {
    state: StateId,
    can_find: bool,
    can_replace: bool,
}

/// The effect of a return, if it is possible.
enum ReturnEffect {
    Wrote(u64),
    Found(Path),
    Nothing,
}

impl Written {
    /// True if this value is the one mentioned at `there`.
    fn is(&self, subject: &dyn StreamSubject, there: Place) -> bool {
        match self.example {
            None => subject.is_initial(there),
            Some(call) => subject.same_name(Place { call, slot: Slot::Value }, there),
        }
    }

    /// The state after the write, given the state before it.
    fn state_after(&self, subject: &mut dyn StreamSubject, before: StateId) -> Option<StateId> {
        let mut next = Vec::new();
        subject.successors(before, self.example?.op, &mut next);
        next.iter().find(|state| **state != before).or(next.first()).copied()
    }

    /// The state of the object, given the state before the write.
    fn state(&self, subject: &mut dyn StreamSubject, before: StateId) -> Option<StateId> {
        self.state.or_else(|| self.state_after(subject, before))
    }
}

impl RegisterMonitor {
    /// A register with the initial value and state of the specification.
    pub(super) fn new(name: Name, initial: StateId) -> Self {
        RegisterMonitor::holding(name, None, initial)
    }

    /// A register in a state, where the result of `read` reveals its value.
    pub(super) fn resume(
        subject: &mut dyn StreamSubject,
        state: StateId,
        read: OpId,
    ) -> Option<Self> {
        let mut outcomes = Vec::new();
        if !subject.outcomes(state, Call::unknown(read), &mut outcomes) {
            return None;
        }
        let (ret, _) = outcomes.pop()?;
        let call = Call { op: read, ret };
        match subject.role(call, false) {
            Role::Read(name) if outcomes.is_empty() => {
                Some(RegisterMonitor::holding(name, Some(call), state))
            }
            _ => None,
        }
    }

    fn holding(name: Name, example: Option<Call>, state: StateId) -> Self {
        let zones = Zones::new(name.0, Written { example, state: Some(state) });
        RegisterMonitor { zones, base: state, crashed: FxHashMap::default() }
    }

    /// Decides what a return would mean.
    fn decide(
        &self,
        subject: &dyn StreamSubject,
        ended: Call,
        token: Token,
    ) -> Result<ReturnEffect, Miss> {
        let Token { call, own } = token;
        let cluster = own.and_then(|own| self.zones.cluster(own));
        // Others have found the value that it may not have written.
        let is_found = own.is_some_and(|own| self.zones.is_known(own));
        let is = |slot: Slot| {
            move |there: &Written, by: Option<&Written>| match by {
                None => there.is(subject, Place { call: ended, slot }),
                Some(by) => by
                    .example
                    .is_some_and(|call| there.is(subject, Place { call, slot: Slot::Source })),
            }
        };
        match (subject.role(ended, false), own, cluster) {
            (Role::Write(name), Some(own), Some(cluster))
                if cluster.is_named(name.0) && cluster.is_plain() =>
            {
                Ok(ReturnEffect::Wrote(own))
            }
            (Role::Replace { from, to }, Some(own), Some(cluster)) if is_found => {
                let as_expected = cluster.is_named(to.0) && cluster.replaces(from.0);
                as_expected.then_some(ReturnEffect::Wrote(own)).ok_or(Miss::Unclear)
            }
            (Role::Replace { from, to }, Some(_), Some(cluster)) if cluster.is_named(to.0) => {
                self.zones.find(from.0, call, own, own, &is(Slot::Source)).map(ReturnEffect::Found)
            }
            (Role::Read(_) | Role::Other(_) | Role::Idle, Some(_), _) if is_found => {
                Err(Miss::Unclear)
            }
            (Role::Read(name), ..) => {
                self.zones.find(name.0, call, None, own, &is(Slot::Value)).map(ReturnEffect::Found)
            }
            (Role::Other(name), ..) => self
                .zones
                .can_differ(name.0, call, own, &is(Slot::Source))
                .map(|()| ReturnEffect::Nothing),
            (Role::Idle, ..) => Ok(ReturnEffect::Nothing),
            _ => Err(Miss::Unclear),
        }
    }

    fn close(&mut self, subject: &mut dyn StreamSubject, call: u64) {
        let base = self.base;
        self.zones.close(call, &mut |dropped, next| {
            let before = dropped.state(subject, base);
            next.state = before.and_then(|before| next.state_after(subject, before));
        });
    }

    /// All states, and whether an operation that was called at `call` and may write `own` can find
    /// them.
    fn reach(&self, subject: &mut dyn StreamSubject, call: u64, own: Option<u64>) -> Vec<Reach> {
        let mut all = Vec::new();
        let mut known: FxHashMap<u64, StateId> = FxHashMap::default();
        for chain in self.zones.chains() {
            let mut before = self.base;
            for (id, written) in chain {
                let Some(state) = written.state(subject, before) else { break };
                let (can_find, can_replace) = self.zones.within_reach(id, call);
                all.push(Reach { state, can_find, can_replace });
                known.insert(id, state);
                before = state;
            }
        }
        for (id, source) in self.zones.unknown() {
            let path = match source {
                None => Some((None, smallvec::smallvec![id])),
                Some(source) => {
                    let found = self.zones.find(source, call, Some(id), own, &|_, _| true);
                    found.ok().map(|path| (path.start, path.trail))
                }
            };
            let Some((start, trail)) = path else { continue };
            if own == Some(id) {
                continue;
            }
            let before = match start {
                Some(start) => known.get(&start).copied(),
                None => Some(self.base),
            };
            let written = |id: &u64| self.zones.cluster(*id).map(|cluster| &cluster.what);
            let state = before.and_then(|before| {
                let mut trail = trail.iter().rev();
                trail.try_fold(before, |before, id| written(id)?.state_after(subject, before))
            });
            all.extend(state.map(|state| Reach { state, can_find: true, can_replace: true }));
        }
        all
    }
}

impl StreamMonitor for RegisterMonitor {
    fn call(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Option<Token> {
        let called = Call::unknown(op);
        let (name, source) = match subject.role(called, true) {
            Role::Idle => return Some(Token { call: self.zones.call(), own: None }),
            Role::Write(name) => (name.0, None),
            Role::Replace { from, to } => (to.0, Some(from.0)),
            _ => return None,
        };
        let there = Place { call: called, slot: Slot::Value };
        if self.zones.any_named(name).is_some_and(|written| !written.is(subject, there)) {
            return None;
        }
        let call = self.zones.call();
        let written = Written { example: Some(called), state: None };
        Some(Token { call, own: Some(self.zones.write(name, source, written)) })
    }

    fn ret(&mut self, subject: &mut dyn StreamSubject, call: Call, token: Token) -> Returned {
        let relevance = match self.decide(subject, call, token)? {
            ReturnEffect::Wrote(own) => {
                self.zones.tick();
                self.zones.wrote(own).map_or(Relevance::Never, Relevance::Zone)
            }
            ReturnEffect::Found(path) => {
                if path.is_one_of_several {
                    return Err(Miss::Unclear);
                }
                self.zones.tick();
                match token.own {
                    Some(own) if !path.trail.contains(&own) => self.zones.unwrite(own),
                    _ => {}
                }
                let zone = self.zones.found(&path);
                for id in &path.trail {
                    self.crashed.entry(*id).and_modify(|of_crashed| *of_crashed = zone);
                }
                zone.map_or(Relevance::Never, Relevance::Zone)
            }
            ReturnEffect::Nothing => {
                self.zones.tick();
                token.own.into_iter().for_each(|own| self.zones.unwrite(own));
                Relevance::Never
            }
        };
        self.close(subject, token.call);
        Ok(relevance)
    }

    fn fail(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Result<(), Miss> {
        if let Some(own) = open.token.own {
            if self.zones.is_known(own) {
                return Err(Miss::Impossible);
            }
            self.zones.unwrite(own);
        }
        self.zones.tick();
        self.close(subject, open.token.call);
        Ok(())
    }

    fn crash(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Relevance {
        self.zones.tick();
        let relevance = match open.token.own {
            None => Relevance::Never,
            Some(own) => {
                // Occasionally drops those whose zones are dead.
                if self.crashed.len().is_power_of_two() {
                    self.crashed.retain(|_, zone| zone.is_none_or(|z| self.zones.is_alive(z)));
                }
                self.crashed.insert(own, self.zones.zone_of(own));
                Relevance::Crashed(own)
            }
        };
        self.close(subject, open.token.call);
        relevance
    }

    fn allowed(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Option<Allowed> {
        let reach = self.reach(subject, open.token.call, open.token.own);
        let states = reach.iter().map(|reach| reach.state);
        allowed_in(subject, open.op, states, |subject, at, ret, is_changed| {
            match self.decide(subject, Call { op: open.op, ret }, open.token) {
                Ok(_) => true,
                Err(Miss::Impossible) => false,
                // The monitor could not handle it, or it would have several explanations.
                Err(Miss::Unclear) if is_changed => reach[at].can_replace,
                Err(Miss::Unclear) => reach[at].can_find,
            }
        })
    }

    fn states(&self, subject: &mut dyn StreamSubject) -> Vec<StateId> {
        let all = self.reach(subject, self.zones.now(), None).into_iter();
        all.filter(|reach| reach.can_replace).map(|reach| reach.state).collect()
    }

    fn settled(&self, subject: &mut dyn StreamSubject) -> Option<StateId> {
        self.zones.only()?.state(subject, self.base)
    }

    fn matters(&self, relevance: Relevance) -> bool {
        match relevance {
            Relevance::Never => false,
            Relevance::Always => true,
            Relevance::Zone(zone) => self.zones.is_alive(zone),
            Relevance::Crashed(own) => match self.crashed.get(&own) {
                Some(zone) => zone.is_none_or(|zone| self.zones.is_alive(zone)),
                None => false,
            },
        }
    }

    fn forgets(&self) -> bool {
        true
    }

    fn stored(&self) -> usize {
        self.zones.stored() + self.crashed.len()
    }

    fn mark(&self, marks: &mut Marks) {
        marks.state(self.base);
        for written in self.zones.values() {
            written.example.into_iter().for_each(|call| marks.call(call));
            written.state.into_iter().for_each(|state| marks.state(state));
        }
    }
}
