//! Lines from a pipe or a file, as they come. A file that is followed has more of them later.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use linpoint::Cancel;

/// A longer line is refused: it has to fit into memory.
const LONGEST: usize = 64 << 20;
/// Between two looks at the end of a file.
const WAIT: Duration = Duration::from_millis(50);

/// Where lines come from.
pub struct Feed {
    reader: Box<dyn BufRead>,
    follows: Option<Follow>,
}

struct Follow {
    path: PathBuf,
    /// Bytes that have been read.
    read: u64,
    cancel: Cancel,
}

impl Feed {
    /// The standard input.
    pub fn stdin() -> Feed {
        Feed { reader: Box::new(io::stdin().lock()), follows: None }
    }

    /// A file; one that is followed has no end until it is cancelled.
    pub fn file(path: &Path, until: Option<&Cancel>) -> io::Result<Feed> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is a directory"));
        }
        let follow =
            |cancel: &Cancel| Follow { path: path.to_owned(), read: 0, cancel: cancel.clone() };
        Ok(Feed {
            reader: Box::new(BufReader::with_capacity(1 << 16, file)),
            follows: until.map(follow),
        })
    }

    /// Appends the next line without its end. False: there are no more.
    pub fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            let bytes = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() {
                match &self.follows {
                    // What comes after the last line end is complete only if nothing more comes.
                    Some(follow) if follow.wait()? => continue,
                    _ => return Ok(!line.is_empty()),
                }
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(bytes.len());
            line.extend_from_slice(&bytes[..taken]);
            let used = taken + usize::from(end.is_some());
            self.reader.consume(used);
            if let Some(follow) = &mut self.follows {
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
    /// Waits a moment for more. False: nobody wants more.
    fn wait(&self) -> io::Result<bool> {
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        if fs::metadata(&self.path)?.len() < self.read {
            let message = "the file has become shorter: it was written anew";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        thread::sleep(WAIT);
        Ok(true)
    }
}
