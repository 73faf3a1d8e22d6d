//! `linpoint completions` and `linpoint man`: for shells and for `man`, made from the command line itself.

use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::raw::Cli;
use crate::exit::Exit;
use crate::output::Output;

/// Writes a script that lets a shell complete command lines.
pub fn completions(shell: Shell, out: &mut Output) -> io::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "linpoint", &mut script);
    out.write(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}

/// Writes the page of the command, or all pages into a directory.
pub fn man(dir: Option<&Path>, out: &mut Output) -> io::Result<Exit> {
    let Some(dir) = dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        out.write(&String::from_utf8_lossy(&page))?;
        return Ok(Exit::Fine);
    };
    let written =
        fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(Cli::command(), dir));
    match written {
        Ok(()) => Ok(Exit::Fine),
        Err(error) => {
            out.error(&format!("cannot write the pages into {}: {error}", dir.display()));
            Ok(Exit::Bad)
        }
    }
}
