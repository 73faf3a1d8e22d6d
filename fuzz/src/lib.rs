//! The body of the fuzzers: reads an input, joins it to a model, checks it, compares engines, and
//! converts it.
//!
//! A reader must return a history or an error for any input, and must do so quickly. Small
//! histories are checked twice, by the planner and by breadth-first search without any shortcut,
//! and the two must agree.

mod limits;

pub use limits::{Meter, limits};

use std::time::Duration;

use linpoint::{Allowance, Engine, Limits, Verdict};
use linpoint_formats::registry::watch::{self, Ended, Watcher};
use linpoint_formats::registry::{self, Found, Given, ReadLimits};
use linpoint_formats::{
    Format, LoadedHistory, Mapping, ModelName, Settings, Source, convert, stats,
};

/// Larger histories are read but not checked.
const SMALL: usize = 24;

/// Reads the input in the format of this name.
pub fn read(format: &str, data: &[u8]) {
    let format = Format::from_name(format).expect("a format that exists");
    each(&Source::new("fuzz", data), Some(format));
}

/// Reads the input as the command would: unpacked, and with its format detected.
pub fn detect(data: &[u8]) {
    if let Ok(source) = Source::read("fuzz", data) {
        each(&source, None);
    }
}

/// Reads a log of another program. The first line is the map.
pub fn log(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (map, rest) = data.split_at(end);
    let Ok(map) = Mapping::parse(&String::from_utf8_lossy(map)) else { return };
    let model = ModelName::parse("kv+counter").expect("two models");
    for model in [None, Some(&model)] {
        let given = Given { model, map: Some(&map), ..Given::default() };
        for Found { history, .. } in
            registry::read_source(&Source::new("fuzz", rest), ReadLimits::default(), given)
        {
            match history {
                Ok(history) if history.len() <= SMALL => compare(&history),
                Ok(_) => {}
                Err(error) => drop(error.to_string()),
            }
        }
    }
}

fn each(source: &Source, format: Option<Format>) {
    // The model that the file names, or one that the length chooses.
    let names: Vec<&str> = registry::models().map(|info| info.name).collect();
    let name = names[source.bytes().len() % names.len()];
    let model = ModelName::parse(name).expect("a model that exists");
    for model in [None, Some(&model)] {
        for Found { history, .. } in registry::read_all(source, format, model) {
            match history {
                Ok(history) if history.len() <= SMALL => compare(&history),
                Ok(_) => {}
                // The error can be printed.
                Err(error) => drop(error.to_string()),
            }
        }
        convert_and_describe(source, format, model);
    }
}

/// Whatever was read can be written in another format or is refused, and can be described.
fn convert_and_describe(source: &Source, format: Option<Format>, model: Option<&ModelName>) {
    let Some(format) = format.or_else(|| Format::detect(source).ok()) else { return };
    for raw in format.read(source, model).into_iter().flatten() {
        if raw.ops.len() > SMALL {
            continue;
        }
        let _ = stats::stats(source, &raw, model, &Allowance::unlimited());
        for &to in Format::ALL {
            // This reads what it has written, and compares.
            let _ = convert(source, &raw, model, to);
        }
    }
}

/// A listener that ignores everything.
struct Ignore;

impl Watcher for Ignore {}

/// Checks the input line by line. If it is a small history too, the verdicts must agree.
pub fn watch(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let settings = watch::Settings {
        model: None,
        format: None,
        max_configurations: 1000,
        allowance: Allowance::unlimited(),
        keep_lines: false,
    };
    let mut next = |line: &mut Vec<u8>| {
        let found = lines.next();
        line.extend_from_slice(found.unwrap_or_default());
        Ok(found.is_some())
    };
    let watched = match watch::watch("fuzz", &mut next, &settings, &mut Ignore) {
        Ok(summary) => match summary.outcome {
            Ended::Fine => true,
            Ended::Violation(_) => false,
            Ended::Undecided(_) | Ended::Stopped { .. } => return,
        },
        Err(error) => return drop(error.to_string()),
    };
    match registry::read(&Source::new("fuzz", data), None) {
        Ok(history) if history.len() <= SMALL => {
            let limits = Limits { time: Some(Duration::from_millis(200)), memory: Some(64 << 20) };
            let settings = Settings { limits, threads: Some(1), ..Settings::default() };
            if let Some(checked) = answer(&history, &settings) {
                assert_eq!(watched, checked, "the stream and the file disagree");
            }
        }
        _ => {}
    }
}

/// The planner and plain search must not contradict each other.
fn compare(history: &LoadedHistory) {
    let limits = Limits { time: Some(Duration::from_millis(200)), memory: Some(64 << 20) };
    let settings = Settings { limits, threads: Some(1), ..Settings::default() };
    let plain = Settings { algorithm: Some(Engine::Breadth.into()), ..settings.clone() };
    let answers = (answer(history, &settings), answer(history, &plain));
    if let (Some(planned), Some(plain)) = answers {
        assert_eq!(planned, plain, "the planner and breadth-first search disagree");
    }
}

/// Whether the history is linearizable, if known.
fn answer(history: &LoadedHistory, settings: &Settings) -> Option<bool> {
    match history.check(settings) {
        Ok(report) => match report.verdict {
            Verdict::Linearizable(_) => Some(true),
            Verdict::Violation(_) => Some(false),
            Verdict::Undecided(_) => None,
        },
        Err(error) => panic!("{error}"),
    }
}
