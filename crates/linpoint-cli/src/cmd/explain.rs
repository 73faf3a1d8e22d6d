//! `linpoint explain`: checks histories and explains at length why they are not linearizable.

use std::time::Instant;

use linpoint::Verdict;
use linpoint_formats::{LoadedHistory, Settings};
use linpoint_report::{Heading, Rendered, json, story};

use super::check::finding::check_failed;
use super::check::memory_left;
use super::loaded::LoadedOperations;
use crate::args::explain::ExplainArgs;
use crate::args::raw::HumanOrJson;
use crate::args::resolved::{RunOptions, width_for};
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::interrupt;
use crate::output::Output;

/// Explains every history.
pub fn run(args: ExplainArgs, out: &mut Output) -> CommandResult {
    let (form, path) = args.result.settle(out);
    let (options, width) = (RunOptions::new(args.run, out)?, width_for(path.as_deref()));
    let inputs = Inputs::find(&options.inputs.paths, &options.inputs.filter);
    out.write_to(path.as_deref(), inputs.files())?;
    interrupt::cancel_on_ctrl_c(&options.settings.cancel);
    for note in &inputs.notes {
        out.note(note);
    }
    let mut worst = Worst::default();
    for input in &inputs.list {
        let began = Instant::now();
        let histories = match input.histories(&options.inputs, options.settings.threads) {
            Ok(histories) => histories,
            Err(error) => {
                worst.is_bad_input = true;
                failed(form, &input.name(), &error, out)?;
                continue;
            }
        };
        let reading = began.elapsed();
        for found in histories {
            let heading = Heading {
                name: input.title_with(found.id.as_deref()),
                reading,
                ..Heading::default()
            };
            let explained = found.history.map_err(CommandError::input);
            let explained = explained
                .and_then(|history| explain(&history, heading, (form, width), &options.settings));
            match explained {
                Ok((text, exit)) => {
                    worst.exit = worst.exit.max(exit);
                    out.write(&text)?;
                }
                Err(error) => {
                    worst.is_bad_input = true;
                    failed(form, &input.name_with(found.id.as_deref()), &error, out)?;
                }
            }
        }
    }
    Ok(worst.exit())
}

/// The worst outcome so far. As in `check`, a violation is worse than an input that cannot be read.
struct Worst {
    exit: Exit,
    is_bad_input: bool,
}

impl Default for Worst {
    fn default() -> Self {
        Worst { exit: Exit::Success, is_bad_input: false }
    }
}

impl Worst {
    fn exit(&self) -> Exit {
        match self.exit {
            Exit::Success | Exit::Undecided if self.is_bad_input => Exit::Error,
            exit => exit,
        }
    }
}

fn explain(
    history: &LoadedHistory,
    heading: Heading,
    (form, width): (HumanOrJson, usize),
    settings: &Settings,
) -> Result<(String, Exit), CommandError> {
    let began = Instant::now();
    let mut within = settings.clone();
    within.limits.memory = Some(memory_left(settings));
    let report = history.check(&within);
    let mut report = report.map_err(|error| check_failed(&heading.name, history, error))?;
    // What is left of a limit is an internal matter.
    report.plan.limits = settings.limits;
    let heading = Heading {
        model: history.model().to_string(),
        note: history.note().map(str::to_owned),
        operations: history.len(),
        unknown_results: history.unknown_results(),
        time: began.elapsed(),
        ..heading
    };
    let operations = LoadedOperations { history, settings, has_lines: true };
    let rendered = Rendered::new(heading, &operations, &report);
    let exit = match report.verdict {
        Verdict::Linearizable(_) => Exit::Success,
        Verdict::Violation(_) => Exit::Violation,
        Verdict::Undecided(_) => Exit::Undecided,
    };
    let text = match form {
        HumanOrJson::Human => story::render(&rendered, &operations, &report, width),
        HumanOrJson::Json => json::render(&rendered, &operations, &report),
    };
    Ok((text, exit))
}

fn failed(
    form: HumanOrJson,
    name: &str,
    error: &CommandError,
    out: &mut Output,
) -> Result<(), CommandError> {
    let message = error.to_string();
    out.flush()?;
    out.error(&message);
    if form == HumanOrJson::Json {
        out.write(&json::error(name, &message))?;
    }
    Ok(())
}
