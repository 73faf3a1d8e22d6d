//! Explains why a row has no peak to take effect at.
//!
//! All peaks between its ends are covered by intervals in which some element that comes out first
//! was certainly there. A few of them suffice; they are found greedily. Two rows of the element
//! prove such an interval: one that had ended, so that the element had been added, and one that had
//! not begun and still finds it. They prove it whatever the other rows did, because there is only
//! one element of that name. If the element is never found again, the proof is that nothing removed
//! it: that takes all removals, because one that did not report what it took might have taken it.
//! Such intervals are therefore used only where there are no others.

use crate::sorting::sort_by_key;
use rustc_hash::FxHashMap;

use super::super::columns::{Columns, Kind};
use super::super::contradiction::Piece;
use super::super::{Contradiction, contradiction::contradiction};
use super::Problem;

/// List at most this many elements in a sentence.
const LISTED: usize = 4;

/// An element that is certainly there at the peaks strictly between two.
#[derive(Clone, Copy)]
struct Presence {
    element: u32,
    after: u32,
    before: u32,
    /// True if the only proof is that nothing removed it.
    unremoved: bool,
}

/// The rows that prevent `row`.
pub(super) fn contradiction(problem: &Problem<'_>, row: u32) -> Contradiction {
    let c = problem.c;
    let blocked = Blocked::new(problem, row);
    let cover = blocked.cover(problem);
    let proofs = Proofs::of(c, problem, &cover);
    let mut sentence = vec![Piece::from(row)];
    match blocked.begins_with {
        None if c.kinds[row as usize] == Kind::Empty => {
            sentence.push(", but all the time there was something: ".into());
        }
        None => {
            sentence.push(", but all the time there was something that comes out first: ".into())
        }
        Some(other) => {
            sentence.push(", which cannot be before ".into());
            sentence.push(other.into());
            sentence.push(", but from then on there was something that comes out first: ".into());
        }
    }
    for (i, presence) in cover.iter().take(LISTED).enumerate() {
        if i > 0 {
            sentence.push("; then ".into());
        }
        let (ended, found) = proofs.of_element[&presence.element];
        sentence.push(ended.into());
        if presence.unremoved {
            sentence.push(" had ended, and nothing removed what it added or found".into());
        } else {
            sentence.push(" had ended, ".into());
            sentence.push(found.into());
            sentence.push(" had not begun".into());
        }
    }
    if cover.len() > LISTED {
        sentence.push(format!("; and so on, {} elements in all", cover.len()).into());
    }
    let mut rows = Vec::new();
    for presence in cover.iter() {
        let (ended, found) = proofs.of_element[&presence.element];
        rows.push(ended);
        if presence.unremoved {
            // Includes those that found nothing: relaxed, they may have found something.
            let removes = |row: &u32| {
                matches!(c.kinds[*row as usize], Kind::Remove | Kind::Take | Kind::Empty)
            };
            rows.extend((0..c.len() as u32).filter(removes));
        } else {
            rows.push(found);
        }
    }
    Contradiction::new(sentence).and(rows)
}

/// The contradiction if all assignments of pending removals have been tried.
pub(super) fn by_trial(c: &Columns) -> Contradiction {
    contradiction!["whatever the pending polls removed, some result cannot be explained"]
        .and(0..c.len() as u32)
}

/// A row that has no peak, and the window in which it could take effect.
struct Blocked {
    /// Elements of this class or a later one prevent it.
    class: u32,
    left: u32,
    right: u32,
    /// The row that it cannot precede, if that is why it cannot begin earlier than `left`.
    begins_with: Option<u32>,
}

impl Blocked {
    fn new(problem: &Problem<'_>, row: u32) -> Blocked {
        let c = problem.c;
        let i = row as usize;
        let right = c.right[i];
        if c.kinds[i] == Kind::Empty {
            return Blocked { class: 0, left: c.left[i], right, begins_with: None };
        }
        let value = c.values[i];
        let e = &problem.e.list[value as usize];
        let left = match c.kinds[i] {
            Kind::Peek => problem.peek_left(row, e),
            _ => e.last_left,
        };
        let begins_with = (left > c.left[i]).then(|| {
            let mut peeks = problem.peeks[problem.peeks_of(value)].iter().copied();
            peeks.find(|peek| c.left[*peek as usize] == left && *peek != row).unwrap_or(e.add)
        });
        // The add itself may be the row that it cannot precede.
        let begins_with = match c.left[e.add as usize] == left {
            true => begins_with.map(|_| e.add),
            false => begins_with,
        };
        Blocked { class: problem.class_of(value) + 1, left, right, begins_with }
    }

    /// A few elements that cover all peaks.
    fn cover(&self, problem: &Problem<'_>) -> Vec<Presence> {
        let mut candidates = self.candidates(problem);
        sort_by_key(&mut candidates, |p| p.after);
        let mut candidates = candidates.into_iter().peekable();
        let mut cover: Vec<Presence> = Vec::new();
        // The farthest so far, of either kind.
        let mut best: [Option<Presence>; 2] = [None; 2];
        let mut peak = self.left;
        while peak <= self.right {
            while let Some(p) = candidates.next_if(|p| p.after < peak) {
                let best = &mut best[usize::from(p.unremoved)];
                if best.is_none_or(|b| b.before < p.before) {
                    *best = Some(p);
                }
            }
            let farthest = best.into_iter().flatten().find(|p| p.before > peak);
            // There always is one, since the peak is painted.
            let Some(farthest) = farthest else { break };
            peak = farthest.before;
            cover.push(farthest);
        }
        cover
    }

    /// The elements that prevent the row.
    fn candidates(&self, problem: &Problem<'_>) -> Vec<Presence> {
        let c = problem.c;
        // No pending removal can have taken anything before this.
        let untouched = problem.e.takes.first().map_or(c.peaks, |row| c.left[*row as usize]);
        let mut candidates = Vec::new();
        for (element, e) in problem.e.list.iter().enumerate() {
            let element = element as u32;
            if !e.is_used() || problem.class_of(element) < self.class || e.add_right >= self.right {
                continue;
            }
            let mut add = |before: u32, unremoved: bool| {
                if before > self.left && before > e.add_right + 1 {
                    candidates.push(Presence { element, after: e.add_right, before, unremoved });
                }
            };
            add(e.last_left, false);
            if !e.is_removed() && untouched > e.last_left {
                add(untouched, true);
            }
        }
        candidates
    }
}

/// For elements of a cover: the row that ends first, and the row that begins last.
struct Proofs {
    of_element: FxHashMap<u32, (u32, u32)>,
}

impl Proofs {
    fn of(c: &Columns, problem: &Problem<'_>, cover: &[Presence]) -> Proofs {
        let start = |p: &Presence| {
            let e = &problem.e.list[p.element as usize];
            (p.element, (e.add, if e.is_removed() { e.remove } else { e.add }))
        };
        let mut of_element: FxHashMap<u32, (u32, u32)> = cover.iter().map(start).collect();
        for row in 0..c.len() as u32 {
            let Some((ended, found)) = of_element.get_mut(&c.values[row as usize]) else {
                continue;
            };
            if c.right[row as usize] < c.right[*ended as usize] {
                *ended = row;
            }
            if c.left[row as usize] > c.left[*found as usize] {
                *found = row;
            }
        }
        Proofs { of_element }
    }
}
