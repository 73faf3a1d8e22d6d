//! `linpoint shrink`: writes the minimal core of a violation as a history.

use std::time::{Duration, Instant};

use linpoint::shrink::Until;
use linpoint::{Limits, Verdict};
use linpoint_formats::{
    Converted, Format, LoadedHistory, ModelName, Settings, Shrunk, Source, convert, registry,
    shrink,
};
use linpoint_report::text::count;

use super::check::memory_left;
use super::convert::{OneHistory, former_format, one_file, read};
use crate::args::shrink::ShrinkArgs;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::output::{self, Output};

/// The largest budget: adding it to the current time does not overflow.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The result is checked again for at least this long.
const LEAST: Duration = Duration::from_millis(50);

/// Shrinks a history.
pub fn run(args: &ShrinkArgs, out: &mut Output) -> CommandResult {
    let file = args.history.file.display();
    let source = one_file(&args.history)?;
    let (format, former) = formats(args, &source, out);
    let (to, path) = args.written.settle(("--format", former), out);
    let history = read(&args.history, source, format)?;
    match outcome(args, history, to)? {
        ShrinkOutcome::Linearizable => {
            out.note(&format!("{file} is linearizable: there is nothing to shrink"));
            Ok(Exit::Success)
        }
        ShrinkOutcome::Undecided => {
            out.note(&format!("{file}: a limit was reached before an answer was found"));
            Ok(Exit::Undecided)
        }
        ShrinkOutcome::Smaller(smaller) => {
            let SmallerHistory { shrunk, converted, before } = *smaller;
            let mut file = output::create(path.as_deref())?;
            file.write_all(&converted.text)?;
            file.flush()?;
            for lost in converted.lost.iter().filter(|_| to != Format::Jsonl) {
                out.warning(lost);
            }
            out.note(&summary(&shrunk, before));
            Ok(Exit::Violation)
        }
    }
}

/// The format to read, if it is given, and the format to write in its old spelling: `--format`, if that can mean nothing else
/// because the file says itself what it is in.
fn formats<'a>(
    args: &'a ShrinkArgs,
    source: &Source,
    out: &mut Output,
) -> (Option<Format>, Option<&'a str>) {
    let (given, from) = (args.history.format.as_deref(), former_format(&args.history, out));
    let is_known = || from.is_some() || Format::detect(source).is_ok();
    let (read, written) = match args.written.form.is_none() && is_known() {
        true => (from, given),
        false => (given.or(from), None),
    };
    (read.and_then(Format::from_name), written)
}

enum ShrinkOutcome {
    Linearizable,
    Undecided,
    Smaller(Box<SmallerHistory>),
}

struct SmallerHistory {
    shrunk: Shrunk,
    converted: Converted,
    /// Number of operations of the original history.
    before: usize,
}

fn outcome(
    args: &ShrinkArgs,
    history: OneHistory,
    to: Format,
) -> Result<ShrinkOutcome, CommandError> {
    let OneHistory { source, raw, model } = history;
    let history =
        registry::load(&source, raw.clone(), model.as_ref()).map_err(CommandError::input)?;
    let budget = args.budget.min(A_DAY);
    let began = Instant::now();
    let limits = Limits { time: Some(args.timeout.unwrap_or(budget / 2)), memory: args.memory };
    let mut settings = Settings { limits, ..Settings::default() };
    settings.limits.memory = Some(memory_left(&settings));
    let violation = match check(&history, &settings)? {
        Verdict::Linearizable(_) => return Ok(ShrinkOutcome::Linearizable),
        Verdict::Undecided(_) => return Ok(ShrinkOutcome::Undecided),
        Verdict::Violation(violation) => violation,
    };
    // A check with a limit of its own does not count.
    let end = if args.timeout.is_some() { Instant::now() } else { began } + budget;
    let left = end.saturating_duration_since(Instant::now());
    let until = Until { deadline: Instant::now() + left / 2, memory: settings.limits.memory };
    let shrunk = shrink(&source, &raw, &history, &violation, until).map_err(CommandError::input)?;
    let nowhere = Source::new(source.name(), Vec::new());
    let converted =
        convert(&nowhere, &shrunk.raw, model.as_ref(), to).map_err(CommandError::input)?;
    settings.verdict_only = true;
    settings.limits.time = Some(end.saturating_duration_since(Instant::now()).max(LEAST));
    let before = history.len();
    if !confirm(&converted, to, history.model(), &settings)? {
        return Ok(ShrinkOutcome::Undecided);
    }
    Ok(ShrinkOutcome::Smaller(Box::new(SmallerHistory { shrunk, converted, before })))
}

fn check(history: &LoadedHistory, settings: &Settings) -> Result<Verdict, CommandError> {
    match history.check(settings) {
        Ok(report) => Ok(report.verdict),
        Err(error) => Err(CommandError::Input(format!("the check failed: {error}"))),
    }
}

/// Reads the result back and confirms that it is not linearizable. False if a limit was hit first.
fn confirm(
    converted: &Converted,
    to: Format,
    model: &ModelName,
    settings: &Settings,
) -> Result<bool, CommandError> {
    let source = Source::new("the smaller history", converted.text.clone());
    let found = registry::read_all(&source, Some(to), Some(model)).pop();
    let found = found.ok_or_else(|| CommandError::input("nothing was written"))?;
    let history = found.history.map_err(CommandError::input)?;
    match check(&history, settings)? {
        Verdict::Violation(_) => Ok(true),
        Verdict::Undecided(_) => Ok(false),
        Verdict::Linearizable(_) => Err(CommandError::input(
            "this is a bug in linpoint: the smaller history is linearizable",
        )),
    }
}

fn summary(shrunk: &Shrunk, before: usize) -> String {
    let left = shrunk.raw.ops.len();
    let mut text =
        format!("{left} of {} left, NOT LINEARIZABLE, checked again", count(before, "operation"));
    if shrunk.relaxed > 0 {
        let relaxed = shrunk.relaxed;
        text += &format!("; {relaxed} of them may have happened at any time or not at all");
    }
    text += match (shrunk.is_minimal, shrunk.relaxed) {
        (true, 0) => "; all are needed",
        (true, _) => "; all others are needed",
        (false, _) => "; may not be minimal: --budget ran out",
    };
    if left < before {
        text += "; the operations left out came later, or cannot explain the violation at any time";
    }
    text
}
