//! `linpoint shrink`: the minimal core of a violation as a history of its own.

use std::io;
use std::time::{Duration, Instant};

use linpoint::{Limits, Verdict};
use linpoint_formats::{
    Converted, Format, LoadedHistory, ModelName, Settings, Shrunk, Source, convert, registry,
    shrink,
};
use linpoint_report::text::count;

use super::convert::read;
use crate::args::shrink::Shrink;
use crate::exit::Exit;
use crate::output::{Output, sink};

/// Nobody has more time than that.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Shrinks a history.
pub fn run(args: &Shrink, out: &mut Output) -> io::Result<Exit> {
    let done = match small(args) {
        Ok(done) => done,
        Err(message) => {
            out.error(&message);
            return Ok(Exit::Bad);
        }
    };
    let file = args.history.file.display();
    match done {
        Done::Linearizable => {
            out.remark(&format!("{file} is linearizable: there is nothing to shrink"));
            Ok(Exit::Fine)
        }
        Done::Undecided => {
            out.remark(&format!("{file}: a limit was hit before an answer was found"));
            Ok(Exit::Undecided)
        }
        Done::Small(small) => {
            let Small { shrunk, converted, of } = *small;
            let mut sink = sink(args.out.as_deref())?;
            sink.write_all(&converted.text)?;
            sink.flush()?;
            for lost in converted.lost.iter().filter(|_| args.format != "jsonl") {
                out.warning(lost);
            }
            out.remark(&summary(&shrunk, of));
            Ok(Exit::Violation)
        }
    }
}

enum Done {
    Linearizable,
    Undecided,
    Small(Box<Small>),
}

struct Small {
    shrunk: Shrunk,
    converted: Converted,
    /// Operations that there were.
    of: usize,
}

fn small(args: &Shrink) -> Result<Done, String> {
    let (source, raw, model) = read(&args.history)?;
    let load = registry::load(&source, raw.clone(), model.as_ref());
    let history = load.map_err(|error| error.to_string())?;
    let limits = Limits { time: args.timeout, memory: args.memory };
    let settings = Settings { limits, ..Settings::default() };
    let violation = match check(&history, &settings)? {
        Verdict::Linearizable(_) => return Ok(Done::Linearizable),
        Verdict::Undecided(_) => return Ok(Done::Undecided),
        Verdict::Violation(violation) => violation,
    };
    let now = Instant::now();
    let deadline = now.checked_add(args.budget).unwrap_or(now + A_DAY);
    let shrunk = shrink(&source, &raw, &history, &violation, deadline);
    let shrunk = shrunk.map_err(|error| error.to_string())?;
    let to = Format::from_name(&args.format).unwrap_or(Format::Jsonl);
    let small = Source::new(source.name(), Vec::new());
    let converted = convert(&small, &shrunk.raw, model.as_ref(), to);
    let converted = converted.map_err(|error| error.to_string())?;
    confirm(&converted, to, history.model(), &settings)?;
    Ok(Done::Small(Box::new(Small { shrunk, converted, of: history.len() })))
}

fn check(history: &LoadedHistory, settings: &Settings) -> Result<Verdict, String> {
    let report = history.check(settings).map_err(|error| format!("the check failed: {error}"))?;
    Ok(report.verdict)
}

/// Reads what is about to be written, and makes sure that it is not linearizable.
fn confirm(
    converted: &Converted,
    to: Format,
    model: &ModelName,
    settings: &Settings,
) -> Result<(), String> {
    let source = Source::new("the smaller history", converted.text.clone());
    let found = registry::read_all(&source, Some(to), Some(model)).pop();
    let history = found.ok_or("nothing was written")?.history.map_err(|error| error.to_string())?;
    match check(&history, settings)? {
        Verdict::Violation(_) => Ok(()),
        Verdict::Linearizable(_) => {
            Err("this is a bug in linpoint: the smaller history is linearizable".to_owned())
        }
        Verdict::Undecided(_) => {
            Err("a limit was hit before the smaller history was confirmed".to_owned())
        }
    }
}

fn summary(shrunk: &Shrunk, of: usize) -> String {
    let left = shrunk.raw.ops.len();
    let mut text =
        format!("{left} of {} left, NOT LINEARIZABLE, checked again", count(of, "operation"));
    if shrunk.relaxed > 0 {
        let relaxed = shrunk.relaxed;
        text += &format!("; {relaxed} of them may have happened at any time or not at all");
    }
    text += match (shrunk.is_minimal, shrunk.relaxed) {
        (true, 0) => "; all are needed",
        (true, _) => "; all others are needed",
        (false, _) => "; there was no time to make it as small as it can be (--budget)",
    };
    if left < of {
        text += "; what is left out came later, or could not explain it whenever it took place";
    }
    text
}
