//! Treiber's stack with nodes on the heap. Crossbeam's epochs free a node when no thread can read
//! it any more.

#![allow(unsafe_code)] // The point of this structure is to reclaim shared nodes.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use crossbeam_epoch::{Atomic, Guard, Owned, Shared, pin, unprotected};
use linpoint::spec::models::{StackOp, StackRet};

/// A stack.
#[derive(Default)]
pub struct EpochTreiber {
    top: Atomic<Node>,
}

struct Node {
    value: u64,
    next: Atomic<Node>,
}

impl EpochTreiber {
    fn push(&self, value: u64) {
        let guard = pin();
        let mut node = Owned::new(Node { value, next: Atomic::null() });
        loop {
            let top = self.top.load(Acquire, &guard);
            node.next.store(top, Relaxed);
            match self.top.compare_exchange(top, node, AcqRel, Relaxed, &guard) {
                Ok(_) => return,
                Err(failed) => node = failed.new,
            }
        }
    }

    fn pop(&self) -> Option<u64> {
        let guard = pin();
        loop {
            let top = self.top.load(Acquire, &guard);
            // SAFETY: a node that was reachable after `pin` is not freed before the guard is
            // dropped.
            let node = unsafe { top.as_ref() }?;
            let value = node.value;
            if self.unlink(top, node, &guard) {
                return Some(value);
            }
        }
    }

    fn unlink<'g>(&self, top: Shared<'g, Node>, node: &Node, guard: &'g Guard) -> bool {
        let next = node.next.load(Relaxed, guard);
        let unlinked = self.top.compare_exchange(top, next, AcqRel, Relaxed, guard).is_ok();
        if unlinked {
            // SAFETY: only the thread that took the node off the stack gets here, and a thread that
            // pins from now on cannot reach the node.
            unsafe { guard.defer_destroy(top) };
        }
        unlinked
    }

    /// Performs one operation.
    pub fn perform(&self, op: &StackOp<u64>) -> StackRet<u64> {
        crate::perform_on_stack(op, |value| self.push(value), || self.pop())
    }
}

impl Drop for EpochTreiber {
    fn drop(&mut self) {
        // SAFETY: no other thread can reach the stack any more.
        let guard = unsafe { unprotected() };
        let mut top = self.top.load(Relaxed, guard);
        while !top.is_null() {
            // SAFETY: the node is on the stack, so it has not been freed, and no other thread will
            // free it.
            let node = unsafe { top.into_owned() };
            top = node.next.load(Relaxed, guard);
        }
    }
}
