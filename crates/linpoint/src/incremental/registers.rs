//! Registers in a stream, in the words of their specification: see [`super::zones`].

use rustc_hash::FxHashMap;

use crate::spec::{Mention, Name, Role, Shape, Shaped, Slot, Spec};

use super::monitor::{Mark, Miss, Monitor, Token, allowed_in};
use super::zones::{Path, Zones};

/// A register, or one key of a map.
pub(super) struct Register<S: Spec> {
    zones: Zones<Written<S>>,
    /// Some state: a plain write makes the same of each.
    base: S::State,
    /// The zones of crashed writes, if they were found.
    crashed: FxHashMap<u64, Option<u64>>,
}

/// What is known about a value.
struct Written<S: Spec> {
    /// Who wrote it, or found it; `None` for the value that the specification starts with.
    example: Option<(S::Op, Option<S::Ret>)>,
    /// The state of the object, unless a plain write tells.
    state: Option<S::State>,
}

/// A state that an operation may be able to find, and to replace.
struct Reach<S: Spec> {
    state: S::State,
    can_find: bool,
    can_replace: bool,
}

/// What a return means, and is possible.
enum Step {
    Wrote(u64),
    Found(Path),
    Nothing,
}

type Words<'a, S> = &'a dyn Shaped<<S as Spec>::Op, <S as Spec>::Ret>;

fn mention<'a, S: Spec>(
    op: &'a S::Op,
    ret: Option<&'a S::Ret>,
    slot: Slot,
) -> Mention<'a, S::Op, S::Ret> {
    Mention { op, ret, slot }
}

impl<S: Spec> Written<S> {
    /// True if it is the value that is mentioned there.
    fn is(&self, shaped: Words<'_, S>, there: Mention<'_, S::Op, S::Ret>) -> bool {
        match &self.example {
            None => shaped.is_initial(there),
            Some((op, ret)) => shaped.same_name(mention::<S>(op, ret.as_ref(), Slot::Value), there),
        }
    }

    /// The state after the write, given the state before it.
    fn state_after(&self, spec: &S, before: &S::State) -> Option<S::State> {
        let (op, _) = self.example.as_ref()?;
        let mut next = Vec::new();
        spec.successors(before, op, None, &mut next);
        let changed = next.iter().position(|state| state != before).unwrap_or(0);
        (changed < next.len()).then(|| next.swap_remove(changed))
    }
}

impl<S: Spec> Register<S> {
    /// A register as the specification starts it.
    pub(super) fn new(spec: &S) -> Option<Self> {
        match spec.shaped()?.shape() {
            Shape::Registers { initial } => Some(Register::holding(initial, None, spec.initial())),
            _ => None,
        }
    }

    /// A register in a state, where `read` is an operation that tells what it holds.
    pub(super) fn resume(spec: &S, state: &S::State, read: &S::Op) -> Option<Self> {
        let (shaped, mut outcomes) = (spec.shaped()?, Vec::new());
        if !spec.outcomes(state, read, &mut outcomes) {
            return None;
        }
        let (ret, _) = outcomes.pop()?;
        match shaped.role(read, Some(&ret), false) {
            Role::Read(name) if outcomes.is_empty() => {
                Some(Register::holding(name, Some((read.clone(), Some(ret))), state.clone()))
            }
            _ => None,
        }
    }

    fn holding(name: Name, example: Option<(S::Op, Option<S::Ret>)>, state: S::State) -> Self {
        let written = Written { example, state: Some(state.clone()) };
        Register { zones: Zones::new(name.0, written), base: state, crashed: FxHashMap::default() }
    }

    /// What a return would mean.
    fn decide(
        &self,
        spec: &S,
        op: &S::Op,
        token: Token,
        ret: Option<&S::Ret>,
    ) -> Result<Step, Miss> {
        let shaped = spec.shaped().ok_or(Miss::Unclear)?;
        let Token { call, own } = token;
        let cluster = own.and_then(|own| self.zones.cluster(own));
        // Others have found what it may not have written.
        let is_found = own.is_some_and(|own| self.zones.is_known(own));
        let is = |slot: Slot| {
            move |there: &Written<S>, by: Option<&Written<S>>| match by {
                None => there.is(shaped, mention::<S>(op, ret, slot)),
                Some(by) => by.example.as_ref().is_some_and(|(op, ret)| {
                    there.is(shaped, mention::<S>(op, ret.as_ref(), Slot::Source))
                }),
            }
        };
        match (shaped.role(op, ret, false), own, cluster) {
            (Role::Write(name), Some(own), Some(cluster))
                if cluster.is_named(name.0) && cluster.is_plain() =>
            {
                Ok(Step::Wrote(own))
            }
            (Role::Replace { from, to }, Some(own), Some(cluster)) if is_found => {
                let as_expected = cluster.is_named(to.0) && cluster.replaces(from.0);
                as_expected.then_some(Step::Wrote(own)).ok_or(Miss::Unclear)
            }
            (Role::Replace { from, to }, Some(_), Some(cluster)) if cluster.is_named(to.0) => {
                self.zones.find(from.0, call, own, own, &is(Slot::Source)).map(Step::Found)
            }
            (Role::Read(_) | Role::Other(_) | Role::Idle, Some(_), _) if is_found => {
                Err(Miss::Unclear)
            }
            (Role::Read(name), ..) => {
                self.zones.find(name.0, call, None, own, &is(Slot::Value)).map(Step::Found)
            }
            (Role::Other(name), ..) => {
                self.zones.can_differ(name.0, call, own, &is(Slot::Source)).map(|()| Step::Nothing)
            }
            (Role::Idle, ..) => Ok(Step::Nothing),
            _ => Err(Miss::Unclear),
        }
    }

    fn close(&mut self, spec: &S, call: u64) {
        let base = &self.base;
        self.zones.close(call, &mut |dropped, next| {
            let before = dropped.state.clone().or_else(|| dropped.state_after(spec, base));
            next.state = before.and_then(|before| next.state_after(spec, &before));
        });
    }

    /// All states, and whether somebody who was called at `call` and may write `own` can find them.
    fn reach(&self, spec: &S, call: u64, own: Option<u64>) -> Vec<Reach<S>> {
        let mut all = Vec::new();
        let mut known: FxHashMap<u64, S::State> = FxHashMap::default();
        for chain in self.zones.chains() {
            let mut before = self.base.clone();
            for (id, written) in chain {
                let state = written.state.clone().or_else(|| written.state_after(spec, &before));
                let Some(state) = state else { break };
                let (can_find, can_replace) = self.zones.within_reach(id, call);
                all.push(Reach { state: state.clone(), can_find, can_replace });
                known.insert(id, state.clone());
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
                Some(start) => known.get(&start).cloned(),
                None => Some(self.base.clone()),
            };
            let written = |id: &u64| self.zones.cluster(*id).map(|cluster| &cluster.what);
            let state = before.and_then(|before| {
                let mut trail = trail.iter().rev();
                trail.try_fold(before, |before, id| written(id)?.state_after(spec, &before))
            });
            all.extend(state.map(|state| Reach { state, can_find: true, can_replace: true }));
        }
        all
    }
}

impl<S: Spec> Monitor<S> for Register<S> {
    fn call(&mut self, spec: &S, op: &S::Op) -> Option<Token> {
        let shaped = spec.shaped()?;
        let (name, source) = match shaped.role(op, None, true) {
            Role::Idle => return Some(Token { call: self.zones.call(), own: None }),
            Role::Write(name) => (name.0, None),
            Role::Replace { from, to } => (to.0, Some(from.0)),
            _ => return None,
        };
        let there = mention::<S>(op, None, Slot::Value);
        if self.zones.any_named(name).is_some_and(|written| !written.is(shaped, there)) {
            return None;
        }
        let call = self.zones.call();
        let written = Written { example: Some((op.clone(), None)), state: None };
        Some(Token { call, own: Some(self.zones.write(name, source, written)) })
    }

    fn ret(
        &mut self,
        spec: &S,
        op: &S::Op,
        token: Token,
        ret: Option<&S::Ret>,
    ) -> Result<Mark, Miss> {
        let step = self.decide(spec, op, token, ret)?;
        let mark = match step {
            Step::Wrote(own) => {
                self.zones.tick();
                self.zones.wrote(own).map_or(Mark::Nothing, Mark::Zone)
            }
            Step::Found(path) => {
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
                zone.map_or(Mark::Nothing, Mark::Zone)
            }
            Step::Nothing => {
                self.zones.tick();
                token.own.into_iter().for_each(|own| self.zones.unwrite(own));
                Mark::Nothing
            }
        };
        self.close(spec, token.call);
        Ok(mark)
    }

    fn fail(&mut self, spec: &S, _op: &S::Op, token: Token) -> Result<(), Miss> {
        if let Some(own) = token.own {
            if self.zones.is_known(own) {
                return Err(Miss::Impossible);
            }
            self.zones.unwrite(own);
        }
        self.zones.tick();
        self.close(spec, token.call);
        Ok(())
    }

    fn crash(&mut self, spec: &S, _op: &S::Op, token: Token) -> Mark {
        self.zones.tick();
        let mark = match token.own {
            None => Mark::Nothing,
            Some(own) => {
                // Those that have become history are forgotten now and then.
                if self.crashed.len().is_power_of_two() {
                    self.crashed.retain(|_, zone| zone.is_none_or(|z| self.zones.is_alive(z)));
                }
                self.crashed.insert(own, self.zones.zone_of(own));
                Mark::Crashed(own)
            }
        };
        self.close(spec, token.call);
        mark
    }

    fn allowed(&self, spec: &S, op: &S::Op, token: Token) -> Option<Vec<S::Ret>> {
        let reach = self.reach(spec, token.call, token.own);
        let states = reach.iter().map(|reach| &reach.state);
        allowed_in(spec, op, states, |at, ret, is_changed| {
            match self.decide(spec, op, token, Some(ret)) {
                Ok(_) => true,
                Err(Miss::Impossible) => false,
                // It would be out of the fragment, or have several explanations.
                Err(Miss::Unclear) if is_changed => reach[at].can_replace,
                Err(Miss::Unclear) => reach[at].can_find,
            }
        })
    }

    fn states(&self, spec: &S) -> Vec<S::State> {
        let all = self.reach(spec, self.zones.now(), None).into_iter();
        all.filter(|reach| reach.can_replace).map(|reach| reach.state).collect()
    }

    fn settled(&self, spec: &S) -> Option<S::State> {
        let written = self.zones.only()?;
        written.state.clone().or_else(|| written.state_after(spec, &self.base))
    }

    fn matters(&self, mark: Mark) -> bool {
        match mark {
            Mark::Nothing => false,
            Mark::Always => true,
            Mark::Zone(zone) => self.zones.is_alive(zone),
            Mark::Crashed(own) => match self.crashed.get(&own) {
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
}
