//! Ranks times that are distinct and close together, by counting.
//!
//! Events that are numbered as they happen, or a clock that is read once for each event, give such
//! times. A bitmap records the times at which something happened. The rank of an event is the
//! number of bits before its own. Nothing is sorted or moved: this takes a few passes over the
//! history.

use super::Span;

/// The range of times may have at most this many bits for each operation.
const BITS_AN_OPERATION: u64 = 64;

/// Turns times into ranks. Returns the number of ranks and, if every time in the range has an
/// event, a bitmap of ranks in which calls are set. Returns `None`, and leaves the times unchanged,
/// if two events share a time or if the range is too large.
pub(super) fn rank(spans: &mut [Span]) -> Option<(u32, Vec<u64>)> {
    let (mut least, mut most, mut pending) = (u32::MAX, 0, 0);
    for span in &*spans {
        let last = if span.is_pending() { span.call } else { span.ret };
        least = least.min(span.call);
        most = most.max(span.call).max(last);
        pending += usize::from(span.is_pending());
    }
    let events = 2 * spans.len() - pending;
    if events == 0 {
        return Some((0, Vec::new()));
    }
    let range = u64::from(most - least) + 1;
    if range > BITS_AN_OPERATION * spans.len() as u64 + 64 || range < events as u64 {
        return None;
    }
    if range > events as u64 {
        return sparse(spans, least, range, events).then_some((events as u32, Vec::new()));
    }
    Some((events as u32, dense(spans, least, events)?))
}

/// There are as many times as events. Returns the bitmap of calls, or `None` if two events share a
/// time.
fn dense(spans: &mut [Span], least: u32, events: usize) -> Option<Vec<u64>> {
    let words = events.div_ceil(64);
    // Two columns, so that no write depends on the one just before it.
    let (mut called, mut returned) = (vec![0_u64; words], vec![0_u64; words]);
    let note = |column: &mut [u64], time: u32| {
        let (word, bit) = place(time - least);
        column[word] |= bit;
    };
    for span in &*spans {
        note(&mut called, span.call);
        if !span.is_pending() {
            note(&mut returned, span.ret);
        }
    }
    let pairs = called.iter().zip(&returned);
    let distinct: u64 = pairs.map(|(c, r)| u64::from((c ^ r).count_ones())).sum();
    if distinct < events as u64 {
        return None;
    }
    if least > 0 {
        change_times(spans, |time| time - least);
    }
    Some(called)
}

/// There are more times than events. False if two events share a time.
fn sparse(spans: &mut [Span], least: u32, range: u64, events: usize) -> bool {
    let mut happened = vec![0_u64; range.div_ceil(64) as usize];
    let mut note = |time: u32| {
        let (word, bit) = place(time - least);
        happened[word] |= bit;
    };
    for span in &*spans {
        note(span.call);
        if !span.is_pending() {
            note(span.ret);
        }
    }
    let mut before = 0;
    let words: Vec<(u64, u32)> = happened
        .iter()
        .map(|&bits| {
            before += bits.count_ones();
            (bits, before - bits.count_ones())
        })
        .collect();
    // Fewer bits than events: two events share one.
    if (before as usize) < events {
        return false;
    }
    change_times(spans, |time| {
        let (word, bit) = place(time - least);
        let (bits, before) = words[word];
        before + (bits & (bit - 1)).count_ones()
    });
    true
}

/// The word and the bit of a time.
#[inline]
fn place(time: u32) -> (usize, u64) {
    (time as usize / 64, 1 << (time % 64))
}

fn change_times(spans: &mut [Span], change: impl Fn(u32) -> u32) {
    for span in spans {
        span.call = change(span.call);
        if !span.is_pending() {
            span.ret = change(span.ret);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(times: &[(u32, u32)]) -> Vec<Span> {
        times.iter().map(|&(call, ret)| Span { call, ret }).collect()
    }

    #[test]
    fn times_stay_unchanged_if_not_ranked() {
        for times in
            [&[(3, 5), (5, 6)][..], &[(4, 4)], &[(0, u32::MAX - 1)], &[(1, 9), (9, u32::MAX)]]
        {
            let mut counted = spans(times);
            assert_eq!(rank(&mut counted), None);
            assert_eq!(counted, spans(times));
        }
    }

    #[test]
    fn ranks_count_earlier_events() {
        let mut dense = spans(&[(8, 11), (7, 9), (10, u32::MAX)]);
        assert_eq!(rank(&mut dense), Some((5, vec![0b01011])));
        assert_eq!(dense, spans(&[(1, 4), (0, 2), (3, u32::MAX)]));
        let mut sparse = spans(&[(200, 163), (20, 21), (63, 64)]);
        assert_eq!(rank(&mut sparse), Some((6, Vec::new())));
        assert_eq!(sparse, spans(&[(5, 4), (0, 1), (2, 3)]));
        assert_eq!(rank(&mut []), Some((0, Vec::new())));
    }
}
