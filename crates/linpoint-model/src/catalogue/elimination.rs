//! The elimination-backoff stack of Hendler, Shavit and Yerushalmi (SPAA 2004), with one slot that is read once.

use super::interfaces::{ContainerFlow, STACK};
use super::specs::{ContainerRet, Stack, StackOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::{Heap, Names, Node};
use Flow::{Goto, Return};
use StackOp::{Pop, Push};

/// The elimination stack.
#[derive(Clone, Debug)]
pub struct Elimination {
    /// If false, an operation that finds another one in the slot does not check that it is the opposite operation.
    pub checks_kind: bool,
    spec: Stack,
}

impl Elimination {
    /// Correct.
    pub fn correct() -> Elimination {
        Elimination { checks_kind: true, spec: Stack::default() }
    }

    /// A pop that meets a pop returns empty, a push that meets a push returns: broken.
    pub fn kind_unchecked() -> Elimination {
        Elimination { checks_kind: false, ..Elimination::correct() }
    }
}

/// A node of the stack. Immutable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cell {
    val: u8,
    next: u8,
}

impl Node for Cell {
    fn names(&mut self, names: &mut Names) {
        names.value(&mut self.val);
        names.node(&mut self.next);
    }
}

/// The elimination slot: a waiting operation or a pair that has met.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Slot {
    /// Empty.
    #[default]
    Empty,
    /// An operation waits.
    Waiting(Item),
    /// Another operation has arrived.
    Busy(Item),
}

/// What an operation offers in the slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// A push of this value.
    Value(u8),
    /// A pop.
    Pop,
}

impl Slot {
    fn names(&mut self, names: &mut Names) {
        if let Slot::Waiting(Item::Value(value)) | Slot::Busy(Item::Value(value)) = self {
            names.value(value);
        }
    }
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    top: u8,
    slot: Slot,
    nodes: Heap<Cell, 16>,
}

/// Local state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    t: u8,
    x: u8,
    s: Slot,
}

impl Elimination {
    /// This operation met one that offered `other`.
    fn finish(&self, op: &StackOp, other: Item, me: &mut Local) -> ContainerFlow {
        *me = Local::default();
        match (op, other) {
            (Push(_), Item::Pop) => Return(ContainerRet::Ok),
            (Pop, Item::Value(value)) => Return(ContainerRet::Value(value)),
            (Push(_), _) if !self.checks_kind => Return(ContainerRet::Ok),
            (Pop, _) if !self.checks_kind => Return(ContainerRet::Empty),
            _ => Goto(0),
        }
    }
}

fn again(me: &mut Local) -> ContainerFlow {
    *me = Local::default();
    Goto(0)
}

impl Model for Elimination {
    type Spec = Stack;
    const INTERFACE: Interface<Stack> = STACK;
    type Shared = Shared;
    type Local = Local;

    fn step(&self, cx: &mut Cx, op: &StackOp, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        let my = match op {
            Push(a) => Item::Value(*a),
            Pop => Item::Pop,
        };
        match (cx.line, op) {
            (0, Pop) if mem.top == 0 => Return(ContainerRet::Empty),
            (0, _) => {
                me.t = mem.top;
                Goto(if *op == Pop { 1 } else { 2 })
            }
            (1, _) => {
                me.x = mem.nodes[me.t].next;
                Goto(2)
            }
            (2, Push(a)) if mem.top == me.t => {
                mem.top = mem.nodes.alloc(Cell { val: *a, next: me.t });
                Return(ContainerRet::Ok)
            }
            (2, Pop) if mem.top == me.t => {
                mem.top = me.x;
                Return(ContainerRet::Value(mem.nodes[me.t].val))
            }
            (2, _) => {
                *me = Local::default();
                Goto(3)
            }
            (3, _) => match mem.slot {
                Slot::Empty => Goto(4),
                Slot::Busy(_) => again(me),
                waiting @ Slot::Waiting(_) => {
                    me.s = waiting;
                    Goto(7)
                }
            },
            (4, _) if mem.slot == Slot::Empty => {
                mem.slot = Slot::Waiting(my);
                Goto(5)
            }
            (4, _) => again(me),
            (5, _) if mem.slot == Slot::Waiting(my) => {
                mem.slot = Slot::Empty;
                again(me)
            }
            (5, _) => {
                me.s = mem.slot;
                Goto(6)
            }
            (6, _) => {
                mem.slot = Slot::Empty;
                match me.s {
                    Slot::Waiting(other) | Slot::Busy(other) => self.finish(op, other, me),
                    Slot::Empty => again(me),
                }
            }
            (_, _) => match me.s {
                Slot::Waiting(other) if mem.slot == me.s => {
                    mem.slot = Slot::Busy(my);
                    self.finish(op, other, me)
                }
                _ => again(me),
            },
        }
    }

    fn is_mover(&self, cx: &Cx, _op: &StackOp, _mem: &Shared, _me: &Local) -> bool {
        // Nodes are immutable.
        cx.line == 1
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry { threads: true, values: true, nodes: true }
    }

    fn shared_names(&self, mem: &mut Shared, names: &mut Names) {
        names.node(&mut mem.top);
        mem.slot.names(names);
        names.heap(&mut mem.nodes);
    }

    fn local_names(&self, me: &mut Local, names: &mut Names) {
        names.node(&mut me.t);
        names.node(&mut me.x);
        me.s.names(names);
    }

    fn spec(&self) -> &Stack {
        &self.spec
    }
}
