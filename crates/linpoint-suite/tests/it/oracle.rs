//! Tests the oracle on hand-made histories with obvious answers.

use RegisterOp::{Read, Write};
use RegisterRet::{Value, Written};
use linpoint::OpId;
use linpoint::history::Ties;
use linpoint::spec::models::{Register, RegisterOp, RegisterRet};
use linpoint_suite::oracle::{Oracle, linearizable, prefix, relax_outside};
use linpoint_suite::specs::{
    Die, DieOp, DieRet, LossyOp, LossyRegister, Pool, PoolOp, Slot, SlotOp,
};
use linpoint_suite::{Draft, corpus, exhaustive, generate, replay};

type RegisterDraft = Draft<RegisterOp<u8>, RegisterRet<u8>>;

const REGISTER: Register<u8> = Register { initial: 0 };

fn register(draft: RegisterDraft) -> bool {
    linearizable(&REGISTER, &draft.build(), false)
}

fn asserted(draft: RegisterDraft) -> bool {
    linearizable(&REGISTER, &draft.build(), true)
}

#[test]
fn the_empty_history_is_linearizable() {
    assert!(register(Draft::new()));
    assert_eq!(Oracle::new().order(&REGISTER, &Draft::new().build()), Some(vec![]));
}

#[test]
fn reads_see_the_last_write() {
    let write = || Draft::new().completed(Write(1), Written, 0, 1);
    assert!(register(write().completed(Read, Value(1), 2, 3)));
    assert!(!register(write().completed(Read, Value(0), 2, 3)), "a stale read");
    assert!(!register(write().completed(Read, Value(7), 2, 3)), "from nowhere");
    assert!(!register(write().completed(Read, Written, 2, 3)), "not a result of a read");
}

#[test]
fn an_overlapping_read_sees_either() {
    let write = || Draft::new().completed(Write(1), Written, 0, 5);
    assert!(register(write().completed(Read, Value(0), 1, 2)));
    assert!(register(write().completed(Read, Value(1), 1, 2)));
    let new_then_old = write().completed(Read, Value(1), 1, 2).completed(Read, Value(0), 3, 4);
    assert!(!register(new_then_old), "new, then old");
    let old_then_new = write().completed(Read, Value(0), 1, 2).completed(Read, Value(1), 3, 4);
    assert!(register(old_then_new));
}

#[test]
fn a_pending_write_may_be_seen_or_not_but_not_undone() {
    let write = || Draft::new().pending(Write(1), 0);
    assert!(register(write()));
    assert!(register(write().completed(Read, Value(0), 1, 2)));
    assert!(register(write().completed(Read, Value(0), 1, 2).completed(Read, Value(1), 3, 4)));
    assert!(!register(write().completed(Read, Value(1), 1, 2).completed(Read, Value(0), 3, 4)));
    let too_early = Draft::new().completed(Read, Value(1), 0, 1).pending(Write(1), 2);
    assert!(!register(too_early), "seen before it was called");
}

#[test]
fn an_operation_with_an_unknown_result_happens() {
    let write = || Draft::new().unknown(Write(1), 0, 1);
    assert!(!register(write().completed(Read, Value(0), 2, 3)));
    assert!(register(write().completed(Read, Value(1), 2, 3)));
    assert!(register(Draft::new().unknown(Read, 0, 1)));
    // A take of an unknown value from a place that is never filled cannot have happened…
    let slot = |draft: Draft<_, _>| linearizable(&Slot::default(), &draft.build(), false);
    assert!(!slot(Draft::new().unknown(SlotOp::Take, 0, 1)));
    // … but it can be waiting.
    assert!(slot(Draft::new().pending(SlotOp::Take, 0)));
    assert!(slot(Draft::new().unknown(SlotOp::Take, 0, 5).completed(SlotOp::Put(1), None, 1, 2)));
}

#[test]
fn touching_intervals_follow_the_policy() {
    let touching = |ties| {
        let draft = Draft::with_ties(ties).completed(Write(1), Written, 0, 5);
        register(draft.completed(Read, Value(0), 5, 9))
    };
    assert!(touching(Ties::Concurrent));
    assert!(!touching(Ties::Ordered));
    let instants = |ties| {
        let draft = Draft::with_ties(ties).completed(Write(1), Written, 5, 5);
        register(draft.completed(Read, Value(0), 5, 5))
    };
    assert!(instants(Ties::Concurrent));
    assert!(instants(Ties::Ordered));
}

#[test]
fn asserted_hints_bind_within_a_scope() {
    let writes = |a: (u32, u64), b: (u32, u64), last: u8| {
        Draft::new()
            .completed(Write(1), Written, 0, 5)
            .hinted(a.0, a.1)
            .completed(Write(2), Written, 0, 5)
            .hinted(b.0, b.1)
            .completed(Read, Value(last), 6, 7)
    };
    assert!(asserted(writes((0, 1), (0, 2), 2)));
    assert!(!asserted(writes((0, 1), (0, 2), 1)));
    assert!(register(writes((0, 1), (0, 2), 1)), "not asserted");
    assert!(asserted(writes((0, 3), (0, 3), 1)), "equal positions are unordered");
    assert!(asserted(writes((0, 1), (7, 2), 1)), "different scopes are unordered");
    let against_time = Draft::new()
        .completed(Write(1), Written, 0, 1)
        .hinted(0, 2)
        .completed(Write(2), Written, 2, 3)
        .hinted(0, 1);
    assert!(!asserted(against_time));
    // A pending operation whose turn has passed is left out, and then it cannot be seen.
    let late = |seen| {
        Draft::new()
            .pending(Write(1), 0)
            .hinted(0, 1)
            .completed(Write(2), Written, 1, 2)
            .hinted(0, 2)
            .completed(Read, Value(2), 3, 4)
            .completed(Read, Value(seen), 5, 6)
    };
    assert!(asserted(late(2)));
    assert!(!asserted(late(1)));
    assert!(register(late(1)));
}

#[test]
fn objects_have_states_of_their_own() {
    let draft = |object| {
        Draft::new()
            .completed(Write(1), Written, 0, 1)
            .on(1)
            .completed(Read, Value(0), 2, 3)
            .on(object)
    };
    assert!(!register(draft(1)));
    assert!(register(draft(2)));
    // Scopes are per object: these hints would contradict real time, but do not combine.
    let crossed = Draft::new()
        .completed(Write(1), Written, 0, 1)
        .on(1)
        .hinted(0, 2)
        .completed(Write(1), Written, 2, 3)
        .on(2)
        .hinted(0, 1);
    assert!(asserted(crossed.clone()));
    assert!(register(crossed));
}

#[test]
fn nondeterministic_operations_may_go_any_way() {
    let lossy = |last| {
        let draft = Draft::new()
            .completed(LossyOp::Write(1), None, 0, 1)
            .completed(LossyOp::Write(2), None, 2, 3)
            .completed(LossyOp::Read, Some(last), 4, 5);
        linearizable(&LossyRegister, &draft.build(), false)
    };
    assert_eq!([0, 1, 2, 3].map(lossy), [true, true, true, false]);

    let pool = |first, second| {
        let draft = Draft::new()
            .completed(PoolOp::Put(1), None, 0, 1)
            .completed(PoolOp::Put(2), None, 2, 3)
            .completed(PoolOp::Take, first, 4, 5)
            .completed(PoolOp::Take, second, 6, 7);
        linearizable(&Pool, &draft.build(), false)
    };
    assert!(pool(Some(1), Some(2)) && pool(Some(2), Some(1)));
    assert!(!pool(Some(1), Some(1)) && !pool(Some(1), None) && !pool(None, Some(1)));

    // Only a die that fell off the table shows 0 again.
    let die = |nudged| {
        let draft = Draft::new()
            .completed(DieOp::Roll, DieRet::Rolled, 0, 1)
            .completed(DieOp::Nudge(1), DieRet::Nudged(nudged), 2, 3)
            .completed(DieOp::Look, DieRet::Shows(0), 4, 5);
        linearizable(&Die, &draft.build(), false)
    };
    assert!(die(true) && !die(false));
}

#[test]
fn the_earliest_failure_is_a_return() {
    // #0 and #1 are fine; #2 is the first that nothing explains; #3 is wrong as well, later.
    let history = Draft::new()
        .completed(Write(1), Written, 0, 9)
        .completed(Read, Value(1), 1, 2)
        .completed(Read, Value(0), 3, 4)
        .completed(Read, Value(7), 5, 6)
        .build();
    assert_eq!(Oracle::new().earliest_failure(&REGISTER, &history), Some(OpId(2)));
    assert_eq!(prefix(&history, history.span(OpId(1)).ret).len(), 2);
    assert!(prefix(&history, history.span(OpId(1)).ret).span(OpId(0)).is_pending());
    let allowed = |op, last: u32| {
        let prefix = prefix(&history, last);
        Oracle::new().allowed_results(&REGISTER, &prefix, op).unwrap()
    };
    assert_eq!(allowed(OpId(2), history.span(OpId(2)).ret), [Value(1)]);
}

#[test]
fn a_core_survives_relaxing_the_rest() {
    let history = Draft::new()
        .completed(Write(1), Written, 0, 1)
        .completed(Write(2), Written, 2, 3)
        .completed(Read, Value(7), 4, 5)
        .completed(Read, Value(2), 6, 7)
        .build();
    let contradicts =
        |core: &[OpId]| !linearizable(&REGISTER, &relax_outside(&history, core), false);
    assert!(contradicts(&[OpId(2)]));
    assert!(!contradicts(&[OpId(0), OpId(1), OpId(3)]));
    assert!(!contradicts(&[]));
}

#[test]
fn remembering_failures_changes_nothing() {
    for vocabulary in corpus::all() {
        let params = generate::Params { max_ops: 6, ..generate::Params::small() };
        for case in generate::cases(&vocabulary, params, 11, 1500) {
            let oracle = Oracle::new().assert_hints(case.hints == linpoint::Hints::Assert);
            let plain = oracle.order(&vocabulary.spec, &case.history);
            let memo = oracle.remember_failures(true).order(&vocabulary.spec, &case.history);
            assert_eq!(plain, memo, "{}", Draft::from(&case.history));
            if let Some(order) = plain {
                replay::replay(&vocabulary.spec, &case.history, case.hints, &order).unwrap();
            }
        }
    }
}

/// All permutations of all subsets, each replayed by the code that validates witnesses: an even
/// slower definition, with a different structure.
#[test]
fn the_oracle_agrees_with_trying_every_permutation() {
    fn permutations(rest: &[OpId], so_far: &mut Vec<OpId>, try_it: &mut dyn FnMut(&[OpId])) {
        try_it(so_far);
        for &id in rest {
            if !so_far.contains(&id) {
                so_far.push(id);
                permutations(rest, so_far, try_it);
                so_far.pop();
            }
        }
    }
    for vocabulary in corpus::all() {
        let params = generate::Params { max_ops: 5, ..generate::Params::small() };
        for case in generate::cases(&vocabulary, params, 12, 500) {
            let (spec, history) = (&vocabulary.spec, &case.history);
            let ids: Vec<OpId> = history.ids().collect();
            let mut found = false;
            permutations(&ids, &mut Vec::new(), &mut |order| {
                found |= replay::replay(spec, history, case.hints, order).is_ok();
            });
            let asserted = case.hints == linpoint::Hints::Assert;
            assert_eq!(found, linearizable(spec, history, asserted), "{}", Draft::from(history));
        }
    }
}

#[test]
fn all_histories_of_two_operations_on_a_register() {
    // Counted by hand. Words: read -> 0, 1 or 2; write 1; write 2. Sequentially (25 fillings):
    // a read of 0 and then: read 0, or either write (3); a write and then: the right read, or
    // either write (2 * 3); reads of 1 or 2 first: none. 9. Concurrently (25 fillings, either order
    // may be legal): read 0 twice; read 0 with a write, either way round (4); a write with the
    // right read, either way round (4); two writes (4). 13.
    let vocabulary = corpus::register();
    let all = exhaustive::Exhaustive {
        max_ops: 2,
        pending: false,
        unknown: false,
        shapes: exhaustive::Shapes::Distinct,
    };
    let two = all.histories(&vocabulary).filter(|h| h.len() == 2);
    let (mut sequential, mut concurrent) = (0, 0);
    for h in two.filter(|h| linearizable(&vocabulary.spec, h, false)) {
        let ordered = h.span(OpId(0)).precedes(h.span(OpId(1)));
        *(if ordered { &mut sequential } else { &mut concurrent }) += 1;
    }
    assert_eq!((sequential, concurrent), (9, 13));
}
