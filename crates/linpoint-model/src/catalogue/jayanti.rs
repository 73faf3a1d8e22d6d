//! Jayanti's snapshot (STOC 2005, algorithm 4), reduced to one writer for each segment.

use super::llsc::LlSc;
use super::segments::Segments;
use super::specs::{MAX_SEGMENTS, Scanned, Snapshot, SnapshotOp, View};
use crate::model::{Cx, Flow, Model};
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
    /// The register for results is an ordinary one.
    plain: bool,
    segments: Segments,
    spec: Snapshot,
}

impl Jayanti {
    /// Right.
    pub fn correct(n: usize) -> Jayanti {
        let spec = Snapshot::new(n);
        Jayanti { n: spec.len(), plain: false, segments: Segments::all(spec.len()), spec }
    }

    /// SS is an ordinary register: wrong.
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
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shared {
    x: LlSc<X>,
    a: View,
    ap: [View; MAX_SEGMENTS],
    b: [[LlSc<u8>; MAX_SEGMENTS]; MAX_SEGMENTS],
    ss: LlSc<(bool, View)>,
}

impl Shared {
    /// Links that process `p` will not use any more.
    fn forget(&mut self, p: usize) {
        self.x.forget(p);
        self.ss.forget(p);
        self.b.iter_mut().flatten().for_each(|register| register.forget(p));
    }
}

/// What a process remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    x: X,
    k: u8,
    v: View,
    pushes: u8,
}

impl Jayanti {
    fn update(&self, line: u8, i: usize, v: u8, mem: &mut Shared, me: &mut Local) -> Flow<Scanned> {
        if !self.segments.has(i) {
            return Return(Scanned::Ok);
        }
        let owner = usize::from(me.x.b);
        match line {
            0 => mem.a[i] = v,
            1 => {
                me.x = mem.x.load(i);
                if me.x.phase != 2 {
                    mem.forget(i);
                    return Return(Scanned::Ok);
                }
            }
            2 => {
                mem.b[owner][i].load(i);
            }
            3 => me.v[0] = mem.a[i],
            4 => {
                if !mem.x.is_linked(i) {
                    mem.forget(i);
                    return Return(Scanned::Ok);
                }
            }
            _ => {
                mem.b[owner][i].store(i, me.v[0]);
                mem.forget(i);
                return Return(Scanned::Ok);
            }
        }
        Goto(line + 1)
    }

    /// A push is over.
    fn done(&self, p: usize, mem: &mut Shared, me: &mut Local) -> Flow<Scanned> {
        mem.forget(p);
        *me = Local { pushes: me.pushes + 1, ..Local::default() };
        if me.pushes == 2 {
            me.pushes = 0;
            return Goto(RESULT);
        }
        Goto(8)
    }

    /// Lines that are repeated for each segment.
    fn each(&self, line: u8, next: u8, me: &mut Local) -> Flow<Scanned> {
        me.k = self.segments.after(me.k);
        Goto(if me.k == 0 { next } else { line })
    }

    fn scan(&self, line: u8, p: usize, mem: &mut Shared, me: &mut Local) -> Flow<Scanned> {
        let k = self.segments.at(usize::from(me.k));
        let x = me.x;
        match line {
            8 => {
                me.x = mem.x.load(p);
                Goto(match me.x.phase {
                    1 => 10,
                    2 => 15,
                    _ => 20,
                })
            }
            10 => {
                mem.b[p][k].write(BOTTOM);
                self.each(10, 12, me)
            }
            12 => {
                mem.x.store(p, X { phase: 2, b: p as u8, ..x });
                me.x = X::default();
                Goto(13)
            }
            13 => {
                me.x = mem.x.load(p);
                match me.x.phase {
                    2 => Goto(15),
                    3 => Goto(20),
                    _ => self.done(p, mem, me),
                }
            }
            15 => {
                mem.ap[p][k] = mem.a[k];
                self.each(15, 17, me)
            }
            17 => {
                mem.x.store(p, X { phase: 3, a: p as u8, ..x });
                me.x = X::default();
                Goto(18)
            }
            18 => {
                me.x = mem.x.load(p);
                if me.x.phase == 3 { Goto(20) } else { self.done(p, mem, me) }
            }
            20 => {
                me.v[k] = mem.ap[usize::from(x.a)][k];
                self.each(20, 22, me)
            }
            22 => {
                let b = mem.b[usize::from(x.b)][k].value;
                if b != BOTTOM {
                    me.v[k] = b;
                }
                self.each(22, 24, me)
            }
            24 => {
                let (toggle, _) = if self.plain { mem.ss.value } else { mem.ss.load(p) };
                Goto(if toggle == x.toggle { 28 } else { 25 })
            }
            25 => Goto(if mem.x.is_linked(p) { 26 } else { 28 }),
            26 => {
                let new = (x.toggle, me.v);
                if self.plain {
                    mem.ss.write(new)
                } else {
                    mem.ss.store(p, new)
                }
                me.v = View::default();
                Goto(28)
            }
            28 => {
                mem.x.store(p, X { phase: 1, toggle: !x.toggle, ..x });
                self.done(p, mem, me)
            }
            _ => Return(Scanned::View(mem.ss.value.1)),
        }
    }
}

impl Model for Jayanti {
    type Spec = Snapshot;
    type Shared = Shared;
    type Local = Local;

    fn spec(&self) -> &Snapshot {
        &self.spec
    }

    fn initial(&self) -> Shared {
        Shared {
            x: LlSc::new(X { phase: 1, ..X::default() }),
            a: View::default(),
            ap: Default::default(),
            b: Default::default(),
            ss: LlSc::default(),
        }
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
        match op {
            Update(_, v) => self.update(cx.line, cx.thread, *v, mem, me),
            Scan => self.scan(if cx.line == 0 { 8 } else { cx.line }, cx.thread, mem, me),
        }
    }

    /// In the columns of others there is 0 or ⊥, and either makes `V[k]` 0; nothing else depends on them. So their
    /// updates do nothing that anybody can see.
    fn snapshot(&self) -> Option<SnapshotRole<Jayanti>> {
        let omit = |model: &Jayanti, pair, _| Jayanti {
            segments: model.segments.of_pair(pair),
            ..model.clone()
        };
        Some(SnapshotRole::new(omit))
    }

    fn parse(&self, thread: usize, name: &str, argument: Option<u8>) -> Option<SnapshotOp> {
        SnapshotOp::parse(thread, name, argument)
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
}
