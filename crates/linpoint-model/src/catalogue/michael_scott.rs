//! The queue of Michael and Scott (PODC 1996), with garbage collection or with nodes that are reused.

use super::interfaces::{ContainerFlow, QUEUE};
use super::specs::{ContainerRet, Queue, QueueOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::Names;
use Flow::{Goto, Return};
use QueueOp::{Deq, Enq};

const NODES: usize = 16;

/// The queue of Michael and Scott.
#[derive(Clone, Debug)]
pub struct MichaelScott {
    /// Nodes are reused.
    reuses: bool,
    /// Pointers count their changes.
    counts: bool,
    /// Broken: the value is read after the node was unlinked.
    value_after: bool,
    /// A dequeue does not test whether head and tail are equal.
    skips_test: bool,
    spec: Queue,
}

impl MichaelScott {
    /// With garbage collection: correct.
    pub fn collected() -> MichaelScott {
        MichaelScott {
            reuses: false,
            counts: false,
            value_after: false,
            skips_test: false,
            spec: Queue::default(),
        }
    }

    /// Nodes are reused, with counters: correct.
    pub fn counted() -> MichaelScott {
        MichaelScott { reuses: true, counts: true, ..MichaelScott::collected() }
    }

    /// Nodes are reused, without counters: broken.
    pub fn uncounted() -> MichaelScott {
        MichaelScott { reuses: true, ..MichaelScott::collected() }
    }

    /// With counters, but the value is read after the CAS: broken.
    pub fn value_after() -> MichaelScott {
        MichaelScott { value_after: true, ..MichaelScott::counted() }
    }

    /// With garbage collection, and without the test `Head = Tail`: looks broken and is correct.
    pub fn without_test() -> MichaelScott {
        MichaelScott { skips_test: true, ..MichaelScott::collected() }
    }
}

/// A pointer with a counter; the counter stays 0 where there are none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ptr {
    node: u8,
    count: u8,
}

/// Shared memory. Nodes are 1, 2, …; 0 is null; 1 is the first dummy.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    head: Ptr,
    tail: Ptr,
    val: [u8; NODES],
    next: [Ptr; NODES],
    is_free: [bool; NODES],
}

/// Local state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    n: u8,
    h: Ptr,
    t: Ptr,
    x: Ptr,
    v: u8,
}

impl MichaelScott {
    fn cas(&self, target: &mut Ptr, expected: Ptr, node: u8) -> bool {
        let same = *target == expected;
        if same {
            *target = Ptr { node, count: expected.count + u8::from(self.counts) };
        }
        same
    }
}

fn at(node: u8) -> usize {
    usize::from(node)
}

impl Model for MichaelScott {
    type Spec = Queue;
    const INTERFACE: Interface<Queue> = QUEUE;
    type Shared = Shared;
    type Local = Local;

    fn initial(&self) -> Shared {
        let dummy = Ptr { node: 1, count: 0 };
        let mut is_free = [true; NODES];
        is_free[1] = false;
        Shared { head: dummy, tail: dummy, val: [0; NODES], next: [Ptr::default(); NODES], is_free }
    }

    fn step(&self, cx: &mut Cx, op: &QueueOp, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        match (op, cx.line) {
            (Enq(a), 0) => {
                let free = (1..NODES).find(|node| mem.is_free[*node]).expect("no free node");
                mem.is_free[free] = false;
                me.n = free as u8;
                mem.val[free] = *a;
                let count = mem.next[free].count + u8::from(self.counts);
                mem.next[free] = Ptr { node: 0, count };
                Goto(1)
            }
            (Enq(_), 1) => {
                me.t = mem.tail;
                Goto(2)
            }
            (Enq(_), 2) => {
                me.x = mem.next[at(me.t.node)];
                Goto(3)
            }
            (Enq(_), 3) if mem.tail != me.t => {
                *me = Local { n: me.n, ..Local::default() };
                Goto(1)
            }
            (Enq(_), 3) => Goto(if me.x.node == 0 { 4 } else { 6 }),
            (Enq(_), 4) => {
                if self.cas(&mut mem.next[at(me.t.node)], me.x, me.n) {
                    cx.point();
                    me.x = Ptr::default();
                    return Goto(5);
                }
                *me = Local { n: me.n, ..Local::default() };
                Goto(1)
            }
            (Enq(_), 5) => {
                self.cas(&mut mem.tail, me.t, me.n);
                Return(ContainerRet::Ok)
            }
            (Enq(_), _) => {
                self.cas(&mut mem.tail, me.t, me.x.node);
                *me = Local { n: me.n, ..Local::default() };
                Goto(1)
            }
            (Deq, 0) => {
                me.h = mem.head;
                Goto(1)
            }
            (Deq, 1) => {
                me.t = mem.tail;
                Goto(2)
            }
            (Deq, 2) => {
                me.x = mem.next[at(me.h.node)];
                Goto(3)
            }
            (Deq, 3) if mem.head != me.h => {
                *me = Local::default();
                Goto(0)
            }
            (Deq, 3) => {
                let is_empty = me.x.node == 0;
                if is_empty && (self.skips_test || me.h.node == me.t.node) {
                    return Return(ContainerRet::Empty);
                }
                if me.h.node == me.t.node && !self.skips_test {
                    return Goto(4);
                }
                me.t = Ptr::default();
                Goto(if self.value_after { 6 } else { 5 })
            }
            (Deq, 4) => {
                self.cas(&mut mem.tail, me.t, me.x.node);
                *me = Local::default();
                Goto(0)
            }
            (Deq, 5) => {
                me.v = mem.val[at(me.x.node)];
                Goto(6)
            }
            (Deq, 6) => {
                if !self.cas(&mut mem.head, me.h, me.x.node) {
                    *me = Local::default();
                    return Goto(0);
                }
                cx.point();
                Goto(if self.value_after { 8 } else { 7 })
            }
            (Deq, 8) => {
                me.v = mem.val[at(me.x.node)];
                Goto(7)
            }
            (Deq, _) => {
                mem.is_free[at(me.h.node)] = self.reuses;
                Return(ContainerRet::Value(me.v))
            }
        }
    }

    fn is_mover(&self, cx: &Cx, op: &QueueOp, _mem: &Shared, me: &Local) -> bool {
        // With garbage collection values do not change once their node is linked, and no node is freed.
        !self.reuses && *op == Deq && (cx.line == 7 || cx.line == 5 && me.x.node != 0)
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

    fn label(&self, op: &QueueOp, line: u8) -> String {
        match (op, line) {
            (Deq, 8) => "D5, after D6".into(),
            (Deq, _) => format!("D{line}"),
            (Enq(_), _) => format!("E{line}"),
        }
    }

    fn spec(&self) -> &Queue {
        &self.spec
    }
}
