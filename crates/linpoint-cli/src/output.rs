//! Standard output or a file for results and standard error for messages, in colour where wanted.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::ProgressBar;
use linpoint_report::text::without_colours;

use crate::error::CommandError;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = Style::new().bold();

/// The output streams of the command.
pub struct Output {
    out: AutoStream<io::Stdout>,
    /// Where results go instead of standard output.
    file: Option<ResultFile>,
    err: AutoStream<io::Stderr>,
    /// The progress bar on the terminal, hidden during each write.
    bar: Option<ProgressBar>,
    /// True if colours are wanted everywhere.
    always_colours: bool,
}

/// The file of `--output`.
struct ResultFile {
    file: BufWriter<File>,
    has_colours: bool,
}

impl ResultFile {
    fn write(&mut self, text: &str) -> io::Result<()> {
        match self.has_colours {
            true => self.file.write_all(text.as_bytes()),
            false => self.file.write_all(without_colours(text).as_bytes()),
        }
    }
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
            file: None,
            bar: None,
            always_colours: color == clap::ColorChoice::Always,
        }
    }

    /// Results go to this file from now on, if there is one. It must not be an input: it would overwrite that.
    pub fn write_to<'a>(
        &mut self,
        path: Option<&Path>,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), CommandError> {
        let Some(path) = path else { return Ok(()) };
        let shown = path.display();
        let is_path = |known: &Path| {
            let same = |input: &Path| input.canonicalize().is_ok_and(|input| input == known);
            inputs.into_iter().any(same)
        };
        if path.canonicalize().is_ok_and(|known| is_path(&known)) {
            return Err(CommandError::Usage(format!(
                "--output: {shown} is an input; name another file"
            )));
        }
        let file = File::create(path).map_err(|error| {
            CommandError::Usage(format!("--output: cannot write {shown}: {error}"))
        })?;
        let file = BufWriter::with_capacity(BUFFER, file);
        self.file = Some(ResultFile { file, has_colours: self.always_colours });
        Ok(())
    }

    /// True if results go to standard output.
    pub fn is_stdout(&self) -> bool {
        self.file.is_none()
    }

    /// Sets the progress bar that writes must not overwrite.
    pub fn set_progress_bar(&mut self, bar: Option<ProgressBar>) {
        self.bar = bar;
    }

    /// Writes a result.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            return file.write(text);
        }
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

    /// Warns that a former spelling was used.
    pub fn deprecated(&mut self, old: &str, new: &str) {
        self.warning(&format!("`{old}` is deprecated; use `{new}`"));
    }

    /// Writes a note.
    pub fn note(&mut self, message: &str) {
        let _ = writeln!(self.err, "{NOTE}note:{NOTE:#} {message}");
    }

    /// Flushes what was written.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Some(ResultFile { file, .. }) => file.flush(),
            None => self.out.flush(),
        }
    }
}

fn without_bar<T>(bar: Option<&ProgressBar>, write: impl FnOnce() -> T) -> T {
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

const BUFFER: usize = 1 << 18;

/// A buffered writer to a file, or to standard output without one.
pub fn create(path: Option<&Path>) -> io::Result<Box<dyn Write>> {
    Ok(match path {
        Some(path) => {
            let file = File::create(path).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
            Box::new(BufWriter::with_capacity(BUFFER, file))
        }
        None => Box::new(BufWriter::with_capacity(BUFFER, io::stdout().lock())),
    })
}
