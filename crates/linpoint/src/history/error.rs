//! Why a record of operations is not a valid history, as values that name the operation.

use super::{OpId, TimeError};

/// A record that is not a valid history: what is wrong, and with which operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistoryError {
    kind: HistoryErrorKind,
    op: OpId,
}

/// The ways in which a record can fail to be a history.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HistoryErrorKind {
    /// A process began an operation while `open` of the same process had not ended.
    ProcessOverlap {
        /// The process.
        process: u32,
        /// Its operation that was still open.
        open: OpId,
    },
    /// A return event of a process that has no open operation.
    ReturnWithoutCall {
        /// The process.
        process: u32,
    },
    /// A second end for an operation that has already returned, failed or become pending.
    EndedTwice,
    /// The return lies before the call.
    ReturnBeforeCall,
    /// Two operations were given the same id.
    DuplicateId {
        /// The id as the caller gave it.
        id: u64,
        /// The operation that had it first.
        first: OpId,
    },
    /// A return event names an id that no call event had.
    UnknownId {
        /// The id as the caller gave it.
        id: u64,
    },
    /// A clock reading that is not a point in time.
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

    /// The operation in question: its number in the order in which operations were given. For an
    /// event that belongs to no operation, the number the next operation would have had.
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
                write!(f, "operation {op} is one too many: a history holds at most 2^31 - 1")
            }
        }
    }
}

impl std::error::Error for HistoryError {}
