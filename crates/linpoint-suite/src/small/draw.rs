//! Random small histories: mostly linearizable by construction, occasionally spoilt.

use linpoint::history::{History, Interval, Ties};

use super::SmallObject;
use crate::Rng;

/// Parameters of random histories.
#[derive(Clone, Debug)]
pub struct Style {
    /// Minimum and maximum number of operations.
    pub ops: (usize, usize),
    /// Values that are not fresh are below this.
    pub values: u8,
    /// Share of histories in which every added or written value is fresh.
    pub distinct: f64,
    /// Share of histories that have pending operations; then a quarter of their operations are
    /// pending.
    pub pending: f64,
    /// Share of histories with coarse clocks, so that readings are equal.
    pub ties: f64,
    /// Share of histories with spoilt results.
    pub spoilt: f64,
    /// Share of completed operations with an unknown result, in spoilt histories.
    pub unknown: f64,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            ops: (1, 8),
            values: 3,
            distinct: 0.85,
            pending: 0.4,
            ties: 0.3,
            spoilt: 0.6,
            unknown: 0.01,
        }
    }
}

struct Drawn<O, R> {
    op: O,
    ret: Option<R>,
    start: u64,
    end: u64,
    at: u64,
    pending: bool,
}

/// Draws a history.
pub fn draw<B: SmallObject>(object: &B, style: &Style, rng: &mut Rng) -> History<B::Op, B::Ret> {
    let n = rng.usize(style.ops.0..=style.ops.1);
    let distinct = rng.f64() < style.distinct;
    let with_pending = rng.f64() < style.pending;
    // Short operations make sequential histories, long ones concurrent histories.
    let spread = rng.usize(1..=3 * n) as u64;
    let horizon = 4 * n as u64;
    let mut rows: Vec<Drawn<B::Op, B::Ret>> = Vec::with_capacity(n);
    for i in 0..n {
        let at = rng.usize(..horizon as usize) as u64;
        let start = at.saturating_sub(rng.usize(..spread as usize + 1) as u64);
        let end = at + 1 + rng.usize(..spread as usize + 1) as u64;
        let fresh = if distinct { i as u8 } else { rng.usize(..style.values as usize) as u8 };
        let op = object.draw(rng, style, fresh);
        let pending = with_pending && rng.f64() < 0.25;
        rows.push(Drawn { op, ret: None, start, end, at, pending });
    }
    perform(object, &mut rows, rng);
    if rng.f64() < style.spoilt {
        spoil(object, style, &mut rows, rng);
    }
    let ties = if rng.bool() { Ties::Concurrent } else { Ties::Ordered };
    let coarse = rng.f64() < style.ties;
    build(rows, ties, coarse, rng)
}

/// Lets the operations take effect at their moments, so that the history is linearizable. An
/// operation that has to wait, or is chosen to be pending without effect, is pending.
fn perform<B: SmallObject>(object: &B, rows: &mut [Drawn<B::Op, B::Ret>], rng: &mut Rng) {
    let mut by_moment: Vec<usize> = (0..rows.len()).collect();
    by_moment.sort_by_key(|i| rows[*i].at);
    let mut state = object.start();
    for i in by_moment {
        if rows[i].pending && rng.f64() < 0.4 {
            continue;
        }
        match object.draw_step(rng, state, &rows[i].op) {
            Some((ret, next)) => {
                state = next;
                rows[i].ret = Some(object.record(rng, ret));
            }
            None => rows[i].pending = true,
        }
    }
}

fn spoil<B: SmallObject>(
    object: &B,
    style: &Style,
    rows: &mut [Drawn<B::Op, B::Ret>],
    rng: &mut Rng,
) {
    let values = rows.len().max(style.values.into()) as u8;
    for _ in 0..rng.usize(1..=2) {
        let (i, j) = (rng.usize(..rows.len()), rng.usize(..rows.len()));
        match rng.usize(..5) {
            0 => rows[i].ret = Some(object.any_result(rng, &rows[i].op, values)),
            // Two operations of one kind trade their results.
            1 if std::mem::discriminant(&rows[i].op) == std::mem::discriminant(&rows[j].op) => {
                let ret = rows[i].ret.take();
                rows[i].ret = std::mem::replace(&mut rows[j].ret, ret);
            }
            // An operation moves.
            2 => {
                let shift = rng.usize(..8) as u64;
                rows[i].start += shift;
                rows[i].end += shift;
            }
            // A pending operation returns, or a completed one does not.
            3 => {
                rows[i].pending = !rows[i].pending;
                rows[i].ret = Some(object.any_result(rng, &rows[i].op, values));
            }
            // The operation becomes shorter.
            _ => {
                let (start, end) = (rows[i].start, rows[i].end);
                rows[i].start = start + rng.usize(..(end - start) as usize) as u64;
                rows[i].end = rows[i].start + 1;
            }
        }
    }
    for row in rows.iter_mut() {
        if rng.f64() < style.unknown {
            row.ret = None;
        }
    }
}

fn build<O, R>(rows: Vec<Drawn<O, R>>, ties: Ties, coarse: bool, rng: &mut Rng) -> History<O, R> {
    let mut builder = History::from_intervals(ties);
    for row in rows {
        // Distinct readings, or readings of a clock that stands still for a while.
        let mut reading = |time: u64| match coarse {
            true => time / 2,
            false => time << 16 | rng.u64(..) & 0xffff,
        };
        let start = reading(row.start);
        let end = reading(row.end).max(start);
        let end = (!row.pending).then_some(end);
        let extras = linpoint::history::Extras::default();
        let ret = if row.pending { None } else { row.ret };
        let interval = Interval { op: row.op, ret, start, end, extras };
        builder.add(interval).expect("a start before its end");
    }
    builder.finish().expect("intervals without processes")
}
