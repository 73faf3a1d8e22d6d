//! The page of a stream, from the lines of it that are still in memory.
//!
//! If those are all, they are checked again, with an explanation, as `check` does. If not, the state of the object before
//! the first of them is not known, so that nothing but the outcome of the stream is true of them.

use std::time::{Duration, Instant};

use linpoint::history::Span;
use linpoint::plan::Features;
use linpoint::verdict::{CoreStatus, Reason, ReasonKind, Verdict, Violation, ViolationKind};
use linpoint::{Hints, Limit, Limits, OpId, Plan, Report, Stats};
use linpoint_formats::live::KeptLines;
use linpoint_formats::registry::watch::{Ended, LiveViolation, Summary};
use linpoint_formats::{LoadedHistory, Settings};
use linpoint_report::{
    Annotation, Clock, Failed, Heading, Operation, Operations, Reading, Recorded, Rendered, html,
};

use super::text;
use crate::cmd::loaded::LoadedOperations;

/// Checking the lines again may take this long.
const LONGEST: Duration = Duration::from_secs(60);
/// Name at most this many states before the failing return.
const MOST_STATES: usize = 8;

/// The page, or why there is none. `watched` is how long the stream was watched.
pub fn render(
    name: &str,
    (summary, watched): (&Summary, Duration),
    kept: KeptLines,
    limits: Limits,
) -> Result<String, String> {
    let violation = match &summary.outcome {
        Ended::Violation(violation) => Some(&**violation),
        Ended::Fine if kept.is_whole() => None,
        Ended::Fine => {
            return Err(
                "the first lines of this linearizable stream are no longer in memory".into()
            );
        }
        Ended::Undecided(_) | Ended::Stopped { .. } => return Err("the stream is undecided".into()),
    };
    let lines = (!kept.is_whole()).then(|| (kept.first(), kept.last()));
    let history = kept.load(name, &summary.model).map_err(|error| error.to_string())?;
    let time = Some(limits.time.map_or(LONGEST, |time| time.min(LONGEST)));
    // Streams are checked without hints.
    let settings =
        Settings { limits: Limits { time, ..limits }, hints: Hints::Ignore, ..Settings::default() };
    let operations = LoadedOperations { history: &history, settings: &settings, has_lines: true };
    let begun = Instant::now();
    let again = lines.is_none().then(|| history.check(&settings).ok()).flatten();
    let agrees = |report: &Report| match violation {
        Some(_) => report.verdict.violation().is_some(),
        None => report.verdict.is_linearizable(),
    };
    let heading = heading(name, summary, &history, begun.elapsed());
    match (again.filter(agrees), violation) {
        (Some(report), _) => Ok(page(heading, &operations, &report)),
        (None, Some(violation)) => {
            let heading = Heading {
                name: title(name, lines),
                note: Some(note(history.note(), violation, lines)),
                time: watched,
                ..heading
            };
            let report = report(&history, violation, settings.limits);
            Ok(page(heading, &LastLines(operations), &report))
        }
        (None, None) => Err("there was not enough time for an order of the whole stream".into()),
    }
}

fn heading(name: &str, summary: &Summary, history: &LoadedHistory, time: Duration) -> Heading {
    Heading {
        name: name.to_owned(),
        model: summary.model.to_string(),
        note: history.note().map(str::to_owned),
        operations: history.len(),
        unknown_results: history.unknown_results(),
        time,
        ..Heading::default()
    }
}

fn page(heading: Heading, operations: &dyn Operations, report: &Report) -> String {
    html::render(&Rendered::new(heading, operations, report), operations, report)
}

fn title(name: &str, lines: Option<(u32, u32)>) -> String {
    match lines {
        Some((first, last)) => format!("{name}, lines {first} to {last}"),
        None => name.to_owned(),
    }
}

/// What the page has and what it lacks.
fn note(in_file: Option<&str>, violation: &LiveViolation, lines: Option<(u32, u32)>) -> String {
    let mut note = in_file.map(|note| format!("{note}\n\n")).unwrap_or_default();
    match lines {
        Some((first, _)) => note.push_str(&format!(
            "The lines before {first} were no longer in memory when the stream ended, except the calls of operations \
             that were still open. So there are no orders and no states here."
        )),
        None => note.push_str("There was not enough time for orders and states."),
    }
    let states = &violation.states[..violation.states.len().min(MOST_STATES)];
    if !states.is_empty() {
        let (states, line) = (states.join(" or "), violation.line);
        note.push_str(&format!(" The state before line {line} was {states}."));
    }
    note
}

/// What the stream has found, as the report of a check.
fn report(history: &LoadedHistory, violation: &LiveViolation, limits: Limits) -> Report {
    let failing = failing(history, violation);
    let object = failing.and_then(|id| history.object(id));
    let part = history.timeline().ids().filter(|id| history.object(*id) == object);
    let kind = match violation.allowed.is_empty() {
        true => ReasonKind::NoOrder,
        false => ReasonKind::WrongResult,
    };
    let plan = Plan {
        features: features(history),
        split: "line by line, while the stream was read".to_owned(),
        ladder: Vec::new(),
        threads: 1,
        limits,
    };
    let violation = Violation {
        kind: ViolationKind::NotLinearizable,
        part: part.collect(),
        reason: Reason::new(kind).text(text::reason(violation)),
        failing,
        failing_is_earliest: true,
        allowed: violation.allowed.clone(),
        allowed_is_complete: violation.allowed_is_complete,
        partials: Vec::new(),
        core: Vec::new(),
        core_status: CoreStatus::NotMinimised(Limit::Memory),
        confirmed_by: None,
    };
    Report {
        verdict: Verdict::Violation(Box::new(violation)),
        engine: "stream".to_owned(),
        more: Vec::new(),
        plan,
        stats: Stats::default(),
        parts: Vec::new(),
    }
}

fn features(history: &LoadedHistory) -> Features {
    let spans = || history.timeline().ids().map(|id| history.span(id));
    let done = spans().filter(|span| !span.is_pending());
    // Sorted by rank, calls (odd) and returns (even) count the operations that are open.
    let mut events: Vec<u64> =
        done.flat_map(|span| [2 * u64::from(span.call) + 1, 2 * u64::from(span.ret)]).collect();
    events.sort_unstable();
    let (mut open, mut width) = (0_usize, 0);
    for event in events {
        open = if event % 2 == 1 { open + 1 } else { open - 1 };
        width = width.max(open);
    }
    Features {
        operations: history.len(),
        pending: spans().filter(|span| span.is_pending()).count(),
        unknown: history.unknown_results(),
        width,
        parts: 1,
        largest_part: history.len(),
        hints: false,
    }
}

/// The operation that returned last, called on the line of the violation.
fn failing(history: &LoadedHistory, violation: &LiveViolation) -> Option<OpId> {
    let ret = |id: &OpId| Some(history.span(*id).ret).filter(|ret| *ret != Span::NEVER);
    let ids = history.timeline().ids().filter(|id| history.line(*id) == Some(violation.call_line));
    ids.filter(|id| ret(id).is_some()).max_by_key(ret)
}

/// The operations of the last lines of a stream. What depends on the initial state is not known of them.
struct LastLines<'a>(LoadedOperations<'a>);

impl Operations for LastLines<'_> {
    fn operation(&self, id: OpId) -> Operation {
        self.0.operation(id)
    }

    fn recorded(&self, id: OpId) -> Option<Recorded> {
        self.0.recorded(id)
    }

    fn span(&self, id: OpId) -> Span {
        self.0.span(id)
    }

    fn clock(&self) -> Option<Clock> {
        self.0.clock()
    }

    fn times(&self, id: OpId) -> Option<(Reading, Option<Reading>)> {
        self.0.times(id)
    }

    fn remark(&self, id: OpId) -> Option<String> {
        self.0.remark(id)
    }

    fn failed(&self) -> Vec<Failed> {
        self.0.failed()
    }

    fn annotations(&self) -> Vec<Annotation> {
        self.0.annotations()
    }
}
