//! Reads lines from a pipe or a file as they arrive. A file can be followed as it grows.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use linpoint::{Allowance, Cancel};
use memchr::memchr;

/// A longer line is an error. The limit bounds the memory for one line.
const LONGEST: usize = 64 << 20;
/// Time between two reads at the end of a followed file.
const WAIT: Duration = Duration::from_millis(50);

/// Reads lines of any length up to a limit.
pub struct LineReader {
    reader: Box<dyn BufRead>,
    follow: Option<Follow>,
}

struct Follow {
    path: PathBuf,
    /// Number of bytes read so far.
    read: u64,
    cancel: Cancel,
    allowance: Allowance,
}

/// An input, while reading which the clock stands still.
struct Timed<R> {
    input: R,
    allowance: Allowance,
}

impl<R: Read> Read for Timed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let begun = Instant::now();
        let read = self.input.read(buffer);
        self.allowance.pause(begun.elapsed());
        read
    }
}

impl LineReader {
    /// Lines from standard input. The allowance does not count the time that reading takes.
    pub fn stdin(allowance: &Allowance) -> LineReader {
        LineReader::new(io::stdin().lock(), allowance, None)
    }

    fn new(
        input: impl Read + 'static,
        allowance: &Allowance,
        follow: Option<Follow>,
    ) -> LineReader {
        let timed = Timed { input, allowance: allowance.clone() };
        LineReader { reader: Box::new(BufReader::with_capacity(1 << 16, timed)), follow }
    }

    /// Lines from a file. With `until`, the file is followed until that is cancelled.
    pub fn file(
        path: &Path,
        until: Option<&Cancel>,
        allowance: &Allowance,
    ) -> io::Result<LineReader> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "is a directory"));
        }
        let follow = |cancel: &Cancel| Follow {
            path: path.to_owned(),
            read: 0,
            cancel: cancel.clone(),
            allowance: allowance.clone(),
        };
        Ok(LineReader::new(file, allowance, until.map(follow)))
    }

    /// Appends the next line to `line`, without the line break. False at the end of the input.
    pub fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            let bytes = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() {
                match &self.follow {
                    // A last line without a line break is complete only when the input has ended.
                    Some(follow) if follow.wait()? => continue,
                    _ => return Ok(!line.is_empty()),
                }
            }
            let end = memchr(b'\n', bytes);
            let taken = end.unwrap_or(bytes.len());
            line.extend_from_slice(&bytes[..taken]);
            let used = taken + usize::from(end.is_some());
            self.reader.consume(used);
            if let Some(follow) = &mut self.follow {
                follow.read += used as u64;
            }
            if end.is_some() {
                return Ok(true);
            }
            if line.len() > LONGEST {
                let message = format!("a line is longer than {} MiB", LONGEST >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
        }
    }
}

impl Follow {
    /// Waits a moment for more. False if cancelled.
    fn wait(&self) -> io::Result<bool> {
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        if fs::metadata(&self.path)?.len() < self.read {
            let message = "the file has become shorter: it was overwritten";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let begun = Instant::now();
        thread::sleep(WAIT);
        self.allowance.pause(begun.elapsed());
        Ok(true)
    }
}
