//! The array queue of Shann, Huang and Chen (ICPADS 2000), known as the "buggy queue" since Colvin and Groves
//! (ICECCS 2005) found its error, and two repairs.

use super::interfaces::{ContainerFlow, QUEUE};
use super::specs::{ContainerRet, Queue, QueueOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::Names;
use Flow::{Goto, Return};
use QueueOp::{Deq, Enq};

const SLOTS: usize = 4;

/// How the bug is fixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Repair {
    None,
    /// The test for empty or full comes before the slot is read.
    TestFirst,
    /// The slot is read again before it is skipped.
    ReadAgain,
}

/// The array queue.
#[derive(Clone, Debug)]
pub struct ArrayQueue {
    repair: Repair,
    length: u8,
    spec: Queue,
}

impl ArrayQueue {
    fn with(length: u8, repair: Repair) -> ArrayQueue {
        let length = length.clamp(1, SLOTS as u8);
        ArrayQueue { repair, length, spec: Queue { capacity: Some(length), ..Queue::default() } }
    }

    /// As published, with this many slots (at most 4): broken.
    pub fn published(length: u8) -> ArrayQueue {
        ArrayQueue::with(length, Repair::None)
    }

    /// The test for empty or full comes before the slot is read: correct.
    pub fn test_first(length: u8) -> ArrayQueue {
        ArrayQueue::with(length, Repair::TestFirst)
    }

    /// A slot is read again before it is skipped: correct.
    pub fn read_again(length: u8) -> ArrayQueue {
        ArrayQueue::with(length, Repair::ReadAgain)
    }

    /// The lines of an operation in the order of execution: 0 first, then these.
    fn after(&self, line: u8) -> u8 {
        let order = if self.repair == Repair::TestFirst { [0, 3, 1, 2] } else { [0, 1, 2, 3] };
        let at = order.iter().position(|l| *l == line).unwrap_or(3);
        order.get(at + 1).copied().unwrap_or(9)
    }

    /// The line after all tests have passed.
    fn tested(&self, line: u8, acts: bool) -> ContainerFlow {
        match self.after(line) {
            9 if acts => Goto(4),
            9 if self.repair == Repair::ReadAgain => Goto(7),
            9 => Goto(6),
            next => Goto(next),
        }
    }
}

/// A slot: a value and a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Slot {
    val: u8,
    count: u8,
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    front: u8,
    rear: u8,
    q: [Slot; SLOTS],
}

/// Local state of a thread: `f` or `r`, and the slot.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    i: u8,
    x: Slot,
}

fn again(me: &mut Local) -> ContainerFlow {
    *me = Local::default();
    Goto(0)
}

impl Model for ArrayQueue {
    type Spec = Queue;
    const INTERFACE: Interface<Queue> = QUEUE;
    type Shared = Shared;
    type Local = Local;

    fn step(&self, cx: &mut Cx, op: &QueueOp, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        let (is_empty, is_full) = (mem.rear == me.i, mem.front + self.length == me.i);
        let Shared { front, rear, q } = mem;
        // Enqueues work at the rear, dequeues at the front. The code is the same otherwise.
        let own = if *op == Deq { front } else { &mut *rear };
        let slot = &mut q[usize::from(me.i % self.length)];
        let acts = (me.x.val != 0) == (*op == Deq);
        match cx.line {
            0 => {
                me.i = *own;
                Goto(self.after(0))
            }
            1 => {
                me.x = *slot;
                Goto(self.after(1))
            }
            2 if *own != me.i => again(me),
            2 => self.tested(2, acts),
            3 if *op == Deq && is_empty => Return(ContainerRet::Empty),
            3 if *op != Deq && is_full => Return(ContainerRet::Full),
            3 => self.tested(3, acts),
            4 if *slot != me.x => again(me),
            4 => {
                let val = if let Enq(a) = op { *a } else { 0 };
                *slot = Slot { val, count: me.x.count + 1 };
                me.x.count = 0;
                Goto(5)
            }
            5 => {
                if *own == me.i {
                    *own += 1;
                }
                Return(if *op == Deq { ContainerRet::Value(me.x.val) } else { ContainerRet::Ok })
            }
            7 if *slot != me.x => again(me),
            7 => {
                me.x = Slot::default();
                Goto(6)
            }
            _ => {
                if *own == me.i {
                    *own += 1;
                }
                again(me)
            }
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry { threads: true, values: true, nodes: false }
    }

    fn shared_names(&self, mem: &mut Shared, names: &mut Names) {
        mem.q.iter_mut().for_each(|slot| names.value(&mut slot.val));
    }

    fn local_names(&self, me: &mut Local, names: &mut Names) {
        names.value(&mut me.x.val);
    }

    fn label(&self, op: &QueueOp, line: u8) -> String {
        let side = if *op == Deq { 'D' } else { 'E' };
        if line == 7 { format!("{side}1 again") } else { format!("{side}{line}") }
    }

    fn spec(&self) -> &Queue {
        &self.spec
    }
}
