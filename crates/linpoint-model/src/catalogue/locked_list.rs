//! Sorted lists with a lock in each node: the lazy list (Heller et al., OPODIS 2005) and the optimistic list of
//! Herlihy and Shavit's book. They differ in how they validate, with the locks held, that nothing has changed.

use super::interfaces::SET;
use super::specs::{Set, SetOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::{Heap, Names, Node};
use Flow::{Goto, Return, Wait};

const HEAD: u8 = 1;
const TAIL: u8 = 2;
/// The lazy list's line R.
const MARK: u8 = 12;

/// How a window is validated with the locks held, besides comparing `p.next` and `c`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Validation {
    /// Not at all: broken.
    None,
    /// Neither node may be marked.
    Marks,
    /// The first node has to be reachable.
    Walk,
}

/// How `contains` works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Contains {
    /// With locks, like the other operations.
    Locks,
    /// Walks and reads the mark.
    SeesMarks,
    /// Only walks.
    Walks,
}

/// A list with a lock in each node.
#[derive(Clone, Debug)]
pub struct LockedList {
    validation: Validation,
    contains: Contains,
    /// A removal marks the node before unlinking it.
    marks: bool,
    spec: Set,
}

impl LockedList {
    fn with(validation: Validation, contains: Contains, marks: bool) -> LockedList {
        LockedList { validation, contains, marks, spec: Set::default() }
    }

    /// The lazy list: correct.
    pub fn lazy() -> LockedList {
        LockedList::with(Validation::Marks, Contains::SeesMarks, true)
    }

    /// The lazy list with a validation that ignores marks: broken.
    pub fn lazy_validation_blind() -> LockedList {
        LockedList::with(Validation::None, Contains::SeesMarks, true)
    }

    /// The lazy list with removals that do not mark: broken.
    pub fn lazy_unmarked() -> LockedList {
        LockedList::with(Validation::Marks, Contains::SeesMarks, false)
    }

    /// The lazy list with a `contains` that ignores marks: looks broken and is correct.
    pub fn lazy_contains_blind() -> LockedList {
        LockedList::with(Validation::Marks, Contains::Walks, true)
    }

    /// The optimistic list: correct.
    pub fn optimistic() -> LockedList {
        LockedList::with(Validation::Walk, Contains::Locks, false)
    }

    /// The optimistic list without its second walk: broken.
    pub fn optimistic_unvalidated() -> LockedList {
        LockedList::with(Validation::None, Contains::Locks, false)
    }

    /// The optimistic list with a `contains` that only walks: looks broken and is correct.
    pub fn optimistic_contains_walks() -> LockedList {
        LockedList::with(Validation::Walk, Contains::Walks, false)
    }
}

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cell {
    key: u8,
    next: u8,
    mark: bool,
    lock: bool,
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
    w: u8,
    res: bool,
}

impl Shared {
    fn lock(&mut self, node: u8) -> bool {
        !std::mem::replace(&mut self.nodes[node].lock, true)
    }
}

impl LockedList {
    fn walks(&self, op: &SetOp) -> bool {
        matches!(op, SetOp::Contains(_)) && self.contains != Contains::Locks
    }

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
        Return(cell.key == k && !(cell.mark && self.contains == Contains::SeesMarks))
    }

    /// Step 5: the window is valid. Continues with the operation itself.
    fn decide(&self, op: &SetOp, is_there: bool, cx: &mut Cx, me: &mut Local) -> Flow<bool> {
        me.w = 0;
        match op {
            SetOp::Contains(_) => {
                cx.point();
                me.res = is_there;
                Goto(8)
            }
            SetOp::Remove(_) if is_there => Goto(if self.marks { MARK } else { 7 }),
            SetOp::Add(_) | SetOp::AddHigh(_) if !is_there => Goto(6),
            _ => {
                cx.point();
                Goto(8)
            }
        }
    }
}

impl Model for LockedList {
    type Spec = Set;
    const INTERFACE: Interface<Set> = SET;
    type Shared = Shared;
    type Local = Local;

    fn initial(&self) -> Shared {
        let mut nodes = Heap::default();
        nodes.alloc(Cell { key: 0, next: TAIL, ..Cell::default() });
        nodes.alloc(Cell { key: u8::MAX, ..Cell::default() });
        Shared { nodes }
    }

    fn step(&self, cx: &mut Cx, op: &SetOp, mem: &mut Shared, me: &mut Local) -> Flow<bool> {
        let k = op.key();
        if self.walks(op) {
            return self.contains(cx.line, k, mem, me);
        }
        match cx.line {
            0 | 1 => {
                me.p = if cx.line == 0 { HEAD } else { me.c };
                me.c = mem.nodes[me.p].next;
                Goto(if mem.nodes[me.c].key >= k { 2 } else { 1 })
            }
            2 => {
                if mem.lock(me.p) {
                    Goto(3)
                } else {
                    Wait
                }
            }
            3 => {
                if !mem.lock(me.c) {
                    return Wait;
                }
                me.w = if self.validation == Validation::Walk { HEAD } else { 0 };
                let validates = self.validation != Validation::None;
                Goto(if validates && me.w != me.p { 4 } else { 5 })
            }
            4 if self.validation == Validation::Marks => {
                Goto(if mem.nodes[me.p].mark || mem.nodes[me.c].mark { 10 } else { 5 })
            }
            4 => {
                me.w = mem.nodes[me.w].next;
                if me.w == me.p {
                    return Goto(5);
                }
                if mem.nodes[me.w].key < mem.nodes[me.p].key {
                    return Goto(4);
                }
                me.w = 0;
                Goto(10)
            }
            5 if mem.nodes[me.p].next != me.c => {
                me.w = 0;
                Goto(10)
            }
            5 => self.decide(op, mem.nodes[me.c].key == k, cx, me),
            6 => {
                cx.point();
                let n = mem.nodes.alloc(Cell { key: k, next: me.c, ..Cell::default() });
                mem.nodes[me.p].next = n;
                me.res = true;
                Goto(8)
            }
            MARK => {
                mem.nodes[me.c].mark = true;
                Goto(7)
            }
            7 => {
                cx.point();
                mem.nodes[me.p].next = mem.nodes[me.c].next;
                me.res = true;
                Goto(8)
            }
            8 | 10 => {
                mem.nodes[me.c].lock = false;
                me.c = 0;
                Goto(cx.line + 1)
            }
            9 => {
                mem.nodes[me.p].lock = false;
                Return(me.res)
            }
            _ => {
                mem.nodes[me.p].lock = false;
                *me = Local::default();
                Goto(0)
            }
        }
    }

    fn is_mover(&self, cx: &Cx, op: &SetOp, mem: &Shared, me: &Local) -> bool {
        if self.walks(op) {
            // Keys are immutable.
            let key = if cx.line == 1 { mem.nodes[me.c].key } else { 0 };
            return key > op.key() || key == op.key() && self.contains == Contains::Walks;
        }
        match cx.line {
            // No thread needs a lock to be held, so releasing it earlier changes nothing.
            8..=11 => true,
            // Other threads do not change marks and successors of locked nodes.
            4 => self.validation == Validation::Marks,
            5 => true,
            _ => false,
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
        for node in [&mut me.p, &mut me.c, &mut me.w] {
            names.node(node);
        }
    }

    fn has_points(&self) -> bool {
        self.validation == Validation::Walk && self.contains == Contains::Locks
    }

    fn label(&self, op: &SetOp, line: u8) -> String {
        match line {
            _ if self.walks(op) => format!("C{line}"),
            MARK => "R".into(),
            _ => line.to_string(),
        }
    }

    fn spec(&self) -> &Set {
        &self.spec
    }
}
