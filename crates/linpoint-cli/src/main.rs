//! The `linpoint` command.

mod args;
mod cmd;
mod exit;
mod inputs;
mod interrupt;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use args::raw::{Cli, Command};
use exit::Exit;
use output::Output;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = Output::new(cli.color);
    let result = match cli.command {
        Command::Check(raw) => match args::resolved::Check::new(raw) {
            Ok(check) => cmd::check::run(&check, &mut out),
            Err(message) => {
                out.error(&message);
                Ok(Exit::Bad)
            }
        },
        Command::Watch(watch) => cmd::watch::run(&watch, &mut out),
        Command::Plan(args) => cmd::plan::run(args, &mut out),
        Command::Convert(args) => cmd::convert::run(&args, &mut out),
        Command::Gen(args) => cmd::generate::run(&args, &mut out),
        Command::Shrink(args) => cmd::shrink::run(&args, &mut out),
        Command::Spin(args) => cmd::spin::run(&args, &mut out),
        Command::Stats(args) => cmd::stats::run(args, &mut out),
        Command::Explore(args) => cmd::explore::run(&args, &mut out),
        Command::Depth(args) => cmd::depth::run(args, &mut out),
        Command::Models => cmd::models::run(&mut out),
        Command::Formats => cmd::formats::run(&mut out),
        Command::Completions { shell } => cmd::shell::completions(shell, &mut out),
        Command::Man { dir } => cmd::shell::man(dir.as_deref(), &mut out),
    };
    let exit = result.and_then(|exit| out.flush().map(|()| exit));
    match exit {
        Ok(exit) => exit.into(),
        // Whoever was reading has seen enough. That is not a verdict, so it is not 0 either.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Bad.into(),
        Err(error) => {
            out.error(&format!("cannot write the output: {error}"));
            Exit::Bad.into()
        }
    }
}
