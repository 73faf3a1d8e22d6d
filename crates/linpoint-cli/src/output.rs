//! Where results and errors are written, with colours where they are wanted.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::ProgressBar;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const REMARK: Style = Style::new().bold();

/// Standard output for results, standard error for errors.
pub struct Output {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    /// What is drawn on the terminal meanwhile.
    bar: Option<ProgressBar>,
}

impl Output {
    /// Colours as asked for; by default where there is a terminal and `NO_COLOR` is not set.
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

    /// From now on this is on the terminal, and has to be taken away while something is written.
    pub fn draw_around(&mut self, bar: Option<ProgressBar>) {
        self.bar = bar;
    }

    /// Writes a result.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        let out = &mut self.out;
        around(self.bar.as_ref(), || out.write_all(text.as_bytes()))
    }

    /// Writes an error message. If even that is impossible, nobody is there to be told.
    pub fn error(&mut self, message: &str) {
        let err = &mut self.err;
        around(self.bar.as_ref(), || {
            let _ = writeln!(err, "{ERROR}error:{ERROR:#} {message}");
        });
    }

    /// Writes a warning.
    pub fn warning(&mut self, message: &str) {
        let _ = writeln!(self.err, "{WARNING}warning:{WARNING:#} {message}");
    }

    /// Writes something that is worth knowing beside the results.
    pub fn remark(&mut self, message: &str) {
        let _ = writeln!(self.err, "{REMARK}note:{REMARK:#} {message}");
    }

    /// Makes sure that everything has been written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn around<T>(bar: Option<&ProgressBar>, write: impl FnOnce() -> T) -> T {
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Where a history is written: a file, or the standard output as it is.
pub fn sink(path: Option<&Path>) -> io::Result<Box<dyn Write>> {
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
