//! `cargo xtask test`, step by step. Each step has a name and a time; all run even if one fails.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::tools;

/// Crates that are never published.
const UNPUBLISHED: &[&str] = &["xtask", "linpoint-bench", "linpoint-gallery", "linpoint-suite"];

struct Run<'a> {
    root: &'a Path,
    long: bool,
    /// True if everything is compiled once and thrown away: no incremental builds, no line tables.
    one_off: bool,
    done: Vec<Done>,
    skipped: Vec<String>,
}

struct Done {
    name: &'static str,
    wall: Duration,
    /// `None` where the system does not report it.
    cpu: Option<Duration>,
    result: Result<(), String>,
}

/// Runs the checks that find most mistakes in a few minutes. True if nothing failed.
pub fn quick(root: &Path) -> bool {
    let skipped = vec!["everything that --quick leaves out".to_owned()];
    let mut run = Run { root, long: false, one_off: false, done: Vec::new(), skipped };
    run.step("format", |run| run.cargo(&["fmt", "--all", "--check"]));
    run.step("clippy", clippy);
    run.step("unit tests", |run| {
        let others = ["--workspace", "--exclude", "linpoint", "--lib", "--bins"];
        finish(&mut test_command(run, &others)).and(library_tests(run))
    });
    run.step("doc tests", |run| {
        let mut doc = run.command(&["test", "-p", "linpoint", "--doc", "--quiet"]);
        finish(unoptimised(&mut doc))
    });
    run.step("differential", |run| {
        let differential = ["test", "-p", "linpoint-suite", "--test", "it", "--quiet", "--"];
        finish(run.command(&differential).arg("differential::").env("LINPOINT_QUICK", "1"))
    });
    run.summary()
}

/// Runs everything. True if nothing failed.
pub fn test(root: &Path, long: bool, install: bool) -> bool {
    let skipped = tools::missing(install);
    let mut run = Run { root, long, one_off: true, done: Vec::new(), skipped };
    if data(root).is_none() {
        let why =
            "tests on the published histories: neither LINPOINT_DATA nor ../shared/data is there";
        run.skipped.push(why.to_owned());
    }
    if !long {
        run.skipped.push("the long variants of the tests: --long runs them".to_owned());
    }
    run.step("format", |run| run.cargo(&["fmt", "--all", "--check"]));
    run.step("clippy", clippy);
    run.step("doc", |run| {
        let mut doc = run.command(&["doc", "--workspace", "--no-deps", "--quiet"]);
        finish(doc.env("RUSTDOCFLAGS", "-D warnings"))
    });
    // The release build; everything else is compiled by the lints and the tests.
    run.step("build", |run| run.cargo(&["build", "--release", "--quiet"]));
    run.step("tests", tests);
    run.step("doc tests", doc_tests);
    run.step("readme", readme);
    run.step("package", package);
    run.summary()
}

fn clippy(run: &Run<'_>) -> Result<(), String> {
    run.cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
}

/// The published histories, if available.
pub fn data(root: &Path) -> Option<PathBuf> {
    let named = std::env::var_os("LINPOINT_DATA").map(PathBuf::from);
    let beside = root.parent().map(|parent| parent.join("shared/data"));
    named.into_iter().chain(beside).find(|path| path.is_dir())
}

/// All tests except the programs in `examples`, which clippy has compiled and the tutorial's test
/// runs.
fn tests(run: &Run<'_>) -> Result<(), String> {
    let others = ["--workspace", "--exclude", "linpoint", "--lib", "--bins", "--tests"];
    let others = finish(&mut test_command(run, &others));
    others.and(library_tests(run))
}

/// The library's own tests. Unless they are long, optimising them would take longer than running them
/// as they are.
fn library_tests(run: &Run<'_>) -> Result<(), String> {
    let mut command = test_command(run, &["-p", "linpoint", "--lib", "--tests"]);
    if !run.long {
        unoptimised(&mut command);
    }
    finish(&mut command)
}

fn unoptimised(command: &mut Command) -> &mut Command {
    command.env("CARGO_PROFILE_TEST_OPT_LEVEL", "0")
}

fn test_command(run: &Run<'_>, what: &[&str]) -> Command {
    let runner: &[&str] =
        if tools::present("cargo-nextest") { &["nextest", "run"] } else { &["test", "--quiet"] };
    run.command(&[runner, what, &["--no-fail-fast"]].concat())
}

/// The examples in the documentation, which nextest does not run.
fn doc_tests(run: &Run<'_>) -> Result<(), String> {
    run.cargo(&["test", "--workspace", "--doc", "--no-fail-fast", "--quiet"])
}

/// The first command of the README: some histories are fine, some are not.
fn readme(run: &Run<'_>) -> Result<(), String> {
    let mut command = run.command(&["run", "--release", "--quiet", "--"]);
    command.args(["check", "examples/histories"]);
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        Some(1) => {}
        code => return Err(format!("exit code {code:?} instead of 1; the output was:\n{text}")),
    }
    for expected in ["  linearizable  ", "  NOT LINEARIZABLE  ", "fails at", "histories: "] {
        if !text.contains(expected) {
            return Err(format!("the output does not contain {expected:?}:\n{text}"));
        }
    }
    Ok(())
}

/// Checks that everything to be published can be packaged. Building the packages is left to a
/// release.
fn package(run: &Run<'_>) -> Result<(), String> {
    let mut command = run.command(&["package", "--workspace", "--no-verify", "--allow-dirty"]);
    for name in UNPUBLISHED {
        command.args(["--exclude", name]);
    }
    finish(command.arg("--quiet"))
}

impl<'a> Run<'a> {
    fn step(&mut self, name: &'static str, step: impl Fn(&Run<'a>) -> Result<(), String>) {
        println!("==> {name}");
        let (started, cpu) = (Instant::now(), cpu_of_children());
        let result = step(self);
        let wall = started.elapsed();
        let cpu = cpu_of_children().zip(cpu).map(|(after, before)| after.saturating_sub(before));
        if let Err(why) = &result {
            println!("    FAILED: {why}");
        }
        println!("    {name}: {:.1} s", wall.as_secs_f64());
        self.done.push(Done { name, wall, cpu, result });
    }

    fn command(&self, args: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(args).current_dir(self.root).stdin(Stdio::null());
        if self.long {
            command.env("LINPOINT_LONG", "1");
        }
        if self.one_off {
            command.env("CARGO_INCREMENTAL", "0");
            command.env("CARGO_PROFILE_TEST_DEBUG", "0");
            // One unit a crate is the least work in all; both cores have enough crates to compile.
            command.env("CARGO_PROFILE_TEST_CODEGEN_UNITS", "1");
        }
        if let Some(data) = data(self.root) {
            command.env("LINPOINT_DATA", data);
        }
        command
    }

    fn cargo(&self, args: &[&str]) -> Result<(), String> {
        finish(&mut self.command(args))
    }

    fn summary(&self) -> bool {
        println!("\n==> summary");
        for Done { name, wall, cpu, result } in &self.done {
            let verdict = if result.is_ok() { "ok" } else { "FAILED" };
            let cpu = cpu.map(|cpu| format!(" {:6.1} CPU s", cpu.as_secs_f64()));
            println!(
                "    {name:12} {verdict:8} {:6.1} s{}",
                wall.as_secs_f64(),
                cpu.unwrap_or_default()
            );
        }
        for what in &self.skipped {
            println!("    skipped: {what}");
        }
        let failed = self.done.iter().filter(|done| done.result.is_err()).count();
        match failed {
            0 => println!("    everything passed"),
            n => println!("    {n} of {} steps FAILED", self.done.len()),
        }
        failed == 0
    }
}

/// CPU time of all child processes that have ended. Only Linux reports it without a library.
fn cpu_of_children() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in parentheses and may contain spaces. The times of children are
    // fields 16 and 17, in hundredths of a second.
    let fields = stat.rsplit_once(')')?.1;
    let ticks: u64 =
        fields.split_whitespace().skip(13).take(2).map_while(|t| t.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 10))
}

fn finish(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("cannot run cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{status}")) }
}
