//! Tests of the history sources: the enumerator counts correctly, the generator is reproducible,
//! and the laws of the transformations hold.

use linpoint::history::{History, Ties};
use linpoint::spec::models::{RegisterOp, RegisterRet};
use linpoint_suite::exhaustive::{Exhaustive, Shapes, shapes};
use linpoint_suite::generate::{Params, case, cases};
use linpoint_suite::metamorphic::{Law, check_laws, transformations};
use linpoint_suite::oracle::Oracle;
use linpoint_suite::{Draft, OracleCandidate, Rng, corpus};

#[test]
fn completed_shapes_are_counted() {
    let count = |n, which| shapes(n, false, which).len();
    // (2n - 1)!! ways to pair calls with returns.
    assert_eq!([0, 1, 2, 3, 4].map(|n| count(n, Shapes::Sequences)), [1, 1, 3, 15, 105]);
    // Interval orders: the Fishburn numbers.
    assert_eq!([0, 1, 2, 3, 4, 5].map(|n| count(n, Shapes::Distinct)), [1, 1, 2, 5, 15, 53]);
}

#[test]
fn pending_shapes_are_counted() {
    let count = |n, which| shapes(n, true, which).len();
    // One: with a return, without. Two, both returned: 3. Only the first: before or after the second
    // call. Only the second: 1. None: 1.
    assert_eq!([0, 1, 2].map(|n| count(n, Shapes::Sequences)), [1, 2, 7]);
    // Two, both returned: 2. One: before the other's call, or not. None: 1.
    assert_eq!([0, 1, 2].map(|n| count(n, Shapes::Distinct)), [1, 2, 5]);
}

#[test]
fn fillings_are_counted() {
    // Register: 3 reads and 2 writes as pairs, 3 operations.
    let vocabulary = corpus::register();
    let all = Exhaustive { max_ops: 2, pending: false, unknown: false, shapes: Shapes::Distinct };
    assert_eq!(all.count(&vocabulary), 1 + 5 + 2 * 25);
    let unknown = Exhaustive { unknown: true, ..all };
    assert_eq!(unknown.count(&vocabulary), 1 + 8 + 2 * 64);
    let pending = Exhaustive { pending: true, ..all };
    assert_eq!(pending.count(&vocabulary), 1 + (5 + 3) + (2 * 25 + 2 * 5 * 3 + 9));
    for all in [all, unknown, pending, Exhaustive { max_ops: 3, ..pending }] {
        let mut seen = std::collections::HashSet::new();
        for history in all.histories(&vocabulary) {
            assert!(seen.insert(Draft::from(&history).to_string()), "listed twice");
        }
        assert_eq!(seen.len() as u64, all.count(&vocabulary));
    }
}

fn print<O: Clone + std::fmt::Debug, R: Clone + std::fmt::Debug>(
    history: &History<O, R>,
) -> String {
    Draft::from(history).to_string()
}

#[test]
fn a_seed_always_gives_the_same_histories() {
    let vocabulary = corpus::register();
    let draw = |seed| -> Vec<String> {
        cases(&vocabulary, Params::small(), seed, 50).map(|c| print(&c.history)).collect()
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    assert_eq!(draw(1)[17], print(&case(&vocabulary, Params::small(), 1, 17).history));
}

#[test]
fn drafts_round_trip_through_histories() {
    let draft: Draft<RegisterOp<u8>, RegisterRet<u8>> = Draft::new()
        .completed(RegisterOp::Write(1), RegisterRet::Written, 0, 2)
        .by(1)
        .on(4)
        .pending(RegisterOp::Read, 1)
        .hinted(2, 3)
        .unknown(RegisterOp::Read, 3, 4);
    assert_eq!(Draft::from(&draft.build()), draft);
    assert_eq!(
        draft.to_string(),
        "let history = Draft::new()\n    \
         .completed(Write(1), Written, 0, 2).by(1).on(4)\n    \
         .pending(Read, 1).hinted(2, 3)\n    \
         .unknown(Read, 3, 4)\n    \
         .build();"
    );
    assert_eq!(Draft::<(), ()>::with_ties(Ties::Ordered).rows, []);
}

#[test]
fn random_histories_are_of_all_kinds() {
    for vocabulary in corpus::all() {
        let (mut yes, mut pending, mut unknown, mut ties, mut asserted) = (0, 0, 0, 0, 0);
        let (mut overlapping, mut objects, mut large) = (0, 0, 0);
        for c in cases(&vocabulary, Params::small(), 3, 2000) {
            let (h, hints) = (&c.history, c.hints == linpoint::Hints::Assert);
            let oracle = Oracle::new().assert_hints(hints).remember_failures(true);
            yes += u32::from(oracle.linearizable(&vocabulary.spec, h));
            pending += u32::from(h.ids().any(|id| h.span(id).is_pending()));
            unknown += u32::from(h.ids().any(|id| h.ret(id).is_none() && !h.span(id).is_pending()));
            ties += u32::from(c.ties > 0);
            asserted += u32::from(hints);
            let concurrent = |a, b| a != b && !h.span(a).precedes(h.span(b));
            overlapping +=
                u32::from(h.ids().any(|a| h.ids().any(|b| concurrent(a, b) && concurrent(b, a))));
            objects += u32::from(h.ids().any(|id| h.extras(id).object.is_some()));
            large += u32::from(h.len() > 5);
        }
        let name = vocabulary.name;
        println!(
            "{name}: {yes} yes, {pending} pending, {unknown} unknown, {ties} ties, {asserted} \
             asserted, {overlapping} overlapping, {objects} objects, {large} large"
        );
        assert!((500..=1800).contains(&yes), "{name}: {yes} yes of 2000");
        assert!((400..=1800).contains(&pending), "{name}: {pending} of 2000 with pending");
        assert!(unknown > 100 && ties > 100 && asserted > 50 && objects > 50, "{name}");
        assert!(overlapping > 800 && large > 400, "{name}");
    }
}

#[test]
fn undamaged_histories_are_linearizable() {
    for vocabulary in corpus::all() {
        let params = Params { damaged: 0.0, hinted: 0.0, coarse: 0.0, ..Params::small() };
        for c in cases(&vocabulary, params, 5, 500) {
            assert!(Oracle::new().linearizable(&vocabulary.spec, &c.history));
        }
    }
}

#[test]
fn the_oracle_obeys_the_laws() {
    let oracle = OracleCandidate { remember_failures: true };
    let mut tried = 0;
    for vocabulary in corpus::all() {
        let mut rng = Rng::with_seed(7);
        let params = Params { max_ops: 5, hinted: 0.5, ..Params::small() };
        for c in cases(&vocabulary, params, 7, 100) {
            match check_laws(&vocabulary.spec, &c, &oracle, &mut rng) {
                Ok(n) => tried += n,
                Err(e) => panic!("{e}"),
            }
        }
    }
    let laws = transformations::<(), ()>();
    assert!(tried > 1000 * laws.len(), "only {tried} applications of {} laws", laws.len());
    assert!(Law::KeepsYes.allows(false, true) && !Law::KeepsVerdict.allows(false, true));
}
