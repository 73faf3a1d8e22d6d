//! The outcome of a stream as text.

use std::fmt::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use linpoint::Limit;
use linpoint_formats::registry::watch::{Ended, GivenUp, LiveViolation, Summary};
use linpoint_report::text::{self, clean};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const UNSURE: Style = AnsiColor::Yellow.on_default().bold();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// The outcome of a stream, with an explanation.
pub fn summary(name: &str, summary: &Summary, time: Duration, width: usize) -> String {
    let (style, mark, verdict, line) = match &summary.outcome {
        Ended::Fine => (GOOD, '\u{2713}', "linearizable", None),
        Ended::Undecided(_) => (UNSURE, '?', "undecided", None),
        Ended::Stopped { line, .. } => (UNSURE, '?', "undecided", Some(*line)),
        Ended::Violation(violation) => (BAD, '\u{2717}', "NOT LINEARIZABLE", Some(violation.line)),
    };
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let operations = usize::try_from(summary.operations).unwrap_or(usize::MAX);
    let mut facts = format!(
        "{}, {}, {}",
        clean(&summary.model.to_string()),
        text::count(operations, "operation"),
        text::duration(time)
    );
    if summary.unknown_results > 0 {
        let unknown = usize::try_from(summary.unknown_results).unwrap_or(usize::MAX);
        let _ = write!(facts, ", {} unknown", text::count(unknown, "result"));
    }
    let name = clean(name);
    let mut out = format!(
        "{style}{mark}{style:#} {STRONG}{name}{line}{STRONG:#}  {style}{verdict}{style:#}  \
         {QUIET}{facts}{QUIET:#}\n"
    );
    match &summary.outcome {
        Ended::Fine => {}
        Ended::Undecided(given_up) => {
            text::paragraph(&mut out, &why_given_up(given_up), width, Style::new());
        }
        Ended::Stopped { line, limit } => {
            let why = format!("stopped by {limit} on line {line}, with no violation so far");
            text::paragraph(&mut out, &why, width, Style::new());
        }
        Ended::Violation(violation) => explain(&mut out, violation, width),
    }
    out
}

/// The notice that an object or key was given up.
pub fn given_up(name: &str, given_up: &GivenUp, width: usize) -> String {
    let name = clean(name);
    let line = given_up.line;
    let mut out = format!(
        "{UNSURE}?{UNSURE:#} {STRONG}{name}:{line}{STRONG:#}  {UNSURE}given up{UNSURE:#}\n"
    );
    text::paragraph(&mut out, &why_given_up(given_up), width, Style::new());
    out
}

fn why_given_up(GivenUp { line, op, limit }: &GivenUp) -> String {
    let why = match limit {
        Limit::Configurations => {
            "there were more configurations than --max-configurations allows, or too many events \
             to fall back on them; raise the limit, or record the stream to a file and use \
             `linpoint check`, which decides whole histories"
                .to_owned()
        }
        limit => format!("stopped by {limit}"),
    };
    format!("given up at the return of {} on line {line}: {why}", clean(op))
}

/// What ended: the operation with its client and its result.
fn ended(violation: &LiveViolation) -> String {
    let LiveViolation { op, client, object, returned, failed, .. } = violation;
    let mut what = clean(op);
    if let Some(object) = object {
        what = format!("{}: {what}", clean(object));
    }
    if let Some(client) = client {
        let _ = write!(what, " by {}", clean(client));
    }
    match returned {
        Some(returned) => format!("{what} returned {}", clean(returned)),
        None if *failed => format!("{what} was reported as failed"),
        None => format!("{what} returned"),
    }
}

/// The sentence that says what is wrong.
pub fn reason(violation: &LiveViolation) -> String {
    let allowed: Vec<String> = violation.allowed.iter().map(|ret| clean(ret)).collect();
    let but = match allowed.as_slice() {
        _ if violation.failed => "but its effect was observed".to_owned(),
        [] if !violation.allowed_is_complete => "which no order explains".to_owned(),
        all if !violation.allowed_is_complete => {
            format!("but {} was possible by then, for example", first_few(all, " or "))
        }
        [] => "but no result was possible by then".to_owned(),
        all => format!("but only {} was possible by then", first_few(all, " or ")),
    };
    format!("{}, {but}", ended(violation))
}

fn explain(out: &mut String, violation: &LiveViolation, width: usize) {
    let LiveViolation { line, call_line, failed, .. } = violation;
    let allowed: Vec<String> = violation.allowed.iter().map(|ret| clean(ret)).collect();
    out.push('\n');
    text::paragraph(out, &reason(violation), width, STRONG);
    out.push('\n');
    let place = format!("{} (line {line}, called on line {call_line})", ended(violation));
    text::fact(out, "\u{2717} fails at", &place, width);
    if !failed && !allowed.is_empty() {
        text::fact(out, "allowed here", &first_few(&allowed, " or "), width);
    }
    let states: Vec<String> = violation.states.iter().map(|state| clean(state)).collect();
    if !states.is_empty() {
        text::fact(out, "state before", &first_few(&states, " or "), width);
    }
    let open = violation.open.iter().map(|(line, op)| format!("{} (line {line})", clean(op)));
    let open: Vec<String> = open.collect();
    if !open.is_empty() {
        text::fact(out, "also open", &first_few(&open, ", "), width);
    }
    out.push('\n');
}

/// The first few items of a list, joined by `separator`.
fn first_few(all: &[String], separator: &str) -> String {
    const MAX: usize = 8;
    let mut text = all.iter().take(MAX).cloned().collect::<Vec<_>>().join(separator);
    if let more @ 1.. = all.len().saturating_sub(MAX) {
        let _ = write!(text, "{separator}{more} others");
    }
    text
}
