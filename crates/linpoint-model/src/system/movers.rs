//! Tests the claim that steps are movers ([`Model::is_mover`]). In every state of small instances, explored without merging
//! any steps, every step of another thread right before such a step could as well be performed right after it.

use rustc_hash::FxHashSet;

use super::steps::Steps;
use super::{Thread, TypedMove, World};
use crate::bounds::Bounds;
use crate::catalogue::{
    Afek, AttiyaWelch, Bowman, Elimination, HarrisMichael, Jayanti, LockedList, MichaelScott,
    Riany, Snark, Treiber,
};
use crate::model::{Cx, Model, Op};

/// Enough to reach every line of every model together with every other. More would take long.
const STATES: usize = 20_000;

#[derive(Clone, PartialEq, Eq, Hash)]
struct State<S, T> {
    world: World<S>,
    threads: Vec<T>,
}

type StateOf<M> = State<<M as Model>::Shared, Thread<Op<M>, <M as Model>::Local>>;

fn first<M: Model>(model: &M, threads: usize) -> StateOf<M> {
    let thread = |id: usize| Thread {
        id: id as u8,
        program: 0,
        begun: 0,
        line: 0,
        has_shifted: false,
        op: None,
        local: M::Local::default(),
    };
    let world = World { mem: model.initial(), begun: 0, fresh: 1 };
    State { world, threads: (0..threads).map(thread).collect() }
}

fn moves<M: Model>(steps: &Steps<'_, M>, state: &StateOf<M>, thread: usize) -> Vec<TypedMove<M>> {
    steps.moves(&state.world, &state.threads[thread]).unwrap()
}

fn after<M: Model>(state: &StateOf<M>, thread: usize, moved: &TypedMove<M>) -> StateOf<M> {
    let mut next = State { world: moved.world.clone(), threads: state.threads.clone() };
    next.threads[thread] = moved.thread.clone();
    next
}

/// True if the next step of this thread is claimed to be a mover. The first step of an operation is never merged.
fn is_mover<M: Model>(model: &M, state: &StateOf<M>, thread: usize) -> bool {
    let Thread { id, line, op: Some(op), local, .. } = &state.threads[thread] else {
        return false;
    };
    let mut cx = Cx::new(usize::from(*id));
    cx.line = *line;
    model.is_mover(&cx, op, &state.world.mem, local)
}

/// Checks the claim for the mover of `thread` against every step of other threads. Returns the number of cases.
fn check<M: Model>(steps: &Steps<'_, M>, state: &StateOf<M>, thread: usize) -> usize {
    let at = || format!("{:?}\n{:?}\nmover of {thread}", state.world, state.threads);
    let alone = moves(steps, state, thread);
    assert!(!alone.is_empty(), "a mover waits: {}", at());
    let mut count = 0;
    for other in (0..state.threads.len()).filter(|other| *other != thread) {
        for theirs in moves(steps, state, other) {
            let between = after::<M>(state, other, &theirs);
            assert!(is_mover(steps.model, &between, thread), "no longer a mover: {}", at());
            for ours in moves(steps, &between, thread) {
                let expected = after::<M>(&between, thread, &ours);
                let is_reached = alone.iter().filter(|first| first.ret == ours.ret).any(|first| {
                    let ours_first = after::<M>(state, thread, first);
                    let is_same = |later: &TypedMove<M>| {
                        (&later.call, &later.ret) == (&theirs.call, &theirs.ret)
                            && after::<M>(&ours_first, other, later) == expected
                    };
                    moves(steps, &ours_first, other).iter().any(is_same)
                });
                assert!(is_reached, "the step of {other} cannot come later: {}", at());
                count += 1;
            }
        }
    }
    count
}

/// Checks the claims in all states. Returns the number of cases.
fn movers_move<M: Model>(model: &M, threads: usize, ops: u8) -> usize {
    let bounds = Bounds::Total { threads, ops };
    let steps = Steps { model, bounds, merges: false, simple: None };
    let mut seen = FxHashSet::default();
    let mut open = std::collections::VecDeque::from([first(model, threads)]);
    let mut count = 0;
    while let Some(state) = open.pop_front() {
        for thread in 0..threads {
            if is_mover(model, &state, thread) {
                count += check(&steps, &state, thread);
            }
            for moved in moves(&steps, &state, thread) {
                let next = after::<M>(&state, thread, &moved);
                if seen.len() < STATES && seen.insert(next.clone()) {
                    open.push_back(next);
                }
            }
        }
    }
    count
}

#[test]
fn movers_of_snapshot_models_commute_with_steps_of_other_threads() {
    for n in [2, 3] {
        let counts = [
            movers_move(&Bowman::correct(n), n, 4),
            movers_move(&Bowman::wrong(n), n, 4),
            movers_move(&Afek::bounded(n), n, 4),
            movers_move(&Afek::bounded_wrong(n), n, 4),
            movers_move(&Afek::unbounded(n), n, 4),
            movers_move(&Afek::unbounded_wrong(n), n, 4),
            movers_move(&AttiyaWelch::correct(n), n, 4),
            movers_move(&AttiyaWelch::wrong(n), n, 4),
            movers_move(&AttiyaWelch::last_only(n), n, 4),
            movers_move(&AttiyaWelch::old_view(n), n, 4),
            movers_move(&Jayanti::correct(n), n, 4),
            movers_move(&Jayanti::wrong(n), n, 4),
            movers_move(&Riany::correct(n), n, 4),
            movers_move(&Riany::wrong(n), n, 4),
        ];
        println!("{counts:?}");
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }
}

#[test]
fn movers_of_stack_queue_and_set_models_commute_with_steps_of_other_threads() {
    let counts = [
        movers_move(&Treiber::collected(), 2, 5),
        movers_move(&MichaelScott::collected(), 2, 5),
        movers_move(&MichaelScott::without_test(), 2, 5),
        movers_move(&Elimination::correct(), 3, 4),
        movers_move(&Elimination::kind_unchecked(), 3, 4),
        movers_move(&Snark::published(), 2, 5),
        movers_move(&Snark::first_repaired(), 2, 5),
        movers_move(&Snark::triple_cas(), 2, 5),
        movers_move(&HarrisMichael::correct(), 2, 4),
        movers_move(&HarrisMichael::unmarked(), 2, 4),
        movers_move(&HarrisMichael::contains_blind(), 2, 4),
        movers_move(&LockedList::lazy(), 2, 4),
        movers_move(&LockedList::lazy_validation_blind(), 2, 4),
        movers_move(&LockedList::lazy_unmarked(), 2, 4),
        movers_move(&LockedList::lazy_contains_blind(), 2, 4),
        movers_move(&LockedList::optimistic(), 2, 4),
        movers_move(&LockedList::optimistic_unvalidated(), 2, 4),
        movers_move(&LockedList::optimistic_contains_walks(), 2, 4),
    ];
    println!("{counts:?}");
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}
