//! Explains why a snapshot history has no linearization.
//!
//! *Why the rest does not matter.* Say that scan `s` saw `x` in segment `k`, in slot `q`. Report with it every
//! update of `k` that wrote `x`, and the change that ended the last slot of value `x` that was over when
//! `s` began. Whatever all others do, the last update of `k` before `s` is one of those reported, or there
//! is none and `x` is the initial value. It is none of a slot that was over, as those were overwritten
//! before `s`, and none that began after the end of `s`. So it is one of slot `q`: `s` comes after the first
//! of these, and before every later change of `k` that is reported.

use crate::spec::{Name, Role};

use super::super::names::NONE;
use super::super::peaks::Peaks;
use super::super::{Contradiction, Piece, Rows};
use super::lane::Lane;
use super::schedule::Schedule;

/// Look for a shortcut no further than this along a circle.
const FAR: usize = 1000;

pub(super) struct Explainer<'a> {
    rows: Rows<'a>,
    peaks: &'a Peaks,
    lanes: &'a [Lane],
    initial: Name,
}

/// Why one row comes before another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Because {
    /// It ended before the other began.
    Time,
    /// The other is a scan that saw it, or a later change of this segment.
    Seen { lane: u32, later: bool },
    /// It is a scan that did not see the other, a change of this segment.
    NotSeen { lane: u32 },
}

/// The positions of the changes and the scans.
struct Places {
    /// Segment and slot of each change, [`NONE`] for other rows.
    changes: Vec<(u32, u32)>,
    /// Segments and slots in which scan `s` saw something: `reads[starts[s]..starts[s + 1]]`.
    reads: Vec<(u32, u32)>,
    starts: Vec<u32>,
}

impl<'a> Explainer<'a> {
    pub(super) fn new(rows: Rows<'a>, peaks: &'a Peaks, lanes: &'a [Lane], initial: Name) -> Self {
        Explainer { rows, peaks, lanes, initial }
    }

    /// The scan saw a value that the segment did not have at any time while the scan was open.
    pub(super) fn unexplained(&self, scan: u32, lane: &Lane) -> Contradiction {
        let Sources { writers, over, .. } = self.sources(scan, lane);
        let what = format!(" saw a value in segment {} that", lane.segment);
        let later = writers.iter().find(|row| self.precedes(scan, **row)).copied();
        let sentence = match (over, later) {
            (None, None) => vec![scan.into(), what.into(), " was never written there".into()],
            (None, Some(update)) => {
                let began = " was written only later: ";
                vec![
                    scan.into(),
                    what.into(),
                    began.into(),
                    update.into(),
                    " began after its end".into(),
                ]
            }
            (Some(change), _) => {
                let mut words: Vec<Piece> = vec![scan.into(), what.into(), " was gone: ".into()];
                words.extend([change.into(), " had overwritten it before the scan began".into()]);
                if let Some(update) = later {
                    let again = ", and it was written again only by ";
                    words.extend([
                        again.into(),
                        update.into(),
                        ", which began after its end".into(),
                    ]);
                }
                words
            }
        };
        Contradiction::new(sentence).and(writers)
    }

    /// The row must come after another that began only after its end: walks back to that one.
    pub(super) fn late(&self, schedule: &Schedule<'_>, row: u32) -> Contradiction {
        let places = Places::of(self.lanes, self.peaks.left.len());
        let at = schedule.at[row as usize];
        let is_cause = |row: &u32| schedule.at[*row as usize] == at;
        let mut circle = vec![row];
        let mut last = row;
        while self.peaks.left[last as usize] < at {
            let cause = match places.changes[last as usize] {
                (NONE, _) => {
                    let begins =
                        |(lane, slot): &(u32, u32)| self.lanes[*lane as usize].begins(*slot);
                    places.reads_of(last).iter().filter_map(begins).find(is_cause)
                }
                // The change before it ended before it began.
                (lane, slot) => {
                    self.lanes[lane as usize].readers_of(slot - 1).iter().copied().find(is_cause)
                }
            };
            let Some(cause) = cause else { break };
            circle.push(cause);
            last = cause;
        }
        circle.reverse();
        self.around(&places, circle)
    }

    /// Rows that must each come before the next, and the last before the first.
    pub(super) fn circle(&self, circle: Vec<u32>) -> Contradiction {
        self.around(&Places::of(self.lanes, self.peaks.left.len()), circle)
    }

    fn precedes(&self, a: u32, b: u32) -> bool {
        self.peaks.right[a as usize] < self.peaks.left[b as usize]
    }

    /// Why `a` comes before `b`, if there is a direct reason.
    fn because(&self, places: &Places, a: u32, b: u32) -> Option<Because> {
        if self.precedes(a, b) {
            return Some(Because::Time);
        }
        match (places.changes[a as usize], places.changes[b as usize]) {
            ((NONE, _), (NONE, _)) => None,
            ((NONE, _), (lane, slot)) => {
                (places.slot(a, lane)? < slot).then_some(Because::NotSeen { lane })
            }
            ((lane, slot), (NONE, _)) => {
                let seen = places.slot(b, lane)?;
                (seen >= slot).then_some(Because::Seen { lane, later: seen > slot })
            }
            // Changes of one segment are ordered by time.
            _ => None,
        }
    }

    /// Shortens a circle by shortcuts, and renders it.
    fn around(&self, places: &Places, mut circle: Vec<u32>) -> Contradiction {
        let before = |a: u32, b: u32| self.because(places, a, b).is_some();
        // Each rotation may offer other shortcuts; a few rounds are enough in practice.
        for _ in 0..3 {
            circle = shortcut(circle, before);
            circle.rotate_left(1);
        }
        let starts_well =
            |i: usize| matches!(self.pair(places, &circle, i), Some(Because::Seen { .. }));
        let first = (0..circle.len()).find(|i| starts_well(*i)).unwrap_or(0);
        circle.rotate_left(first);
        let mut words: Vec<Piece> = vec!["no order of effects fits: ".into()];
        let mut others = Vec::new();
        let mut i = 0;
        while i < circle.len() {
            let (a, b) = (circle[i], circle[(i + 1) % circle.len()]);
            let pair = self.pair(places, &circle, i);
            if i > 0 {
                words.push(", ".into());
            }
            match pair {
                Some(Because::Seen { lane, later }) => {
                    let what = if later { " saw something later than " } else { " saw " };
                    words.extend([b.into(), what.into(), a.into()]);
                    others.extend(self.reasons(b, lane));
                    if let Some(Because::NotSeen { lane }) = self.pair(places, &circle, i + 1)
                        && i + 1 < circle.len()
                    {
                        i += 1;
                        words.extend([" but not ".into(), circle[(i + 1) % circle.len()].into()]);
                        others.extend(self.reasons(b, lane));
                    }
                }
                Some(Because::NotSeen { lane }) => {
                    words.extend([a.into(), " did not see ".into(), b.into()]);
                    others.extend(self.reasons(a, lane));
                }
                _ => words.extend([a.into(), " ended before ".into(), b.into(), " began".into()]),
            }
            i += 1;
        }
        Contradiction::new(words).and(others)
    }

    /// Why the `i`-th row of a circle comes before the next.
    fn pair(&self, places: &Places, circle: &[u32], i: usize) -> Option<Because> {
        let len = circle.len();
        self.because(places, circle[i % len], circle[(i + 1) % len])
    }

    /// The rows that prove in which slot the scan saw the segment.
    fn reasons(&self, scan: u32, lane: u32) -> Vec<u32> {
        let Sources { mut writers, over } = self.sources(scan, &self.lanes[lane as usize]);
        writers.extend(over);
        writers
    }

    fn sources(&self, scan: u32, lane: &Lane) -> Sources {
        let seen = self.seen(scan, lane.segment);
        let is_source = |row: &u32| self.written(*row) == seen;
        let mut over = None;
        let mut had_it = seen == Some(self.initial);
        for &change in &lane.changes {
            if had_it && self.precedes(change, scan) {
                over = Some(change);
            }
            had_it = is_source(&change);
        }
        let writers = lane.changes.iter().chain(&lane.repeats).copied().filter(is_source).collect();
        Sources { writers, over }
    }

    fn seen(&self, scan: u32, segment: u32) -> Option<Name> {
        let mut view = Vec::new();
        self.rows.view(scan as usize, &mut view);
        *view.get(segment as usize)?
    }

    fn written(&self, update: u32) -> Option<Name> {
        match self.rows.role(update as usize) {
            Role::Update { value, .. } => Some(value),
            _ => None,
        }
    }
}

/// The origin of the value that a scan saw in a segment.
struct Sources {
    /// All updates that wrote it.
    writers: Vec<u32>,
    /// The change that overwrote the last one that was overwritten before the scan began.
    over: Option<u32>,
}

impl Places {
    fn of(lanes: &[Lane], rows: usize) -> Places {
        let mut changes = vec![(NONE, 0); rows];
        let mut starts = vec![0u32; rows + 2];
        for (number, lane) in lanes.iter().enumerate() {
            for (before, change) in lane.changes.iter().enumerate() {
                changes[*change as usize] = (number as u32, before as u32 + 1);
            }
            for scan in &lane.readers {
                starts[*scan as usize + 2] += 1;
            }
        }
        for row in 2..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut reads = vec![(0, 0); starts[rows + 1] as usize];
        for (number, lane) in lanes.iter().enumerate() {
            for slot in 0..=lane.last_slot() {
                for scan in lane.readers_of(slot) {
                    let place = &mut starts[*scan as usize + 1];
                    reads[*place as usize] = (number as u32, slot);
                    *place += 1;
                }
            }
        }
        Places { changes, reads, starts }
    }

    fn reads_of(&self, scan: u32) -> &[(u32, u32)] {
        let scan = scan as usize;
        &self.reads[self.starts[scan] as usize..self.starts[scan + 1] as usize]
    }

    /// In which slot a scan saw a segment.
    fn slot(&self, scan: u32, lane: u32) -> Option<u32> {
        let reads = self.reads_of(scan);
        let at = reads.binary_search_by_key(&lane, |(lane, _)| *lane).ok()?;
        Some(reads[at].1)
    }
}

/// Leaves out rows of a circle where one comes before another that is not its neighbour.
fn shortcut(circle: Vec<u32>, before: impl Fn(u32, u32) -> bool) -> Vec<u32> {
    let first = circle[0];
    let end = (1..circle.len().min(FAR)).find(|i| before(circle[*i], first));
    let end = end.unwrap_or(circle.len() - 1);
    let mut kept = vec![first];
    let mut at = 0;
    while at < end {
        let farthest = (at + 2..=end.min(at + FAR)).rev().find(|j| before(circle[at], circle[*j]));
        at = farthest.unwrap_or(at + 1);
        kept.push(circle[at]);
    }
    kept
}
