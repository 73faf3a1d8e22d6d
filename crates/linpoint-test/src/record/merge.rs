//! Merges private logs into one history.
//!
//! Guarantee: if `a` precedes `b` in a merged history, then the return stamp of `a` was smaller
//! than the call stamp of `b`, so every instruction of `a` had executed before the first one of `b`
//! began (see [`super::clock`] for what that means for stores). Equal stamps count as concurrent,
//! so a coarse clock never causes a false alarm. The converse does not hold: operations that are
//! concurrent in the history may have executed one after the other, between two ticks or between
//! two stamps.

use linpoint::History;
use linpoint::history::{Extras, HistoryError, Interval, Ties};

use super::sheet::OPEN;

/// One operation of a log.
#[derive(Clone, Debug)]
pub(crate) struct Row<O, R> {
    pub(crate) op: O,
    pub(crate) ret: Option<R>,
    pub(crate) call: u64,
    /// [`OPEN`] if the operation did not return.
    pub(crate) end: u64,
}

/// The rows of one process, in order.
#[derive(Clone, Debug)]
pub(crate) struct Lane<O, R> {
    pub(crate) process: u32,
    pub(crate) rows: Vec<Row<O, R>>,
}

/// Merges lanes whose operations do not overlap each other.
pub(crate) fn merge<O, R>(mut lanes: Vec<Lane<O, R>>) -> Result<History<O, R>, HistoryError> {
    let mut touching = false;
    for lane in &mut lanes {
        touching |= remove_overlaps(&mut lane.rows);
    }
    if !touching {
        rank(&mut lanes);
    }
    let mut builder = History::from_intervals(Ties::Concurrent);
    builder.reserve(lanes.iter().map(|lane| lane.rows.len()).sum());
    for Lane { process, rows } in lanes {
        let extras = Extras { process: Some(process), ..Extras::default() };
        for Row { op, ret, call, end } in rows {
            let end = (end != OPEN).then_some(end);
            builder.add(Interval { op, ret, start: call, end, extras })?;
        }
    }
    builder.finish()
}

/// Moves each call behind the preceding return: the larger stamp was also read before the operation
/// began. Returns true if an operation begins at the stamp at which another one ends.
fn remove_overlaps<O, R>(rows: &mut [Row<O, R>]) -> bool {
    let mut last = None;
    let mut touching = false;
    for row in rows {
        if let Some(last) = last {
            row.call = row.call.max(last);
            touching |= row.call == last;
        }
        row.end = row.end.max(row.call);
        // An operation that never returned occupies the process only at its call.
        last = Some(if row.end == OPEN { row.call } else { row.end });
        touching |= row.end == row.call;
    }
    touching
}

/// Replaces stamps by their ranks, so that nothing has to be sorted later. Each lane is already in
/// order. At equal stamps, calls come before returns. No two events of a lane have the same stamp,
/// so this is exactly what [`Ties::Concurrent`] means.
fn rank<O, R>(lanes: &mut [Lane<O, R>]) {
    const DONE: u64 = u64::MAX;
    /// The key of an event of a lane: twice its stamp, plus one for a return.
    fn key<O, R>(rows: &[Row<O, R>], event: usize) -> u64 {
        match rows.get(event / 2) {
            None => DONE,
            Some(row) if event.is_multiple_of(2) => row.call << 1,
            Some(row) if row.end == OPEN => SKIP,
            Some(row) => row.end << 1 | 1,
        }
    }
    /// The event does not exist and is skipped.
    const SKIP: u64 = 0;
    let mut next: Vec<(u64, usize)> = lanes.iter().map(|lane| (key(&lane.rows, 0), 0)).collect();
    let mut rank = 0;
    loop {
        let mut least = (DONE, 0);
        for (lane, &(key, _)) in next.iter().enumerate() {
            if key < least.0 {
                least = (key, lane);
            }
        }
        let (stamp, lane) = least;
        if stamp == DONE {
            return;
        }
        let rows = &mut lanes[lane].rows;
        let event = next[lane].1;
        let row = &mut rows[event / 2];
        if event.is_multiple_of(2) {
            row.call = rank;
            rank += 1;
        } else if row.end != OPEN {
            row.end = rank;
            rank += 1;
        }
        next[lane] = (key(rows, event + 1), event + 1);
    }
}

/// Splits the rows of a log with overlapping operations into lanes without overlaps.
pub(crate) fn untangle<O, R>(mut rows: Vec<Row<O, R>>, first: u32) -> Vec<Lane<O, R>> {
    rows.sort_by_key(|row| row.call);
    let mut lanes: Vec<(u64, Lane<O, R>)> = Vec::new();
    for row in rows {
        let free = lanes.iter().position(|(until, _)| *until <= row.call);
        let at = free.unwrap_or_else(|| {
            let process = first + lanes.len() as u32;
            lanes.push((0, Lane { process, rows: Vec::new() }));
            lanes.len() - 1
        });
        lanes[at].0 = if row.end == OPEN { row.call } else { row.end };
        lanes[at].1.rows.push(row);
    }
    lanes.into_iter().map(|(_, lane)| lane).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use linpoint::OpId;

    fn lane(process: u32, stamps: &[(u64, u64)]) -> Lane<usize, ()> {
        let row = |(op, &(call, end))| Row { op, ret: (end != OPEN).then_some(()), call, end };
        Lane { process, rows: stamps.iter().enumerate().map(row).collect() }
    }

    /// The precedence relation, from the stamps alone.
    fn expected(lanes: &[&[(u64, u64)]]) -> Vec<Vec<bool>> {
        let all: Vec<_> = lanes.iter().flat_map(|lane| lane.iter()).collect();
        all.iter().map(|a| all.iter().map(|b| a.1 < b.0).collect()).collect()
    }

    fn precedence(history: &History<usize, ()>) -> Vec<Vec<bool>> {
        let before = |a: OpId, b: OpId| history.span(a).precedes(history.span(b));
        history.ids().map(|a| history.ids().map(|b| before(a, b)).collect()).collect()
    }

    #[test]
    fn precedence_follows_the_stamps() {
        // Stamps are few and small, so all ties occur: within a lane, between lanes, operations of
        // length zero.
        for seed in 0..3_000_u64 {
            let mut random = crate::rng::SplitMix64::new(seed);
            let mut below = |n: u64| random.up_to(n - 1);
            let mut lanes = Vec::new();
            for _ in 0..3 {
                let mut now = below(4);
                let mut stamps = Vec::new();
                for i in 0..3 {
                    let call = now;
                    let end = call + below(4);
                    now = end + below(3);
                    stamps.push((call, if i == 2 && below(3) == 0 { OPEN } else { end }));
                }
                lanes.push(stamps);
            }
            let stamps: Vec<&[(u64, u64)]> = lanes.iter().map(Vec::as_slice).collect();
            let merged =
                (0..).zip(&stamps).map(|(process, stamps)| lane(process, stamps)).collect();
            let (found, expected) = (precedence(&merge(merged).unwrap()), expected(&stamps));
            for (a, b) in (0..9).flat_map(|a| (0..9).map(move |b| (a, b))) {
                // A process may keep its order where its own stamps are equal.
                let may_differ = a / 3 == b / 3 && a < b && !expected[a][b];
                assert!(may_differ || found[a][b] == expected[a][b], "{a}, {b}: {lanes:?}");
            }
        }
    }

    #[test]
    fn a_call_stamped_early_is_moved_behind_the_preceding_return() {
        let history = merge(vec![lane(0, &[(10, 20), (19, 30)])]).unwrap();
        assert_eq!(history.len(), 2);
    }

    #[test]
    fn overlapping_operations_of_a_log_get_separate_lanes() {
        let rows = lane(0, &[(0, 10), (5, 15), (11, 20), (16, OPEN), (17, 18)]).rows;
        let lanes = untangle(rows, 4);
        assert_eq!(
            lanes.iter().map(|l| (l.process, l.rows.len())).collect::<Vec<_>>(),
            [(4, 2), (5, 3)]
        );
        merge(lanes).unwrap();
    }
}
