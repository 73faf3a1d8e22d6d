//! The time-stamped stack of Dodds, Haas and Kirsch (POPL 2015): a pool for each thread, an atomic counter as clock,
//! without elimination. Pushes have no fixed linearization points: pops decide when they take effect.

use super::interfaces::{ContainerFlow, STACK};
use super::specs::{ContainerRet, Stack, StackOp};
use crate::model::{Cx, Flow, Interface, Model, Symmetry};
use crate::names::Names;
use Flow::{Goto, Return};
use StackOp::{Pop, Push};

const THREADS: usize = 4;
const ITEMS: usize = 8;
/// Later than any time stamp.
const TOP: u8 = 255;

/// The time-stamped stack.
#[derive(Clone, Debug)]
pub struct TimeStamped {
    stamps_first: bool,
    threads: usize,
    spec: Stack,
}

impl TimeStamped {
    /// Correct. Each of `threads` threads has a pool.
    pub fn correct(threads: usize) -> TimeStamped {
        TimeStamped { stamps_first: false, threads: threads.min(THREADS), spec: Stack::default() }
    }

    /// The time stamp is taken before the value is inserted: broken.
    pub fn stamps_first(threads: usize) -> TimeStamped {
        TimeStamped { stamps_first: true, ..TimeStamped::correct(threads) }
    }
}

/// A value in a pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Item {
    val: u8,
    ts: u8,
    is_taken: bool,
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    clock: u8,
    len: [u8; THREADS],
    pool: [[Item; ITEMS]; THREADS],
}

/// Local state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    p: u8,
    k: u8,
    c: u8,
    /// Pool and place plus one of the candidate, and its time.
    best: (u8, u8, u8),
    seen: [u8; THREADS],
}

impl Shared {
    fn append(&mut self, thread: usize, item: Item) {
        let len = usize::from(self.len[thread]);
        assert!(len < ITEMS, "no room for more than {ITEMS} values in a pool");
        self.pool[thread][len] = item;
        self.len[thread] += 1;
    }

    fn item(&mut self, pool: u8, place: u8) -> &mut Item {
        &mut self.pool[usize::from(pool)][usize::from(place) - 1]
    }
}

impl TimeStamped {
    /// Continues with the next pool, or with the candidate.
    fn next_pool(&self, me: &mut Local) -> ContainerFlow {
        me.k = 0;
        me.p += 1;
        if usize::from(me.p) < self.threads {
            return Goto(0);
        }
        me.p = 0;
        if me.best.1 == 0 {
            return Goto(4);
        }
        me.seen = [0; THREADS];
        Goto(3)
    }
}

impl Model for TimeStamped {
    type Spec = Stack;
    const INTERFACE: Interface<Stack> = STACK;
    type Shared = Shared;
    type Local = Local;

    fn step(&self, cx: &mut Cx, op: &StackOp, mem: &mut Shared, me: &mut Local) -> ContainerFlow {
        assert!(cx.thread < self.threads, "a thread without a pool");
        let p = usize::from(me.p);
        match (op, cx.line) {
            (Push(_), 0) if self.stamps_first => {
                mem.clock += 1;
                me.c = mem.clock;
                Goto(1)
            }
            (Push(a), 1) if self.stamps_first => {
                mem.append(cx.thread, Item { val: *a, ts: me.c, is_taken: false });
                Return(ContainerRet::Ok)
            }
            (Push(a), 0) => {
                mem.append(cx.thread, Item { val: *a, ts: TOP, is_taken: false });
                Goto(1)
            }
            (Push(_), 1) => {
                mem.clock += 1;
                me.c = mem.clock;
                Goto(2)
            }
            (Push(_), _) => {
                let last = mem.len[cx.thread];
                mem.item(cx.thread as u8, last).ts = me.c;
                Return(ContainerRet::Ok)
            }
            (Pop, 0) => {
                me.seen[p] = mem.len[p];
                me.k = me.seen[p];
                if me.k == 0 { self.next_pool(me) } else { Goto(1) }
            }
            (Pop, 1) => {
                if !mem.item(me.p, me.k).is_taken {
                    return Goto(2);
                }
                me.k -= 1;
                if me.k == 0 { self.next_pool(me) } else { Goto(1) }
            }
            (Pop, 2) => {
                let ts = mem.item(me.p, me.k).ts;
                if me.best.1 == 0 || ts > me.best.2 {
                    me.best = (me.p, me.k, ts);
                }
                self.next_pool(me)
            }
            (Pop, 3) => {
                let item = mem.item(me.best.0, me.best.1);
                *me = Local::default();
                if item.is_taken {
                    return Goto(0);
                }
                item.is_taken = true;
                Return(ContainerRet::Value(item.val))
            }
            (Pop, _) => {
                if mem.len[p] != me.seen[p] {
                    *me = Local::default();
                    return Goto(0);
                }
                me.p += 1;
                if usize::from(me.p) < self.threads { Goto(4) } else { Return(ContainerRet::Empty) }
            }
        }
    }

    fn symmetry(&self) -> Symmetry {
        // A pop visits pools in the order of threads.
        Symmetry { threads: false, values: true, nodes: false }
    }

    fn shared_names(&self, mem: &mut Shared, names: &mut Names) {
        mem.pool.iter_mut().flatten().for_each(|item| names.value(&mut item.val));
    }

    fn label(&self, op: &StackOp, line: u8) -> String {
        format!("{}{line}", if *op == Pop { 'P' } else { 'U' })
    }

    fn spec(&self) -> &Stack {
        &self.spec
    }
}
