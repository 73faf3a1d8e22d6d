//! Errors for records that are not valid histories. Each names the operation.

use super::{OpId, TimeError};

/// A record is not a valid history: the problem, and the operation that has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistoryError {
    kind: HistoryErrorKind,
    op: OpId,
}

/// What can be wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HistoryErrorKind {
    /// A process began an operation while its operation `open` had not ended.
    ProcessOverlap {
        /// The process.
        process: u32,
        /// The operation that was still open.
        open: OpId,
    },
    /// A return event of a process that has no open operation.
    ReturnWithoutCall {
        /// The process.
        process: u32,
    },
    /// An operation that has already returned, failed or become pending ends again.
    EndedTwice,
    /// The return is before the call.
    ReturnBeforeCall,
    /// Two operations were given the same id.
    DuplicateId {
        /// The id as the caller gave it.
        id: u64,
        /// The operation that had it first.
        first: OpId,
    },
    /// A return event has an id that no call event had.
    UnknownId {
        /// The id as the caller gave it.
        id: u64,
    },
    /// A clock reading is not a point in time.
    BadTime(TimeError),
    /// More operations than ranks can number (2³¹ − 1).
    TooLarge,
}

impl HistoryError {
    pub(super) fn new(kind: HistoryErrorKind, op: OpId) -> Self {
        HistoryError { kind, op }
    }

    /// What is wrong.
    pub fn kind(&self) -> &HistoryErrorKind {
        &self.kind
    }

    /// The operation: its number in the order in which operations were added. For an event that
    /// belongs to no operation, the number of the next operation.
    pub fn op(&self) -> OpId {
        self.op
    }
}

impl std::fmt::Display for HistoryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let op = self.op;
        match &self.kind {
            HistoryErrorKind::ProcessOverlap { process, open } => write!(
                f,
                "operation {op} of process {process} begins while its operation {open} is still open"
            ),
            HistoryErrorKind::ReturnWithoutCall { process } => write!(
                f,
                "process {process} returns without an open operation (before operation {op})"
            ),
            HistoryErrorKind::EndedTwice => write!(f, "operation {op} ends a second time"),
            HistoryErrorKind::ReturnBeforeCall => {
                write!(f, "operation {op} returns before it is called")
            }
            HistoryErrorKind::DuplicateId { id, first } => {
                write!(f, "operation {op} has id {id}, which operation {first} already has")
            }
            HistoryErrorKind::UnknownId { id } => {
                write!(f, "a return names id {id}, which no operation before {op} has")
            }
            HistoryErrorKind::BadTime(e) => write!(f, "operation {op} has a bad time: {e}"),
            HistoryErrorKind::TooLarge => {
                write!(f, "operation {op} does not fit: a history has at most 2^31 - 1 operations")
            }
        }
    }
}

impl std::error::Error for HistoryError {}
