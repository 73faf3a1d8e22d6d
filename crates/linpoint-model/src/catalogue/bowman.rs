//! Bowman's obstruction-free snapshot (Dartmouth TR2011-681).

use super::interfaces::{SNAPSHOT, SnapshotFlow};
use super::segments::Segments;
use super::specs::{Snapshot, SnapshotOp, SnapshotRet, View};
use crate::model::{Cx, Flow, Interface, Model};
use crate::simple::SnapshotRole;
use Flow::{Goto, Return};
use SnapshotOp::{Scan, Update};

/// Bowman's snapshot.
#[derive(Clone, Debug)]
pub struct Bowman {
    n: usize,
    /// Broken: a scan checks only for updates, not for other scans.
    any_scan: bool,
    segments: Segments,
    spec: Snapshot,
}

impl Bowman {
    /// For `n` processes: correct.
    pub fn correct(n: usize) -> Bowman {
        let spec = Snapshot::new(n);
        Bowman { n: spec.len(), any_scan: false, segments: Segments::all(spec.len()), spec }
    }

    /// Returns as soon as `Active ≠ ⊥`: broken.
    pub fn wrong(n: usize) -> Bowman {
        Bowman { any_scan: true, ..Bowman::correct(n) }
    }
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    /// 0 is ⊥, else the process plus one.
    active: u8,
    a: View,
    /// What the active scan has read. Other scans will not return what they have read: only a process itself makes it
    /// active again, and then it reads all segments again.
    seen: View,
}

impl Shared {
    fn activate(&mut self, active: u8) {
        self.active = active;
        self.seen = View::default();
    }
}

/// Local state of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    k: u8,
    /// What it has read, if it may return it without being active.
    a: View,
}

impl Model for Bowman {
    type Spec = Snapshot;
    const INTERFACE: Interface<Snapshot> = SNAPSHOT;
    type Shared = Shared;
    type Local = Local;

    fn step(&self, cx: &mut Cx, op: &SnapshotOp, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        let i = cx.thread;
        match (op, cx.line) {
            (Update(..), 0) => {
                mem.activate(0);
                if self.segments.has(i) { Goto(1) } else { Return(SnapshotRet::Ok) }
            }
            (Update(_, v), _) => {
                mem.a[i] = *v;
                Return(SnapshotRet::Ok)
            }
            (Scan, 0) => {
                mem.activate(i as u8 + 1);
                Goto(1)
            }
            (Scan, 1) => {
                let k = self.segments.at(usize::from(me.k));
                if self.any_scan {
                    me.a[k] = mem.a[k];
                } else if mem.active == i as u8 + 1 {
                    mem.seen[k] = mem.a[k];
                }
                me.k = self.segments.after(me.k);
                Goto(if me.k == 0 { 2 } else { 1 })
            }
            (Scan, _) => {
                if self.any_scan && mem.active != 0 {
                    return Return(SnapshotRet::View(me.a));
                }
                if mem.active == i as u8 + 1 {
                    return Return(SnapshotRet::View(mem.seen));
                }
                *me = Local::default();
                Goto(0)
            }
        }
    }

    fn is_mover(&self, cx: &Cx, op: &SnapshotOp, _mem: &Shared, me: &Local) -> bool {
        // No other process writes A[i].
        (op, cx.line) == (&Scan, 1) && self.segments.at(usize::from(me.k)) == cx.thread
    }

    /// Other processes write and read only 0 in A, so nothing depends on it. That they set Active matters.
    fn snapshot(&self) -> Option<SnapshotRole<Bowman>> {
        let omit = |model: &Bowman, pair, _| Bowman {
            segments: model.segments.of_pair(pair),
            ..model.clone()
        };
        Some(SnapshotRole::new(omit))
    }

    fn label(&self, op: &SnapshotOp, line: u8) -> String {
        format!("{}{line}", if *op == Scan { 'S' } else { 'U' })
    }

    fn show(&self, mem: &Shared) -> String {
        let active = mem.active.checked_sub(1).map_or("⊥".to_owned(), |p| p.to_string());
        format!("Active={active} A={:?}", &mem.a[..self.n])
    }

    fn spec(&self) -> &Snapshot {
        &self.spec
    }
}
