//! The queue of Herlihy and Wing (TOPLAS 1990). A dequeue of an empty queue retries until there is a value. It is the
//! standard example of an algorithm whose enqueues have no fixed linearization points.

use super::interfaces::{ContainerFlow, QUEUE};
use super::specs::{ContainerRet, Queue, QueueOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::Names;
use Flow::{Goto, Return};
use QueueOp::{Deq, Enq};

const SLOTS: usize = 16;

/// The queue of Herlihy and Wing.
#[derive(Clone, Debug)]
pub struct HerlihyWing {
    /// Broken: slots are reserved by a read and a write instead of one atomic step.
    splits: bool,
    /// Broken: dequeues search from the end.
    downwards: bool,
    spec: Queue,
}

impl HerlihyWing {
    /// Correct.
    pub fn correct() -> HerlihyWing {
        let spec = Queue { waits: true, ..Queue::default() };
        HerlihyWing { splits: false, downwards: false, spec }
    }

    /// Slots are reserved by a read and then a write: broken.
    pub fn split() -> HerlihyWing {
        HerlihyWing { splits: true, ..HerlihyWing::correct() }
    }

    /// Dequeues search from the end: broken even in sequential runs.
    pub fn downwards() -> HerlihyWing {
        HerlihyWing { downwards: true, ..HerlihyWing::correct() }
    }
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    back: u8,
    items: [u8; SLOTS],
}

/// Local state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    i: u8,
    r: u8,
}

impl Model for HerlihyWing {
    type Spec = Queue;
    const INTERFACE: Interface<Queue> = QUEUE;
    type Shared = Shared;
    type Local = Local;

    fn step(&self, cx: &mut Cx, op: &QueueOp, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        match (op, cx.line) {
            (Enq(_), 0) => {
                me.i = mem.back;
                if self.splits {
                    return Goto(2);
                }
                mem.back += 1;
                Goto(1)
            }
            (Enq(_), 2) => {
                mem.back = me.i + 1;
                Goto(1)
            }
            (Enq(a), _) => {
                mem.items[usize::from(me.i)] = *a;
                Return(ContainerRet::Ok)
            }
            (Deq, 0) => {
                *me = Local { i: 0, r: mem.back };
                Goto(if me.r == 0 { 0 } else { 1 })
            }
            (Deq, _) => {
                let at = if self.downwards { me.r - 1 - me.i } else { me.i };
                match std::mem::take(&mut mem.items[usize::from(at)]) {
                    0 => {
                        me.i += 1;
                        if me.i < me.r {
                            return Goto(1);
                        }
                        *me = Local::default();
                        Goto(0)
                    }
                    value => Return(ContainerRet::Value(value)),
                }
            }
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry { threads: true, values: true, nodes: false }
    }

    fn shared_names(&self, mem: &mut Shared, names: &mut Names) {
        mem.items.iter_mut().for_each(|value| names.value(value));
    }

    fn label(&self, op: &QueueOp, line: u8) -> String {
        match (op, line) {
            (Enq(_), 2) => "E0, second half".into(),
            (Enq(_), _) => format!("E{line}"),
            (Deq, _) => format!("D{line}"),
        }
    }

    fn spec(&self) -> &Queue {
        &self.spec
    }
}
