//! Compares the engine `hitting` and the depth of histories with the oracle and with the
//! definitions.

use linpoint::Hints;
use linpoint::history::{OpId, Span};
use linpoint::hitting::{Exact, Family, Measure, Poset, measure};
use linpoint::spec::Spec;
use linpoint_suite::generate::{Params, cases};
use linpoint_suite::oracle::Oracle;
use linpoint_suite::replay::replay;
use linpoint_suite::runner::{Answer, Candidate, Case, Options, run_in_turns};
use linpoint_suite::{CheckerCandidate, Vocabulary, corpus, for_each_model};

/// Histories of each model, in each test.
fn count() -> u64 {
    let long = std::env::var("LINPOINT_LONG").is_ok_and(|value| value == "1");
    if long { 20_000 } else { 400 }
}

/// Its answers are correct; in competition with a complete engine, everything is decided.
fn differential<S: Spec>(vocabulary: &Vocabulary<S>) {
    let (spec, name) = (&vocabulary.spec, vocabulary.name);
    let (alone, both) =
        (CheckerCandidate::engine("hitting"), CheckerCandidate::engine("hitting+jit-graph"));
    let variants = alone.variants();
    let mut turn = 0;
    let asked = |_, asked: &mut Vec<_>| {
        turn += 1;
        asked.extend([&alone as &dyn Candidate<S>, &both, &variants[turn % variants.len()]]);
    };
    let drawn = cases(vocabulary, Params::small(), 0x417, count());
    let tally = run_in_turns(spec, drawn, asked, Options::default()).expect(name);
    assert!(tally.yes > 0 && tally.no > 0, "{name}: {tally}");
    let drawn: Vec<Case<S>> = cases(vocabulary, Params::small(), 0x417, count()).collect();
    for case in &drawn {
        let answer = both.decide(spec, &case.history, case.hints);
        assert!(matches!(answer, Answer::Yes(_) | Answer::No(_)), "{name}: {answer:?}");
        let answer = alone.decide(spec, &case.history, case.hints);
        assert!(matches!(answer, Answer::Yes(_) | Answer::Undecided(_)), "{name}: {answer:?}");
    }
}

/// Small histories with only the features of the paper.
fn plain() -> Params {
    Params {
        max_ops: 5,
        pending: 0.0,
        hinted: 0.0,
        two_objects: 0.0,
        damaged: 0.5,
        processes_named: 1.0,
        ..Params::small()
    }
}

/// The operations as a poset: sorted by their calls.
struct Ordered {
    ids: Vec<OpId>,
    poset: Poset,
    chains: Vec<Vec<usize>>,
}

fn ordered<S: Spec>(case: &Case<S>) -> Ordered {
    let history = &case.history;
    let mut ids: Vec<OpId> = history.ids().collect();
    ids.sort_by_key(|id| history.span(*id).call);
    let spans: Vec<Span> = ids.iter().map(|id| history.span(*id)).collect();
    let poset = Poset::of_spans(&spans).unwrap();
    let processes: Vec<Option<u32>> = ids.iter().map(|id| history.extras(*id).process).collect();
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for op in 0..ids.len() {
        match chains.iter_mut().find(|chain| processes[chain[0]] == processes[op]) {
            Some(chain) => chain.push(op),
            None => chains.push(vec![op]),
        }
    }
    let is_chain = |chain: &Vec<usize>| chain.windows(2).all(|w| poset.at_most(w[0], w[1]));
    if processes.contains(&None) || !chains.iter().all(is_chain) {
        chains = poset.fewest_chains();
    }
    Ordered { ids, poset, chains }
}

fn is_witness<S: Spec>(spec: &S, case: &Case<S>, ordered: &Ordered, schedule: &[u8]) -> bool {
    let order: Vec<OpId> = schedule.iter().map(|op| ordered.ids[usize::from(*op)]).collect();
    replay(spec, &case.history, Hints::Ignore, &order).is_ok()
}

/// The least `d` whose family has a witness, by trying all of it.
fn least_d<S: Spec>(spec: &S, case: &Case<S>, ordered: &Ordered) -> Option<usize> {
    let mut family = Family::new(&ordered.poset, &ordered.chains, usize::MAX);
    (1..=ordered.ids.len()).find(|_| {
        family.grow().unwrap();
        family.schedules().any(|schedule| is_witness(spec, case, ordered, schedule))
    })
}

/// Definition 4.2, with Definition 4.1 for each schedule and each tuple.
fn depth<S: Spec>(spec: &S, case: &Case<S>, ordered: &Ordered, most: usize) -> Option<usize> {
    let (n, poset) = (ordered.ids.len(), &ordered.poset);
    let mut all = Family::new(poset, &ordered.chains, usize::MAX);
    (0..n).for_each(|_| all.grow().unwrap());
    let schedules: Vec<(&[u8], bool)> =
        all.schedules().map(|s| (s, is_witness(spec, case, ordered, s))).collect();
    let hits = |schedule: &[u8], tuple: &[usize]| {
        let place = |x: usize| schedule.iter().position(|y| usize::from(*y) == x).unwrap();
        (0..n).all(|y| {
            (0..tuple.len()).all(|i| {
                place(y) < place(tuple[i]) || tuple[i..].iter().any(|x| poset.at_most(*x, y))
            })
        })
    };
    (1..=most).find(|d| {
        (0..n.pow(*d as u32)).any(|number| {
            let tuple: Vec<usize> = (0..*d).map(|i| number / n.pow(i as u32) % n).collect();
            schedules.iter().all(|(schedule, witness)| *witness || !hits(schedule, &tuple))
        })
    })
}

/// With few operations everything is decided, and the numbers agree with the definitions.
fn definitions<S: Spec>(vocabulary: &Vocabulary<S>) {
    let (spec, name) = (&vocabulary.spec, vocabulary.name);
    let alone = CheckerCandidate::engine("hitting");
    let what = Measure { most_d: 5, most_depth: 3, ..Measure::default() };
    let (mut yes, mut deep) = (0, 0);
    for case in cases(vocabulary, plain(), 0x418, count()) {
        let history = &case.history;
        let completed = history.ids().all(|id| !history.span(id).is_pending());
        if history.is_empty() || !completed {
            continue;
        }
        let linearizable = Oracle::new().linearizable(spec, history);
        let answer = alone.decide(spec, history, case.hints);
        assert_eq!(matches!(answer, Answer::Yes(_)), linearizable, "{name}: {answer:?}");
        let ordered = ordered(&case);
        let subject = linpoint::subject::Typed::new(spec, history);
        let measured = measure(&subject, history.timeline(), &what).unwrap();
        assert_eq!(measured.witness, least_d(spec, &case, &ordered), "{name}: {history:?}");
        assert_eq!(measured.witness.is_some(), linearizable);
        let expected = match depth(spec, &case, &ordered, 3) {
            Some(d) => Exact::Is(d),
            None => Exact::MoreThan(3),
        };
        assert_eq!(measured.depth, expected, "{name}: {history:?}");
        yes += u64::from(linearizable);
        deep += u64::from(measured.witness > Some(1));
    }
    println!("{name}: {yes} of {} linearizable, {deep} of depth 2 or more", count());
    assert!(yes > 0);
}

macro_rules! test_each {
    ($($model:ident)*) => {$(
        #[test]
        fn $model() {
            let vocabulary = corpus::$model().erase();
            differential(&vocabulary);
            definitions(&vocabulary);
        }
    )*};
}

for_each_model!(test_each);
