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
    let thread = |(thread, program): (usize, &str)| {
        let ops = program.split(';').map(str::trim).filter(|op| !op.is_empty());
        ops.map(|op| parse_op(model, thread, op)).collect::<Result<Vec<_>, _>>()
    };
    text.split('|').enumerate().map(thread).collect()
}

fn parse_op<M: Model>(model: &M, thread: usize, text: &str) -> Result<Op<M>, ProgramError> {
    let (name, argument) = words(text)?;
    model.parse(thread, &name, argument).ok_or_else(|| {
        let describe = |op: &Op<M>| model.spec().describe_op(op);
        let known = model.calls(thread, 1).iter().map(describe).collect();
        ProgramError::UnknownOperation { op: text.to_owned(), known }
    })
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
