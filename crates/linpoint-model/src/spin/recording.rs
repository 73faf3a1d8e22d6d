//! Recordings: lines that a model prints when an operation is called or returns.

use std::fmt;

/// The prefix of recordings. All other lines are the verifier's own.
pub(super) const MARK: &str = "@lp ";

/// A call or a return of an operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Recording {
    /// The number of recordings before it in its history.
    pub(super) index: usize,
    /// The process of the model.
    pub process: u32,
    /// The event.
    pub what: What,
}

/// The event.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum What {
    /// An operation is called.
    Call {
        /// Its name.
        name: Box<str>,
        /// The arguments.
        args: Vec<i64>,
    },
    /// The open operation of the process returns.
    Return(Returned),
}

/// The result of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Returned {
    /// No value.
    Ok,
    /// A number.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// Empty or absent.
    Null,
    /// The object was full.
    Full,
}

/// A malformed recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadRecording {
    /// The line.
    pub line: String,
    /// The problem.
    pub why: &'static str,
}

impl fmt::Display for BadRecording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadRecording { line, why } = self;
        write!(f, "the model printed a malformed recording: {line:?}: {why}")
    }
}

impl Recording {
    /// An error if it cannot come after a path of this length.
    pub(super) fn follows(&self, before: usize) -> Result<(), BadRecording> {
        if self.index <= before {
            return Ok(());
        }
        let line = format!("{} by process {}", self.index, self.process);
        Err(BadRecording { line, why: "earlier recordings are missing" })
    }

    /// Parses a line without its mark.
    pub(super) fn parse(text: &str) -> Result<Recording, BadRecording> {
        let bad = |why| BadRecording { line: text.chars().take(200).collect(), why };
        let mut words = text.split_ascii_whitespace();
        let mut word = |why| words.next().ok_or_else(|| bad(why));
        let index = word("the number is missing")?
            .parse()
            .map_err(|_| bad("the number is not an integer"))?;
        let process = word("the process is missing")?
            .parse()
            .map_err(|_| bad("the process is not a number"))?;
        let kind = word("neither a call nor a return")?;
        let name = word("the name is missing")?;
        let number = |word: &str| word.parse::<i64>().map_err(|_| bad("a value is not a number"));
        let values = words.map(number).collect::<Result<Vec<i64>, _>>()?;
        let what = match (kind, name, values.as_slice()) {
            ("call", name, [] | [_] | [_, _]) => What::Call { name: name.into(), args: values },
            ("return", "ok", []) => What::Return(Returned::Ok),
            ("return", "null", []) => What::Return(Returned::Null),
            ("return", "full", []) => What::Return(Returned::Full),
            ("return", "int", [value]) => What::Return(Returned::Int(*value)),
            ("return", "bool", [value]) => What::Return(Returned::Bool(*value != 0)),
            ("call" | "return", ..) => return Err(bad("wrong number of values")),
            _ => return Err(bad("neither a call nor a return")),
        };
        Ok(Recording { index, process, what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_returns_are_parsed() {
        let call = Recording::parse("7 1 call push 3").unwrap();
        assert_eq!((call.index, call.process), (7, 1));
        assert_eq!(call.what, What::Call { name: "push".into(), args: vec![3] });
        let ret = |text| Recording::parse(text).unwrap().what;
        assert_eq!(ret("9 0 return int -4"), What::Return(Returned::Int(-4)));
        assert_eq!(ret("9 0 return bool 1"), What::Return(Returned::Bool(true)));
        assert_eq!(ret("9 0 return null"), What::Return(Returned::Null));
    }

    #[test]
    fn malformed_recordings_are_errors() {
        for (text, why) in [
            ("", "the number is missing"),
            ("x 1 call push", "the number is not an integer"),
            ("1 -1 call push", "the process is not a number"),
            ("1 1", "neither a call nor a return"),
            ("1 1 calls push", "neither a call nor a return"),
            ("1 1 call push 1 2 3", "wrong number of values"),
            ("1 1 return int", "wrong number of values"),
            ("1 1 return int x", "a value is not a number"),
        ] {
            assert_eq!(Recording::parse(text).unwrap_err().why, why, "{text:?}");
        }
    }
}
