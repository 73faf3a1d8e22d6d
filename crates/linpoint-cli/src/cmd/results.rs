//! Results of `check` in its output formats.

use std::io;
use std::time::Duration;

use linpoint::Report;
use linpoint_report::{
    Alert, Heading, Operations, Outcome, Place, Rendered, details, github, json, junit, markdown,
    sarif, text,
};

use crate::args::check::CheckForm;
use crate::args::resolved::{CheckOptions, Detail};
use crate::inputs::Input;
use crate::output::Output;

/// The result of one history, ready to be written.
pub enum ResultText {
    /// Text that is written immediately.
    Text(String),
    /// A part of the document that is written at the end.
    Case(Box<junit::Case>),
    /// The same, for documents of alerts.
    Alerts(Vec<Alert>),
    /// The same, for the summary in Markdown.
    Entry(Box<markdown::Entry>),
}

impl ResultText {
    /// The result in the chosen output format. A history has a name and is from an input.
    pub fn new(
        options: &CheckOptions,
        (name, input): (&str, &Input),
        rendered: &Rendered,
        operations: &dyn Operations,
        report: &Report,
    ) -> ResultText {
        let alerts = || Alert::of(rendered, input.file().as_deref());
        match options.form {
            CheckForm::Human => ResultText::Text(human(options, rendered, report)),
            CheckForm::Tsv => ResultText::Text(tsv(name, rendered)),
            CheckForm::Json => ResultText::Text(json::render(rendered, operations, report)),
            CheckForm::Junit => ResultText::Case(Box::new(junit::Case::new(rendered))),
            CheckForm::Github => ResultText::Text(github::render(&alerts())),
            CheckForm::Sarif => ResultText::Alerts(alerts()),
            CheckForm::Markdown => ResultText::Entry(Box::new(markdown::Entry::new(rendered))),
        }
    }

    /// Approximate memory, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            ResultText::Text(text) => text.len(),
            // Kept until the end in any case, so it does not count as waiting to be written.
            ResultText::Case(_) | ResultText::Alerts(_) | ResultText::Entry(_) => 0,
        }
    }
}

/// Writes results as they arrive; for a format that is one document, at the end.
pub struct Results {
    form: CheckForm,
    detail: Detail,
    cases: Vec<junit::Case>,
    alerts: Vec<Alert>,
    entries: Vec<markdown::Entry>,
}

impl Results {
    pub fn new(form: CheckForm, detail: Detail) -> Results {
        Results { form, detail, cases: Vec::new(), alerts: Vec::new(), entries: Vec::new() }
    }

    /// Writes the result of a history that was checked.
    pub fn checked(&mut self, result: ResultText, out: &mut Output) -> io::Result<()> {
        match result {
            ResultText::Text(text) => return out.write(&text),
            ResultText::Case(case) => self.cases.push(*case),
            ResultText::Alerts(alerts) => self.alerts.extend(alerts),
            ResultText::Entry(entry) => self.entries.push(*entry),
        }
        Ok(())
    }

    /// Writes that an input could not be checked.
    pub fn failed(
        &mut self,
        name: &str,
        place: Place,
        message: &str,
        out: &mut Output,
    ) -> io::Result<()> {
        // Earlier results must appear before the message.
        out.flush()?;
        out.error(message);
        match self.form {
            CheckForm::Human => {}
            CheckForm::Tsv => out.write(&format!("{}\terror\t-\t0\t0\n", escaped(name)))?,
            CheckForm::Json => out.write(&json::error(name, message))?,
            CheckForm::Junit => self.cases.push(junit::Case::error(name, message)),
            CheckForm::Github => {
                out.write(&github::render(&[Alert::error(name, place, message)]))?
            }
            CheckForm::Sarif => self.alerts.push(Alert::error(name, place, message)),
            CheckForm::Markdown => self.entries.push(markdown::Entry::error(name, message)),
        }
        Ok(())
    }

    /// Ends the output. `summary` is a line that counts the outcomes.
    pub fn finish(&self, time: Duration, summary: &str, out: &mut Output) -> io::Result<()> {
        match self.form {
            CheckForm::Human | CheckForm::Github if self.detail == Detail::Failures => Ok(()),
            CheckForm::Human | CheckForm::Github => out.write(summary),
            CheckForm::Junit => out.write(&junit::render(&self.cases, time)),
            CheckForm::Sarif => out.write(&sarif::render(&self.alerts)),
            CheckForm::Markdown => out.write(&markdown::render(&self.entries, summary)),
            CheckForm::Json | CheckForm::Tsv => Ok(()),
        }
    }
}

/// The result for people, as much of it as is wanted.
fn human(options: &CheckOptions, rendered: &Rendered, report: &Report) -> String {
    let is_fine = matches!(rendered.outcome, Outcome::Linearizable);
    match options.detail {
        Detail::Failures if is_fine => String::new(),
        Detail::Failures | Detail::Results => text::render(rendered, options.width),
        Detail::Everything => {
            let details = details::render(rendered, report, options.width);
            text::render(rendered, options.width) + &details + "\n"
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

/// A field of a tab-separated line.
pub fn escaped(field: &str) -> String {
    field.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}
