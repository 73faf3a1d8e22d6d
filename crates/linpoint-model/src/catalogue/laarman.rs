//! One slot of the hash map of Laarman, van de Pol and Weber (FMCAD 2010) with update and delete, after Lowe ("Testing
//! for linearizability", section 8).

use super::interfaces::{ContainerFlow, SLOT};
use super::specs::{ContainerRet, Slot, SlotOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::Names;
use Flow::{Goto, Return, Wait};
use SlotOp::{Delete, Get, Update};

/// The planted bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Error {
    None,
    DeleteWrites,
    DeleteWaitsAndWrites,
    StatusFirst,
}

/// A slot of a hash map.
#[derive(Clone, Debug)]
pub struct Laarman {
    error: Error,
    spec: Slot,
}

impl Laarman {
    fn with(error: Error) -> Laarman {
        Laarman { error, spec: Slot::default() }
    }

    /// A delete by compare-and-swap: correct.
    pub fn correct() -> Laarman {
        Laarman::with(Error::None)
    }

    /// A delete is a plain write: broken.
    pub fn delete_writes() -> Laarman {
        Laarman::with(Error::DeleteWrites)
    }

    /// A delete waits for updates, and then is a plain write: broken.
    pub fn delete_waits_and_writes() -> Laarman {
        Laarman::with(Error::DeleteWaitsAndWrites)
    }

    /// The status is published before the value: broken.
    pub fn status_first() -> Laarman {
        Laarman::with(Error::StatusFirst)
    }
}

/// The status of the slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Status {
    /// Never written.
    #[default]
    Empty,
    /// A value is being stored.
    Updating,
    /// A value is stored.
    Stored,
    /// The value was removed.
    Deleted,
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    status: Status,
    value: u8,
}

/// Local state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    s: Status,
}

impl Model for Laarman {
    type Spec = Slot;
    const INTERFACE: Interface<Slot> = SLOT;
    type Shared = Shared;
    type Local = Local;

    fn step(&self, cx: &mut Cx, op: &SlotOp, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        match (op, cx.line) {
            (Delete, 0) if self.error == Error::DeleteWrites => {
                mem.status = Status::Deleted;
                Return(ContainerRet::Ok)
            }
            (_, 0) if mem.status == Status::Updating => Wait,
            (Update(_), 0) => {
                me.s = mem.status;
                Goto(1)
            }
            (Update(_), 1) => {
                if mem.status != std::mem::take(&mut me.s) {
                    return Goto(0);
                }
                mem.status = Status::Updating;
                Goto(if self.error == Error::StatusFirst { 3 } else { 2 })
            }
            (Update(a), 2) => {
                mem.value = *a;
                if self.error == Error::StatusFirst { Return(ContainerRet::Ok) } else { Goto(3) }
            }
            (Update(_), _) => {
                mem.status = Status::Stored;
                if self.error == Error::StatusFirst { Goto(2) } else { Return(ContainerRet::Ok) }
            }
            (Delete, 0) if mem.status != Status::Stored => Return(ContainerRet::Ok),
            (Delete, 0) => Goto(1),
            (Delete, _) => {
                if mem.status != Status::Stored && self.error != Error::DeleteWaitsAndWrites {
                    return Goto(0);
                }
                mem.status = Status::Deleted;
                Return(ContainerRet::Ok)
            }
            (Get, 0) if mem.status != Status::Stored => Return(ContainerRet::Empty),
            (Get, 0) => Goto(1),
            (Get, _) => Return(ContainerRet::Value(mem.value)),
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry { threads: true, values: true, nodes: false }
    }

    fn shared_names(&self, mem: &mut Shared, names: &mut Names) {
        names.value(&mut mem.value);
    }

    fn label(&self, op: &SlotOp, line: u8) -> String {
        let kind = match op {
            Update(_) => 'U',
            Delete => 'D',
            Get => 'G',
        };
        format!("{kind}{line}")
    }

    fn spec(&self) -> &Slot {
        &self.spec
    }
}
