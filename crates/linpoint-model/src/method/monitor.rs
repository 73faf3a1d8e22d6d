//! The method `polynomial`: a few bits decide whether a simple execution of a snapshot object is linearizable.
//!
//! In an (i, j)-simple execution let F be the first update(1) of a process of the pair. With every segment 0 before the
//! first call, the execution is linearizable if and only if (theorem 10 and lemma 14 of the paper, which hold only if every
//! process has performed an update(0) before the first call)
//!
//! 1. no two scans return (0, 1) and (1, 0) at (i, j);
//! 2. no scan has 0 where one that ended before it began has 1;
//! 3. no scan has 0 where F ended before it began, or 1 where F has not begun when it ends;
//! 4. no scan returns (0, 1) if F of i ended before F of j began, and none (1, 0) if it is the other way round;
//! 5. no scan has anything but 0 elsewhere.
//!
//! The paper's automata guess the scan that is wrong. This one tracks all open scans together, so it is deterministic, and
//! stops at the earliest return that cannot be explained. It knows three things about each of i and j: whether F has
//! begun; whether it is *over*, that is, F has ended or some scan has returned 1 there (2 and 3 forbid the same to a scan
//! that begins later); and whether the scan that has 0 here and 1 there is *refused* (by 1 or 4). For each open scan it
//! knows what was over when it began.
//!
//! For 4 it is enough to test whether i is over when F of j begins. If a scan made it so, that scan had 0 at j by 3: it
//! returned (1, 0), and (0, 1) is refused by 1 already.
//!
//! A return of i after F has begun is a return of F or of something after it, because i performs one operation at a time.

use std::sync::Arc;

use super::{Scratch, ThreadEvent, Tracker};
use crate::bounds::MAX_THREADS;
use crate::catalogue::specs::{SnapshotOp, View};
use crate::model::{Model, Op, Ret};
use crate::simple::{Pair, Simple};
use crate::system::Interner;

/// The meaning of an operation, by number.
type OpMeaning<'m> = Box<dyn Fn(u32) -> SnapshotOp + Send + Sync + 'm>;
/// The view that a scan returned, by the number of the result; `None` for an update.
type RetMeaning<'m> = Box<dyn Fn(u32) -> Option<View> + Send + Sync + 'm>;

/// The bits of an execution, for i and for j.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Known {
    /// The first update(1) has begun.
    has_begun: [bool; 2],
    /// It has ended, or a scan has returned its value.
    is_over: [bool; 2],
    /// No scan may return 0 here and 1 on the other side any more.
    is_refused: [bool; 2],
    /// For each open scan, what was over when it began.
    at_call: [[bool; 2]; MAX_THREADS],
}

impl Known {
    fn scan_begins(&mut self, thread: usize) {
        self.at_call[thread] = self.is_over;
    }

    /// The process on this side of the pair begins an update(1).
    fn one_begins(&mut self, side: usize) {
        if !self.has_begun[side] {
            self.has_begun[side] = true;
            self.is_refused[1 - side] |= self.is_over[1 - side];
        }
    }

    /// The process on this side of the pair ends an update.
    fn update_ends(&mut self, side: usize) {
        self.is_over[side] |= self.has_begun[side];
    }

    /// False if the scan cannot be explained.
    fn scan_ends(&mut self, thread: usize, ones: [bool; 2]) -> bool {
        let before = std::mem::take(&mut self.at_call[thread]);
        for side in 0..2 {
            let is_impossible = if ones[side] { !self.has_begun[side] } else { before[side] };
            if is_impossible {
                return false;
            }
            self.is_over[side] |= ones[side];
        }
        if ones[0] != ones[1] {
            let zero = usize::from(ones[0]);
            if self.is_refused[zero] {
                return false;
            }
            self.is_refused[1 - zero] = true;
        }
        true
    }
}

/// Monitors the simple executions of a pair.
pub(crate) struct Monitor<'m> {
    pair: Pair,
    op: OpMeaning<'m>,
    view: RetMeaning<'m>,
    known: Interner<Known>,
}

impl<'m> Monitor<'m> {
    pub(crate) fn new<M: Model + 'm>(
        simple: &Simple<M>,
        ops: &Arc<Interner<Op<M>>>,
        rets: &Arc<Interner<Ret<M>>>,
    ) -> Self {
        let (op, view) = (simple.role.op, simple.role.view);
        let (ops, rets) = (Arc::clone(ops), Arc::clone(rets));
        Monitor::with(
            simple.pair,
            Box::new(move |number| op(ops.get(number))),
            Box::new(move |number| view(rets.get(number))),
        )
    }

    fn with(pair: Pair, op: OpMeaning<'m>, view: RetMeaning<'m>) -> Self {
        Monitor { pair, op, view, known: Interner::new() }
    }

    /// Where the pair has 1; `None` if the view has a value that no simple execution writes.
    fn ones(&self, view: &View) -> Option<[bool; 2]> {
        let fits = |(segment, value): (usize, &u8)| {
            *value == 0 || *value == 1 && self.pair.contains(segment)
        };
        let Pair(i, j) = self.pair;
        view.iter().enumerate().all(fits).then(|| [view[i] == 1, view[j] == 1])
    }
}

impl Tracker for Monitor<'_> {
    fn initial(&self) -> u32 {
        self.known.intern(&Known::default())
    }

    fn advance(&self, carried: u32, taken: ThreadEvent, _scratch: &mut Scratch) -> Option<u32> {
        let (thread, event) = (usize::from(taken.thread), taken.event);
        let mut known = *self.known.get(carried);
        let side = self.pair.side(thread);
        if let Some(op) = event.call() {
            match ((self.op)(op), side) {
                (SnapshotOp::Scan, _) => known.scan_begins(thread),
                (SnapshotOp::Update(_, 1), Some(side)) => known.one_begins(side),
                _ => {}
            }
        }
        if let Some(ret) = event.ret() {
            match ((self.view)(ret), side) {
                (Some(view), _) => {
                    let ones = self.ones(&view)?;
                    known.scan_ends(thread, ones).then_some(())?;
                }
                (None, Some(side)) => known.update_ends(side),
                (None, None) => {}
            }
        }
        Some(self.known.intern(&known))
    }

    fn len(&self) -> usize {
        self.known.len()
    }

    fn bytes(&self) -> usize {
        self.known.bytes()
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::catalogue::Bowman;
    use crate::catalogue::specs::SnapshotRet;
    use crate::method::{Configs, Numbered};
    use crate::system::Event;

    const THREADS: usize = 4;
    const HISTORIES: usize = 30_000;

    /// What a thread of a simple history does next. Scans return what updates have left, or what the rng say.
    fn next(
        rng: &mut Rng,
        thread: usize,
        simple: &Simple<Bowman>,
        open: &mut Option<SnapshotOp>,
        shifted: &mut bool,
        now: &mut View,
    ) -> (Option<SnapshotOp>, Option<SnapshotRet>) {
        let call = open.is_none().then(|| {
            loop {
                let op = SnapshotOp::all(thread)[rng.usize(..3)];
                if let Some(after) = simple.admits(&op, *shifted) {
                    *shifted = after;
                    break op;
                }
            }
        });
        let op = open.take().or(call);
        // Half of the operations return with the event that calls them.
        if call.is_some() && rng.usize(..2) == 0 {
            *open = op;
            return (call, None);
        }
        let ret = match op {
            Some(SnapshotOp::Scan) => {
                let mut view = *now;
                if rng.usize(..6) == 0 {
                    view[simple.pair.0] = rng.usize(..2) as u8;
                    view[simple.pair.1] = rng.usize(..2) as u8;
                }
                if rng.usize(..50) == 0 {
                    view[rng.usize(..THREADS)] = 1;
                }
                SnapshotRet::View(view)
            }
            Some(SnapshotOp::Update(segment, value)) => {
                now[usize::from(segment)] = value;
                SnapshotRet::Ok
            }
            None => unreachable!("there is an open operation, or one is called"),
        };
        (call, Some(ret))
    }

    /// The monitor refuses exactly the events that the sets of configurations cannot explain.
    #[test]
    fn monitor_agrees_with_configurations_on_every_event() {
        let model = Bowman::correct(THREADS);
        let mut rng = Rng::with_seed(7);
        let (mut refused, mut explained) = (0, 0);
        for pair in crate::simple::pairs(THREADS) {
            let Some(role) = model.snapshot() else { panic!("a snapshot object") };
            let simple = Simple { pair, role };
            let (ops, rets) = (Arc::new(Interner::new()), Arc::new(Interner::new()));
            let monitor = Monitor::new(&simple, &ops, &rets);
            let numbered = Numbered::new(&model, &ops, &rets);
            let configs = Configs::new(Box::new(numbered), THREADS, false);
            let mut scratch = Scratch::default();
            for _ in 0..HISTORIES / 6 {
                let (mut ours, mut theirs) = (monitor.initial(), configs.initial());
                let (mut open, mut shifted) = ([None; THREADS], [false; THREADS]);
                let mut now = View::default();
                for at in 0..24 {
                    let thread = rng.usize(..THREADS);
                    let (call, ret) = next(
                        &mut rng,
                        thread,
                        &simple,
                        &mut open[thread],
                        &mut shifted[thread],
                        &mut now,
                    );
                    let call = call.map(|op| ops.intern(&op));
                    let event = Event::new(call, false, ret.map(|ret| rets.intern(&ret)));
                    let taken = ThreadEvent { thread: thread as u8, event };
                    let results = (
                        monitor.advance(ours, taken, &mut scratch),
                        configs.advance(theirs, taken, &mut scratch),
                    );
                    match results {
                        (Some(a), Some(b)) => (ours, theirs) = (a, b),
                        (None, None) => {
                            refused += 1;
                            break;
                        }
                        other => panic!("{pair:?}, event {at}: {other:?}"),
                    }
                    explained += usize::from(at == 23);
                }
            }
        }
        println!("{refused} histories refused, {explained} explained to their end");
        assert!(refused > 1000 && explained > 100, "{refused} {explained}");
    }
}
