//! The lock-free list of Harris (DISC 2001) and Michael (SPAA 2002).

use super::interfaces::SET;
use super::specs::{Set, SetOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::{Heap, Names, Node};
use Flow::{Goto, Return};

const HEAD: u8 = 1;
const TAIL: u8 = 2;

/// The lock-free list.
#[derive(Clone, Debug)]
pub struct HarrisMichael {
    marks: bool,
    contains_sees_marks: bool,
    spec: Set,
}

impl HarrisMichael {
    /// With two keys: correct.
    pub fn correct() -> HarrisMichael {
        HarrisMichael { marks: true, contains_sees_marks: true, spec: Set::default() }
    }

    /// Nodes are unlinked without being marked first: broken.
    pub fn unmarked() -> HarrisMichael {
        HarrisMichael { marks: false, ..HarrisMichael::correct() }
    }

    /// `contains` ignores marks: broken.
    pub fn contains_blind() -> HarrisMichael {
        HarrisMichael { contains_sees_marks: false, ..HarrisMichael::correct() }
    }
}

/// A node. Successor and mark are one register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cell {
    key: u8,
    next: u8,
    mark: bool,
}

impl Node for Cell {
    fn names(&mut self, names: &mut Names) {
        names.node(&mut self.next);
    }
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    nodes: Heap<Cell, 12>,
}

/// Local state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    p: u8,
    c: u8,
    x: u8,
    m: bool,
}

impl Shared {
    /// CAS(node.(next, mark), (old, 0) → (new, mark)).
    fn cas(&mut self, node: u8, old: u8, new: u8, mark: bool) -> bool {
        let cell = &mut self.nodes[node];
        let same = cell.next == old && !cell.mark;
        if same {
            (cell.next, cell.mark) = (new, mark);
        }
        same
    }
}

fn again(me: &mut Local) -> Flow<bool> {
    *me = Local::default();
    Goto(0)
}

impl HarrisMichael {
    fn contains(&self, line: u8, k: u8, mem: &Shared, me: &mut Local) -> Flow<bool> {
        if line == 0 {
            me.c = mem.nodes[HEAD].next;
            return Goto(1);
        }
        let cell = mem.nodes[me.c];
        if cell.key < k {
            me.c = cell.next;
            return Goto(1);
        }
        Return(cell.key == k && !(cell.mark && self.contains_sees_marks))
    }

    /// The search has found its window.
    fn found(&self, op: &SetOp, found: bool, me: &mut Local) -> Flow<bool> {
        match (op.is_add(), found) {
            (true, true) | (false, false) => Return(false),
            (true, false) => {
                me.x = 0;
                Goto(4)
            }
            (false, true) => Goto(if self.marks { 5 } else { 6 }),
        }
    }
}

impl Model for HarrisMichael {
    type Spec = Set;
    const INTERFACE: Interface<Set> = SET;
    type Shared = Shared;
    type Local = Local;

    fn initial(&self) -> Shared {
        let mut nodes = Heap::default();
        nodes.alloc(Cell { key: 0, next: TAIL, mark: false });
        nodes.alloc(Cell { key: u8::MAX, next: 0, mark: false });
        Shared { nodes }
    }

    fn step(&self, cx: &mut Cx, op: &SetOp, mem: &mut Shared, me: &mut Local) -> Flow<bool> {
        let k = op.key();
        if matches!(op, SetOp::Contains(_)) {
            return self.contains(cx.line, k, mem, me);
        }
        match cx.line {
            0 => {
                (me.p, me.c) = (HEAD, mem.nodes[HEAD].next);
                Goto(1)
            }
            1 => {
                (me.x, me.m) = (mem.nodes[me.c].next, mem.nodes[me.c].mark);
                Goto(2)
            }
            2 => {
                let before = mem.nodes[me.p];
                if before.next != me.c || before.mark {
                    return again(me);
                }
                if std::mem::take(&mut me.m) {
                    return Goto(3);
                }
                let key = mem.nodes[me.c].key;
                if key < k {
                    (me.p, me.c, me.x) = (me.c, me.x, 0);
                    return Goto(1);
                }
                self.found(op, key == k, me)
            }
            3 => {
                if !mem.cas(me.p, me.c, me.x, false) {
                    return again(me);
                }
                (me.c, me.x) = (me.x, 0);
                Goto(1)
            }
            4 => {
                if mem.nodes[me.p].next != me.c || mem.nodes[me.p].mark {
                    return again(me);
                }
                let n = mem.nodes.alloc(Cell { key: k, next: me.c, mark: false });
                mem.nodes[me.p].next = n;
                Return(true)
            }
            5 => {
                if !mem.cas(me.c, me.x, me.x, true) {
                    return again(me);
                }
                Goto(6)
            }
            _ => {
                let unlinked = mem.cas(me.p, me.c, me.x, false);
                if self.marks || unlinked { Return(true) } else { again(me) }
            }
        }
    }

    fn is_mover(&self, cx: &Cx, op: &SetOp, mem: &Shared, me: &Local) -> bool {
        // Keys are immutable. Only the walk and the read of a mark access mutable memory.
        let SetOp::Contains(k) = op else { return false };
        cx.line == 1 && {
            let key = mem.nodes[me.c].key;
            key > *k || key == *k && !self.contains_sees_marks
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry { threads: true, values: false, nodes: true }
    }

    fn shared_names(&self, mem: &mut Shared, names: &mut Names) {
        names.fixed(TAIL);
        names.heap(&mut mem.nodes);
    }

    fn local_names(&self, me: &mut Local, names: &mut Names) {
        for node in [&mut me.p, &mut me.c, &mut me.x] {
            names.node(node);
        }
    }

    fn label(&self, op: &SetOp, line: u8) -> String {
        match (op, line) {
            (SetOp::Contains(_), _) => format!("C{line}"),
            (_, 4) => "A4".into(),
            (_, 5 | 6) => format!("R{line}"),
            _ => line.to_string(),
        }
    }

    fn spec(&self) -> &Set {
        &self.spec
    }
}
