//! Correct and broken concurrent structures that show what `linpoint-test` can find.
//!
//! The structures under `structures/` are written against `super::sync` and compiled three times:
//! for OS threads ([`plain`]), for shuttle ([`shuttled`]) and for loom ([`loomed`]). The broken
//! ones are memory-safe: their nodes are indices into an arena. [`exhibits`] is the catalogue.

pub mod draw;
pub mod epoch_treiber;
pub mod exhibits;
pub mod external;
pub mod hunt;
pub mod loomed;
pub mod plain;
pub mod shuttled;
pub mod specs;

use linpoint::spec::models::{QueueOp, QueueRet, StackOp, StackRet};

/// Panics for an operation of the specification that a structure does not have. The gallery never
/// draws one, so reaching this is a bug in the gallery.
fn not_offered<R>(op: &impl std::fmt::Debug) -> R {
    panic!("the structure has no {op:?}")
}

/// Performs an operation on a stack without `peek`.
fn perform_on_stack(
    op: &StackOp<u64>,
    push: impl FnOnce(u64),
    pop: impl FnOnce() -> Option<u64>,
) -> StackRet<u64> {
    match op {
        StackOp::Push(value) => {
            push(*value);
            StackRet::Done
        }
        StackOp::Pop => StackRet::Value(pop()),
        StackOp::Peek => not_offered(op),
    }
}

/// Performs an operation on a queue without `peek`.
fn perform_on_queue(
    op: &QueueOp<u64>,
    enqueue: impl FnOnce(u64),
    dequeue: impl FnOnce() -> Option<u64>,
) -> QueueRet<u64> {
    match op {
        QueueOp::Enqueue(value) => {
            enqueue(*value);
            QueueRet::Done
        }
        QueueOp::Dequeue => QueueRet::Value(dequeue()),
        QueueOp::Peek => not_offered(op),
    }
}
