//! Makes a failing case as small and simple as possible while it still fails.

use linpoint::Hints;
use linpoint::spec::Spec;

use crate::draft::Draft;
use crate::runner::Case;

/// The smallest case that greedy steps lead to and for which `fails` still holds.
pub fn shrink<S: Spec>(case: &Case<S>, mut fails: impl FnMut(&Case<S>) -> bool) -> Case<S> {
    let mut best = case.clone();
    'again: loop {
        for smaller in steps(&best) {
            if fails(&smaller) {
                best = smaller;
                continue 'again;
            }
        }
        return best;
    }
}

type Edit<'a, S> = dyn Fn(&mut Draft<<S as Spec>::Op, <S as Spec>::Ret>) + 'a;

/// Every case that is one step simpler, the largest steps first. Each step decreases the tuple
/// (number of operations, number of attributes, number of overlapping pairs, disorder of the
/// columns), so shrinking terminates.
fn steps<S: Spec>(case: &Case<S>) -> Vec<Case<S>> {
    let draft = compact(Draft::from(&case.history));
    let n = draft.rows.len();
    let mut out = Vec::new();
    let mut propose = |edit: &Edit<S>| {
        let mut smaller = draft.clone();
        edit(&mut smaller);
        if smaller != draft {
            out.push(Case { history: compact(smaller).build(), ..case.clone() });
        }
    };
    for i in 0..n {
        propose(&|d| drop(d.rows.remove(i)));
    }
    propose(&|d| d.rows.iter_mut().for_each(|r| r.extras.process = None));
    propose(&|d| d.rows.iter_mut().for_each(|r| r.extras.object = None));
    propose(&|d| d.rows.iter_mut().for_each(|r| r.extras.hint = None));
    for i in 0..n {
        propose(&|d| d.rows[i].extras.hint = None);
    }
    // Less overlap is easier to follow: return right after the call, or be called just before the
    // return.
    for i in 0..n {
        let Some(end) = draft.rows[i].end else { continue };
        let start = draft.rows[i].start;
        for (start, end) in [(start, start + 1), (end - 1, end)] {
            let mut narrow = draft.clone();
            (narrow.rows[i].start, narrow.rows[i].end) = (start, Some(end));
            if overlaps(&narrow) < overlaps(&draft) {
                propose(&|d| d.clone_from(&narrow));
            }
        }
    }
    propose(&|d| d.rows.sort_by_key(|r| r.start));
    if case.hints != Hints::Ignore {
        out.push(Case { hints: Hints::Ignore, ..case.clone() });
    }
    out
}

/// Number of pairs of operations that are open at the same time.
fn overlaps<O, R>(draft: &Draft<O, R>) -> usize {
    let precedes =
        |a: usize, b: usize| draft.rows[a].end.is_some_and(|end| end < draft.rows[b].start);
    let n = draft.rows.len();
    let pairs = (0..n).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| !precedes(a, b) && !precedes(b, a)).count()
}

/// Readings without gaps, in the same order, two apart so that an event fits between two others.
fn compact<O, R>(mut draft: Draft<O, R>) -> Draft<O, R> {
    let ends = draft.rows.iter().filter_map(|r| r.end);
    let mut readings: Vec<u64> = draft.rows.iter().map(|r| r.start).chain(ends).collect();
    readings.sort_unstable();
    readings.dedup();
    let position = |t: u64| 2 * readings.binary_search(&t).expect("a reading") as u64;
    for row in &mut draft.rows {
        row.start = position(row.start);
        row.end = row.end.map(position);
    }
    draft
}
