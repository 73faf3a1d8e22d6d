//! What snapshot objects do not remember does not matter: they have as many different histories as when they remembered
//! everything.
//!
//! The numbers are from models that kept every number, bit and register of the pseudo-code, and whose steps were not
//! joined (linpoint at 0321e09).

use linpoint_model::catalogue::Asked;
use linpoint_model::{Method, Reductions, Settings};

use super::support::{explored, is_clean};

const MODELS: [&str; 6] =
    ["bowman", "afek-bounded", "afek-unbounded", "attiya-welch", "jayanti", "riany"];

/// Programs, and the number of histories of each of the models; 0 where there are too many states for a test.
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
fn nothing_that_matters_is_forgotten() {
    for (program, known) in KNOWN {
        for (model, known) in MODELS.iter().zip(known).filter(|(_, known)| *known > 0) {
            let found = histories(model, program, Reductions::NONE);
            assert_eq!(found, known, "{model}, {program}");
            // Joined steps leave out histories that more orders would explain, and add none.
            let joined = histories(model, program, Reductions::ALL);
            assert!(joined <= known, "{model}, {program}: {joined}");
        }
    }
}
