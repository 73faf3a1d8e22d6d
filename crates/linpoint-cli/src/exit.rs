//! Exit codes.

use std::process::ExitCode;

/// The code of a process that a closed pipe has ended: 128 and the number of the signal. If the reader of the output has gone
/// before there is a verdict, no other code is true.
pub const CLOSED_PIPE: u8 = 128 + 13;

/// The outcome of a command, from best to worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// Everything is linearizable.
    Success,
    /// A limit was reached before an answer was found.
    Undecided,
    /// At least one history is not linearizable.
    Violation,
    /// Bad usage, bad input, or output that could not be written.
    Error,
}

impl Exit {
    /// The exit code. The codes are documented and must not change.
    pub fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Violation => 1,
            Exit::Error => 2,
            Exit::Undecided => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
