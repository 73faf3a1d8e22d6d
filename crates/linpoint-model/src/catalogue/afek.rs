//! The snapshots of Afek, Attiya, Dolev, Gafni, Merritt and Shavit (JACM 1993): with sequence numbers that grow without
//! bound, and with handshakes instead. Both take the view of an update that was seen to move twice.

use super::segments::Segments;
use super::specs::{MAX_SEGMENTS, Scanned, Snapshot, SnapshotOp, View};
use crate::model::{Cx, Flow, Model};
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
    /// An update does not change what betrays it: the number, or the handshake bits.
    is_silent: bool,
    segments: Segments,
    spec: Snapshot,
}

impl Afek {
    fn with(n: usize, is_bounded: bool, is_silent: bool) -> Afek {
        let spec = Snapshot::new(n);
        Afek { n: spec.len(), is_bounded, is_silent, segments: Segments::all(spec.len()), spec }
    }

    /// With sequence numbers: right.
    pub fn unbounded(n: usize) -> Afek {
        Afek::with(n, false, false)
    }

    /// With sequence numbers that updates do not increase: wrong.
    pub fn unbounded_wrong(n: usize) -> Afek {
        Afek::with(n, false, true)
    }

    /// With handshakes: right.
    pub fn bounded(n: usize) -> Afek {
        Afek::with(n, true, false)
    }

    /// With handshake bits that updates copy without negating them: wrong.
    pub fn bounded_wrong(n: usize) -> Afek {
        Afek::with(n, true, true)
    }

    /// The line at which a collect begins.
    fn begin(&self) -> u8 {
        if self.is_bounded { RESET } else { FIRST }
    }

    /// The line that an operation begins with stands for another one.
    fn line(&self, op: &SnapshotOp, line: u8) -> u8 {
        match (line, op) {
            (0, Update(..)) if self.is_bounded => HANDSHAKE,
            (0, _) => self.begin(),
            _ => line,
        }
    }
}

/// What a process has written: its value, what betrays that it has written, and what it saw before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Register {
    value: u8,
    /// The sequence number, or the toggle.
    seq: u8,
    /// Handshake bits, one for each process.
    p: u16,
    view: View,
}

/// Shared memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    r: [Register; MAX_SEGMENTS],
    /// The handshake bits of each scanner.
    q: [u16; MAX_SEGMENTS],
}

/// What a process remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    k: u8,
    f: u16,
    moved: u16,
    /// Of the first collect: number or toggle, and the bit for this process.
    a: [(u8, bool); MAX_SEGMENTS],
    b: [Register; MAX_SEGMENTS],
    result: View,
}

fn bit(bits: u16, at: usize) -> bool {
    bits >> at & 1 == 1
}

fn with_bit(bits: u16, at: usize, set: bool) -> u16 {
    bits & !(1 << at) | u16::from(set) << at
}

impl Afek {
    /// After both collects: a result, or another try.
    fn decide(&self, i: usize, op: &SnapshotOp, mem: &Shared, me: &mut Local) -> Flow<Scanned> {
        let mine = mem.q[i];
        let has_moved = |k: usize| {
            let (seq, p) = me.a[k];
            let handshake = self.is_bounded && {
                let q = bit(mine, k);
                p != q || bit(me.b[k].p, i) != q
            };
            seq != me.b[k].seq || handshake
        };
        let moved: Vec<usize> = self.segments.iter().filter(|k| has_moved(*k)).collect();
        let mut result = None;
        if moved.is_empty() {
            let mut values = View::default();
            self.segments.iter().for_each(|k| values[k] = me.b[k].value);
            result = Some(values);
        }
        for k in moved {
            if bit(me.moved, k) {
                result = Some(me.b[k].view);
                break;
            }
            me.moved |= 1 << k;
        }
        (me.a, me.b) = Default::default();
        match (result, op) {
            (None, _) => Goto(self.begin()),
            (Some(view), Scan) => Return(Scanned::View(view)),
            (Some(view), Update(..)) => {
                *me = Local { f: me.f, result: view, ..Local::default() };
                Goto(WRITE)
            }
        }
    }
}

impl Model for Afek {
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
        let line = self.line(op, cx.line);
        if matches!(op, Update(..)) && !self.segments.has(i) {
            return Return(Scanned::Ok);
        }
        if line == WRITE {
            let Update(_, value) = op else { return Flow::Wait };
            let own = &mut mem.r[i];
            own.value = *value;
            own.view = me.result;
            own.p = me.f;
            if self.is_bounded {
                own.seq = 1 - own.seq;
            } else if !self.is_silent {
                own.seq += 1;
            }
            return Return(Scanned::Ok);
        }
        // Hands are shaken with all scanners.
        let over = if line == HANDSHAKE { Segments::all(self.n) } else { self.segments };
        let k = over.at(usize::from(me.k));
        match line {
            HANDSHAKE => me.f = with_bit(me.f, k, bit(mem.q[k], i) == self.is_silent),
            RESET => mem.q[i] = with_bit(mem.q[i], k, bit(mem.r[k].p, i)),
            FIRST => me.a[k] = (mem.r[k].seq, bit(mem.r[k].p, i)),
            _ => me.b[k] = Register { p: mem.r[k].p & 1 << i, ..mem.r[k] },
        }
        me.k = over.after(me.k);
        match (line, me.k) {
            (_, 1..) => Goto(line),
            (SECOND, _) => self.decide(i, op, mem, me),
            _ => Goto(line + 1),
        }
    }

    /// What others write is not only 0 but also that they have written, so nothing of it is vacuous.
    fn snapshot(&self) -> Option<SnapshotRole<Afek>> {
        let omit = |model: &Afek, pair, omit| match omit {
            Omit::Vacuous => model.clone(),
            Omit::AsPublished => Afek { segments: model.segments.of_pair(pair), ..model.clone() },
        };
        Some(SnapshotRole::new(omit))
    }

    fn parse(&self, thread: usize, name: &str, argument: Option<u8>) -> Option<SnapshotOp> {
        SnapshotOp::parse(thread, name, argument)
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
            let view = &r.view[..self.n];
            match self.is_bounded {
                true => format!("({} toggle={} p={:b} view={view:?})", r.value, r.seq, r.p),
                false => format!("({} seq={} view={view:?})", r.value, r.seq),
            }
        };
        let registers: Vec<String> = mem.r[..self.n].iter().map(register).collect();
        let mut text = format!("r={}", registers.join(" "));
        if self.is_bounded {
            let bits: Vec<String> = mem.q[..self.n].iter().map(|q| format!("{q:b}")).collect();
            text += &format!(" q={}", bits.join(" "));
        }
        text
    }
}
