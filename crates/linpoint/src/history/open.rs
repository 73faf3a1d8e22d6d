//! How many operations were open at once.

use super::Span;

/// How many of the operations that returned were open at once, at most.
pub(super) fn most_open(spans: &[Span], ranks: u32) -> usize {
    by_bits(spans, ranks).unwrap_or_else(|| by_counting(spans, ranks))
}

/// For a history that is complete: all operations returned, and each rank belongs to one event. `None` for others.
/// A bit for each rank says whether it is that of a call.
fn by_bits(spans: &[Span], ranks: u32) -> Option<usize> {
    if 2 * spans.len() != ranks as usize {
        return None;
    }
    let words = ranks.div_ceil(64) as usize;
    let (mut called, mut returned) = (vec![0_u64; words], vec![0_u64; words]);
    for span in spans {
        if span.is_pending() {
            return None;
        }
        called[span.call as usize / 64] |= 1 << (span.call % 64);
        returned[span.ret as usize / 64] |= 1 << (span.ret % 64);
    }
    // There are as many events as ranks.
    let used: u32 = called.iter().zip(&returned).map(|(c, r)| (c ^ r).count_ones()).sum();
    if used != ranks {
        return None;
    }
    let (mut open, mut most) = (0, 0);
    for events in called.into_iter().flat_map(u64::to_le_bytes) {
        let (change, top) = EIGHT_EVENTS[events as usize];
        most = most.max(open + isize::from(top));
        open += isize::from(change);
    }
    Some(most.unsigned_abs())
}

/// Of eight events, the calls among which are ones: by how much the number of open operations changes, and how much
/// higher it is in between, at most.
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

/// For any history.
fn by_counting(spans: &[Span], ranks: u32) -> usize {
    // By how much the number of open operations changes at each rank.
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
    use super::*;

    #[test]
    fn bits_and_counts_agree() {
        let mut random = fastrand::Rng::with_seed(4);
        for round in 0..300 {
            let n = random.usize(0..200);
            let mut ranks: Vec<u32> = (0..2 * n as u32).collect();
            // Nearly in order, as histories are.
            let reach = 1 + round % 40;
            for at in 0..ranks.len() {
                let to = (at + random.usize(0..reach)).min(ranks.len() - 1);
                ranks.swap(at, to);
            }
            let span =
                |pair: &[u32]| Span { call: pair[0].min(pair[1]), ret: pair[0].max(pair[1]) };
            let mut spans: Vec<Span> = ranks.chunks(2).map(span).collect();
            assert_eq!(by_bits(&spans, 2 * n as u32), Some(by_counting(&spans, 2 * n as u32)));
            if let Some(last) = spans.last_mut() {
                let ret = last.ret;
                last.ret = Span::NEVER;
                assert_eq!(by_bits(&spans, 2 * n as u32), None);
                // Two events of one rank.
                (spans[0].call, spans[n - 1].ret) = (ret, ret);
                assert_eq!(by_bits(&spans, 2 * n as u32), None);
            }
        }
    }

    #[test]
    fn the_most_of_a_few() {
        let spans =
            [(0, 3), (1, 2), (4, Span::NEVER), (5, 6)].map(|(call, ret)| Span { call, ret });
        assert_eq!(most_open(&spans, 7), 2);
        assert_eq!(most_open(&spans[..2], 4), 2);
        assert_eq!(most_open(&[], 0), 0);
    }
}
