//! Snapshot models that discard irrelevant state have as many distinct histories as models that keep everything.
//!
//! The figures are from models that kept every number, bit and register of the pseudo-code, without merged steps (linpoint
//! at 0321e09).

use linpoint_model::catalogue::Asked;
use linpoint_model::{Method, Reductions, Settings};

use super::support::{explored, is_clean};

const MODELS: [&str; 6] =
    ["bowman", "afek-bounded", "afek-unbounded", "attiya-welch", "jayanti", "riany"];

/// Programs, and the number of histories of each model; 0 where a test would take too many states.
const KNOWN: [(&str, [u64; 6]); 7] = [
    ("update 1; scan | update 1; scan", [78, 82, 82, 90, 76, 94]),
    ("update 1; scan | scan; update 1", [106, 90, 90, 142, 115, 116]),
    ("update 1; update 0 | scan; scan", [114, 126, 126, 190, 126, 126]),
    ("update 1; scan; update 0 | update 1; scan", [302, 282, 282, 402, 308, 334]),
    ("update 1 | scan | update 1", [148, 112, 112, 196, 159, 158]),
    ("scan | update 1 | scan", [130, 162, 162, 246, 0, 0]),
    ("scan; scan | scan; update 1", [94, 70, 70, 102, 102, 94]),
];

fn histories(model: &str, program: &str, reductions: Reductions) -> u64 {
    let asked = Asked::Program(program.to_owned());
    let settings = Settings { method: Method::Recorded, reductions, ..Settings::default() };
    let result = explored(model, &asked, &settings);
    assert!(is_clean(&result), "{model}, {program}");
    result.counts.histories
}

#[test]
fn discarded_state_does_not_change_the_number_of_histories() {
    for (program, known) in KNOWN {
        for (model, known) in MODELS.iter().zip(known).filter(|(_, known)| *known > 0) {
            let found = histories(model, program, Reductions::NONE);
            assert_eq!(found, known, "{model}, {program}");
            // Merged steps drop histories that more orders would explain, and add none.
            let joined = histories(model, program, Reductions::ALL);
            assert!(joined <= known, "{model}, {program}: {joined}");
        }
    }
}
