//! Rows: the fields of one line of a log, whatever its syntax is.

use std::borrow::Cow;

use crate::{ReadError, Source, Value};

/// A line of a log.
pub(super) struct Row<'a> {
    pub(super) line: u32,
    pub(super) fields: Vec<Cell<'a>>,
}

/// A field of a line.
pub(super) struct Cell<'a> {
    pub(super) name: Cow<'a, str>,
    /// Its text: JSON, or a cell of a table without its quotes.
    pub(super) text: Cow<'a, str>,
    pub(super) syntax: Syntax,
    /// Where it is.
    pub(super) place: Place,
}

/// A line and a column, from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: usize,
}

/// How the text of a cell is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Syntax {
    Json,
    /// A cell of a table. An empty one is absent, unless it has quotes.
    Table {
        quoted: bool,
    },
}

impl Place {
    /// An error here.
    pub(super) fn wrong(self, source: &Source, message: impl Into<String>) -> ReadError {
        ReadError::new(source, message).at(source, self.line, self.column)
    }
}

impl Cell<'_> {
    /// True if there is nothing: null in JSON, an empty cell in a table.
    pub(super) fn is_empty(&self) -> bool {
        match self.syntax {
            Syntax::Json => self.text == "null",
            Syntax::Table { quoted } => self.text.is_empty() && !quoted,
        }
    }

    /// The value in it.
    pub(super) fn value(&self, nil: Option<&str>) -> Result<Value, String> {
        let value = match self.syntax {
            Syntax::Json => serde_json::from_str(&self.text).map_err(|error| {
                let message = error.to_string();
                let place = format!(" at line {} column {}", error.line(), error.column());
                message.strip_suffix(&place).unwrap_or(&message).to_owned()
            })?,
            Syntax::Table { .. } => super::value_of_cell(&self.text),
        };
        let is_nil = nil.is_some_and(|nil| match self.syntax {
            Syntax::Json => value.as_str() == Some(nil),
            Syntax::Table { .. } => self.text == nil,
        });
        Ok(if is_nil { Value::Nil } else { value })
    }

    /// Its text as a word: without the quotes of a JSON string.
    pub(super) fn word(&self) -> Cow<'_, str> {
        match self.syntax {
            Syntax::Json if self.text.starts_with('"') => {
                serde_json::from_str(&self.text).map_or(Cow::Borrowed(&*self.text), Cow::Owned)
            }
            _ => Cow::Borrowed(&self.text),
        }
    }
}

impl<'a> Row<'a> {
    /// The field of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Cell<'a>> {
        self.fields.iter().find(|cell| cell.name == name)
    }

    /// The names of its fields, for messages.
    pub(super) fn names(&self) -> Vec<&str> {
        self.fields.iter().map(|cell| &*cell.name).collect()
    }
}
