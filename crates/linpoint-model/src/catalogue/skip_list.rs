//! The lock-free skip list of Herlihy and Shavit's book (section 14.4), with two levels.

use super::interfaces::LEVELLED_SET;
use super::specs::{Set, SetOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::{Heap, Names, Node};
use Flow::{Goto, Return};

const HEAD: u8 = 1;
const TAIL: u8 = 2;

/// The lock-free skip list.
#[derive(Clone, Debug)]
pub struct SkipList {
    /// Broken: the mark on level 0 is set by a plain write.
    plain_mark: bool,
    contains_sees_marks: bool,
    hashes: Hashes,
    spec: Set,
}

/// The order of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Hashes {
    /// By key.
    Differ,
    /// By hash, and all keys have the same hash. A search descends before the first node with the hash.
    Equal,
    /// The same, but a search descends from the first node with the hash.
    EqualAndSkipped,
}

impl SkipList {
    /// With two keys: correct.
    pub fn correct() -> SkipList {
        SkipList {
            plain_mark: false,
            contains_sees_marks: true,
            hashes: Hashes::Differ,
            spec: Set::default(),
        }
    }

    /// Ordered by hash, with two keys of equal hash: correct.
    pub fn equal_hashes() -> SkipList {
        SkipList { hashes: Hashes::Equal, ..SkipList::correct() }
    }

    /// The same, but a descending search skips nodes with an equal hash that have no upper level: broken.
    pub fn equal_hashes_skipped() -> SkipList {
        SkipList { hashes: Hashes::EqualAndSkipped, ..SkipList::correct() }
    }

    /// The mark that decides which thread has removed a node is a plain write: broken.
    pub fn plain_mark() -> SkipList {
        SkipList { plain_mark: true, ..SkipList::correct() }
    }

    /// `contains` ignores marks: broken.
    pub fn contains_blind() -> SkipList {
        SkipList { contains_sees_marks: false, ..SkipList::correct() }
    }
}

/// A node. On each level, successor and mark are one register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cell {
    key: u8,
    is_high: bool,
    next: [u8; 2],
    mark: [bool; 2],
}

impl Node for Cell {
    fn names(&mut self, names: &mut Names) {
        self.next.iter_mut().for_each(|node| names.node(node));
    }
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    nodes: Heap<Cell, 10>,
}

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Search {
    /// The first search of an operation.
    #[default]
    First,
    /// An addition searches again for the place of its upper level.
    Upper,
    /// A removal unlinks its node.
    Unlink,
}

/// Local state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    search: Search,
    lv: u8,
    p: u8,
    c: u8,
    x: u8,
    p1: u8,
    c1: u8,
    n: u8,
}

impl Local {
    /// Restarts the search.
    fn again(&mut self) -> Flow<bool> {
        *self = Local { search: self.search, n: self.n, ..Local::default() };
        Goto(0)
    }
}

impl Shared {
    /// CAS(node.(next, mark)[level], (old, 0) → (new, 0)).
    fn cas(&mut self, node: u8, level: usize, old: u8, new: u8) -> bool {
        let cell = &mut self.nodes[node];
        let same = cell.next[level] == old && !cell.mark[level];
        if same {
            cell.next[level] = new;
        }
        same
    }
}

impl SkipList {
    fn hash(&self, key: u8) -> u8 {
        let is_sentinel = key == 0 || key == u8::MAX;
        if is_sentinel || self.hashes == Hashes::Differ { key } else { 1 }
    }

    fn has_other_key(&self, cell: &Cell, k: u8) -> bool {
        self.hash(cell.key) == self.hash(k) && cell.key != k
    }

    /// True if the search for `k` passes this node. On level 0 it visits all nodes with the hash.
    fn is_before(&self, cell: &Cell, k: u8, level: usize) -> bool {
        self.hash(cell.key) < self.hash(k) || level == 0 && self.has_other_key(cell, k)
    }

    /// The end of the search on level 1: the node from which it descends, and its successor.
    fn end_above(&self, p: u8, c: u8, cell: &Cell, k: u8) -> (u8, u8) {
        let skips = self.hashes == Hashes::EqualAndSkipped && self.has_other_key(cell, k);
        if skips { (c, cell.next[1]) } else { (p, c) }
    }

    fn contains(&self, line: u8, k: u8, mem: &Shared, me: &mut Local) -> Flow<bool> {
        match line {
            0 => {
                (me.lv, me.p) = (1, HEAD);
                me.c = mem.nodes[HEAD].next[1];
                Goto(1)
            }
            1 => {
                let level = usize::from(me.lv);
                let cell = mem.nodes[me.c];
                if cell.mark[level] && self.contains_sees_marks {
                    me.c = cell.next[level];
                    return Goto(1);
                }
                if self.is_before(&cell, k, level) {
                    (me.p, me.c) = (me.c, cell.next[level]);
                    return Goto(1);
                }
                if me.lv == 1 {
                    (me.p, _) = self.end_above(me.p, me.c, &cell, k);
                    (me.lv, me.c) = (0, 0);
                    return Goto(2);
                }
                Return(cell.key == k)
            }
            _ => {
                me.c = mem.nodes[me.p].next[0];
                me.p = 0;
                Goto(1)
            }
        }
    }

    /// The search has ended on level 0.
    fn found(&self, op: &SetOp, mem: &Shared, me: &mut Local) -> Flow<bool> {
        let is_there = mem.nodes[me.c].key == op.key();
        match (me.search, op.is_add()) {
            (Search::First, true) if is_there => Return(false),
            (Search::First, true) => Goto(4),
            (Search::First, false) if is_there => {
                *me = Local { n: me.c, ..Local::default() };
                Goto(if mem.nodes[me.n].is_high { 6 } else { 8 })
            }
            (Search::First, false) => Return(false),
            (Search::Upper, _) if me.c == me.n => {
                (me.p, me.c) = (0, 0);
                Goto(5)
            }
            (Search::Upper | Search::Unlink, _) => Return(true),
        }
    }
}

impl Model for SkipList {
    type Spec = Set;
    const INTERFACE: Interface<Set> = LEVELLED_SET;
    type Shared = Shared;
    type Local = Local;

    fn initial(&self) -> Shared {
        let mut nodes = Heap::default();
        nodes.alloc(Cell { key: 0, is_high: true, next: [TAIL; 2], mark: [false; 2] });
        nodes.alloc(Cell { key: u8::MAX, is_high: true, ..Cell::default() });
        Shared { nodes }
    }

    fn step(&self, cx: &mut Cx, op: &SetOp, mem: &mut Shared, me: &mut Local) -> Flow<bool> {
        let k = op.key();
        if matches!(op, SetOp::Contains(_)) {
            return self.contains(cx.line, k, mem, me);
        }
        let level = usize::from(me.lv);
        match cx.line {
            0 => {
                (me.lv, me.p) = (1, HEAD);
                me.c = mem.nodes[HEAD].next[1];
                Goto(1)
            }
            1 => {
                let cell = mem.nodes[me.c];
                if cell.mark[level] {
                    me.x = cell.next[level];
                    return Goto(2);
                }
                if self.is_before(&cell, k, level) {
                    (me.p, me.c) = (me.c, cell.next[level]);
                    return Goto(1);
                }
                if me.lv == 0 {
                    return self.found(op, mem, me);
                }
                (me.p1, me.c1) = self.end_above(me.p, me.c, &cell, k);
                (me.p, me.lv, me.c) = (me.p1, 0, 0);
                Goto(3)
            }
            2 => {
                if !mem.cas(me.p, level, me.c, me.x) {
                    return me.again();
                }
                (me.c, me.x) = (me.x, 0);
                Goto(1)
            }
            3 => {
                me.c = mem.nodes[me.p].next[0];
                Goto(1)
            }
            4 => {
                let before = mem.nodes[me.p];
                if before.next[0] != me.c || before.mark[0] {
                    return me.again();
                }
                let is_high = matches!(op, SetOp::AddHigh(_));
                let upper = if is_high { me.c1 } else { 0 };
                let n = mem.nodes.alloc(Cell {
                    key: k,
                    is_high,
                    next: [me.c, upper],
                    mark: [false; 2],
                });
                mem.nodes[me.p].next[0] = n;
                if !is_high {
                    return Return(true);
                }
                *me = Local { p1: me.p1, c1: me.c1, n, ..Local::default() };
                Goto(7)
            }
            5 => {
                let cell = &mut mem.nodes[me.n];
                if cell.mark[1] {
                    return Return(true);
                }
                cell.next[1] = me.c1;
                Goto(7)
            }
            6 => {
                mem.nodes[me.n].mark[1] = true;
                Goto(8)
            }
            7 => {
                if mem.cas(me.p1, 1, me.c1, me.n) {
                    return Return(true);
                }
                me.search = Search::Upper;
                me.again()
            }
            _ => {
                if mem.nodes[me.n].mark[0] && !self.plain_mark {
                    return Return(false);
                }
                mem.nodes[me.n].mark[0] = true;
                *me = Local { search: Search::Unlink, ..Local::default() };
                Goto(0)
            }
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
        for node in [&mut me.p, &mut me.c, &mut me.x, &mut me.p1, &mut me.c1, &mut me.n] {
            names.node(node);
        }
    }

    fn label(&self, op: &SetOp, line: u8) -> String {
        match (op, line) {
            (SetOp::Contains(_), _) => format!("C{line}"),
            (_, 4 | 5 | 7) => format!("A{line}"),
            (_, 6 | 8) => format!("R{line}"),
            _ => line.to_string(),
        }
    }

    fn spec(&self) -> &Set {
        &self.spec
    }
}
