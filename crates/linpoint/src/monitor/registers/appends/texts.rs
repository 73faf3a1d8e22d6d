//! Everything that is written to one register and read from it, as texts.

use std::borrow::Cow;

use crate::monitor::columns::Kind;
use crate::monitor::{Refusal, Rows};
use crate::spec::{Role, Text};

/// A put, an append or a read, with its text.
pub(super) struct Row<'a> {
    pub(super) row: u32,
    pub(super) letters: Cow<'a, [u8]>,
}

/// Everything that is written and read.
pub(super) struct Texts<'a> {
    /// The kind of each row, as if it appended to nothing.
    pub(super) kinds: Vec<Kind>,
    pub(super) initial: Cow<'a, [u8]>,
    pub(super) puts: Vec<Row<'a>>,
    pub(super) appends: Vec<Row<'a>>,
    pub(super) reads: Vec<Row<'a>>,
}

impl<'a> Texts<'a> {
    pub(super) fn read(rows: Rows<'a>) -> Result<Texts<'a>, Refusal> {
        let mut language = None;
        let mut letters = |text: Option<Text<'a>>| {
            let text = text.ok_or_else(|| Refusal::new("a value that is not a text"))?;
            if text.language.is_some_and(|its| *language.get_or_insert(its) != its) {
                return Err(Refusal::new("texts of different kinds in one register"));
            }
            Ok(text.letters)
        };
        let mut texts = Texts {
            kinds: Vec::with_capacity(rows.len()),
            initial: letters(rows.initial_text())?,
            puts: Vec::new(),
            appends: Vec::new(),
            reads: Vec::new(),
        };
        let key = |row: usize| rows.key(row);
        for row in 0..rows.len() {
            if key(row) != key(0) {
                return Err(Refusal::new("values are appended to"));
            }
            let mut text = || {
                let letters = letters(rows.text(row))?;
                Ok(Row { row: row as u32, letters })
            };
            let kind = if rows.appends(row) {
                texts.appends.push(text()?);
                Kind::Write
            } else {
                match rows.role(row) {
                    Role::Idle => Kind::Idle,
                    // It reveals nothing.
                    Role::Read(_) if rows.is_pending(row) => Kind::Idle,
                    Role::Read(_) => {
                        texts.reads.push(text()?);
                        Kind::Read
                    }
                    Role::Write(_) => {
                        texts.puts.push(text()?);
                        Kind::Write
                    }
                    Role::Foreign(reason) => return Err(Refusal::new(reason)),
                    _ => return Err(Refusal::new("values are appended to and replaced")),
                }
            };
            texts.kinds.push(kind);
        }
        if texts.puts.iter().chain(&texts.appends).any(|row| row.letters.is_empty()) {
            return Err(Refusal::new("an empty text is written or appended"));
        }
        Ok(texts)
    }
}
