//! Splits a history into parts that can be checked independently.
//!
//! Different objects are independent (linearizability is local), and so are keys of one object
//! that no operation touches together (P-compositionality). Operations that touch several keys join
//! them, and so do asserted order hints whose scope spans several keys.

use rustc_hash::FxHashMap;

use crate::check::Hints;
use crate::history::{OpId, Span, Timeline};
use crate::sorting::{pair, sort_by_key};
use crate::spec::Footprint;
use crate::subject::Case;

/// An event of a part: an operation, and whether it returns or is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Event(u32);

impl Event {
    fn new(op: OpId, is_return: bool) -> Self {
        Event(op.0 << 1 | u32::from(is_return))
    }

    pub(crate) fn op(self) -> OpId {
        OpId(self.0 >> 1)
    }

    pub(crate) fn is_return(self) -> bool {
        self.0 & 1 != 0
    }
}

/// The parts of a history: for each, its events in real-time order.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    events: Vec<Event>,
    /// Part `i` has the events `bounds[i]..bounds[i + 1]`.
    bounds: Vec<usize>,
}

impl Split {
    /// Number of parts; a history without operations has none.
    pub(crate) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    pub(crate) fn events(&self, part: usize) -> &[Event] {
        &self.events[self.bounds[part]..self.bounds[part + 1]]
    }

    /// The operations of a part, in call order.
    pub(crate) fn ops(&self, part: usize) -> Vec<OpId> {
        self.events(part).iter().filter(|e| !e.is_return()).map(|e| e.op()).collect()
    }

    /// Splits by object, and by key where the spec allows it.
    pub(crate) fn new(case: &Case<'_>, hints: Hints, by_key: bool) -> Split {
        let timeline = case.timeline();
        let ordered = ordered_events(timeline.spans(), timeline.ranks());
        let part_of = parts(case, hints, by_key);
        let count = part_of.iter().max().map_or(0, |m| *m as usize + 1);
        if count <= 1 {
            let bounds = if ordered.is_empty() { vec![0] } else { vec![0, ordered.len()] };
            return Split { events: ordered, bounds };
        }
        let mut bounds = vec![0; count + 1];
        for event in &ordered {
            bounds[part_of[event.op().index()] as usize + 1] += 1;
        }
        for i in 0..count {
            bounds[i + 1] += bounds[i];
        }
        let mut next = bounds.clone();
        let mut events = vec![Event(0); ordered.len()];
        for event in ordered {
            let at = &mut next[part_of[event.op().index()] as usize];
            events[*at] = event;
            *at += 1;
        }
        Split { events, bounds }
    }

    /// The whole history as one part, whatever it touches.
    pub(crate) fn whole(timeline: &Timeline) -> Split {
        let events = ordered_events(timeline.spans(), timeline.ranks());
        let bounds = vec![0, events.len()];
        Split { events, bounds }
    }
}

/// All events by rank. Ranks of a recorded history are distinct and dense, so scattering sorts
/// them. Derived histories may have gaps and equal ranks; at equal ranks, calls come first.
fn ordered_events(spans: &[Span], ranks: u32) -> Vec<Event> {
    const VACANT: Event = Event(u32::MAX);
    let mut by_rank = vec![VACANT; ranks as usize];
    for (id, &Span { call, ret }) in spans.iter().enumerate() {
        let id = OpId(id as u32);
        let ends = (ret != Span::NEVER).then_some((ret, true));
        for (rank, is_return) in [Some((call, false)), ends].into_iter().flatten() {
            match by_rank.get_mut(rank as usize) {
                Some(cell) if *cell == VACANT => *cell = Event::new(id, is_return),
                _ => return sorted_events(spans),
            }
        }
    }
    by_rank.retain(|e| *e != VACANT);
    by_rank
}

fn sorted_events(spans: &[Span]) -> Vec<Event> {
    let mut events = Vec::with_capacity(2 * spans.len());
    for (id, span) in spans.iter().enumerate() {
        let id = OpId(id as u32);
        events.push((span.call, Event::new(id, false)));
        if !span.is_pending() {
            events.push((span.ret, Event::new(id, true)));
        }
    }
    sort_by_key(&mut events, |(rank, event)| pair(*rank, event.is_return().into()));
    events.into_iter().map(|(_, event)| event).collect()
}

/// What joins operations into one part.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Tie {
    Key { object: Option<u32>, key: u64 },
    Object(Option<u32>),
    Scope { object: Option<u32>, scope: u32 },
}

/// The part of each operation, numbered in the order of first appearance.
fn parts(case: &Case<'_>, hints: Hints, by_key: bool) -> Vec<u32> {
    if hints != Hints::Assert
        && let Some(parts) = parts_of_single_keys(case, by_key)
    {
        return parts;
    }
    let mut joins = Joins::default();
    let mut whole_objects: Vec<Option<u32>> = Vec::new();
    // The representative tie of each operation. An operation that touches nothing has none.
    let mut tie_of: Vec<Option<u32>> = Vec::with_capacity(case.len());
    for id in case.ids() {
        let extras = case.extras(id);
        let object = extras.object;
        let footprint = if by_key { case.subject.footprint(case.op(id)) } else { Footprint::Whole };
        let mut tie = match footprint {
            Footprint::Whole => {
                if !whole_objects.contains(&object) {
                    whole_objects.push(object);
                }
                Some(joins.node(Tie::Object(object)))
            }
            Footprint::Keys(keys) => {
                let mut first = None;
                for key in keys {
                    let node = joins.node(Tie::Key { object, key });
                    first = Some(first.map_or(node, |f| joins.join(f, node)));
                }
                first
            }
        };
        if let (Hints::Assert, Some(hint)) = (hints, extras.hint) {
            let node = joins.node(Tie::Scope { object, scope: hint.scope });
            tie = Some(tie.map_or(node, |t| joins.join(t, node)));
        }
        tie_of.push(tie);
    }
    // An operation on a whole object joins all its keys.
    for object in whole_objects {
        let whole = joins.node(Tie::Object(object));
        let keys: Vec<u32> = joins
            .nodes
            .iter()
            .filter(|(tie, _)| matches!(tie, Tie::Key { object: o, .. } if *o == object))
            .map(|(_, node)| *node)
            .collect();
        for key in keys {
            joins.join(whole, key);
        }
    }
    let mut number: FxHashMap<Option<u32>, u32> = FxHashMap::default();
    let mut part_of = Vec::with_capacity(case.len());
    for tie in tie_of {
        let root = tie.map(|t| joins.root(t));
        let next = number.len() as u32;
        part_of.push(*number.entry(root).or_insert(next));
    }
    part_of
}

/// The part of each operation if each touches exactly one key, so that nothing is joined.
fn parts_of_single_keys(case: &Case<'_>, by_key: bool) -> Option<Vec<u32>> {
    let mut number: FxHashMap<(Option<u32>, u64), u32> = FxHashMap::default();
    let mut part_of = Vec::with_capacity(case.len());
    for id in case.ids() {
        let Footprint::Keys(keys) =
            (if by_key { case.subject.footprint(case.op(id)) } else { return None })
        else {
            return None;
        };
        let [key] = keys.as_slice() else { return None };
        let next = number.len() as u32;
        part_of.push(*number.entry((case.extras(id).object, *key)).or_insert(next));
    }
    Some(part_of)
}

/// Union-find over ties.
#[derive(Default)]
struct Joins {
    nodes: FxHashMap<Tie, u32>,
    parent: Vec<u32>,
}

impl Joins {
    fn node(&mut self, tie: Tie) -> u32 {
        let next = self.parent.len() as u32;
        let node = *self.nodes.entry(tie).or_insert(next);
        if node == next {
            self.parent.push(next);
        }
        node
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            let above = self.parent[self.parent[node as usize] as usize];
            self.parent[node as usize] = above;
            node = above;
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[b as usize] = a;
        a
    }
}
