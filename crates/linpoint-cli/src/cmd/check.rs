//! `linpoint check`: histories in, verdicts out, in the order of the inputs.
//!
//! Inputs are read and checked by a [`crew`] of threads, each of which turns what it found into text
//! ([`work`]). This thread only writes, so what is written does not depend on who was first.

mod crew;
mod tally;
pub(super) mod work;

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc;
use std::time::Instant;

use super::places::{self, Places};
use super::results::Results;
use crate::args::raw::OutputForm;
use crate::args::resolved::Check;
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::interrupt;
use crate::output::Output;
use crate::progress::{Board, Display};
use crew::Crew;
use tally::Tally;
pub(super) use work::{Failure, no_verdict};
use work::{Files, Finding, Kind};

const PAGES: places::Kind = places::Kind { option: "--html", extension: ".html", appends: false };
const WITNESSES: places::Kind =
    places::Kind { option: "--witness", extension: ".witness", appends: true };

/// Checks everything that was named, and says what came of it.
pub fn run(check: &Check, out: &mut Output) -> io::Result<Exit> {
    let started = Instant::now();
    interrupt::cancels(&check.how.settings.cancel);
    let inputs = Inputs::find(&check.how.files.paths);
    let board = Board::new(inputs.list.len());
    let crew = Crew::new(check, &inputs.list, &board);
    let mut writer = Writer {
        tally: Tally::new(inputs.passed_over),
        results: Results::new(check.output),
        pages: check.html.as_deref().map(|place| Places::new(PAGES, place)),
        witnesses: check.witness.as_deref().map(|place| Places::new(WITNESSES, place)),
    };
    let written = std::thread::scope(|scope| {
        let display = Display::start(scope, &board, check.progress);
        out.draw_around(display.bar());
        let (sender, findings) = mpsc::channel();
        for _ in 0..crew.files_at_once() {
            let (crew, sender) = (&crew, sender.clone());
            scope.spawn(move || crew.work(&sender));
        }
        drop(sender);
        let written = writer.write_in_order(&findings, &crew, out);
        // Whatever ended the writing: nobody needs to go on.
        crew.stop();
        out.draw_around(None);
        if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            // Whoever was reading is gone. Somebody may still be waiting for the standard input, and
            // that can take for ever.
            display.clear();
            std::process::exit(Exit::Bad.code().into());
        }
        written
    });
    if written?.is_break() {
        return Ok(Exit::Bad);
    }
    let Writer { mut tally, results, .. } = writer;
    tally.not_checked = crew.not_taken();
    results.finish(started.elapsed(), out)?;
    if check.output == OutputForm::Human {
        out.write(&tally.summary(started.elapsed()))?;
    }
    Ok(tally.exit())
}

/// Writes what was found.
struct Writer {
    tally: Tally,
    results: Results,
    pages: Option<Places>,
    witnesses: Option<Places>,
}

/// Whether there is any sense in going on.
type Flow = std::ops::ControlFlow<()>;

impl Writer {
    /// Writes findings as soon as those of all inputs before have been written.
    fn write_in_order(
        &mut self,
        findings: &mpsc::Receiver<(usize, Vec<Finding>)>,
        crew: &Crew<'_>,
        out: &mut Output,
    ) -> io::Result<Flow> {
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (input, found) in findings {
            waiting.insert(input, found);
            while let Some(found) = waiting.remove(&next) {
                let bytes = found.iter().map(Finding::bytes).sum();
                for finding in found {
                    if self.write(finding, out)?.is_break() {
                        return Ok(Flow::Break(()));
                    }
                }
                crew.written(bytes);
                next += 1;
            }
        }
        Ok(Flow::Continue(()))
    }

    /// Writes the files that belong to a history.
    fn save(&mut self, name: &str, kind: Kind, files: &Files) -> Result<(), Failure> {
        if let (Some(pages), Some(page)) = (&mut self.pages, &files.page) {
            pages.write(name, page)?;
        }
        if let (Some(witnesses), Some(witness)) = (&mut self.witnesses, &files.witness) {
            // A file of its own is for an order; in a file for all it is said that there is none.
            if kind == Kind::Linearizable || !witnesses.is_dir() {
                witnesses.write(name, witness)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, finding: Finding, out: &mut Output) -> io::Result<Flow> {
        match finding {
            Finding::Checked(checked) => {
                self.tally.count(&checked);
                self.results.checked(checked.result, out)?;
                let saved = self.save(&checked.name, checked.kind, &checked.files);
                if let Err(Failure::Usage(message) | Failure::Input(message)) = saved {
                    out.error(&message);
                    return Ok(Flow::Break(()));
                }
            }
            Finding::Failed { name, failure: Failure::Input(message) } => {
                self.tally.errors += 1;
                self.results.failed(&name, &message, out)?;
            }
            Finding::Failed { failure: Failure::Usage(message), .. } => {
                out.error(&message);
                return Ok(Flow::Break(()));
            }
        }
        Ok(Flow::Continue(()))
    }
}
