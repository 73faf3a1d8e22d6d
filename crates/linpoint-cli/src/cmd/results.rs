//! Results in the form that was asked for.

use std::io;
use std::time::Duration;

use linpoint::Report;
use linpoint_formats::LoadedHistory;
use linpoint_report::{Heading, Outcome, Rendered, json, junit, text};

use super::words::Words;
use crate::args::raw::OutputForm;
use crate::args::resolved::Check;
use crate::output::Output;

/// A history that was checked.
pub struct Checked {
    /// The history.
    pub history: LoadedHistory,
    /// What came of it.
    pub report: Report,
    /// The same in words.
    pub rendered: Rendered,
}

/// Writes results as they come, or at the end where the form is one document.
pub struct Results {
    form: OutputForm,
    width: usize,
    cases: Vec<junit::Case>,
}

impl Results {
    pub fn new(form: OutputForm, width: usize) -> Results {
        Results { form, width, cases: Vec::new() }
    }

    /// A history that was checked.
    pub fn checked(
        &mut self,
        name: &str,
        checked: &Checked,
        check: &Check,
        out: &mut Output,
    ) -> io::Result<()> {
        let Checked { history, report, rendered } = checked;
        match self.form {
            OutputForm::Human => out.write(&text::render(rendered, self.width)),
            OutputForm::Tsv => out.write(&tsv(name, rendered)),
            OutputForm::Json => {
                let words = Words { history, settings: &check.settings };
                out.write(&json::render(rendered, &words, report))
            }
            OutputForm::Junit => {
                self.cases.push(junit::Case::new(rendered));
                Ok(())
            }
        }
    }

    /// Something that could not be checked.
    pub fn failed(&mut self, name: &str, message: &str, out: &mut Output) -> io::Result<()> {
        // What was found out so far comes before what went wrong.
        out.flush()?;
        out.error(message);
        match self.form {
            OutputForm::Human => Ok(()),
            OutputForm::Tsv => out.write(&format!("{}\terror\t-\t0\t0\n", escaped(name))),
            OutputForm::Json => out.write(&json::error(name, message)),
            OutputForm::Junit => {
                self.cases.push(junit::Case::error(name, message));
                Ok(())
            }
        }
    }

    /// There are no more.
    pub fn finish(&self, time: Duration, out: &mut Output) -> io::Result<()> {
        match self.form {
            OutputForm::Junit => out.write(&junit::render(&self.cases, time)),
            _ => Ok(()),
        }
    }
}

fn tsv(name: &str, rendered: &Rendered) -> String {
    let verdict = match rendered.outcome {
        Outcome::Linearizable => "ok",
        Outcome::Violation(_) => "bad",
        Outcome::Undecided(_) => "undecided",
    };
    let (name, engine) = (escaped(name), escaped(&rendered.engine));
    let Heading { operations, time, .. } = rendered.heading;
    format!("{name}\t{verdict}\t{engine}\t{operations}\t{:.6}\n", time.as_secs_f64())
}

fn escaped(field: &str) -> String {
    field.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}
