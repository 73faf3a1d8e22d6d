//! The snapshots of Afek, Attiya, Dolev, Gafni, Merritt and Shavit (JACM 1993): with sequence numbers that grow without
//! bound, and with handshakes instead. A scan that sees a process move twice returns the view of that process's update.

use super::handshake::{Hands, Stamp, bit, unequal};
use super::interfaces::{SNAPSHOT, SnapshotFlow};
use super::segments::Segments;
use super::specs::{MAX_SEGMENTS, Snapshot, SnapshotOp, SnapshotRet, View};
use crate::model::{Cx, Flow, Interface, Model};
use crate::simple::{Omit, SnapshotRole};
use Flow::{Goto, Return};
use SnapshotOp::{Scan, Update};

const HANDSHAKE: u8 = 0;
const RESET: u8 = 1;
const FIRST: u8 = 2;
const SECOND: u8 = 3;
const WRITE: u8 = 4;

/// One of the snapshots of Afek et al.
#[derive(Clone, Debug)]
pub struct Afek {
    n: usize,
    /// Handshakes and a toggle instead of sequence numbers.
    is_bounded: bool,
    /// Broken: an update does not change what reveals it, the sequence number or the handshake bits.
    is_silent: bool,
    segments: Segments,
    spec: Snapshot,
}

impl Afek {
    fn with(n: usize, is_bounded: bool, is_silent: bool) -> Afek {
        let spec = Snapshot::new(n);
        Afek { n: spec.len(), is_bounded, is_silent, segments: Segments::all(spec.len()), spec }
    }

    /// With sequence numbers: correct.
    pub fn unbounded(n: usize) -> Afek {
        Afek::with(n, false, false)
    }

    /// With sequence numbers that updates do not increase: broken.
    pub fn unbounded_wrong(n: usize) -> Afek {
        Afek::with(n, false, true)
    }

    /// With handshakes: correct.
    pub fn bounded(n: usize) -> Afek {
        Afek::with(n, true, false)
    }

    /// With handshake bits that updates copy without negating them: broken.
    pub fn bounded_wrong(n: usize) -> Afek {
        Afek::with(n, true, true)
    }

    /// The first line of a collect.
    fn begin(&self) -> u8 {
        if self.is_bounded { RESET } else { FIRST }
    }

    /// Maps line 0 of an operation to its first line in the pseudo-code.
    fn line(&self, op: &SnapshotOp, line: u8) -> u8 {
        match (line, op) {
            (0, Update(..)) if self.is_bounded => HANDSHAKE,
            (0, _) => self.begin(),
            _ => line,
        }
    }
}

/// The register of a process: its value, what reveals a write, and the view that it saw before writing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Register {
    value: u8,
    /// The sequence number, or the toggle.
    stamp: Stamp,
    /// Handshake bits: `p` of this process and those in `q` that are compared with it.
    hands: Hands,
    view: View,
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    r: [Register; MAX_SEGMENTS],
}

/// Local state of a process: not both collects, only what can still matter of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    k: u8,
    /// Processes that have moved, in this try or an earlier one.
    moved: u16,
    /// Processes whose handshake bits had changed at the first collect.
    betrayed: u16,
    /// Some process has moved in this try.
    is_disturbed: bool,
    /// `result` is the view of a process that has moved twice.
    is_borrowed: bool,
    /// The values of the second collect, as long as no process has moved.
    result: View,
}

impl Afek {
    fn first(&self, i: usize, k: usize, mem: &mut Shared, me: &mut Local) {
        if mem.r[k].hands.differ_from(i) {
            me.betrayed |= 1 << k;
            me.is_disturbed = true;
        } else {
            mem.r[k].stamp.look(i);
        }
    }

    fn second(&self, i: usize, k: usize, mem: &mut Shared, me: &mut Local) {
        let has_changed = mem.r[k].stamp.has_changed(i);
        let has_moved = has_changed || bit(me.betrayed, k) || mem.r[k].hands.differ_from(i);
        me.betrayed &= !(1 << k);
        // The first process that has moved twice counts.
        if me.is_borrowed {
            return;
        }
        if has_moved && bit(me.moved, k) {
            (me.is_borrowed, me.result) = (true, mem.r[k].view);
        } else if has_moved {
            me.moved |= 1 << k;
            (me.is_disturbed, me.result) = (true, View::default());
        } else if !me.is_disturbed {
            me.result[k] = mem.r[k].value;
        }
    }

    /// After both collects: a result, or another try.
    fn decide(&self, op: &SnapshotOp, me: &mut Local) -> SnapshotFlow {
        if me.is_disturbed && !me.is_borrowed {
            me.is_disturbed = false;
            return Goto(self.begin());
        }
        if *op == Scan {
            return Return(SnapshotRet::View(me.result));
        }
        *me = Local { result: me.result, ..Local::default() };
        Goto(WRITE)
    }

    /// The segments that a line iterates over. Handshakes are with all scanners.
    fn over(&self, line: u8) -> Segments {
        if line == HANDSHAKE { Segments::all(self.n) } else { self.segments }
    }
}

impl Model for Afek {
    type Spec = Snapshot;
    const INTERFACE: Interface<Snapshot> = SNAPSHOT;
    type Shared = Shared;
    type Local = Local;

    fn step(&self, cx: &mut Cx, op: &SnapshotOp, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        let i = cx.thread;
        let line = self.line(op, cx.line);
        if matches!(op, Update(..)) && !self.segments.has(i) {
            return Return(SnapshotRet::Ok);
        }
        if line == WRITE {
            let Update(_, value) = op else { return Flow::Wait };
            let own = &mut mem.r[i];
            own.value = *value;
            own.view = me.result;
            own.hands.write_chosen();
            if self.is_bounded {
                own.stamp.flip();
            } else if !self.is_silent {
                own.stamp.increase();
            }
            return Return(SnapshotRet::Ok);
        }
        let over = self.over(line);
        let k = over.at(usize::from(me.k));
        match line {
            HANDSHAKE => mem.r[i].hands.choose(k, !self.is_silent),
            RESET => mem.r[k].hands.agree(i),
            FIRST => self.first(i, k, mem, me),
            _ => self.second(i, k, mem, me),
        }
        me.k = over.after(me.k);
        match (line, me.k) {
            (_, 1..) => Goto(line),
            (SECOND, _) => self.decide(op, me),
            _ => Goto(line + 1),
        }
    }

    fn is_mover(&self, cx: &Cx, op: &SnapshotOp, _mem: &Shared, me: &Local) -> bool {
        // No other process reads or writes the handshake of a process with itself.
        let line = self.line(op, cx.line);
        line != WRITE && self.over(line).at(usize::from(me.k)) == cx.thread
    }

    /// Other processes reveal that they have written, besides writing 0, so none of their commands are vacuous.
    fn snapshot(&self) -> Option<SnapshotRole<Afek>> {
        let omit = |model: &Afek, pair, omit| match omit {
            Omit::Vacuous => model.clone(),
            Omit::AsPublished => Afek { segments: model.segments.of_pair(pair), ..model.clone() },
        };
        Some(SnapshotRole::new(omit))
    }

    fn label(&self, op: &SnapshotOp, line: u8) -> String {
        match self.line(op, line) {
            HANDSHAKE => "H",
            RESET => "R",
            FIRST => "S0",
            SECOND => "S1",
            _ => "W",
        }
        .to_owned()
    }

    fn show(&self, mem: &Shared) -> String {
        let register = |r: &Register| {
            let stamp = unequal(if self.is_bounded { "toggle" } else { "seq" }, r.stamp.changed);
            let hands = unequal("p", r.hands.differ);
            format!("({} view={:?}{stamp}{hands})", r.value, &r.view[..self.n])
        };
        let registers: Vec<String> = mem.r[..self.n].iter().map(register).collect();
        format!("r={}", registers.join(" "))
    }

    fn spec(&self) -> &Snapshot {
        &self.spec
    }
}
