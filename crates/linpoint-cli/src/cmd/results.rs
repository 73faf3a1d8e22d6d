//! Results in the form that was asked for.

use std::io;
use std::time::Duration;

use linpoint::Report;
use linpoint_report::{Heading, Operations, Outcome, Rendered, json, junit, text};

use crate::args::raw::OutputForm;
use crate::args::resolved::Check;
use crate::output::Output;

/// The result of one history, as it will be written.
pub enum Piece {
    /// Written as it is.
    Text(String),
    /// A part of the document that is written at the end.
    Case(Box<junit::Case>),
}

impl Piece {
    /// The result in the form that was asked for.
    pub fn new(
        check: &Check,
        name: &str,
        rendered: &Rendered,
        words: &dyn Operations,
        report: &Report,
    ) -> Piece {
        match check.output {
            OutputForm::Human => Piece::Text(text::render(rendered, check.width)),
            OutputForm::Tsv => Piece::Text(tsv(name, rendered)),
            OutputForm::Json => Piece::Text(json::render(rendered, words, report)),
            OutputForm::Junit => Piece::Case(Box::new(junit::Case::new(rendered))),
        }
    }

    /// What it takes in memory, more or less.
    pub fn bytes(&self) -> usize {
        match self {
            Piece::Text(text) => text.len(),
            // Kept to the end in any case, so there is no waiting for it.
            Piece::Case(_) => 0,
        }
    }
}

/// Writes results as they come, or at the end where the form is one document.
pub struct Results {
    form: OutputForm,
    cases: Vec<junit::Case>,
}

impl Results {
    pub fn new(form: OutputForm) -> Results {
        Results { form, cases: Vec::new() }
    }

    /// A history that was checked.
    pub fn checked(&mut self, piece: Piece, out: &mut Output) -> io::Result<()> {
        match piece {
            Piece::Text(text) => out.write(&text),
            Piece::Case(case) => {
                self.cases.push(*case);
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

/// A field of a line with tabs between the fields.
pub fn escaped(field: &str) -> String {
    field.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}
