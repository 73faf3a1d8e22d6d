//! Errors in an input: the position, the offending text, and what was expected.

use std::fmt::{self, Display, Formatter};

use crate::{Source, Value};

/// An input that could not be read.
///
/// It prints as a message with the position and the offending line:
///
/// ```text
/// jobs.jsonl:3:16: unknown operation "enqeue"
///   |
/// 3 | {"call":1,"op":"enqeue","args":[4]}
///   |                ^
///   = a queue has: enqueue(value), dequeue(), peek()
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError(Box<Details>);

/// Errors are rare and results are everywhere, so the details are boxed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Details {
    file: String,
    line: Option<u32>,
    /// From 1, in bytes.
    column: Option<usize>,
    text: Option<String>,
    /// The position of the mark in `text`, in characters.
    mark: Option<usize>,
    message: String,
    help: Option<String>,
}

/// Cut messages longer than this: a name or a value can be as long as the input.
const MESSAGE: usize = 400;

fn cut(message: String) -> String {
    match message.char_indices().nth(MESSAGE) {
        Some((at, _)) => format!("{}\u{2026}", &message[..at]),
        None => message,
    }
}

/// Show at most this many characters of a long line on either side of the position.
const CONTEXT: usize = 36;

impl ReadError {
    /// An error about the whole input.
    pub fn new(source: &Source, message: impl Into<String>) -> ReadError {
        ReadError(Box::new(Details {
            file: source.name().to_owned(),
            line: None,
            column: None,
            text: None,
            mark: None,
            message: cut(message.into()),
            help: None,
        }))
    }

    /// In a folder, the line is one of a file.
    fn set_line(&mut self, source: &Source, line: u32) {
        let (file, line) = source.place(line);
        if let Some(file) = file {
            self.0.file = format!("{}/{file}", source.name().trim_end_matches('/'));
        }
        self.0.line = Some(line);
    }

    /// Adds the line, and keeps its text.
    pub fn at_line(mut self, source: &Source, line: u32) -> ReadError {
        self.set_line(source, line);
        self.0.column = None;
        self.0.mark = None;
        self.0.text = source.line(line).map(|bytes| excerpt(bytes, 0).0);
        self
    }

    /// Adds the line and the column (from 1, in bytes), and keeps the text around it.
    pub fn at(mut self, source: &Source, line: u32, column: usize) -> ReadError {
        self.set_line(source, line);
        self.0.column = Some(column.max(1));
        if let Some(bytes) = source.line(line) {
            let (text, mark) = excerpt(bytes, column.saturating_sub(1));
            self.0.text = Some(text);
            self.0.mark = Some(mark);
        }
        self
    }

    /// Adds a hint about what would be valid.
    pub fn help(mut self, help: impl Into<String>) -> ReadError {
        self.0.help = Some(help.into());
        self
    }

    /// The name of the input.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The line, from 1, if known.
    pub fn line(&self) -> Option<u32> {
        self.0.line
    }

    /// The column, from 1 and in bytes, if known.
    pub fn column(&self) -> Option<usize> {
        self.0.column
    }

    /// The message, without the position.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

/// The text around the byte `at` as one printable line, and the position of that byte in it.
fn excerpt(bytes: &[u8], at: usize) -> (String, usize) {
    let at = at.min(bytes.len());
    // Bytes that cannot be part of the excerpt are not decoded: lines can be huge.
    let from = at.saturating_sub(4 * CONTEXT);
    let to = bytes.len().min(at + 8 * CONTEXT);
    let printable = |bytes: &[u8]| -> Vec<char> {
        let text = String::from_utf8_lossy(bytes);
        text.chars().map(|c| if c.is_control() { '\u{b7}' } else { c }).collect()
    };
    let (before, after) = (printable(&bytes[from..at]), printable(&bytes[at..to]));
    let cut_before = before.len().saturating_sub(CONTEXT);
    let keep_after = after.len().min(2 * CONTEXT);
    let mut text = String::new();
    let mut mark = before.len() - cut_before;
    if from > 0 || cut_before > 0 {
        text.push('\u{2026}');
        mark += 1;
    }
    text.extend(&before[cut_before..]);
    text.extend(&after[..keep_after]);
    if to < bytes.len() || keep_after < after.len() {
        text.push('\u{2026}');
    }
    (text, mark)
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.file)?;
        if let Some(line) = self.0.line {
            write!(f, ":{line}")?;
        }
        if let Some(column) = self.0.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": {}", self.0.message)?;
        let number = self.0.line.map(|line| line.to_string()).unwrap_or_default();
        let margin = number.len();
        if let Some(text) = &self.0.text {
            write!(f, "\n{:margin$} |\n{number} | {text}", "")?;
            if let Some(mark) = self.0.mark {
                write!(f, "\n{:margin$} | {:mark$}^", "", "")?;
            }
        }
        if let Some(help) = &self.0.help {
            write!(f, "\n{:margin$} = {help}", "")?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

/// Why an operation cannot be added to a [`RawBuilder`](crate::raw::RawBuilder).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RawError {
    /// A process calls while another of its operations is open.
    StillOpen {
        /// The process.
        process: Value,
        /// The name of its open operation.
        name: String,
        /// The line of that operation.
        line: u32,
    },
    /// More arguments than an operation may have.
    TooManyArguments(usize),
    /// More distinct operation names than a history may have.
    TooManyOperationNames,
    /// More distinct processes, objects or scopes than a history may have.
    TooManyNames,
    /// More operations than a history may have.
    TooManyOperations,
    /// More open operations than a stream may have.
    TooManyOpenOperations,
    /// A fault ends that has not begun.
    NoFault {
        /// Its name.
        name: String,
    },
}

impl Display for RawError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            RawError::StillOpen { process, name, line } => {
                write!(
                    f,
                    "process {process} calls while its {name:?} from line {line} is still open"
                )
            }
            RawError::TooManyArguments(count) => write!(f, "{count} arguments are too many"),
            RawError::TooManyOperationNames => f.write_str("too many different operations"),
            RawError::TooManyNames => f.write_str("too many names"),
            RawError::TooManyOperations => f.write_str("too many operations"),
            RawError::TooManyOpenOperations => f.write_str("too many open operations"),
            RawError::NoFault { name } => write!(f, "no fault {name:?} is open"),
        }
    }
}

impl std::error::Error for RawError {}

/// The message alone, for readers that add the position.
impl From<RawError> for String {
    fn from(error: RawError) -> String {
        error.to_string()
    }
}

/// Why there is no specification of a Java object.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JavaError {
    /// There is no specification of this class.
    UnknownClass(String),
    /// The class has no constructor with these arguments, or this crate does not know it.
    UnknownConstructor(String),
}

impl Display for JavaError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            JavaError::UnknownClass(class) => {
                write!(f, "there is no specification of the Java class {class}")
            }
            JavaError::UnknownConstructor(call) => write!(f, "the constructor {call} is not known"),
        }
    }
}

impl std::error::Error for JavaError {}

impl From<JavaError> for String {
    fn from(error: JavaError) -> String {
        error.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_under_the_place() {
        let source = Source::new("a.jsonl", "one\ntwo three\n");
        let error = ReadError::new(&source, "not a number").at(&source, 2, 5).help("try 3");
        assert_eq!(
            error.to_string(),
            "a.jsonl:2:5: not a number\n  |\n2 | two three\n  |     ^\n  = try 3"
        );
    }

    #[test]
    fn long_lines_are_cut_on_both_sides() {
        let line = format!("{}X{}", "ä".repeat(500_000), "b".repeat(500_000));
        let source = Source::new("a", line);
        let error = ReadError::new(&source, "odd").at(&source, 1, 1_000_001).to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert!(lines.iter().all(|l| l.chars().count() < 130), "{error}");
        let mark = lines[3].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[2].chars().nth(mark), Some('X'));
    }

    #[test]
    fn long_messages_are_cut() {
        let source = Source::new("a", "");
        let error = ReadError::new(&source, "\u{e4}".repeat(1_000_000));
        assert_eq!(error.message().chars().count(), MESSAGE + 1);
    }

    #[test]
    fn any_bytes_make_a_message() {
        let source = Source::new("a", vec![0xff, 0xfe, 0, 0x1b, b'[', b'\n']);
        for column in 0..9 {
            let text = ReadError::new(&source, "odd").at(&source, 1, column).to_string();
            assert!(!text.contains('\u{1b}'));
        }
        assert!(ReadError::new(&source, "odd").at(&source, 77, 3).0.text.is_none());
    }
}
