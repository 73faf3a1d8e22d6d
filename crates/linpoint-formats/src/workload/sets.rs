//! Jepsen's `set` and `set-full`.

use std::collections::{BTreeMap, BTreeSet};

use super::checkers::{Found, Indexed, count, end_of, list};
use crate::Value;
use crate::jepsen::Type;

/// Elements with times that are listed.
const MOST: usize = 8;

/// Every element that was acknowledged is in the last read, and nothing else that was not attempted.
pub(super) fn set(events: &[Indexed<'_>]) -> Found {
    let values = |kind| {
        let adds = events.iter().filter(move |each| each.is(kind, "add"));
        adds.map(|each| each.value).collect::<BTreeSet<_>>()
    };
    let (attempts, adds) = (values(Type::Invoke), values(Type::Ok));
    let last = events.iter().rev().find(|each| each.is(Type::Ok, "read"));
    let Some(Value::List(last)) = last.map(|each| each.value) else {
        return Found::unknown("Set was never read");
    };
    let read: BTreeSet<&Value> = last.iter().collect();
    let ok: BTreeSet<&Value> = read.intersection(&attempts).copied().collect();
    let of = |values: Vec<&&Value>| list(values.into_iter().map(|value| (*value).clone()));
    let unexpected: Vec<&&Value> = read.difference(&attempts).collect();
    let lost: Vec<&&Value> = adds.difference(&read).collect();
    let recovered: Vec<&&Value> = ok.difference(&adds).collect();
    let valid = lost.is_empty() && unexpected.is_empty();
    let facts = vec![
        ("attempt-count", count(attempts.len())),
        ("acknowledged-count", count(adds.len())),
        ("ok-count", count(ok.len())),
        ("lost-count", count(lost.len())),
        ("recovered-count", count(recovered.len())),
        ("unexpected-count", count(unexpected.len())),
        ("lost", of(lost)),
        ("unexpected", of(unexpected)),
        ("recovered", of(recovered)),
    ];
    Found::valid(valid, facts)
}

/// What happened to an element: since when it is known, and the last reads that were called that have it or lack it.
#[derive(Default)]
struct Element<'a> {
    known: Option<Indexed<'a>>,
    last_present: Option<Indexed<'a>>,
    last_absent: Option<Indexed<'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Stable,
    Lost,
    NeverRead,
}

impl Element<'_> {
    fn outcome(&self) -> Outcome {
        let index = |each: Option<Indexed<'_>>| each.map(|each| each.index);
        let (present, absent) = (index(self.last_present), index(self.last_absent));
        if present.is_some() && absent < present {
            return Outcome::Stable;
        }
        match (index(self.known), absent) {
            (Some(known), Some(absent)) if present < Some(absent) && known < absent => {
                Outcome::Lost
            }
            _ => Outcome::NeverRead,
        }
    }

    /// Milliseconds until the element was there, or was gone; `None` without times.
    fn latency(&self, outcome: Outcome) -> Option<u64> {
        let known = self.known?.event.time?;
        let last = match outcome {
            Outcome::Stable => self.last_absent,
            Outcome::Lost => self.last_present,
            Outcome::NeverRead => return None,
        };
        let time = match last {
            Some(read) => read.event.time?.saturating_add(1),
            None => 0,
        };
        Some(time.saturating_sub(known) / 1_000_000)
    }

    /// The element with the times and lines of what is known about it.
    fn described(&self, element: &Value, latency: Option<u64>) -> Value {
        let mut entries: BTreeMap<&str, Value> = BTreeMap::new();
        entries.insert("element", element.clone());
        let number = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
        for (line, time, read) in [
            ("known-line", "known-time", self.known),
            ("last-absent-line", "last-absent-time", self.last_absent),
            ("last-present-line", "last-present-time", self.last_present),
        ] {
            let Some(read) = read else { continue };
            entries.insert(line, Value::Int(read.event.line.into()));
            if let Some(at) = read.event.time {
                entries.insert(time, number(at));
            }
        }
        if let Some(latency) = latency {
            entries.insert("latency-ms", number(latency));
        }
        Value::Map(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

/// For each element, when it became visible, and whether it was lost or stale later.
pub(super) fn set_full(events: &[Indexed<'_>], linearizable: bool) -> Found {
    let calls = calls_of(events);
    let mut elements: BTreeMap<&Value, Element<'_>> = BTreeMap::new();
    let mut repeated: BTreeMap<&Value, usize> = BTreeMap::new();
    for each in events {
        match (each.event.kind, &*each.event.f) {
            (Type::Invoke, "add") => {
                elements.insert(each.value, Element::default());
            }
            (Type::Ok, "add") => {
                elements.entry(each.value).or_default().known.get_or_insert(*each);
            }
            (Type::Ok, "read") => {
                let (Value::List(values), Some(call)) = (each.value, calls.get(&each.index)) else {
                    continue;
                };
                let mut seen: BTreeMap<&Value, usize> = BTreeMap::new();
                values.iter().for_each(|value| *seen.entry(value).or_default() += 1);
                for (value, n) in seen.iter().filter(|(_, n)| **n > 1) {
                    let most = repeated.entry(value).or_default();
                    *most = (*most).max(*n);
                }
                for (value, element) in &mut elements {
                    element.note(seen.contains_key(value), *call, *each);
                }
            }
            _ => {}
        }
    }
    results(&elements, &repeated, linearizable)
}

impl<'a> Element<'a> {
    /// A read that was called at `call` and ended at `end` has the element, or lacks it.
    fn note(&mut self, is_there: bool, call: Indexed<'a>, end: Indexed<'a>) {
        let last = match is_there {
            true => {
                self.known.get_or_insert(end);
                &mut self.last_present
            }
            false => &mut self.last_absent,
        };
        if last.is_none_or(|last| last.index < call.index) {
            *last = Some(call);
        }
    }
}

/// The call of each end, by the position of the end.
fn calls_of<'a>(events: &[Indexed<'a>]) -> BTreeMap<usize, Indexed<'a>> {
    let ends = end_of(events);
    events.iter().zip(ends).filter_map(|(call, end)| Some((end?.index, *call))).collect()
}

fn results(
    elements: &BTreeMap<&Value, Element<'_>>,
    repeated: &BTreeMap<&Value, usize>,
    linearizable: bool,
) -> Found {
    type Each<'e, 'a> = (&'e Value, &'e Element<'a>, Option<u64>);
    let all = |outcome: Outcome| -> Vec<Each<'_, '_>> {
        let of = elements.iter().filter(|(_, element)| element.outcome() == outcome);
        of.map(|(value, element)| (*value, element, element.latency(outcome))).collect()
    };
    let (stable, lost, never) = (all(Outcome::Stable), all(Outcome::Lost), all(Outcome::NeverRead));
    let is_stale = |each: &&Each<'_, '_>| each.2.is_some_and(|latency| latency > 0);
    let stale: Vec<&Each<'_, '_>> = stable.iter().filter(is_stale).collect();
    let valid = match () {
        () if !lost.is_empty() || !repeated.is_empty() => Some(false),
        () if stable.is_empty() => None,
        () => Some(!linearizable || stale.is_empty()),
    };
    let mut worst = stale.clone();
    worst.sort_by_key(|(value, _, latency)| (std::cmp::Reverse(*latency), *value));
    let described = |(value, element, latency): &Each<'_, '_>| element.described(value, *latency);
    let names = |of: &[Each<'_, '_>]| list(of.iter().map(|(value, ..)| (*value).clone()));
    let mut facts = vec![
        ("attempt-count", count(elements.len())),
        ("stable-count", count(stable.len())),
        ("lost-count", count(lost.len())),
        ("never-read-count", count(never.len())),
        ("stale-count", count(stale.len())),
        ("duplicated-count", count(repeated.len())),
        ("lost", names(&lost)),
        ("never-read", names(&never)),
        ("stale", list(stale.iter().map(|(value, ..)| (*value).clone()))),
        ("duplicated", list(repeated.iter().map(|(value, n)| list([(*value).clone(), count(*n)])))),
        ("worst-lost", list(lost.iter().take(MOST).map(described))),
        ("worst-stale", list(worst.iter().take(MOST).map(|each| described(each)))),
    ];
    for (name, of) in [("stable-latencies", &stable), ("lost-latencies", &lost)] {
        facts.extend(
            distribution(of.iter().filter_map(|each| each.2).collect()).map(|value| (name, value)),
        );
    }
    let error = valid.is_none().then(|| "no element was stable or lost".to_owned());
    Found { valid, error, facts }
}

/// Latencies at a few points, as Jepsen takes them.
fn distribution(mut latencies: Vec<u64>) -> Option<Value> {
    latencies.sort_unstable();
    let last = latencies.len().checked_sub(1)?;
    let at = |point: f64| ((latencies.len() as f64 * point).floor() as usize).min(last);
    let entry = |(name, point): (&str, f64)| {
        let latency = i64::try_from(latencies[at(point)]).unwrap_or(i64::MAX);
        (name.into(), Value::Int(latency))
    };
    let points = [("0", 0.0), ("0.5", 0.5), ("0.95", 0.95), ("0.99", 0.99), ("1", 1.0)];
    Some(Value::Map(points.into_iter().map(entry).collect()))
}
