//! Queues, stacks, priority queues, bags and deques: what is added stays until it is removed.
//!
//! An operation that may have removed anything (one that never returned, or whose result is unknown) counts as a removal
//! of whatever the argument is about.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::view::{Held, Row, View, held};
use crate::sorting::{pair, sort_by_key};
use crate::spec::{Role, Shape, Slot};
use crate::verdict::{Argument, Rule};

/// Chains of elements that relieve each other are not longer than this.
const LONGEST_RELAY: usize = 16;

/// What an operation does to the elements.
enum Does {
    Add(Held),
    Remove(Held),
    /// Removes some element, or none.
    Take,
    Peek(Held),
    Empty,
    Full,
}

fn does(row: &Row) -> Option<Does> {
    let value = |name| held(row, name, Slot::Value);
    Some(match row.role {
        Role::Add(name) | Role::AddFront(name) => Does::Add(value(name)),
        Role::Remove(name) | Role::RemoveFront(name) => Does::Remove(value(name)),
        Role::Take | Role::TakeFront => Does::Take,
        Role::Peek(name) | Role::PeekFront(name) => Does::Peek(value(name)),
        Role::Empty => Does::Empty,
        Role::Full => Does::Full,
        _ => return None,
    })
}

fn adds(row: &Row) -> Option<Held> {
    match does(row) {
        Some(Does::Add(value)) => Some(value),
        _ => None,
    }
}

fn removes(row: &Row) -> Option<Held> {
    match does(row) {
        Some(Does::Remove(value)) if row.certain => Some(value),
        _ => None,
    }
}

/// True if it adds something, at the front.
fn adds_in_front(row: &Row) -> bool {
    matches!(row.role, Role::AddFront(_))
}

/// True if it removes something, which is not known.
fn takes(row: &Row) -> bool {
    matches!(does(row), Some(Does::Take))
        || (!row.certain && matches!(does(row), Some(Does::Remove(_))))
}

/// Why an operation of a container is impossible.
pub(super) fn argue(view: &View<'_, '_>, row: &Row) -> Option<Argument> {
    if !row.certain {
        return None;
    }
    let container = Container { view, shape: view.case.subject.shape() };
    match does(row)? {
        Does::Remove(value) => container
            .unadded(row, value)
            .or_else(|| container.twice(row, value))
            .or_else(|| container.out_of_order(row, value)),
        Does::Peek(value) => container
            .unadded(row, value)
            .or_else(|| container.removed(row, value))
            .or_else(|| container.out_of_order(row, value)),
        Does::Empty => container.not_empty(row).or_else(|| container.relay(row)),
        Does::Full => container.not_full(row),
        Does::Add(_) => container.overfull(row),
        Does::Take => None,
    }
}

struct Container<'v, 'c, 'a> {
    view: &'v View<'c, 'a>,
    shape: Shape,
}

impl<'v> Container<'v, '_, '_> {
    fn is(&self, held: Option<Held>, value: Held) -> bool {
        held.is_some_and(|held| self.view.same(held, value))
    }

    /// The element was not added before the operation returned.
    fn unadded(&self, row: &Row, value: Held) -> Option<Argument> {
        if self.view.before(row).any(|other| self.is(adds(other), value)) {
            return None;
        }
        let all = self.view.rows.iter().chain(&self.view.later);
        let late: Vec<&Row> = all.filter(|other| self.is(adds(other), value)).collect();
        Some(match late.iter().min_by_key(|row| row.span.call) {
            None => Argument::Phantom { reader: row.id },
            Some(first) => {
                Argument::Future { reader: row.id, writer: first.id, writers: late.len() }
            }
        })
    }

    /// More operations removed the element than added it.
    fn twice(&self, row: &Row, value: Held) -> Option<Argument> {
        let rows = || self.view.rows.iter();
        let adders: Vec<&Row> = rows().filter(|row| self.is(adds(row), value)).collect();
        let mut takers: Vec<&Row> =
            rows().filter(|other| other.id != row.id && self.is(removes(other), value)).collect();
        if takers.len() < adders.len() {
            return None;
        }
        sort_by_key(&mut takers, |row| row.span.call);
        takers.truncate(adders.len());
        takers.push(row);
        let ids = |rows: Vec<&Row>| rows.into_iter().map(|row| row.id).collect();
        Some(Argument::Twice { takers: ids(takers), adders: ids(adders) })
    }

    /// The element had been removed as often as it had been added.
    fn removed(&self, row: &Row, value: Held) -> Option<Argument> {
        let adders: Vec<&Row> =
            self.view.before(row).filter(|other| self.is(adds(other), value)).collect();
        let is_taker = |other: &&Row| self.is(removes(other), value) && other.surely_precedes(row);
        let mut takers: Vec<&Row> = self.view.rows.iter().filter(is_taker).collect();
        if takers.len() < adders.len() {
            return None;
        }
        sort_by_key(&mut takers, |row| row.span.ret);
        let last = takers.last()?;
        Some(Argument::Removed {
            reader: row.id,
            taker: last.id,
            adders: adders.iter().map(|row| row.id).collect(),
        })
    }

    /// The rows that may have removed an unknown element before `row` returned.
    fn unknown_takes(&self, row: &'v Row) -> usize {
        self.view.before(row).filter(|other| takes(other)).count()
    }

    /// Another element was first in turn.
    fn out_of_order(&self, taker: &Row, value: Held) -> Option<Argument> {
        let own: Vec<&Row> =
            self.view.before(taker).filter(|row| self.is(adds(row), value)).collect();
        let first_own = own.iter().min_by_key(|row| row.span.call)?;
        let rule = match self.shape {
            Shape::Queue | Shape::BoundedQueue { .. } => Rule::FirstIn,
            Shape::Stack if own.len() == 1 => Rule::LastIn,
            Shape::PriorityQueue => Rule::Priority,
            Shape::Deque if own.len() == 1 => match taker.role {
                Role::RemoveFront(_) | Role::PeekFront(_) => Rule::Front,
                _ => Rule::Back,
            },
            _ => return None,
        };
        let compare = |a: Held| self.view.case.subject.compare(a.place, value.place);
        // True if this element, which is not `value`, has to come out before it.
        let is_ahead = |row: &Row, element: Held| match rule {
            Rule::FirstIn => row.surely_precedes(first_own),
            Rule::LastIn => first_own.precedes(row) && row.surely_precedes(taker),
            Rule::Priority => row.surely_precedes(taker) && compare(element) == Ordering::Greater,
            // Added at this end after the other, or before the other was added at the opposite end. Either way it was
            // nearer to this end when the later of the two was added, and both stayed: what is between an element and
            // an end changes only at that end.
            Rule::Front | Rule::Back => {
                let is_here = |row: &Row| adds_in_front(row) == (rule == Rule::Front);
                let after = is_here(row) && first_own.precedes(row) && row.surely_precedes(taker);
                after || !is_here(first_own) && row.surely_precedes(first_own)
            }
        };
        let may_remove = |row: &Row| match rule {
            Rule::LastIn => !row.precedes(first_own),
            _ => true,
        };
        let waiting = self.waiting(
            taker,
            &|row, element| !self.view.same(element, value) && is_ahead(row, element),
            &may_remove,
        )?;
        // The one that has waited longest, or lies on top, is the most striking.
        let other = match rule {
            Rule::LastIn | Rule::Front | Rule::Back => {
                waiting.iter().max_by_key(|row| row.span.call)
            }
            _ => waiting.iter().min_by_key(|row| row.span.call),
        }?;
        let (waiting, added) = (other.id, first_own.id);
        Some(Argument::OutOfOrder { rule, waiting, added, taker: taker.id })
    }

    /// Adds of elements of which more were surely added than can have been removed before `until` returned, one for each
    /// of them. `None` if there is no such element, or if operations whose result is unknown may have removed it.
    fn waiting(
        &self,
        until: &'v Row,
        counts: &dyn Fn(&Row, Held) -> bool,
        may_remove: &dyn Fn(&Row) -> bool,
    ) -> Option<Vec<&'v Row>> {
        let unknown = self.view.before(until).filter(|row| takes(row) && may_remove(row)).count();
        let mut names: FxHashMap<u64, (Vec<&Row>, usize)> = FxHashMap::default();
        for row in self.view.before(until) {
            if let Some(element) = adds(row)
                && counts(row, element)
            {
                names.entry(element.name.0).or_default().0.push(row);
            }
        }
        for row in self.view.before(until).filter(|row| may_remove(row)) {
            if let Some(element) = removes(row)
                && let Some((_, removed)) = names.get_mut(&element.name.0)
            {
                *removed += 1;
            }
        }
        let mut waiting: Vec<&Row> = Vec::new();
        for (rows, removed) in names.into_values() {
            // Different values may share a name; then nothing is claimed about them.
            let [first, rest @ ..] = &rows[..] else { continue };
            let same = |row: &&Row| match (adds(first), adds(row)) {
                (Some(a), Some(b)) => self.view.same(a, b),
                _ => false,
            };
            if rest.iter().all(same) && rows.len() > removed {
                let surplus = rows.len() - removed;
                let mut rows = rows;
                sort_by_key(&mut rows, |row| !row.span.call);
                waiting.extend(rows.into_iter().take(surplus));
            }
        }
        sort_by_key(&mut waiting, |row| pair(row.span.call, row.id.0));
        (unknown == 0 && !waiting.is_empty()).then_some(waiting)
    }

    /// Elements were there all the time.
    fn not_empty(&self, reader: &Row) -> Option<Argument> {
        let waiting = self.waiting(reader, &|row, _| row.surely_precedes(reader), &|_| true)?;
        let adders = waiting.iter().map(|row| row.id).collect();
        Some(Argument::NotEmpty { reader: reader.id, adders, relay: false })
    }

    /// Some element was there at any time: before one was removed, the next had been added.
    fn relay(&self, reader: &Row) -> Option<Argument> {
        if self.unknown_takes(reader) > 0 {
            return None;
        }
        // When each element may have been removed at the earliest, for elements that were added once.
        let mut elements: FxHashMap<u64, (usize, Option<&Row>, u32)> = FxHashMap::default();
        for row in self.view.before(reader) {
            if let Some(element) = adds(row) {
                let entry = elements.entry(element.name.0).or_insert((0, None, u32::MAX));
                entry.0 += 1;
                entry.1 = row.certain.then_some(row);
            }
            if let Some(element) = removes(row) {
                let entry = elements.entry(element.name.0).or_insert((0, None, u32::MAX));
                entry.2 = entry.2.min(row.span.call);
            }
        }
        let once: Vec<(&Row, u32)> = elements
            .into_values()
            .filter_map(|(added, row, gone)| row.filter(|_| added == 1).map(|row| (row, gone)))
            .collect();
        let by_end = |(row, gone): &&(&Row, u32)| (*gone, std::cmp::Reverse(row.id));
        let mut chain =
            vec![once.iter().filter(|(row, _)| row.precedes(reader)).max_by_key(by_end)?];
        while chain.len() <= LONGEST_RELAY {
            let (_, gone) = chain.last()?;
            if *gone > reader.span.ret {
                let adders = chain.iter().map(|(row, _)| row.id).collect();
                return Some(Argument::NotEmpty { reader: reader.id, adders, relay: true });
            }
            let next = once.iter().filter(|(row, _)| row.span.ret < *gone).max_by_key(by_end)?;
            if next.1 <= *gone {
                return None;
            }
            chain.push(next);
        }
        None
    }

    /// Numbers of operations before `row`: surely added, possibly added, surely removed, possibly removed.
    fn counts(&self, row: &Row) -> [i128; 4] {
        let mut counts = [0; 4];
        for other in self.view.before(row) {
            let sure = i128::from(other.surely_precedes(row));
            if adds(other).is_some() {
                counts[0] += sure;
                counts[1] += 1;
            } else if removes(other).is_some() {
                counts[2] += sure;
                counts[3] += 1;
            } else if takes(other) {
                counts[3] += 1;
            }
        }
        counts
    }

    fn capacity(&self) -> Option<i128> {
        match self.shape {
            Shape::BoundedQueue { capacity } => Some(capacity as i128),
            _ => None,
        }
    }

    /// There was room.
    fn not_full(&self, row: &Row) -> Option<Argument> {
        let (capacity, [_, most_added, least_removed, _]) = (self.capacity()?, self.counts(row));
        let most = most_added - least_removed;
        (most < capacity).then_some(Argument::Room { reader: row.id, capacity, elements: most })
    }

    /// There was no room.
    fn overfull(&self, row: &Row) -> Option<Argument> {
        let (capacity, [least_added, _, _, most_removed]) = (self.capacity()?, self.counts(row));
        let least = least_added - most_removed;
        (least >= capacity).then_some(Argument::Room { reader: row.id, capacity, elements: least })
    }
}
