//! Simple executions of snapshot objects (Amram, Hayoun, Mizrahi and Weiss, DISC 2022, sections 3 and 6).
//!
//! In an (i, j)-simple execution all processes but i and j write only 0; i and j each write 0 up to some moment of their
//! own and 1 from then on. If values are only copied, an algorithm is linearizable if and only if its simple executions
//! are, for all pairs i < j. The proof renames the values of a run that is not linearizable and keeps its operations, so
//! it holds within any bounds on operations.

use crate::bounds::{Bounds, MAX_THREADS};
use crate::catalogue::specs::{Snapshot, SnapshotOp, SnapshotRet, View};
use crate::model::{Model, Op, Ret};

/// Two processes, the smaller one first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair(pub usize, pub usize);

impl Pair {
    /// True if the process is one of the two.
    pub fn contains(self, process: usize) -> bool {
        self.side(process).is_some()
    }

    /// Which of the two the process is: 0 or 1.
    pub(crate) fn side(self, process: usize) -> Option<usize> {
        [self.0, self.1].iter().position(|own| *own == process)
    }
}

impl std::fmt::Display for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.0, self.1)
    }
}

/// The simple executions to explore; for the methods `simple` and `polynomial`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SimpleRuns {
    /// Those of this pair; by default those of all pairs, one after another.
    pub pair: Option<Pair>,
    /// Which commands are omitted.
    pub omit: Omit,
}

/// Which commands are omitted from simple executions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Omit {
    /// Those that nothing can depend on, because they only copy the 0 of a process outside the pair. The verdict stays the
    /// same.
    #[default]
    Vacuous,
    /// As in the published experiments: updates of processes outside the pair do nothing, and no process reads their
    /// registers. A violation is also one of the whole algorithm, in a run in which those processes do not update. If none is
    /// found, this says nothing about runs in which a scan notices an update from outside the pair.
    AsPublished,
}

/// The roles of a snapshot object's operations and results, for the methods `simple` and `polynomial`.
pub struct SnapshotRole<M: Model> {
    /// The meaning of an operation.
    pub op: fn(&Op<M>) -> SnapshotOp,
    /// The view that a scan returned; `None` for an update.
    pub view: fn(&Ret<M>) -> Option<View>,
    /// The model without the commands that are omitted for this pair.
    pub omit: fn(&M, Pair, Omit) -> M,
}

impl<M: Model<Spec = Snapshot>> SnapshotRole<M> {
    /// For models with the catalogue's specification.
    pub fn new(omit: fn(&M, Pair, Omit) -> M) -> SnapshotRole<M> {
        let view = |ret: &SnapshotRet| match ret {
            SnapshotRet::Ok => None,
            SnapshotRet::View(view) => Some(*view),
        };
        SnapshotRole { op: |op| *op, view, omit }
    }
}

/// Admits only the calls of (i, j)-simple executions.
pub(crate) struct Simple<M: Model> {
    pub(crate) pair: Pair,
    pub(crate) role: SnapshotRole<M>,
}

impl<M: Model> Simple<M> {
    /// `None` if the process may not call this operation; otherwise whether it has written 1 after it. `has_shifted` says
    /// whether it has written 1 before.
    pub(crate) fn admits(&self, op: &Op<M>, has_shifted: bool) -> Option<bool> {
        let SnapshotOp::Update(process, value) = (self.role.op)(op) else {
            return Some(has_shifted);
        };
        match value {
            0 if !has_shifted => Some(false),
            1 if self.pair.contains(usize::from(process)) => Some(true),
            _ => None,
        }
    }

    /// True if all runs within these bounds are simple. Only programs can have other runs.
    pub(crate) fn admits_all(&self, bounds: &Bounds<Op<M>>) -> bool {
        let Bounds::Programs(programs) = bounds else { return true };
        let passes = |program: &Vec<Op<M>>| {
            program.iter().try_fold(false, |shifted, op| self.admits(op, shifted)).is_some()
        };
        programs.iter().all(passes)
    }
}

/// All pairs of this many processes.
pub(crate) fn pairs(threads: usize) -> impl Iterator<Item = Pair> {
    let threads = threads.min(MAX_THREADS);
    (0..threads).flat_map(move |i| (i + 1..threads).map(move |j| Pair(i, j)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::parse_program;
    use crate::catalogue::Bowman;

    #[test]
    fn programs_are_simple_as_in_definition_4() {
        let model = Bowman::correct(3);
        let passes = |pair, text| {
            let Some(role) = model.snapshot() else { panic!("no snapshot") };
            let programs = parse_program(&model, text).unwrap();
            Simple { pair, role }.admits_all(&Bounds::Programs(programs))
        };
        let simple = "update 0; scan; update 1; update 1 | scan; update 1 | update 0; scan";
        assert!(passes(Pair(0, 1), simple));
        assert!(!passes(Pair(0, 2), simple), "1 is outside the pair");
        assert!(!passes(Pair(1, 2), simple), "0 is outside the pair");
        assert!(!passes(Pair(0, 1), "update 1; update 0 | scan | scan"), "back to 0");
        assert!(!passes(Pair(0, 1), "update 1; scan; update 0 | scan | scan"), "back to 0");
    }

    #[test]
    fn pairs_lists_every_pair_once() {
        assert_eq!(pairs(3).collect::<Vec<_>>(), [Pair(0, 1), Pair(0, 2), Pair(1, 2)]);
        assert_eq!((pairs(1).count(), pairs(10).count()), (0, 45));
    }
}
