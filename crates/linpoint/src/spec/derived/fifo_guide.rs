//! In which order elements probably went through a queue.
//!
//! If one enqueue ended before another began, or one dequeue before another, that fixes the order
//! of the two elements. Elements are taken one by one, always one that nothing left must precede;
//! if every element is added once and nothing is peeked at, that order is right whenever a right one
//! exists (there is no cycle then). Otherwise it is only a guess, which is all a guide has to be.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::Row;
use crate::history::Span;
use crate::sorting::sort_by_key;
use crate::spec::{Name, Role};

/// Of one element: when it was added, when it was removed, by which operations of the part.
struct Element {
    added: (usize, Span),
    removed: Option<(usize, Span)>,
}

/// Sort keys for [`crate::spec::Claims::guide`]: removals in the order of their elements first, then
/// additions in that order.
pub(super) fn guide(rows: &[Row]) -> Vec<u64> {
    let mut keys = vec![u64::MAX; rows.len()];
    let elements = elements(rows);
    let additions_from = elements.len() as u64;
    for (position, element) in order(&elements).into_iter().enumerate() {
        let element = &elements[element];
        keys[element.added.0] = additions_from + position as u64;
        if let Some((remove, _)) = element.removed {
            keys[remove] = position as u64;
        }
    }
    keys
}

/// Pairs additions with removals; of equal values the first with the first.
fn elements(rows: &[Row]) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    let mut of_value: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
    let mut removals = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        match row.effect() {
            Role::Add(name) => {
                of_value.entry(name).or_default().push(elements.len());
                elements.push(Element { added: (i, row.span), removed: None });
            }
            Role::Remove(name) if row.is_evidence() => removals.push((i, name, row.span)),
            _ => {}
        }
    }
    for list in of_value.values_mut() {
        sort_by_key(list, |e| !u64::from(elements[*e].added.1.call));
    }
    sort_by_key(&mut removals, |(_, _, span)| span.call);
    for (i, name, span) in removals {
        if let Some(element) = of_value.get_mut(&name).and_then(Vec::pop) {
            elements[element].removed = Some((i, span));
        }
    }
    elements
}

/// The elements in an order that contradicts no real-time order of additions or removals, as far
/// as there is one.
fn order(elements: &[Element]) -> Vec<usize> {
    let added = |e: usize| elements[e].added.1;
    let never = Span { call: u32::MAX, ret: u32::MAX };
    let removed = |e: usize| elements[e].removed.map_or(never, |(_, span)| span);
    let mut additions = Waiting::new(elements.len(), added);
    let mut removals = Waiting::new(elements.len(), removed);
    let mut may_go = vec![0; elements.len()];
    let mut ready = BinaryHeap::new();
    let mut gone = vec![false; elements.len()];
    let mut order = Vec::with_capacity(elements.len());
    while order.len() < elements.len() {
        for waiting in [&mut additions, &mut removals] {
            for e in waiting.release(&gone) {
                may_go[e] += 1;
                if may_go[e] == 2 {
                    ready.push(Reverse((removed(e).ret, e)));
                }
            }
        }
        let next = match ready.pop() {
            Some(Reverse((_, e))) => e,
            // A cycle: no order is right. Continue with what must be added first.
            None => match additions.first_to_end(&gone) {
                Some(e) => e,
                None => break,
            },
        };
        if !gone[next] {
            gone[next] = true;
            order.push(next);
        }
    }
    order
}

/// Elements that wait until nothing that is left must precede them on one side.
struct Waiting {
    /// By call; those before `next_call` have been released.
    by_call: Vec<(u32, usize)>,
    next_call: usize,
    /// By return; those before `next_return` are gone.
    by_return: Vec<(u32, usize)>,
    next_return: usize,
}

impl Waiting {
    fn new(count: usize, span: impl Fn(usize) -> Span) -> Self {
        let mut by_call: Vec<_> = (0..count).map(|e| (span(e).call, e)).collect();
        let mut by_return: Vec<_> = (0..count).map(|e| (span(e).ret, e)).collect();
        sort_by_key(&mut by_call, |(call, _)| *call);
        sort_by_key(&mut by_return, |(ret, _)| *ret);
        Waiting { by_call, next_call: 0, by_return, next_return: 0 }
    }

    fn first_to_end(&mut self, gone: &[bool]) -> Option<usize> {
        while self.by_return.get(self.next_return).is_some_and(|(_, e)| gone[*e]) {
            self.next_return += 1;
        }
        self.by_return.get(self.next_return).map(|(_, e)| *e)
    }

    /// Those called before the first return of what is left.
    fn release(&mut self, gone: &[bool]) -> Vec<usize> {
        self.first_to_end(gone);
        let Some(&(limit, _)) = self.by_return.get(self.next_return) else { return Vec::new() };
        let from = self.next_call;
        while self.by_call.get(self.next_call).is_some_and(|(call, _)| *call <= limit) {
            self.next_call += 1;
        }
        self.by_call[from..self.next_call].iter().map(|(_, e)| *e).collect()
    }
}
