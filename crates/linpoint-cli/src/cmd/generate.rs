//! `linpoint gen`: generates linearizable histories by simulation, or histories with one wrong result or a
//! planted bug.

use linpoint_formats::write::WriteError;
use linpoint_generate::{Changed, generate};

use crate::args::generate::GenArgs;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::output::{self, Output};

/// Writes a history.
pub fn run(args: &GenArgs, out: &mut Output) -> CommandResult {
    let (options, path) = args.settle(out)?;
    match generate(&options, || output::create(path.as_deref())) {
        Ok(generated) => {
            if let Some(changed) = &generated.changed {
                out.note(&describe(changed));
            }
            if let (Some(bug), Some(victim)) = (options.bug, generated.victim) {
                out.note(&format!("not linearizable: operation {victim} {}", bug.story()));
            }
            Ok(Exit::Success)
        }
        Err(WriteError::Cannot(message)) => Err(CommandError::Usage(message)),
        Err(WriteError::Io(error)) => Err(CommandError::Output(error)),
    }
}

fn describe(changed: &Changed) -> String {
    let Changed { number, op, process, was, is } = changed;
    format!(
        "not linearizable: the result of operation {number}, {op} by client {process}, was changed from \
         {was} to {is}"
    )
}
