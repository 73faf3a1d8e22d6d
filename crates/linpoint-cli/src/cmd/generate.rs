//! `linpoint gen`: linearizable histories by simulation, or such with one wrong result.

use std::io;

use linpoint_formats::generate::{Changed, generate};
use linpoint_formats::write::WriteError;

use crate::args::generate::Gen;
use crate::exit::Exit;
use crate::output::{Output, sink};

/// Writes a history.
pub fn run(args: &Gen, out: &mut Output) -> io::Result<Exit> {
    let options = args.options().map_err(WriteError::Cannot);
    let generated = options.and_then(|options| generate(&options, || sink(args.out.as_deref())));
    match generated {
        Ok(generated) => {
            if let Some(changed) = &generated.changed {
                out.remark(&describe(changed));
            }
            Ok(Exit::Fine)
        }
        Err(WriteError::Cannot(message)) => {
            out.error(&message);
            Ok(Exit::Bad)
        }
        Err(WriteError::Io(error)) => Err(error),
    }
}

fn describe(changed: &Changed) -> String {
    let Changed { number, op, process, was, is } = changed;
    format!(
        "not linearizable: operation {number}, {op} by process {process}, returned {was}; now {is}"
    )
}
