//! The snapshot of Riany, Shavit and Touitou (TCS 2001).

use super::handshake::Stamp;
use super::interfaces::{SNAPSHOT, SnapshotFlow};
use super::llsc::LlSc;
use super::segments::Segments;
use super::specs::{MAX_SEGMENTS, Snapshot, SnapshotOp, SnapshotRet, View};
use crate::model::{Cx, Flow, Interface, Model};
use crate::simple::{Omit, SnapshotRole};
use Flow::{Goto, Return};
use SnapshotOp::{Scan, Update};

/// The second half of line 11.
const ADVANCE: u8 = 7;
/// null, in A (a view plus one), in sequence numbers (a number plus one) and in registers (a value plus one).
const NULL: u8 = 0;

/// The snapshot of Riany, Shavit and Touitou.
#[derive(Clone, Debug)]
pub struct Riany {
    n: usize,
    /// Broken: the second collect counts, but its result is not copied.
    too_soon: bool,
    segments: Segments,
    spec: Snapshot,
}

impl Riany {
    /// Correct.
    pub fn correct(n: usize) -> Riany {
        let spec = Snapshot::new(n);
        Riany { n: spec.len(), too_soon: false, segments: Segments::all(spec.len()), spec }
    }

    /// Line 30 tests `fc ≤ 2`: broken.
    pub fn wrong(n: usize) -> Riany {
        Riany { too_soon: true, ..Riany::correct(n) }
    }
}

/// A proposed view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Proposed {
    /// A process that fills a view only tests whether its version has changed.
    version: Stamp,
    seq: LlSc<u8>,
    reg: [LlSc<u8>; MAX_SEGMENTS],
}

/// A value with the number of the collect during which it was written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Numbered {
    value: u8,
    seq: u8,
}

/// Shared memory, and the local variables that determine which views still matter.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shared {
    a: [LlSc<u8>; MAX_SEGMENTS],
    /// Which entry, and whether it is to be filled. Its number only grows, so it is unchanged if and only if no process has
    /// stored it. States keep the entry, which is the number modulo n.
    index: LlSc<(u8, bool)>,
    cseq: LlSc<u8>,
    high: [Numbered; MAX_SEGMENTS],
    /// No step reads the numbers of these.
    low: View,
    view: [[Proposed; 2]; MAX_SEGMENTS],
    /// Of each process, kept across operations.
    cv: [u8; MAX_SEGMENTS],
    res: [View; MAX_SEGMENTS],
    /// The local variable x of each process: the view that it fills.
    x: [u8; MAX_SEGMENTS],
    /// The process has proposed a view in this scan. The negated local variable `first`.
    has_proposed: [bool; MAX_SEGMENTS],
}

impl Shared {
    /// Drops the links and the view that a process will not use any more.
    fn forget(&mut self, p: usize) {
        self.index.forget(p);
        self.cseq.forget(p);
        self.a.iter_mut().for_each(|register| register.forget(p));
        for view in self.view.iter_mut().flatten() {
            view.version.forget(p);
            view.seq.forget(p);
            view.reg.iter_mut().for_each(|register| register.forget(p));
        }
        if let Some(x) = std::mem::take(&mut self.x[p]).checked_sub(1) {
            self.release(x);
        }
    }

    /// The view with this number.
    fn proposed(&mut self, view: u8) -> &mut Proposed {
        &mut self.view[usize::from(view / 2)][usize::from(view % 2)]
    }

    /// The last view that a process proposed.
    fn own(&self, p: usize) -> u8 {
        (2 * p) as u8 + self.cv[p]
    }

    fn is_being_filled(&self, view: u8) -> bool {
        self.x.contains(&(view + 1))
    }

    /// Clears a view that no process will read before it is proposed again.
    fn release(&mut self, view: u8) {
        let owner = usize::from(view / 2);
        let is_wanted = self.own(owner) == view && self.has_proposed[owner];
        let is_listed = self.a[owner].value == view + 1;
        if !is_wanted && !is_listed && !self.is_being_filled(view) {
            *self.proposed(view) = Proposed::default();
        }
    }

    /// The scan returns.
    fn leave(&mut self, p: usize, view: View) -> SnapshotFlow {
        self.has_proposed[p] = false;
        self.forget(p);
        self.release(self.own(p));
        Return(SnapshotRet::View(view))
    }
}

/// Local state of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Local {
    fc: u8,
    st: bool,
    sq: u8,
    hi: Numbered,
    lo: u8,
    y: u8,
    j: u8,
}

impl Riany {
    /// The next segment that is read and written, from this one on; `n` if there is none.
    fn next_segment(&self, from: usize) -> usize {
        (from..self.n).find(|j| self.segments.has(*j)).unwrap_or(self.n)
    }

    /// Back to line 0.
    fn again(&self, i: usize, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        mem.forget(i);
        *me = Local { fc: me.fc, ..Local::default() };
        Goto(0)
    }

    fn update(&self, line: u8, i: usize, v: u8, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        if !self.segments.has(i) {
            return Return(SnapshotRet::Ok);
        }
        match line {
            0 => {
                me.sq = mem.cseq.value;
                Goto(1)
            }
            // No other process writes the registers of this process, so it does not have to store what it read there.
            1 => Goto(if mem.high[i].seq == me.sq { 3 } else { 2 }),
            2 => {
                mem.low[i] = mem.high[i].value;
                Goto(3)
            }
            _ => {
                mem.high[i] = Numbered { value: v, seq: me.sq };
                Return(SnapshotRet::Ok)
            }
        }
    }

    /// Lines 0 to 11: proposing a view, and finding one to fill.
    fn propose(&self, line: u8, i: usize, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        let own = mem.own(i);
        let (ix, fills) = mem.index.value;
        let next = (ix + 1) % self.n as u8;
        match line {
            0 => Goto(match (mem.a[i].value == NULL, mem.has_proposed[i]) {
                (true, true) => 1,
                (true, false) => 2,
                _ => 8,
            }),
            1 => {
                let reg = mem.proposed(own).reg;
                mem.leave(i, std::array::from_fn(|j| reg[j].value.saturating_sub(1)))
            }
            2 => Goto(if usize::from(ix) != i || !fills { 3 } else { 8 }),
            3 => {
                mem.has_proposed[i] = true;
                mem.cv[i] = 1 - mem.cv[i];
                let own = mem.own(i);
                mem.proposed(own).version.increase();
                Goto(4)
            }
            4 => {
                mem.proposed(own).seq.write(NULL);
                Goto(5)
            }
            5 => {
                // The registers of omitted segments are cleared together with their neighbours.
                let next = self.next_segment(self.next_segment(usize::from(me.j)) + 1);
                for j in usize::from(me.j)..next {
                    mem.proposed(own).reg[j].write(NULL);
                }
                me.j = (next % self.n) as u8;
                Goto(if me.j == 0 { 6 } else { 5 })
            }
            6 => {
                mem.a[i].write(own + 1);
                Goto(8)
            }
            8 => {
                mem.index.load(i);
                Goto(9)
            }
            // The index has changed: whatever the process finds, it will neither store the index nor fill a view (line 13).
            9 if !mem.index.is_linked(i) => Goto(10),
            9 => {
                let x = mem.a[usize::from(ix)].value;
                if !fills {
                    return Goto(11);
                }
                if x == NULL {
                    return Goto(10);
                }
                mem.x[i] = x;
                Goto(12)
            }
            10 => {
                mem.index.store(i, (ix, false));
                self.again(i, mem, me)
            }
            11 => {
                let is_next_proposed = mem.a[usize::from(next)].value != NULL;
                me.st = mem.index.is_linked(i) && is_next_proposed;
                Goto(ADVANCE)
            }
            _ => {
                mem.index.store(i, (next, me.st));
                self.again(i, mem, me)
            }
        }
    }

    /// Lines 12 to 32: filling view `x`.
    fn fill(&self, line: u8, i: usize, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        let (x, j) = (mem.x[i] - 1, usize::from(me.j));
        let entry = usize::from(mem.index.value.0);
        let is_current = !mem.proposed(x).version.is_changed_for(i);
        match line {
            12 => {
                mem.proposed(x).version.look(i);
                Goto(13)
            }
            13 if !mem.index.is_linked(i) => self.again(i, mem, me),
            15 | 19 | 24 if !is_current => self.again(i, mem, me),
            13 | 15 | 19 | 24 => Goto(line + 1),
            14 if mem.proposed(x).seq.value != NULL => Goto(17),
            14 => {
                mem.proposed(x).seq.load(i);
                Goto(15)
            }
            16 => {
                let next = mem.cseq.value + 1;
                mem.proposed(x).seq.store(i, next + 1);
                mem.proposed(x).seq.forget(i);
                Goto(17)
            }
            17 => {
                me.sq = mem.proposed(x).seq.value;
                Goto(18)
            }
            18 => {
                // sq is a number plus one, or null.
                if me.sq == NULL || mem.cseq.value + 2 != me.sq {
                    me.sq = 0;
                    return self.registers(0, i, mem, me);
                }
                mem.cseq.load(i);
                Goto(19)
            }
            20 => {
                mem.cseq.store(i, me.sq - 1);
                mem.cseq.forget(i);
                me.sq = 0;
                self.registers(0, i, mem, me)
            }
            // A process that finds another version in line 24 does not use them.
            21 | 22 if !is_current => {
                (me.hi, me.lo) = Default::default();
                Goto(line + 1)
            }
            21 => {
                me.hi = mem.high[j];
                Goto(22)
            }
            22 => {
                me.lo = mem.low[j];
                Goto(23)
            }
            23 if mem.proposed(x).reg[j].value != NULL => self.registers(j + 1, i, mem, me),
            23 => {
                mem.proposed(x).reg[j].load(i);
                Goto(24)
            }
            25 => {
                let is_older = me.hi.seq + 1 < mem.proposed(x).seq.value;
                me.y = if is_older { me.hi.value } else { me.lo };
                (me.hi, me.lo) = Default::default();
                Goto(26)
            }
            26 => {
                mem.proposed(x).reg[j].store(i, me.y + 1);
                mem.proposed(x).reg[j].forget(i);
                self.registers(j + 1, i, mem, me)
            }
            // Line 28 would read the same.
            27 | 28 if !mem.index.is_linked(i) => self.filled(i, mem, me),
            27 if mem.a[entry].value != x + 1 => self.filled(i, mem, me),
            27 => {
                mem.a[entry].load(i);
                Goto(28)
            }
            28 => Goto(29),
            29 => {
                // This entry is the only one of A that the process is linked to.
                mem.a.iter_mut().for_each(|register| register.store(i, NULL));
                self.filled(i, mem, me)
            }
            31 => {
                // Omitted segments are 0 already.
                let j = self.next_segment(j);
                mem.res[i][j] = mem.proposed(x).reg[j].value.saturating_sub(1);
                me.j = (self.next_segment(j + 1) % self.n) as u8;
                Goto(if me.j == 0 { 32 } else { 31 })
            }
            _ => {
                // It is filled again before it is returned, except in the broken version.
                let res = if self.too_soon { mem.res[i] } else { std::mem::take(&mut mem.res[i]) };
                if is_current && me.fc == 2 { mem.leave(i, res) } else { self.again(i, mem, me) }
            }
        }
    }

    /// Continues with register `from`. Lines 21 to 26 are performed in one step for omitted segments, where `high` and `low`
    /// are 0: one of their possible runs.
    fn registers(&self, from: usize, i: usize, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        (me.hi, me.lo, me.y) = Default::default();
        let next = self.next_segment(from);
        let view = mem.proposed(mem.x[i] - 1);
        for j in from..next {
            if view.reg[j].value == NULL {
                if view.version.is_changed_for(i) {
                    return self.again(i, mem, me);
                }
                view.reg[j].write(1);
            }
        }
        me.j = (next % self.n) as u8;
        Goto(if next == self.n { 27 } else { 21 })
    }

    /// Line 30.
    fn filled(&self, i: usize, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        // Only whether it is less than 2, 2, or more matters.
        me.fc = (me.fc + 1).min(3);
        if self.too_soon && me.fc == 2 {
            return mem.leave(i, mem.res[i]);
        }
        if me.fc < 2 {
            return self.again(i, mem, me);
        }
        mem.index.forget(i);
        mem.a.iter_mut().for_each(|register| register.forget(i));
        Goto(31)
    }
}

impl Model for Riany {
    type Spec = Snapshot;
    const INTERFACE: Interface<Snapshot> = SNAPSHOT;
    type Shared = Shared;
    type Local = Local;

    fn step(&self, cx: &mut Cx, op: &SnapshotOp, mem: &mut Shared, me: &mut Local) -> SnapshotFlow {
        match (op, cx.line) {
            (Update(_, v), line) => self.update(line, cx.thread, *v, mem, me),
            (Scan, line @ 0..=11) => self.propose(line, cx.thread, mem, me),
            (Scan, line) => self.fill(line, cx.thread, mem, me),
        }
    }

    fn is_mover(&self, cx: &Cx, op: &SnapshotOp, mem: &Shared, _me: &Local) -> bool {
        match (op, cx.line) {
            // No other process writes the registers of this process.
            (Update(..), line) => line == 1,
            // Other processes do not see a view before it is proposed, unless they saw it when it was proposed earlier.
            (Scan, 3) => !mem.is_being_filled((2 * cx.thread) as u8 + 1 - mem.cv[cx.thread]),
            (Scan, 4 | 5) => !mem.is_being_filled(mem.own(cx.thread)),
            _ => false,
        }
    }

    /// Helpers may fail while they fill the segments of other processes, so none of their commands are vacuous.
    fn snapshot(&self) -> Option<SnapshotRole<Riany>> {
        let omit = |model: &Riany, pair, omit| match omit {
            Omit::Vacuous => model.clone(),
            Omit::AsPublished => Riany { segments: model.segments.of_pair(pair), ..model.clone() },
        };
        Some(SnapshotRole::new(omit))
    }

    fn label(&self, op: &SnapshotOp, line: u8) -> String {
        match (op, line) {
            (Update(..), _) => format!("U{line}"),
            (Scan, ADVANCE) => "11'".into(),
            (Scan, _) => line.to_string(),
        }
    }

    fn show(&self, mem: &Shared) -> String {
        let n = self.n;
        let null = |value: u8| value.checked_sub(1).map_or("-".to_owned(), |v| v.to_string());
        let all =
            |row: &[LlSc<u8>]| row[..n].iter().map(|r| null(r.value)).collect::<Vec<_>>().join(" ");
        let numbered = |row: &[Numbered]| {
            row[..n].iter().map(|h| format!("{}@{}", h.value, h.seq)).collect::<Vec<_>>().join(" ")
        };
        let views: Vec<String> = mem.view[..n]
            .iter()
            .flatten()
            .map(|v| format!("({} [{}])", null(v.seq.value), all(&v.reg)))
            .collect();
        let (ix, fills) = mem.index.value;
        format!(
            "A=[{}] index=({ix} {}) cseq={} high=[{}] low={:?} view={}",
            all(&mem.a),
            if fills { "fill" } else { "advance" },
            mem.cseq.value,
            numbered(&mem.high),
            &mem.low[..n],
            views.join(" ")
        )
    }

    fn spec(&self) -> &Snapshot {
        &self.spec
    }
}
