//! `linpoint depth`: measures how few operations must be delayed to show that histories are linearizable.

mod plot;
mod rows;
mod tables;

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use linpoint::hitting::{Measure, Measured};
use linpoint::{Limits, Verdict};
use linpoint_formats::{LoadedHistory, ReadError, Settings, Value};

use crate::args::depth::{DepthArgs, DepthBounds, DepthForm};
use crate::args::resolved::InputOptions;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::inputs::{Input, Inputs};
use crate::output::Output;

/// Up to this many histories also get a line each in the text output.
const MAX_LISTED: usize = 20;

/// The measurements of one history.
pub(super) struct DepthRow {
    /// The file, with the id of the history if there are several.
    name: String,
    /// The set of histories that it is counted with.
    set: String,
    measured: Measured,
    /// `None` if a limit was reached first.
    linearizable: Option<bool>,
}

/// Measures all histories.
pub fn run(args: DepthArgs, out: &mut Output) -> CommandResult {
    let DepthArgs { inputs, bounds, jobs, result, svg } = args;
    let (form, path) = result.settle(out);
    let jobs = jobs.settle(out);
    let options = InputOptions::new(inputs)?;
    let inputs = Inputs::find(&options.paths, &options.filter);
    out.write_to(path.as_deref(), inputs.files())?;
    let (began, most_d) = (Instant::now(), usize::from(bounds.max_d));
    let mut exit = Exit::Success;
    let mut rows: Vec<DepthRow> = Vec::new();
    if form == DepthForm::Tsv {
        out.write(&rows::tsv_header(most_d))?;
    }
    for input in inputs.list {
        for row in measure_input(&input, &options, (bounds, jobs)) {
            match row {
                Ok(row) => {
                    match form {
                        DepthForm::Human => {}
                        DepthForm::Json => out.write(&rows::json(&row))?,
                        DepthForm::Tsv => out.write(&rows::tsv(&row))?,
                    }
                    rows.push(row);
                }
                Err(error) => {
                    out.flush()?;
                    out.error(&error.to_string());
                    exit = Exit::Error;
                }
            }
        }
    }
    let sets = tables::sets(&rows, most_d);
    // After nothing but errors, there is nothing to tabulate.
    if form == DepthForm::Human && !rows.is_empty() {
        if rows.len() <= MAX_LISTED {
            out.write(&rows::human(&rows))?;
        }
        out.write(&tables::human(&sets, began.elapsed()))?;
    }
    if let Some(path) = &svg
        && let Err(error) = fs::write(path, plot::svg(&sets, most_d))
    {
        out.error(&format!("{}: {error}", path.display()));
        exit = Exit::Error;
    }
    Ok(exit)
}

/// Measures the histories of an input.
fn measure_input(
    input: &Input,
    options: &InputOptions,
    (bounds, jobs): (DepthBounds, Option<usize>),
) -> Vec<Result<DepthRow, CommandError>> {
    let found = match input.histories(options, jobs) {
        Ok(found) => found,
        Err(error) => return vec![Err(error)],
    };
    let several = found.len() > 1;
    let (names, histories): (Vec<String>, Vec<Loaded>) = found
        .into_iter()
        .map(|found| (input.name_with(found.id.as_deref()), found.history))
        .unzip();
    let answers = measure_all(&histories, bounds, jobs);
    let row = |((name, history), answer): ((String, Loaded), Answer)| {
        let set = set_of(input, &history.map_err(CommandError::input)?, several);
        let (measured, linearizable) =
            answer.map_err(|message| CommandError::Input(format!("{name}: {message}")))?;
        Ok(DepthRow { name, set, measured, linearizable })
    };
    names.into_iter().zip(histories).zip(answers).map(row).collect()
}

/// The set of a history: its Java class; its file, if that has several histories; its directory. Without a
/// directory, its model.
fn set_of(input: &Input, history: &LoadedHistory, several: bool) -> String {
    let model = history.model();
    if let (true, Some(class)) = (model.name == "java", model.option("class")) {
        let class = class.bare();
        return class.rsplit('.').next().unwrap_or_default().to_owned();
    }
    let name = input.name();
    match name.rsplit_once('/') {
        Some((directory, _)) if !several => directory.to_owned(),
        Some((_, file)) => file.to_owned(),
        None => Value::str(&model.name).bare(),
    }
}

type Loaded = Result<LoadedHistory, ReadError>;
/// The measurements and whether the history is linearizable, or why it cannot be measured.
type Answer = Result<(Measured, Option<bool>), String>;

/// Measures histories on this many cores, or on all. The answers are in the order of the histories.
fn measure_all(histories: &[Loaded], bounds: DepthBounds, jobs: Option<usize>) -> Vec<Answer> {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = jobs.unwrap_or_else(cores).min(histories.len());
    let all = Limits { time: None, memory: bounds.memory };
    let bounds = DepthBounds { memory: Some(all.memory_bytes() / threads.max(1)), ..bounds };
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<Option<Answer>>> = Mutex::new(histories.iter().map(|_| None).collect());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(history) = histories.get(at) else { break };
            let answer = match history {
                Ok(history) => measure(history, bounds),
                // The caller reports the read error.
                Err(_) => Err(String::new()),
            };
            // The lock is poisoned only if another thread panicked, which ends the command anyway.
            answers.lock().unwrap_or_else(|e| e.into_inner())[at] = Some(answer);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let answers = answers.into_inner().unwrap_or_else(|e| e.into_inner());
    answers.into_iter().map(|answer| answer.unwrap_or(Err("not measured".to_owned()))).collect()
}

fn measure(history: &LoadedHistory, bounds: DepthBounds) -> Answer {
    let what = Measure {
        most_d: bounds.max_d.into(),
        most_depth: bounds.max_depth.into(),
        deadline: Instant::now().checked_add(bounds.timeout),
        memory: bounds.memory,
        ..Measure::default()
    };
    let measured = history.measure(&what).map_err(|error| error.to_string())?;
    if measured.witness.is_some() {
        return Ok((measured, Some(true)));
    }
    let limits = Limits { time: Some(bounds.timeout), memory: bounds.memory };
    let settings = Settings { limits, threads: Some(1), verdict_only: true, ..Settings::default() };
    let report = history.check(&settings).map_err(|error| error.to_string())?;
    let linearizable = match report.verdict {
        Verdict::Linearizable(_) => Some(true),
        Verdict::Violation(_) => Some(false),
        Verdict::Undecided(_) => None,
    };
    Ok((measured, linearizable))
}
