//! The search layer by layer: all states after the same number of moves.
//!
//! Where depth-first search keeps all states that it has visited, this keeps one layer, and the moves
//! that lead to it as a tree. A violation takes no more time than all states before it.

use rustc_hash::FxHashSet;

use crate::monitor::trace::Trace;
use crate::monitor::{Effort, Refusal};

use super::{Move, Search, State};

/// Bytes of a state, in the layer and in the table of known states.
const BYTES_PER_STATE: usize = 2 * size_of::<(State, u32)>();

/// The moves that explain everything; `None` if none do.
pub(super) fn run(
    search: &Search<'_>,
    effort: &mut Effort<'_>,
) -> Result<Option<Vec<Move>>, Refusal> {
    let mut held = 0;
    let moves = layers(search, effort, &mut held);
    effort.release(held);
    moves
}

fn layers(
    search: &Search<'_>,
    effort: &mut Effort<'_>,
    held: &mut usize,
) -> Result<Option<Vec<Move>>, Refusal> {
    let mut trace = Trace::new(true);
    let mut layer = vec![(State::START, Trace::START)];
    let mut next = Vec::new();
    let mut known = FxHashSet::default();
    while !layer.is_empty() {
        known.clear();
        for &(state, place) in &layer {
            effort.work(64)?;
            if search.fronts.is_done(state.fronts) {
                return Ok(Some(trace.order(place).into_iter().map(unpacked).collect()));
            }
            for step in search.moves(&state) {
                let after = search.after(&state, step);
                if known.insert(after) {
                    next.push((after, trace.after(place, packed(step))));
                }
            }
        }
        std::mem::swap(&mut layer, &mut next);
        next.clear();
        trace.compact(layer.iter_mut().map(|(_, place)| place));
        let states = layer.capacity() + next.capacity() + known.capacity();
        let bytes = states * BYTES_PER_STATE + trace.bytes();
        if bytes > *held {
            effort.reserve(bytes - *held)?;
            *held = bytes;
        }
    }
    Ok(None)
}

fn packed(step: Move) -> u32 {
    match step {
        Move::Enqueue(op) => 2 * op,
        Move::Front(op) => 2 * op + 1,
    }
}

fn unpacked(packed: u32) -> Move {
    match packed % 2 {
        0 => Move::Enqueue(packed / 2),
        _ => Move::Front(packed / 2),
    }
}
