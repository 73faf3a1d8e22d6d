//! Contradictions of a few operations that follow from their roles.
//!
//! Two values may share a name. That only adds to what may have provided a thing, so a thing that seems to be provided never,
//! or only later, is so indeed. Counting takers is different where keys share a name, since each key begins with a value
//! of its own. So the names of what was taken are verified, and a contradiction whose names differ is not reported.

use super::part::{At, Part, Row};
use super::sources::{Flaw, Rules, Words};
use crate::history::Span;
use crate::spec::{Name, Refutation, Role, Shape, Slot};

/// What is followed from where it comes to where it was noticed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Thing {
    Element(Name),
    /// A flag that is up, or down.
    Flag(Option<Name>, bool),
    /// A value in the register of a key.
    Value(Option<Name>, Name),
    /// A value in a segment.
    Segment(u32, Name),
    Permit,
}

/// A contradiction of a few operations, if there is an obvious one.
pub(super) fn refute(part: &Part<'_>) -> Option<Refutation> {
    // What an operation of another kind does is not known, and it may be what the others need. If not all operations of
    // the object are of the shape, its results must be known too.
    let is_foreign = |role: Role| matches!(role, Role::Foreign(_));
    let is_unclear =
        |row: &Row| is_foreign(row.pending) || (!part.is_complete && is_foreign(row.role));
    if !Part::can_refute(part.shape) || part.rows.iter().any(is_unclear) {
        return None;
    }
    let spans: Vec<Span> = part.rows.iter().map(|row| row.span).collect();
    let found = Rules {
        spans: &spans,
        initial: &|thing| initial(part.shape, thing),
        provides: &|at, things| {
            let row = &part.rows[at];
            let may_provide = provides(row.pending, row.key);
            may_provide.into_iter().for_each(&mut *things);
            // It is the same, unless the roles contradict each other.
            let has_provided = provides(row.role, row.key);
            has_provided.filter(|_| has_provided != may_provide).into_iter().for_each(things);
        },
        sees: &|at, things| sees(part, at, things),
        takes: &|at, things| {
            if let Some((thing, _)) = takes(&part.rows[at]) {
                things(thing);
            }
        },
    }
    .find()?;
    if let Flaw::TakenTooOften { takers, .. } = &found.flaw {
        let is_same = |other: &usize| is_same(part, takers[0], *other);
        if !takers[1..].iter().all(is_same) {
            return None;
        }
    }
    Some(found.flaw.into_refutation(&words(found.thing), part.mention))
}

/// Flags are down at first.
fn initial(shape: Shape, thing: &Thing) -> usize {
    match (shape, thing) {
        (Shape::Registers { initial }, Thing::Value(_, name))
        | (Shape::Snapshot { initial, .. }, Thing::Segment(_, name)) => {
            usize::from(initial == *name)
        }
        (_, Thing::Flag(_, is_up)) => usize::from(!is_up),
        (Shape::Semaphore { initial }, Thing::Permit) => {
            usize::try_from(initial).unwrap_or(usize::MAX)
        }
        _ => 0,
    }
}

/// What an operation may provide, whatever its result.
fn provides(pending: Role, key: Option<Name>) -> Option<Thing> {
    match pending {
        Role::Add(name) | Role::AddFront(name) => Some(Thing::Element(name)),
        Role::Raise => Some(Thing::Flag(key, true)),
        Role::Lower => Some(Thing::Flag(key, false)),
        Role::Write(to) | Role::Replace { to, .. } => Some(Thing::Value(key, to)),
        Role::Update { segment, value } => Some(Thing::Segment(segment, value)),
        Role::Release => Some(Thing::Permit),
        _ => None,
    }
}

/// What a completed operation proves to have been there.
fn sees(part: &Part<'_>, at: usize, things: &mut dyn FnMut(Thing)) {
    let row = &part.rows[at];
    if !row.is_evidence() {
        return;
    }
    match row.role {
        Role::Remove(name) | Role::Peek(name) => things(Thing::Element(name)),
        Role::RemoveFront(name) | Role::PeekFront(name) => things(Thing::Element(name)),
        Role::Lower | Role::IsUp => things(Thing::Flag(row.key, true)),
        Role::Raise | Role::IsDown => things(Thing::Flag(row.key, false)),
        Role::Read(name) | Role::Replace { from: name, .. } => things(Thing::Value(row.key, name)),
        Role::Acquire => things(Thing::Permit),
        Role::Scan => {
            let mut view = Vec::new();
            (part.view)(at, &mut view);
            for (segment, name) in (0..).zip(view) {
                if let Some(name) = name {
                    things(Thing::Segment(segment, name));
                }
            }
        }
        _ => {}
    }
}

/// What a completed operation proves to have used up, and where it names it.
///
/// An element is removed once for each time that it was added. A register holds a value from when it was written to the first
/// operation that replaced it at most. One that writes what it found has replaced it too, and written it again. A flag
/// that was raised was down before, and it is not down again until it was lowered.
fn takes(row: &Row) -> Option<(Thing, Option<Slot>)> {
    if !row.is_evidence() {
        return None;
    }
    match (row.role, row.pending) {
        (Role::Remove(name) | Role::RemoveFront(name), _) => {
            Some((Thing::Element(name), Some(Slot::Value)))
        }
        (Role::Lower, _) => Some((Thing::Flag(row.key, true), None)),
        (Role::Raise, _) => Some((Thing::Flag(row.key, false), None)),
        (Role::Replace { from, .. }, _) => Some((Thing::Value(row.key, from), Some(Slot::Source))),
        (Role::Read(name), Role::Write(to)) if name == to => {
            Some((Thing::Value(row.key, name), Some(Slot::Value)))
        }
        (Role::Acquire, _) => Some((Thing::Permit, None)),
        _ => None,
    }
}

/// True if two operations took the same thing, and not only things with one name.
fn is_same(part: &Part<'_>, a: usize, b: usize) -> bool {
    let place = |row, slot| At { row, slot };
    let slot = |row: usize| takes(&part.rows[row]).and_then(|(_, slot)| slot);
    let has_key = part.rows[a].key.is_some();
    let same_key = !has_key || (part.same_name)(place(a, Slot::Key), place(b, Slot::Key));
    let same_value = match (slot(a), slot(b)) {
        (Some(x), Some(y)) => (part.same_name)(place(a, x), place(b, y)),
        _ => true,
    };
    same_key && same_value
}

fn words(thing: Thing) -> Words {
    match thing {
        Thing::Element(_) => Words::ELEMENTS,
        Thing::Value(..) => Words::VALUES,
        Thing::Segment(segment, _) => {
            let never = format!("found a value in segment {segment} that was never written there");
            Words { never: never.into(), ..Words::VALUES }
        }
        Thing::Flag(..) => Words {
            never: "needs a state that was never reached".into(),
            provided: "led to the state that it needs",
            took: "ended a state that was there",
        },
        Thing::Permit => Words {
            never: "took a permit that was never released".into(),
            provided: "released the permit that it took",
            took: "took a permit that was there",
        },
    }
}
