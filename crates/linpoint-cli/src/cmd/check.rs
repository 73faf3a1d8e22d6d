//! `linpoint check`: histories in, verdicts out.

use std::fmt::Write;
use std::io;
use std::time::{Duration, Instant};

use linpoint::CheckError;
use linpoint_formats::{LoadedHistory, registry};
use linpoint_report::{Heading, Outcome, Rendered, text};

use super::pages::Pages;
use super::results::{Checked, Results};
use super::words::Words;
use crate::args::raw::OutputForm;
use crate::args::resolved::Check;
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::output::Output;

/// Checks everything that was named, and says what came of it.
pub fn run(check: &Check, out: &mut Output) -> io::Result<Exit> {
    let started = Instant::now();
    let inputs = Inputs::find(&check.paths);
    let mut tally = Tally { passed_over: inputs.passed_over, ..Tally::default() };
    let mut results = Results::new(check.output, check.width);
    let mut pages = check.html.as_deref().map(Pages::new);
    for input in &inputs.list {
        let histories = match input.read() {
            Ok(source) => registry::read_all(&source, check.format, check.model.as_ref()),
            Err(message) => {
                tally.errors += 1;
                results.failed(&input.name(), &message, out)?;
                continue;
            }
        };
        for found in histories {
            let id = found.id.map(|id| format!("#{id}")).unwrap_or_default();
            let name = format!("{}{id}", input.name());
            let checked = found
                .history
                .map_err(|error| Failure::Input(error.to_string()))
                .and_then(|history| check_one(check, format!("{}{id}", input.title()), history));
            let done = match checked {
                Ok(checked) => {
                    tally.count(&checked.rendered);
                    results.checked(&name, &checked, check, out)?;
                    pages.as_mut().map_or(Ok(()), |pages| pages.write(&name, &checked, check))
                }
                Err(failure) => Err(failure),
            };
            match done {
                Ok(()) => {}
                Err(Failure::Usage(message)) => {
                    out.error(&message);
                    return Ok(Exit::Bad);
                }
                Err(Failure::Input(message)) => {
                    tally.errors += 1;
                    results.failed(&name, &message, out)?;
                }
            }
        }
    }
    results.finish(started.elapsed(), out)?;
    if check.output == OutputForm::Human {
        out.write(&tally.summary(started.elapsed()))?;
    }
    Ok(tally.exit())
}

/// Why there is no verdict.
pub(super) enum Failure {
    /// The command line is to blame: every other input would fail in the same way.
    Usage(String),
    /// This input is to blame.
    Input(String),
}

fn check_one(check: &Check, name: String, history: LoadedHistory) -> Result<Checked, Failure> {
    let started = Instant::now();
    let report = history.check(&check.settings).map_err(|error| match error {
        CheckError::UnknownEngine(engine) => {
            Failure::Usage(format!("--algorithm: there is no engine {engine:?}"))
        }
        CheckError::SpecPanicked { op, description, message } => {
            let line = history.line(op).map(|line| format!(":{line}")).unwrap_or_default();
            Failure::Input(format!("{name}{line}: the model fails at {description}: {message}"))
        }
        CheckError::Internal(message) => {
            Failure::Input(format!("{name}: this is a bug in linpoint: {message}"))
        }
        other => Failure::Input(format!("{name}: {other:?}")),
    })?;
    let heading = Heading {
        name,
        model: history.model().to_string(),
        note: history.note().map(str::to_owned),
        operations: history.len(),
        unknown_results: history.unknown_results(),
        time: started.elapsed(),
    };
    let words = Words { history: &history, settings: &check.settings };
    let rendered = Rendered::new(heading, &words, &report);
    Ok(Checked { history, report, rendered })
}

/// How many histories had which outcome.
#[derive(Debug, Default)]
struct Tally {
    linearizable: usize,
    violations: usize,
    undecided: usize,
    errors: usize,
    operations: usize,
    passed_over: usize,
}

impl Tally {
    fn count(&mut self, rendered: &Rendered) {
        self.operations += rendered.heading.operations;
        *match rendered.outcome {
            Outcome::Linearizable => &mut self.linearizable,
            Outcome::Violation(_) => &mut self.violations,
            Outcome::Undecided(_) => &mut self.undecided,
        } += 1;
    }

    fn exit(&self) -> Exit {
        let counts = [
            (self.errors, Exit::Bad),
            (self.violations, Exit::Violation),
            (self.undecided, Exit::Undecided),
        ];
        counts.into_iter().find(|(count, _)| *count > 0).map_or(Exit::Fine, |(_, exit)| exit)
    }

    fn summary(&self, time: Duration) -> String {
        let checked = self.linearizable + self.violations + self.undecided;
        let histories =
            if checked == 1 { "1 history".to_owned() } else { format!("{checked} histories") };
        let mut text =
            format!("{histories}: {} linearizable, {} not", self.linearizable, self.violations);
        if self.undecided > 0 {
            let _ = write!(text, ", {} undecided", self.undecided);
        }
        if self.errors > 0 {
            let _ = write!(text, "; {}", text::count(self.errors, "error"));
        }
        let operations = text::count(self.operations, "operation");
        let _ = write!(text, "; {operations} in {}", text::duration(time));
        if self.passed_over > 0 {
            let _ = write!(text, " ({} passed over)", text::count(self.passed_over, "file"));
        }
        text.push('\n');
        text
    }
}
