//! The snapshot of Attiya and Welch (Distributed Computing, algorithms 29 and 30), as the published models intend it.

use super::handshake::{Stamp, unequal};
use super::interfaces::{SNAPSHOT, SnapshotFlow};
use super::segments::Segments;
use super::specs::{MAX_SEGMENTS, Snapshot, SnapshotOp, SnapshotRet, View};
use crate::model::{Cx, Flow, Interface, Model};
use crate::simple::{Omit, SnapshotRole};
use Flow::{Goto, Return};
use SnapshotOp::{Scan, Update};

const RESET: u8 = 0;
const FIRST: u8 = 1;
const SECOND: u8 = 2;
const COMPARE: u8 = 3;
const VIEW: u8 = 4;
const WRITE: u8 = 5;
const HANDSHAKE: u8 = 6;

/// The planted bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Error {
    None,
    NotNegated,
    LastOnly,
    OldView,
}

/// The snapshot of Attiya and Welch.
#[derive(Clone, Debug)]
pub struct AttiyaWelch {
    n: usize,
    error: Error,
    segments: Segments,
    spec: Snapshot,
}

impl AttiyaWelch {
    fn with(n: usize, error: Error) -> AttiyaWelch {
        let spec = Snapshot::new(n);
        AttiyaWelch { n: spec.len(), error, segments: Segments::all(spec.len()), spec }
    }

    /// Correct.
    pub fn correct(n: usize) -> AttiyaWelch {
        AttiyaWelch::with(n, Error::None)
    }

    /// Updates copy handshake bits without negating them: broken.
    pub fn wrong(n: usize) -> AttiyaWelch {
        AttiyaWelch::with(n, Error::NotNegated)
    }

    /// Only the last segment decides whether a scan was interrupted, a slip in a published "correct" model: broken.
    pub fn last_only(n: usize) -> AttiyaWelch {
        AttiyaWelch::with(n, Error::LastOnly)
    }

    /// The view is taken from an earlier read instead of being read again: broken.
    pub fn old_view(n: usize) -> AttiyaWelch {
        AttiyaWelch::with(n, Error::OldView)
    }

    /// The scan has its result.
    fn finish(&self, op: &SnapshotOp, view: View, me: &mut Local) -> SnapshotFlow {
        match op {
            Scan => Return(SnapshotRet::View(view)),
            Update(..) => {
                *me = Local { result: view, ..Local::default() };
                Goto(WRITE)
            }
        }
    }

    /// Compares the second read of one segment with the first.
    fn compare(&self, i: usize, op: &SnapshotOp, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        let k = self.segments.at(usize::from(me.k));
        let has_moved = mem.seg[k].hands.has_changed(i) || me.differs[k];
        if has_moved && me.shook[k] == 2 {
            self.segments.iter().for_each(|k| mem.seg[k].hands.forget(i));
            if self.error == Error::OldView {
                return self.finish(op, me.views[k], me);
            }
            *me = Local { k: me.k, ..Local::default() };
            return Goto(VIEW);
        }
        me.shook[k] += u8::from(has_moved);
        (me.differs[k], me.views[k]) = Default::default();
        me.interrupted &= self.error != Error::LastOnly;
        self.interrupt_if(has_moved, me);
        if self.segments.after(me.k) > 0 {
            me.k += 1;
            return Goto(COMPARE);
        }
        if me.interrupted {
            *me = Local { shook: me.shook, ..Local::default() };
            return Goto(RESET);
        }
        self.finish(op, me.values, me)
    }

    /// The second read. Only whether the toggle has changed matters later.
    fn second(&self, i: usize, k: usize, mem: &mut Shared, me: &mut Local) {
        me.differs[k] = mem.seg[k].toggle.has_changed(i);
        me.values[k] = mem.seg[k].data;
        if self.error == Error::OldView {
            me.views[k] = mem.seg[k].view;
        }
        self.interrupt_if(me.differs[k], me);
    }

    /// An interrupted scan does not return what it has read, unless the bug makes it forget the interruption.
    fn interrupt_if(&self, has_moved: bool, me: &mut Local) {
        me.interrupted |= has_moved;
        if me.interrupted && self.error != Error::LastOnly {
            me.values = View::default();
        }
    }

    /// The segments that a line iterates over. Handshakes are with all scanners.
    fn over(&self, line: u8) -> Segments {
        if line == HANDSHAKE { Segments::all(self.n) } else { self.segments }
    }
}

/// The register of a process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Segment {
    data: u8,
    toggle: Stamp,
    view: View,
    /// Its `hu`, and those in `hs` that are compared with it.
    hands: Stamp,
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    seg: [Segment; MAX_SEGMENTS],
}

/// Local state of a process: not both reads, only what can still matter of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    k: u8,
    interrupted: bool,
    shook: [u8; MAX_SEGMENTS],
    /// The toggle differs at the second read.
    differs: [bool; MAX_SEGMENTS],
    /// The values of the second read, if they may be the result.
    values: View,
    views: [View; MAX_SEGMENTS],
    result: View,
}

impl Model for AttiyaWelch {
    type Spec = Snapshot;
    const INTERFACE: Interface<Snapshot> = SNAPSHOT;
    type Shared = Shared;
    type Local = Local;

    fn step(&self, cx: &mut Cx, op: &SnapshotOp, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        let i = cx.thread;
        if matches!(op, Update(..)) && !self.segments.has(i) {
            return Return(SnapshotRet::Ok);
        }
        let over = self.over(cx.line);
        let k = over.at(usize::from(me.k));
        match cx.line {
            RESET => mem.seg[k].hands.look(i),
            FIRST => mem.seg[k].toggle.look(i),
            SECOND => self.second(i, k, mem, me),
            COMPARE => return self.compare(i, op, mem, me),
            VIEW => return self.finish(op, mem.seg[k].view, me),
            WRITE => {
                let Update(_, data) = op else { return Flow::Wait };
                mem.seg[i].data = *data;
                mem.seg[i].view = std::mem::take(&mut me.result);
                mem.seg[i].toggle.flip();
                return Goto(HANDSHAKE);
            }
            _ => mem.seg[i].hands.write_for(k, self.error != Error::NotNegated),
        }
        me.k = over.after(me.k);
        match (cx.line, me.k) {
            (line, 1..) => Goto(line),
            (HANDSHAKE, _) => Return(SnapshotRet::Ok),
            (line, _) => Goto(line + 1),
        }
    }

    fn is_mover(&self, cx: &Cx, _op: &SnapshotOp, _mem: &Shared, me: &Local) -> bool {
        // No other process reads or writes the handshake of a process with itself.
        cx.line != WRITE && self.over(cx.line).at(usize::from(me.k)) == cx.thread
    }

    /// Other processes reveal that they have written, besides writing 0, so none of their commands are vacuous.
    fn snapshot(&self) -> Option<SnapshotRole<AttiyaWelch>> {
        let omit = |model: &AttiyaWelch, pair, omit| match omit {
            Omit::Vacuous => model.clone(),
            Omit::AsPublished => {
                AttiyaWelch { segments: model.segments.of_pair(pair), ..model.clone() }
            }
        };
        Some(SnapshotRole::new(omit))
    }

    fn label(&self, _op: &SnapshotOp, line: u8) -> String {
        ["R", "S0", "S1", "C", "V", "W", "H"].get(usize::from(line)).unwrap_or(&"?").to_string()
    }

    fn show(&self, mem: &Shared) -> String {
        let segment = |s: &Segment| {
            let (toggle, hands) =
                (unequal("toggle", s.toggle.changed), unequal("hu", s.hands.changed));
            format!("({} view={:?}{toggle}{hands})", s.data, &s.view[..self.n])
        };
        let segments: Vec<String> = mem.seg[..self.n].iter().map(segment).collect();
        format!("seg={}", segments.join(" "))
    }

    fn spec(&self) -> &Snapshot {
        &self.spec
    }
}
