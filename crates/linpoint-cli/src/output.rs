//! Standard output for results and standard error for messages, in colour where wanted.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::ProgressBar;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = Style::new().bold();

/// The two output streams of the command.
pub struct Output {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    /// The progress bar on the terminal, hidden during each write.
    bar: Option<ProgressBar>,
}

impl Output {
    /// `Auto` means colours on a terminal, unless `NO_COLOR` is set.
    pub fn new(color: clap::ColorChoice) -> Output {
        let choice = match color {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        };
        Output {
            out: AutoStream::new(io::stdout(), choice),
            err: AutoStream::new(io::stderr(), choice),
            bar: None,
        }
    }

    /// Sets the progress bar that writes must not overwrite.
    pub fn set_progress_bar(&mut self, bar: Option<ProgressBar>) {
        self.bar = bar;
    }

    /// Writes a result to standard output.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        let out = &mut self.out;
        without_bar(self.bar.as_ref(), || out.write_all(text.as_bytes()))
    }

    /// Writes an error message. A failure to do so is ignored: there is no other place for it.
    pub fn error(&mut self, message: &str) {
        let err = &mut self.err;
        without_bar(self.bar.as_ref(), || {
            let _ = writeln!(err, "{ERROR}error:{ERROR:#} {message}");
        });
    }

    /// Writes a warning.
    pub fn warning(&mut self, message: &str) {
        let _ = writeln!(self.err, "{WARNING}warning:{WARNING:#} {message}");
    }

    /// Writes a note.
    pub fn note(&mut self, message: &str) {
        let _ = writeln!(self.err, "{NOTE}note:{NOTE:#} {message}");
    }

    /// Flushes standard output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn without_bar<T>(bar: Option<&ProgressBar>, write: impl FnOnce() -> T) -> T {
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// A buffered writer to `path`; to standard output without a path or for `-`.
pub fn create(path: Option<&Path>) -> io::Result<Box<dyn Write>> {
    const BUFFER: usize = 1 << 18;
    Ok(match path {
        Some(path) if path.as_os_str() != "-" => {
            let file = File::create(path).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
            Box::new(BufWriter::with_capacity(BUFFER, file))
        }
        _ => Box::new(BufWriter::with_capacity(BUFFER, io::stdout().lock())),
    })
}
