//! `linpoint depth`: how few operations have to be delayed to see that histories are linearizable.

mod plot;
mod rows;
mod tables;

use std::fs;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use linpoint::hitting::{Measure, Measured};
use linpoint::{Limits, Verdict};
use linpoint_formats::{LoadedHistory, Settings, Value, registry};

use crate::args::depth::{Depth, DepthForm, What};
use crate::args::resolved::Files;
use crate::exit::Exit;
use crate::inputs::{Input, Inputs};
use crate::output::Output;

/// So many histories get a line each without being asked for.
const FEW: usize = 20;

/// One history.
pub(super) struct Row {
    /// The file, and which of its histories.
    name: String,
    /// What it is counted with.
    set: String,
    measured: Measured,
    /// `None` if that is not known.
    linearizable: Option<bool>,
}

/// Measures everything that was named.
pub fn run(args: Depth, out: &mut Output) -> io::Result<Exit> {
    let Depth { files, what, output, svg } = args;
    let files = match Files::new(files) {
        Ok(files) => files,
        Err(message) => {
            out.error(&message);
            return Ok(Exit::Bad);
        }
    };
    let (began, most_d) = (Instant::now(), usize::from(what.max_d));
    let mut exit = Exit::Fine;
    let mut rows: Vec<Row> = Vec::new();
    if output == DepthForm::Tsv {
        out.write(&rows::tsv_header(most_d))?;
    }
    for input in Inputs::find(&files.paths).list {
        for row in of_input(&input, &files, what) {
            match row {
                Ok(row) => {
                    match output {
                        DepthForm::Human => {}
                        DepthForm::Json => out.write(&rows::json(&row))?,
                        DepthForm::Tsv => out.write(&rows::tsv(&row))?,
                    }
                    rows.push(row);
                }
                Err(message) => {
                    out.flush()?;
                    out.error(&message);
                    exit = Exit::Bad;
                }
            }
        }
    }
    let sets = tables::sets(&rows, most_d);
    if output == DepthForm::Human {
        if rows.len() <= FEW {
            out.write(&rows::human(&rows))?;
        }
        out.write(&tables::human(&sets, began.elapsed()))?;
    }
    if let Some(path) = &svg
        && let Err(error) = fs::write(path, plot::svg(&sets, most_d))
    {
        out.error(&format!("{}: {error}", path.display()));
        exit = Exit::Bad;
    }
    Ok(exit)
}

/// Measures the histories of an input.
fn of_input(input: &Input, files: &Files, what: What) -> Vec<Result<Row, String>> {
    let found = match input.read(files.max_unpacked) {
        Ok(source) => registry::read_all(&source, files.format, files.model.as_ref()),
        Err(message) => return vec![Err(message)],
    };
    let several = found.len() > 1;
    let name = |id: &Option<String>| match id {
        Some(id) => format!("{}#{id}", input.name()),
        None => input.name(),
    };
    let histories: Vec<(String, Result<LoadedHistory, String>)> = found
        .into_iter()
        .map(|found| (name(&found.id), found.history.map_err(|error| error.to_string())))
        .collect();
    let answers = measure_all(&histories, what);
    let row = |((name, history), answer): ((String, Result<LoadedHistory, String>), Answer)| {
        let set = set_of(input, &history?, several);
        let (measured, linearizable) = answer.map_err(|message| format!("{name}: {message}"))?;
        Ok(Row { name, set, measured, linearizable })
    };
    histories.into_iter().zip(answers).map(row).collect()
}

/// Histories of one Java class belong together, and so do the histories of one file, or of one directory.
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

type Answer = Result<(Measured, Option<bool>), String>;

/// Measures histories on all threads, and gives the answers in their order.
fn measure_all(histories: &[(String, Result<LoadedHistory, String>)], what: What) -> Vec<Answer> {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = what.threads.map_or_else(cores, usize::from).min(histories.len());
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<Option<Answer>>> = Mutex::new(histories.iter().map(|_| None).collect());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, history)) = histories.get(at) else { break };
            let answer = match history {
                Ok(history) => measure(history, what),
                // Said where it is read.
                Err(_) => Err(String::new()),
            };
            // Poisoned only if another thread panicked, which ends the command anyway.
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

fn measure(history: &LoadedHistory, args: What) -> Answer {
    let what = Measure {
        most_d: args.max_d.into(),
        most_depth: args.max_depth.into(),
        deadline: Instant::now().checked_add(args.timeout),
        ..Measure::default()
    };
    let measured = history.measure(&what).map_err(|error| error.to_string())?;
    if measured.witness.is_some() {
        return Ok((measured, Some(true)));
    }
    let limits = Limits { time: Some(args.timeout), memory: None };
    let settings = Settings { limits, threads: Some(1), verdict_only: true, ..Settings::default() };
    let report = history.check(&settings).map_err(|error| error.to_string())?;
    let linearizable = match report.verdict {
        Verdict::Linearizable(_) => Some(true),
        Verdict::Violation(_) => Some(false),
        Verdict::Undecided(_) => None,
    };
    Ok((measured, linearizable))
}
