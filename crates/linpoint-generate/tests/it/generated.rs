//! Generated histories of every model, too long for brute force, have the verdict that they were made for.
//!
//! More processes and operations than the histories of the differential tests have: the stack monitor once built a
//! wrong order for histories with eight processes, peeks and empty results, and nothing shorter showed it.

use std::time::Duration;

use linpoint::{Limits, Verdict};
use linpoint_formats::registry::{models, read};
use linpoint_formats::{ModelName, Settings, Source};
use linpoint_generate::{Bug, Options, generate};

/// Searches that take longer are undecided, which is no mistake.
const PATIENCE: Duration = Duration::from_millis(200);

fn verdict(options: &Options) -> Verdict {
    let mut bytes: Vec<u8> = Vec::new();
    generate(options, || Ok(Box::new(&mut bytes))).unwrap();
    let history = read(&Source::new("h", bytes), None).unwrap();
    let limits = Limits { time: Some(PATIENCE), ..Limits::default() };
    let settings = Settings { limits, verdict_only: true, ..Settings::default() };
    history.check(&settings).unwrap_or_else(|error| panic!("{options:?}: {error}")).verdict
}

#[test]
fn long_histories_with_many_processes_have_the_right_verdict() {
    let seeds = if std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1") { 200 } else { 1 };
    let mut decided = 0;
    for info in models() {
        for (seed, processes) in (1..=seeds).flat_map(|seed| [(seed, 4), (seed, 8), (seed, 14)]) {
            let model = ModelName::parse(info.name).unwrap();
            let options = Options { operations: 1_500, processes, seed, ..Options::new(model) };
            let right = verdict(&options);
            assert!(!matches!(right, Verdict::Violation(_)), "{options:?}");
            let wrong = verdict(&Options { mutate: true, ..options.clone() });
            assert!(!wrong.is_linearizable(), "{options:?}");
            decided += u64::from(right.is_linearizable());
        }
    }
    assert!(decided > 30 * seeds, "only {decided} were decided");
}

/// A planted bug is a violation wherever it can be seen at all: most bugs in most models.
#[test]
fn planted_bugs_are_violations() {
    for bug in Bug::ALL {
        let mut seen = Vec::new();
        let mut unseen = Vec::new();
        // Collections of Java have no monitor, so trying victims takes long.
        for info in models().filter(|info| info.name != "java") {
            let model = ModelName::parse(info.name).unwrap();
            let mut bytes: Vec<u8> = Vec::new();
            let (bug, operations) = (Some(bug), 60);
            let options = Options { operations, bug, ..Options::new(model) };
            match generate(&options, || Ok(Box::new(&mut bytes))) {
                Ok(generated) => {
                    assert!(generated.victim.is_some());
                    let history = read(&Source::new("h", bytes), None).unwrap();
                    let settings = Settings { verdict_only: true, ..Settings::default() };
                    let report = history.check(&settings).unwrap();
                    assert!(matches!(report.verdict, Verdict::Violation(_)), "{options:?}");
                    seen.push(info.name);
                }
                Err(error) => {
                    assert!(error.to_string().contains("does not show"), "{error}");
                    unseen.push(info.name);
                }
            }
        }
        println!("{bug}: seen in {seen:?}, not in {unseen:?}");
        assert!(seen.len() > 2 * unseen.len(), "{bug}: seen in {seen:?}, not in {unseen:?}");
    }
}
