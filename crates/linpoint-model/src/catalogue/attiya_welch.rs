//! The snapshot of Attiya and Welch (Distributed Computing, algorithms 29 and 30), as the published models intend it.

use super::segments::Segments;
use super::specs::{MAX_SEGMENTS, Scanned, Snapshot, SnapshotOp, View};
use crate::model::{Cx, Flow, Model};
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

/// What is wrong.
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

    /// Right.
    pub fn correct(n: usize) -> AttiyaWelch {
        AttiyaWelch::with(n, Error::None)
    }

    /// Updates copy handshake bits without negating them: wrong.
    pub fn wrong(n: usize) -> AttiyaWelch {
        AttiyaWelch::with(n, Error::NotNegated)
    }

    /// Only the last segment decides whether a scan was interrupted, a slip in a published "correct" model: wrong.
    pub fn last_only(n: usize) -> AttiyaWelch {
        AttiyaWelch::with(n, Error::LastOnly)
    }

    /// The view is taken from what was read before instead of being read afresh: wrong.
    pub fn old_view(n: usize) -> AttiyaWelch {
        AttiyaWelch::with(n, Error::OldView)
    }

    /// The scan has come to its result.
    fn finish(&self, op: &SnapshotOp, view: View, me: &mut Local) -> Flow<Scanned> {
        match op {
            Scan => Return(Scanned::View(view)),
            Update(..) => {
                *me = Local { result: view, ..Local::default() };
                Goto(WRITE)
            }
        }
    }

    /// One comparison of the second look with the first.
    fn compare(&self, i: usize, op: &SnapshotOp, mem: &Shared, me: &mut Local) -> Flow<Scanned> {
        let k = self.segments.at(usize::from(me.k));
        let has_moved = mem.hs[i][k] != mem.hu[k][i] || me.a[k] != me.b[k].toggle;
        if has_moved && me.shook[k] == 2 {
            if self.error == Error::OldView {
                return self.finish(op, me.b[k].view, me);
            }
            *me = Local { k: me.k, ..Local::default() };
            return Goto(VIEW);
        }
        me.shook[k] += u8::from(has_moved);
        me.interrupted = has_moved || me.interrupted && self.error != Error::LastOnly;
        if self.segments.after(me.k) > 0 {
            me.k += 1;
            return Goto(COMPARE);
        }
        if me.interrupted {
            *me = Local { shook: me.shook, ..Local::default() };
            return Goto(RESET);
        }
        let mut values = View::default();
        self.segments.iter().for_each(|k| values[k] = me.b[k].data);
        self.finish(op, values, me)
    }
}

/// What a process has written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Segment {
    data: u8,
    toggle: bool,
    view: View,
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    seg: [Segment; MAX_SEGMENTS],
    hs: [[bool; MAX_SEGMENTS]; MAX_SEGMENTS],
    hu: [[bool; MAX_SEGMENTS]; MAX_SEGMENTS],
}

/// What a process remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    k: u8,
    interrupted: bool,
    shook: [u8; MAX_SEGMENTS],
    a: [bool; MAX_SEGMENTS],
    b: [Segment; MAX_SEGMENTS],
    result: View,
}

impl Model for AttiyaWelch {
    type Spec = Snapshot;
    type Shared = Shared;
    type Local = Local;

    fn spec(&self) -> &Snapshot {
        &self.spec
    }

    fn initial(&self) -> Shared {
        Shared::default()
    }

    fn calls(&self, thread: usize, _fresh: u8) -> Vec<SnapshotOp> {
        SnapshotOp::all(thread)
    }

    fn step(
        &self,
        cx: &mut Cx,
        op: &SnapshotOp,
        mem: &mut Shared,
        me: &mut Local,
    ) -> Flow<Scanned> {
        let i = cx.thread;
        if matches!(op, Update(..)) && !self.segments.has(i) {
            return Return(Scanned::Ok);
        }
        // Hands are shaken with all scanners.
        let over = if cx.line == HANDSHAKE { Segments::all(self.n) } else { self.segments };
        let k = over.at(usize::from(me.k));
        match cx.line {
            RESET => mem.hs[i][k] = mem.hu[k][i],
            FIRST => me.a[k] = mem.seg[k].toggle,
            SECOND => {
                let view =
                    if self.error == Error::OldView { mem.seg[k].view } else { View::default() };
                me.b[k] = Segment { view, ..mem.seg[k] };
            }
            COMPARE => return self.compare(i, op, mem, me),
            VIEW => return self.finish(op, mem.seg[k].view, me),
            WRITE => {
                let Update(_, data) = op else { return Flow::Wait };
                mem.seg[i] = Segment { data: *data, toggle: !mem.seg[i].toggle, view: me.result };
                me.result = View::default();
                return Goto(HANDSHAKE);
            }
            _ => mem.hu[i][k] = mem.hs[k][i] == (self.error == Error::NotNegated),
        }
        me.k = over.after(me.k);
        match (cx.line, me.k) {
            (line, 1..) => Goto(line),
            (HANDSHAKE, _) => Return(Scanned::Ok),
            (line, _) => Goto(line + 1),
        }
    }

    /// What others write is not only 0 but also that they have written, so nothing of it is vacuous.
    fn snapshot(&self) -> Option<SnapshotRole<AttiyaWelch>> {
        let omit = |model: &AttiyaWelch, pair, omit| match omit {
            Omit::Vacuous => model.clone(),
            Omit::AsPublished => {
                AttiyaWelch { segments: model.segments.of_pair(pair), ..model.clone() }
            }
        };
        Some(SnapshotRole::new(omit))
    }

    fn parse(&self, thread: usize, name: &str, argument: Option<u8>) -> Option<SnapshotOp> {
        SnapshotOp::parse(thread, name, argument)
    }

    fn label(&self, _op: &SnapshotOp, line: u8) -> String {
        ["R", "S0", "S1", "C", "V", "W", "H"].get(usize::from(line)).unwrap_or(&"?").to_string()
    }

    fn show(&self, mem: &Shared) -> String {
        let n = self.n;
        let bits = |all: &[[bool; MAX_SEGMENTS]]| {
            let row = |row: &[bool; MAX_SEGMENTS]| {
                row[..n].iter().map(|b| char::from(48 + u8::from(*b))).collect()
            };
            all[..n].iter().map(row).collect::<Vec<String>>().join(",")
        };
        let segments: Vec<String> = mem.seg[..n]
            .iter()
            .map(|s| format!("({} toggle={} view={:?})", s.data, u8::from(s.toggle), &s.view[..n]))
            .collect();
        format!("seg={} hs={} hu={}", segments.join(" "), bits(&mem.hs), bits(&mem.hu))
    }
}
