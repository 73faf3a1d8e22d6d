//! Replay files, and the environment variables that steer a test.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `LINPOINT_SEED` | what operations are drawn from |
//! | `LINPOINT_ITERS` | how many runs |
//! | `LINPOINT_REPLAY` | a replay file, or its contents: the test that it names runs nothing else |
//! | `LINPOINT_DIR` | where reports are kept, instead of `target/linpoint` |
//!
//! A replay is one line: the choices from which each operation was drawn (see [`crate::Rng`]), and what the
//! scheduler needs to do the same again, if it can. It is valid as long as operations are drawn by
//! the same code; if that has changed, it still names some scenario.
//!
//! ```text
//! v1 test=queue mode=stress threads=1.7,0/0 setup=all finally=all
//! ```
//!
//! Here the first thread has two operations, drawn by the choices 1, 7 and 0, and the second has one. An
//! operation that was drawn without any choice is `-`.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::scenario::{Kept, Recipe};

/// A scenario that can be run again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The test it belongs to.
    pub test: String,
    /// How it was run: `stress`, `shuttle`, `loom`.
    pub mode: String,
    /// What its threads do.
    pub recipe: Recipe,
    /// What the scheduler needs, if it needs anything.
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

/// Spaces separate; what has some gets others, and back.
fn without_spaces(text: &str) -> String {
    text.replace('%', "%25").replace(' ', "%20").replace('\n', "%0a").replace('\r', "%0d")
}

fn with_spaces(text: &str) -> String {
    text.replace("%0d", "\r").replace("%0a", "\n").replace("%20", " ").replace("%25", "%")
}

impl FromStr for Replay {
    type Err = String;

    fn from_str(line: &str) -> Result<Replay, String> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v1") => {}
            other => return Err(format!("a replay begins with `v1`, not with {other:?}")),
        }
        let mut replay = Replay {
            test: String::new(),
            mode: String::new(),
            recipe: Recipe::default(),
            schedule: None,
        };
        for word in words {
            let (key, value) = word.split_once('=').ok_or(format!("{word:?} has no `=`"))?;
            match key {
                "test" => replay.test = with_spaces(value),
                "mode" => replay.mode = with_spaces(value),
                "schedule" => replay.schedule = Some(with_spaces(value)),
                "threads" => replay.recipe.threads = threads(value)?,
                "setup" => replay.recipe.setup = kept(value)?,
                "finally" => replay.recipe.finally = kept(value)?,
                _ => return Err(format!("{key:?} means nothing here")),
            }
        }
        if replay.recipe.threads.is_empty() {
            return Err("a replay needs `threads=`".to_owned());
        }
        Ok(replay)
    }
}

fn list<T: FromStr>(text: &str, separator: char) -> Result<Vec<T>, String> {
    let number = |word: &str| word.parse().map_err(|_| format!("{word:?} is not a number"));
    text.split(separator).filter(|word| !word.is_empty()).map(number).collect()
}

fn threads(text: &str) -> Result<Vec<Vec<Vec<u64>>>, String> {
    let op = |word: &str| if word == "-" { Ok(Vec::new()) } else { list(word, '.') };
    let thread = |ops: &str| ops.split(',').filter(|word| !word.is_empty()).map(op).collect();
    text.split('/').map(thread).collect()
}

fn kept(text: &str) -> Result<Kept, String> {
    if text == "all" { Ok(Kept::All) } else { list(text, ',').map(Kept::Only) }
}

/// What the environment asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// `LINPOINT_SEED`.
    pub seed: Option<u64>,
    /// `LINPOINT_ITERS`.
    pub runs: Option<u64>,
    /// `LINPOINT_REPLAY`: a file, or a replay itself.
    pub replay: Option<String>,
}

impl Environment {
    /// Reads the variables.
    ///
    /// # Panics
    ///
    /// If one of them is not a number that should be: to go on without it would not be what was asked for.
    pub fn read() -> Environment {
        let number = |name: &str| {
            let text = std::env::var(name).ok()?;
            Some(text.trim().parse().unwrap_or_else(|_| panic!("{name} is no number: {text:?}")))
        };
        Environment {
            seed: number("LINPOINT_SEED"),
            runs: number("LINPOINT_ITERS"),
            replay: std::env::var("LINPOINT_REPLAY").ok().filter(|text| !text.is_empty()),
        }
    }

    /// The replay that is asked for, if it is of this test in this mode.
    ///
    /// # Panics
    ///
    /// If there is none where one was named, or it cannot be read.
    pub fn replay_of(&self, test: &str, mode: &str) -> Option<Replay> {
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
            Err(why) => panic!("LINPOINT_REPLAY: {why}, in {line:?}"),
        });
        replays.into_iter().find(|replay| replay.test == test && replay.mode == mode)
    }
}

/// The lines of a file of replays that say something.
pub(crate) fn lines(contents: &str) -> impl Iterator<Item = &str> {
    contents.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
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
    fn what_is_no_replay_is_refused() {
        for (text, why) in [
            ("", "begins with"),
            ("v2 threads=1", "begins with"),
            ("v1 threads=1,x", "\"x\" is not a number"),
            ("v1 colour=red threads=1", "\"colour\" means nothing"),
            ("v1 mode=stress", "needs `threads=`"),
            ("v1 threads", "has no `=`"),
        ] {
            let error = text.parse::<Replay>().unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_replay_is_for_one_test_in_one_mode() {
        let text = "v1 test=mine mode=stress threads=1".to_owned();
        let environment = Environment { replay: Some(text), ..Environment::default() };
        assert!(environment.replay_of("mine", "stress").is_some());
        assert_eq!(environment.replay_of("mine", "loom"), None);
        assert_eq!(environment.replay_of("other", "stress"), None);
    }
}
