//! The work on one input: read it, check its histories, and turn each result into text. The histories are
//! dropped here, so that only text waits to be written.

use std::time::{Duration, Instant};

use linpoint::CheckError;
use linpoint_formats::{JepsenAnswer, LoadedHistory, ReadError};
use linpoint_report::{Heading, Jepsen, Outcome, Place, Rendered, html, index_page, witness};

use super::neighbours;
use super::workers::Workers;
use crate::cmd::loaded::LoadedOperations;
use crate::cmd::results::ResultText;
use crate::error::CommandError;
use crate::inputs::Input;
use crate::progress::BoardEntry;

/// The result of one history.
pub enum Finding {
    /// The history was checked.
    Checked(Checked),
    /// The history could not be checked.
    Failed {
        /// The input, with the id of the history if there are several.
        name: String,
        /// Where the problem is, as far as it is known.
        place: Place,
        /// Why.
        error: CommandError,
    },
}

/// A history that was checked, ready to be written.
pub struct Checked {
    /// The input, with the id of the history if there are several.
    pub name: String,
    /// The verdict.
    pub verdict: VerdictKind,
    /// True if Jepsen's checker of the workload says that it is not valid.
    pub is_invalid: bool,
    /// Number of operations.
    pub operations: usize,
    /// The result in the output format.
    pub result: ResultText,
    /// The page for `--html`.
    pub page: Option<String>,
    /// Its entry in the table of all pages.
    pub entry: Option<index_page::Entry>,
    /// The section for `--witness`.
    pub witness: Option<String>,
}

/// A verdict without its details.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VerdictKind {
    /// There is a legal order.
    Linearizable,
    /// There is none.
    Violation,
    /// A limit was reached first.
    Undecided,
}

impl Finding {
    /// Approximate memory until it is written, in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Finding::Checked(Checked { result, page, witness, .. }) => {
                let files: usize = [page, witness].into_iter().flatten().map(String::len).sum();
                (result.bytes() + files) as u64
            }
            Finding::Failed { .. } => 0,
        }
    }
}

/// Reads and checks an input.
pub fn findings(workers: &Workers<'_>, number: usize, entry: &BoardEntry<'_>) -> Vec<Finding> {
    let (options, input) = (workers.options(), workers.input(number));
    let began = Instant::now();
    let (inputs, threads) = (&options.run.inputs, Some(workers.threads_for(number)));
    let histories = match input.histories_with(inputs, threads, options.html.is_some()) {
        Ok(histories) => histories,
        Err(error) => {
            let place = Place { file: input.file(), line: None };
            return vec![Finding::Failed { name: input.name(), place, error }];
        }
    };
    let reading = began.elapsed();
    let mut findings = Vec::new();
    let mut left = histories.len();
    for found in histories {
        left -= 1;
        let name = input.name_with(found.id.as_deref());
        let title = input.title_with(found.id.as_deref());
        let line = found.history.as_ref().err().and_then(ReadError::line);
        let checked = found.history.map_err(CommandError::input).and_then(|history| {
            let checked = check_one(workers, number, entry, (&name, title, reading), &history);
            if left == 0 && workers.has_one_input() {
                // PERF: the process is about to exit, which frees everything. Dropping millions of operations
                // one by one takes a good part of the time of the check.
                std::mem::forget(history);
            }
            checked
        });
        findings.push(match checked {
            Ok(checked) => Finding::Checked(checked),
            Err(error) => {
                Finding::Failed { name, place: Place { file: input.file(), line }, error }
            }
        });
    }
    findings
}

fn check_one(
    workers: &Workers<'_>,
    number: usize,
    entry: &BoardEntry<'_>,
    (name, title, reading): (&str, String, Duration),
    history: &LoadedHistory,
) -> Result<Checked, CommandError> {
    let options = workers.options();
    let (report, time) = workers
        .check(history, number, entry)
        .map_err(|error| check_failed(&title, history, error))?;
    let heading = Heading {
        name: title,
        model: history.model().to_string(),
        note: history.note().map(str::to_owned),
        operations: history.len(),
        unknown_results: history.unknown_results(),
        time,
        reading,
        jepsen: history.jepsen().cloned().map(jepsen),
        neighbours: match (&options.html, workers.input(number)) {
            (Some(html), Input::File(file)) => neighbours::of(file, html),
            _ => Vec::new(),
        },
    };
    entry.checked(history.len());
    let operations = LoadedOperations { history, settings: &options.run.settings, has_lines: true };
    let rendered = Rendered::new(heading, &operations, &report);
    let verdict = match rendered.outcome {
        Outcome::Linearizable => VerdictKind::Linearizable,
        Outcome::Violation(_) => VerdictKind::Violation,
        Outcome::Undecided(_) => VerdictKind::Undecided,
    };
    let wants_witness = options.witness.is_some();
    let is_invalid = history.jepsen().is_some_and(|jepsen| jepsen.valid == Some(false));
    Ok(Checked {
        is_invalid,
        name: name.to_owned(),
        verdict,
        operations: history.len(),
        result: ResultText::new(
            options,
            (name, workers.input(number)),
            &rendered,
            &operations,
            &report,
        ),
        page: options.html.as_ref().map(|_| html::render(&rendered, &operations, &report)),
        entry: options.html.as_ref().map(|_| index_page::Entry::new(&rendered)),
        witness: wants_witness.then(|| witness::render(&rendered, &operations, &report.verdict)),
    })
}

/// The answer of Jepsen's checker for the report.
fn jepsen(answer: JepsenAnswer) -> Jepsen {
    let JepsenAnswer { workload, valid, error, facts, assumptions } = answer;
    Jepsen { workload, valid, error, facts, assumptions }
}

/// Why a check gave no verdict.
pub fn check_failed(title: &str, history: &LoadedHistory, error: CheckError) -> CommandError {
    match error {
        CheckError::SpecPanicked { op, description, message } => {
            let line = history.line(op).map(|line| format!(":{line}")).unwrap_or_default();
            CommandError::Input(format!(
                "{title}{line}: the model fails at {description}: {message}"
            ))
        }
        CheckError::Internal(message) => {
            CommandError::Input(format!("{title}: this is a bug in linpoint: {message}"))
        }
        other => CommandError::Input(format!("{title}: {other}")),
    }
}
