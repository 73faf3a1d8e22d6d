//! Jayanti's snapshot (STOC 2005, algorithm 4), reduced to one writer for each segment.
//!
//! Memory that cannot matter any more is cleared, so that states that differ only in it coincide. A process that has lost
//! its link to X fails to store X later, whatever else it has read; a process that still has the link finds in X what it
//! loaded. So a register of `Ap` or `B` matters only if X says so, or while its owner, which is about to say so, has the
//! link.

use super::interfaces::{SNAPSHOT, SnapshotFlow};
use super::llsc::LlSc;
use super::segments::Segments;
use super::specs::{MAX_SEGMENTS, Snapshot, SnapshotOp, SnapshotRet, View};
use crate::model::{Cx, Flow, Interface, Model};
use crate::simple::SnapshotRole;
use Flow::{Goto, Return};
use SnapshotOp::{Scan, Update};

/// ⊥ in B.
const BOTTOM: u8 = 2;
/// The line S.
const RESULT: u8 = 30;

/// Jayanti's snapshot.
#[derive(Clone, Debug)]
pub struct Jayanti {
    n: usize,
    /// Broken: the register for results is an ordinary one.
    plain: bool,
    segments: Segments,
    spec: Snapshot,
}

impl Jayanti {
    /// Correct.
    pub fn correct(n: usize) -> Jayanti {
        let spec = Snapshot::new(n);
        Jayanti { n: spec.len(), plain: false, segments: Segments::all(spec.len()), spec }
    }

    /// SS is an ordinary register: broken.
    pub fn wrong(n: usize) -> Jayanti {
        Jayanti { plain: true, ..Jayanti::correct(n) }
    }
}

/// The register X.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct X {
    phase: u8,
    a: u8,
    b: u8,
    toggle: bool,
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    x: LlSc<X>,
    a: View,
    ap: [View; MAX_SEGMENTS],
    b: [[LlSc<u8>; MAX_SEGMENTS]; MAX_SEGMENTS],
    ss: LlSc<(bool, View)>,
}

impl Shared {
    /// SC(X). If it succeeds, clears what does not matter any more according to X.
    fn store_x(&mut self, p: usize, new: X) {
        if !self.x.is_linked(p) {
            return;
        }
        self.x.write(new);
        for owner in 0..MAX_SEGMENTS {
            if new.phase == 1 || new.b != owner as u8 {
                self.b[owner] = Default::default();
            }
            // In phase 2 all processes collect.
            if new.phase == 1 || new.phase == 3 && new.a != owner as u8 {
                self.ap[owner] = View::default();
            }
        }
    }

    /// Drops links that process `p` will not use any more.
    fn forget(&mut self, p: usize) {
        self.x.forget(p);
        self.ss.forget(p);
        self.b.iter_mut().flatten().for_each(|register| register.forget(p));
    }
}

/// Local state of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    /// The part of X that matters even if another process stores X meanwhile.
    toggle: bool,
    proc_b: u8,
    k: u8,
    v: View,
    pushes: u8,
}

impl Jayanti {
    fn update(&self, line: u8, i: usize, v: u8, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        if !self.segments.has(i) {
            return Return(SnapshotRet::Ok);
        }
        let owner = usize::from(me.proc_b);
        match line {
            0 => mem.a[i] = v,
            1 => {
                let x = mem.x.load(i);
                if x.phase != 2 {
                    mem.forget(i);
                    return Return(SnapshotRet::Ok);
                }
                me.proc_b = x.b;
            }
            2 if mem.x.is_linked(i) => {
                mem.b[owner][i].load(i);
            }
            2 => me.proc_b = 0,
            // v' is v: no other process writes A[i].
            3 => {}
            4 => {
                if !mem.x.is_linked(i) {
                    mem.forget(i);
                    return Return(SnapshotRet::Ok);
                }
                mem.x.forget(i);
            }
            _ => {
                mem.b[owner][i].store(i, v);
                mem.forget(i);
                return Return(SnapshotRet::Ok);
            }
        }
        Goto(line + 1)
    }

    /// X was in phase 3: continue at line 20.
    fn collected(&self, x: X, me: &mut Local) -> SnapshotFlow {
        me.toggle = x.toggle;
        Goto(20)
    }

    /// Continues at line 28, which needs only the link to X.
    fn close(&self, p: usize, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        mem.ss.forget(p);
        (me.toggle, me.v) = Default::default();
        Goto(28)
    }

    /// A push has ended.
    fn done(&self, p: usize, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        mem.forget(p);
        *me = Local { pushes: me.pushes + 1, ..Local::default() };
        if me.pushes == 2 {
            me.pushes = 0;
            return Goto(RESULT);
        }
        Goto(8)
    }

    /// Lines that are repeated for each segment.
    fn each(&self, line: u8, next: u8, me: &mut Local) -> SnapshotFlow {
        me.k = self.segments.after(me.k);
        Goto(if me.k == 0 { next } else { line })
    }

    fn scan(&self, line: u8, p: usize, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        let k = self.segments.at(usize::from(me.k));
        let (is_linked, loaded) = (mem.x.is_linked(p), mem.x.value);
        match line {
            8 => match mem.x.load(p) {
                X { phase: 1, .. } => Goto(10),
                X { phase: 2, .. } => Goto(15),
                x => self.collected(x, me),
            },
            10 => {
                if is_linked {
                    mem.b[p][k].write(BOTTOM);
                }
                self.each(10, 12, me)
            }
            12 => {
                mem.store_x(p, X { phase: 2, b: p as u8, ..loaded });
                Goto(13)
            }
            13 => match mem.x.load(p) {
                X { phase: 2, .. } => Goto(15),
                x @ X { phase: 3, .. } => self.collected(x, me),
                _ => self.done(p, mem, me),
            },
            15 => {
                if is_linked {
                    mem.ap[p][k] = mem.a[k];
                }
                self.each(15, 17, me)
            }
            17 => {
                mem.store_x(p, X { phase: 3, a: p as u8, ..loaded });
                Goto(18)
            }
            18 => match mem.x.load(p) {
                x @ X { phase: 3, .. } => self.collected(x, me),
                _ => self.done(p, mem, me),
            },
            20 | 22 if !is_linked => {
                me.v = View::default();
                self.each(line, line + 2, me)
            }
            20 => {
                me.v[k] = mem.ap[usize::from(loaded.a)][k];
                self.each(20, 22, me)
            }
            22 => {
                let b = mem.b[usize::from(loaded.b)][k].value;
                if b != BOTTOM {
                    me.v[k] = b;
                }
                self.each(22, 24, me)
            }
            24 => {
                let (toggle, _) = if self.plain { mem.ss.value } else { mem.ss.load(p) };
                if toggle == me.toggle { self.close(p, mem, me) } else { Goto(25) }
            }
            25 => {
                if is_linked {
                    Goto(26)
                } else {
                    self.close(p, mem, me)
                }
            }
            26 => {
                let new = (me.toggle, me.v);
                if self.plain {
                    mem.ss.write(new)
                } else {
                    mem.ss.store(p, new)
                }
                self.close(p, mem, me)
            }
            28 => {
                // In phase 1 it does not matter which process was the last.
                mem.store_x(p, X { phase: 1, a: 0, b: 0, toggle: !loaded.toggle });
                self.done(p, mem, me)
            }
            _ => Return(SnapshotRet::View(mem.ss.value.1)),
        }
    }
}

impl Model for Jayanti {
    type Spec = Snapshot;
    const INTERFACE: Interface<Snapshot> = SNAPSHOT;
    type Shared = Shared;
    type Local = Local;

    fn initial(&self) -> Shared {
        Shared {
            x: LlSc::new(X { phase: 1, ..X::default() }),
            a: View::default(),
            ap: Default::default(),
            b: Default::default(),
            ss: LlSc::default(),
        }
    }

    fn step(&self, cx: &mut Cx, op: &SnapshotOp, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        match op {
            Update(_, v) => self.update(cx.line, cx.thread, *v, mem, me),
            Scan => self.scan(if cx.line == 0 { 8 } else { cx.line }, cx.thread, mem, me),
        }
    }

    fn is_mover(&self, cx: &Cx, op: &SnapshotOp, _mem: &Shared, _me: &Local) -> bool {
        // No other process writes A[i].
        matches!(op, Update(..)) && cx.line == 3
    }

    /// The columns of other processes contain 0 or ⊥, and either makes `V[k]` 0; nothing else depends on them. So their
    /// updates have no visible effect.
    fn snapshot(&self) -> Option<SnapshotRole<Jayanti>> {
        let omit = |model: &Jayanti, pair, _| Jayanti {
            segments: model.segments.of_pair(pair),
            ..model.clone()
        };
        Some(SnapshotRole::new(omit))
    }

    fn label(&self, op: &SnapshotOp, line: u8) -> String {
        match (op, line) {
            (Update(..), _) => format!("U{}", line + 1),
            (Scan, 0) => "8".into(),
            (Scan, RESULT) => "S".into(),
            (Scan, _) => line.to_string(),
        }
    }

    fn show(&self, mem: &Shared) -> String {
        let n = self.n;
        let b: Vec<Vec<u8>> =
            mem.b[..n].iter().map(|row| row[..n].iter().map(|b| b.value).collect()).collect();
        let ap: Vec<&[u8]> = mem.ap[..n].iter().map(|row| &row[..n]).collect();
        let (x, (toggle, view)) = (mem.x.value, mem.ss.value);
        format!(
            "X=({} {} {} {}) A={:?} Ap={ap:?} B={b:?} SS=({} {:?})",
            x.phase,
            x.a,
            x.b,
            u8::from(x.toggle),
            &mem.a[..n],
            u8::from(toggle),
            &view[..n]
        )
    }

    fn spec(&self) -> &Snapshot {
        &self.spec
    }
}
