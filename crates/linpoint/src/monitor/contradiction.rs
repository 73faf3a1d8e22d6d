//! A monitor's negative answer: a few operations, and a sentence about them.

use std::borrow::Cow;

use crate::spec::Refutation;
use crate::verdict::{Reason, ReasonKind};

use super::Rows;

/// Rows that contradict each other whatever the other rows did, and why.
#[derive(Clone, Debug)]
pub(crate) struct Contradiction {
    /// The rows; everything else may be relaxed without removing the contradiction.
    pub(crate) rows: Vec<u32>,
    /// The sentence, in pieces.
    pub(crate) sentence: Vec<Piece>,
    /// Some order explains this many returns; 0 if that is not known.
    pub(crate) explained: u32,
}

/// A piece of a sentence.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// Text.
    Text(Cow<'static, str>),
    /// An operation with its result: `dequeue() by client 3 -> 7`.
    Op(u32),
}

impl From<&'static str> for Piece {
    fn from(text: &'static str) -> Piece {
        Piece::Text(text.into())
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Piece {
        Piece::Text(text.into())
    }
}

impl From<u32> for Piece {
    fn from(row: u32) -> Piece {
        Piece::Op(row)
    }
}

/// A contradiction of the rows that the sentence names: `contradiction!["", a, " but ", b]`, with
/// rows as `u32` and text as `&'static str` or `String`.
macro_rules! contradiction {
    ($($piece:expr),+ $(,)?) => {
        $crate::monitor::Contradiction::new(vec![$($crate::monitor::Piece::from($piece)),+])
    };
}
pub(crate) use contradiction;

impl Contradiction {
    /// A contradiction of the rows that the sentence names.
    pub(crate) fn new(sentence: Vec<Piece>) -> Contradiction {
        let mut rows: Vec<u32> = Vec::new();
        for piece in &sentence {
            if let Piece::Op(row) = piece
                && !rows.contains(row)
            {
                rows.push(*row);
            }
        }
        Contradiction { rows, sentence, explained: 0 }
    }

    /// A contradiction of these rows. The sentence names a few of them and has this end.
    pub(crate) fn of_all(rows: &[u32], end: impl Into<Piece>) -> Contradiction {
        const NAMED: usize = 4;
        let mut sentence: Vec<Piece> = Vec::new();
        for (i, row) in rows.iter().take(NAMED).enumerate() {
            match i {
                0 => {}
                _ if i + 1 == rows.len() => sentence.push(" and ".into()),
                _ => sentence.push(", ".into()),
            }
            sentence.push((*row).into());
        }
        if rows.len() > NAMED {
            sentence.push(format!(" and {} others", rows.len() - NAMED).into());
        }
        sentence.push(end.into());
        Contradiction::new(sentence).and(rows.iter().copied())
    }

    /// Adds rows that the sentence does not name.
    pub(crate) fn and(mut self, rows: impl IntoIterator<Item = u32>) -> Contradiction {
        self.rows.extend(rows);
        self.rows.sort_unstable();
        self.rows.dedup();
        self
    }

    /// Translates rows to operations of the history.
    pub(crate) fn into_refutation(self, rows: Rows<'_>) -> Refutation {
        let empty = Reason::new(ReasonKind::Contradiction);
        let reason = self.sentence.into_iter().fold(empty, |reason, piece| match piece {
            Piece::Text(text) => reason.text(text),
            Piece::Op(row) => reason.op(rows.mention(row)),
        });
        Refutation { ops: self.rows.iter().map(|row| rows.id(*row as usize)).collect(), reason }
    }
}
