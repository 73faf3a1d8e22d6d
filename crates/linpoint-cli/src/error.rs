//! Why a command, or its work on one input, ends early.

use std::fmt;
use std::io;

use crate::exit::Exit;

/// Why a command, or its work on one input, ends early.
#[derive(Debug)]
pub enum CommandError {
    /// The command line is wrong: every other input would fail in the same way.
    Usage(String),
    /// One input is wrong; others may be fine.
    Input(String),
    /// The output cannot be written.
    Output(io::Error),
}

/// How a command ends.
pub type CommandResult = Result<Exit, CommandError>;

impl CommandError {
    /// The command line is wrong.
    pub fn usage(message: impl fmt::Display) -> CommandError {
        CommandError::Usage(message.to_string())
    }

    /// An input is wrong.
    pub fn input(message: impl fmt::Display) -> CommandError {
        CommandError::Input(message.to_string())
    }

    /// True if the reader of our output has closed it.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, CommandError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Usage(message) | CommandError::Input(message) => f.write_str(message),
            CommandError::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

impl std::error::Error for CommandError {}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> CommandError {
        CommandError::Output(error)
    }
}
