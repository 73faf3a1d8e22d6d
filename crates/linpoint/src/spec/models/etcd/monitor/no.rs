//! A contradiction: a few rows, and a sentence about them.

use super::super::{EtcdOp, EtcdRet, words};
use super::read::Row;
use crate::monitor::Piece;
use crate::spec::{PartView, Refutation};
use crate::verdict::{Form, OpMention, Reason, ReasonKind};

/// Rows that contradict each other whatever the other rows did, and why.
#[derive(Debug)]
pub(super) struct No {
    pub(super) rows: Vec<Row>,
    kind: ReasonKind,
    sentence: Vec<Piece>,
}

/// A contradiction of the rows that the sentence names: `no!(Stale, a, " is older than ", b)`.
macro_rules! no {
    ($kind:ident, $($piece:expr),+ $(,)?) => {
        $crate::spec::models::etcd::monitor::no::No::new(
            $crate::verdict::ReasonKind::$kind,
            vec![$($crate::monitor::Piece::from($piece)),+],
        )
    };
}
pub(super) use no;

impl No {
    pub(super) fn new(kind: ReasonKind, sentence: Vec<Piece>) -> No {
        let row = |piece: &Piece| match piece {
            Piece::Text(_) => None,
            Piece::Op(row) => Some(*row),
        };
        No { rows: sentence.iter().filter_map(row).collect(), kind, sentence }
    }

    /// Adds rows that the sentence does not name.
    pub(super) fn and(mut self, rows: impl IntoIterator<Item = Row>) -> No {
        self.rows.extend(rows);
        self
    }

    pub(super) fn into_refutation(self, part: &PartView<'_, EtcdOp, EtcdRet>) -> Refutation {
        let views: Vec<_> = part.iter().collect();
        let mut rows = self.rows;
        rows.sort_unstable();
        rows.dedup();
        let ops = rows.iter().filter_map(|row| Some(views.get(*row as usize)?.id)).collect();
        let mention = |row: Row| {
            let view = views.get(row as usize)?;
            Some(OpMention {
                op: view.id,
                form: Form::WithClient,
                call: words::op(view.op),
                process: None,
                result: view.ret.map(|ret| words::brief(view.op, ret)),
            })
        };
        let empty = Reason::new(self.kind);
        let reason = self.sentence.into_iter().fold(empty, |reason, piece| match piece {
            Piece::Text(text) => reason.text(text),
            Piece::Op(row) => match mention(row) {
                Some(mention) => reason.op(mention),
                None => reason,
            },
        });
        Refutation { ops, reason }
    }
}
