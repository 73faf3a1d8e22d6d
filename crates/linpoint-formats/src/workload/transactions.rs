//! Jepsen's `long-fork` and `comments`.

use std::collections::{BTreeMap, BTreeSet};

use super::checkers::{Found, Indexed, count, list};
use super::meaning::{Step, steps};
use crate::Value;
use crate::jepsen::Type;

/// Pairs of reads that are listed.
const MOST: usize = 16;

/// What a read of a group saw, by key.
type Seen = BTreeMap<Value, Value>;

/// No two reads of a group disagree about the order of two writes: one has x and not y, the other y and not x.
pub(super) fn long_fork(events: &[Indexed<'_>]) -> Found {
    if let Some(key) = written_twice(events) {
        return Found::unknown(format!("multiple-writes: the key {key} is written more than once"));
    }
    let (mut reads, mut early, mut late) = (0, 0, 0);
    // The states that the reads of each group saw, each with the first line on which it was seen.
    let mut groups: BTreeMap<Vec<Value>, BTreeMap<Seen, u32>> = BTreeMap::new();
    let mut size = None;
    for each in events.iter().filter(|each| each.event.kind == Type::Ok) {
        let Some(steps) = steps(each.value).filter(|steps| steps.iter().all(|step| !step.is_write))
        else {
            continue;
        };
        let seen: Seen = steps.into_iter().map(|Step { key, value, .. }| (key, value)).collect();
        let line = each.event.line;
        if *size.get_or_insert(seen.len()) != seen.len() {
            let (is, wants) = (seen.len(), size.unwrap_or_default());
            return Found::unknown(format!(
                "line {line} reads {is} keys, and the reads before it {wants}"
            ));
        }
        reads += 1;
        early += usize::from(seen.values().all(|value| *value == Value::Nil));
        late += usize::from(seen.values().all(|value| *value != Value::Nil));
        groups.entry(seen.keys().cloned().collect()).or_default().entry(seen).or_insert(line);
    }
    let mut forks = Vec::new();
    for states in groups.values() {
        let states: Vec<(&Seen, u32)> = states.iter().map(|(seen, line)| (seen, *line)).collect();
        for (at, (a, line)) in states.iter().enumerate() {
            for (b, other) in &states[at + 1..] {
                match is_fork(a, b) {
                    Some(true) => {
                        forks.push(list([Value::Int((*line).into()), Value::Int((*other).into())]))
                    }
                    Some(false) => {}
                    None => {
                        return Found::unknown(format!(
                            "lines {line} and {other} read different values of one key; the checker assumes one write for each key"
                        ));
                    }
                }
            }
        }
    }
    let facts = vec![
        ("reads-count", count(reads)),
        ("early-read-count", count(early)),
        ("late-read-count", count(late)),
        ("fork-count", count(forks.len())),
        ("forks (lines)", list(forks.iter().take(MOST).cloned())),
    ];
    Found::valid(forks.is_empty(), facts)
}

/// A key that more than one transaction writes.
fn written_twice(events: &[Indexed<'_>]) -> Option<Value> {
    let mut written: BTreeSet<Value> = BTreeSet::new();
    for each in events.iter().filter(|each| each.event.kind == Type::Invoke) {
        let Some(steps) = steps(each.value) else { continue };
        let [Step { is_write: true, key, .. }] = &steps[..] else { continue };
        if !written.insert(key.clone()) {
            return Some(key.clone());
        }
    }
    None
}

/// True if each read has a value that the other lacks; `None` if both have different values of one key.
fn is_fork(a: &Seen, b: &Seen) -> Option<bool> {
    let (mut only_a, mut only_b) = (false, false);
    for (in_a, in_b) in a.values().zip(b.values()) {
        match (in_a, in_b) {
            (Value::Nil, Value::Nil) => {}
            (Value::Nil, _) => only_b = true,
            (_, Value::Nil) => only_a = true,
            (in_a, in_b) if in_a != in_b => return None,
            _ => {}
        }
    }
    Some(only_a && only_b)
}

/// If a write is visible, so is every write that had returned before it was called.
pub(super) fn comments(events: &[Indexed<'_>]) -> Found {
    // Writes in the order of their returns. What must be visible beside a write is a beginning of this list.
    let mut completed: Vec<&Value> = Vec::new();
    let mut before: BTreeMap<&Value, usize> = BTreeMap::new();
    let writes = events.iter().filter(|each| &*each.event.f == "write");
    for each in writes {
        match each.event.kind {
            Type::Invoke => {
                before.insert(each.value, completed.len());
            }
            Type::Ok => completed.push(each.value),
            Type::Fail | Type::Info => {}
        }
    }
    let (mut reads, mut errors) = (0, Vec::new());
    for each in events.iter().filter(|each| each.is(Type::Ok, "read")) {
        let Value::List(values) = each.value else { continue };
        reads += 1;
        let seen: BTreeSet<&Value> = values.iter().collect();
        let expected =
            seen.iter().filter_map(|value| before.get(value)).copied().max().unwrap_or(0);
        let expected: BTreeSet<&Value> = completed[..expected].iter().copied().collect();
        let missing: Vec<Value> =
            expected.difference(&seen).map(|value| (*value).clone()).collect();
        if missing.is_empty() {
            continue;
        }
        let entries = [
            ("expected-count", count(expected.len())),
            ("line", Value::Int(each.event.line.into())),
            ("missing", list(missing)),
        ];
        errors.push(Value::Map(
            entries.into_iter().map(|(name, value)| (name.into(), value)).collect(),
        ));
    }
    let facts = vec![
        ("read-count", count(reads)),
        ("error-count", count(errors.len())),
        ("errors", list(errors.iter().take(MOST).cloned())),
    ];
    Found::valid(errors.is_empty(), facts)
}
