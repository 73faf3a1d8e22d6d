//! The largest number of operations that were open at the same time.

use super::Span;

/// For a history in which every rank belongs to one event and all operations returned. `calls` is a
/// bitmap of ranks in which calls are set.
pub(super) fn by_bits(calls: &[u64]) -> usize {
    let (mut open, mut most) = (0, 0);
    // Beyond the last rank there are only returns.
    for events in calls.iter().flat_map(|word| word.to_le_bytes()) {
        let (change, top) = EIGHT_EVENTS[events as usize];
        most = most.max(open + isize::from(top));
        open += isize::from(change);
    }
    most.unsigned_abs()
}

/// For each pattern of eight events, with calls as ones: the change in the number of open
/// operations, and its maximum in between.
const EIGHT_EVENTS: [(i8, i8); 256] = {
    let mut table = [(0, 0); 256];
    let mut events = 0;
    while events < 256 {
        let (mut change, mut top, mut event) = (0, 0, 0);
        while event < 8 {
            change += if events >> event & 1 == 1 { 1 } else { -1 };
            top = if change > top { change } else { top };
            event += 1;
        }
        table[events] = (change, top);
        events += 1;
    }
    table
};

/// For any history. Operations that did not return do not count.
pub(super) fn by_counting(spans: &[Span], ranks: u32) -> usize {
    // The change in the number of open operations at each rank.
    let mut change = vec![0_i8; ranks as usize + 1];
    for span in spans.iter().filter(|span| !span.is_pending()) {
        let called = &mut change[span.call as usize];
        *called = called.saturating_add(1);
        let returned = &mut change[span.ret as usize];
        *returned = returned.saturating_sub(1);
    }
    let (mut open, mut most) = (0_isize, 0);
    for change in change {
        open += isize::from(change);
        most = most.max(open.unsigned_abs());
    }
    most
}

#[cfg(test)]
mod tests {
    use super::super::{History, Interval, Ties};
    use super::*;

    #[test]
    fn bits_and_counts_agree() {
        let mut random = fastrand::Rng::with_seed(4);
        for round in 0..300 {
            let n = random.usize(1..200);
            let mut times: Vec<u64> = (0..2 * n as u64).collect();
            // Nearly in order, as in real histories.
            let reach = 1 + round % 40;
            for at in 0..times.len() {
                let to = (at + random.usize(0..reach)).min(times.len() - 1);
                times.swap(at, to);
            }
            let mut intervals = History::<(), ()>::from_intervals(Ties::Ordered);
            for pair in times.chunks(2) {
                let (start, end) = (pair[0].min(pair[1]) + 7, pair[0].max(pair[1]) + 7);
                intervals.add(Interval::new((), (), start, end)).unwrap();
            }
            let mut pending = intervals.clone();
            let history = intervals.finish().unwrap();
            let calls = history.timeline().calls().expect("no time is left out");
            assert_eq!(by_bits(calls), by_counting(history.timeline().spans(), history.ranks()));
            assert_eq!(by_bits(calls), history.timeline().most_open());
            for span in history.timeline().spans() {
                let is_call = |rank: u32| calls[rank as usize / 64] >> (rank % 64) & 1 == 1;
                assert!(is_call(span.call) && !is_call(span.ret));
            }
            pending.add(Interval::pending((), 7 + 2 * n as u64)).unwrap();
            assert_eq!(
                pending.finish().unwrap().timeline().most_open(),
                history.timeline().most_open()
            );
        }
    }

    #[test]
    fn the_maximum_in_small_histories() {
        let spans =
            [(0, 3), (1, 2), (4, Span::NEVER), (5, 6)].map(|(call, ret)| Span { call, ret });
        assert_eq!(by_counting(&spans, 7), 2);
        assert_eq!(by_counting(&[], 0), 0);
        assert_eq!(by_bits(&[]), 0);
    }
}
