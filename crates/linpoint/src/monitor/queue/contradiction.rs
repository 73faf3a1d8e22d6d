//! Explains with a few elements why a queue's history is impossible.
//!
//! Rows outside a contradiction are relaxed: a dequeue among them may then remove anything at any
//! time. So the first question is whether there would be a contradiction if elements that no
//! completed operation removed could be gone at any time. If so, the contradiction needs only the
//! rows that it names. If not, some element is lost, and the contradiction contains *all* dequeues,
//! because each of them could have removed it if it had not removed something else. The sentence
//! names only those that matter.
//!
//! Deleting an element with all its operations from a linearizable history leaves it linearizable
//! (leave the element out of the order). So a contradiction among some elements is a contradiction
//! among all of them, with everything else relaxed but the dequeues. With pending dequeues the
//! elements are found by halving. Without, there are at most three (`cycle.rs`), or those that keep
//! the queue from being empty.

use super::super::Refusal;
use super::super::columns::{Columns, Kind};
use super::super::container::{Element, Elements};
use super::super::contradiction::{Contradiction, Piece, contradiction};
use super::super::minimise::few_rows;
use super::super::names::NONE;
use super::cycle::{self, Edge, Why};
use super::reach::Reach;
use super::{Place, Takes, peel};
use crate::sorting::sort_by_key;

/// Name at most this many elements in a sentence.
const NAMED: usize = 3;

/// Examine at most this many elements in total while minimising, or more if there are many.
const MOST_WORK: usize = 1 << 24;

/// What is impossible.
enum Clash {
    /// None of these elements can be the last.
    Stuck(Vec<u32>),
    /// The queue cannot have been empty for this row; the elements with their removals.
    Blocked(u32, Vec<Place>),
}

/// Finds a contradiction in a history that is known to have one.
pub(super) fn find(c: &Columns, e: &Elements) -> Result<Contradiction, Refusal> {
    let whenever = Takes::unlimited_from(0);
    if let Some(found) = clash(c, e, &whenever).and_then(|x| describe(c, e, x, whenever.beyond)) {
        return Ok(found);
    }
    let takes = Takes::of(c, e);
    let found = clash(c, e, &takes).and_then(|clash| match e.takes.is_empty() {
        true => describe(c, e, clash, takes.beyond),
        false => few_elements(c, e, clash),
    });
    // Cannot happen, but a refusal is better than a verdict without a reason.
    let found = found.ok_or_else(|| Refusal::new("the queue monitor lost its contradiction"))?;
    let removes =
        |row: &u32| matches!(c.kinds[*row as usize], Kind::Remove | Kind::Take | Kind::Empty);
    Ok(found.and((0..c.len() as u32).filter(removes)))
}

fn clash(c: &Columns, e: &Elements, takes: &Takes) -> Option<Clash> {
    let line = match peel::peel(&e.list, takes, c.peaks) {
        Ok(line) => line,
        Err(left) => return Some(Clash::Stuck(left)),
    };
    let places: Vec<Place> = takes.places(&line, &e.list).collect();
    let spans = places.iter().map(|p| p.critical(&e.list));
    let row = Reach::of(spans, c.peaks).cuts(c, &e.empties).err()?;
    Some(Clash::Blocked(row, places))
}

/// Renders a clash. Elements that no completed operation removed are removed at `removal`.
fn describe(c: &Columns, e: &Elements, clash: Clash, removal: u32) -> Option<Contradiction> {
    match clash {
        Clash::Stuck(left) => Some(of_cycle(c, e, &cycle::find(&e.list, &left, removal)?)),
        Clash::Blocked(row, places) => {
            let cover = cover(&e.list, &places, c.left[row as usize], c.right[row as usize])?;
            Some(of_cover(c, e, row, &cover))
        }
    }
}

fn of_cycle(c: &Columns, e: &Elements, cycle: &[Edge]) -> Contradiction {
    let elements: Vec<u32> = cycle.iter().map(|edge| edge.front).collect();
    let evidence = Evidence::of(c, e, &elements);
    let of = |value: u32| {
        let at = elements.iter().position(|v| *v == value).unwrap_or_default();
        (&e.list[value as usize], evidence[at])
    };
    let mut sentence = Vec::new();
    let mut unnamed = Vec::new();
    for (i, edge) in cycle.iter().enumerate() {
        match i {
            0 => {}
            _ if i + 1 == cycle.len() => sentence.push(Piece::from(", yet ")),
            _ => sentence.push(Piece::from(" and ")),
        }
        let ((_, front), (back, back_evidence)) = (of(edge.front), of(edge.back));
        let (first, words, second, end) = match edge.why {
            Why::Enqueued => (front.ended, " ended before ", back.add, " began"),
            Why::Seen => (front.seen, " ended before ", back_evidence.last, " began"),
            Why::Stayed => {
                // A pending enqueue is known to have taken effect because its element was seen.
                unnamed.push(back_evidence.ended);
                (front.seen, " happened although nothing ever removed what ", back.add, " added")
            }
        };
        sentence.extend([first.into(), words.into(), second.into(), end.into()]);
    }
    Contradiction::new(sentence).and(unnamed)
}

/// The elements that keep the queue from being empty from one peak to another, in the order in
/// which they were there; `None` if it may have been empty.
fn cover(list: &[Element], places: &[Place], from: u32, to: u32) -> Option<Vec<Place>> {
    let ended = |p: &Place| p.critical(list).0;
    let mut there: Vec<Place> =
        places.iter().filter(|p| ended(p) < to && p.left > from).copied().collect();
    sort_by_key(&mut there, ended);
    let mut there = there.into_iter().peekable();
    let mut cover = Vec::new();
    let mut longest: Option<Place> = None;
    let mut peak = from;
    while peak <= to {
        while let Some(place) = there.next_if(|p| ended(p) < peak) {
            if longest.is_none_or(|l| l.left < place.left) {
                longest = Some(place);
            }
        }
        let next = longest.filter(|l| l.left > peak)?;
        cover.push(next);
        peak = next.left;
    }
    Some(cover)
}

fn of_cover(c: &Columns, e: &Elements, empty: u32, cover: &[Place]) -> Contradiction {
    let elements: Vec<u32> = cover.iter().map(|p| p.value).collect();
    let evidence = Evidence::of(c, e, &elements);
    let mut sentence: Vec<Piece> = vec![empty.into()];
    sentence.push(" found no element, but the queue was never empty meanwhile: ".into());
    let mut unnamed = Vec::new();
    for (i, (place, evidence)) in cover.iter().zip(evidence).enumerate() {
        let element = &e.list[place.value as usize];
        let is_lost = place.left > element.last_left;
        unnamed.push(evidence.ended);
        if !is_lost {
            unnamed.push(evidence.last);
        }
        if i > NAMED {
            continue;
        }
        if i > 0 {
            sentence.push(", ".into());
        }
        if i == NAMED {
            sentence.push("and so on".into());
        } else if is_lost {
            sentence.extend([
                "nothing ever removed what ".into(),
                element.add.into(),
                " added".into(),
            ]);
        } else {
            sentence.extend([
                "what ".into(),
                Piece::from(element.add),
                " added was there until ".into(),
            ]);
            sentence.extend([evidence.last.into(), " began".into()]);
        }
    }
    Contradiction::new(sentence).and(unnamed)
}

/// Finds a few elements that contradict each other given the pending dequeues.
fn few_elements(c: &Columns, e: &Elements, clash: Clash) -> Option<Contradiction> {
    let (empty, all) = match clash {
        Clash::Stuck(left) => (NONE, left),
        Clash::Blocked(row, places) => (row, places.into_iter().map(|p| p.value).collect()),
    };
    let takes: Vec<(u32, u32)> = e.takes.iter().map(|r| (*r, c.left[*r as usize])).collect();
    let takes = Takes { known: takes, beyond: c.peaks };
    let is_bad = |values: &[u32]| is_impossible(c, e, &takes, empty, values);
    if !is_bad(&all) {
        return None;
    }
    // The cost of a query is its number of elements, so it is counted here.
    let mut work = MOST_WORK.max(8 * all.len());
    let elements = few_rows(all, 1, |values| {
        let is_allowed = work >= values.len();
        work = work.saturating_sub(values.len());
        is_allowed && is_bad(values)
    });
    let evidence = Evidence::of(c, e, &elements);
    let mut unnamed = Vec::new();
    for (value, evidence) in elements.iter().zip(evidence) {
        let element = &e.list[*value as usize];
        let rows = [element.add, evidence.ended, evidence.seen, evidence.last];
        unnamed.extend(rows.into_iter().filter(|row| *row != NONE));
    }
    let adds = || elements.iter().map(|v| e.list[*v as usize].add);
    let mut sentence = match empty {
        NONE => contradiction!["first in, first out cannot explain "].sentence,
        _ => contradiction![empty, " found no element, which cannot be explained with "].sentence,
    };
    for (i, add) in adds().take(NAMED).enumerate() {
        if i > 0 {
            sentence.push(", ".into());
        }
        sentence.push(add.into());
    }
    if elements.len() > NAMED {
        sentence.push(format!(" and {} more", elements.len() - NAMED).into());
    }
    let dequeues = match e.takes.len() {
        1 => "the unfinished dequeue".to_string(),
        n => format!("the {n} unfinished dequeues"),
    };
    sentence.push(format!(", whatever {dequeues} removed").into());
    Some(Contradiction::new(sentence).and(unnamed))
}

/// True if these elements alone, the pending dequeues, and the row that found no element (or [`NONE`])
/// are impossible.
fn is_impossible(c: &Columns, e: &Elements, takes: &Takes, empty: u32, values: &[u32]) -> bool {
    let list: Vec<Element> = values.iter().map(|v| e.list[*v as usize]).collect();
    let Ok(line) = peel::peel(&list, takes, c.peaks) else { return true };
    if empty == NONE {
        return false;
    }
    let places: Vec<Place> = takes.places(&line, &list).collect();
    cover(&list, &places, c.left[empty as usize], c.right[empty as usize]).is_some()
}

/// The rows that determine the peaks of an element; [`NONE`] where there is none.
#[derive(Clone, Copy, Debug)]
struct Evidence {
    /// The one that ended first: the enqueue had ended by then.
    ended: u32,
    /// The peek or dequeue that ended first.
    seen: u32,
    /// The one that began last.
    last: u32,
}

impl Evidence {
    /// The evidence of some elements. Of several rows, prefers the enqueue or the dequeue.
    fn of(c: &Columns, e: &Elements, values: &[u32]) -> Vec<Evidence> {
        let mut position = vec![NONE; c.value_count];
        for (i, value) in values.iter().enumerate() {
            position[*value as usize] = i as u32;
        }
        let mut all = vec![Evidence { ended: NONE, seen: NONE, last: NONE }; values.len()];
        let mut look = |row: u32| {
            let value = c.values[row as usize];
            let Some(&at) = position.get(value as usize) else { return };
            let Some(evidence) = all.get_mut(at as usize) else { return };
            let element = &e.list[value as usize];
            let (left, right) = (c.left[row as usize], c.right[row as usize]);
            if right == element.add_right && evidence.ended == NONE {
                evidence.ended = row;
            }
            if right == element.seen_right && row != element.add && evidence.seen == NONE {
                evidence.seen = row;
            }
            if left == element.last_left && [NONE, element.add].contains(&evidence.last) {
                evidence.last = row;
            }
        };
        for value in values {
            let element = &e.list[*value as usize];
            look(element.add);
            if element.is_removed() {
                look(element.remove);
            }
        }
        (0..c.len() as u32).for_each(look);
        all
    }
}
