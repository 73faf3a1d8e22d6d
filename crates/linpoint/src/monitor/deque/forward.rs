//! All returns, one after the other.
//!
//! Only the current states are kept, and those at a few *stops*. To find an order, the returns between
//! two stops are repeated, with a record of how each state was reached. What no stop needs any more is
//! dropped when the sets of words have grown.

use super::contents::Contents;
use super::recut::recut;
use super::step::{Link, Node, Phase, State, Stepper};
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;
use crate::monitor::returns::words::Visit;

/// There is a stop after this many nodes: their records need a few megabytes.
const NODES_BETWEEN_STOPS: usize = 1 << 16;

/// The states at some moment.
#[derive(Clone)]
pub(super) struct Stop {
    /// Number of returns before it.
    pub(super) at: usize,
    pub(super) states: Vec<State>,
}

/// How far the returns can be explained.
pub(super) struct Course {
    pub(super) stops: Vec<Stop>,
    /// After as many returns as can be explained. Its states are none if one cannot be.
    pub(super) end: Stop,
}

/// Handles all returns, until there is no state left.
pub(super) fn forward(
    stepper: &mut Stepper<'_>,
    effort: &mut Effort<'_>,
) -> Result<Course, Refusal> {
    let start = Stop { at: 0, states: vec![State::start()] };
    let mut course = Course { stops: vec![start.clone()], end: start };
    let mut nodes = 0;
    while course.end.at < stepper.moments.len() {
        let Stop { at, states } = &mut course.end;
        stepper.step(*at, states, false, effort)?;
        nodes += stepper.nodes.len();
        stepper.take_after(states, effort)?;
        if states.is_empty() {
            break;
        }
        *at += 1;
        if nodes > NODES_BETWEEN_STOPS || stepper.words.is_large() {
            nodes = 0;
            let stop = course.end.clone();
            effort.reserve(stop.states.iter().map(State::bytes).sum())?;
            course.stops.push(stop);
            if stepper.words.is_large() {
                course.sweep(stepper, &mut |_| (), effort)?;
            }
        }
    }
    Ok(course)
}

impl Course {
    /// Drops the words that no stop needs, nor other sets, which `others` visits.
    pub(super) fn sweep(
        &mut self,
        stepper: &mut Stepper<'_>,
        others: &mut dyn FnMut(Visit<'_>),
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let Course { stops, end } = self;
        let mut each = |visit: Visit<'_>| {
            let states = stops.iter_mut().chain([&mut *end]).flat_map(|stop| &mut stop.states);
            states.flat_map(|state| &mut state.contents.pairs).flatten().for_each(&mut *visit);
            others(visit);
        };
        stepper.words.sweep(&mut each, effort)
    }
}

impl State {
    fn bytes(&self) -> usize {
        size_of::<State>()
            + if self.contents.pairs.spilled() { 16 * self.contents.pairs.len() } else { 0 }
    }
}

impl Stepper<'_> {
    /// Takes the states after the return that was handled last. Moves the cut if that is useful, which
    /// depends on the states only.
    fn take_after(
        &mut self,
        states: &mut Vec<State>,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        states.clear();
        let after = self.nodes.iter().filter(|node| node.phase == Phase::After);
        states.extend(after.map(|node| node.state.clone()));
        let mut contents: Vec<&mut Contents> =
            states.iter_mut().map(|state| &mut state.contents).collect();
        recut(&mut contents, &mut self.words, effort)
    }
}

/// How states were reached between two stops.
#[derive(Default)]
pub(super) struct Record {
    /// Number of returns before it.
    from: usize,
    returns: Vec<Recorded>,
    /// Bytes that are accounted for.
    reserved: usize,
}

/// One return of a [`Record`].
pub(super) struct Recorded {
    pub(super) before: Vec<State>,
    pub(super) nodes: Vec<Node>,
    /// In the order of where they lead to.
    pub(super) links: Vec<Link>,
}

impl Record {
    /// Repeats the returns from a stop on.
    pub(super) fn repeat(
        &mut self,
        stepper: &mut Stepper<'_>,
        stop: Stop,
        until: usize,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        self.returns.clear();
        self.from = stop.at;
        let mut states = stop.states;
        let mut bytes = 0;
        for at in stop.at..until {
            stepper.step(at, &states, true, effort)?;
            let before = states.clone();
            let nodes = stepper.nodes.clone();
            stepper.take_after(&mut states, effort)?;
            let mut links = std::mem::take(&mut stepper.links);
            links.sort_unstable_by_key(|link| link.to);
            effort.work(4 * links.len())?;
            let states_before = before.iter().chain(nodes.iter().map(|node| &node.state));
            bytes += states_before.map(|state| state.bytes() + 8).sum::<usize>();
            bytes += size_of::<Link>() * links.capacity();
            if bytes > self.reserved {
                effort.reserve(bytes)?;
                self.reserved += bytes;
            }
            self.returns.push(Recorded { before, nodes, links });
        }
        Ok(())
    }

    /// The return after this many others.
    pub(super) fn at(&self, at: usize) -> &Recorded {
        &self.returns[at - self.from]
    }
}
