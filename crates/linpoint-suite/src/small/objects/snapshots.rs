//! Snapshot objects of a few segments.

use linpoint::spec::models::{Snapshot, SnapshotOp, SnapshotRet};

use crate::Rng;
use crate::small::SmallObject;
use crate::small::draw::Style;

/// A snapshot object whose segments hold 0 at the start.
pub struct SmallSnapshot {
    /// Number of segments, at most 8.
    pub segments: u8,
    /// If true, updates write 0 or 1, as in the published histories; otherwise fresh values.
    pub bits: bool,
    /// If true, scans leave the result of some segments open.
    pub partial: bool,
}

impl SmallSnapshot {
    fn known(&self, state: u64) -> SnapshotRet<u8> {
        let value = |i: u8| Some((state >> (8 * i)) as u8);
        SnapshotRet::Values((0..self.segments).map(value).collect())
    }
}

impl SmallObject for SmallSnapshot {
    type Op = SnapshotOp<u8>;
    type Ret = SnapshotRet<u8>;
    type Spec = Snapshot<u8>;

    fn name(&self) -> &'static str {
        "snapshot"
    }

    fn spec(&self) -> Snapshot<u8> {
        Snapshot { segments: self.segments.into(), initial: 0 }
    }

    fn step(&self, state: u64, op: &SnapshotOp<u8>) -> Option<(SnapshotRet<u8>, u64)> {
        Some(match op {
            SnapshotOp::Scan => (self.known(state), state),
            SnapshotOp::Update(i, v) => {
                let shift = 8 * i;
                (SnapshotRet::Done, state & !(0xff << shift) | u64::from(*v) << shift)
            }
        })
    }

    fn fits(&self, exact: &SnapshotRet<u8>, recorded: &SnapshotRet<u8>) -> bool {
        match (exact, recorded) {
            (SnapshotRet::Values(exact), SnapshotRet::Values(recorded)) => {
                recorded.len() <= exact.len()
                    && exact.iter().zip(&**recorded).all(|(is, seen)| seen.is_none() || seen == is)
            }
            _ => exact == recorded,
        }
    }

    fn draw(&self, rng: &mut Rng, _style: &Style, fresh: u8) -> SnapshotOp<u8> {
        let segment = rng.usize(..usize::from(self.segments));
        match (rng.f64() < 0.45, self.bits) {
            (true, _) => SnapshotOp::Scan,
            (false, true) => SnapshotOp::Update(segment, u8::from(segment < 2 && rng.f64() < 0.8)),
            (false, false) => SnapshotOp::Update(segment, fresh + 1),
        }
    }

    fn any_result(&self, rng: &mut Rng, op: &SnapshotOp<u8>, values: u8) -> SnapshotRet<u8> {
        if matches!(op, SnapshotOp::Update(..)) {
            return SnapshotRet::Done;
        }
        let most = if self.bits { 2 } else { usize::from(values) + 1 };
        let mut value = |_| {
            let known = !self.partial || rng.f64() < 0.8;
            let value = rng.usize(..most) as u8;
            known.then_some(value)
        };
        SnapshotRet::Values((0..self.segments).map(&mut value).collect())
    }

    fn record(&self, rng: &mut Rng, ret: SnapshotRet<u8>) -> SnapshotRet<u8> {
        let SnapshotRet::Values(values) = &ret else { return ret };
        if !self.partial {
            return ret;
        }
        let recorded = |value: &Option<u8>| value.filter(|_| rng.f64() < 0.8);
        SnapshotRet::Values(values.iter().map(recorded).collect())
    }

    fn letters(&self, values: u8) -> Vec<(SnapshotOp<u8>, Option<SnapshotRet<u8>>)> {
        let most = u64::from(if self.bits { 1 } else { values });
        let mut letters = Vec::new();
        for i in 0..usize::from(self.segments) {
            for v in 1..=most as u8 {
                letters.push((SnapshotOp::Update(i, v), Some(SnapshotRet::Done)));
                letters.push((SnapshotOp::Update(i, v), None));
            }
        }
        let views = (most + 1).pow(self.segments.into());
        for mut view in 0..views {
            let mut state = 0;
            for i in 0..self.segments {
                state |= (view % (most + 1)) << (8 * i);
                view /= most + 1;
            }
            letters.push((SnapshotOp::Scan, Some(self.known(state))));
        }
        letters
    }
}
