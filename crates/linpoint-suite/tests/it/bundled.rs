//! Every bundled model against the oracle, with the operations that its own description draws: all operations
//! mixed, results that reveal what was done and what was not.

use linpoint_suite::generate::{Params, cases};
use linpoint_suite::runner::{Candidate, Options, run_in_turns};
use linpoint_suite::{CheckerCandidate, bundled};

const SEED: u64 = 0xB0D;

fn histories() -> u64 {
    if std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1") { 60_000 } else { 1_500 }
}

#[test]
fn bundled_models_agree_with_the_oracle() {
    let planner = CheckerCandidate::planned();
    let [graph, breadth] = ["jit-graph", "breadth"].map(CheckerCandidate::engine);
    for vocabulary in bundled::vocabularies() {
        let name = vocabulary.name;
        assert!(!vocabulary.words.is_empty(), "{name} draws no operations");
        let drawn = cases(&vocabulary, Params::small(), SEED, histories());
        let all =
            |_, asked: &mut Vec<_>| asked.extend([&planner as &dyn Candidate<_>, &graph, &breadth]);
        let tally = run_in_turns(&vocabulary.spec, drawn, all, Options::default()).expect(name);
        println!("{name}: {tally}");
        assert!(tally.yes > 0 && tally.no > 0, "{name}: {tally}");
    }
}
