//! Events in terms of single operations: a drain is many dequeues, and an id is known only at the return.

use rustc_hash::FxHashMap;

use super::Workload;
use crate::jepsen::{Event, Type};
use crate::{ReadError, Source, Value};

/// The events in terms of the operations of the model.
pub(super) fn expanded(
    source: &Source,
    workload: Workload,
    events: Vec<Event>,
) -> Result<Vec<Event>, ReadError> {
    match workload {
        Workload::TotalQueue => drains(source, events),
        Workload::UniqueIds => Ok(ids(events)),
        _ => Ok(events),
    }
}

/// For each call, the position of its end.
pub(super) fn ends(events: &[Event]) -> Vec<Option<usize>> {
    let mut open: FxHashMap<&Value, usize> = FxHashMap::default();
    let mut ends = vec![None; events.len()];
    for (at, event) in events.iter().enumerate().filter(|(_, event)| event.is_of_client()) {
        match event.kind {
            Type::Invoke => {
                open.insert(&event.process, at);
            }
            _ => {
                if let Some(call) = open.remove(&event.process) {
                    ends[call] = Some(at);
                }
            }
        }
    }
    ends
}

/// A drain takes all elements, each at a moment of its own between the call and the return. It becomes as many
/// dequeues, each by a client of its own.
fn drains(source: &Source, events: Vec<Event>) -> Result<Vec<Event>, ReadError> {
    let ends = ends(&events);
    let mut next = events
        .iter()
        .filter_map(|event| event.process.as_int())
        .max()
        .unwrap_or(-1)
        .saturating_add(1);
    // The dequeues of a drain, by the position of its end.
    let mut drained: FxHashMap<usize, Vec<Event>> = FxHashMap::default();
    let mut expanded = Vec::with_capacity(events.len());
    for (at, event) in events.into_iter().enumerate() {
        if &*event.f != "drain" || !event.is_of_client() {
            expanded.push(event);
            continue;
        }
        match event.kind {
            Type::Invoke => {
                drained.insert(ends[at].unwrap_or(usize::MAX), vec![event]).map_or((), |_| ())
            }
            Type::Ok => {
                let Value::List(elements) = &event.value else {
                    let message = format!("a drain gives a list of elements, not {}", event.value);
                    return Err(ReadError::new(source, message).at(
                        source,
                        event.line,
                        event.column,
                    ));
                };
                let Some(call) = drained.remove(&at).and_then(|calls| calls.into_iter().next())
                else {
                    expanded.push(event);
                    continue;
                };
                let place = expanded.iter().position(|other: &Event| {
                    (other.line, other.column) > (call.line, call.column)
                });
                let mut calls = Vec::with_capacity(elements.len());
                for element in elements.iter() {
                    let process = Value::Int(next);
                    next = next.saturating_add(1);
                    let dequeue = |event: &Event, value: Value| Event {
                        f: "dequeue".into(),
                        process: process.clone(),
                        value,
                        ..event.clone()
                    };
                    calls.push(dequeue(&call, Value::Nil));
                    expanded.push(dequeue(&event, element.clone()));
                }
                let place = place.unwrap_or(expanded.len() - elements.len());
                expanded.splice(place..place, calls);
            }
            Type::Fail => {}
            Type::Info => {
                let message = "a drain of unknown outcome may have taken any elements";
                let error = ReadError::new(source, message).at(source, event.line, event.column);
                return Err(error.help("Jepsen's checker refuses it too"));
            }
        }
    }
    if let Some(call) = drained.into_values().flatten().next() {
        let message = "a drain that never returned may have taken any elements";
        return Err(ReadError::new(source, message).at(source, call.line, call.column));
    }
    Ok(expanded)
}

/// The id becomes the argument of the call. What never returned an id is left out: no result depends on it.
fn ids(mut events: Vec<Event>) -> Vec<Event> {
    let ends = ends(&events);
    for call in 0..events.len() {
        let value = ends[call]
            .filter(|end| events[*end].kind == Type::Ok)
            .map(|end| events[end].value.clone());
        if let Some(value) = value {
            events[call].value = value;
        }
    }
    let mut keep = vec![true; events.len()];
    for (call, event) in events.iter().enumerate() {
        let is_call = event.kind == Type::Invoke && event.is_of_client() && &*event.f == "generate";
        if is_call && ends[call].is_none_or(|end| events[end].kind != Type::Ok) {
            keep[call] = false;
            ends[call].into_iter().for_each(|end| keep[end] = false);
        }
    }
    let mut keep = keep.into_iter();
    events.retain(|_| keep.next().unwrap_or(true));
    events
}
