//! Snapshots: segments that are written one at a time and read all at once.
//!
//! Idea. Where the updates of each segment are ordered by real time (one writer, one update at a
//! time), an update that repeats the value before it changes nothing and can be put anywhere in its
//! interval: only the *changes* of a segment matter. A scan that saw value `x` in segment `k` took effect
//! between two changes of `k` that follow each other. If only one such place is possible going by
//! time, the scan comes after the one change and before the other, and that is *all* that its
//! result says about segment `k`. So the history is linearizable exactly if these constraints and real
//! time have no cycle. A segment that a scan left open is simply no constraint.
//!
//! This contains both tests of the literature. In the *simple* histories of the paper every segment
//! changes at most once, from `v0` to `v1`; in the general test all values of a segment are different. Here
//! values may repeat as long as times tell which change a scan saw, and segments may be left open.
//!
//! Deciding. Each change and each scan gets the earliest peak `at` that its predecessors allow, the
//! largest left end among all that must come before it ([`schedule`]). Linearizable exactly if all get
//! one, and none gets a peak after its own right end. Then sorting by peak is a witness.
//!
//! *Why.* In a linearization, give each operation the largest left end so far as its peak: it is at
//! least `at`, and at most the right end, because whatever ended earlier had to come earlier. Conversely
//! sort by `at`, and at one peak by the order in which the peaks were handed out: real time is kept,
//! as an operation is placed within its interval, and so is every constraint, as `at` never falls along
//! one. An update that changes nothing is placed at its left end: the change before it ended before
//! that, the next one began only after its end.
//!
//! Complexity: O(n + known values in scans), plus a sort where values are not numbers in a range.
//!
//! Guesses. Where updates of one segment overlap, or times leave open which change a scan saw, a likely
//! order is guessed. A witness found that way is as good as any. Otherwise the guessed constraints are
//! dropped: if those that are left contradict each other, the answer is no. If they do not, this refuses:
//! for several writers no exact rule is known to us.
//!
//! Paper: A. Amram, A. Hayoun, L. Mizrahi, G. Weiss, *Polynomial-Time Verification and Testing of
//! Implementations of the Snapshot Data Structure*, DISC 2022, theorem 10 and lemma 14, and Anderson's
//! shrinking lemma as cited there. Deviations: the initial values count as updates before everything, which
//! the definition of an appropriate pair forgets; repeated values, open segments and pending updates; one
//! criterion for both tests.

mod conflict;
mod lane;
mod read;
mod schedule;

#[cfg(test)]
mod tests;

use crate::spec::Name;

use super::peaks::Peaks;
use super::{Clock, Found, Refusal, Rows};
use conflict::Conflict;
use lane::{Lane, Resolved};
use read::Segments;
use schedule::{Schedule, Trouble};

/// Why a history was not decided although an order of updates or of reads was guessed.
const OVERLAP: &str = "updates of one segment overlap, so their order is not known";
const AMBIGUOUS: &str = "a value was written several times, and times do not tell which a scan saw";

/// Decides the rows.
pub(crate) fn decide<O, R>(
    rows: &Rows<'_, O, R>,
    segments: usize,
    initial: Name,
    clock: &mut Clock,
) -> Result<Found, Refusal> {
    let read = Segments::read(rows, segments)?;
    let peaks = Peaks::of(rows.history, rows.ids);
    clock.prepared();
    let mut lanes = Vec::with_capacity(read.segments.len());
    for (number, segment) in read.segments.into_iter().enumerate() {
        let (lane, resolved) = Lane::build(rows, &peaks, segment, number as u32, initial)?;
        match resolved {
            Resolved::All => lanes.push(lane),
            Resolved::Unexplained(_) if lane.guess == Some(OVERLAP) => {
                return Err(Refusal::new(OVERLAP));
            }
            Resolved::Unexplained(scan) => {
                clock.decided();
                let lanes = std::slice::from_ref(&lane);
                let why = Conflict::new(rows, &peaks, lanes, initial).unexplained(scan, &lane);
                return Ok(Found::Contradiction(why));
            }
        }
    }
    let (mut schedule, mut trouble) = Schedule::make(&peaks, &lanes);
    let guess = lanes.iter().find_map(|lane| lane.guess);
    if let (Some(_), Some(reason)) = (&trouble, guess) {
        lanes.iter_mut().for_each(Lane::drop_guesses);
        (schedule, trouble) = Schedule::make(&peaks, &lanes);
        if trouble.is_none() {
            return Err(Refusal::new(reason));
        }
    }
    clock.decided();
    let Some(trouble) = trouble else {
        return Ok(Found::Order(witness(&peaks, &schedule, &read.completed_scans, &lanes)));
    };
    let conflict = Conflict::new(rows, &peaks, &lanes, initial);
    Ok(Found::Contradiction(match trouble {
        Trouble::Late(row) => conflict.late(&schedule, row),
        Trouble::Circle(circle) => conflict.circle(circle),
    }))
}

/// All rows by peak, at one peak in the order of the schedule. Scans that saw nothing and updates that
/// changed nothing are not in the schedule and may come anywhere in their peak.
fn witness(peaks: &Peaks, schedule: &Schedule, scans: &[u32], lanes: &[Lane]) -> Vec<u32> {
    let free = || {
        let repeats = lanes.iter().flat_map(|lane| &lane.repeats);
        repeats.chain(scans.iter().filter(|scan| !schedule.is_constrained(**scan)))
    };
    let all = || schedule.order.iter().chain(free());
    let mut next = vec![0u32; peaks.count as usize + 1];
    let mut count = 0;
    for row in all() {
        next[schedule.at[*row as usize] as usize + 1] += 1;
        count += 1;
    }
    for peak in 1..next.len() {
        next[peak] += next[peak - 1];
    }
    let mut order = vec![0; count];
    for row in all() {
        let place = &mut next[schedule.at[*row as usize] as usize];
        order[*place as usize] = *row;
        *place += 1;
    }
    order
}
