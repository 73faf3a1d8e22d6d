//! Checks for sequential consistency: a legal order that keeps the order of each thread, but not
//! that between threads. This is the strongest condition that can be checked if the real-time order
//! is not known.
//!
//! The search is over the position of each thread and the state of the object. Scenarios under loom
//! are small, and so is the search.

use std::collections::HashSet;

use linpoint::Spec;

use super::journal::Event;

/// The operations of a thread; the result is `None` for one that did not return.
type Thread<'a, Op, Ret> = Vec<(&'a Op, Option<&'a Ret>)>;

/// The search gives up after this many configurations.
const MOST_CONFIGURATIONS: usize = 1_000_000;

/// True if there is such an order. Process `main` runs before and after the others. `None` if the
/// search gives up.
pub(crate) fn is_consistent<S: Spec>(
    spec: &S,
    events: &[Event<S::Op, S::Ret>],
    main: u32,
) -> Option<bool> {
    let (before, threads, after) = parts(events, main);
    let mut states: HashSet<S::State> = HashSet::from([spec.initial()]);
    let phases = [vec![before], threads, vec![after]];
    for phase in phases {
        states = outcomes(spec, &phase, states)?;
    }
    Some(!states.is_empty())
}

/// The operations of `main` before the threads, those of the threads, and those of `main` after
/// them.
#[allow(clippy::type_complexity)]
fn parts<Op, Ret>(
    events: &[Event<Op, Ret>],
    main: u32,
) -> (Thread<'_, Op, Ret>, Vec<Thread<'_, Op, Ret>>, Thread<'_, Op, Ret>) {
    let mut threads: Vec<Thread<'_, Op, Ret>> = (0..main).map(|_| Vec::new()).collect();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for event in events {
        let (Event::Call(process, _) | Event::Return(process, _) | Event::Panic(process, _)) =
            event;
        let begun = threads.iter().any(|thread| !thread.is_empty());
        let thread = match threads.get_mut(*process as usize) {
            Some(thread) => thread,
            None if begun => &mut after,
            None => &mut before,
        };
        match (event, thread.last_mut()) {
            (Event::Call(_, op), _) => thread.push((op, None)),
            (Event::Return(_, ret), Some(last)) => last.1 = Some(ret),
            _ => {}
        }
    }
    (before, threads, after)
}

/// The possible states of the object after all operations that returned.
fn outcomes<S: Spec>(
    spec: &S,
    threads: &[Thread<'_, S::Op, S::Ret>],
    initial: HashSet<S::State>,
) -> Option<HashSet<S::State>> {
    let start = vec![0; threads.len()];
    let mut seen: HashSet<(Vec<usize>, S::State)> =
        initial.into_iter().map(|state| (start.clone(), state)).collect();
    let mut open: Vec<_> = seen.iter().cloned().collect();
    let mut ends = HashSet::new();
    let mut next = Vec::new();
    while let Some((done, state)) = open.pop() {
        // A last operation that did not return may or may not have taken effect.
        let complete = |(thread, done): (&Thread<'_, _, _>, &usize)| {
            thread[*done..].iter().all(|(_, ret)| ret.is_none())
        };
        if threads.iter().zip(&done).all(complete) {
            ends.insert(state.clone());
        }
        for (at, thread) in threads.iter().enumerate() {
            let Some((op, ret)) = thread.get(done[at]) else { continue };
            spec.successors(&state, op, *ret, &mut next);
            for after in next.drain(..) {
                let mut done = done.clone();
                done[at] += 1;
                if seen.insert((done.clone(), after.clone())) {
                    open.push((done, after));
                }
            }
        }
        if seen.len() > MOST_CONFIGURATIONS {
            return None;
        }
    }
    Some(ends)
}

#[cfg(test)]
mod tests {
    use linpoint::spec::models::{
        Register, RegisterOp, RegisterOp::*, RegisterRet, RegisterRet::*,
    };

    use super::*;

    type Events = Vec<Event<RegisterOp<u8>, RegisterRet<u8>>>;

    fn write(process: u32, value: u8) -> Events {
        vec![Event::Call(process, Write(value)), Event::Return(process, Written)]
    }

    fn read(process: u32, value: u8) -> Events {
        vec![Event::Call(process, Read), Event::Return(process, Value(value))]
    }

    fn consistent(events: &[Events]) -> bool {
        is_consistent(&Register { initial: 0 }, &events.concat(), 2).unwrap()
    }

    #[test]
    fn a_stale_read_is_consistent_but_not_after_a_fresh_one() {
        assert!(consistent(&[write(0, 1), read(1, 0)]));
        assert!(consistent(&[write(0, 1), read(1, 0), read(1, 1)]));
        assert!(!consistent(&[write(0, 1), read(1, 1), read(1, 0)]));
    }

    #[test]
    fn main_runs_before_and_after_all_threads() {
        assert!(!consistent(&[write(0, 1), read(2, 0)]));
        assert!(!consistent(&[read(2, 1), write(0, 1)]));
        assert!(consistent(&[read(2, 0), write(0, 1), read(2, 1)]));
    }

    #[test]
    fn a_pending_operation_may_have_taken_effect() {
        let pending = vec![Event::Call(0, Write(1))];
        assert!(consistent(&[pending.clone(), read(1, 0)]));
        assert!(consistent(&[pending.clone(), read(1, 1)]));
        assert!(!consistent(&[pending, read(1, 1), read(1, 0)]));
    }
}
