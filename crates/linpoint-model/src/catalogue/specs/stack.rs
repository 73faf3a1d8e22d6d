//! Stacks.

use linpoint::Sequential;

use super::ContainerRet;
use crate::model::SpecPart;
use crate::names::Names;

/// Operations of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StackOp {
    /// Pushes a value.
    Push(u8),
    /// Pops the top value.
    Pop,
}

impl StackOp {
    pub(crate) fn all(fresh: u8) -> Vec<StackOp> {
        vec![StackOp::Push(fresh), StackOp::Pop]
    }

    pub(crate) fn value(&self) -> Option<u8> {
        match self {
            StackOp::Push(value) => Some(*value),
            StackOp::Pop => None,
        }
    }

    pub(crate) fn parse(name: &str, argument: Option<u8>) -> Option<StackOp> {
        match (name, argument) {
            ("push", Some(value)) => Some(StackOp::Push(value)),
            ("pop", None) => Some(StackOp::Pop),
            _ => None,
        }
    }
}

/// A stack.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stack(Vec<u8>);

impl Sequential for Stack {
    type Op = StackOp;
    type Ret = ContainerRet;

    fn apply(&mut self, op: &StackOp) -> ContainerRet {
        match op {
            StackOp::Push(value) => {
                self.0.push(*value);
                ContainerRet::Ok
            }
            StackOp::Pop => ContainerRet::of(self.0.pop()),
        }
    }

    fn describe_op(&self, op: &StackOp) -> String {
        match op {
            StackOp::Push(value) => format!("push({value})"),
            StackOp::Pop => "pop".into(),
        }
    }

    fn describe_ret(&self, _op: &StackOp, ret: &ContainerRet) -> String {
        ret.words()
    }

    fn describe(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Visits values in stacks.
pub(crate) fn stack_names(part: SpecPart<'_, Stack>, names: &mut Names) {
    match part {
        SpecPart::Op(StackOp::Push(value)) | SpecPart::Ret(ContainerRet::Value(value)) => {
            names.value(value)
        }
        SpecPart::State(stack) => stack.0.iter_mut().for_each(|value| names.value(value)),
        _ => {}
    }
}
