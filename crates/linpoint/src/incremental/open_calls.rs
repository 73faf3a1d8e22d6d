//! The earliest call of an open operation.

use std::collections::VecDeque;

/// The calls since the earliest open one, and whether each is open.
#[derive(Clone, Default, Debug)]
pub(super) struct OpenCalls(VecDeque<(u64, bool)>);

impl OpenCalls {
    /// An operation begins. Its call is later than all others.
    pub(super) fn open(&mut self, call: u64) {
        self.0.push_back((call, true));
    }

    pub(super) fn close(&mut self, call: u64) {
        if let Ok(at) = self.0.binary_search_by_key(&call, |(call, _)| *call) {
            self.0[at].1 = false;
        }
        while self.0.front().is_some_and(|(_, is_open)| !is_open) {
            self.0.pop_front();
        }
    }

    pub(super) fn earliest(&self) -> Option<u64> {
        self.0.front().map(|(call, _)| *call)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of stored calls.
    pub(super) fn stored(&self) -> usize {
        self.0.len()
    }
}
