//! Every engine against the oracle, on every model: all small histories, random ones, and engines
//! against each other beyond what the oracle can decide.
//!
//! Sized for every day by default; `LINPOINT_LONG=1` runs at least five million histories. Each
//! test prints its tally (`cargo test -p linpoint-suite --test differential -- --nocapture`).

use linpoint::spec::Spec;
use linpoint_suite::exhaustive::{Exhaustive, Shapes};
use linpoint_suite::generate::{Params, cases};
use linpoint_suite::metamorphic::check_laws;
use linpoint_suite::runner::{Candidate, Case, Options, run};
use linpoint_suite::{CheckerCandidate, Rng, Vocabulary, corpus, for_each_model};

/// Each alone, then the planner, then a competition.
const ENGINES: [&str; 5] = ["wg-tree", "wg-graph", "jit-tree", "jit-graph", "breadth"];
const COMPETITION: &str = "jit-tree+breadth";

/// How many histories all models together are tested on.
struct Size {
    /// At least this many, listed or drawn, that the oracle decides.
    small: u64,
    /// Drawn, too large for the oracle.
    large: u64,
    /// Drawn, changed by every law.
    laws: u64,
    /// List all histories of at most this many operations, as far as half of `small` allows.
    max_listed_ops: usize,
    seed: u64,
}

fn size() -> Size {
    if std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1") {
        Size { small: 5_000_000, large: 200_000, laws: 20_000, max_listed_ops: 4, seed: 0x10E6 }
    } else {
        Size { small: 200_000, large: 6_000, laws: 1_500, max_listed_ops: 3, seed: 0xC1 }
    }
}

macro_rules! count_models {
    ($($model:ident)*) => { [$(stringify!($model)),*].len() as u64 };
}

const MODELS: u64 = for_each_model!(count_models);

/// The largest exhaustive list that fits into `most` histories.
fn largest_list<S: Spec>(vocabulary: &Vocabulary<S>, max_ops: usize, most: u64) -> Exhaustive {
    let mut best =
        Exhaustive { max_ops: 1, pending: true, unknown: true, shapes: Shapes::Sequences };
    for max_ops in 2..=max_ops {
        let all = Exhaustive { max_ops, ..best };
        let distinct = Exhaustive { shapes: Shapes::Distinct, ..all };
        let known = Exhaustive { unknown: false, ..distinct };
        let completed = Exhaustive { pending: false, ..known };
        let fitting = [all, distinct, known, completed].into_iter();
        best = fitting
            .fold(None, |best, e| best.or((e.count(vocabulary) <= most).then_some(e)))
            .unwrap_or(best);
    }
    best
}

fn differential<S: Spec>(vocabulary: &Vocabulary<S>, candidates: &[&dyn Candidate<S>]) {
    let (spec, name, size) = (&vocabulary.spec, vocabulary.name, size());
    let small = size.small.div_ceil(MODELS);
    let list = largest_list(vocabulary, size.max_listed_ops, small / 2);
    let listed = list.count(vocabulary);
    let found =
        run(spec, list.histories(vocabulary).map(Case::new), candidates, Options::default());
    println!("{name}, all of {} operations: {}", list.max_ops, found.expect(name));

    let drawn = cases(vocabulary, Params::small(), size.seed, small - listed.min(small));
    let found = run(spec, drawn, candidates, Options::default());
    let tally = found.expect(name);
    println!("{name}, random: {tally}");
    assert_eq!(tally.undecided, 0, "{name}: there are no limits to hit");
    assert!(tally.yes > tally.histories / 10 && tally.no > tally.histories / 10, "{name}: {tally}");

    let drawn = cases(vocabulary, Params::large(), size.seed, size.large.div_ceil(MODELS));
    let found = run(spec, drawn, candidates, Options::default());
    println!("{name}, large: {}", found.expect(name));

    let mut rng = Rng::new(size.seed);
    let mut tried = 0;
    for case in cases(vocabulary, Params::large(), size.seed + 1, size.laws.div_ceil(MODELS)) {
        for &candidate in candidates {
            match check_laws(spec, &case, candidate, &mut rng) {
                Ok(n) => tried += n,
                Err(e) => panic!("{name}: {e}"),
            }
        }
    }
    println!("{name}: {tried} applications of metamorphic laws");
}

macro_rules! test_each {
    ($($model:ident)*) => {$(
        #[test]
        fn $model() {
            let mut checkers: Vec<_> = ENGINES.map(CheckerCandidate::engine).into();
            checkers.push(CheckerCandidate::planned());
            checkers.push(CheckerCandidate::engine(COMPETITION));
            let candidates: Vec<&dyn Candidate<_>> = checkers.iter().map(|c| c as _).collect();
            differential(&corpus::$model(), &candidates);
        }
    )*};
}

for_each_model!(test_each);
