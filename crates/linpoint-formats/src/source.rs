//! An input: its bytes, and its name for messages.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use linpoint::Limits;

use crate::etcd;
use crate::unpack::unpacked;

/// A file or a stream, read completely. Input that is compressed is unpacked: gzip, zstd, xz, bzip2.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
    /// The number of the first line.
    first_line: u32,
    /// The start of every [`MARK`]th line, computed when a line is first requested.
    marks: OnceLock<Vec<usize>>,
    /// The files of a folder, if it is one: where each begins, in bytes and in lines, and its name.
    files: Vec<(usize, u32, String)>,
}

/// A file of a [`Source`].
pub(crate) struct SourceFile<'a> {
    /// Its name in the folder; `None` if the source is a file.
    pub(crate) name: Option<&'a str>,
    /// The number of its first line in the source.
    pub(crate) first_line: u32,
    /// Its contents.
    pub(crate) text: &'a [u8],
}

/// Number of lines between two marks.
const MARK: usize = 64;

impl Source {
    /// Takes bytes without unpacking them.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Source {
        let (name, bytes) = (name.into(), bytes.into());
        Source { name, bytes, first_line: 1, marks: OnceLock::new(), files: Vec::new() }
    }

    /// Replaces the contents by one line of a stream.
    pub(crate) fn set_line(&mut self, number: u32, line: &[u8]) {
        self.first_line = number;
        self.marks = OnceLock::new();
        self.bytes.clear();
        self.bytes.extend_from_slice(line);
    }

    /// The number of the first line.
    pub(crate) fn first_line(&self) -> u32 {
        self.first_line
    }

    /// Reads a file. A compressed file may unpack to at most [`Source::usual_limit`] bytes.
    pub fn open(path: &Path) -> io::Result<Source> {
        Source::open_within(path, Source::usual_limit())
    }

    /// Reads a file. A compressed file that unpacks to more than `most` bytes is an error of the
    /// kind [`io::ErrorKind::FileTooLarge`]: a small file can unpack to more than fits into memory.
    pub fn open_within(path: &Path, most: usize) -> io::Result<Source> {
        if path.is_dir() {
            return Source::open_folder(path);
        }
        let mut file = File::open(path)?;
        // One allocation of the right size, if the system knows it.
        let size = file.metadata().ok().and_then(|meta| usize::try_from(meta.len()).ok());
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size.unwrap_or_default())?;
        file.read_to_end(&mut bytes)?;
        Ok(Source::new(path.display().to_string(), unpacked(bytes, most)?))
    }

    /// Reads a folder that is one history: a report of etcd's robustness tests.
    fn open_folder(path: &Path) -> io::Result<Source> {
        let mut source = Source::new(path.display().to_string(), Vec::new());
        let mut line = 1_u32;
        for (name, file) in etcd::files_of(path)? {
            source.files.push((source.bytes.len(), line, name));
            File::open(file)?.read_to_end(&mut source.bytes)?;
            if source.bytes.last().is_some_and(|last| *last != b'\n') {
                source.bytes.push(b'\n');
            }
            let lines = memchr::memchr_iter(b'\n', &source.bytes).count();
            line = u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1);
        }
        match source.files.is_empty() {
            true => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")),
            false => Ok(source),
        }
    }

    /// Its files; itself, if it is one.
    pub(crate) fn files(&self) -> Vec<SourceFile<'_>> {
        if self.files.is_empty() {
            return vec![SourceFile { name: None, first_line: self.first_line, text: self.text() }];
        }
        let end = |next: usize| match self.files.get(next) {
            Some((from, ..)) => *from,
            None => self.bytes.len(),
        };
        let files = self.files.iter().enumerate();
        files
            .map(|(at, (from, first_line, name))| SourceFile {
                name: Some(name),
                first_line: *first_line,
                text: &self.bytes[*from..end(at + 1)],
            })
            .collect()
    }

    /// The file of a line, and the number of the line in it.
    pub(crate) fn place(&self, line: u32) -> (Option<&str>, u32) {
        let after = self.files.partition_point(|(_, first, _)| *first <= line);
        match after.checked_sub(1).and_then(|at| self.files.get(at)) {
            Some((_, first, name)) => (Some(name), line - first + 1),
            None => (None, line),
        }
    }

    /// Reads a stream to its end, with the limit of [`Source::open`].
    pub fn read(name: impl Into<String>, stream: impl Read) -> io::Result<Source> {
        Source::read_within(name, stream, Source::usual_limit())
    }

    /// Reads a stream to its end, with the limit of [`Source::open_within`].
    pub fn read_within(
        name: impl Into<String>,
        mut stream: impl Read,
        most: usize,
    ) -> io::Result<Source> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        Ok(Source::new(name, unpacked(bytes, most)?))
    }

    /// The default limit for unpacking a compressed input: a quarter of the memory that a check may
    /// take, since a history takes several times as much memory as its text.
    pub fn usual_limit() -> usize {
        Limits::default().memory_bytes() / 4
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The contents without a byte order mark.
    pub fn text(&self) -> &[u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes)
    }

    /// The lines with their numbers, without line ends and without a byte order mark.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut number = self.first_line - 1;
        lines_of(self.text()).map(move |line| {
            number = number.saturating_add(1);
            (number, line)
        })
    }

    /// One line by its number. A file can have very many bad histories, each of which requests its
    /// line, so this must not search from the start every time.
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let at = number.checked_sub(self.first_line)? as usize;
        let text = self.text();
        let marks = self.marks.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', text).skip(MARK - 1).step_by(MARK);
            std::iter::once(0).chain(ends.map(|end| end + 1)).collect()
        });
        let start = *marks.get(at / MARK)?;
        lines_of(text.get(start..)?).nth(at % MARK)
    }
}

fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let line = match memchr::memchr(b'\n', text) {
            Some(end) => {
                rest = Some(&text[end + 1..]);
                &text[..end]
            }
            None => {
                rest = None;
                text
            }
        };
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_and_no_ends() {
        let source = Source::new("h", "\u{feff}a\r\nb\n\nc");
        let lines: Vec<(u32, &[u8])> = source.lines().collect();
        assert_eq!(lines, [(1, &b"a"[..]), (2, b"b"), (3, b""), (4, b"c")]);
        assert_eq!((source.line(4), source.line(5), source.line(0)), (Some(&b"c"[..]), None, None));
    }

    #[test]
    fn lines_are_found_by_their_numbers() {
        for count in [0, 1, MARK - 1, MARK, MARK + 1, 3 * MARK, 3 * MARK + 7] {
            let text: String = (1..=count).map(|n| format!("{n}\n")).collect();
            let mut source = Source::new("h", text);
            let lines: Vec<(u32, Vec<u8>)> =
                source.lines().map(|(n, line)| (n, line.to_owned())).collect();
            assert_eq!(lines.len(), count + 1);
            for (number, line) in lines {
                assert_eq!(source.line(number), Some(&line[..]), "{number} of {count}");
            }
            assert_eq!(source.line(count as u32 + 2), None);
            source.set_line(9, b"nine");
            assert_eq!((source.line(9), source.line(8)), (Some(&b"nine"[..]), None));
        }
    }
}
