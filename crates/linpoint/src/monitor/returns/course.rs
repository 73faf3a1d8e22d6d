//! All returns, one after the other, and back.
//!
//! Only the current states are kept, and those at a few *stops*. To find an order, the returns between two stops are
//! repeated, with a record of how each state was reached. What no stop needs any more is dropped when the sets of
//! words have grown.
//!
//! Going back: given a state and contents that it can have, the links between states are followed. A link fits if the
//! contents before it are among those of the state that it comes from; then they can be reached, so no choice has to
//! be undone.

use super::graph::{Contents, Done, Link, Node, Origin, Phase, State, Stepper, step};
use super::words::{Visit, Words};
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;

/// There is a stop after this many nodes: their records need a few megabytes.
const NODES_BETWEEN_STOPS: usize = 1 << 16;

/// The states at some moment.
#[derive(Clone)]
pub(in crate::monitor) struct Stop<C> {
    /// Number of returns before it.
    pub(in crate::monitor) at: usize,
    states: Vec<State<C>>,
}

/// How far the returns can be explained.
pub(in crate::monitor) struct Course<C> {
    stops: Vec<Stop<C>>,
    /// After as many returns as can be explained. Its states are none if one cannot be.
    pub(in crate::monitor) end: Stop<C>,
}

/// Handles all returns, until there is no state left.
pub(in crate::monitor) fn forward<S: Stepper>(
    stepper: &mut S,
    effort: &mut Effort<'_>,
) -> Result<Course<S::Contents>, Refusal> {
    let start = Stop { at: 0, states: vec![State::start()] };
    let mut course = Course { stops: vec![start.clone()], end: start };
    let mut nodes = 0;
    while course.end.at < stepper.returns() {
        let Stop { at, states } = &mut course.end;
        step(stepper, *at, states, false, effort)?;
        nodes += stepper.graph().nodes.len();
        take_after(stepper, states, effort)?;
        if states.is_empty() {
            break;
        }
        *at += 1;
        let is_large = stepper.graph().words.is_large();
        if nodes > NODES_BETWEEN_STOPS || is_large {
            nodes = 0;
            effort.reserve(states.iter().map(State::bytes).sum())?;
            course.stops.push(course.end.clone());
            if is_large {
                course.sweep(stepper, &mut |_| (), effort)?;
            }
        }
    }
    Ok(course)
}

/// Takes the states after the return that was handled last.
fn take_after<S: Stepper>(
    stepper: &mut S,
    states: &mut Vec<State<S::Contents>>,
    effort: &mut Effort<'_>,
) -> Result<(), Refusal> {
    states.clear();
    states.extend(stepper.graph().after());
    stepper.settle(states, effort)
}

impl<C: Contents> Course<C> {
    /// Drops the words that no stop needs, nor other sets, which `others` visits.
    fn sweep<S: Stepper<Contents = C>>(
        &mut self,
        stepper: &mut S,
        others: &mut dyn FnMut(Visit<'_>),
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let Course { stops, end } = self;
        let mut each = |visit: Visit<'_>| {
            let stops = stops.iter_mut().chain([&mut *end]);
            for state in stops.flat_map(|stop| &mut stop.states) {
                state.contents.visit(visit);
            }
            others(visit);
        };
        stepper.graph_mut().words.sweep(&mut each, effort)
    }
}

/// How states were reached between two stops.
struct Record<S: Stepper> {
    /// Number of returns before it.
    from: usize,
    /// For each return: the states before it, its nodes, and their links in the order of where they lead to.
    before: Vec<State<S::Contents>>,
    nodes: Vec<Node<S::Contents, S::Phase>>,
    links: Vec<Link<S::Move>>,
    ends: Vec<[usize; 3]>,
    /// Bytes in use, and bytes that are accounted for.
    bytes: usize,
    reserved: usize,
}

/// One return of a [`Record`].
struct Recorded<'a, S: Stepper> {
    before: &'a [State<S::Contents>],
    nodes: &'a [Node<S::Contents, S::Phase>],
    links: &'a [Link<S::Move>],
}

impl<S: Stepper> Record<S> {
    fn new() -> Self {
        Record {
            from: 0,
            before: Vec::new(),
            nodes: Vec::new(),
            links: Vec::new(),
            ends: Vec::new(),
            bytes: 0,
            reserved: 0,
        }
    }

    /// Repeats the returns from a stop on.
    fn repeat(
        &mut self,
        stepper: &mut S,
        stop: Stop<S::Contents>,
        until: usize,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        self.before.clear();
        self.nodes.clear();
        self.links.clear();
        self.ends.clear();
        (self.from, self.bytes) = (stop.at, 0);
        let mut states = stop.states;
        for at in stop.at..until {
            step(stepper, at, &states, true, effort)?;
            self.account(&states, effort)?;
            self.before.append(&mut states);
            take_after(stepper, &mut states, effort)?;
            let graph = stepper.graph_mut();
            graph.links.sort_unstable_by_key(|link| link.to);
            effort.work(4 * graph.links.len())?;
            let heap = graph.nodes.iter().map(|node| node.state.contents.bytes()).sum::<usize>();
            self.bytes += heap;
            self.nodes.append(&mut graph.nodes);
            self.links.append(&mut graph.links);
            self.ends.push([self.before.len(), self.nodes.len(), self.links.len()]);
        }
        Ok(())
    }

    fn account(
        &mut self,
        before: &[State<S::Contents>],
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        self.bytes += before.iter().map(|state| state.contents.bytes()).sum::<usize>();
        let tables = size_of_val(&self.before[..])
            + size_of_val(&self.nodes[..])
            + size_of_val(&self.links[..]);
        let bytes = self.bytes + 2 * tables;
        if bytes > self.reserved {
            // By leaps, so that this is rare.
            effort.reserve(bytes)?;
            self.reserved += bytes;
        }
        Ok(())
    }

    /// The return after this many others.
    fn at(&self, at: usize) -> Recorded<'_, S> {
        let i = at - self.from;
        let [a, b, c] = if i == 0 { [0; 3] } else { self.ends[i - 1] };
        let [x, y, z] = self.ends[i];
        Recorded { before: &self.before[a..x], nodes: &self.nodes[b..y], links: &self.links[c..z] }
    }
}

/// The contents of a container at some moment, while an order is followed backwards.
pub(in crate::monitor) trait Known<S: Stepper>: Sized {
    /// Some of these contents.
    fn some(contents: &S::Contents, words: &Words) -> Self;

    /// True if nothing is in the container.
    fn is_empty(&self) -> bool;

    /// Represents them as these contents are represented.
    fn align(&mut self, _to: &S::Contents, _effort: &mut Effort<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// Undoes a move and returns whether the contents before it are among these. If not, they are as before.
    fn undo(
        &mut self,
        by: S::Move,
        stepper: &S,
        before: &S::Contents,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal>;

    /// Visits the sets of words that it refers to.
    fn visit(&mut self, visit: Visit<'_>);
}

/// An order that leads to one of the states after the last return.
pub(in crate::monitor) fn order<S: Stepper, K: Known<S>>(
    stepper: &mut S,
    course: &mut Course<S::Contents>,
    effort: &mut Effort<'_>,
) -> Result<Vec<u32>, Refusal> {
    let Some(end) = course.end.states.first() else { return Err(lost()) };
    let contents = K::some(&end.contents, &stepper.graph().words);
    let mut back = Back { order: Vec::new(), done: end.done, contents };
    course.end.states.clear();
    let mut until = course.end.at;
    let mut record = Record::new();
    while let Some(stop) = course.stops.pop() {
        let from = stop.at;
        record.repeat(stepper, stop, until, effort)?;
        for at in (from..until).rev() {
            stepper.look_at(at);
            back.undo_return(stepper, &record.at(at), effort)?;
        }
        until = from;
        if stepper.graph().words.is_large() {
            course.sweep(stepper, &mut |visit| back.contents.visit(visit), effort)?;
        }
    }
    if !back.contents.is_empty() || back.done.open != 0 {
        return Err(lost());
    }
    back.order.reverse();
    Ok(back.order)
}

/// A state and its contents, and the operations after it in reverse.
struct Back<K> {
    order: Vec<u32>,
    done: Done,
    contents: K,
}

impl<K> Back<K> {
    /// Goes back to a state before a return.
    fn undo_return<S: Stepper>(
        &mut self,
        stepper: &S,
        recorded: &Recorded<'_, S>,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal>
    where
        K: Known<S>,
    {
        let is_end = |node: &Node<_, S::Phase>| {
            node.phase == S::Phase::AFTER && node.state.done == self.done
        };
        let mut node = recorded.nodes.iter().position(is_end).ok_or_else(lost)? as u32;
        effort.work(node as usize)?;
        self.contents.align(&recorded.nodes[node as usize].state.contents, effort)?;
        loop {
            let (from, by) = self.undo_link(stepper, recorded, node, effort)?;
            stepper.write(by, &mut self.order);
            match from {
                Origin::Node(earlier) => node = earlier,
                Origin::Before(state) => {
                    self.done = recorded.before[state as usize].done;
                    return Ok(());
                }
            }
        }
    }

    /// Finds a link through which the contents reached the node, and undoes its move.
    fn undo_link<S: Stepper>(
        &mut self,
        stepper: &S,
        recorded: &Recorded<'_, S>,
        node: u32,
        effort: &mut Effort<'_>,
    ) -> Result<(Origin, S::Move), Refusal>
    where
        K: Known<S>,
    {
        let first = recorded.links.partition_point(|link| link.to < node);
        for &Link { from, by, .. } in
            recorded.links[first..].iter().take_while(|link| link.to == node)
        {
            let before = match from {
                Origin::Node(node) => &recorded.nodes[node as usize].state,
                Origin::Before(state) => &recorded.before[state as usize],
            };
            if self.contents.undo(by, stepper, &before.contents, effort)? {
                return Ok((from, by));
            }
        }
        Err(lost())
    }
}

/// An error in this module. The searches then decide.
fn lost() -> Refusal {
    Refusal::new("the order was lost")
}
