//! `linpoint watch`: checks a stream incrementally.

mod json;
mod lines;
mod page;
mod status;
mod text;

use std::io;
use std::time::Instant;

use linpoint::{Allowance, Cancel};
use linpoint_formats::Format;
use linpoint_formats::live::WatchError;
use linpoint_formats::registry::watch;
use linpoint_report::text::MIN_WIDTH;

use super::side_files::ViolationPage;
use crate::args::raw::HumanOrJson;
use crate::args::resolved::{model_or_program, width_for};
use crate::args::watch::WatchArgs;
use crate::browser;
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::inputs::reason;
use crate::interrupt;
use crate::output::Output;
use lines::LineReader;
use status::Status;

/// Watches a stream until it ends or is not linearizable.
pub fn run(args: &WatchArgs, out: &mut Output) -> CommandResult {
    let (name, settings, mut lines) = prepare(args)?;
    let (form, path) = args.result.settle(out);
    out.write_to(path.as_deref(), [&*args.path])?;
    let page = ViolationPage::new(args.html.as_deref())?;
    if args.open && page.is_stdout() {
        return Err(CommandError::usage("--open needs a page in a file, not on standard output"));
    }
    // Nothing else is written to standard output.
    let is_silent = path.is_none() && page.is_stdout();
    let status = Status::start(args.quiet);
    out.set_progress_bar(status.bar());
    let begun = Instant::now();
    let width = width_for(path.as_deref()).max(MIN_WIDTH);
    let mut reporter =
        StreamReporter { status: &status, name: &name, form, width, out, is_silent, failed: None };
    let watched = watch::watch(&name, &mut |line| lines.next(line), &settings, &mut reporter);
    let failed = reporter.failed.take();
    status.end();
    out.set_progress_bar(None);
    if let Some(error) = failed {
        return Err(error.into());
    }
    match watched {
        Ok(mut summary) => {
            let time = begun.elapsed();
            if !is_silent {
                out.write(&match form {
                    HumanOrJson::Human => text::summary(&name, &summary, time, width),
                    HumanOrJson::Json => json::summary(&name, &summary, time),
                })?;
            }
            if let Some(kept) = summary.kept.take() {
                out.flush()?;
                let made = page::render(&name, (&summary, time), kept, args.limits.into());
                show(args, &page, made, out)?;
            }
            Ok(match summary.outcome {
                watch::Ended::Fine => Exit::Success,
                watch::Ended::Undecided(_) | watch::Ended::Stopped { .. } => Exit::Undecided,
                watch::Ended::Violation(_) => Exit::Violation,
            })
        }
        Err(WatchError::Io(error)) => Err(unreadable(&name, &error)),
        Err(WatchError::Line(error)) => Err(CommandError::input(error)),
    }
}

/// Writes the page and shows it, or says why there is none.
fn show(
    args: &WatchArgs,
    page: &ViolationPage<'_>,
    made: Result<String, String>,
    out: &mut Output,
) -> Result<(), CommandError> {
    match made {
        Ok(text) => {
            page.write(|| text)?;
            if args.open {
                browser::show(args.html.as_deref(), out);
            }
        }
        Err(why) => out.note(&format!("--html: there is no page: {why}")),
    }
    Ok(())
}

fn unreadable(name: &str, error: &io::Error) -> CommandError {
    CommandError::Input(format!("{name}: {}", reason(error)))
}

fn prepare(args: &WatchArgs) -> Result<(String, watch::Settings, LineReader), CommandError> {
    let model = model_or_program(args.model.as_deref(), &args.program)?;
    let cancel = Cancel::new();
    let is_stdin = args.path.as_os_str() == "-";
    if is_stdin && args.follow {
        return Err(CommandError::usage(
            "--follow is for files; standard input is read until it closes anyway",
        ));
    }
    let name = if is_stdin { "<stdin>".to_owned() } else { args.path.display().to_string() };
    let allowance = Allowance::new(&args.limits.into());
    let lines = match is_stdin {
        true => Ok(LineReader::stdin(&allowance)),
        false => LineReader::file(&args.path, args.follow.then_some(&cancel), &allowance),
    };
    let lines = lines.map_err(|error| unreadable(&name, &error))?;
    if args.follow {
        interrupt::cancel_on_ctrl_c(&cancel);
    }
    let format = args.format.as_deref().and_then(Format::from_name);
    let max_configurations = args.max_configurations;
    let keep_lines = args.html.is_some();
    let settings = watch::Settings { model, format, max_configurations, allowance, keep_lines };
    Ok((name, settings, lines))
}

/// Shows progress, and reports each object or key that is given up.
struct StreamReporter<'a> {
    status: &'a Status,
    name: &'a str,
    form: HumanOrJson,
    width: usize,
    out: &'a mut Output,
    /// True if only a page is written.
    is_silent: bool,
    /// The first error while writing.
    failed: Option<io::Error>,
}

impl watch::Watcher for StreamReporter<'_> {
    fn wants_progress(&mut self) -> bool {
        self.status.is_due()
    }

    fn progress(&mut self, progress: watch::StreamProgress) {
        self.status.set(progress);
    }

    fn given_up(&mut self, given_up: &watch::GivenUp) {
        if self.is_silent {
            return;
        }
        let text = match self.form {
            HumanOrJson::Human => text::given_up(self.name, given_up, self.width),
            HumanOrJson::Json => json::given_up(self.name, given_up),
        };
        let written = self.out.write(&text).and_then(|()| self.out.flush());
        self.failed = self.failed.take().or(written.err());
    }
}
