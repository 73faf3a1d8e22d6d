//! What is wrong with an input: where, the text in question, and what was expected.

use std::fmt;

use crate::Source;

/// An input that could not be understood.
///
/// It prints as a message with the place and the offending line under it:
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

/// Errors are rare and results are everywhere, so the details are out of the way.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Details {
    file: String,
    line: Option<u32>,
    /// From 1, in bytes.
    column: Option<usize>,
    text: Option<String>,
    /// Where in `text` the mark goes, in characters.
    mark: Option<usize>,
    message: String,
    help: Option<String>,
}

/// Longer messages are cut: a name or a value in it can be as long as the input.
const MESSAGE: usize = 400;

fn cut(message: String) -> String {
    match message.char_indices().nth(MESSAGE) {
        Some((at, _)) => format!("{}\u{2026}", &message[..at]),
        None => message,
    }
}

/// As many characters of a long line are shown on either side of the place in question.
const CONTEXT: usize = 36;

impl ReadError {
    /// Something that concerns the whole input.
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

    /// Names the line, and keeps its text.
    pub fn at_line(mut self, source: &Source, line: u32) -> ReadError {
        self.0.line = Some(line);
        self.0.column = None;
        self.0.mark = None;
        self.0.text = source.line(line).map(|bytes| excerpt(bytes, 0).0);
        self
    }

    /// Names the line and the column (from 1, in bytes), and keeps the text around it.
    pub fn at(mut self, source: &Source, line: u32, column: usize) -> ReadError {
        self.0.line = Some(line);
        self.0.column = Some(column.max(1));
        if let Some(bytes) = source.line(line) {
            let (text, mark) = excerpt(bytes, column.saturating_sub(1));
            self.0.text = Some(text);
            self.0.mark = Some(mark);
        }
        self
    }

    /// Adds what would have been right.
    pub fn help(mut self, help: impl Into<String>) -> ReadError {
        self.0.help = Some(help.into());
        self
    }

    /// The name of the input.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The line, from 1, where there is one.
    pub fn line(&self) -> Option<u32> {
        self.0.line
    }

    /// The column, from 1 and in bytes, where it is known.
    pub fn column(&self) -> Option<usize> {
        self.0.column
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

/// The text around the byte `at` as one printable line, and where in it that byte is.
fn excerpt(bytes: &[u8], at: usize) -> (String, usize) {
    let at = at.min(bytes.len());
    // Bytes that cannot be part of the excerpt are not even decoded: lines can be huge.
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
