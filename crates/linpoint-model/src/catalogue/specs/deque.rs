//! Deques.

use linpoint::Sequential;

use super::ContainerRet;
use crate::model::SpecPart;
use crate::names::Names;

/// An end of a deque.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// Operations of a deque.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DequeOp {
    /// Pushes a value at one end.
    Push(Side, u8),
    /// Pops the value at one end.
    Pop(Side),
}

impl DequeOp {
    pub(crate) fn all(fresh: u8) -> Vec<DequeOp> {
        use Side::{Left, Right};
        vec![
            DequeOp::Push(Right, fresh),
            DequeOp::Push(Left, fresh),
            DequeOp::Pop(Right),
            DequeOp::Pop(Left),
        ]
    }

    pub(crate) fn value(&self) -> Option<u8> {
        match self {
            DequeOp::Push(_, value) => Some(*value),
            DequeOp::Pop(_) => None,
        }
    }

    pub(crate) fn parse(name: &str, argument: Option<u8>) -> Option<DequeOp> {
        match (name, argument) {
            ("pushR", Some(value)) => Some(DequeOp::Push(Side::Right, value)),
            ("pushL", Some(value)) => Some(DequeOp::Push(Side::Left, value)),
            ("popR", None) => Some(DequeOp::Pop(Side::Right)),
            ("popL", None) => Some(DequeOp::Pop(Side::Left)),
            _ => None,
        }
    }
}

/// A double-ended queue.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Deque(Vec<u8>);

impl Sequential for Deque {
    type Op = DequeOp;
    type Ret = ContainerRet;

    fn apply(&mut self, op: &DequeOp) -> ContainerRet {
        match op {
            DequeOp::Push(Side::Right, value) => self.0.push(*value),
            DequeOp::Push(Side::Left, value) => self.0.insert(0, *value),
            DequeOp::Pop(Side::Right) => return ContainerRet::of(self.0.pop()),
            DequeOp::Pop(Side::Left) if self.0.is_empty() => return ContainerRet::Empty,
            DequeOp::Pop(Side::Left) => return ContainerRet::Value(self.0.remove(0)),
        }
        ContainerRet::Ok
    }

    fn describe_op(&self, op: &DequeOp) -> String {
        match op {
            DequeOp::Push(Side::Right, value) => format!("pushR({value})"),
            DequeOp::Push(Side::Left, value) => format!("pushL({value})"),
            DequeOp::Pop(Side::Right) => "popR".into(),
            DequeOp::Pop(Side::Left) => "popL".into(),
        }
    }

    fn describe_ret(&self, _op: &DequeOp, ret: &ContainerRet) -> String {
        ret.words()
    }

    fn describe(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Visits values in deques.
pub(crate) fn deque_names(part: SpecPart<'_, Deque>, names: &mut Names) {
    match part {
        SpecPart::Op(DequeOp::Push(_, value)) | SpecPart::Ret(ContainerRet::Value(value)) => {
            names.value(value)
        }
        SpecPart::State(deque) => deque.0.iter_mut().for_each(|value| names.value(value)),
        _ => {}
    }
}
