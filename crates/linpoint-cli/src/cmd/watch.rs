//! `linpoint watch`: the incremental checker on a stream.

mod feed;
mod status;
mod words;

use std::io;
use std::time::Instant;

use linpoint::Cancel;
use linpoint_formats::live::WatchError;
use linpoint_formats::registry::{self, watch};
use linpoint_formats::{Format, ModelName};

use linpoint_report::text;

use crate::args::resolved::terminal_width;
use crate::args::watch::Watch;
use crate::exit::Exit;
use crate::inputs::reason;
use crate::interrupt;
use crate::output::Output;
use feed::Feed;
use status::Status;

/// Watches a stream until it ends or is not linearizable.
pub fn run(args: &Watch, out: &mut Output) -> io::Result<Exit> {
    let (name, settings, mut feed) = match prepare(args) {
        Ok(prepared) => prepared,
        Err(message) => {
            out.error(&message);
            return Ok(Exit::Bad);
        }
    };
    let status = Status::start(args.quiet);
    out.draw_around(status.bar());
    let begun = Instant::now();
    let width = terminal_width().max(text::MIN_WIDTH);
    let mut watcher = Told { status: &status, name: &name, width, out, failed: None };
    let watched = watch::watch(&name, &mut |line| feed.next(line), &settings, &mut watcher);
    let failed = watcher.failed.take();
    status.end();
    out.draw_around(None);
    if let Some(error) = failed {
        return Err(error);
    }
    match watched {
        Ok(summary) => {
            out.write(&words::summary(&name, &summary, begun.elapsed(), width))?;
            Ok(match summary.outcome {
                watch::Ended::Fine => Exit::Fine,
                watch::Ended::Undecided(_) => Exit::Undecided,
                watch::Ended::Violation(_) => Exit::Violation,
            })
        }
        Err(error) => {
            out.error(&match &error {
                WatchError::Io(error) => format!("{name}: {}", reason(error)),
                WatchError::Line(error) => error.to_string(),
            });
            Ok(Exit::Bad)
        }
    }
}

fn prepare(args: &Watch) -> Result<(String, watch::Settings, Feed), String> {
    let model = args.model.as_deref().map(ModelName::parse).transpose()?;
    if let Some(model) = &model {
        registry::validate(model)?;
    }
    let cancel = Cancel::new();
    let is_stdin = args.path.as_os_str() == "-";
    if is_stdin && args.follow {
        return Err(
            "--follow is for files; the standard input is waited for in any case".to_owned()
        );
    }
    let name = if is_stdin { "<stdin>".to_owned() } else { args.path.display().to_string() };
    let feed = match is_stdin {
        true => Ok(Feed::stdin()),
        false => Feed::file(&args.path, args.follow.then_some(&cancel)),
    };
    let feed = feed.map_err(|error| format!("{name}: {}", reason(&error)))?;
    if args.follow {
        interrupt::cancels(&cancel);
    }
    let format = args.format.as_deref().and_then(Format::from_name);
    let max_configurations = args.max_configurations;
    Ok((name, watch::Settings { model, format, max_configurations }, feed))
}

/// Passes on what is going on.
struct Told<'a> {
    status: &'a Status,
    name: &'a str,
    width: usize,
    out: &'a mut Output,
    /// Why it could not be said.
    failed: Option<io::Error>,
}

impl watch::Watcher for Told<'_> {
    fn wants_progress(&mut self) -> bool {
        self.status.is_due()
    }

    fn progress(&mut self, progress: watch::StreamProgress) {
        self.status.set(progress);
    }

    fn given_up(&mut self, given_up: &watch::GivenUp) {
        let text = words::given_up(self.name, given_up, self.width);
        let said = self.out.write(&text).and_then(|()| self.out.flush());
        self.failed = self.failed.take().or(said.err());
    }
}
