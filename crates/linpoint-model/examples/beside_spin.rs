//! Compares SPIN and this crate on the same algorithms: states per second on one core, and bytes per state.
//!
//! ```sh
//! cargo run --release -p linpoint-model --example beside_spin         # needs spin and gcc
//! ```
//!
//! The Promela models are those that come with linpoint, in correct versions, so that all states are visited. SPIN's
//! verifier records nothing and checks nothing here (`LP_SILENT`); it runs with its partial-order reduction, as
//! `linpoint spin` runs it. The explorer checks every run for linearizability (`sound`), on one core: with its default
//! reductions, and without. Steps are divided differently, so compare rates, not numbers of states.

use linpoint_model::catalogue::{Asked, find};
use linpoint_model::spin::{BUNDLED, Spin, SpinError};
use linpoint_model::{Outcome, Reductions, Settings};

/// Promela model, its definitions, the corresponding model of the catalogue, and operations on two threads.
const SAME: [(&str, &[&str], &str, u8); 7] = [
    ("treiber.pml", &["TAGS"], "treiber-tagged", 6),
    ("treiber.pml", &["TAGS"], "treiber-tagged", 8),
    ("shann.pml", &["REPAIRED"], "array-queue-test-first:2", 6),
    ("shann.pml", &["REPAIRED"], "array-queue-test-first:2", 7),
    ("snark.pml", &["REPAIR1"], "snark-first-repaired", 5),
    ("snark.pml", &["REPAIR1"], "snark-first-repaired", 6),
    ("snark.pml", &["REPAIR1"], "snark-first-repaired", 7),
];

fn main() -> Result<(), SpinError> {
    let dir = std::env::temp_dir().join(format!("beside-spin-{}", std::process::id()));
    let fails = |error| SpinError::Io(dir.clone(), error);
    std::fs::create_dir_all(&dir).map_err(fails)?;
    for (name, text) in BUNDLED {
        std::fs::write(dir.join(name), text).map_err(fails)?;
    }
    println!(
        "{:26} {:>3} {:22} {:>10} {:>8} {:>12} {:>8} {:>8}",
        "algorithm", "ops", "by", "states", "seconds", "states/s", "MB", "B/state"
    );
    for (file, defines, model, ops) in SAME {
        let mut spin = Spin::new(dir.join(file));
        spin.defines = defines.iter().map(|define| define.to_string()).collect();
        spin.defines.extend([format!("OPS={ops}"), "LP_SILENT".to_owned()]);
        (spin.depth, spin.slots) = (100_000, 22);
        let run = spin.run(|_| None::<()>)?;
        let seconds = (run.time - run.built).as_secs_f64();
        let bytes = run.tally.megabytes.unwrap_or_default() * 1e6;
        line(model, ops, "SPIN", run.tally.stored.unwrap_or_default(), seconds, bytes);
        let ways =
            [("sound, no reductions", Reductions::NONE), ("sound, reduced", Reductions::ALL)];
        for (way, reductions) in ways {
            let settings = Settings { reductions, cores: Some(1), ..Settings::default() };
            let Ok((entry, parameter)) = find(model) else { continue };
            let asked = Asked::Total { threads: 2, ops };
            match entry.model(2, parameter).explore(&asked, &settings) {
                Ok(result) if matches!(result.outcome, Outcome::Clean) => {
                    let counts = result.counts;
                    let seconds = counts.time.as_secs_f64();
                    line(model, ops, way, counts.stored, seconds, counts.bytes as f64);
                }
                other => println!("{model:26} {ops:>3} {way:22} {other:?}"),
            }
        }
    }
    std::fs::remove_dir_all(&dir).map_err(fails)
}

fn line(model: &str, ops: u8, by: &str, states: u64, seconds: f64, bytes: f64) {
    println!(
        "{model:26} {ops:>3} {by:22} {states:>10} {seconds:>8.2} {:>12.0} {:>8.1} {:>8.1}",
        states as f64 / seconds,
        bytes / 1e6,
        bytes / states as f64
    );
}
