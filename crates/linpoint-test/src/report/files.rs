//! Where reports and regressions are kept.
//!
//! A failure writes `target/linpoint/<test>`: the history as JSON lines, the timeline as an HTML
//! page, and the replay. The replay is also added to `linpoint-regressions/<test>.txt` beside the
//! crate's `Cargo.toml`, as proptest does: these scenarios run first, every time. Check that file
//! in.

use std::io::Write;
use std::path::{Path, PathBuf};

use linpoint::Spec;

use super::text::ReportText;
use crate::record::json::write_any;
use crate::replay::{Replay, lines};

/// Set by cargo when it runs tests, and by nextest.
const MANIFEST_DIR: &str = "CARGO_MANIFEST_DIR";
const REGRESSIONS: &str = "linpoint-regressions";
const ABOUT: &str = "# Scenarios that failed before. They run first, every time. Check this file in.\n\
                     # Each line is a replay, which LINPOINT_REPLAY accepts as well.\n";

/// Where reports and regressions are kept.
///
/// By default, reports go to `target/linpoint/<test>` (or `$LINPOINT_DIR/<test>`) and regressions
/// to `linpoint-regressions/<test>.txt` beside the crate's `Cargo.toml`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Files {
    reports: Location,
    regressions: Location,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Location {
    Default,
    Nowhere,
    In(PathBuf),
}

impl Default for Files {
    fn default() -> Self {
        Files { reports: Location::Default, regressions: Location::Default }
    }
}

impl Files {
    /// Writes and reads nothing.
    pub fn none() -> Files {
        Files { reports: Location::Nowhere, regressions: Location::Nowhere }
    }

    /// Writes reports to this directory.
    pub fn reports_in(self, directory: impl Into<PathBuf>) -> Files {
        Files { reports: Location::In(directory.into()), ..self }
    }

    /// Reads and writes regressions in this directory.
    pub fn regressions_in(self, directory: impl Into<PathBuf>) -> Files {
        Files { regressions: Location::In(directory.into()), ..self }
    }

    /// Neither reads nor writes regressions.
    pub fn without_regressions(self) -> Files {
        Files { regressions: Location::Nowhere, ..self }
    }

    /// The same for a test in this source file: where the environment does not name the crate, because the test
    /// binary was not started by cargo, the directory of the crate is found from the source.
    pub(crate) fn of_source(self, file: &str) -> Files {
        if self.regressions != Location::Default || std::env::var_os(MANIFEST_DIR).is_some() {
            return self;
        }
        match crate_of(file) {
            Some(directory) => self.regressions_in(directory.join(REGRESSIONS)),
            None => self,
        }
    }

    fn reports(&self, test: &str) -> Option<PathBuf> {
        let directory = match &self.reports {
            Location::Nowhere => return None,
            Location::In(directory) => directory.clone(),
            Location::Default => match std::env::var_os("LINPOINT_DIR") {
                Some(directory) => PathBuf::from(directory),
                None => target().join("linpoint"),
            },
        };
        Some(directory.join(file_name(test)))
    }

    fn regressions_file(&self, test: &str) -> Option<PathBuf> {
        let directory = match &self.regressions {
            Location::Nowhere => return None,
            Location::In(directory) => directory.clone(),
            Location::Default => PathBuf::from(std::env::var_os(MANIFEST_DIR)?).join(REGRESSIONS),
        };
        Some(directory.join(file_name(test) + ".txt"))
    }

    /// The saved scenarios of this test in this mode. Malformed lines are reported on standard
    /// error and skipped.
    pub fn regressions(&self, test: &str, mode: &str) -> Vec<Replay> {
        let Some(file) = self.regressions_file(test) else { return Vec::new() };
        let Ok(contents) = std::fs::read_to_string(&file) else { return Vec::new() };
        let replay = |line: &str| match line.parse::<Replay>() {
            Ok(replay) => Some(replay),
            Err(error) => {
                eprintln!("linpoint: {}: skipped a line: {error}", file.display());
                None
            }
        };
        let replays = lines(&contents).filter_map(replay);
        replays.filter(|replay| replay.test == test && replay.mode == mode).collect()
    }

    /// Writes all files. Returns their paths and the facts to report about them, including files
    /// that could not be written.
    pub(super) fn write<S: Spec + 'static>(
        &self,
        text: &ReportText<'_, S>,
        replay: &Replay,
    ) -> (Vec<PathBuf>, Vec<(&'static str, String)>) {
        let (mut written, mut facts) = (Vec::new(), Vec::new());
        let line = format!("{replay}\n");
        let mut replay_from = replay.to_string();
        if let Some(directory) = self.reports(&replay.test) {
            let mut put = |label, name: &str, contents: &[u8], note: &str| {
                let path = directory.join(name);
                match write_file(&path, contents) {
                    Ok(()) => {
                        facts.push((label, format!("{}{note}", path.display())));
                        written.push(path.clone());
                        Some(path)
                    }
                    Err(error) => {
                        facts.push((label, format!("cannot write {}: {error}", path.display())));
                        None
                    }
                }
            };
            let mut history = Vec::new();
            let named = text.named();
            let note = format!("recorded by linpoint-test: {}", replay.test);
            let readable =
                write_any(&mut history, named.spec, &named.failure.execution.history, &note);
            let note = if matches!(readable, Ok(true)) { " (for `linpoint check`)" } else { "" };
            put("history", "history.jsonl", &history, note);
            if let Some(page) = text.page() {
                put("timeline", "timeline.html", page.as_bytes(), "");
            }
            if let Some(path) = put("replay file", "replay.txt", line.as_bytes(), "") {
                replay_from = path.display().to_string();
            }
        }
        if let Some(file) = self.regressions_file(&replay.test) {
            match remember(&file, &line) {
                Ok(()) => facts.push(("regression", format!("{} (check it in)", file.display()))),
                Err(error) => {
                    facts.push(("regression", format!("cannot write {}: {error}", file.display())));
                }
            }
            written.push(file);
        }
        facts.push(("to replay", replay_command(&replay_from, &replay.test)));
        (written, facts)
    }
}

/// The command that replays a test: by the name that the test harness knows, which need not be the one of the
/// report. `cargo test` passes if there is no such test, so the command asks for it first.
fn replay_command(replay_from: &str, test: &str) -> String {
    let package = std::env::var("CARGO_PKG_NAME");
    let package = package.map(|name| format!(" -p {}", for_shell(&name))).unwrap_or_default();
    let replay = format!("LINPOINT_REPLAY={} cargo test{package}", for_shell(replay_from));
    match super::harness_name() {
        Some(name) => {
            let named = format!("{} -- --exact", for_shell(&name));
            format!(
                "cargo test{package} {named} --list | {ANY_TEST} && {replay} {named} --nocapture"
            )
        }
        None => format!("{replay} (the test that calls {test:?})"),
    }
}

/// Prints the tests that a test harness lists, and fails if there are none.
const ANY_TEST: &str = "grep ': test$'";

/// The directory of the crate with this source file, which cargo gives relative to the workspace.
fn crate_of(file: &str) -> Option<PathBuf> {
    let program = std::env::current_exe().unwrap_or_default();
    let here = std::env::current_dir().unwrap_or_default();
    let roots = program.ancestors().chain(here.ancestors());
    let file = roots.map(|root| root.join(file)).find(|file| file.is_file())?;
    file.ancestors().find(|path| path.join("Cargo.toml").is_file()).map(Path::to_path_buf)
}

/// Quotes a word for a shell.
fn for_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:,=+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn write_file(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    std::fs::write(path, contents)
}

/// Adds a line that is not there yet. It is a single write, so that parallel tests do not
/// interleave.
fn remember(file: &Path, line: &str) -> std::io::Result<()> {
    if let Some(directory) = file.parent() {
        std::fs::create_dir_all(directory)?;
    }
    let known = std::fs::read_to_string(file).unwrap_or_default();
    if known.lines().any(|known| known == line.trim_end()) {
        return Ok(());
    }
    let about = if known.is_empty() { ABOUT } else { "" };
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file)?;
    file.write_all(format!("{about}{line}").as_bytes())
}

/// The file name of a test.
fn file_name(test: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = test.replace("::", "-").chars().map(safe).take(120).collect();
    if name.trim_matches('.').is_empty() { "test".to_owned() } else { name }
}

/// The target directory of cargo, found from the path of the test binary.
fn target() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    // target/debug/deps/test, target/debug/test, target/triple/debug/deps/test
    let named = program.ancestors().find(|path| path.join("CACHEDIR.TAG").is_file());
    named.map_or_else(std::env::temp_dir, Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_names_become_safe_file_names() {
        assert_eq!(file_name("queue::tests::is_fifo"), "queue-tests-is_fifo");
        assert_eq!(file_name("tests/queue.rs:12"), "tests-queue.rs-12");
        assert_eq!(file_name("../../etc/passwd"), "..-..-etc-passwd");
        assert_eq!(file_name(".."), "test");
    }

    #[test]
    fn the_crate_of_a_source_file_is_found_without_cargo() {
        let directory =
            crate_of(file!()).expect("the tests run inside of the workspace or its target");
        assert!(directory.ends_with("linpoint-test"), "{}", directory.display());
        assert_eq!(crate_of("no/such/file.rs"), None);
    }

    #[test]
    fn a_replay_command_names_the_test_of_the_harness() {
        let command = replay_command("a file", "a name of its own");
        let real = "report::files::tests::a_replay_command_names_the_test_of_the_harness";
        assert!(command.starts_with("cargo test"), "{command}");
        assert!(command.contains(" && LINPOINT_REPLAY='a file' cargo test"), "{command}");
        assert!(command.ends_with(&format!(" {real} -- --exact --nocapture")), "{command}");
        let elsewhere = std::thread::spawn(|| replay_command("f", "my test")).join().unwrap();
        // nextest runs each test in a process of its own, whose arguments name it.
        let is_named = std::env::var_os("NEXTEST").is_some() && elsewhere.contains(real);
        assert!(is_named || elsewhere.contains("the test that calls \"my test\""), "{elsewhere}");
    }

    #[cfg(unix)]
    #[test]
    fn a_replay_command_fails_if_there_is_no_such_test() {
        let program = std::env::current_exe().unwrap();
        let finds = |name: &str| {
            let list = format!("{} {name} --exact --list", for_shell(&program.to_string_lossy()));
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", &format!("{list} | {ANY_TEST}")]).output().unwrap().status.success()
        };
        assert!(finds("report::files::tests::a_replay_command_fails_if_there_is_no_such_test"));
        assert!(!finds("report::files::tests::a_replay_command_fails"));
    }

    #[test]
    fn words_are_quoted_for_the_shell_where_needed() {
        assert_eq!(for_shell("queue::tests::is_fifo"), "queue::tests::is_fifo");
        assert_eq!(for_shell("a queue that isn't"), r"'a queue that isn'\''t'");
        assert_eq!(for_shell(""), "''");
    }

    #[test]
    fn a_regression_is_saved_once_and_read_back() {
        let directory = std::env::temp_dir().join(format!("linpoint-files-{}", std::process::id()));
        let files = Files::none().regressions_in(&directory);
        let replay: Replay = "v1 test=t mode=stress threads=1/2".parse().unwrap();
        assert_eq!(files.regressions("t", "stress"), []);
        let file = files.regressions_file("t").unwrap();
        for _ in 0..2 {
            remember(&file, &format!("{replay}\n")).unwrap();
        }
        assert_eq!(files.regressions("t", "stress"), [replay]);
        assert_eq!(files.regressions("t", "loom"), []);
        std::fs::remove_dir_all(directory).unwrap();
    }
}
