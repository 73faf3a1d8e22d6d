//! Peaks: the few moments of a history that matter.
//!
//! Between two returns that follow each other without a call, or two calls without a return,
//! nothing can be distinguished. A *peak* is a run of calls together with the returns that follow
//! it: a maximal set of operations that were all open at the same time. Each operation is open from
//! one peak (its left) to another (its right), both included, and `a` precedes `b` exactly if `a`'s
//! right is smaller than `b`'s left. There are at most as many peaks as operations, and equal clock
//! readings no longer occur.
//!
//! Ranks of a history are small numbers, so nothing is sorted: a bitmap of ranks marks where peaks
//! begin, and counting bits gives the peak of a rank. Histories that use few of their ranks (one
//! part of many) sort theirs instead.

use crate::history::Span;
use crate::sorting::sort_by_key;

use super::{Refusal, Rows};

/// The spans of the rows, in peaks.
#[derive(Debug, Default)]
pub(crate) struct Peaks {
    /// First peak at which the row was open.
    pub(crate) left: Vec<u32>,
    /// Last peak at which the row was open; [`Peaks::NEVER`] if it never returned.
    pub(crate) right: Vec<u32>,
    /// Number of peaks.
    pub(crate) count: u32,
}

/// With fewer operations than this for each 64 ranks, sorting is cheaper than a bit for each rank.
const DENSE: usize = 4;

impl Peaks {
    /// The right end of an operation that never returned.
    pub(crate) const NEVER: u32 = u32::MAX;

    /// The peaks of the rows.
    pub(crate) fn of(rows: Rows<'_>) -> Peaks {
        let finder = Finder::of(rows);
        let (mut left, mut right) =
            (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        finder.each(rows, |_, l, r| {
            left.push(l);
            right.push(r);
        });
        Peaks { left, right, count: finder.count() }
    }

    /// The rows by left end, each with what it does.
    pub(super) fn entries<E: Copy>(
        &self,
        mut effect: impl FnMut(usize) -> Result<E, Refusal>,
    ) -> Result<Vec<Entry<E>>, Refusal> {
        let mut entries = Vec::with_capacity(self.left.len());
        for (row, (&left, &right)) in self.left.iter().zip(&self.right).enumerate() {
            entries.push(Entry { left, right, row: row as u32, effect: effect(row)? });
        }
        if !self.left.is_sorted() {
            sort_by_key(&mut entries, |entry| entry.left);
        }
        Ok(entries)
    }
}

/// A row with its peaks, and what it does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<E> {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) row: u32,
    pub(super) effect: E,
}

/// Finds the peak of a rank.
pub(crate) enum Finder {
    Counted(Starts),
    /// The ranks at which a peak begins, except the first.
    Sorted(Vec<u32>),
    /// Without events there is no peak.
    Empty,
}

impl Finder {
    pub(crate) fn of(rows: Rows<'_>) -> Finder {
        let ranks = rows.ranks as usize + 1;
        if rows.len() == 0 {
            Finder::Empty
        } else if let Some(calls) = rows.calls() {
            // Beyond the last rank there are only returns, which begin no peak.
            Finder::Counted(Starts::new(calls.iter().map(|calls| (*calls, !*calls))))
        } else if rows.len() * 64 / DENSE >= ranks {
            Finder::by_counting(rows.spans(), ranks)
        } else {
            Finder::by_sorting(rows.spans(), rows.len())
        }
    }

    fn by_counting(spans: impl Iterator<Item = Span>, ranks: usize) -> Finder {
        let words = ranks.div_ceil(64);
        let mut calls = vec![0u64; words];
        let mut returns = vec![0u64; words];
        for span in spans {
            calls[span.call as usize / 64] |= 1 << (span.call % 64);
            if !span.is_pending() {
                returns[span.ret as usize / 64] |= 1 << (span.ret % 64);
            }
        }
        Finder::Counted(Starts::new(calls.into_iter().zip(returns)))
    }

    fn by_sorting(spans: impl Iterator<Item = Span>, len: usize) -> Finder {
        // At one rank, calls come before returns.
        let mut events = Vec::with_capacity(2 * len);
        for span in spans {
            events.push(u64::from(span.call) << 1);
            if !span.is_pending() {
                events.push(u64::from(span.ret) << 1 | 1);
            }
        }
        events.sort_unstable();
        let mut starts = Vec::new();
        let mut after_return = false;
        for event in events {
            let is_return = event & 1 == 1;
            if after_return && !is_return {
                starts.push((event >> 1) as u32);
            }
            after_return = is_return;
        }
        Finder::Sorted(starts)
    }

    /// Number of peaks.
    pub(crate) fn count(&self) -> u32 {
        match self {
            Finder::Counted(starts) => starts.count + 1,
            Finder::Sorted(starts) => starts.len() as u32 + 1,
            Finder::Empty => 0,
        }
    }

    /// Passes each row with its first and last peak to `visit`. The last peak of a row that never
    /// returned is [`Peaks::NEVER`].
    #[inline]
    pub(crate) fn each(&self, rows: Rows<'_>, visit: impl FnMut(usize, u32, u32)) {
        match self {
            Finder::Counted(starts) => visit_each(rows, |rank| starts.peak_at(rank), visit),
            Finder::Sorted(starts) => {
                let peak_at = |rank| starts.partition_point(|start| *start <= rank) as u32;
                visit_each(rows, peak_at, visit);
            }
            Finder::Empty => {}
        }
    }
}

#[inline]
fn visit_each(
    rows: Rows<'_>,
    peak_at: impl Fn(u32) -> u32,
    mut visit: impl FnMut(usize, u32, u32),
) {
    for (row, span) in rows.spans().enumerate() {
        let right = if span.is_pending() { Peaks::NEVER } else { peak_at(span.ret) };
        visit(row, peak_at(span.call), right);
    }
}

/// Where peaks begin, except the first: a bitmap of ranks, and the number of bits set before each
/// word.
pub(crate) struct Starts {
    words: Vec<(u64, u32)>,
    count: u32,
}

impl Starts {
    /// `events` has bitmaps of calls and returns.
    fn new(events: impl Iterator<Item = (u64, u64)>) -> Starts {
        let mut words = Vec::with_capacity(events.size_hint().0);
        let (mut count, mut after_return) = (0, false);
        for (called, returned) in events {
            let (mut used, mut bits) = (called | returned, 0);
            // A complete history uses all of its ranks.
            if used == u64::MAX {
                bits = called & (returned << 1 | u64::from(after_return));
                after_return = returned >> 63 == 1;
                used = 0;
            }
            while used != 0 {
                let bit = used & used.wrapping_neg();
                used ^= bit;
                if called & bit != 0 && after_return {
                    bits |= bit;
                }
                after_return = returned & bit != 0;
            }
            words.push((bits, count));
            count += bits.count_ones();
        }
        Starts { words, count }
    }

    #[inline]
    fn peak_at(&self, rank: u32) -> u32 {
        let (bits, before) = self.words[rank as usize / 64];
        before + (bits << (63 - rank % 64)).count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{History, OpId};
    use crate::spec::models::{Set, SetOp, SetRet};
    use crate::subject::{Case, Typed};

    #[test]
    fn precedence_is_kept() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..500 {
            let n = random.usize(0..12);
            let mut events = History::<SetOp<u8>, SetRet>::from_events();
            let mut open = Vec::new();
            for _ in 0..n {
                open.push(events.call(SetOp::Insert(1)));
                while !open.is_empty() && random.bool() {
                    let id = open.swap_remove(random.usize(0..open.len()));
                    if random.u8(0..5) > 0 {
                        events.ret_unknown(id).unwrap();
                    }
                }
            }
            let history = events.finish();
            let ids: Vec<OpId> = history.ids().collect();
            let spec = Set::new();
            let typed = Typed::new(&spec, &history);
            let case = Case::new(&typed, history.timeline());
            let rows = Rows::new(&case, &ids);
            let peaks_of = |finder: Finder| {
                let mut peaks = Vec::new();
                finder.each(rows, |row, left, right| peaks.push((row, left, right)));
                (peaks, finder.count())
            };
            let (ranks, spans) = (history.ranks(), || ids.iter().map(|id| history.span(*id)));
            let mut calls = vec![0_u64; ranks.div_ceil(64) as usize];
            spans().for_each(|span| calls[span.call as usize / 64] |= 1 << (span.call % 64));
            let complete = Starts::new(calls.iter().map(|calls| (*calls, !*calls)));
            let counted = Finder::by_counting(spans(), ranks as usize + 1);
            let (peaks, count) = peaks_of(counted);
            assert_eq!(peaks_of(Finder::by_sorting(spans(), n)), (peaks.clone(), count));
            assert_eq!(peaks_of(Finder::Counted(complete)), (peaks.clone(), count));
            let all = Peaks::of(rows);
            assert_eq!(all.count, if n == 0 { 0 } else { count });
            for (a, left, right) in peaks {
                assert_eq!((all.left[a], all.right[a]), (left, right));
                assert!(left < count);
                for b in 0..n {
                    let precedes = history.span(ids[a]).precedes(history.span(ids[b]));
                    assert_eq!(precedes, right < all.left[b]);
                }
            }
        }
    }
}
