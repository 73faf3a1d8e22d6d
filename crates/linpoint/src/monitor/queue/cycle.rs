//! Finds two or three elements, each of which must be in front of the next.

use super::super::container::Element;

/// Why an element must be in front of another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Why {
    /// Its enqueue ended before the other one's began.
    Enqueued,
    /// It was seen before the other one's last operation began.
    Seen,
    /// It was seen, and nothing removed the other one.
    Stayed,
}

/// A constraint between two elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) front: u32,
    pub(super) back: u32,
    pub(super) why: Why,
}

/// Finds a cycle among elements none of which can be the last one. Elements that no completed
/// operation removed are removed at `removal` at the earliest.
///
/// It has at most three elements. Let A be the one whose enqueue begins last, and L and M those that
/// are removed last. An element that cannot be last must be in front of A by enqueues, or it was seen
/// before the removal of L (or, if it is L itself, of M) began. A's own enqueue cannot have ended
/// before a later one began. So each of the three must be in front of another one of them.
pub(super) fn find(list: &[Element], left: &[u32], removal: u32) -> Option<Vec<Edge>> {
    let of = |value: u32| &list[value as usize];
    let removed_at = |value: u32| match of(value).is_removed() {
        true => of(value).last_left,
        false => of(value).last_left.max(removal),
    };
    let edge = |front: u32, back: u32| {
        let (f, b) = (of(front), of(back));
        let why = if f.add_right < b.add_left {
            Why::Enqueued
        } else if f.seen_right < b.last_left {
            Why::Seen
        } else if f.seen_right < removed_at(back) {
            Why::Stayed
        } else {
            return None;
        };
        Some(Edge { front, back, why })
    };
    let begun_last = left.iter().copied().max_by_key(|v| of(*v).add_left)?;
    let removed_last = left.iter().copied().max_by_key(|v| removed_at(*v))?;
    let mut suspects = vec![begun_last];
    if removed_last != begun_last {
        suspects.push(removed_last);
    }
    let second = left.iter().copied().filter(|v| *v != removed_last).max_by_key(|v| removed_at(*v));
    suspects.extend(second.filter(|v| *v != begun_last));
    cycle(&suspects, edge)
}

/// The shortest cycle of two or three elements, with the simplest reasons.
fn cycle(suspects: &[u32], edge: impl Fn(u32, u32) -> Option<Edge>) -> Option<Vec<Edge>> {
    let mut found: Option<Vec<Edge>> = None;
    let mut offer = |edges: Option<Vec<Edge>>| {
        let Some(mut edges) = edges else { return };
        let rank =
            |edges: &[Edge]| (edges.len(), edges.iter().filter(|e| e.why == Why::Stayed).count());
        if found.as_ref().is_none_or(|best| rank(&edges) < rank(best)) {
            edges.sort_by_key(|e| e.why);
            found = Some(edges);
        }
    };
    for (i, &a) in suspects.iter().enumerate() {
        for &b in &suspects[..i] {
            offer([edge(a, b), edge(b, a)].into_iter().collect());
        }
    }
    if let &[a, b, c] = suspects {
        offer([edge(a, b), edge(b, c), edge(c, a)].into_iter().collect());
        offer([edge(b, a), edge(a, c), edge(c, b)].into_iter().collect());
    }
    found
}
