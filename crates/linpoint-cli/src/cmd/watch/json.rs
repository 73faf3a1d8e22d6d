//! The outcome of a stream as one line of JSON, and a line for each object or key that is given up.

use std::time::Duration;

use linpoint_formats::registry::watch::{Ended, GivenUp, LiveViolation, Summary};
use linpoint_report::json::limit_name;
use serde_json::{Value, json};

use super::text::reason;

/// The name of the schema, in the field `schema`.
const SCHEMA: &str = "linpoint.stream";
/// The version of the schema, in the field `version`.
const VERSION: u32 = 1;

/// The outcome of a stream.
pub fn summary(name: &str, summary: &Summary, time: Duration) -> String {
    let (verdict, line) = match &summary.outcome {
        Ended::Fine => ("linearizable", None),
        Ended::Undecided(given_up) => ("undecided", Some(given_up.line)),
        Ended::Stopped { line, .. } => ("undecided", Some(*line)),
        Ended::Violation(violation) => ("violation", Some(violation.line)),
    };
    let limit = match &summary.outcome {
        Ended::Undecided(given_up) => Some(limit_name(given_up.limit)),
        Ended::Stopped { limit, .. } => Some(limit_name(*limit)),
        Ended::Fine | Ended::Violation(_) => None,
    };
    let violation = match &summary.outcome {
        Ended::Violation(violation) => Some(of_violation(violation)),
        _ => None,
    };
    line_of(&json!({
        "schema": SCHEMA,
        "version": VERSION,
        "event": "end",
        "name": name,
        "model": summary.model.to_string(),
        "operations": summary.operations,
        "unknown_results": summary.unknown_results,
        "verdict": verdict,
        "line": line,
        "limit": limit,
        "violation": violation,
        "seconds": time.as_secs_f64(),
    }))
}

/// The notice that an object or key was given up.
pub fn given_up(name: &str, GivenUp { line, op, limit }: &GivenUp) -> String {
    line_of(&json!({
        "schema": SCHEMA,
        "version": VERSION,
        "event": "given-up",
        "name": name,
        "line": line,
        "op": op,
        "limit": limit_name(*limit),
    }))
}

fn of_violation(violation: &LiveViolation) -> Value {
    let open = violation.open.iter().map(|(line, op)| json!({ "line": line, "op": op }));
    json!({
        "reason": reason(violation),
        "op": violation.op,
        "client": violation.client,
        "object": violation.object,
        "ret": violation.returned,
        "failed": violation.failed,
        "line": violation.line,
        "call_line": violation.call_line,
        "allowed": violation.allowed,
        "allowed_is_complete": violation.allowed_is_complete,
        "states_before": violation.states,
        "open": open.collect::<Vec<_>>(),
    })
}

fn line_of(value: &Value) -> String {
    format!("{value}\n")
}
