//! Maps with one key.

use linpoint::Sequential;

use super::ContainerRet;
use crate::model::SpecPart;
use crate::names::Names;

/// Operations of a map with one key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SlotOp {
    /// Stores a value.
    Update(u8),
    /// Removes the value.
    Delete,
    /// Reads the value.
    Get,
}

impl SlotOp {
    pub(crate) fn parse(name: &str, argument: Option<u8>) -> Option<SlotOp> {
        match (name, argument) {
            ("update", Some(value)) => Some(SlotOp::Update(value)),
            ("delete", None) => Some(SlotOp::Delete),
            ("get", None) => Some(SlotOp::Get),
            _ => None,
        }
    }
}

/// A map with one key.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Slot(Option<u8>);

impl Sequential for Slot {
    type Op = SlotOp;
    type Ret = ContainerRet;

    fn apply(&mut self, op: &SlotOp) -> ContainerRet {
        match op {
            SlotOp::Update(value) => self.0 = Some(*value),
            SlotOp::Delete => self.0 = None,
            SlotOp::Get => return ContainerRet::of(self.0),
        }
        ContainerRet::Ok
    }

    fn describe_op(&self, op: &SlotOp) -> String {
        match op {
            SlotOp::Update(value) => format!("update({value})"),
            SlotOp::Delete => "delete".into(),
            SlotOp::Get => "get".into(),
        }
    }

    fn describe_ret(&self, op: &SlotOp, ret: &ContainerRet) -> String {
        match (op, ret) {
            (SlotOp::Get, ContainerRet::Empty) => "absent".into(),
            _ => ret.words(),
        }
    }
}

/// Visits values in maps of one key.
pub(crate) fn slot_names(part: SpecPart<'_, Slot>, names: &mut Names) {
    match part {
        SpecPart::Op(SlotOp::Update(value)) | SpecPart::Ret(ContainerRet::Value(value)) => {
            names.value(value)
        }
        SpecPart::State(slot) => slot.0.iter_mut().for_each(|value| names.value(value)),
        _ => {}
    }
}
