//! What Jepsen's checkers define: counter, total-queue, unique-ids, bank. Sets and transactions have files of their own.
//!
//! The definitions are those of `jepsen.checker`, `jepsen.tests.bank`, `jepsen.tests.long-fork` and
//! `jepsen.cockroach.comments`; names of facts are theirs too.

use std::collections::BTreeMap;

use super::meaning::entries;
use super::{JepsenAnswer, Workload, sets, transactions};
use crate::Value;
use crate::jepsen::{Event, Type};

/// What a checker says about the events of one key.
pub(super) struct Found {
    pub(super) valid: Option<bool>,
    pub(super) error: Option<String>,
    pub(super) facts: Vec<(&'static str, Value)>,
}

impl Found {
    pub(super) fn valid(valid: bool, facts: Vec<(&'static str, Value)>) -> Found {
        Found { valid: Some(valid), error: None, facts }
    }

    pub(super) fn unknown(error: impl Into<String>) -> Found {
        Found { valid: None, error: Some(error.into()), facts: Vec::new() }
    }
}

/// What Jepsen's checker of a workload says.
pub(super) fn check(workload: Workload, events: &[Event], keyed: bool) -> JepsenAnswer {
    let of_clients = || events.iter().enumerate().filter(|(_, event)| event.is_of_client());
    let name = workload.name().to_owned();
    if !keyed {
        let events: Vec<Indexed<'_>> = of_clients()
            .map(|(index, event)| Indexed { index, event, value: &event.value })
            .collect();
        let Found { valid, error, facts } = check_one(workload, &events);
        let facts = facts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        return JepsenAnswer { workload: name, valid, error, facts, assumptions: Vec::new() };
    }
    let mut by_key: BTreeMap<&Value, Vec<Indexed<'_>>> = BTreeMap::new();
    // An end whose value is no tuple belongs to the key of its call.
    let mut keys: BTreeMap<&Value, &Value> = BTreeMap::new();
    for (index, event) in of_clients() {
        let (key, value) = match &event.value {
            Value::List(pair) if pair.len() == 2 => (Some(&pair[0]), &pair[1]),
            other => (None, other),
        };
        if let (Type::Invoke, Some(key)) = (event.kind, key) {
            keys.insert(&event.process, key);
        }
        if let Some(key) = keys.get(&event.process).copied().or(key) {
            by_key.entry(key).or_default().push(Indexed { index, event, value });
        }
    }
    let all: Vec<(&Value, Found)> =
        by_key.iter().map(|(key, events)| (*key, check_one(workload, events))).collect();
    merged(name, all)
}

/// The answers for all keys as one, as `jepsen.independent` has it.
fn merged(workload: String, all: Vec<(&Value, Found)>) -> JepsenAnswer {
    let keys_with = |valid: Option<bool>| -> Vec<Value> {
        all.iter()
            .filter(|(_, found)| found.valid == valid)
            .map(|(key, _)| (*key).clone())
            .collect()
    };
    let (failing, unknown) = (keys_with(Some(false)), keys_with(None));
    let valid = match (failing.is_empty(), unknown.is_empty()) {
        (false, _) => Some(false),
        (true, false) => None,
        (true, true) => Some(true),
    };
    let mut facts = vec![
        ("key-count".to_owned(), count(all.len())),
        ("failures".to_owned(), Value::List(failing.into())),
        ("unknown".to_owned(), Value::List(unknown.into())),
    ];
    let worst = all.iter().find(|(_, found)| found.valid == valid).filter(|_| valid != Some(true));
    let error =
        worst.and_then(|(key, found)| Some(format!("key {key}: {}", found.error.as_ref()?)));
    if let Some((key, found)) = worst {
        let own =
            found.facts.iter().map(|(name, value)| (format!("key {key}: {name}"), value.clone()));
        facts.extend(own);
    }
    JepsenAnswer { workload, valid, error, facts, assumptions: Vec::new() }
}

/// An event of a client, with its position in the history and its value without a key.
#[derive(Clone, Copy)]
pub(super) struct Indexed<'a> {
    pub(super) index: usize,
    pub(super) event: &'a Event,
    pub(super) value: &'a Value,
}

impl Indexed<'_> {
    pub(super) fn is(&self, kind: Type, f: &str) -> bool {
        self.event.kind == kind && &*self.event.f == f
    }
}

fn check_one(workload: Workload, events: &[Indexed<'_>]) -> Found {
    match workload {
        Workload::Counter => counter(events),
        Workload::Set => sets::set(events),
        Workload::SetFull { linearizable } => sets::set_full(events, linearizable),
        Workload::TotalQueue => total_queue(events),
        Workload::UniqueIds => unique_ids(events),
        Workload::LongFork => transactions::long_fork(events),
        Workload::Bank { total } => bank(events, total),
        Workload::Comments => transactions::comments(events),
    }
}

pub(super) fn count(n: usize) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

pub(super) fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::List(values.into_iter().collect())
}

/// For each event that is a call, its end.
pub(super) fn end_of<'a>(events: &[Indexed<'a>]) -> Vec<Option<Indexed<'a>>> {
    let mut open: BTreeMap<&Value, usize> = BTreeMap::new();
    let mut ends = vec![None; events.len()];
    for (at, each) in events.iter().enumerate() {
        match each.event.kind {
            Type::Invoke => {
                open.insert(&each.event.process, at);
            }
            _ => {
                if let Some(call) = open.remove(&each.event.process) {
                    ends[call] = Some(*each);
                }
            }
        }
    }
    ends
}

/// Every read lies between the sum of the adds that returned before it was called, and the sum of those that were called
/// before it returned. Adds that failed do not count.
fn counter(events: &[Indexed<'_>]) -> Found {
    let ends = end_of(events);
    let (mut lower, mut upper) = (0_i128, 0_i128);
    let mut lower_at_call: BTreeMap<&Value, i128> = BTreeMap::new();
    let (mut reads, mut errors) = (0, Vec::new());
    let number = |n: i128| i64::try_from(n).map_or_else(|_| Value::str(&n.to_string()), Value::Int);
    for (at, each) in events.iter().enumerate() {
        let line = each.event.line;
        let amount = || each.value.as_int();
        match (each.event.kind, &*each.event.f) {
            (Type::Invoke, "add") if ends[at].is_some_and(|end| end.event.kind == Type::Fail) => {}
            (Type::Invoke, "add") => match amount() {
                Some(n) if n >= 0 => upper += i128::from(n),
                Some(n) => {
                    return Found::unknown(format!(
                        "line {line} adds {n}: the checker assumes that the counter only grows"
                    ));
                }
                None => {
                    return Found::unknown(format!(
                        "line {line} adds {}, which is no number",
                        each.value
                    ));
                }
            },
            (Type::Ok, "add") => lower += amount().map_or(0, i128::from),
            (Type::Invoke, "read") => {
                lower_at_call.insert(&each.event.process, lower);
            }
            (Type::Ok, "read") => {
                let least = lower_at_call.remove(&each.event.process).unwrap_or(0);
                let Some(value) = amount().map(i128::from) else { continue };
                reads += 1;
                if value < least || value > upper {
                    errors.push(list([number(least), number(value), number(upper)]));
                }
            }
            _ => {}
        }
    }
    let facts = vec![
        ("read-count", count(reads)),
        ("error-count", count(errors.len())),
        ("errors", list(errors.iter().cloned())),
    ];
    Found::valid(errors.is_empty(), facts)
}

/// How often each value occurs.
type Bag<'a> = BTreeMap<&'a Value, usize>;

fn bag<'a>(values: impl IntoIterator<Item = &'a Value>) -> Bag<'a> {
    let mut bag = Bag::new();
    for value in values {
        *bag.entry(value).or_default() += 1;
    }
    bag
}

fn times(bag: &Bag<'_>, value: &Value) -> usize {
    bag.get(value).copied().unwrap_or(0)
}

/// What went in must come out.
fn total_queue(events: &[Indexed<'_>]) -> Found {
    let values =
        |kind, f| events.iter().filter(move |each| each.is(kind, f)).map(|each| each.value);
    let drained = events.iter().filter(|each| each.is(Type::Ok, "drain"));
    let drained: Vec<&Value> = drained
        .flat_map(|each| match each.value {
            Value::List(elements) => elements.iter().collect(),
            _ => Vec::new(),
        })
        .collect();
    let attempts = bag(values(Type::Invoke, "enqueue"));
    let enqueues = bag(values(Type::Ok, "enqueue"));
    // A dequeue of nothing found the queue empty.
    let taken = values(Type::Ok, "dequeue").filter(|value| **value != Value::Nil);
    let dequeues = bag(taken.chain(drained));
    let each = |of: &Bag<'_>, how_many: &dyn Fn(&Value, usize) -> usize| -> (usize, Value) {
        let all: Vec<(Value, usize)> = of
            .iter()
            .map(|(value, n)| ((*value).clone(), how_many(value, *n)))
            .filter(|(_, n)| *n > 0)
            .collect();
        let total = all.iter().map(|(_, n)| n).sum();
        let value = |(value, n): &(Value, usize)| match n {
            1 => value.clone(),
            n => list([value.clone(), count(*n)]),
        };
        (total, list(all.iter().map(value)))
    };
    let in_both = |value: &Value, n: usize| n.min(times(&attempts, value));
    let (ok, _) = each(&dequeues, &in_both);
    let (unexpected, which_unexpected) =
        each(&dequeues, &|value, n| if times(&attempts, value) == 0 { n } else { 0 });
    let (duplicated, which_duplicated) =
        each(&dequeues, &|value, n| match times(&attempts, value) {
            0 => 0,
            attempts => n.saturating_sub(attempts),
        });
    let (lost, which_lost) = each(&enqueues, &|value, n| n.saturating_sub(times(&dequeues, value)));
    let (recovered, which_recovered) =
        each(&dequeues, &|value, n| in_both(value, n).saturating_sub(times(&enqueues, value)));
    let total = |bag: &Bag<'_>| count(bag.values().sum());
    let facts = vec![
        ("attempt-count", total(&attempts)),
        ("acknowledged-count", total(&enqueues)),
        ("ok-count", count(ok)),
        ("unexpected-count", count(unexpected)),
        ("duplicated-count", count(duplicated)),
        ("lost-count", count(lost)),
        ("recovered-count", count(recovered)),
        ("lost", which_lost),
        ("unexpected", which_unexpected),
        ("duplicated", which_duplicated),
        ("recovered", which_recovered),
    ];
    Found::valid(lost == 0 && unexpected == 0, facts)
}

/// All ids differ.
fn unique_ids(events: &[Indexed<'_>]) -> Found {
    const MOST: usize = 48;
    let acknowledged: Vec<&Value> =
        events.iter().filter(|each| each.is(Type::Ok, "generate")).map(|each| each.value).collect();
    let ids = bag(acknowledged.iter().copied());
    let repeated: Vec<(&Value, usize)> =
        ids.iter().map(|(id, n)| (*id, *n)).filter(|(_, n)| *n > 1).collect();
    let mut worst = repeated.clone();
    worst.sort_by_key(|(id, n)| (std::cmp::Reverse(*n), *id));
    let pair = |(id, n): &(&Value, usize)| list([(*id).clone(), count(*n)]);
    let range = ids
        .keys()
        .next()
        .zip(ids.keys().next_back())
        .map(|(least, most)| list([(*least).clone(), (*most).clone()]));
    let facts = vec![
        (
            "attempted-count",
            count(events.iter().filter(|each| each.is(Type::Invoke, "generate")).count()),
        ),
        ("acknowledged-count", count(acknowledged.len())),
        ("duplicated-count", count(repeated.len())),
        ("duplicated", list(worst.iter().take(MOST).map(pair))),
        ("range", range.unwrap_or_default()),
    ];
    Found::valid(repeated.is_empty(), facts)
}

/// Every read has the same accounts and the same total, and no balance below zero.
fn bank(events: &[Indexed<'_>], total: Option<i64>) -> Found {
    let reads: Vec<&Indexed<'_>> = events.iter().filter(|each| each.is(Type::Ok, "read")).collect();
    let Some(first) = reads.first() else {
        return Found::valid(true, vec![("read-count", count(0)), ("error-count", count(0))]);
    };
    let balances = |each: &Indexed<'_>| entries(each.value);
    let sum = |entries: &[(Value, Value)]| {
        entries.iter().filter_map(|(_, n)| n.as_int()).map(i128::from).sum::<i128>()
    };
    let Some(known) = balances(first) else {
        return Found::unknown(format!("line {} is no read of balances", first.event.line));
    };
    let accounts: Vec<&Value> = known.iter().map(|(account, _)| account).collect();
    let total = total.map_or_else(|| sum(&known), i128::from);
    // By kind of error: how many, and the lowest and the highest total.
    let mut errors: BTreeMap<&'static str, (usize, i128, i128)> = BTreeMap::new();
    let mut first_error = None;
    for read in &reads {
        let Some(entries) = balances(read) else {
            return Found::unknown(format!("line {} is no read of balances", read.event.line));
        };
        let seen = sum(&entries);
        let kind = if entries.iter().any(|(account, _)| !accounts.contains(&account)) {
            "unexpected-key"
        } else if entries.iter().any(|(_, balance)| *balance == Value::Nil) {
            "nil-balance"
        } else if seen != total {
            "wrong-total"
        } else if entries.iter().any(|(_, balance)| balance.as_int().is_some_and(|n| n < 0)) {
            "negative-value"
        } else {
            continue;
        };
        first_error.get_or_insert((kind, read.event.line, seen));
        let (n, lowest, highest) = errors.entry(kind).or_insert((0, seen, seen));
        (*n, *lowest, *highest) = (*n + 1, seen.min(*lowest), seen.max(*highest));
    }
    let number = |n: i128| i64::try_from(n).map_or_else(|_| Value::str(&n.to_string()), Value::Int);
    let object = |entries: Vec<(&str, Value)>| {
        let sorted: BTreeMap<&str, Value> = entries.into_iter().collect();
        Value::Map(sorted.into_iter().map(|(name, value)| (name.into(), value)).collect())
    };
    let mut facts = vec![
        ("read-count", count(reads.len())),
        ("error-count", count(errors.values().map(|(n, ..)| n).sum())),
        ("total", number(total)),
    ];
    if let Some((kind, line, seen)) = first_error {
        let entries = vec![
            ("type", Value::str(kind)),
            ("line", Value::Int(line.into())),
            ("total", number(seen)),
        ];
        facts.push(("first-error", object(entries)));
        for (kind, (n, lowest, highest)) in &errors {
            let entries = vec![
                ("count", count(*n)),
                ("lowest", number(*lowest)),
                ("highest", number(*highest)),
            ];
            facts.push((*kind, object(entries)));
        }
    }
    Found::valid(errors.is_empty(), facts)
}
