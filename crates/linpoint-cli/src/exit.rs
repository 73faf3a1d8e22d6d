//! What the command tells the shell.

use std::process::ExitCode;

/// The exit codes, from the best to the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// Everything is linearizable.
    Fine,
    /// A limit was hit before an answer was found.
    Undecided,
    /// Something is not linearizable.
    Violation,
    /// The usage or an input was bad, or the output could not be written.
    Bad,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Violation => 1,
            Exit::Bad => 2,
            Exit::Undecided => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
