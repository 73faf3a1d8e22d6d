//! How a history would be checked, and why: as text and as JSON.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use linpoint::Plan;
use serde_json::json;

use crate::json;
use crate::text::{self, MIN_WIDTH, clean, count};

/// The name of the schema, in the field `schema`.
pub const SCHEMA: &str = "linpoint.plan";
/// The version of the schema, in the field `version`.
pub const VERSION: u32 = 1;

const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const USED: Style = AnsiColor::Green.on_default();
const REFUSED: Style = AnsiColor::Yellow.on_default();

/// A history and the plan for its check.
#[derive(Clone, Debug)]
pub struct Planned<'a> {
    /// The file.
    pub name: &'a str,
    /// The model, with its options.
    pub model: &'a str,
    /// The format of the file.
    pub format: &'a str,
    /// Number of distinct operations, arguments included.
    pub distinct: usize,
    /// The plan.
    pub plan: &'a Plan,
}

impl Planned<'_> {
    /// The plan as text for a terminal.
    pub fn text(&self, width: usize) -> String {
        let width = width.max(MIN_WIDTH);
        let Planned { name, model, format, distinct, plan } = self;
        let features = &plan.features;
        let (name, model) = (clean(name), text::shorten(&clean(model), 2 * MIN_WIDTH));
        let mut out = format!("{STRONG}{name}{STRONG:#}  {QUIET}{model}, {format}{QUIET:#}\n");
        let operations = format!(
            "{}, {distinct} distinct; {} pending, {} with an unknown result{}",
            count(features.operations, "operation"),
            features.pending,
            features.unknown,
            if features.hints { "; with order hints" } else { "" },
        );
        text::fact(&mut out, "history", &operations, width);
        text::fact(
            &mut out,
            "concurrency",
            &format!("up to {} open at once", features.width),
            width,
        );
        text::fact(&mut out, "parts", &plan.split, width);
        tactics(&mut out, plan, width);
        text::fact(&mut out, "limits", &limits(plan), width);
        out.push('\n');
        out
    }

    /// The plan as one line of JSON.
    pub fn json(&self) -> String {
        let Planned { name, model, format, distinct, plan } = self;
        let features = &plan.features;
        json::line(&json!({
            "schema": SCHEMA,
            "version": VERSION,
            "name": name,
            "model": model,
            "format": format,
            "operations": features.operations,
            "different_operations": distinct,
            "unknown_results": features.unknown,
            "plan": json::plan(plan),
            "limits": {
                "seconds": plan.limits.time.map(|time| time.as_secs_f64()),
                "bytes": plan.limits.memory,
            },
        }))
    }
}

/// The line of JSON for an input that could not be read.
pub fn error(name: &str, message: &str) -> String {
    json::line(&json!({ "schema": SCHEMA, "version": VERSION, "name": name, "error": message }))
}

/// The tactics of a plan, one line each.
pub(crate) fn tactics(out: &mut String, plan: &Plan, width: usize) {
    for (number, candidate) in (0..).zip(&plan.ladder) {
        let label = if number == 0 { "tactics" } else { "" };
        let (style, why) = match &candidate.refused {
            None => (USED, candidate.why.clone()),
            Some(reason) => (REFUSED, format!("refused: {reason}")),
        };
        let tactic = candidate.tactic.name();
        let line = format!("{number}. {style}{tactic}{style:#}: {}", clean(&why));
        text::fact(out, label, &line, width);
    }
}

/// The limits of a check.
pub(crate) fn limits(plan: &Plan) -> String {
    let mut text = count(plan.threads, "core");
    match plan.limits.time {
        Some(time) => {
            let _ = write!(text, ", at most {}", text::duration(time));
        }
        None => text.push_str(", no time limit"),
    }
    match plan.limits.memory {
        Some(bytes) => {
            let _ = write!(text, ", at most {bytes} bytes of memory");
        }
        None => text.push_str(", at most three quarters of the free memory"),
    }
    text
}
