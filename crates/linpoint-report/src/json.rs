//! The complete verdict on one history as one line of JSON.
//!
//! `docs/output.md` describes the fields. [`VERSION`] increases when a field changes its meaning or is removed;
//! a new field does not change the version.

use linpoint::verdict::{CoreStatus, Partial, Undecided, Verdict, Violation, ViolationKind};
use linpoint::{Limit, OpId, Plan, Report};
use serde_json::{Value, json};

use crate::rendered::{Operation, Operations, Outcome, Rendered};

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
    let violations = all.zip(reasons).map(|(v, e)| violation(v, &e.reason, operations));
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
        "undecided": why_undecided,
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

fn violation(violation: &Violation, reason: &str, operations: &dyn Operations) -> Value {
    let named = |id: OpId| operation(id, &operations.operation(id));
    let partial = |p: &Partial| json!({ "order": ids(&p.order), "state": p.state });
    let (minimal, limit) = match violation.core_status {
        CoreStatus::Minimal => (true, None),
        CoreStatus::NotMinimised(limit) => (false, Some(limit_name(limit))),
        _ => (false, None),
    };
    json!({
        "kind": match violation.kind {
            ViolationKind::HintBroken => "hint-broken",
            ViolationKind::WithHints => "not-linearizable-with-hints",
            _ => "not-linearizable",
        },
        "reason": reason,
        "part": ids(&violation.part),
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

fn operation(id: OpId, operation: &Operation) -> Value {
    let span = operation.span;
    json!({
        "id": id.0,
        "op": operation.op,
        "ret": operation.ret,
        "client": operation.client,
        "object": operation.object,
        "call": span.call,
        "return": (!span.is_pending()).then_some(span.ret),
        "line": operation.line,
    })
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
