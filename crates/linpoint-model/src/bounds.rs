//! Bounds of an exploration: the operations that threads call.

use linpoint::Spec;

use crate::error::ProgramError;
use crate::model::{Model, Op};

/// The largest number of threads.
pub const MAX_THREADS: usize = 10;

/// The operations that threads call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bounds<O> {
    /// All programs with this many operations in total.
    Total {
        /// Number of threads.
        threads: usize,
        /// Operations of all threads together.
        ops: u8,
    },
    /// All programs with this many operations per thread.
    PerThread {
        /// Number of threads.
        threads: usize,
        /// Operations of each thread.
        ops: u8,
    },
    /// All programs of any length. Ends only if the algorithm has finitely many states.
    Unbounded {
        /// Number of threads.
        threads: usize,
    },
    /// Every thread performs these operations.
    Programs(Vec<Vec<O>>),
}

impl<O> Bounds<O> {
    /// Number of threads.
    pub fn threads(&self) -> usize {
        match self {
            Bounds::Total { threads, .. }
            | Bounds::PerThread { threads, .. }
            | Bounds::Unbounded { threads } => *threads,
            Bounds::Programs(programs) => programs.len(),
        }
    }

    /// The largest number of operations.
    pub(crate) fn most_ops(&self) -> MostOps {
        match self {
            Bounds::Total { ops, .. } => MostOps::Are(usize::from(*ops)),
            Bounds::PerThread { threads, ops } => {
                MostOps::Are(threads.saturating_mul(usize::from(*ops)))
            }
            Bounds::Unbounded { .. } => MostOps::Unbounded,
            Bounds::Programs(_) => MostOps::Listed,
        }
    }

    /// True if the number of operations is bounded.
    pub(crate) fn is_bounded(&self) -> bool {
        !matches!(self, Bounds::Unbounded { .. })
    }
}

/// The largest number of operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MostOps {
    /// This many.
    Are(usize),
    /// Unbounded.
    Unbounded,
    /// Given by programs.
    Listed,
}

/// Parses a program: `push 1; pop | pop`. Operations are separated by `;`, threads by `|`.
pub fn parse_program<M: Model>(model: &M, text: &str) -> Result<Vec<Vec<Op<M>>>, ProgramError> {
    let mut programs = Vec::new();
    programs.resize_with(text.split('|').count(), Vec::new);
    for Call { thread, text, name, argument } in calls(text)? {
        let Some(op) = (M::INTERFACE.parse)(thread, &name, argument) else {
            let describe = |op: &Op<M>| model.spec().describe_op(op);
            let known = (M::INTERFACE.calls)(thread, 1).iter().map(describe).collect();
            return Err(ProgramError::UnknownOperation { op: text, known });
        };
        programs[thread].push(op);
    }
    Ok(programs)
}

/// A call as text.
struct Call {
    thread: usize,
    text: String,
    name: String,
    argument: Option<u8>,
}

/// All calls of a program, in order.
fn calls(program: &str) -> Result<Vec<Call>, ProgramError> {
    let mut calls = Vec::new();
    for (thread, program) in program.split('|').enumerate() {
        let ops = program.split(';').map(str::trim).filter(|op| !op.is_empty());
        for text in ops {
            let (name, argument) = words(text)?;
            calls.push(Call { thread, text: text.to_owned(), name, argument });
        }
    }
    Ok(calls)
}

/// The name and the argument of an operation.
fn words(text: &str) -> Result<(String, Option<u8>), ProgramError> {
    let spaced = text.replace(['(', ')'], " ");
    let mut words = spaced.split_whitespace();
    let name = words.next().unwrap_or_default().to_owned();
    let argument = match words.next() {
        None => None,
        Some(word) => match word.parse::<u8>() {
            Ok(value) if usize::from(value) < crate::names::MAX_NAMES => Some(value),
            _ => return Err(ProgramError::BadArgument { op: text.into(), word: word.into() }),
        },
    };
    if let Some(more) = words.next() {
        return Err(ProgramError::ExtraWord { op: text.into(), word: more.into() });
    }
    Ok((name, argument))
}
