//! `linpoint completions` and `linpoint man`, generated from the definition of the command line.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::raw::Cli;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::output::Output;

/// Writes a completion script for a shell.
pub fn completions(shell: Shell, out: &mut Output) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "linpoint", &mut script);
    out.write(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}

/// Writes the manual page of `linpoint`, or the pages of all commands into a directory.
pub fn man(dir: Option<&Path>, out: &mut Output) -> CommandResult {
    let Some(dir) = dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        out.write(&String::from_utf8_lossy(&page))?;
        return Ok(Exit::Success);
    };
    fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(Cli::command(), dir)).map_err(
        |error| {
            CommandError::Usage(format!("cannot write the pages into {}: {error}", dir.display()))
        },
    )?;
    Ok(Exit::Success)
}
