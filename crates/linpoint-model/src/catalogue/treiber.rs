//! Treiber's stack (IBM report RJ 5118, 1986), with garbage collection or with nodes that are reused.

use super::interfaces::{ContainerFlow, STACK};
use super::specs::{ContainerRet, Stack, StackOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::Names;
use Flow::{Goto, Return};
use StackOp::{Pop, Push};

const NODES: usize = 16;

/// How popped nodes are managed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Memory {
    /// Nodes are never reused.
    Collected,
    /// Nodes are reused, and `top` counts its changes.
    Tagged,
    /// Nodes are reused; the value is read before the node is popped.
    ValueBefore,
    /// Nodes are reused; the value is read after the node was popped.
    ValueAfter,
}

/// Treiber's stack.
#[derive(Clone, Debug)]
pub struct Treiber {
    memory: Memory,
    spec: Stack,
}

impl Treiber {
    fn with(memory: Memory) -> Treiber {
        Treiber { memory, spec: Stack::default() }
    }

    /// With garbage collection: correct.
    pub fn collected() -> Treiber {
        Treiber::with(Memory::Collected)
    }

    /// Nodes are reused, with a tag that counts changes of `top`: correct.
    pub fn tagged() -> Treiber {
        Treiber::with(Memory::Tagged)
    }

    /// Nodes are reused without tags, and a pop reads the value before its CAS: broken.
    pub fn reuse_value_before() -> Treiber {
        Treiber::with(Memory::ValueBefore)
    }

    /// Nodes are reused without tags, and a pop reads the value after its CAS: broken.
    pub fn reuse_value_after() -> Treiber {
        Treiber::with(Memory::ValueAfter)
    }
}

/// Shared memory. Nodes are 1, 2, …; 0 is null.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    top: u8,
    tag: u8,
    val: [u8; NODES],
    next: [u8; NODES],
    is_free: [bool; NODES],
}

/// Local state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    n: u8,
    t: u8,
    tag: u8,
    x: u8,
    v: u8,
}

impl Shared {
    fn alloc(&mut self) -> u8 {
        let free = (1..NODES).find(|node| self.is_free[*node]).expect("no free node");
        self.is_free[free] = false;
        free as u8
    }

    /// CAS(top, t → new), with the tag where there is one.
    fn cas_top(&mut self, me: &Local, new: u8, is_tagged: bool) -> bool {
        let same = self.top == me.t && (!is_tagged || self.tag == me.tag);
        if same {
            self.top = new;
            self.tag += u8::from(is_tagged);
        }
        same
    }
}

impl Model for Treiber {
    type Spec = Stack;
    const INTERFACE: Interface<Stack> = STACK;
    type Shared = Shared;
    type Local = Local;

    fn initial(&self) -> Shared {
        Shared { top: 0, tag: 0, val: [0; NODES], next: [0; NODES], is_free: [true; NODES] }
    }

    fn step(&self, cx: &mut Cx, op: &StackOp, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        let tagged = self.memory == Memory::Tagged;
        match (op, cx.line) {
            (Push(a), 0) => {
                me.n = mem.alloc();
                mem.val[usize::from(me.n)] = *a;
                Goto(1)
            }
            (Push(_), 1) => {
                (me.t, me.tag) = (mem.top, mem.tag);
                Goto(2)
            }
            (Push(_), 2) => {
                mem.next[usize::from(me.n)] = me.t;
                Goto(3)
            }
            (Push(_), _) => {
                if mem.cas_top(me, me.n, tagged) {
                    cx.point();
                    return Return(ContainerRet::Ok);
                }
                (me.t, me.tag) = (0, 0);
                Goto(1)
            }
            (Pop, 0) => {
                *me = Local { t: mem.top, tag: mem.tag, ..Local::default() };
                if me.t == 0 {
                    cx.point();
                    return Return(ContainerRet::Empty);
                }
                Goto(1)
            }
            (Pop, 1) => {
                me.x = mem.next[usize::from(me.t)];
                Goto(if self.memory == Memory::ValueAfter { 3 } else { 2 })
            }
            (Pop, 2) => {
                me.v = mem.val[usize::from(me.t)];
                Goto(3)
            }
            (Pop, 3) => {
                if !mem.cas_top(me, me.x, tagged) {
                    *me = Local::default();
                    return Goto(0);
                }
                cx.point();
                (me.x, me.tag) = (0, 0);
                Goto(if self.memory == Memory::ValueAfter { 4 } else { 5 })
            }
            (Pop, 4) => {
                me.v = mem.val[usize::from(me.t)];
                Goto(5)
            }
            (Pop, _) => {
                mem.is_free[usize::from(me.t)] = self.memory != Memory::Collected;
                Return(ContainerRet::Value(me.v))
            }
        }
    }

    fn is_mover(&self, cx: &Cx, op: &StackOp, _mem: &Shared, _me: &Local) -> bool {
        // With garbage collection a node is private until it is published, immutable after that, and never freed.
        self.memory == Memory::Collected && matches!((op, cx.line), (Push(_), 2) | (Pop, 1 | 2 | 5))
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry { threads: true, values: true, nodes: false }
    }

    fn shared_names(&self, mem: &mut Shared, names: &mut Names) {
        mem.val.iter_mut().for_each(|value| names.value(value));
    }

    fn local_names(&self, me: &mut Local, names: &mut Names) {
        names.value(&mut me.v);
    }

    fn has_points(&self) -> bool {
        true
    }

    fn label(&self, op: &StackOp, line: u8) -> String {
        format!("{}{line}", if *op == Pop { 'P' } else { 'U' })
    }

    fn show(&self, mem: &Shared) -> String {
        let mut text = format!("top={}", mem.top);
        for node in (1..NODES).filter(|node| mem.val[*node] != 0) {
            let free = if mem.is_free[node] { " free" } else { "" };
            text += &format!(" {node}:(val={} next={}{free})", mem.val[node], mem.next[node]);
        }
        text
    }

    fn spec(&self) -> &Stack {
        &self.spec
    }
}
