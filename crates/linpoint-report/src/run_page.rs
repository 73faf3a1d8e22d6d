//! A page with a run of an algorithm, step by step: which thread executed which line, the whole state after each step, and the
//! operations on a timeline. The keyboard steps through it. A single file that needs no network.

use serde_json::{Value, json};

use crate::page;
use crate::rendered::{Explanation, Operations, Outcome, Rendered};
use crate::text;

const STYLE: &str = include_str!("../assets/run.css");
const BODY: &str = include_str!("../assets/run.html");
const SCRIPT: &str = include_str!("../assets/run.js");

/// A run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// Within which bounds it was found.
    pub bounds: String,
    /// Shared memory before the first step.
    pub initially: String,
    /// The steps, one after the other.
    pub steps: Vec<Step>,
}

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// The thread.
    pub thread: usize,
    /// The index of the operation in the history.
    pub operation: usize,
    /// True if the step calls the operation.
    pub is_call: bool,
    /// The labels of the executed lines.
    pub lines: Vec<String>,
    /// The result, if the operation returned.
    pub ret: Option<String>,
    /// Shared memory after the step.
    pub shared: String,
    /// The local state of the thread after the step, if it is within an operation.
    pub local: Option<String>,
}

/// The page of a run. `rendered` and `operations` are about its history.
pub fn render(run: &Run, rendered: &Rendered, operations: &dyn Operations) -> String {
    let title = format!("{} · {}", rendered.heading.name, text::verdict(&rendered.outcome));
    let facts = facts(run, rendered, operations);
    page::with_facts(&title, STYLE, BODY, &facts, &[page::DOM, page::THEME, SCRIPT])
}

fn facts(run: &Run, rendered: &Rendered, operations: &dyn Operations) -> Value {
    let heading = &rendered.heading;
    let explanation = match &rendered.outcome {
        Outcome::Violation(all) => all.first(),
        Outcome::Linearizable | Outcome::Undecided(_) => None,
    };
    let steps = run.steps.iter().map(|step| {
        json!({
            "thread": step.thread,
            "operation": step.operation,
            "call": step.is_call,
            "lines": step.lines,
            "ret": step.ret,
            "shared": step.shared,
            "local": step.local,
        })
    });
    let all = (0..heading.operations).map(|at| operation(at, operations, explanation));
    json!({
        "name": heading.name,
        "about": heading.model,
        "bounds": run.bounds,
        "is_violation": explanation.is_some(),
        "verdict": text::verdict(&rendered.outcome),
        "reason": explanation.map(sentence),
        "allowed": explanation.and_then(text::allowed),
        "initially": run.initially,
        "steps": steps.collect::<Vec<_>>(),
        "operations": all.collect::<Vec<_>>(),
    })
}

/// The sentence in pieces, each with the operation that it names.
fn sentence(explanation: &Explanation) -> Value {
    let pieces = explanation.sentence.iter();
    pieces.map(|piece| json!([piece.text, piece.op.map(|op| op.0)])).collect()
}

fn operation(at: usize, operations: &dyn Operations, explanation: Option<&Explanation>) -> Value {
    let id = linpoint::OpId(at as u32);
    let operation = operations.operation(id);
    let row = explanation.and_then(|e| e.rows.iter().find(|row| row.id == id));
    json!({
        "thread": operation.process,
        "op": operation.op,
        "text": operation.text(),
        "core": row.is_some_and(|row| row.core),
        "failing": row.is_some_and(|row| row.failing),
    })
}
