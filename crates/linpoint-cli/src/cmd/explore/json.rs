//! The result as one JSON object. `docs/explore.md` describes the fields.

use linpoint_model::catalogue::{Asked, Entry};
use linpoint_model::{Exploration, Outcome, Violation};
use serde_json::{Value, json};

use super::Request;
use super::run_history::RunOperations;

/// The models of the catalogue, one line each.
pub fn list(entries: impl Iterator<Item = &'static Entry>) -> String {
    let line = |entry: &Entry| {
        let parameter =
            entry.parameter.map(|(what, default)| json!({ "counts": what, "default": default }));
        let value = json!({
            "model": entry.name,
            "about": entry.about,
            "is_correct": entry.is_right,
            "parameter": parameter,
            "operations": entry.model(2, None).operations(),
        });
        value.to_string() + "\n"
    };
    entries.map(line).collect()
}

/// The result as one line.
pub fn render(request: &Request<'_>, result: &Exploration) -> String {
    let (outcome, limit, violation) = match &result.outcome {
        Outcome::Clean => ("clean", None, None),
        Outcome::Limit(limit) => ("limit", Some(limit.to_string()), None),
        Outcome::Violation(violation) => ("violation", None, Some(run(request, violation, result))),
    };
    let counts = &result.counts;
    let bounds = match request.bounds {
        Asked::Total { threads, ops } => json!({ "threads": threads, "ops": ops }),
        Asked::PerThread { threads, ops } => json!({ "threads": threads, "per_thread": ops }),
        Asked::Unbounded { threads } => json!({ "threads": threads, "unbounded": true }),
        Asked::Program(program) => json!({ "program": program }),
    };
    let value = json!({
        "schema": "linpoint.exploration",
        "version": 1,
        "model": request.model,
        "bounds": bounds,
        "method": result.method.name(),
        "is_sound": result.method.is_sound(),
        "order": request.order.name(),
        "outcome": outcome,
        "limit": limit,
        "violation": violation,
        "states": counts.stored,
        "matched": counts.matched,
        "histories": counts.histories,
        "depth": counts.depth,
        "stuck": counts.stuck,
        "cycles": counts.cycles,
        "widest": counts.widest,
        "carried": counts.carried,
        "bytes": counts.bytes,
        "seconds": counts.time.as_secs_f64(),
    });
    format!("{value}\n")
}

fn run(request: &Request<'_>, violation: &Violation, result: &Exploration) -> Value {
    let steps = violation.steps.iter().map(|step| {
        json!({
            "thread": step.thread,
            "operation": step.operation,
            "call": step.call,
            "lines": step.lines,
            "return": step.ret,
            "shared": step.shared,
            "local": step.local,
        })
    });
    let operations = RunOperations(violation);
    let rendered = operations.rendered(request, result.counts.time);
    let report = linpoint_report::json::render(&rendered, &operations, &violation.report);
    json!({
        "initially": violation.initially,
        "steps": steps.collect::<Vec<_>>(),
        "verdict": serde_json::from_str::<Value>(&report).unwrap_or(Value::Null),
    })
}
