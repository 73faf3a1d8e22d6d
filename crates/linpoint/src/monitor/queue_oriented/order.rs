//! Turns the pairs into an order.

use super::search::{Move, Problem};
use crate::sorting::sort_by_key;

/// The order of the rows.
///
/// Enqueues and empty results go in the order in which they were consumed, then the enqueues that
/// were not. Each dequeue goes as early as possible: after its own enqueue, after all enqueues that
/// precede it, and after the dequeues that were consumed before. (Lowe's lemma 10, unrolled: an
/// enqueue that precedes the dequeue makes all later dequeues and empty results wait, so none is
/// passed.)
pub(super) fn order(problem: &Problem, steps: &[Move]) -> Vec<u32> {
    let in_front = in_front(problem, steps);
    let mut adds: Vec<(u32, usize)> = (in_front.iter().enumerate())
        .filter(|(_, i)| problem.is_add(**i))
        .map(|(at, i)| (problem.right[*i as usize], at))
        .collect();
    sort_by_key(&mut adds, |(right, _)| *right);
    let mut adds = adds.into_iter().peekable();
    let mut order = Vec::with_capacity(problem.len());
    let mut written = 0;
    // The last position of an enqueue that precedes the dequeue, and the peak that dequeues wait
    // for.
    let (mut latest, mut floor) = (0, 0);
    for (at, step) in steps.iter().enumerate() {
        let Move::Pair { remove, .. } = *step else { continue };
        floor = floor.max(problem.left[remove as usize]);
        latest = latest.max(at);
        while let Some((_, place)) = adds.next_if(|(right, _)| *right < floor) {
            latest = latest.max(place);
        }
        if written <= latest {
            order.extend(&in_front[written..=latest]);
            written = latest + 1;
        }
        order.push(remove);
    }
    order.extend(&in_front[written..]);
    order.into_iter().map(|i| problem.rows[i as usize]).collect()
}

/// Everything but the dequeues that found something.
fn in_front(problem: &Problem, steps: &[Move]) -> Vec<u32> {
    let mut is_used = vec![false; problem.len()];
    let mut in_front = Vec::with_capacity(problem.len());
    for step in steps {
        let (Move::Pair { add: i, .. } | Move::Empty(i)) = *step;
        is_used[i as usize] = true;
        in_front.push(i);
    }
    let mut rest: Vec<u32> =
        (0..problem.len() as u32).filter(|i| problem.is_add(*i) && !is_used[*i as usize]).collect();
    sort_by_key(&mut rest, |i| problem.right[*i as usize]);
    in_front.extend(rest);
    in_front
}
