//! The result as text.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use linpoint_model::catalogue::Entry;
use linpoint_model::{Counts, Exploration, Order, Outcome, Progress, Violation};
use linpoint_report::text::{clean, count, duration, render as render_verdict};

use super::Request;
use super::run_history::RunOperations;
use crate::progress::rounded;

const NAME: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const UNSURE: Style = AnsiColor::Yellow.on_default().bold();
const EVENT: Style = AnsiColor::Cyan.on_default();

/// The models of the catalogue.
pub fn list(entries: impl Iterator<Item = &'static Entry>) -> String {
    let mut text = String::new();
    for entry in entries {
        let verdict = if entry.is_right { "correct" } else { "broken" };
        let Entry { name, about, .. } = entry;
        let _ = write!(text, "{NAME}{name}{NAME:#}: {about} {QUIET}({verdict}){QUIET:#}");
        if let Some((what, default)) = entry.parameter {
            let _ = write!(text, " {QUIET}{name}:{default}, the number of {what}{QUIET:#}");
        }
        let operations = entry.model(2, None).operations().join(", ");
        let _ = writeln!(text, "\n    {operations}");
    }
    text
}

/// The message of the progress bar.
pub fn progress(progress: &Progress) -> String {
    let Progress { states, frontier, depth, bytes, elapsed } = progress;
    let speed = *states as f64 / elapsed.as_secs_f64().max(1e-3);
    format!(
        "{} states, {} states/s, level {depth} with {} left, {} MiB",
        rounded(*states as f64),
        rounded(speed),
        rounded(*frontier as f64),
        bytes >> 20
    )
}

/// The report on an exploration.
pub fn render(request: &Request<'_>, result: &Exploration, width: usize) -> String {
    let mut text = String::new();
    let (style, mark, verdict) = match &result.outcome {
        Outcome::Clean if result.method.is_sound() => {
            (GOOD, '\u{2713}', "linearizable within the bounds".to_owned())
        }
        Outcome::Clean => (UNSURE, '?', "nothing found, nothing verified".to_owned()),
        Outcome::Violation(_) => (BAD, '\u{2717}', "NOT LINEARIZABLE".to_owned()),
        Outcome::Limit(limit) => (
            UNSURE,
            '?',
            format!("not explored to the end, stopped by {limit}; no violation so far"),
        ),
    };
    let (model, bounds) = (clean(request.model), clean(&request.bounds.to_string()));
    let _ = writeln!(
        text,
        "{style}{mark}{style:#} {NAME}{model}{NAME:#} {bounds}  {style}{verdict}{style:#}"
    );
    counts(&mut text, request, result);
    if let Outcome::Violation(violation) = &result.outcome {
        run(&mut text, violation);
        let operations = RunOperations(violation);
        text += "\n";
        text += &render_verdict(&operations.rendered(request, result.counts.time), width);
    }
    text
}

fn counts(text: &mut String, request: &Request<'_>, result: &Exploration) {
    let Counts { stored, matched, histories, depth, stuck, cycles, widest, bytes, time, .. } =
        result.counts;
    let level = match request.order {
        Order::Breadth | Order::Depth => format!("{depth} steps deep"),
        Order::Preemptions => format!("{depth} preemptions"),
        Order::Few => format!("{depth} preemptions and calls"),
        Order::Random(seed) => format!("random seed {seed}"),
    };
    let mut facts = vec![
        format!("{stored} states"),
        format!("{matched} matched"),
        level,
        duration(time),
        format!("{} states/s", rounded(stored as f64 / time.as_secs_f64().max(1e-6))),
        format!("{} MiB", bytes.div_ceil(1 << 20)),
        format!("method {}", result.method.name()),
    ];
    if histories > 0 {
        facts.push(format!("{histories} histories checked"));
    }
    if widest > 1 {
        facts.push(format!("at most {}", count(widest, "configuration")));
    }
    if cycles > 0 {
        facts.push(count(cycles as usize, "cycle"));
    }
    if stuck > 0 {
        facts.push(format!("{stuck} states in which open operations wait forever"));
    }
    let _ = writeln!(text, "  {QUIET}{}{QUIET:#}", facts.join(", "));
}

/// The run, one line per step.
fn run(text: &mut String, violation: &Violation) {
    let steps: Vec<(String, String)> = violation
        .steps
        .iter()
        .map(|step| {
            let call = step.call.as_ref().map(|call| format!("{call} ")).unwrap_or_default();
            let lines = format!("T{} {call}{}", step.thread, step.lines.join(", "));
            let ret = step.ret.as_ref().map(|ret| format!(" -> {ret}")).unwrap_or_default();
            (clean(&lines), clean(&ret))
        })
        .collect();
    let wide = |(lines, ret): &(String, String)| lines.chars().count() + ret.chars().count();
    let width = steps.iter().map(wide).max().unwrap_or(0);
    let _ = writeln!(text, "\n  {NAME}the run{NAME:#}");
    let _ = writeln!(text, "  {:4} {:width$}  {}", "", "", clean(&violation.initially));
    for (number, (step, shown)) in violation.steps.iter().zip(&steps).enumerate() {
        let (lines, ret) = shown;
        let space = " ".repeat(width - wide(shown));
        let local = step.local.as_ref().filter(|local| !local.is_empty());
        let local = local.map(|local| format!("  T{}: {local}", step.thread)).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {:4} {lines}{EVENT}{ret}{EVENT:#}{space}  {}{QUIET}{}{QUIET:#}",
            number + 1,
            clean(&step.shared),
            clean(&local)
        );
    }
}
