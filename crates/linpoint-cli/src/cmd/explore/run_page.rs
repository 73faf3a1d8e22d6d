//! The page that steps through a violating run.

use std::time::Duration;

use linpoint_model::Violation;
use linpoint_report::run_page::{self, Run, Step};

use super::Request;
use super::run_history::RunOperations;

/// The page of a violating run.
pub fn render(request: &Request<'_>, violation: &Violation, time: Duration) -> String {
    let operations = RunOperations(violation);
    let steps = violation.steps.iter().map(|step| Step {
        thread: step.thread,
        operation: step.operation,
        is_call: step.call.is_some(),
        lines: step.lines.clone(),
        ret: step.ret.clone(),
        shared: step.shared.clone(),
        local: step.local.clone(),
    });
    let run = Run {
        bounds: request.bounds.to_string(),
        initially: violation.initially.clone(),
        steps: steps.collect(),
    };
    run_page::render(&run, &operations.rendered(request, time), &operations)
}
