//! Peaks: the few moments of a history that matter.
//!
//! Between two returns that follow each other without a call, or two calls without a return, nothing
//! can be told apart. A *peak* is a run of calls together with the returns that follow it: a largest
//! set of operations that were all open at once. Each operation is open from one peak (its left) to
//! another (its right), both included, and `a` precedes `b` exactly if `a`'s right is smaller than
//! `b`'s left. There are at most as many peaks as operations, and equal clock readings are gone.
//!
//! Ranks of a history are small numbers, so nothing is sorted: a bit for each rank says where a peak
//! begins, and counting bits gives the peak of a rank. Histories that use few of their ranks (one part
//! of many) sort theirs instead.

use crate::history::Span;

use super::Rows;

/// When each row was open, in peaks.
#[derive(Debug, Default)]
pub(crate) struct Peaks {
    /// First peak at which the row was open.
    pub(crate) left: Vec<u32>,
    /// Last peak at which it was; [`Peaks::NEVER`] for one that never returned.
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
        let ranks = rows.ranks as usize + 1;
        let spans = || rows.spans();
        if let Some(calls) = rows.calls() {
            // Beyond the last rank there are only returns, which begin no peak.
            let starts = Starts::new(calls.iter().map(|calls| (*calls, !*calls)));
            Peaks::from_starts(spans(), rows.len(), &starts)
        } else if rows.len() * 64 / DENSE >= ranks {
            Peaks::by_counting(spans, rows.len(), ranks)
        } else {
            Peaks::by_sorting(spans, rows.len())
        }
    }

    fn by_counting<I: Iterator<Item = Span>>(
        spans: impl Fn() -> I,
        len: usize,
        ranks: usize,
    ) -> Peaks {
        let words = ranks.div_ceil(64);
        let mut calls = vec![0u64; words];
        let mut returns = vec![0u64; words];
        for span in spans() {
            calls[span.call as usize / 64] |= 1 << (span.call % 64);
            if !span.is_pending() {
                returns[span.ret as usize / 64] |= 1 << (span.ret % 64);
            }
        }
        Peaks::from_starts(spans(), len, &Starts::new(calls.into_iter().zip(returns)))
    }

    fn from_starts(spans: impl Iterator<Item = Span>, len: usize, starts: &Starts) -> Peaks {
        let mut peaks = Peaks::with_capacity(len);
        for span in spans {
            peaks.left.push(starts.peak_at(span.call));
            peaks.right.push(if span.is_pending() {
                Self::NEVER
            } else {
                starts.peak_at(span.ret)
            });
        }
        peaks.count = if len == 0 { 0 } else { starts.count + 1 };
        peaks
    }

    fn by_sorting<I: Iterator<Item = Span>>(spans: impl Fn() -> I, len: usize) -> Peaks {
        // At one rank, calls come before returns.
        let mut events = Vec::with_capacity(2 * len);
        for span in spans() {
            events.push(u64::from(span.call) << 1);
            if !span.is_pending() {
                events.push(u64::from(span.ret) << 1 | 1);
            }
        }
        events.sort_unstable();
        // The ranks at which a peak begins, but for the first.
        let mut starts = Vec::new();
        let mut after_return = false;
        for event in events {
            let is_return = event & 1 == 1;
            if after_return && !is_return {
                starts.push((event >> 1) as u32);
            }
            after_return = is_return;
        }
        let peak_at = |rank: u32| starts.partition_point(|start| *start <= rank) as u32;
        let mut peaks = Peaks::with_capacity(len);
        for span in spans() {
            peaks.left.push(peak_at(span.call));
            peaks.right.push(if span.is_pending() { Self::NEVER } else { peak_at(span.ret) });
        }
        peaks.count = if len == 0 { 0 } else { starts.len() as u32 + 1 };
        peaks
    }

    fn with_capacity(len: usize) -> Peaks {
        Peaks { left: Vec::with_capacity(len), right: Vec::with_capacity(len), count: 0 }
    }
}

/// Where peaks begin, but for the first: a bit for each rank, and how many are set before each word.
struct Starts {
    words: Vec<(u64, u32)>,
    count: u32,
}

impl Starts {
    /// `events` has calls and returns, a bit for each rank.
    fn new(events: impl Iterator<Item = (u64, u64)>) -> Starts {
        let mut words = Vec::with_capacity(events.size_hint().0);
        let (mut count, mut after_return) = (0, false);
        for (called, returned) in events {
            let (mut used, mut bits) = (called | returned, 0);
            // A history that is whole uses all of its ranks.
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

    #[test]
    fn precedence_is_kept() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..500 {
            let n = random.usize(0..12);
            let mut events = History::<(), ()>::from_events();
            let mut open = Vec::new();
            for _ in 0..n {
                open.push(events.call(()));
                while !open.is_empty() && random.bool() {
                    let id = open.swap_remove(random.usize(0..open.len()));
                    if random.u8(0..5) > 0 {
                        events.ret(id, ()).unwrap();
                    }
                }
            }
            let history = events.finish();
            let ids: Vec<OpId> = history.ids().collect();
            let spans = || ids.iter().map(|id| history.span(*id));
            let counted = Peaks::by_counting(spans, ids.len(), history.ranks() as usize + 1);
            let mut calls = vec![0_u64; history.ranks().div_ceil(64) as usize];
            spans().for_each(|span| calls[span.call as usize / 64] |= 1 << (span.call % 64));
            let starts = Starts::new(calls.iter().map(|calls| (*calls, !*calls)));
            let complete = Peaks::from_starts(spans(), ids.len(), &starts);
            assert_eq!((&counted.left, &counted.right), (&complete.left, &complete.right));
            assert_eq!(counted.count, complete.count);
            let sorted = Peaks::by_sorting(spans, ids.len());
            assert_eq!((&counted.left, &counted.right), (&sorted.left, &sorted.right));
            assert_eq!(counted.count, sorted.count);
            for a in 0..n {
                assert!(counted.left[a] < counted.count.max(1));
                for b in 0..n {
                    let precedes = history.span(ids[a]).precedes(history.span(ids[b]));
                    assert_eq!(precedes, counted.right[a] < counted.left[b]);
                }
            }
        }
    }
}
