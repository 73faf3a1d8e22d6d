//! Queues.

use linpoint::Sequential;

use super::ContainerRet;
use crate::model::SpecPart;
use crate::names::Names;

/// Operations of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QueueOp {
    /// Appends a value.
    Enq(u8),
    /// Removes the first value.
    Deq,
}

impl QueueOp {
    pub(crate) fn all(fresh: u8) -> Vec<QueueOp> {
        vec![QueueOp::Enq(fresh), QueueOp::Deq]
    }

    pub(crate) fn value(&self) -> Option<u8> {
        match self {
            QueueOp::Enq(value) => Some(*value),
            QueueOp::Deq => None,
        }
    }

    pub(crate) fn parse(name: &str, argument: Option<u8>) -> Option<QueueOp> {
        match (name, argument) {
            ("enq", Some(value)) => Some(QueueOp::Enq(value)),
            ("deq", None) => Some(QueueOp::Deq),
            _ => None,
        }
    }
}

/// A queue, bounded or not.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Queue {
    pub(crate) values: Vec<u8>,
    /// Capacity; an enqueue beyond it returns [`ContainerRet::Full`].
    pub capacity: Option<u8>,
    /// A dequeue waits while the queue is empty.
    pub waits: bool,
}

impl Sequential for Queue {
    type Op = QueueOp;
    type Ret = ContainerRet;

    fn apply(&mut self, op: &QueueOp) -> ContainerRet {
        match op {
            QueueOp::Enq(_)
                if self.capacity.is_some_and(|room| self.values.len() >= usize::from(room)) =>
            {
                ContainerRet::Full
            }
            QueueOp::Enq(value) => {
                self.values.push(*value);
                ContainerRet::Ok
            }
            QueueOp::Deq if self.values.is_empty() => ContainerRet::Empty,
            QueueOp::Deq => ContainerRet::Value(self.values.remove(0)),
        }
    }

    fn enabled(&self, op: &QueueOp) -> bool {
        !(self.waits && *op == QueueOp::Deq && self.values.is_empty())
    }

    fn describe_op(&self, op: &QueueOp) -> String {
        match op {
            QueueOp::Enq(value) => format!("enq({value})"),
            QueueOp::Deq => "deq".into(),
        }
    }

    fn describe_ret(&self, _op: &QueueOp, ret: &ContainerRet) -> String {
        ret.words()
    }

    fn describe(&self) -> String {
        format!("{:?}", self.values)
    }
}

/// Visits values in queues.
pub(crate) fn queue_names(part: SpecPart<'_, Queue>, names: &mut Names) {
    match part {
        SpecPart::Op(QueueOp::Enq(value)) | SpecPart::Ret(ContainerRet::Value(value)) => {
            names.value(value)
        }
        SpecPart::State(queue) => queue.values.iter_mut().for_each(|value| names.value(value)),
        _ => {}
    }
}
