//! The complete verdict on one history as one line of JSON.
//!
//! `docs/output.md` describes the fields. [`VERSION`] increases when a field changes its meaning or is removed;
//! a new field does not change the version.

use linpoint::verdict::{
    Argument, Blocked, CoreStatus, Last, Obstacle, Partial, PossibleResults, Rule, Undecided,
    Verdict, Violation, ViolationKind,
};
use linpoint::{Limit, OpId, Plan, Report};
use serde_json::{Value, json};

use crate::failing_parts::PartName;
use crate::jepsen::Jepsen;
use crate::rendered::{Annotation, Explanation, Operations, Outcome, Reading, Recorded, Rendered};
use crate::sentence::SentencePiece;

/// The name of the schema, in the field `schema`.
pub const SCHEMA: &str = "linpoint.verdict";
/// The version of the schema, in the field `version`.
pub const VERSION: u32 = 1;

/// The outcome of a check as one line. `rendered` must have been made from `report`.
pub fn render(rendered: &Rendered, operations: &dyn Operations, report: &Report) -> String {
    let heading = &rendered.heading;
    let (verdict, witness, why_undecided) = match &report.verdict {
        Verdict::Linearizable(witness) => ("linearizable", Some(ids(&witness.order)), None),
        Verdict::Violation(_) => ("violation", None, None),
        Verdict::Undecided(why) => ("undecided", None, Some(undecided(why))),
    };
    let all = report.verdict.violation().into_iter().chain(&report.more);
    let reasons = match &rendered.outcome {
        Outcome::Violation(explanations) => explanations.as_slice(),
        _ => &[],
    };
    let violations = all.zip(reasons).map(|(v, e)| violation(v, e, operations));
    let limits = &report.plan.limits;
    let stats = &report.stats;
    line(&json!({
        "schema": SCHEMA,
        "version": VERSION,
        "name": heading.name,
        "model": heading.model,
        "note": heading.note,
        "operations": heading.operations,
        "unknown_results": heading.unknown_results,
        "verdict": verdict,
        "engine": rendered.engine,
        "witness": witness,
        "violations": violations.collect::<Vec<_>>(),
        "parts": rendered.failing_parts.as_ref().map(|parts| json!({
            "kind": parts.word,
            "all": parts.all,
            "failing": parts.failing,
            "names": parts.names,
            "is_complete": parts.is_complete,
        })),
        "undecided": why_undecided,
        "jepsen": heading.jepsen.as_ref().map(Jepsen::json),
        "faults": operations.annotations().iter().map(fault).collect::<Vec<_>>(),
        "plan": plan(&report.plan),
        "limits": {
            "seconds": limits.time.map(|time| time.as_secs_f64()),
            "bytes": limits.memory,
        },
        "timings": {
            "read": heading.reading.as_secs_f64(),
            "total": heading.time.as_secs_f64(),
            "decide": stats.decide.as_secs_f64(),
            "certify": stats.certify.as_secs_f64(),
            "explain": stats.explain.as_secs_f64(),
        },
        "cost": { "steps": stats.steps, "parts": stats.parts, "peak_bytes": stats.peak_bytes },
    }))
}

/// A fault, or another event that is not an operation.
fn fault(fault: &Annotation) -> Value {
    let reading = |reading: Option<Reading>| match reading {
        Some(Reading::Whole(n)) => json!(n),
        Some(Reading::Float(x)) => json!(x),
        None => Value::Null,
    };
    json!({
        "lane": fault.lane,
        "client": fault.client,
        "text": fault.text,
        "from": fault.from,
        "to": fault.to,
        "start": reading(fault.times.0),
        "end": reading(fault.times.1),
        "line": fault.line,
    })
}

/// The line for an input that could not be checked.
pub fn error(name: &str, message: &str) -> String {
    line(&json!({
        "schema": SCHEMA, "version": VERSION, "name": name, "verdict": "error", "error": message,
    }))
}

pub(crate) fn line(value: &Value) -> String {
    let mut line = value.to_string();
    line.push('\n');
    line
}

fn ids(order: &[OpId]) -> Vec<u32> {
    order.iter().map(|id| id.0).collect()
}

fn violation(violation: &Violation, shown: &Explanation, operations: &dyn Operations) -> Value {
    let named = |id: OpId| operation(id, operations);
    let piece = |piece: &SentencePiece| match piece.op {
        Some(op) => json!({ "op": op.0, "text": piece.text }),
        None => json!({ "text": piece.text }),
    };
    let partial = |p: &Partial| {
        let blocked = operations.blocked(violation, p);
        let blocked = blocked.map(|all| all.iter().map(obstacle).collect::<Vec<_>>());
        json!({ "order": ids(&p.order), "state": p.state, "blocked": blocked })
    };
    let (minimal, limit) = match violation.core_status {
        CoreStatus::Minimal => (true, None),
        CoreStatus::NotMinimised(limit) => (false, Some(limit_name(limit))),
        _ => (false, None),
    };
    json!({
        "kind": match violation.kind {
            ViolationKind::HintBroken => "hint-broken",
            ViolationKind::WithHints => "not-linearizable-with-hints",
            ViolationKind::BrokenGuarantee => "guarantee-broken",
            _ => "not-linearizable",
        },
        "reason": shown.reason,
        "sentence": shown.sentence.iter().map(piece).collect::<Vec<_>>(),
        "reason_kind": shown.reason_kind,
        "named": ids(&shown.named),
        "argument": violation.reason.argument.as_ref().map(argument),
        "part": ids(&violation.part),
        "part_name": shown.part_name.as_ref().map(|name| part_name(name, violation, operations)),
        "failing": violation.failing.map(named),
        "failing_is_earliest": violation.failing_is_earliest,
        "allowed": violation.allowed,
        "allowed_is_complete": violation.allowed_is_complete,
        "core": violation.core.iter().copied().map(named).collect::<Vec<_>>(),
        "core_is_minimal": minimal,
        "core_stopped_by": limit,
        "confirmed_by": violation.confirmed_by,
        "partials": violation.partials.iter().map(partial).collect::<Vec<_>>(),
    })
}

/// An operation that could come after a partial order, and what is in its way.
fn obstacle(Blocked { op, obstacle }: &Blocked) -> Value {
    let of = |kind: &str, results: &PossibleResults| {
        json!({
            "op": op.0,
            "obstacle": kind,
            "results": results.texts,
            "results_are_complete": results.is_complete,
        })
    };
    match obstacle {
        Obstacle::After(other) => json!({ "op": op.0, "obstacle": "after", "after": other.0 }),
        Obstacle::Returns(results) => of("returns", results),
        Obstacle::InOrder(results) => of("in-order", results),
        Obstacle::Helpless(results) => of("helpless", results),
        _ => json!({ "op": op.0, "obstacle": "other" }),
    }
}

/// What the failing part is called. A key is the first argument of all its operations.
fn part_name(part: &PartName, violation: &Violation, operations: &dyn Operations) -> Value {
    let mut name = json!({ "kind": part.word, "name": part.name });
    if part.word == "key" {
        let first = violation.part.first().and_then(|id| operations.recorded(*id));
        if let Some(key) = first.and_then(|recorded| recorded.args.into_iter().next()) {
            name["value"] = json!(key);
        }
    }
    name
}

/// What the sentence states, see `linpoint::verdict::Argument`. Operations are ids.
fn argument(argument: &Argument) -> Value {
    let mut facts = facts(argument);
    facts["type"] = type_of(argument).into();
    facts
}

/// The name of a variant of `Argument`.
fn type_of(argument: &Argument) -> &'static str {
    match argument {
        Argument::Stale { .. } => "stale",
        Argument::Removed { .. } => "removed",
        Argument::Phantom { .. } => "phantom",
        Argument::Future { .. } => "future",
        Argument::Missing { .. } => "missing",
        Argument::Swapped { .. } => "swapped",
        Argument::Twice { .. } => "twice",
        Argument::OutOfOrder { .. } => "out-of-order",
        Argument::NotEmpty { .. } => "not-empty",
        Argument::Flag(_) => "flag",
        Argument::Total { .. } => "total",
        Argument::Permits { .. } => "permits",
        Argument::Room { .. } => "room",
        Argument::Crossed { .. } => "crossed",
        _ => "other",
    }
}

fn facts(argument: &Argument) -> Value {
    let id = |id: &OpId| id.0;
    let number = |n: &i128| i64::try_from(*n).ok();
    match argument {
        Argument::Stale { reader, gone, last, writers } => {
            let (written, seen) = match last {
                Last::Initial => (None, None),
                Last::Write(op) => (Some(op.0), None),
                Last::Seen(op) => (None, Some(op.0)),
            };
            let (reader, gone) = (id(reader), id(gone));
            json!({ "reader": reader, "gone": gone, "last_write": written, "last_seen": seen, "writers": ids(writers) })
        }
        Argument::Removed { reader, taker, adders } => {
            json!({ "reader": id(reader), "taker": id(taker), "adders": ids(adders) })
        }
        Argument::Phantom { reader } => json!({ "reader": id(reader) }),
        Argument::Future { reader, writer, writers } => {
            json!({ "reader": id(reader), "first_writer": id(writer), "writers": writers })
        }
        Argument::Missing { reader, added } => {
            json!({ "reader": id(reader), "added": added.as_ref().map(id) })
        }
        Argument::Swapped { reader, first, second } => {
            json!({ "reader": id(reader), "first": id(first), "second": id(second) })
        }
        Argument::Twice { takers, adders } => {
            json!({ "takers": ids(takers), "adders": ids(adders) })
        }
        Argument::OutOfOrder { rule, waiting, added, taker } => {
            let rule = match rule {
                Rule::FirstIn => "first-in",
                Rule::LastIn => "last-in",
                Rule::Priority => "priority",
                Rule::Front => "front",
                Rule::Back => "back",
            };
            json!({ "rule": rule, "waiting": id(waiting), "added": id(added), "taker": id(taker) })
        }
        Argument::NotEmpty { reader, adders, relay } => {
            json!({ "reader": id(reader), "adders": ids(adders), "relay": relay })
        }
        Argument::Flag(fact) => json!({
            "reader": fact.reader.0,
            "since": fact.anchor.as_ref().map(id),
            "holder": fact.holder.as_ref().map(id),
            "found_up": fact.found_up,
            "most_towards": fact.towards,
            "least_back": fact.back,
        }),
        Argument::Total { reader, anchor, found, least, most } => json!({
            "reader": id(reader),
            "since": anchor.as_ref().map(id),
            "found": number(found),
            "least": number(least),
            "most": number(most),
        }),
        Argument::Permits { reader, free } => json!({ "reader": id(reader), "free": number(free) }),
        Argument::Room { reader, capacity, elements } => json!({
            "reader": id(reader),
            "capacity": number(capacity),
            "elements": number(elements),
        }),
        Argument::Crossed { scans, segments, updates } => {
            json!({ "scans": ids(scans), "segments": segments, "updates": ids(updates) })
        }
        _ => json!({}),
    }
}

fn operation(id: OpId, operations: &dyn Operations) -> Value {
    let operation = operations.operation(id);
    let span = operation.span;
    json!({
        "id": id.0,
        "op": operation.op,
        "ret": operation.ret,
        "data": operations.recorded(id).map(recorded),
        "client": operation.client,
        "object": operation.object,
        "call": span.call,
        "return": (!span.is_pending()).then_some(span.ret),
        "line": operation.line,
    })
}

/// An operation as structure. Without a result that is known, there is no `ret`: null is a result too.
fn recorded(recorded: Recorded) -> Value {
    let mut data = json!({ "op": recorded.op, "args": recorded.args });
    if let Some(ret) = recorded.ret {
        data["ret"] = json!(ret);
    }
    data
}

fn undecided(why: &Undecided) -> Value {
    let Undecided { limit, parts_done, parts, returns_reached, returns } = why;
    json!({
        "limit": limit_name(*limit),
        "parts_done": parts_done,
        "parts": parts,
        "returns_reached": returns_reached,
        "returns": returns,
    })
}

/// The name of a limit.
pub fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => "time",
        Limit::Memory => "memory",
        Limit::Steps => "steps",
        Limit::Depth => "depth",
        Limit::Configurations => "configurations",
        Limit::Cancelled => "cancelled",
        _ => "other",
    }
}

pub(crate) fn plan(plan: &Plan) -> Value {
    let features = &plan.features;
    let candidate = |c: &linpoint::plan::Rung| json!({ "tactic": c.tactic.name(), "why": c.why, "refused": c.refused });
    json!({
        "pending": features.pending,
        "width": features.width,
        "parts": features.parts,
        "largest_part": features.largest_part,
        "hints": features.hints,
        "split": plan.split,
        "ladder": plan.ladder.iter().map(candidate).collect::<Vec<_>>(),
        "threads": plan.threads,
    })
}
