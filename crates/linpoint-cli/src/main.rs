//! The `linpoint` command.

mod args;
mod browser;
mod cmd;
mod config;
mod error;
mod exit;
mod glob;
mod inputs;
mod interrupt;
mod map_file;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use args::raw::{Cli, Command};
use error::CommandResult;
use exit::{CLOSED_PIPE, Exit};
use output::Output;

fn main() -> ExitCode {
    linpoint_memory::give_large_blocks_back();
    linpoint::count_memory_with(linpoint_memory::in_use);
    let cli = Cli::parse();
    let mut out = Output::new(cli.color);
    let result = run(cli.command, &mut out);
    let result = result.and_then(|exit| match out.flush() {
        // A reader that has seen enough does not change the verdict.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(exit),
        flushed => Ok(flushed.map(|()| exit)?),
    });
    match result {
        Ok(exit) => exit.into(),
        // A reader that has seen enough needs no message.
        Err(error) if error.is_broken_pipe() => ExitCode::from(CLOSED_PIPE),
        Err(error) => {
            out.error(&error.to_string());
            Exit::Error.into()
        }
    }
}

fn run(command: Command, out: &mut Output) -> CommandResult {
    match command {
        Command::Check(args) => cmd::check::run(args, out),
        Command::Explain(args) => cmd::explain::run(args, out),
        Command::Watch(args) => cmd::watch::run(&args, out),
        Command::Plan(args) => cmd::plan::run(args, out),
        Command::Convert(args) => cmd::convert::run(&args, out),
        Command::Gen(args) => cmd::generate::run(&args, out),
        Command::Shrink(args) => cmd::shrink::run(&args, out),
        Command::Spin(args) => cmd::spin::run(&args, out),
        Command::Stats(args) => cmd::stats::run(args, out),
        Command::Explore(args) => cmd::explore::run(&args, out),
        Command::Depth(args) => cmd::depth::run(args, out),
        Command::Models { name } => cmd::models::run(name.as_deref(), out),
        Command::Model { command } => cmd::model::run(&command, out),
        Command::Formats => cmd::formats::run(out),
        Command::Completions { shell } => cmd::shell::completions(shell, out),
        Command::Man { dir } => cmd::shell::man(dir.as_deref(), out),
    }
}
