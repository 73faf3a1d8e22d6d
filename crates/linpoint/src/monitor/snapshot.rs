//! Snapshots: segments are written one at a time and read all together.
//!
//! Idea. Where the updates of each segment are ordered by real time (one writer, one update at a
//! time), an update that repeats the value before it changes nothing and can be placed anywhere in
//! its interval: only the *changes* of a segment matter. A scan that saw value `x` in segment `k`
//! took effect between two consecutive changes of `k`. If real time allows only one such place, the
//! scan comes after the one change and before the other, and that is *all* that its result says
//! about segment `k`. So the history is linearizable exactly if these constraints and real time
//! have no cycle. A segment that a scan left open adds no constraint.
//!
//! This contains both tests of the literature. In the *simple* histories of the paper every segment
//! changes at most once, from `v0` to `v1`; in the general test all values of a segment are
//! distinct. Here values may repeat as long as times determine which change a scan saw, and
//! segments may be left open.
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
//! Complexity: O(n + known values in scans), plus a sort if values are not numbers in a range.
//!
//! Guesses. If updates of one segment overlap, or times do not determine which change a scan saw, a
//! likely order is guessed. A witness found that way is valid. Otherwise the guessed constraints
//! are dropped: if the rest contradict each other, the answer is no. If they do not, this refuses:
//! we know no exact rule for several writers.
//!
//! Paper: G. Amram, A. Hayoun, L. Mizrahi, G. Weiss, *Polynomial-Time Verification and Testing of
//! Implementations of the Snapshot Data Structure*, DISC 2022, theorem 10 and lemma 14, and Anderson's
//! shrinking lemma as cited there. Deviations: the initial values count as updates before everything, which
//! the definition of an appropriate pair forgets; repeated values, open segments and pending updates; one
//! criterion for both tests.

mod contradiction;
mod draft;
mod lane;
mod read;
mod schedule;
mod values;

#[cfg(test)]
mod tests;

use crate::spec::Name;
use crate::subject::Place;

use super::peaks::Peaks;
use super::roles::PORTION;
use super::{Clock, Contradiction, Found, Refusal, Rows};
use contradiction::Explainer;
use draft::{Draft, Problem};
use lane::Lane;
use read::{Operations, Updates, each_view};
use schedule::{Schedule, Trouble};

/// Why a history was not decided although an order of updates or of reads was guessed.
const OVERLAP: &str = "updates of one segment overlap, so their order is not known";
const AMBIGUOUS: &str =
    "a value was written several times, and times do not determine which write a scan saw";

/// Decides the rows.
pub(crate) fn decide(rows: Rows<'_>, initial: Name, clock: &mut Clock) -> Result<Found, Refusal> {
    let operations = Operations::read(rows)?;
    let peaks = Peaks::of(rows);
    clock.prepared();
    let mut lanes = match lanes(rows, &peaks, operations.segments, &operations.scans, initial)? {
        Ok(lanes) => lanes,
        Err(contradiction) => {
            clock.decided();
            return Ok(Found::Contradiction(contradiction));
        }
    };
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
        return Ok(Found::Order(witness(&peaks, &schedule, &operations.scans, &lanes)));
    };
    let explainer = Explainer::new(rows, &peaks, &lanes, initial);
    Ok(Found::Contradiction(match trouble {
        Trouble::Late(row) => explainer.late(&schedule, row),
        Trouble::Circle(circle) => explainer.circle(circle),
    }))
}

/// The changes of each segment, and the scans between them.
fn lanes(
    rows: Rows<'_>,
    peaks: &Peaks,
    segments: Vec<Updates>,
    scans: &[u32],
    initial: Name,
) -> Result<Result<Vec<Lane>, Contradiction>, Refusal> {
    let draft = |(segment, updates)| Draft::new(rows, peaks, updates, segment as u32, initial);
    let mut drafts: Vec<Draft<'_>> = segments.into_iter().enumerate().map(draft).collect();
    if drafts.iter().any(Draft::needs_survey) {
        each_view(rows, scans, |nth, segment, name| {
            drafts.get_mut(segment)?.survey(scans[nth], name);
            None::<()>
        });
    }
    drafts.iter_mut().try_for_each(Draft::find_changes)?;
    let mut equal = Vec::with_capacity(PORTION);
    let problem = each_view(rows, scans, |nth, segment, name| {
        while segment >= drafts.len() {
            let mut draft = draft((drafts.len(), Updates::default()));
            draft.find_changes().ok();
            drafts.push(draft);
        }
        let resolved = drafts[segment].resolve(nth, scans[nth], name, &mut equal);
        let problem = resolved.and_then(|()| verify(rows, &mut equal, PORTION)).err()?;
        Some((problem, scans[nth], segment))
    });
    if verify(rows, &mut equal, 1).is_err() {
        return Err(Refusal::new("two different values share a name"));
    }
    match problem {
        None => Ok(Ok(drafts.into_iter().map(|draft| draft.finish(scans)).collect())),
        Some((Problem::SharedName, ..)) => Err(Refusal::new("two different values share a name")),
        Some((Problem::Unexplained, scan, segment)) => match drafts[segment].lane() {
            lane if lane.guess == Some(OVERLAP) => Err(Refusal::new(OVERLAP)),
            lane => Ok(Err(Explainer::new(rows, peaks, &[], initial).unexplained(scan, lane))),
        },
    }
}

/// Checks that the values of each pair are equal and do not only share a name. Waits until there are `portion` pairs,
/// because one question for all of them is cheaper.
fn verify(rows: Rows<'_>, equal: &mut Vec<[Place; 2]>, portion: usize) -> Result<(), Problem> {
    if equal.len() < portion {
        return Ok(());
    }
    let is_so = rows.same_names(equal);
    equal.clear();
    if is_so { Ok(()) } else { Err(Problem::SharedName) }
}

/// All rows by peak, and within a peak in the order of the schedule. Scans that saw nothing and
/// updates that changed nothing are not in the schedule and may come anywhere in their peak.
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
