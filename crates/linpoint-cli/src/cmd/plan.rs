//! `linpoint plan`: how histories would be checked, and why.

use std::io;

use linpoint_formats::{LoadedHistory, registry};
use linpoint_report::plan::{self, Planned};

use super::check::{Failure, no_verdict};
use crate::args::plan::{Form, Plan};
use crate::args::resolved::{How, terminal_width};
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::output::Output;

/// Prints the plan for every history.
pub fn run(args: Plan, out: &mut Output) -> io::Result<Exit> {
    if Plan::has_deprecated_name(std::env::args_os().skip(1)) {
        out.remark("`linpoint explain` is deprecated; use `linpoint plan`");
    }
    let how = match How::new(args.how) {
        Ok(how) => how,
        Err(message) => {
            out.error(&message);
            return Ok(Exit::Bad);
        }
    };
    let mut exit = Exit::Fine;
    for input in Inputs::find(&how.files.paths).list {
        let histories = match input.read(how.files.max_unpacked) {
            Ok(source) => registry::read_all(&source, how.files.format, how.files.model.as_ref()),
            Err(message) => {
                exit = Exit::Bad;
                failed(args.output, &input.name(), &message, out)?;
                continue;
            }
        };
        for found in histories {
            let id = found.id.map(|id| format!("#{id}")).unwrap_or_default();
            let name = format!("{}{id}", input.name());
            let title = format!("{}{id}", input.title());
            let planned = match found.history {
                Ok(history) => planned(args.output, &title, &history, &how),
                Err(error) => Err(Failure::Input(error.to_string())),
            };
            match planned {
                Ok(text) => out.write(&text)?,
                Err(Failure::Usage(message)) => {
                    out.error(&message);
                    return Ok(Exit::Bad);
                }
                Err(Failure::Input(message)) => {
                    exit = Exit::Bad;
                    failed(args.output, &name, &message, out)?;
                }
            }
        }
    }
    Ok(exit)
}

fn planned(form: Form, title: &str, history: &LoadedHistory, how: &How) -> Result<String, Failure> {
    let plan = history.foresee(&how.settings).map_err(|error| no_verdict(title, history, error))?;
    let model = history.model().to_string();
    let planned = Planned {
        name: title,
        model: &model,
        format: history.format().name(),
        distinct: history.different_operations(),
        plan: &plan,
    };
    Ok(match form {
        Form::Human => planned.text(terminal_width()),
        Form::Json => planned.json(),
    })
}

fn failed(form: Form, name: &str, message: &str, out: &mut Output) -> io::Result<()> {
    out.flush()?;
    out.error(message);
    match form {
        Form::Human => Ok(()),
        Form::Json => out.write(&plan::error(name, message)),
    }
}
