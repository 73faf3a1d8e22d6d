//! Where results and errors are written, with colours where they are wanted.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Standard output for results, standard error for errors.
pub struct Output {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
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
        }
    }

    /// Writes a result.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// Writes an error message. If even that is impossible, nobody is there to be told.
    pub fn error(&mut self, message: &str) {
        let _ = writeln!(self.err, "{ERROR}error:{ERROR:#} {message}");
    }

    /// Makes sure that everything has been written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
