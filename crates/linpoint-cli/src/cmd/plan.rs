//! `linpoint plan`: how histories would be checked, and why.

use std::io;

use linpoint_formats::LoadedHistory;
use linpoint_report::plan::{self, Planned};

use super::check::finding::check_failed;
use crate::args::plan::PlanArgs;
use crate::args::raw::HumanOrJson;
use crate::args::resolved::{RunOptions, width_for};
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::output::Output;

/// Prints the plan of every history.
pub fn run(args: PlanArgs, out: &mut Output) -> CommandResult {
    let (form, path) = args.result.settle(out);
    let (options, width) = (RunOptions::new(args.run, out)?, width_for(path.as_deref()));
    let inputs = Inputs::find(&options.inputs.paths, &options.inputs.filter);
    out.write_to(path.as_deref(), inputs.files())?;
    let mut exit = Exit::Success;
    for input in inputs.list {
        let histories = match input.histories(&options.inputs, options.settings.threads) {
            Ok(histories) => histories,
            Err(error) => {
                exit = Exit::Error;
                failed(form, &input.name(), &error, out)?;
                continue;
            }
        };
        for found in histories {
            let title = input.title_with(found.id.as_deref());
            let planned = match found.history {
                Ok(history) => planned((form, width), &title, &history, &options),
                Err(error) => Err(CommandError::input(error)),
            };
            match planned {
                Ok(text) => out.write(&text)?,
                Err(error @ CommandError::Input(_)) => {
                    exit = Exit::Error;
                    failed(form, &input.name_with(found.id.as_deref()), &error, out)?;
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(exit)
}

fn planned(
    (form, width): (HumanOrJson, usize),
    title: &str,
    history: &LoadedHistory,
    options: &RunOptions,
) -> Result<String, CommandError> {
    let plan =
        history.foresee(&options.settings).map_err(|error| check_failed(title, history, error))?;
    let model = history.model().to_string();
    let planned = Planned {
        name: title,
        model: &model,
        format: history.format().name(),
        distinct: history.different_operations(),
        plan: &plan,
    };
    Ok(match form {
        HumanOrJson::Human => planned.text(width),
        HumanOrJson::Json => planned.json(),
    })
}

fn failed(form: HumanOrJson, name: &str, error: &CommandError, out: &mut Output) -> io::Result<()> {
    let message = error.to_string();
    out.flush()?;
    out.error(&message);
    match form {
        HumanOrJson::Human => Ok(()),
        HumanOrJson::Json => out.write(&plan::error(name, &message)),
    }
}
