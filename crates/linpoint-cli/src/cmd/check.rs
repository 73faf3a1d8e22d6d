//! `linpoint check`: checks histories and prints the verdicts in the order of the inputs.
//!
//! [`Workers`] read and check the inputs in parallel, and turn each result into text ([`finding`]). This thread
//! only writes, so the output does not depend on which input was done first.

pub(super) mod finding;
mod neighbours;
mod tally;
mod workers;

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::results::Results;
use super::side_files::{SideFileKind, SideFiles};
use crate::args::check::CheckArgs;
use crate::args::resolved::{CheckOptions, Detail};
use crate::browser;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::interrupt;
use crate::output::Output;
use crate::progress::{Board, Display};
use linpoint_report::index_page;

use finding::{Checked, Finding, VerdictKind};
use tally::Tally;
use workers::Workers;
pub use workers::memory_left;

const PAGES: SideFileKind =
    SideFileKind { option: "--html", extension: ".html", holds_several: false };
const WITNESSES: SideFileKind =
    SideFileKind { option: "--witness", extension: ".witness", holds_several: true };

/// Checks all inputs.
pub fn run(args: CheckArgs, out: &mut Output) -> CommandResult {
    let options = CheckOptions::new(args, out)?;
    let started = Instant::now();
    interrupt::cancel_on_ctrl_c(&options.run.settings.cancel);
    let inputs = Inputs::find(&options.run.inputs.paths, &options.run.inputs.filter);
    out.write_to(options.output.as_deref(), inputs.files())?;
    for note in inputs.notes.iter().filter(|_| options.detail != Detail::Failures) {
        out.note(note);
    }
    let board = Board::new(inputs.list.len());
    let workers = Workers::new(&options, &inputs.list, &board);
    let mut writer = Writer {
        tally: Tally::new(inputs.skipped, options.strict),
        fail_fast: options.fail_fast,
        written: 0,
        results: Results::new(options.form, options.detail),
        is_stdout: out.is_stdout(),
        pages: options.html.as_deref().map(|path| SideFiles::new(PAGES, path)),
        table: Vec::new(),
        page: None,
        witnesses: options.witness.as_deref().map(|path| SideFiles::new(WITNESSES, path)),
    };
    writer.prepare(inputs.list.len())?;
    if options.open && writer.pages.as_ref().is_some_and(SideFiles::is_stdout) {
        return Err(CommandError::usage("--open needs a page in a file, not on standard output"));
    }
    let written = std::thread::scope(|scope| {
        let display = Display::start(scope, &board, options.progress);
        out.set_progress_bar(display.bar());
        let (sender, findings) = mpsc::channel();
        for _ in 0..workers.files_at_once() {
            let (workers, sender) = (&workers, sender.clone());
            scope.spawn(move || workers.work(&sender));
        }
        drop(sender);
        let written = writer.write_in_order(&findings, &workers, out);
        workers.stop();
        out.set_progress_bar(None);
        if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            // The reader of our output has gone. Do not join the workers: one may be blocked on standard
            // input.
            display.clear();
            std::process::exit(writer.tally.exit_unread().into());
        }
        written
    });
    if written?.is_break() {
        return Ok(Exit::Error);
    }
    let is_silent = writer.is_silent();
    let time = started.elapsed();
    let tally = &mut writer.tally;
    tally.stopped = options.fail_fast && tally.has_violations();
    tally.not_checked =
        if tally.stopped { inputs.list.len() - writer.written } else { workers.not_started() };
    writer.write_table(time)?;
    if options.open {
        browser::show(writer.page.as_deref(), out);
    }
    let Writer { tally, results, .. } = writer;
    if is_silent {
        return Ok(tally.exit());
    }
    match results.finish(time, &tally.summary(time), out) {
        // A reader that has seen enough does not change the verdict.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(tally.exit()),
        ended => Ok(ended.map(|()| tally.exit())?),
    }
}

/// Writes findings.
struct Writer {
    tally: Tally,
    /// The first history that is not linearizable ends the run.
    fail_fast: bool,
    /// Number of inputs whose findings have been written.
    written: usize,
    results: Results,
    /// True if results go to standard output.
    is_stdout: bool,
    pages: Option<SideFiles>,
    /// The table of the pages, if they are in a directory.
    table: Vec<index_page::Entry>,
    /// The page to show: the last one, or the table.
    page: Option<PathBuf>,
    witnesses: Option<SideFiles>,
}

impl Writer {
    /// Creates side files. What cannot be written fails before any work is done.
    fn prepare(&mut self, inputs: usize) -> Result<(), CommandError> {
        let files = || self.pages.iter().chain(&self.witnesses);
        if files().filter(|files| files.is_stdout()).count() > 1 {
            let message = "--html and --witness cannot both be written to standard output";
            return Err(CommandError::usage(message));
        }
        for files in self.pages.iter_mut().chain(&mut self.witnesses) {
            files.prepare(inputs)?;
        }
        Ok(())
    }

    /// True if a side file is written to standard output, and nothing else there.
    fn is_silent(&self) -> bool {
        self.is_stdout && self.pages.iter().chain(&self.witnesses).any(SideFiles::is_stdout)
    }

    /// Writes the findings of each input as soon as those of all earlier inputs have been written. Breaks at an
    /// error that concerns all inputs. Ends early at a violation, if that is wanted.
    fn write_in_order(
        &mut self,
        findings: &mpsc::Receiver<(usize, Vec<Finding>)>,
        workers: &Workers<'_>,
        out: &mut Output,
    ) -> io::Result<ControlFlow<()>> {
        let mut waiting = BTreeMap::new();
        for (input, found) in findings {
            waiting.insert(input, found);
            while let Some(found) = waiting.remove(&self.written) {
                let bytes = found.iter().map(Finding::bytes).sum();
                for finding in found {
                    if self.write(finding, out)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                workers.findings_written(bytes);
                self.written += 1;
                if self.fail_fast && self.tally.has_violations() {
                    return Ok(ControlFlow::Continue(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn write(&mut self, finding: Finding, out: &mut Output) -> io::Result<ControlFlow<()>> {
        let fatal = match finding {
            Finding::Checked(mut checked) => {
                self.tally.count(&checked);
                let saved = self.save(&mut checked);
                if checked.operations == 0 {
                    out.warning(&format!(
                        "{} has no operations, so there is nothing to be wrong",
                        checked.name
                    ));
                }
                if !self.is_silent() {
                    self.results.checked(checked.result, out)?;
                }
                saved.err()
            }
            Finding::Failed { name, place, error: CommandError::Input(message) } => {
                self.tally.errors += 1;
                self.table
                    .extend(self.has_table().then(|| index_page::Entry::error(&name, &message)));
                self.results.failed(&name, place, &message, out)?;
                None
            }
            Finding::Failed { error, .. } => Some(error),
        };
        Ok(match fatal {
            Some(CommandError::Output(error)) => return Err(error),
            Some(error) => {
                out.error(&error.to_string());
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        })
    }

    /// True if pages are in a directory, which gets a table of them.
    fn has_table(&self) -> bool {
        self.pages.as_ref().is_some_and(SideFiles::is_dir)
    }

    /// Writes the table of the pages.
    fn write_table(&mut self, time: Duration) -> Result<(), CommandError> {
        if let Some(pages) = self.pages.as_ref().filter(|pages| pages.is_dir()) {
            let table = index_page::render(&self.table, &self.tally.summary(time));
            self.page = Some(pages.write_index(&table)?);
        }
        Ok(())
    }

    /// Writes the page and the witness of a history.
    fn save(&mut self, checked: &mut Checked) -> Result<(), CommandError> {
        if let (Some(pages), Some(page)) = (&mut self.pages, &checked.page) {
            let file = pages.write(&checked.name, page)?;
            let link = file.file_name().map(|name| name.to_string_lossy().into_owned());
            if let (true, Some(entry), Some(link)) = (pages.is_dir(), checked.entry.take(), link) {
                self.table.push(entry.with_link(link));
            }
            self.page = Some(file);
        }
        if let (Some(witnesses), Some(witness)) = (&mut self.witnesses, &checked.witness) {
            // In a shared file, a section without an order states the verdict. A file of its own would be empty.
            if checked.verdict == VerdictKind::Linearizable || !witnesses.is_dir() {
                witnesses.write(&checked.name, witness)?;
            }
        }
        Ok(())
    }
}
