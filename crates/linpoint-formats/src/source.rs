//! Where a history comes from: the bytes, and their name for messages.

use std::io::{self, Read};
use std::path::Path;

/// A file or a stream, read completely.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
}

impl Source {
    /// Bytes that are already here.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Source {
        Source { name: name.into(), bytes: bytes.into() }
    }

    /// The contents of a file.
    pub fn open(path: &Path) -> io::Result<Source> {
        Ok(Source::new(path.display().to_string(), std::fs::read(path)?))
    }

    /// Everything up to the end of a stream.
    pub fn read(name: impl Into<String>, mut stream: impl Read) -> io::Result<Source> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        Ok(Source::new(name, bytes))
    }

    /// The name that messages give it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The lines with their numbers, from 1, without line ends and without a byte order mark.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let bytes = self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes);
        bytes.split(|b| *b == b'\n').enumerate().map(|(i, line)| {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            (u32::try_from(i + 1).unwrap_or(u32::MAX), line)
        })
    }

    /// One line by its number.
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        self.lines().nth(number.checked_sub(1)? as usize).map(|(_, line)| line)
    }
}
