//! Compares every engine with the oracle, on every model: all small histories, random ones, and
//! engines with each other beyond what the oracle can decide.
//!
//! Sized for daily runs by default; `LINPOINT_LONG=1` gives at least five million histories to the
//! oracle. Each test prints its tally and the sum so far, so that the last one prints the sum of
//! all (`cargo test -p linpoint-suite --test it differential -- --nocapture`).
//!
//! Which candidates run. Every engine and the planner decide every small history, listed or drawn.
//! The variants (each switch off, all off, keys not split) take turns, drawn at random for each
//! history and engine: in daily runs each engine decides twice, unmodified and in one variant; in
//! long runs, where there are thousands of histories for each pair of engine and variant anyway,
//! once, unmodified or in a variant. The planner always runs unmodified. Beyond ten operations
//! every candidate has a short time limit, and undecided histories are not compared; the tree
//! searches, which are exponential, decide one such history in eight.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use linpoint::spec::Spec;
use linpoint_suite::exhaustive::{Exhaustive, Shapes};
use linpoint_suite::generate::{Params, cases};
use linpoint_suite::metamorphic::check_laws;
use linpoint_suite::runner::{Candidate, Case, Options, Tally, run_in_turns};
use linpoint_suite::{CheckerCandidate, Rng, Vocabulary, corpus, for_each_model};

const TREES: [&str; 2] = ["wg-tree", "jit-tree"];
const GRAPHS: [&str; 3] = ["wg-graph", "jit-graph", "breadth"];
const COMPETITION: &str = "jit-tree+breadth";

/// The number of histories for all models together.
struct Size {
    long: bool,
    /// At least this many, listed or drawn, that the oracle decides.
    small: u64,
    /// Drawn, too large for the oracle.
    large: u64,
    /// Drawn, with many operations open together.
    crowded: u64,
    /// Drawn, changed by every law.
    laws: u64,
    /// Time limit for each candidate and each large history.
    time: Duration,
    /// List all histories of at most this many operations, as far as half of `small` allows.
    max_listed_ops: usize,
    seed: u64,
}

fn size() -> Size {
    if std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1") {
        Size {
            long: true,
            small: 5_000_000,
            large: 100_000,
            crowded: 10_000,
            laws: 8_000,
            time: Duration::from_millis(20),
            max_listed_ops: 4,
            seed: 0x10E6,
        }
    } else {
        let usual = Size {
            long: false,
            small: 90_000,
            large: 3_000,
            crowded: 300,
            laws: 300,
            time: Duration::from_millis(5),
            max_listed_ops: 3,
            seed: 0xC1,
        };
        match std::env::var_os("LINPOINT_QUICK") {
            None => usual,
            Some(_) => Size { small: 20_000, large: 600, crowded: 60, laws: 100, ..usual },
        }
    }
}

const MODELS: u64 = corpus::MODELS.len() as u64;

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

/// A checker and its variants.
struct Family {
    plain: CheckerCandidate,
    variants: Vec<CheckerCandidate>,
}

impl Family {
    fn new(plain: CheckerCandidate) -> Self {
        Family { variants: plain.variants(), plain }
    }

    fn variant(&self, rng: &mut Rng) -> &CheckerCandidate {
        rng.choice(&self.variants).unwrap_or(&self.plain)
    }

    /// The checker itself, or one variant; each is equally likely.
    fn member(&self, rng: &mut Rng) -> &CheckerCandidate {
        let alone = rng.usize(..self.variants.len() + 1) == 0;
        if alone { &self.plain } else { self.variant(rng) }
    }
}

/// All candidates.
struct Panel {
    trees: Vec<Family>,
    graphs: Vec<Family>,
    planner: Family,
    competition: Family,
}

impl Panel {
    fn new(time: Option<Duration>) -> Self {
        let family = |candidate: CheckerCandidate| {
            Family::new(CheckerCandidate { timeout: time, ..candidate })
        };
        let engine = |name: &str| family(CheckerCandidate::engine(name));
        Panel {
            trees: TREES.map(engine).into(),
            graphs: GRAPHS.map(engine).into(),
            planner: family(CheckerCandidate::planned()),
            competition: engine(COMPETITION),
        }
    }

    /// The candidates for a history that the oracle decides.
    fn small<'a, S: Spec>(
        &'a self,
        long: bool,
        rng: &mut Rng,
        asked: &mut Vec<&'a dyn Candidate<S>>,
    ) {
        asked.push(&self.planner.plain);
        for engine in self.trees.iter().chain(&self.graphs) {
            if long {
                asked.push(engine.member(rng));
            } else {
                asked.extend([&engine.plain as &dyn Candidate<S>, engine.variant(rng)]);
            }
        }
        match rng.usize(..8) {
            0 | 1 => asked.push(self.planner.variant(rng)),
            2 => asked.push(self.competition.member(rng)),
            _ => {}
        }
    }

    /// The candidates for a large history.
    fn large<'a, S: Spec>(&'a self, rng: &mut Rng, asked: &mut Vec<&'a dyn Candidate<S>>) {
        asked.push(&self.planner.plain);
        asked.extend(self.graphs.iter().map(|engine| &engine.plain as &dyn Candidate<S>));
        asked.push(self.graphs[rng.usize(..self.graphs.len())].variant(rng));
        match rng.usize(..16) {
            at @ (0 | 1) => asked.push(self.trees[at].member(rng)),
            2 => asked.push(self.competition.member(rng)),
            3 => asked.push(self.planner.variant(rng)),
            _ => {}
        }
    }
}

/// The sum over the models tested so far: their number, the tally, applications of laws.
static SUM: Mutex<(u64, Tally, usize)> = Mutex::new((
    0,
    Tally {
        histories: 0,
        yes: 0,
        no: 0,
        open: 0,
        pending: 0,
        unknown: 0,
        ties: 0,
        asserted: 0,
        by_oracle: 0,
        cores: 0,
        failures: 0,
        answers: 0,
        undecided: 0,
    },
    0,
));

fn differential<S: Spec>(vocabulary: &Vocabulary<S>) {
    let begin = Instant::now();
    let (spec, name, size) = (&vocabulary.spec, vocabulary.name, size());
    let [panel, hurried] = [None, Some(size.time)].map(Panel::new);
    let mut rng = Rng::with_seed(size.seed);

    let small = size.small.div_ceil(MODELS);
    let list = largest_list(vocabulary, size.max_listed_ops, small / 2);
    let listed = list.count(vocabulary);
    let cases_listed = list.histories(vocabulary).map(Case::new);
    let all = |_, asked: &mut Vec<_>| panel.small(size.long, &mut rng, asked);
    let listed_tally = run_in_turns(spec, cases_listed, all, Options::default()).expect(name);
    println!("{name}, all of {} operations: {listed_tally}", list.max_ops);

    let drawn = cases(vocabulary, Params::small(), size.seed, small - listed.min(small));
    let all = |_, asked: &mut Vec<_>| panel.small(size.long, &mut rng, asked);
    let tally = run_in_turns(spec, drawn, all, Options::default()).expect(name);
    println!("{name}, random: {tally}");
    assert_eq!(tally.undecided, 0, "{name}: there are no limits to hit");
    assert!(tally.yes > tally.histories / 10 && tally.no > tally.histories / 10, "{name}: {tally}");

    let drawn = cases(vocabulary, Params::large(), size.seed, size.large.div_ceil(MODELS));
    let some = |_, asked: &mut Vec<_>| hurried.large(&mut rng, asked);
    let large_tally = run_in_turns(spec, drawn, some, Options::default()).expect(name);
    println!("{name}, large: {large_tally}");

    let drawn = cases(vocabulary, Params::crowded(), size.seed, size.crowded.div_ceil(MODELS));
    let some = |_, asked: &mut Vec<_>| hurried.large(&mut rng, asked);
    let crowded_tally = run_in_turns(spec, drawn, some, Options::default()).expect(name);
    println!("{name}, crowded: {crowded_tally}");

    let mut tried = 0;
    for case in cases(vocabulary, Params::large(), size.seed + 1, size.laws.div_ceil(MODELS)) {
        let mut asked: Vec<&dyn Candidate<S>> = Vec::new();
        hurried.large(&mut rng, &mut asked);
        for candidate in asked {
            match check_laws(spec, &case, candidate, &mut rng) {
                Ok(n) => tried += n,
                Err(e) => panic!("{name}: {e}"),
            }
        }
    }
    println!("{name}: {tried} applications of metamorphic laws; {:.1?}", begin.elapsed());

    // A test that failed while it held the lock does not affect the sum.
    let mut sum = SUM.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    sum.0 += 1;
    sum.1 = sum.1.and(listed_tally).and(tally).and(large_tally).and(crowded_tally);
    sum.2 += tried;
    println!("sum over {} of {MODELS} models: {}; {} laws", sum.0, sum.1, sum.2);
}

macro_rules! test_each {
    ($($model:ident)*) => {$(
        #[test]
        fn $model() {
            differential(&corpus::$model().erase());
        }
    )*};
}

for_each_model!(test_each);
