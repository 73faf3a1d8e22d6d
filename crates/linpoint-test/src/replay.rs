//! Replays, and the environment variables that control a test.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `LINPOINT_SEED` | random seed for drawing operations |
//! | `LINPOINT_TIME` | seconds for each stress test, such as `60` or `0.2`, instead of a number of runs |
//! | `LINPOINT_ITERS` | number of runs or scenarios, instead of a time |
//! | `LINPOINT_REPLAY` | a replay file or its contents: the test that it names runs nothing else |
//! | `LINPOINT_DIR` | directory for reports, instead of `target/linpoint` |
//! | `LINPOINT_BREAKPOINTS` | `off`: stress tests do not stop threads by breakpoints |
//!
//! The variables override what the test sets.
//!
//! A replay is one line: the choices from which each operation was drawn (see [`crate::Rng`]), and
//! the schedule if the scheduler can repeat one. It stays valid as long as the code that draws
//! operations stays the same; after a change, it still describes some scenario.
//!
//! ```text
//! v1 test=queue mode=stress threads=1.7,0/0 setup=all finally=all
//! ```
//!
//! Here the first thread has two operations, the first drawn by the choices 1 and 7, the second by
//! 0. The second thread has one operation. An operation that was drawn without any choice is `-`.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use crate::scenario::{Kept, Recipe};

/// A scenario that can be run again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The name of the test.
    pub test: String,
    /// The mode in which it ran: `stress`, `shuttle`, `loom`.
    pub mode: String,
    /// What the threads do.
    pub recipe: Recipe,
    /// The schedule, if the mode has one.
    pub schedule: Option<String>,
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let op = |choices: &Vec<u64>| match choices.is_empty() {
            true => "-".to_owned(),
            false => choices.iter().map(u64::to_string).collect::<Vec<_>>().join("."),
        };
        let thread = |ops: &Vec<Vec<u64>>| ops.iter().map(op).collect::<Vec<_>>().join(",");
        let threads: Vec<String> = self.recipe.threads.iter().map(thread).collect();
        let kept = |kept: &Kept| match kept {
            Kept::All => "all".to_owned(),
            Kept::Only(at) => at.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
        };
        let Recipe { setup, finally, .. } = &self.recipe;
        let (test, mode) = (without_spaces(&self.test), without_spaces(&self.mode));
        write!(f, "v1 test={test} mode={mode} threads={}", threads.join("/"))?;
        write!(f, " setup={} finally={}", kept(setup), kept(finally))?;
        match &self.schedule {
            Some(schedule) => write!(f, " schedule={}", without_spaces(schedule)),
            None => Ok(()),
        }
    }
}

/// Escapes whitespace, which separates the fields of a line.
fn without_spaces(text: &str) -> String {
    text.replace('%', "%25").replace(' ', "%20").replace('\n', "%0a").replace('\r', "%0d")
}

fn with_spaces(text: &str) -> String {
    text.replace("%0d", "\r").replace("%0a", "\n").replace("%20", " ").replace("%25", "%")
}

/// A line that is not a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseReplayError(ReplayErrorKind);

#[derive(Clone, PartialEq, Eq, Debug)]
enum ReplayErrorKind {
    Version(Option<String>),
    NoValue(String),
    UnknownKey(String),
    NotANumber(String),
    NoThreads,
}

impl fmt::Display for ParseReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ReplayErrorKind::Version(Some(word)) => {
                write!(f, "a replay begins with `v1`, not with {word:?}")
            }
            ReplayErrorKind::Version(None) => f.write_str("a replay begins with `v1`"),
            ReplayErrorKind::NoValue(word) => write!(f, "{word:?} has no `=`"),
            ReplayErrorKind::UnknownKey(key) => write!(f, "unknown key {key:?}"),
            ReplayErrorKind::NotANumber(word) => write!(f, "{word:?} is not a number"),
            ReplayErrorKind::NoThreads => f.write_str("a replay needs `threads=`"),
        }
    }
}

impl std::error::Error for ParseReplayError {}

/// A text that is not a schedule such as `17:0,2*5,1*3`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ParseScheduleError(ScheduleErrorKind);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "shuttle"), allow(dead_code))]
enum ScheduleErrorKind {
    Malformed(String),
    TooLong(usize),
}

#[cfg(feature = "shuttle")]
impl ParseScheduleError {
    pub(crate) fn malformed(part: &str) -> Self {
        ParseScheduleError(ScheduleErrorKind::Malformed(part.to_owned()))
    }

    pub(crate) fn too_long(limit: usize) -> Self {
        ParseScheduleError(ScheduleErrorKind::TooLong(limit))
    }
}

impl fmt::Display for ParseScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ScheduleErrorKind::Malformed(part) => {
                write!(f, "`{part}` is not part of a schedule such as 17:0,2*5,1*3")
            }
            ScheduleErrorKind::TooLong(limit) => {
                write!(f, "the schedule has more than {limit} steps")
            }
        }
    }
}

impl std::error::Error for ParseScheduleError {}

impl FromStr for Replay {
    type Err = ParseReplayError;

    fn from_str(line: &str) -> Result<Replay, ParseReplayError> {
        let error = |kind| Err(ParseReplayError(kind));
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v1") => {}
            other => return error(ReplayErrorKind::Version(other.map(str::to_owned))),
        }
        let mut replay = Replay {
            test: String::new(),
            mode: String::new(),
            recipe: Recipe::default(),
            schedule: None,
        };
        for word in words {
            let Some((key, value)) = word.split_once('=') else {
                return error(ReplayErrorKind::NoValue(word.to_owned()));
            };
            match key {
                "test" => replay.test = with_spaces(value),
                "mode" => replay.mode = with_spaces(value),
                "schedule" => replay.schedule = Some(with_spaces(value)),
                "threads" => replay.recipe.threads = threads(value)?,
                "setup" => replay.recipe.setup = kept(value)?,
                "finally" => replay.recipe.finally = kept(value)?,
                _ => return error(ReplayErrorKind::UnknownKey(key.to_owned())),
            }
        }
        if replay.recipe.threads.is_empty() {
            return error(ReplayErrorKind::NoThreads);
        }
        Ok(replay)
    }
}

fn list<T: FromStr>(text: &str, separator: char) -> Result<Vec<T>, ParseReplayError> {
    let number = |word: &str| {
        word.parse().map_err(|_| ParseReplayError(ReplayErrorKind::NotANumber(word.to_owned())))
    };
    text.split(separator).filter(|word| !word.is_empty()).map(number).collect()
}

fn threads(text: &str) -> Result<Vec<Vec<Vec<u64>>>, ParseReplayError> {
    let op = |word: &str| if word == "-" { Ok(Vec::new()) } else { list(word, '.') };
    let thread = |ops: &str| ops.split(',').filter(|word| !word.is_empty()).map(op).collect();
    text.split('/').map(thread).collect()
}

fn kept(text: &str) -> Result<Kept, ParseReplayError> {
    if text == "all" { Ok(Kept::All) } else { list(text, ',').map(Kept::Only) }
}

/// The environment variables that control a test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Environment {
    /// `LINPOINT_SEED`.
    pub(crate) seed: Option<u64>,
    /// `LINPOINT_ITERS`.
    pub(crate) runs: Option<u64>,
    /// `LINPOINT_TIME`.
    pub(crate) time: Option<Duration>,
    /// `LINPOINT_REPLAY`: a file, or a replay itself.
    pub(crate) replay: Option<String>,
}

impl Environment {
    /// Reads the variables.
    ///
    /// # Panics
    ///
    /// If a number is malformed. Ignoring it would not be what the user asked for.
    pub(crate) fn read() -> Environment {
        let number = |name: &str| {
            let text = std::env::var(name).ok()?;
            Some(text.trim().parse().unwrap_or_else(|_| panic!("{name} is not a number: {text:?}")))
        };
        Environment {
            seed: number("LINPOINT_SEED"),
            runs: number("LINPOINT_ITERS"),
            time: std::env::var("LINPOINT_TIME").ok().map(|text| seconds(&text)),
            replay: std::env::var("LINPOINT_REPLAY").ok().filter(|text| !text.is_empty()),
        }
    }

    /// The requested replay, if it is of this test in this mode.
    ///
    /// # Panics
    ///
    /// If the replay cannot be read or parsed.
    pub(crate) fn replay_of(&self, test: &str, mode: &str) -> Option<Replay> {
        let text = self.replay.as_ref()?;
        let contents = if text.trim_start().starts_with("v1 ") {
            text.clone()
        } else {
            let file = std::fs::read_to_string(Path::new(text));
            file.unwrap_or_else(|error| panic!("LINPOINT_REPLAY: cannot read {text}: {error}"))
        };
        let replays = lines(&contents);
        let replays = replays.map(|line| match line.parse::<Replay>() {
            Ok(replay) => replay,
            Err(error) => panic!("LINPOINT_REPLAY: {error}, in {line:?}"),
        });
        let replays: Vec<Replay> = replays.collect();
        let found = replays.iter().find(|replay| replay.test == test && replay.mode == mode);
        if found.is_none() {
            let names: Vec<String> =
                replays.iter().map(|replay| format!("{} ({})", replay.test, replay.mode)).collect();
            eprintln!(
                "linpoint: {test} ({mode}): not in LINPOINT_REPLAY, which names {}",
                names.join(", ")
            );
        }
        found.cloned()
    }
}

/// # Panics
///
/// If this is no number of seconds.
fn seconds(text: &str) -> Duration {
    let seconds = text.trim().parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.unwrap_or_else(|| panic!("LINPOINT_TIME is not a number of seconds: {text:?}"))
}

/// The lines of a replay file, without comments and blank lines.
pub(crate) fn lines(contents: &str) -> impl Iterator<Item = &str> {
    contents.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_replay_is_parsed_back() {
        let replay = Replay {
            test: "a test: 100 %20".to_owned(),
            mode: "stress".to_owned(),
            recipe: Recipe {
                threads: vec![vec![vec![1, 7], vec![]], vec![], vec![vec![u64::MAX]]],
                setup: Kept::Only(vec![0, 2]),
                finally: Kept::Only(vec![]),
            },
            schedule: Some("91 02\n3".to_owned()),
        };
        assert_eq!(replay.to_string().parse(), Ok(replay.clone()));
        assert_eq!(
            replay.to_string(),
            "v1 test=a%20test:%20100%20%2520 mode=stress threads=1.7,-//18446744073709551615 \
             setup=0,2 finally= schedule=91%2002%0a3"
        );
        let plain = Replay { schedule: None, ..replay };
        assert_eq!(plain.to_string().parse(), Ok(plain));
    }

    #[test]
    fn malformed_replays_are_errors() {
        for (text, why) in [
            ("", "begins with"),
            ("v2 threads=1", "begins with"),
            ("v1 threads=1,x", "\"x\" is not a number"),
            ("v1 colour=red threads=1", "unknown key \"colour\""),
            ("v1 mode=stress", "needs `threads=`"),
            ("v1 threads", "has no `=`"),
        ] {
            let error = text.parse::<Replay>().unwrap_err().to_string();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_replay_applies_to_one_test_in_one_mode() {
        let text = "v1 test=mine mode=stress threads=1".to_owned();
        let environment = Environment { replay: Some(text), ..Environment::default() };
        assert!(environment.replay_of("mine", "stress").is_some());
        assert_eq!(environment.replay_of("mine", "loom"), None);
        assert_eq!(environment.replay_of("other", "stress"), None);
    }
}
