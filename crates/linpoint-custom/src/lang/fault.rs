//! What is wrong with a script, and where.

/// A place in a script: an offset in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pos(pub(crate) u32);

/// What is wrong, before it is known in which file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub(crate) pos: Pos,
    pub(crate) message: String,
}

/// What a function of the interpreter gives. The fault is behind a pointer, so that the usual case stays small.
pub(crate) type Outcome<T> = Result<T, Box<Fault>>;

/// A fault at a place.
#[cold]
pub(crate) fn fault<T>(pos: Pos, message: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Fault { pos, message: message.into() }))
}

/// An error in a script: it points into its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptError {
    /// The file, as the user named it.
    pub file: String,
    /// The line, from 1; 0 if the error has no place.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// The line, as far as it can be shown.
    pub text: String,
}

/// Longer lines are not shown.
const LONGEST_LINE: usize = 200;

impl ScriptError {
    /// An error without a place.
    pub(crate) fn of_file(file: &str, message: impl Into<String>) -> ScriptError {
        let (file, message) = (file.to_owned(), message.into());
        ScriptError { file, line: 0, column: 0, message, text: String::new() }
    }

    pub(crate) fn new(file: &str, source: &str, fault: &Fault) -> ScriptError {
        let at = (fault.pos.0 as usize).min(source.len());
        let before = source.get(..at).unwrap_or(source);
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let line = source[begin..].lines().next().unwrap_or_default();
        let shown = if line.len() <= LONGEST_LINE { line } else { "" };
        ScriptError {
            file: file.to_owned(),
            line: 1 + before.matches('\n').count() as u32,
            column: 1 + before[begin..].chars().count() as u32,
            message: fault.message.clone(),
            // A tab would put the caret elsewhere; other control characters must not reach a terminal.
            text: shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
        }
    }
}

impl std::fmt::Display for ScriptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 {
            return write!(f, "{}: {}", self.file, self.message);
        }
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        if !self.text.trim().is_empty() {
            let number = self.line.to_string();
            let indent = " ".repeat(number.len());
            let caret = " ".repeat(self.column.saturating_sub(1) as usize);
            write!(f, "\n  {number} | {}\n  {indent} | {caret}^", self.text)?;
        }
        Ok(())
    }
}

impl std::error::Error for ScriptError {}
