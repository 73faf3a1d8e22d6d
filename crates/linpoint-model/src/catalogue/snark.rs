//! Snark, the deque of Detlefs, Flood, Garthwaite, Martin, Shavit and Steele (DISC 2000), which was published with a
//! proof and has two bugs (Doherty et al., SPAA 2004), and two fixes.

use super::interfaces::{ContainerFlow, DEQUE};
use super::specs::{ContainerRet, Deque, DequeOp, Side};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::{Heap, Names, Node};
use DequeOp::{Pop, Push};
use Flow::{Goto, Return};

/// The dummy node.
const DUMMY: u8 = 1;

/// Which bugs are fixed, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Version {
    /// None.
    Published,
    /// The wrong "empty" result.
    FirstRepaired,
    /// Both: a thread that unlinks a node has to claim its value.
    Claim,
    /// Both: unlinking a node compares three words.
    TripleCas,
}

/// The Snark deque.
#[derive(Clone, Debug)]
pub struct Snark {
    version: Version,
    /// A pop clears the value of the node it has taken, an option of the paper.
    clears: bool,
    spec: Deque,
}

impl Snark {
    fn with(version: Version) -> Snark {
        Snark { version, clears: false, spec: Deque::default() }
    }

    /// As published: a pop may return "empty" although the deque was never empty.
    pub fn published() -> Snark {
        Snark::with(Version::Published)
    }

    /// The first bug is fixed, the second remains: a value may be popped twice.
    pub fn first_repaired() -> Snark {
        Snark::with(Version::FirstRepaired)
    }

    /// Fixed with a claim on the value: correct.
    pub fn claim() -> Snark {
        Snark::with(Version::Claim)
    }

    /// Fixed with a three-word CAS: correct.
    pub fn triple_cas() -> Snark {
        Snark::with(Version::TripleCas)
    }

    /// Pops clear the value of the node they have taken.
    pub fn clearing(mut self) -> Snark {
        self.clears = true;
        self
    }
}

/// A node: its neighbours, left and right, and its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cell {
    link: [u8; 2],
    v: u8,
}

impl Node for Cell {
    fn names(&mut self, names: &mut Names) {
        names.value(&mut self.v);
        self.link.iter_mut().for_each(|node| names.node(node));
    }
}

/// Shared memory: the hats, left and right, and the nodes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    hat: [u8; 2],
    nodes: Heap<Cell, 12>,
}

/// Local state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    h: u8,
    o: u8,
    p: u8,
    q: u8,
    v: u8,
}

impl Shared {
    /// DCAS(hat, h's inner link: h, p → p, h): unlinks the node under the hat.
    fn unlink(&mut self, own: usize, me: &mut Local) -> bool {
        let link = &mut self.nodes[me.h].link[1 - own];
        let same = (self.hat[own], *link) == (me.h, me.p);
        if same {
            self.hat[own] = me.p;
            *link = me.h;
            me.p = 0;
        }
        same
    }
}

/// Lines 0 and 1 of a repaired pop: reads the hat and the inner neighbour of its node.
fn look(line: u8, own: usize, mem: &Shared, me: &mut Local) -> ContainerFlow {
    match line {
        0 => me.h = mem.hat[own],
        _ => me.p = mem.nodes[me.h].link[1 - own],
    }
    Goto(line + 1)
}

fn again(me: &mut Local) -> ContainerFlow {
    *me = Local::default();
    Goto(0)
}

impl Snark {
    /// `own` is the side of the operation as an index, `other` the opposite one.
    fn push(&self, line: u8, a: u8, own: usize, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        let other = 1 - own;
        match line {
            0 => {
                me.h = mem.hat[own];
                Goto(1)
            }
            1 => {
                me.p = mem.nodes[me.h].link[own];
                if me.p != me.h {
                    return Goto(4);
                }
                me.p = 0;
                Goto(2)
            }
            2 => {
                me.o = mem.hat[other];
                Goto(3)
            }
            3 => {
                if (mem.hat[own], mem.hat[other]) != (me.h, me.o) {
                    return again(me);
                }
                let n = mem.nodes.alloc(Cell { link: [DUMMY; 2], v: a });
                mem.hat = [n; 2];
                Return(ContainerRet::Ok)
            }
            _ => {
                if (mem.hat[own], mem.nodes[me.h].link[own]) != (me.h, me.p) {
                    return again(me);
                }
                let mut link = [DUMMY; 2];
                link[other] = me.h;
                let n = mem.nodes.alloc(Cell { link, v: a });
                mem.hat[own] = n;
                mem.nodes[me.h].link[own] = n;
                Return(ContainerRet::Ok)
            }
        }
    }

    fn pop(&self, line: u8, own: usize, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        let other = 1 - own;
        match line {
            0 => {
                me.h = mem.hat[own];
                Goto(1)
            }
            1 => {
                me.o = mem.hat[other];
                Goto(2)
            }
            2 => {
                if mem.nodes[me.h].link[own] == me.h {
                    if self.version == Version::Published {
                        return Return(ContainerRet::Empty);
                    }
                    me.o = 0;
                    return Goto(10);
                }
                if me.h == me.o {
                    return Goto(3);
                }
                me.o = 0;
                Goto(5)
            }
            3 => {
                if (mem.hat[own], mem.hat[other]) != (me.h, me.o) {
                    return again(me);
                }
                mem.hat = [DUMMY; 2];
                me.o = 0;
                Goto(4)
            }
            4 => Return(ContainerRet::Value(mem.nodes[me.h].v)),
            5 => {
                me.p = mem.nodes[me.h].link[other];
                Goto(6)
            }
            6 => {
                if mem.unlink(own, me) {
                    Goto(7)
                } else {
                    again(me)
                }
            }
            7 => {
                me.v = mem.nodes[me.h].v;
                Goto(8)
            }
            8 => {
                mem.nodes[me.h].link[own] = DUMMY;
                if self.clears { Goto(9) } else { Return(ContainerRet::Value(me.v)) }
            }
            9 => {
                mem.nodes[me.h].v = 0;
                Return(ContainerRet::Value(me.v))
            }
            _ => self.really_empty(own, mem, me),
        }
    }

    /// Line 2': the node is dead on this side; tests whether it is still the hat.
    fn really_empty(&self, own: usize, mem: &Shared, me: &mut Local) -> ContainerFlow {
        if mem.hat[own] == me.h { Return(ContainerRet::Empty) } else { again(me) }
    }

    fn pop_by_claim(
        &self,
        line: u8,
        own: usize,
        mem: &mut Shared,
        me: &mut Local,
    ) -> ContainerFlow {
        match line {
            0 | 1 => look(line, own, mem, me),
            2 => {
                if mem.nodes[me.h].link[own] != me.h {
                    return Goto(3);
                }
                me.p = 0;
                Goto(10)
            }
            3 => {
                if mem.unlink(own, me) {
                    Goto(4)
                } else {
                    again(me)
                }
            }
            4 => {
                me.v = mem.nodes[me.h].v;
                Goto(if me.v == 0 { 7 } else { 5 })
            }
            5 => {
                if mem.nodes[me.h].v != me.v {
                    me.v = 0;
                    return Goto(7);
                }
                mem.nodes[me.h].v = 0;
                Goto(6)
            }
            6 => {
                mem.nodes[me.h].link[own] = DUMMY;
                Return(ContainerRet::Value(me.v))
            }
            7 => {
                mem.nodes[me.h].link[own] = DUMMY;
                again(me)
            }
            _ => self.really_empty(own, mem, me),
        }
    }

    fn pop_by_3cas(&self, line: u8, own: usize, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        let other = 1 - own;
        match line {
            0 | 1 => look(line, own, mem, me),
            2 => {
                me.q = mem.nodes[me.h].link[own];
                if me.q != me.h {
                    return Goto(3);
                }
                (me.p, me.q) = (0, 0);
                Goto(10)
            }
            3 => {
                let node = mem.nodes[me.h];
                if (mem.hat[own], node.link[other], node.link[own]) != (me.h, me.p, me.q) {
                    return again(me);
                }
                mem.hat[own] = me.p;
                mem.nodes[me.h].link = [me.h; 2];
                (me.p, me.q) = (0, 0);
                Goto(4)
            }
            4 => Return(ContainerRet::Value(mem.nodes[me.h].v)),
            _ => self.really_empty(own, mem, me),
        }
    }
}

impl Model for Snark {
    type Spec = Deque;
    const INTERFACE: Interface<Deque> = DEQUE;
    type Shared = Shared;
    type Local = Local;

    fn initial(&self) -> Shared {
        let mut nodes = Heap::default();
        nodes.alloc(Cell { link: [DUMMY; 2], v: 0 });
        Shared { hat: [DUMMY; 2], nodes }
    }

    fn step(&self, cx: &mut Cx, op: &DequeOp, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        let (Push(side, _) | Pop(side)) = op;
        let own = usize::from(*side == Side::Right);
        match op {
            Push(_, a) => self.push(cx.line, *a, own, mem, me),
            Pop(_) => match self.version {
                Version::Claim => self.pop_by_claim(cx.line, own, mem, me),
                Version::TripleCas => self.pop_by_3cas(cx.line, own, mem, me),
                _ => self.pop(cx.line, own, mem, me),
            },
        }
    }

    fn is_mover(&self, cx: &Cx, op: &DequeOp, _mem: &Shared, _me: &Local) -> bool {
        let line = cx.line;
        // Values do not change, unless pops clear them.
        let is_value = match self.version {
            Version::Claim => false,
            Version::TripleCas => line == 4,
            _ => (line == 4 || line == 7) && !self.clears,
        };
        matches!(op, Pop(_)) && is_value
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry { threads: true, values: true, nodes: true }
    }

    fn shared_names(&self, mem: &mut Shared, names: &mut Names) {
        names.fixed(DUMMY);
        mem.hat.iter_mut().for_each(|hat| names.node(hat));
        names.heap(&mut mem.nodes);
    }

    fn local_names(&self, me: &mut Local, names: &mut Names) {
        for node in [&mut me.h, &mut me.o, &mut me.p, &mut me.q] {
            names.node(node);
        }
        names.value(&mut me.v);
    }

    fn label(&self, op: &DequeOp, line: u8) -> String {
        let (kind, side) = match op {
            Push(side, _) => ('U', side),
            Pop(side) => ('P', side),
        };
        let side = if *side == Side::Right { 'R' } else { 'L' };
        let line = if line == 10 { "2'".to_owned() } else { line.to_string() };
        format!("{kind}{side}{line}")
    }

    fn show(&self, mem: &Shared) -> String {
        let mut text = format!("LHat={} RHat={}", mem.hat[0], mem.hat[1]);
        for (name, node) in mem.nodes.iter() {
            text += &format!(" {name}:(L={} R={} V={})", node.link[0], node.link[1], node.v);
        }
        text
    }

    fn show_local(&self, me: &Local) -> String {
        let all = [("h", me.h), ("o", me.o), ("p", me.p), ("q", me.q), ("v", me.v)];
        let known = all.iter().filter(|(_, value)| *value != 0);
        known.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    fn spec(&self) -> &Deque {
        &self.spec
    }
}
