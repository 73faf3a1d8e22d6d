//! etcd: keys whose every change has a revision, with transactions, leases and compaction.
//!
//! The store has a revision, 1 at first. A request that writes anything is one atomic step that raises it by one,
//! however much it writes, and all keys that it puts get the new revision as their *mod revision*. Every answer
//! carries the revision just after its step: for a write its own, which no other write has.
//!
//! * `range` answers keys in order, cut to a limit; the count is the number of keys before the cut. It can ask for an
//!   old revision; the answer still carries the current one.
//! * `txn` performs one of two lists of operations, depending on conditions on mod revisions or versions. The
//!   version of a key is the number of puts since it was created. Deleting an absent key writes nothing.
//! * `grant` and `revoke` create and end leases. Revoking one deletes the keys that were put with it. A put with
//!   a lease that does not exist fails as a whole: it has no effect and no answer.
//! * `compact` forgets what was before a revision: older reads are refused.
//! * `event` is what a watch delivered: it has happened, with this revision, before the event was received.
//!
//! Pending: a request may take effect at any time after its call, once, or never. Its conditions are evaluated when
//! it takes effect. Reads have no effect and are dropped.
//!
//! The state is the whole past of every key, because old revisions can be read. The model has a monitor of its own
//! ([`monitor`]).

mod monitor;
mod store;
#[cfg(test)]
mod tests;
mod wire;
mod words;

use crate::spec::{Decides, Run, Spec};
use crate::wire::{ToWire, Value};
pub use store::EtcdState;

/// An etcd cluster, seen as one store.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Etcd;

/// Operations of [`Etcd`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum EtcdOp {
    /// Gives [`EtcdRet::Range`].
    Range {
        /// Which keys.
        range: EtcdRange,
        /// Of which revision; 0 is the current one.
        revision: i64,
    },
    /// Gives [`EtcdRet::Txn`].
    Txn(EtcdTxn),
    /// Creates a lease. Gives [`EtcdRet::At`].
    Grant(i64),
    /// Ends a lease. Gives [`EtcdRet::At`].
    Revoke(i64),
    /// Forgets what was before a revision. Gives [`EtcdRet::Done`].
    Compact(i64),
    /// A watch delivered that this key got this value, or was deleted. Gives [`EtcdRet::Done`].
    Event {
        /// The key.
        key: Value,
        /// Its value; `None` if it was deleted.
        value: Option<Value>,
        /// The revision of the change.
        revision: i64,
    },
}

/// Some of the keys.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EtcdRange {
    /// The first one.
    pub start: Value,
    /// The first one that does not belong to it; `None` for a single key, `"\0"` for all from the first one on.
    pub end: Option<Value>,
    /// At most this many are shown; 0 for all.
    pub limit: u64,
    /// Values are left out.
    pub keys_only: bool,
}

/// A transaction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EtcdTxn {
    /// All must hold.
    pub conditions: Vec<EtcdCondition>,
    /// What is done if they do.
    pub success: Vec<EtcdStep>,
    /// What is done if they do not.
    pub failure: Vec<EtcdStep>,
}

/// A condition of a transaction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EtcdCondition {
    /// The key.
    pub key: Value,
    /// What is compared.
    pub expected: EtcdExpected,
}

/// What a condition compares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EtcdExpected {
    /// The mod revision; 0 if the key is absent.
    Revision(i64),
    /// The version; 0 if the key is absent.
    Version(i64),
}

/// An operation inside of a transaction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum EtcdStep {
    /// Sets a key.
    Put {
        /// The key.
        key: Value,
        /// Its value.
        value: Value,
        /// The lease whose end deletes it; 0 for none.
        lease: i64,
    },
    /// Deletes a key.
    Delete(Value),
    /// Reads.
    Range(EtcdRange),
}

/// Results of [`Etcd`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum EtcdRet {
    /// What a range found.
    Range {
        /// The keys.
        found: EtcdFound,
        /// The current revision.
        revision: i64,
    },
    /// What a transaction did.
    Txn {
        /// True if the conditions held.
        succeeded: bool,
        /// One for each operation that was performed.
        results: Vec<EtcdFound>,
        /// The revision just after it.
        revision: i64,
    },
    /// The revision just after it.
    At(i64),
    /// A compaction is done, an event was seen.
    Done,
    /// The revision has been compacted.
    Compacted,
    /// The revision has not been reached.
    Future,
}

/// The result of a range or of another operation inside of a transaction; empty for a put.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct EtcdFound {
    /// The keys, in order.
    pub keys: Vec<EtcdKey>,
    /// How many there are, before the limit.
    pub count: i64,
    /// How many were deleted.
    pub deleted: i64,
}

/// A key with its value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EtcdKey {
    /// The key.
    pub key: Value,
    /// The value; nil if it was left out.
    pub value: Value,
    /// The revision of the last change.
    pub revision: i64,
    /// The number of puts since it was created; `None` if that was not recorded.
    pub version: Option<i64>,
}

impl EtcdRange {
    /// The range of a single key.
    pub fn key(key: Value) -> EtcdRange {
        EtcdRange { start: key, end: None, limit: 0, keys_only: false }
    }

    /// True if there is no last key.
    fn is_open(&self) -> bool {
        self.end.as_ref().and_then(Value::as_str) == Some("\0")
    }
}

impl EtcdTxn {
    /// A transaction without conditions.
    pub fn unconditional(steps: Vec<EtcdStep>) -> EtcdTxn {
        EtcdTxn { conditions: Vec::new(), success: steps, failure: Vec::new() }
    }

    /// What is done if the conditions hold, or if they do not.
    pub fn branch(&self, succeeded: bool) -> &[EtcdStep] {
        if succeeded { &self.success } else { &self.failure }
    }

    fn is_read(&self) -> bool {
        let mut steps = self.success.iter().chain(&self.failure);
        steps.all(|step| matches!(step, EtcdStep::Range(_)))
    }
}

impl EtcdKey {
    /// True if this may have been recorded as `recorded`.
    fn fits(&self, recorded: &EtcdKey) -> bool {
        let EtcdKey { key, value, revision, version } = recorded;
        self.key == *key
            && self.value == *value
            && self.revision == *revision
            && (version.is_none() || self.version == *version)
    }
}

impl EtcdFound {
    fn fits(&self, recorded: &EtcdFound) -> bool {
        self.count == recorded.count
            && self.deleted == recorded.deleted
            && self.keys.len() == recorded.keys.len()
            && self.keys.iter().zip(&recorded.keys).all(|(exact, key)| exact.fits(key))
    }
}

impl EtcdRet {
    /// True if this may have been recorded as `recorded`: versions may be missing there.
    fn fits(&self, recorded: &EtcdRet) -> bool {
        match (self, recorded) {
            (
                EtcdRet::Range { found, revision },
                EtcdRet::Range { found: other, revision: current },
            ) => revision == current && found.fits(other),
            (
                EtcdRet::Txn { succeeded, results, revision },
                EtcdRet::Txn { succeeded: as_recorded, results: others, revision: current },
            ) => {
                revision == current
                    && succeeded == as_recorded
                    && results.len() == others.len()
                    && results.iter().zip(others).all(|(exact, other)| exact.fits(other))
            }
            (exact, recorded) => exact == recorded,
        }
    }
}

impl Etcd {
    fn step(&self, state: &EtcdState, op: &EtcdOp) -> Option<(EtcdRet, EtcdState)> {
        let mut after = state.clone();
        let ret = after.perform(op)?;
        Some((ret, after))
    }
}

impl Spec for Etcd {
    type Op = EtcdOp;
    type Ret = EtcdRet;
    type State = EtcdState;

    fn initial(&self) -> EtcdState {
        EtcdState::new()
    }

    fn successors(
        &self,
        state: &EtcdState,
        op: &EtcdOp,
        ret: Option<&EtcdRet>,
        next: &mut Vec<EtcdState>,
    ) {
        if let Some((exact, after)) = self.step(state, op)
            && ret.is_none_or(|ret| exact.fits(ret))
        {
            next.push(after);
        }
    }

    fn outcomes(
        &self,
        state: &EtcdState,
        op: &EtcdOp,
        out: &mut Vec<(EtcdRet, EtcdState)>,
    ) -> bool {
        out.extend(self.step(state, op));
        true
    }

    fn fits(&self, _op: &EtcdOp, exact: &EtcdRet, recorded: &EtcdRet) -> bool {
        exact.fits(recorded)
    }

    fn is_read(&self, op: &EtcdOp, _ret: Option<&EtcdRet>) -> bool {
        match op {
            EtcdOp::Range { .. } | EtcdOp::Event { .. } => true,
            EtcdOp::Txn(txn) => txn.is_read(),
            EtcdOp::Grant(_) | EtcdOp::Revoke(_) | EtcdOp::Compact(_) => false,
        }
    }

    fn decides(&self) -> Option<&dyn Decides<EtcdOp, EtcdRet>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, EtcdOp, EtcdRet>) -> Option<Result<(), usize>> {
        let mut state = self.initial();
        super::replay(run, |op, ret| {
            let exact = state.perform(op);
            exact.is_some_and(|exact| ret.is_none_or(|ret| exact.fits(ret)))
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<EtcdOp, EtcdRet>> {
        Some(self)
    }

    fn describe_op(&self, op: &EtcdOp) -> String {
        words::op(op)
    }

    fn describe_ret(&self, op: &EtcdOp, ret: &EtcdRet) -> String {
        words::ret(op, ret)
    }

    fn describe_state(&self, state: &EtcdState) -> String {
        words::state(state)
    }

    fn state_bytes(&self, state: &EtcdState) -> usize {
        size_of::<EtcdState>() + state.heap_bytes()
    }
}
