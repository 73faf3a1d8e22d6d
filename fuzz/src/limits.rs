//! Checks with small limits: any history, any limit, with and without explanations.
//!
//! The input chooses a model, a simulated history of it, which returns change places, and the limits. What must
//! hold is counted, not timed:
//!
//! * A check whose time is over before it begins does at most [`STEPS`] steps in each part and for each engine, and one
//!   for each operation: engines look at the clock every 1024 steps, and monitors take one step an operation.
//! * If the program counts allocations, a check allocates at most its limit, what preparing and explaining a history of this
//!   length takes ([`BYTES_PER_OP`]), and a constant.
//! * Verdicts do not depend on limits.

use std::io::Write;
use std::time::Duration;

use linpoint::{Cancel, CheckError, Engine, Limits, Report, Verdict};
use linpoint_formats::registry;
use linpoint_formats::{LoadedHistory, ModelName, Settings, Source};
use linpoint_generate::{Options, Values, generate};

/// Counts what the program allocates.
#[derive(Clone, Copy)]
pub struct Meter {
    /// Begins to count.
    pub begin: fn(),
    /// Bytes allocated at most since then, beyond what there was.
    pub peak: fn() -> usize,
}

/// Steps between two looks at the clock, and one turn of two engines of a ladder of at most eight rungs.
const STEPS: u64 = 1024 * 16;
/// Columns, classes, derived histories: what a check allocates for each operation, however small its limit is.
const BYTES_PER_OP: usize = 16 << 10;
/// The same, for an empty history.
const BYTES: usize = 4 << 20;

/// Bytes of the input, then zeros.
struct Input<'a>(std::slice::Iter<'a, u8>);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn below(&mut self, most: u32) -> u32 {
        (u32::from(self.byte()) << 8 | u32::from(self.byte())) % most
    }

    fn share(&mut self) -> f64 {
        f64::from(self.byte()) / 255.0
    }

    fn flag(&mut self) -> bool {
        self.byte() % 2 == 1
    }
}

/// Checks the history that the input describes with the limits that it describes.
pub fn limits(data: &[u8], meter: Option<Meter>) {
    let input = &mut Input(data.iter());
    let Some(history) = history(input) else { return };
    let mut known = None;
    for _ in 0..3 {
        let settings = settings(input);
        if let Some(meter) = meter {
            (meter.begin)();
        }
        let report = match history.check(&settings) {
            Ok(report) => report,
            Err(CheckError::Refused { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        within_limits(&history, &settings, &report, meter);
        let answer = match report.verdict {
            Verdict::Linearizable(_) => true,
            Verdict::Violation(_) => false,
            Verdict::Undecided(_) => continue,
        };
        assert_eq!(*known.get_or_insert(answer), answer, "the verdict depends on the limits");
    }
}

fn within_limits(
    history: &LoadedHistory,
    settings: &Settings,
    report: &Report,
    meter: Option<Meter>,
) {
    let operations = history.len();
    if settings.limits.time == Some(Duration::ZERO) {
        let most = STEPS * (report.stats.parts as u64 + 1) + operations as u64;
        assert!(report.stats.steps <= most, "{} steps without time", report.stats.steps);
    }
    if let (Some(meter), Some(limit)) = (meter, settings.limits.memory) {
        let (peak, most) = ((meter.peak)(), limit + BYTES + operations * BYTES_PER_OP);
        assert!(peak <= most, "{peak} bytes with a limit of {limit}: {operations} operations");
    }
}

/// A simulated history, some of whose returns change places.
fn history(input: &mut Input<'_>) -> Option<LoadedHistory> {
    let names: Vec<&str> = registry::models().map(|info| info.name).collect();
    let name = names[input.byte() as usize % names.len()];
    let processes = 1 + input.below(60);
    let options = Options {
        operations: 1 + u64::from(input.below(400)),
        processes,
        overlap: input.flag().then(|| input.share() * f64::from(processes - 1)),
        seed: u64::from(input.below(1 << 16)),
        ambiguous: if input.flag() { input.share() } else { 0.0 },
        values: if input.flag() { Values::Distinct } else { Values::Among(1 + input.below(8)) },
        keys: input.flag().then(|| 1 + input.below(6)),
        mutate: input.flag(),
        ..Options::new(ModelName::parse(name).ok()?)
    };
    let mut text: Vec<u8> = Vec::new();
    generate(&options, || Ok(Box::new(&mut text) as Box<dyn Write>)).ok()?;
    let text = String::from_utf8(text).ok()?;
    let mut lines: Vec<&str> = text.lines().collect();
    for _ in 0..input.byte() % 16 {
        let (a, b) = (input.below(lines.len() as u32), input.below(lines.len() as u32));
        let (a, b) = (a as usize, b as usize);
        if [a, b].iter().all(|i| lines[*i].starts_with("{\"return\"")) {
            lines.swap(a, b);
        }
    }
    let text = lines.join("\n");
    registry::read(&Source::new("fuzz", text.into_bytes()), None).ok()
}

fn settings(input: &mut Input<'_>) -> Settings {
    let cancel = Cancel::new();
    if input.byte() % 16 == 1 {
        cancel.cancel();
    }
    let time = match input.byte() % 4 {
        0 => Duration::ZERO,
        1 => Duration::from_micros(u64::from(input.byte())),
        _ => Duration::from_millis(u64::from(input.byte() % 64)),
    };
    let memory = input.flag().then(|| 1_usize << (6 + input.byte() % 20));
    let algorithm = match input.byte() % 8 {
        1 => Some(Engine::Breadth.into()),
        2 => Some(Engine::JitGraph.into()),
        3 => Some(Engine::WgGraph.into()),
        _ => None,
    };
    Settings {
        limits: Limits { time: Some(time), memory },
        threads: Some(1 + usize::from(input.flag())),
        algorithm,
        all_failures: input.flag(),
        verdict_only: input.flag(),
        cancel,
        ..Settings::default()
    }
}
