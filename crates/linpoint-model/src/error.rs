//! Errors: why a model cannot be explored.

use std::error::Error;
use std::fmt;

use crate::bounds::MAX_THREADS;
use crate::names::MAX_NAMES;
use crate::simple::Pair;
use crate::system::MAX_MOVES;

/// Why a model cannot be explored.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ModelError {
    /// The model or its specification panicked.
    Panicked {
        /// Where: an operation and a line.
        at: String,
        /// The panic message.
        message: String,
    },
    /// Steps that are to be merged into the previous one never end.
    EndlessMerge {
        /// The operation and the line.
        at: String,
    },
    /// The explorer does not support these bounds, this method or this model.
    Unsupported(Unsupported),
    /// The program cannot be read.
    Program(ProgramError),
    /// A run that was found to be a violation is linearizable: a bug in linpoint, or a false claim of the model.
    Internal(String),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Panicked { at, message } => {
                write!(f, "the model panicked at {at}: {message}")
            }
            ModelError::EndlessMerge { at } => {
                write!(f, "the steps merged into {at} never reach a step that others can see")
            }
            ModelError::Unsupported(what) => what.fmt(f),
            ModelError::Program(error) => error.fmt(f),
            ModelError::Internal(what) => write!(
                f,
                "internal error: {what}; either linpoint has a bug, or the model claims a symmetry that it \
                 does not have"
            ),
        }
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ModelError::Unsupported(what) => Some(what),
            ModelError::Program(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Unsupported> for ModelError {
    fn from(what: Unsupported) -> Self {
        ModelError::Unsupported(what)
    }
}

impl From<ProgramError> for ModelError {
    fn from(error: ProgramError) -> Self {
        ModelError::Program(error)
    }
}

/// What the explorer does not support.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unsupported {
    /// No thread, or more than [`MAX_THREADS`].
    ThreadCount,
    /// [`Method::Points`](crate::Method::Points) for a model without points.
    NoPoints,
    /// Simple executions of a model that is not a snapshot object.
    NotSnapshot,
    /// Simple executions of fewer than two threads.
    NoPair,
    /// Simple executions of a pair that is out of order or has a thread that does not exist.
    BadPair {
        /// The pair.
        pair: Pair,
        /// Number of threads.
        threads: usize,
    },
    /// Simple executions of a program that has none.
    NotSimple,
    /// A step with more outcomes than can be numbered.
    TooManyOutcomes,
    /// More operations or results than can be numbered.
    TooManyValues,
    /// With [`Method::Recorded`](crate::Method::Recorded), depth-first: an operation never returns, and its history
    /// is not linearizable. Only breadth-first search can show it.
    EndlessHistory,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsupported::ThreadCount => {
                write!(f, "between 1 and {MAX_THREADS} threads can be explored")
            }
            Unsupported::NoPoints => {
                f.write_str("this model does not say when its operations take effect")
            }
            Unsupported::NotSnapshot => f.write_str("this model is not a snapshot object"),
            Unsupported::NoPair => f.write_str("simple executions need at least two threads"),
            Unsupported::BadPair { pair, threads } => {
                write!(f, "{pair} is not an ordered pair of two of {threads} threads")
            }
            Unsupported::NotSimple => f.write_str(
                "this program is not simple: at most two threads may update(1), and none may update(0) after that",
            ),
            Unsupported::TooManyOutcomes => {
                write!(f, "a step has more than {MAX_MOVES} outcomes")
            }
            Unsupported::TooManyValues => f.write_str("too many different operations or results"),
            Unsupported::EndlessHistory => f.write_str(
                "a history that never ends is not linearizable; explore breadth-first to see it",
            ),
        }
    }
}

impl Error for Unsupported {}

/// Why the text of a program cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProgramError {
    /// An argument is not a number, or too large.
    BadArgument {
        /// The operation as it was written.
        op: String,
        /// The argument.
        word: String,
    },
    /// An operation has more than one argument.
    ExtraWord {
        /// The operation as it was written.
        op: String,
        /// The first word that is too many.
        word: String,
    },
    /// The model has no such operation.
    UnknownOperation {
        /// The operation as it was written.
        op: String,
        /// Operations that the model has.
        known: Vec<String>,
    },
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramError::BadArgument { op, word } => {
                write!(f, "{word:?} in {op:?} is not a number below {MAX_NAMES}")
            }
            ProgramError::ExtraWord { op, word } => {
                write!(f, "{word:?} in {op:?} is one word too many")
            }
            ProgramError::UnknownOperation { op, known } => {
                write!(f, "{op:?} is not an operation of this model; it has {}", known.join(", "))
            }
        }
    }
}

impl Error for ProgramError {}
