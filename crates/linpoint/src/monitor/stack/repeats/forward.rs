//! All returns, one after the other.
//!
//! Only the current states are kept, and those at a few *stops*: whenever the sets of words have
//! grown, what no state needs any more is dropped, and that is a stop. To find an order, the returns
//! between two stops are repeated, with a record of how each state was reached.

use super::step::{Link, Node, Phase, State, Stepper};
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;
use crate::monitor::returns::words::{Set, Visit};

/// The states at some moment.
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
    let start = || Stop { at: 0, states: vec![State::START] };
    let mut course = Course { stops: vec![start()], end: start() };
    while course.end.at < stepper.moments.len() {
        let Stop { at, states } = &mut course.end;
        stepper.step(*at, states, false, effort)?;
        states.clear();
        states.extend(stepper.after());
        if states.is_empty() {
            break;
        }
        *at += 1;
        if stepper.words.is_large() {
            effort.reserve(size_of::<State>() * states.len())?;
            let stop = Stop { at: *at, states: states.clone() };
            course.stops.push(stop);
            course.sweep(stepper, &mut [], effort)?;
        }
    }
    Ok(course)
}

impl Course {
    /// Drops the words that no stop needs, nor these sets.
    pub(super) fn sweep(
        &mut self,
        stepper: &mut Stepper<'_>,
        others: &mut [Set],
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let Course { stops, end } = self;
        let mut each = |visit: Visit<'_>| {
            let stops = stops.iter_mut().chain([&mut *end]);
            stops.flat_map(|stop| &mut stop.states).for_each(|state| visit(&mut state.words));
            others.iter_mut().for_each(visit);
        };
        stepper.words.sweep(&mut each, effort)
    }
}

/// How states were reached between two stops.
#[derive(Default)]
pub(super) struct Record {
    /// Number of returns before it.
    from: usize,
    /// For each return: the states before it, its nodes, and their links in the order of where they
    /// lead to.
    before: Vec<State>,
    nodes: Vec<Node>,
    links: Vec<Link>,
    ends: Vec<[usize; 3]>,
    /// Bytes that are accounted for.
    reserved: usize,
}

/// One return of a [`Record`].
pub(super) struct Recorded<'a> {
    pub(super) before: &'a [State],
    pub(super) nodes: &'a [Node],
    pub(super) links: &'a [Link],
}

impl Record {
    /// Repeats the returns from a stop on.
    pub(super) fn repeat(
        &mut self,
        stepper: &mut Stepper<'_>,
        stop: &Stop,
        until: usize,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        self.before.clear();
        self.nodes.clear();
        self.links.clear();
        self.ends.clear();
        self.from = stop.at;
        let mut states = stop.states.clone();
        for at in stop.at..until {
            stepper.step(at, &states, true, effort)?;
            self.before.append(&mut states);
            states.extend(stepper.after());
            stepper.links.sort_unstable_by_key(|link| link.to);
            effort.work(4 * stepper.links.len())?;
            self.nodes.append(&mut stepper.nodes);
            self.links.append(&mut stepper.links);
            self.ends.push([self.before.len(), self.nodes.len(), self.links.len()]);
            self.account(effort)?;
        }
        Ok(())
    }

    fn account(&mut self, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let sizes = [size_of::<State>(), size_of::<Node>(), size_of::<Link>()];
        let lens = [self.before.len(), self.nodes.len(), self.links.len()];
        let bytes: usize = sizes.iter().zip(lens).map(|(size, len)| 2 * size * len).sum();
        if bytes > self.reserved {
            effort.reserve(bytes)?;
            self.reserved += bytes;
        }
        Ok(())
    }

    /// The return after this many others.
    pub(super) fn at(&self, at: usize) -> Recorded<'_> {
        let i = at - self.from;
        let [a, b, c] = if i == 0 { [0; 3] } else { self.ends[i - 1] };
        let [x, y, z] = self.ends[i];
        Recorded { before: &self.before[a..x], nodes: &self.nodes[b..y], links: &self.links[c..z] }
    }
}

impl Stepper<'_> {
    /// The states after the return that was handled last.
    fn after(&self) -> impl Iterator<Item = State> {
        self.nodes.iter().filter(|node| node.phase == Phase::After).map(|node| node.state)
    }
}
