//! What is done with one input: it is read, its histories are checked, and what came of each is turned
//! into what will be written. The histories themselves are given back here.

use std::time::{Duration, Instant};

use linpoint::CheckError;
use linpoint_formats::LoadedHistory;
use linpoint_report::{Heading, Outcome, Rendered, html, witness};

use super::crew::Crew;
use crate::cmd::results::Piece;
use crate::cmd::words::Words;
use crate::progress::Entry;

/// Why there is no verdict.
pub enum Failure {
    /// The command line is to blame: every other input would fail in the same way.
    Usage(String),
    /// This input is to blame.
    Input(String),
}

/// What came of one history.
pub enum Finding {
    /// It was checked.
    Checked(Checked),
    /// It could not be.
    Failed {
        /// The input, with the id of the history if it has several.
        name: String,
        /// Why.
        failure: Failure,
    },
}

/// A history that was checked, ready to be written.
pub struct Checked {
    /// The input, with the id of the history if it has several.
    pub name: String,
    /// The verdict.
    pub kind: Kind,
    /// How many operations it has.
    pub operations: usize,
    /// The result in the form that was asked for.
    pub result: Piece,
    /// What belongs into files.
    pub files: Files,
}

/// What was asked for beside the result.
pub struct Files {
    /// The page of `--html`.
    pub page: Option<String>,
    /// The section of `--witness`.
    pub witness: Option<String>,
}

/// A verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// There is a legal order.
    Linearizable,
    /// There is none.
    Violation,
    /// A limit was hit first.
    Undecided,
}

impl Finding {
    /// What it takes in memory until it is written, more or less.
    pub fn bytes(&self) -> u64 {
        match self {
            Finding::Checked(checked) => {
                let Files { page, witness } = &checked.files;
                let files: usize = [page, witness].into_iter().flatten().map(String::len).sum();
                (checked.result.bytes() + files) as u64
            }
            Finding::Failed { .. } => 0,
        }
    }
}

/// Reads and checks an input.
pub fn findings(crew: &Crew<'_>, number: usize, entry: &Entry<'_>) -> Vec<Finding> {
    let (check, input) = (crew.command(), crew.input(number));
    let files = &check.how.files;
    let began = Instant::now();
    let histories = match input.histories(files.format, files.model.as_ref(), files.max_unpacked) {
        Ok(histories) => histories,
        Err(message) => {
            return vec![Finding::Failed { name: input.name(), failure: Failure::Input(message) }];
        }
    };
    let reading = began.elapsed();
    let mut findings = Vec::new();
    let mut left = histories.len();
    for found in histories {
        left -= 1;
        let id = found.id.map(|id| format!("#{id}")).unwrap_or_default();
        let name = format!("{}{id}", input.name());
        let title = format!("{}{id}", input.title());
        let checked =
            found.history.map_err(|error| Failure::Input(error.to_string())).and_then(|history| {
                let checked = check_one(crew, number, entry, (&name, title, reading), &history);
                if left == 0 && crew.has_one_input() {
                    // The program is about to end, which gives back everything at once. Giving back millions of
                    // operations one by one takes as long as a good part of the check.
                    std::mem::forget(history);
                }
                checked
            });
        findings.push(match checked {
            Ok(checked) => Finding::Checked(checked),
            Err(failure) => Finding::Failed { name, failure },
        });
    }
    findings
}

fn check_one(
    crew: &Crew<'_>,
    number: usize,
    entry: &Entry<'_>,
    (name, title, reading): (&str, String, Duration),
    history: &LoadedHistory,
) -> Result<Checked, Failure> {
    let check = crew.command();
    let (report, time) =
        crew.check(history, number, entry).map_err(|error| no_verdict(&title, history, error))?;
    let heading = Heading {
        name: title,
        model: history.model().to_string(),
        note: history.note().map(str::to_owned),
        operations: history.len(),
        unknown_results: history.unknown_results(),
        time,
        reading,
    };
    entry.checked(history.len());
    let words = Words { history, settings: &check.how.settings, has_lines: true };
    let rendered = Rendered::new(heading, &words, &report);
    let kind = match rendered.outcome {
        Outcome::Linearizable => Kind::Linearizable,
        Outcome::Violation(_) => Kind::Violation,
        Outcome::Undecided(_) => Kind::Undecided,
    };
    Ok(Checked {
        name: name.to_owned(),
        kind,
        operations: history.len(),
        result: Piece::new(check, name, &rendered, &words, &report),
        files: Files {
            page: check.html.as_ref().map(|_| html::render(&rendered, &words, &report)),
            witness: check
                .witness
                .as_ref()
                .map(|_| witness::render(&rendered, &words, &report.verdict)),
        },
    })
}

/// Why a check came to nothing.
pub fn no_verdict(title: &str, history: &LoadedHistory, error: CheckError) -> Failure {
    match error {
        CheckError::SpecPanicked { op, description, message } => {
            let line = history.line(op).map(|line| format!(":{line}")).unwrap_or_default();
            Failure::Input(format!("{title}{line}: the model fails at {description}: {message}"))
        }
        CheckError::Internal(message) => {
            Failure::Input(format!("{title}: this is a bug in linpoint: {message}"))
        }
        other => Failure::Input(format!("{title}: {other}")),
    }
}
