//! Linearizable histories of the bundled models, by simulation.
//!
//! Processes use an ordinary single-threaded object: they call, their operation takes effect at some
//! moment, they return. So the history is linearizable by construction, whatever its length, and is
//! written as it happens. Some operations may be ambiguous: they never return, whether or not they take
//! effect, or they return an unknown result. One result may be changed into one that the operation cannot
//! have had, or a bug may be planted ([`Bug`]); then the history is not linearizable. The same options always give the same history.

mod fault;
mod objects;
mod rng;
mod simulate;
mod values;

use std::io::{self, Write};
use std::time::Duration;

use linpoint::history::Ties;
use linpoint::{Limits, Verdict};
use linpoint_formats::raw::{Clock, RawBuilder};
use linpoint_formats::registry::{self, custom};
use linpoint_formats::write::{Header, WriteError};
use linpoint_formats::{
    Format, LoadedHistory, ModelName, ReadError, Settings, Source, Value, jsonl,
};

pub use fault::Bug;
use fault::Fault;
use objects::{Draft, Object};
use simulate::{Run, Simulation, Wrong, nowhere};
pub use values::Values;

/// What to generate.
#[derive(Clone, Debug)]
pub struct Options {
    /// The model. Missing options that it needs are filled in.
    pub model: ModelName,
    /// Number of operations.
    pub operations: u64,
    /// Number of processes.
    pub processes: u32,
    /// Mean number of other operations that are open when one is called; about half of the
    /// processes if not given.
    pub overlap: Option<f64>,
    /// Random seed.
    pub seed: u64,
    /// Share of the operations that are ambiguous.
    pub ambiguous: f64,
    /// The values that are written, added or inserted.
    pub values: Values,
    /// Number of keys, segments or accounts, for models that have them.
    pub keys: Option<u32>,
    /// Change one result, so that the history is not linearizable.
    pub mutate: bool,
    /// Plant this bug, so that the history is not linearizable.
    pub bug: Option<Bug>,
    /// The output format.
    pub format: Format,
}

impl Options {
    /// A thousand operations by four processes, all values distinct, as JSON lines.
    pub fn new(model: ModelName) -> Options {
        Options {
            model,
            operations: 1000,
            processes: 4,
            overlap: None,
            seed: 1,
            ambiguous: 0.0,
            values: Values::Distinct,
            keys: None,
            mutate: false,
            bug: None,
            format: Format::Jsonl,
        }
    }
}

/// What was generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// The model with all its options.
    pub model: ModelName,
    /// Number of operations.
    pub operations: u64,
    /// How many of them never returned.
    pub pending: u64,
    /// How many of them returned something that is not known.
    pub unknown: u64,
    /// The result that was changed.
    pub changed: Option<Changed>,
    /// The number of the operation that met the bug, in the order of calls, from 1.
    pub victim: Option<u64>,
}

/// A result that was changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    /// Which operation it was, in the order of calls, from 1.
    pub number: u64,
    /// What was called.
    pub op: String,
    /// By which process.
    pub process: u32,
    /// What it returned.
    pub was: Value,
    /// What it returns now.
    pub is: Value,
}

/// Most processes and keys: all of them are kept in memory.
const MOST: u32 = 1 << 20;
/// A sample this long shows whether the format can express such histories.
const SAMPLE: u64 = 100;

/// Writes a history. `out` is opened only when the options are known to be valid.
pub fn generate<'w>(
    options: &Options,
    out: impl FnOnce() -> io::Result<Box<dyn Write + 'w>>,
) -> Result<Generated, WriteError> {
    let options = completed(options).map_err(WriteError::Cannot)?;
    can_draw(&options.model).map_err(WriteError::Cannot)?;
    let generated = generate_completed(&options, out);
    // Whatever came of it, a model that failed is why.
    match failure(&options.model) {
        Some(message) => Err(WriteError::Cannot(message)),
        None => generated,
    }
}

/// Makes sure that histories of a model can be generated: a model that users write need not say what can be called.
fn can_draw(name: &ModelName) -> Result<(), String> {
    match custom::model(name).map_err(|error| error.to_string())? {
        Some(made) if !made.can_draw() => Err(match made.failure() {
            Some(failed) => failed.to_string(),
            None => format!("{} does not say what can be called: define `ops`", name.name),
        }),
        _ => Ok(()),
    }
}

/// What went wrong with a model that users write, if something did.
fn failure(name: &ModelName) -> Option<String> {
    custom::model(name).ok().flatten()?.failure().map(|failed| failed.to_string())
}

fn generate_completed<'w>(
    options: &Options,
    out: impl FnOnce() -> io::Result<Box<dyn Write + 'w>>,
) -> Result<Generated, WriteError> {
    try_out(options)?;
    if let Some(bug) = options.bug {
        let victim = find_victim(options, bug)?;
        let run = run(options, Wrong::Fault(Fault::new(bug, victim)), out()?)?;
        return Ok(Generated { victim: Some(victim), ..run.generated });
    }
    let wrong = if options.mutate { change(options)? } else { Wrong::Nothing };
    Ok(run(options, wrong, out()?)?.generated)
}

fn run<'w>(options: &Options, wrong: Wrong, out: Box<dyn Write + 'w>) -> Result<Run, WriteError> {
    let object = objects::new(&Draft::of(options)).map_err(WriteError::Cannot)?;
    let mut writer = options.format.writer(out);
    let header = Header {
        model: Some(&options.model),
        note: None,
        id: None,
        clock: Clock::Order,
        unit: None,
        since_1970: false,
        ties: Ties::default(),
        processes: options.processes,
        own_segments: true,
    };
    writer.begin(&header)?;
    let run = Simulation::new(options, object, &mut *writer).run(wrong)?;
    writer.finish()?;
    Ok(run)
}

/// Fills in what the model needs, and makes sure that the rest makes sense.
fn completed(options: &Options) -> Result<Options, String> {
    let mut options = options.clone();
    let implied = options.format.implied_model(&options.model.name);
    options.model = options.model.or_options_of(implied.as_ref());
    objects::fill_in(&mut options)?;
    registry::validate(&options.model).map_err(|error| error.to_string())?;
    match options.processes {
        0 => return Err("there must be a process".to_owned()),
        processes if processes > MOST => return Err(format!("{processes} processes are too many")),
        _ => {}
    }
    let most = f64::from(options.processes - 1);
    if let Some(overlap) = options.overlap
        && !(0.0..=most).contains(&overlap)
    {
        let processes = options.processes;
        return Err(format!(
            "{processes} processes overlap with 0 to {most} others, not {overlap}"
        ));
    }
    if !(0.0..=1.0).contains(&options.ambiguous) {
        return Err("the ambiguous share is between 0 and 1".to_owned());
    }
    if options.ambiguous > 0.0 && !options.format.has_pending() {
        let format = options.format.name();
        return Err(format!("{format} has no ambiguous operations"));
    }
    Ok(options)
}

/// Writes a short history of this kind and reads it again, so that an error about what the format cannot
/// express comes before any output.
fn try_out(options: &Options) -> Result<(), WriteError> {
    let sample = Options {
        operations: options.operations.min(SAMPLE),
        mutate: false,
        bug: None,
        ..options.clone()
    };
    let cannot = |message: String| WriteError::Cannot(message);
    let mut text = Vec::new();
    run(&Options { format: Format::Jsonl, ..sample.clone() }, Wrong::Nothing, Box::new(&mut text))?;
    let source = Source::new("a sample", text);
    let raw = jsonl::read(&source).map_err(|error| cannot(error.message().to_owned()))?;
    registry::load(&source, raw.clone(), None).map_err(|error| cannot(error.to_string()))?;
    if options.format == Format::Jsonl {
        return Ok(());
    }
    let mut text = Vec::new();
    run(&sample, Wrong::Nothing, Box::new(&mut text))?;
    let again = Source::new("a sample", text);
    let mut read = options.format.read(&again, None);
    let Some(Ok(read)) = read.pop() else {
        return Err(cannot(format!("{} cannot express such a history", options.format.name())));
    };
    // The model has to be in the file, or else it is easily forgotten.
    let model = registry::resolve(read.format, None, read.model.as_ref());
    let same = |read: &ModelName| {
        let general = options.model.generalised();
        same_model(read, &options.model)
            || general.is_some_and(|general| same_model(read, &general))
    };
    if !model.as_ref().is_some_and(same) {
        let is = model.map_or_else(|| "a history without a model".to_owned(), |m| m.to_string());
        let (format, model) = (options.format.name(), &options.model);
        return Err(cannot(format!("{format} cannot say that this is {model}: it would be {is}")));
    }
    Ok(())
}

/// True if two models allow the same histories, as far as they have the same operations.
fn same_model(one: &ModelName, other: &ModelName) -> bool {
    match (empty(one), empty(other)) {
        (Ok(one), Ok(other)) => one.difference(&other).is_none(),
        _ => false,
    }
}

/// The history without operations, or what is wrong with the model.
fn empty(model: &ModelName) -> Result<LoadedHistory, ReadError> {
    let nowhere = Source::new("--model", Vec::new());
    registry::load(&nowhere, RawBuilder::new().finish(Format::Jsonl), Some(model))
}

/// How many operations are tried as victims of a bug.
const VICTIMS: u32 = 40;
/// Time to find out whether a bug shows.
const PATIENCE: Duration = Duration::from_secs(1);

/// An operation that shows the bug if it meets it.
fn find_victim(options: &Options, bug: Bug) -> Result<u64, WriteError> {
    let cannot = |message: String| WriteError::Cannot(message);
    if options.mutate {
        return Err(cannot("either a result is changed or a bug is planted, not both".to_owned()));
    }
    let mut rng = rng::Rng::new(!options.seed);
    for _ in 0..VICTIMS {
        // Not at the very end, where no later operation can notice.
        let victim = 1 + rng.below(options.operations - options.operations / 8);
        let mut text = Vec::new();
        let dry = Options { format: Format::Jsonl, ..options.clone() };
        run(&dry, Wrong::Fault(Fault::new(bug, victim)), Box::new(&mut text))?;
        let history = registry::read(&Source::new("a trial", text), None)
            .map_err(|error| cannot(error.to_string()))?;
        let limits = Limits { time: Some(PATIENCE), ..Limits::default() };
        let settings = Settings { limits, verdict_only: true, ..Settings::default() };
        let report = history.check(&settings).map_err(|error| cannot(error.to_string()))?;
        if matches!(report.verdict, Verdict::Violation(_)) {
            return Ok(victim);
        }
    }
    Err(cannot(format!(
        "the bug {bug} does not show: none of {VICTIMS} operations that met it made the history wrong; try \
         another --bug, --seed, more operations or more processes"
    )))
}

/// The operation whose result is changed, and what it becomes.
fn change(options: &Options) -> Result<Wrong, WriteError> {
    let dry = || {
        let object = objects::new(&Draft::of(options)).map_err(WriteError::Cannot)?;
        Ok::<_, WriteError>(object)
    };
    let mut ends = nowhere();
    let first = Simulation::new(options, dry()?, &mut ends).run(Wrong::Nothing)?;
    let judge: &dyn Object = &*first.object;
    let mut ends = nowhere();
    let mut candidates = 0;
    Simulation::new(options, dry()?, &mut ends).judged(&mut |_, op, result| {
        candidates += u64::from(judge.wrong(op, result).is_some());
    })?;
    if candidates == 0 {
        return Err(WriteError::Cannot(
            "no result of this history can be changed with certainty; try another --seed or more \
             operations"
                .to_owned(),
        ));
    }
    let mut left = rng::Rng::new(!options.seed).below(candidates);
    let mut found = None;
    let mut ends = nowhere();
    Simulation::new(options, dry()?, &mut ends).judged(&mut |number, op, result| {
        if let Some(wrong) = judge.wrong(op, result) {
            if left == 0 && found.is_none() {
                found = Some(Wrong::Result(number, wrong));
            }
            left = left.saturating_sub(1);
        }
    })?;
    found.ok_or_else(|| WriteError::Io(io::Error::other("a simulation was not the same again")))
}
