//! Statistics of a history: its operations, its concurrency, and how informative its results are.

use std::collections::BTreeMap;

use linpoint::history::{Interval, IntervalBuilder, Span};
use linpoint::{Allowance, Limit};
use rustc_hash::FxHashMap;

use crate::model::ModelName;
use crate::raw::{RawHistory, RawOp};
use crate::registry;
use crate::{ReadError, Source, Value};

/// Facts about a history that need no verdict.
#[derive(Clone, PartialEq, Debug)]
pub struct Stats {
    /// The model, if it is known.
    pub model: Option<ModelName>,
    /// Number of operations.
    pub operations: usize,
    /// The operations by name, the most frequent first.
    pub kinds: Vec<Kind>,
    /// Number of processes; 0 if the history does not name them.
    pub processes: usize,
    /// Number of objects; 0 if the history does not name them.
    pub objects: usize,
    /// The concurrency.
    pub concurrency: Concurrency,
    /// Operations that never returned.
    pub pending: usize,
    /// Operations that returned an unknown result.
    pub unknown: usize,
    /// Operations whose results are partly unknown.
    pub partly_unknown: usize,
    /// The values that were written, added or inserted.
    pub values: ValueCounts,
    /// Facts that need a specification, if there is one and no limit was reached.
    pub revealed: Option<Revealed>,
    /// The limit that was reached before all facts were known.
    pub limit: Option<Limit>,
    /// Reasons why the history is unlikely to reveal a violation.
    pub warnings: Vec<String>,
}

/// Operations of one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    /// The name.
    pub name: String,
    /// Number of operations.
    pub count: usize,
    /// Number of them that never returned.
    pub pending: usize,
    /// Number of them that returned an unknown result.
    pub unknown: usize,
    /// Number of them with a result that excludes some possible state.
    pub informative: usize,
}

/// The concurrency. Operations that never returned are counted separately, since they stay open.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Concurrency {
    /// Largest number of operations open at the same time.
    pub max: usize,
    /// Mean number of other operations that were open at a call.
    pub mean_others: f64,
    /// At index n: the number of operations called while n others were open.
    pub others_at_call: Vec<usize>,
}

/// The values of operations that store values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ValueCounts {
    /// Number of times a value was stored.
    pub written: usize,
    /// Distinct values, counted for each key.
    pub distinct: usize,
    /// Number of these that were stored more than once.
    pub repeated: usize,
}

/// Facts that need a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Revealed {
    /// Operations with a result that excludes some possible state.
    pub informative: usize,
    /// Operations that can change the object.
    pub changing: usize,
    /// Sizes of the independent parts, the largest first.
    pub parts: Vec<usize>,
}

/// Computes the statistics. `model` overrides the model that the file names. Without a
/// specification, or if a limit is reached, some facts are missing.
pub fn stats(
    source: &Source,
    raw: &RawHistory,
    model: Option<&ModelName>,
    allowance: &Allowance,
) -> Result<Stats, ReadError> {
    let resolved = registry::resolve(raw.format, model, raw.model.as_ref());
    let mut names = Names::default();
    let numbers: Vec<u16> = raw.ops.iter().map(|op| names.number(op.name)).collect();
    let known = resolved.as_ref().filter(|model| registry::has_specification(model));
    let loaded = known.map(|_| registry::load(source, raw.clone(), model)).transpose()?;
    let facts = loaded.as_ref().map(|history| history.facts(&numbers, allowance)).transpose();
    let facts =
        facts.map_err(|error| ReadError::new(source, format!("the model fails: {error}")))?;
    let limit = allowance.exhausted();
    let facts = facts.filter(|_| limit.is_none());
    let mut kinds = names.kinds;
    for (at, (op, number)) in raw.ops.iter().zip(&numbers).enumerate() {
        let kind = &mut kinds[usize::from(*number)];
        kind.count += 1;
        kind.pending += usize::from(op.end.is_none());
        let informative = facts.as_ref().is_some_and(|facts| facts.informative[at]);
        kind.informative += usize::from(informative);
        let unknown = match &loaded {
            Some(history) => !history.is_known(at),
            None => op.result.is_none(),
        };
        kind.unknown += usize::from(unknown && op.end.is_some());
    }
    kinds.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    let revealed = facts.map(|facts| {
        let mut parts = facts.parts;
        parts.sort_unstable_by(|a, b| b.cmp(a));
        let informative = facts.informative.iter().filter(|reveals| **reveals).count();
        Revealed { informative, changing: facts.changing, parts }
    });
    let sum = |of: fn(&Kind) -> usize| kinds.iter().map(of).sum();
    let mut stats = Stats {
        operations: raw.ops.len(),
        processes: raw.processes.len(),
        objects: raw.objects.len(),
        concurrency: concurrency(raw).map_err(|message| ReadError::new(source, message))?,
        pending: sum(|kind| kind.pending),
        unknown: sum(|kind| kind.unknown),
        partly_unknown: raw.partly_unknown,
        values: values(raw, resolved.as_ref()),
        model: loaded.map(|history| history.model().clone()).or(resolved),
        kinds,
        revealed,
        limit,
        warnings: Vec::new(),
    };
    stats.warnings = warnings(&stats);
    Ok(stats)
}

#[derive(Default)]
struct Names {
    kinds: Vec<Kind>,
    numbers: FxHashMap<String, u16>,
}

impl Names {
    fn number(&mut self, name: &str) -> u16 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        // A raw history has at most this many names.
        let number = u16::try_from(self.kinds.len()).unwrap_or(u16::MAX);
        self.numbers.insert(name.to_owned(), number);
        let name = name.to_owned();
        self.kinds.push(Kind { name, count: 0, pending: 0, unknown: 0, informative: 0 });
        number
    }
}

fn concurrency(raw: &RawHistory) -> Result<Concurrency, String> {
    let mut builder = IntervalBuilder::<(), ()>::new(raw.ties);
    for op in raw.ops.iter().filter(|op| op.end.is_some()) {
        let (start, end, extras) = (op.start, op.end, op.extras);
        let interval = Interval { op: (), ret: None, start, end, extras };
        builder.add(interval).map_err(|error| error.to_string())?;
    }
    let history = builder.finish().map_err(|error| error.to_string())?;
    let mut is_call = vec![false; history.ranks() as usize];
    for Span { call, .. } in history.ids().map(|id| history.span(id)) {
        is_call[call as usize] = true;
    }
    let (mut open, mut others_at_call) = (0, Vec::new());
    for is_call in is_call {
        if !is_call {
            open -= 1;
            continue;
        }
        if others_at_call.len() <= open {
            others_at_call.resize(open + 1, 0);
        }
        others_at_call[open] += 1;
        open += 1;
    }
    let sum: usize = others_at_call.iter().enumerate().map(|(others, count)| others * count).sum();
    let mean_others = sum as f64 / history.len().max(1) as f64;
    Ok(Concurrency { max: others_at_call.len(), mean_others, others_at_call })
}

/// The values that an operation stores, each with its key.
fn puts<'a>(model: &str, op: &RawOp<'a>) -> Vec<(Option<&'a Value>, &'a Value)> {
    match (model, op.name, op.args) {
        ("kv", "put" | "append" | "get_or_else_update", [key, value]) => vec![(Some(key), value)],
        ("kv", "compare_and_set", [key, _, value]) => vec![(Some(key), value)],
        ("map", "insert", [key, value]) => vec![(Some(key), value)],
        ("kv" | "map", ..) | ("bank", ..) | ("set", "contains" | "remove", _) => Vec::new(),
        ("multi-register" | "snapshot", "write" | "update", [key, value]) => {
            vec![(Some(key), value)]
        }
        ("multi-register", "txn", [Value::List(steps)]) => {
            let write = |step: &'a Value| match step {
                Value::List(parts) => match &**parts {
                    [_, key, value] => Some((Some(key), value)),
                    _ => None,
                },
                _ => None,
            };
            steps.iter().filter_map(write).collect()
        }
        ("multi-register", ..) => Vec::new(),
        (_, "cas", [_, value]) => vec![(None, value)],
        (_, _, args) => args.iter().map(|value| (None, value)).collect(),
    }
}

fn values(raw: &RawHistory, model: Option<&ModelName>) -> ValueCounts {
    let model = model.map_or("", |model| &model.name);
    let mut counts: FxHashMap<(Option<u32>, Option<&Value>, &Value), usize> = FxHashMap::default();
    let ops: Vec<RawOp<'_>> = raw.ops.iter().filter(|op| !op.args.is_empty()).collect();
    for op in &ops {
        for (key, value) in puts(model, op) {
            *counts.entry((op.extras.object, key, value)).or_default() += 1;
        }
    }
    ValueCounts {
        written: counts.values().sum(),
        distinct: counts.len(),
        repeated: counts.values().filter(|count| **count > 1).count(),
    }
}

/// A share below which a history reveals little.
const LITTLE: f64 = 0.05;

fn warnings(stats: &Stats) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut warn = |what: &str| warnings.push(what.to_owned());
    if stats.operations == 0 {
        warn("there are no operations");
        return warnings;
    }
    if stats.processes == 1 {
        warn("there is only one client: only the order of its own operations is tested");
    } else if stats.concurrency.max <= 1 {
        warn("no two operations overlap: concurrency is not tested");
    }
    let Some(revealed) = &stats.revealed else {
        if let Some(limit) = stats.limit {
            warn(&format!("{limit} was reached: which results are informative is not known"));
            return warnings;
        }
        warn("results cannot be judged without a model");
        return warnings;
    };
    if revealed.changing == 0 {
        warn("no operation changes anything");
    }
    let share = revealed.informative as f64 / stats.operations as f64;
    match (revealed.informative, stats.unknown) {
        (0, 0) => warn("no result excludes anything: such a history cannot fail"),
        (0, _) => warn("all informative results are unknown: such a history cannot fail"),
        (informative, _) if share < LITTLE => {
            let all = stats.operations;
            warn(&format!("only {informative} of {all} operations have an informative result"));
        }
        _ => {}
    }
    let ValueCounts { written, distinct, repeated } = stats.values;
    let keys = revealed.parts.len().max(1);
    if written > keys && distinct <= keys {
        warn("all values are the same: old and new values cannot be distinguished");
    } else if written > 1 && repeated * 2 > distinct && counts_matter(stats) {
        warn("most values are used more than once: an old value may be mistaken for a new one");
    }
    let ambiguous = stats.pending + stats.unknown;
    if ambiguous * 2 > stats.operations {
        warn("more than half of the operations are ambiguous, which can hide violations");
    }
    warnings
}

/// In sets, locks and counters, values reveal nothing about order.
fn counts_matter(stats: &Stats) -> bool {
    let model = stats.model.as_ref().map_or("", |model| &model.name);
    !matches!(model, "set" | "counter" | "bank")
}

/// The distribution of the number of other open operations, in ranges that double: `(from, to,
/// operations)`.
pub fn doubling(others_at_call: &[usize]) -> Vec<(usize, usize, usize)> {
    let mut steps: BTreeMap<u32, usize> = BTreeMap::new();
    for (others, count) in others_at_call.iter().enumerate() {
        // 0, 1, 2-3, 4-7, and so on.
        *steps.entry(usize::BITS - others.leading_zeros()).or_default() += count;
    }
    let bounds = |step: u32| match step {
        0 => (0, 0),
        step => (1 << (step - 1), (1_usize << (step - 1)) * 2 - 1),
    };
    steps.into_iter().map(|(step, count)| (bounds(step).0, bounds(step).1, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    fn of(text: &str) -> Stats {
        let source = Source::new("h", text);
        let raw = Format::Jsonl.read(&source, None).pop().unwrap().unwrap();
        stats(&source, &raw, None, &Allowance::unlimited()).unwrap()
    }

    fn lines(header: &str, lines: &[&str]) -> String {
        let times = |(i, line): (usize, &&str)| {
            format!("{{{line},\"process\":{i},\"start\":{i},\"end\":{}}}\n", i + 2)
        };
        let lines: String = lines.iter().enumerate().map(times).collect();
        format!("{{\"linpoint\":1,{header}}}\n{lines}")
    }

    #[test]
    fn results_that_exclude_a_state_are_counted() {
        let set = lines(
            "\"model\":\"set\"",
            &[
                "\"op\":\"contains\",\"args\":[7],\"value\":false",
                "\"op\":\"contains\",\"args\":[1],\"value\":false",
                "\"op\":\"insert\",\"args\":[1],\"value\":true",
                "\"op\":\"contains\",\"args\":[1]",
            ],
        );
        let stats = of(&set);
        let kinds: Vec<(&str, usize, usize, usize)> = stats
            .kinds
            .iter()
            .map(|kind| (kind.name.as_str(), kind.count, kind.unknown, kind.informative))
            .collect();
        // That 7 is absent reveals nothing: it was never inserted.
        assert_eq!(kinds, [("contains", 3, 1, 1), ("insert", 1, 0, 1)]);
        assert_eq!(stats.revealed.unwrap().parts, [3, 1]);
        assert_eq!(stats.concurrency.others_at_call, [1, 1, 2]);
        assert_eq!((stats.concurrency.max, stats.concurrency.mean_others), (3, 1.25));
    }

    #[test]
    fn what_is_needed_late_is_found() {
        let mut ops = vec!["\"op\":\"insert\",\"args\":[1],\"value\":true"; 1];
        ops.extend(vec!["\"op\":\"contains\",\"args\":[1],\"value\":true"; 600]);
        ops.push("\"op\":\"contains\",\"args\":[2],\"value\":false");
        ops.push("\"op\":\"insert\",\"args\":[2],\"value\":true");
        let stats = of(&lines("\"model\":\"set\"", &ops));
        assert_eq!(stats.revealed.unwrap().informative, ops.len());
    }

    #[test]
    fn values_are_counted_for_each_key() {
        let kv = lines(
            "\"model\":\"kv\"",
            &[
                "\"op\":\"put\",\"args\":[\"a\",1]",
                "\"op\":\"put\",\"args\":[\"b\",1]",
                "\"op\":\"compare_and_set\",\"args\":[\"b\",1,1],\"value\":true",
                "\"op\":\"get\",\"args\":[\"b\"],\"value\":1",
            ],
        );
        let values = of(&kv).values;
        assert_eq!(values, ValueCounts { written: 3, distinct: 2, repeated: 1 });
    }

    #[test]
    fn histories_that_could_hardly_fail() {
        let warned = |text: &str| of(text).warnings.join("; ");
        let register = "\"model\":\"register\",\"initial\":0";
        let write = "\"op\":\"write\",\"args\":[1]";
        let read = "\"op\":\"read\",\"value\":1";
        let unknown = "\"op\":\"read\"";
        assert!(warned("{\"linpoint\":1,\"model\":\"queue\"}\n").contains("no operations"));
        assert!(warned(&lines(register, &[write, write])).contains("cannot fail"));
        let text = warned(&lines(register, &[write, unknown]));
        assert!(text.contains("informative results are unknown"), "{text}");
        let zero = "\"op\":\"read\",\"value\":0";
        assert!(warned(&lines(register, &[zero, zero])).contains("changes anything"));
        assert!(warned(&lines(register, &[write, write, read])).contains("values are the same"));
        let two = "\"op\":\"write\",\"args\":[2]";
        assert_eq!(warned(&lines(register, &[write, two, read])), "");
        let sequential = lines(register, &[write, read]).replace("\"start\":1", "\"start\":9");
        let sequential = sequential.replace("\"end\":3", "\"end\":12");
        assert!(warned(&sequential).contains("no two operations overlap"));
        let one = sequential.replace("\"process\":1", "\"process\":0");
        assert!(warned(&one).contains("only one client"));
    }

    #[test]
    fn steps_of_a_histogram_double() {
        let steps = doubling(&[5, 0, 1, 2, 0, 0, 0, 0, 9]);
        assert_eq!(steps, [(0, 0, 5), (1, 1, 0), (2, 3, 3), (4, 7, 0), (8, 15, 9)]);
    }
}
