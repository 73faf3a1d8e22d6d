//! Project tasks. `cargo xtask test` runs everything that CI runs.

mod examples;
mod fuzz;
mod steps;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test             format, lints, documentation, build, tests, the README's first command, packaging
    --quick        for work in progress: format, lints, unit and documentation tests, a small differential run
    --long         also the long variants of the tests (LINPOINT_LONG=1)
    --no-install   do not install missing tools; by default, root installs them from Debian's packages
  fuzz [SECONDS] [TARGET…]
                   fuzz the readers, each for this many seconds (60)
  examples         regenerate the generated histories in examples/histories
";

fn main() -> ExitCode {
    let root = root();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.split_first() {
        Some((&"test", options))
            if options.iter().all(|o| ["--quick", "--long", "--no-install"].contains(o)) =>
        {
            let install = !options.contains(&"--no-install") && tools::is_root();
            let passed = match options.contains(&"--quick") {
                true => steps::quick(&root),
                false => steps::test(&root, options.contains(&"--long"), install),
            };
            if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Some((&"fuzz", options)) => {
            let seconds = options.first().and_then(|first| first.parse().ok());
            let targets = &options[usize::from(seconds.is_some())..];
            let fine = fuzz::fuzz(&root, seconds.unwrap_or(60), targets);
            if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Some((&"examples", [])) => match examples::write(&root) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("cannot write the examples: {error}");
                ExitCode::FAILURE
            }
        },
        Some((&("help" | "--help" | "-h"), _)) => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// The root of the workspace: the parent directory of this crate. Cargo reports its current
/// location; with a shared target directory, the location at compile time may be another one.
fn root() -> PathBuf {
    let now = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = now.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    here.parent().unwrap_or(&here).to_owned()
}
