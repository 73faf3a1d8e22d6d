//! Verdicts as text for a terminal.
//!
//! The text has ANSI colours; write it through `anstream`, which removes them where they are not wanted. All
//! other control characters are escaped.

use std::fmt::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use linpoint::verdict::{CoreStatus, Undecided, ViolationKind};

use crate::rendered::{Annotation, Explanation, OTHERS, Outcome, Rendered, Row};
use crate::timeline::{self, Ink};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const UNSURE: Style = AnsiColor::Yellow.on_default().bold();
const CORE: Style = AnsiColor::Yellow.on_default();
const FAULT: Style = AnsiColor::Magenta.on_default();
pub(crate) const QUIET: Style = Style::new().dimmed();
pub(crate) const STRONG: Style = Style::new().bold();

/// Minimum width of the layout; narrower terminals wrap.
pub const MIN_WIDTH: usize = 40;
/// Models with long options are cut to this length.
const MAX_MODEL: usize = 32;
/// Number of violations of one history that are explained in full.
const MAX_EXPLAINED: usize = 3;
/// Number of further violations that are told in a sentence.
const MAX_BRIEF: usize = 20;
/// Operations that are not drawn are cut to this length.
const MAX_CLOSING: usize = 40;
/// Number of allowed results that are listed.
const MAX_ALLOWED: usize = 8;

/// The report on one history: one line if it is linearizable, an explanation if it is not.
pub fn render(rendered: &Rendered, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let mut out = String::new();
    headline(&mut out, rendered);
    if let Some(jepsen) = &rendered.heading.jepsen {
        jepsen.render(&mut out, &rendered.outcome, width);
    }
    match &rendered.outcome {
        Outcome::Linearizable => {}
        Outcome::Undecided(why) => paragraph(&mut out, &undecided(why), width, Style::new()),
        Outcome::Violation(explanations) => {
            if let Some(note) = &rendered.heading.note {
                paragraph(&mut out, &clean(note), width, QUIET);
            }
            if let Some(parts) = &rendered.failing_parts {
                paragraph(&mut out, &clean(&parts.text()), width, STRONG);
            }
            for explanation in explanations.iter().take(MAX_EXPLAINED) {
                violation(&mut out, explanation, width);
            }
            let rest = explanations.get(MAX_EXPLAINED..).unwrap_or_default();
            for explanation in rest.iter().take(MAX_BRIEF) {
                paragraph(&mut out, &clean(&explanation.reason), width, Style::new());
            }
            if rest.len() > MAX_BRIEF {
                let more = count(rest.len() - MAX_BRIEF, "more violation");
                paragraph(&mut out, &format!("and {more}"), width, Style::new());
            }
        }
    }
    out
}

/// Appends a line. Writing to a string cannot fail.
macro_rules! line {
    ($out:expr) => { line!($out, "") };
    ($out:expr, $($arg:tt)*) => {{ let _ = writeln!($out, $($arg)*); }};
}

/// The verdict in a few words.
pub(crate) fn verdict(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Linearizable => "linearizable",
        Outcome::Undecided(_) => "undecided",
        Outcome::Violation(all) if all.iter().all(|e| e.kind == ViolationKind::HintBroken) => {
            "ORDER HINT BROKEN"
        }
        Outcome::Violation(all) if all.iter().all(|e| e.kind == ViolationKind::BrokenGuarantee) => {
            "GUARANTEE BROKEN"
        }
        Outcome::Violation(all) if all.iter().all(|e| e.kind != ViolationKind::NotLinearizable) => {
            "NOT LINEARIZABLE WITH THESE HINTS"
        }
        Outcome::Violation(_) => "NOT LINEARIZABLE",
    }
}

pub(crate) fn headline(out: &mut String, rendered: &Rendered) {
    let h = &rendered.heading;
    let (style, mark) = match &rendered.outcome {
        Outcome::Linearizable => (GOOD, '\u{2713}'),
        Outcome::Violation(_) => (BAD, '\u{2717}'),
        Outcome::Undecided(_) => (UNSURE, '?'),
    };
    let verdict = verdict(&rendered.outcome);
    let mut facts =
        format!("{}, {}", shorten(&clean(&h.model), MAX_MODEL), count(h.operations, "operation"));
    if !rendered.engine.is_empty() {
        let _ = write!(facts, ", {}", clean(&rendered.engine));
    }
    let _ = write!(facts, ", {}", duration(h.time));
    if h.unknown_results > 0 {
        let _ = write!(facts, ", {} unknown", count(h.unknown_results, "result"));
    }
    let name = clean(&h.name);
    line!(
        out,
        "{style}{mark}{style:#} {STRONG}{name}{STRONG:#}  {style}{verdict}{style:#}  {QUIET}{facts}{QUIET:#}"
    );
}

/// Why the search stopped, and how far it got.
pub(crate) fn undecided(undecided: &Undecided) -> String {
    let Undecided { limit, parts_done, parts, returns_reached, returns } = undecided;
    let mut text = format!("stopped by {limit}");
    if *parts > 1 {
        let _ = write!(text, "; {parts_done} of {parts} independent parts are linearizable");
    }
    if *returns > 0 {
        let _ =
            write!(text, "; found an order for the first {returns_reached} of {returns} returns");
    }
    text
}

fn violation(out: &mut String, explanation: &Explanation, width: usize) {
    line!(out);
    paragraph(out, &clean(&explanation.reason), width, STRONG);
    line!(out);
    draw(out, &explanation.rows, &explanation.faults, width);
    line!(out);
    failing(out, explanation, width);
    if let Some(state) = &explanation.state {
        let label = if explanation.state_is_before { "state before" } else { "state then" };
        fact(out, label, &clean(state), width);
    }
    if !explanation.order.is_empty() {
        let order = explanation.order.iter().map(|step| clean(step)).collect::<Vec<_>>();
        fact(out, "longest order", &order.join(", "), width);
    }
    fact(out, "core", &core(explanation), width);
    if let Some(closing) = closing(explanation) {
        fact(out, "", &closing, width);
    }
    line!(out);
}

/// The operations of the core that are not drawn.
fn closing(explanation: &Explanation) -> Option<String> {
    let all: usize = explanation.closing.iter().map(|(_, n)| n).sum();
    let each = |(text, n): &(String, usize)| match n {
        n if text == OTHERS => format!("{n} others"),
        1 => shorten(&clean(text), MAX_CLOSING),
        n => format!("{n} \u{d7} {}", shorten(&clean(text), MAX_CLOSING)),
    };
    let kinds: Vec<String> = explanation.closing.iter().map(each).collect();
    (all > 0).then(|| format!("not drawn: {} ({})", count(all, "operation"), kinds.join(", ")))
}

pub(crate) fn failing(out: &mut String, explanation: &Explanation, width: usize) {
    let Some(text) = fails_at(explanation) else { return };
    fact(out, "\u{2717} fails at", &text, width);
    if let Some(text) = allowed(explanation) {
        fact(out, "allowed here", &text, width);
    }
}

/// The operation at whose return there is no linearization.
pub(crate) fn fails_at(explanation: &Explanation) -> Option<String> {
    let operation = explanation.failed.as_ref()?;
    let mut text = clean(&operation.op);
    if let Some(client) = &operation.client {
        let _ = write!(text, " by {}", clean(client));
    }
    match &operation.ret {
        Some(ret) => {
            let _ = write!(text, " returned {}", clean(ret));
        }
        None => text.push_str(" returned"),
    }
    if let Some(line) = operation.line {
        let _ = write!(text, " (line {line})");
    }
    if !explanation.failing_is_earliest {
        text.push_str("; an earlier return may already be impossible");
    }
    Some(text)
}

/// The results that the failing operation could have returned.
pub(crate) fn allowed(explanation: &Explanation) -> Option<String> {
    /// Long results fill the screen.
    const MAX_TEXT: usize = 240;
    let all = &explanation.allowed;
    let mut length = 0;
    let fits = |text: &&String| {
        length += text.chars().count();
        length <= MAX_TEXT
    };
    let shown = all.iter().take(MAX_ALLOWED).take_while(fits).count().max(1).min(all.len());
    let more = all.len() - shown;
    let mut text = all[..shown].iter().map(|a| clean(a)).collect::<Vec<_>>().join(" or ");
    if more > 0 {
        let others = if more == 1 { "another" } else { &format!("{more} others") };
        let _ = write!(text, " or {others}");
    }
    match (all.is_empty(), explanation.allowed_is_complete) {
        (true, true) => Some("nothing: no result was possible".to_owned()),
        (true, false) => None,
        (false, true) => Some(text),
        (false, false) => Some(text + ", and possibly more"),
    }
}

/// The size of the core, and the engine that confirmed it.
pub(crate) fn core(explanation: &Explanation) -> String {
    let size = explanation.core;
    let of = count(explanation.part, "operation");
    let mut text = match explanation.core_status {
        _ if explanation.kind == ViolationKind::BrokenGuarantee => {
            format!("{size} of {of} show it, beside what the sentence names")
        }
        _ if size == 0 => "not known".to_owned(),
        _ if size == 1 => format!("1 of {of} is impossible by itself"),
        CoreStatus::Minimal => format!("{size} of {of} contradict each other; all are needed"),
        CoreStatus::NotMinimised(limit) => {
            format!("{size} of {of} contradict each other; not minimised ({limit})")
        }
        _ => format!("{size} of {of} contradict each other, with all that the sentence names"),
    };
    if let Some(engine) = &explanation.confirmed_by {
        let _ = write!(text, "; confirmed by {}", clean(engine));
    }
    text
}

/// A timeline of operations, with one line per client.
pub fn timeline(rows: &[Row], width: usize) -> String {
    let mut out = String::new();
    draw(&mut out, rows, &[], width.max(MIN_WIDTH));
    out
}

/// Why a history is not linearizable: the reason, the timeline, the facts.
pub fn explanation(explanation: &Explanation, width: usize) -> String {
    let mut out = String::new();
    violation(&mut out, explanation, width.max(MIN_WIDTH));
    out
}

/// Removes the colours. The input must have no other escape sequences, see [`clean`].
pub fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            chars.by_ref().find(|c| *c == 'm');
        } else {
            out.push(c);
        }
    }
    out
}

pub(crate) fn draw(out: &mut String, rows: &[Row], faults: &[Annotation], width: usize) {
    let blocks = timeline::draw(rows, faults, width - 4);
    for (i, block) in blocks.iter().enumerate() {
        if i > 0 {
            line!(out, "    {QUIET}\u{2026} continued{QUIET:#}");
        }
        let names = block.iter().map(|lane| lane.name.chars().count()).max().unwrap_or(0);
        let mut above = None;
        for lane in block {
            let name = if above == Some(&lane.name) { "" } else { &lane.name };
            above = Some(&lane.name);
            let _ = write!(out, "    {name:names$}  ");
            for run in lane.cells.chunk_by(|a, b| a.1 == b.1) {
                let text: String = run.iter().map(|(c, _)| c).collect();
                let style = match run[0].1 {
                    Ink::Plain => Style::new(),
                    Ink::Context => QUIET,
                    Ink::Core => CORE,
                    Ink::Failing => BAD,
                    Ink::Fault => FAULT,
                };
                let _ = write!(out, "{style}{text}{style:#}");
            }
            out.push('\n');
        }
    }
}

/// Appends a label and a text that is wrapped beside it.
pub fn fact(out: &mut String, label: &str, text: &str, width: usize) {
    const LABEL: usize = 15;
    let mut first = true;
    for part in wrap(text, width.saturating_sub(LABEL + 2)) {
        let shown = if first { label } else { "" };
        first = false;
        line!(out, "  {QUIET}{shown:LABEL$}{QUIET:#}{part}");
    }
}

/// Appends a text, wrapped and indented.
pub fn paragraph(out: &mut String, text: &str, width: usize, style: Style) {
    for part in wrap(text, width.saturating_sub(2)) {
        line!(out, "  {style}{part}{style:#}");
    }
}

/// Breaks a text at spaces. A word that is longer than a line stays whole, up to a few times the width.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let word = shorten(word, 4 * width);
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(&word);
            used += length;
        }
    }
    lines
}

/// Escapes control characters, so that the text cannot control a terminal.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Cuts a text to `max` characters; the last one is an ellipsis if it was cut.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['\u{2026}']).collect()
}

/// `1 operation`, `2 operations`.
pub fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A duration with three significant digits: `1.25 ms`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "\u{b5}s"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = match value {
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}
