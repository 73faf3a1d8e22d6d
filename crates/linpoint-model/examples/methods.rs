//! Repeats the comparison of Doolan, Smith, Zhang and Krishnan (SPIN 2017), tables 1 to 5 and 7, with the models of this
//! catalogue: time, memory, states stored and matched, histories checked, by method.
//!
//! ```sh
//! cargo run --release -p linpoint-model --example methods             # at most 2 minutes and 8 GiB for each line
//! cargo run --release -p linpoint-model --example methods -- 10       # at most 10 seconds
//! ```
//!
//! The paper's own set is not public: compare trends, not numbers. Reductions are off.

use std::time::Duration;

use linpoint::Limits;
use linpoint_model::catalogue::{Asked, find};
use linpoint_model::{Exploration, Method, ModelError, Order, Outcome, Reductions, Settings};

/// The paper's figures for a set: operations, method, milliseconds, MB, stored, matched, histories.
const PAPER: [(u8, &str, &str); 6] = [
    (2, "points", "22 ms, 131 MB, 21198 stored, 4514 matched, 165 histories"),
    (4, "points", "257 ms, 204 MB, 1215501 stored, 329884 matched, 2876 histories"),
    (6, "points", "2160 ms, 773 MB, 12899275 stored, 3765699 matched, 9783 histories"),
    (2, "recorded", "33 ms, 136 MB, 25740 stored, 4699 matched, 296 histories"),
    (4, "recorded", "10590 ms, 3781 MB, 12693435 stored, 2570412 matched, 133536 histories"),
    (6, "recorded", "out of memory at 30 GB"),
];

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(120);
    let limits = Limits { time: Some(Duration::from_secs(seconds)), memory: Some(8 << 30) };
    println!("Sets on 2 threads, one core, no reductions\n");
    heading();
    for model in ["optimistic-list", "lazy-list"] {
        for method in Method::ALL {
            let has_points = find(model).is_ok_and(|(entry, _)| entry.model(2, None).has_points());
            if method == Method::Points && !has_points || method.is_for_snapshots() {
                continue;
            }
            for ops in [2, 4, 5, 6, 8] {
                let result = explored(
                    model,
                    &Asked::Total { threads: 2, ops },
                    method,
                    limits,
                    Reductions::NONE,
                );
                let known = PAPER.iter().find(|(n, name, _)| (*n, *name) == (ops, method.name()));
                let paper = known.map_or("", |(_, _, figures)| figures);
                line(model, &format!("{ops} operations"), method, &result, paper);
                if matches!(result, Ok(Exploration { outcome: Outcome::Limit(_), .. })) {
                    break;
                }
            }
        }
    }
    println!(
        "\nBroken structures, 4 operations on 2 threads; the last line of each with reductions\n"
    );
    heading();
    let wrong = [
        ("treiber-reuse-before", "external 373 ms, 172 MB; recorded 1346 ms, 342 MB"),
        ("array-queue", "external 248 ms, 159 MB; recorded 774 ms, 252 MB"),
        ("snark", "external 86 ms, 139 MB; recorded 123 ms, 145 MB"),
    ];
    for (model, paper) in wrong {
        let asked = Asked::Total { threads: 2, ops: 4 };
        for method in [Method::External, Method::Recorded, Method::Sound] {
            let result = explored(model, &asked, method, limits, Reductions::NONE);
            line(
                model,
                "4 operations",
                method,
                &result,
                if method == Method::External { paper } else { "" },
            );
        }
        let result = explored(model, &asked, Method::Sound, limits, Reductions::ALL);
        line(model, "4 operations", Method::Sound, &result, "");
    }
}

fn explored(
    model: &str,
    asked: &Asked,
    method: Method,
    limits: Limits,
    reductions: Reductions,
) -> Result<Exploration, ModelError> {
    let (entry, parameter) = find(model).expect("a model of the catalogue");
    // Depth-first, as SPIN is.
    let order = Order::Depth;
    let settings =
        Settings { method, limits, reductions, order, cores: Some(1), ..Settings::default() };
    entry.model(asked.threads(), parameter).explore(asked, &settings)
}

fn heading() {
    println!(
        "{:22} {:13} {:9} {:10} {:>10} {:>8} {:>10} {:>10} {:>9}  the paper",
        "model", "history", "method", "verdict", "time", "MB", "stored", "matched", "histories"
    );
}

fn line(
    model: &str,
    length: &str,
    method: Method,
    result: &Result<Exploration, ModelError>,
    paper: &str,
) {
    let name = method.name();
    let result = match result {
        Ok(result) => result,
        Err(error) => return println!("{model:22} {length:13} {name:9} {error}"),
    };
    let verdict = match &result.outcome {
        Outcome::Clean if method.is_sound() => "ok",
        Outcome::Clean => "(unsound)",
        Outcome::Violation(_) => "violation",
        Outcome::Limit(_) => "limit",
    };
    let counts = &result.counts;
    println!(
        "{model:22} {length:13} {name:9} {verdict:10} {:>7.1} ms {:>8.1} {:>10} {:>10} {:>9}  {paper}",
        counts.time.as_secs_f64() * 1e3,
        counts.bytes as f64 / 1e6,
        counts.stored,
        counts.matched,
        counts.histories,
    );
}
