//! `linpoint spin`: explores a Promela model with the real SPIN, and checks its histories.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use linpoint::Report;
use linpoint_formats::raw::{Details, End, RawBuilder, Sink};
use linpoint_formats::{Format, LoadedHistory, ModelName, Settings, Source, Value, registry};
use linpoint_model::spin::{self, BUNDLED, Ended, Recording, Returned, Run, What};
use linpoint_report::{Heading, Rendered, html, json, text};
use serde_json::json;

use super::check::finding::check_failed;
use super::loaded::LoadedOperations;
use super::side_files::ViolationPage;
use crate::args::raw::HumanOrJson;
use crate::args::resolved::{model, width_for};
use crate::args::spin::SpinArgs;
use crate::browser;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::output::Output;

/// The caveat in every output.
const UNSOUND: &str =
    "bug finding only: visited states are not entered again, so finding nothing proves nothing";

/// Explores a model, or writes the bundled ones.
pub fn run(args: &SpinArgs, out: &mut Output) -> CommandResult {
    if let Some(dir) = &args.write_models {
        return write_models(dir, out);
    }
    let (form, path) = args.result.settle(out);
    out.write_to(path.as_deref(), args.model.as_deref())?;
    let page = ViolationPage::new(args.html.as_deref())?;
    let explored = explore(args)?;
    print(args, (form, width_for(path.as_deref())), &page, explored, out)
}

fn write_models(dir: &Path, out: &mut Output) -> CommandResult {
    fs::create_dir_all(dir)
        .and_then(|()| BUNDLED.iter().try_for_each(|(name, text)| fs::write(dir.join(name), text)))
        .map_err(|error| CommandError::Usage(format!("{}: {error}", dir.display())))?;
    for (name, _) in BUNDLED {
        out.write(&format!("{}\n", dir.join(name).display()))?;
    }
    Ok(Exit::Success)
}

/// A history with its verdict.
struct CheckedHistory {
    history: LoadedHistory,
    report: Report,
    time: Duration,
}

/// The result of an exploration.
struct Explored {
    name: String,
    spec: ModelName,
    /// Stopped at a violation, or at a history that could not be checked.
    run: Run<Result<CheckedHistory, CommandError>>,
    /// Number of undecided histories.
    undecided: u64,
}

fn explore(args: &SpinArgs) -> Result<Explored, CommandError> {
    let (Some(path), Some(spec)) = (&args.model, model(args.spec.as_deref())?) else {
        return Err(CommandError::usage("a model and --spec are needed"));
    };
    let mut verifier = spin::Spin::new(path);
    verifier.defines.clone_from(&args.define);
    verifier.depth = args.depth;
    verifier.timeout = args.timeout;
    verifier.megabytes = args.memory.map(|bytes| (bytes >> 20).max(1));
    let name = path.display().to_string();
    let source = Source::new(&name, Vec::new());
    let settings = Settings { threads: Some(1), ..Settings::default() };
    let mut undecided = 0;
    let run = verifier.run(|recordings| {
        let began = Instant::now();
        let checked = history(&source, recordings, &spec).and_then(|history| {
            let report =
                history.check(&settings).map_err(|error| check_failed(&name, &history, error))?;
            Ok(CheckedHistory { history, report, time: began.elapsed() })
        });
        match &checked {
            Ok(done) if done.report.verdict.violation().is_some() => Some(checked),
            Ok(done) => {
                undecided += u64::from(!done.report.verdict.is_linearizable());
                None
            }
            Err(_) => Some(checked),
        }
    });
    let run = run.map_err(|error| CommandError::Input(format!("{name}: {error}")))?;
    Ok(Explored { name, spec, run, undecided })
}

/// The recordings of one path as a history.
fn history(
    source: &Source,
    recordings: &[Recording],
    spec: &ModelName,
) -> Result<LoadedHistory, CommandError> {
    let mut raw = RawBuilder::new();
    let bad = |message: String| CommandError::Input(format!("{}: {message}", source.name()));
    for (line, Recording { process, what, .. }) in (1..).zip(recordings) {
        let process = Value::Int(i64::from(*process));
        match what {
            What::Call { name, args } => {
                let args = args.iter().map(|arg| Value::Int(*arg));
                raw.call(line, name, args, Details::by(process))
                    .map_err(|error| bad(error.into()))?;
            }
            What::Return(value) => {
                let open = raw.open_of(&process);
                let returns = || bad(format!("process {process} returns without a call"));
                let ended =
                    raw.end(line, open.ok_or_else(returns)?, End::Returned(returned(*value)));
                ended.map_err(|_| returns())?;
            }
        }
    }
    registry::load(source, raw.finish(Format::Jsonl), Some(spec)).map_err(CommandError::input)
}

fn returned(value: Returned) -> Option<Value> {
    Some(match value {
        Returned::Ok => Value::Str("ok".into()),
        Returned::Full => Value::Str("full".into()),
        Returned::Null => Value::Nil,
        Returned::Int(value) => Value::Int(value),
        Returned::Bool(value) => Value::Bool(value),
    })
}

fn print(
    args: &SpinArgs,
    (form, width): (HumanOrJson, usize),
    page: &ViolationPage<'_>,
    mut explored: Explored,
    out: &mut Output,
) -> CommandResult {
    let violation = explored.run.found.take().transpose()?;
    let settings = Settings::default();
    let mut verdict = None;
    if let Some(CheckedHistory { history, report, time }) = &violation {
        let heading = Heading {
            name: explored.name.clone(),
            model: explored.spec.to_string(),
            operations: history.len(),
            time: *time,
            ..Heading::default()
        };
        let operations = LoadedOperations { history, settings: &settings, has_lines: false };
        let rendered = Rendered::new(heading, &operations, report);
        page.write(|| html::render(&rendered, &operations, report))?;
        if args.open {
            browser::show(args.html.as_deref(), out);
        }
        verdict = Some(match form {
            HumanOrJson::Human => text::render(&rendered, width),
            HumanOrJson::Json => json::render(&rendered, &operations, report),
        });
    }
    match form {
        HumanOrJson::Human => {
            out.write(&verdict.unwrap_or_default())?;
            out.write(&summary(&explored))?;
        }
        HumanOrJson::Json => out.write(&object(&explored, verdict.as_deref()))?,
    }
    Ok(exit(&explored))
}

fn exit(explored: &Explored) -> Exit {
    let tally = &explored.run.tally;
    match tally.ended {
        Ended::Found => Exit::Violation,
        Ended::Finished if !tally.is_truncated && explored.undecided == 0 => Exit::Success,
        _ => Exit::Undecided,
    }
}

fn summary(explored: &Explored) -> String {
    let Run { tally, histories, built, time, .. } = &explored.run;
    let ended = match (tally.ended, tally.is_truncated) {
        (Ended::Found, _) => "stopped at a violation",
        (Ended::TimedOut, _) => "stopped by the time limit",
        (Ended::Finished, true) => {
            "not all states were visited: a path was too long, or memory ran out"
        }
        (Ended::Finished, false) => "no violation found",
    };
    let mut text = format!("{}  spin: {ended}\n", explored.name);
    let mut line = |name: &str, what: String| text.push_str(&format!("  {name:<14} {what}\n"));
    let number = |n: Option<u64>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
    if let Some(stored) = tally.stored {
        let matched = number(tally.matched);
        line(
            "states",
            format!("{stored} stored, {matched} matched, depth {}", number(tally.depth)),
        );
    }
    if let Some(megabytes) = tally.megabytes {
        line(
            "memory",
            format!("{megabytes:.1} MB by the verifier, {} bytes per state", number(tally.vector)),
        );
    }
    if let Some(errors) = tally.errors.filter(|errors| *errors > 0) {
        line("errors", format!("{errors} in the model itself: assertions, deadlocks"));
    }
    line("histories", format!("{histories} distinct, all checked"));
    if explored.undecided > 0 {
        line("undecided", format!("{} of them", explored.undecided));
    }
    let (built, time) = (built.as_secs_f64(), time.as_secs_f64());
    line(
        "time",
        format!("{time:.2} s, of which {built:.2} s to generate and compile the verifier"),
    );
    line("note", UNSOUND.to_owned());
    text
}

fn object(explored: &Explored, verdict: Option<&str>) -> String {
    let Run { tally, histories, built, time, .. } = &explored.run;
    let verdict = verdict.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    let object = json!({
        "schema": "linpoint.spin",
        "version": 1,
        "name": explored.name,
        "spec": explored.spec.to_string(),
        "ended": match tally.ended {
            Ended::Found => "violation",
            Ended::TimedOut => "time",
            Ended::Finished => "finished",
        },
        "truncated": tally.is_truncated,
        "sound": false,
        "note": UNSOUND,
        "states_stored": tally.stored,
        "states_matched": tally.matched,
        "depth": tally.depth,
        "state_bytes": tally.vector,
        "verifier_megabytes": tally.megabytes,
        "model_errors": tally.errors,
        "histories": histories,
        "undecided": explored.undecided,
        "seconds": { "total": time.as_secs_f64(), "build": built.as_secs_f64() },
        "verdict": verdict,
    });
    format!("{object}\n")
}
