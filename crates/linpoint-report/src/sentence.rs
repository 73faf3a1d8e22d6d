//! The sentence that states a contradiction, with the names of clients and objects.

use linpoint::OpId;
use linpoint::verdict::{OpMention, Piece, Reason};

use crate::difference::briefly;
use crate::rendered::{Operation, Operations};

/// A sentence that is longer does not fit two lines of 100 columns. It does without the lines of the file, which are beside
/// the facts.
const TWO_LINES: usize = 185;

/// A piece of a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SentencePiece {
    /// The operation that it names, if any.
    pub op: Option<OpId>,
    /// The text.
    pub text: String,
}

/// The sentence with the names of clients and objects. Long values are shown by their differences.
pub(crate) fn sentence(operations: &dyn Operations, reason: &Reason) -> Vec<SentencePiece> {
    let mut reason = reason.clone();
    let mentions = || {
        reason.pieces.iter().filter_map(|piece| match piece {
            Piece::Op(mention) => Some(mention),
            Piece::Text(_) => None,
        })
    };
    let calls = briefly(&mentions().map(|m| m.call.as_str()).collect::<Vec<_>>());
    let of = |m: &OpMention| m.result.clone().unwrap_or_default();
    let results: Vec<String> = mentions().map(of).collect();
    let results = briefly(&results.iter().map(String::as_str).collect::<Vec<_>>());
    let brief = calls.into_iter().zip(results);
    let ops = reason.pieces.iter_mut().filter_map(|piece| match piece {
        Piece::Op(mention) => Some(mention),
        Piece::Text(_) => None,
    });
    for (mention, (call, result)) in ops.zip(brief) {
        let object = operations.operation(mention.op).object;
        mention.call = object.map(|object| format!("{object}: ")).unwrap_or_default() + &call;
        mention.result = mention.result.as_ref().map(|_| result);
    }
    let with_lines = pieces(operations, &reason, true);
    let length: usize = with_lines.iter().map(|piece| piece.text.chars().count()).sum();
    if length > TWO_LINES { pieces(operations, &reason, false) } else { with_lines }
}

/// The pieces of a sentence. Real time is said in terms of the file: by lines.
fn pieces(operations: &dyn Operations, reason: &Reason, has_lines: bool) -> Vec<SentencePiece> {
    let client = |id| {
        let Operation { client, line, .. } = operations.operation(id);
        let line = line.filter(|_| has_lines).map(|line| format!(" (line {line})"));
        client.map(|client| client + &line.unwrap_or_default())
    };
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => SentencePiece { op: None, text: text.clone().into_owned() },
        Piece::Op(mention) => {
            let (op, mention) = (Some(mention.op), mention.clone());
            SentencePiece { op, text: Reason::new(reason.kind).op(mention).render(client) }
        }
    };
    reason.pieces.iter().map(piece).collect()
}
