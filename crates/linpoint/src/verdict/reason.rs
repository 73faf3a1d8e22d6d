//! Why a history is not linearizable, as data. The engine that refutes a history creates it;
//! rendering is in one place.

use std::borrow::Cow;
use std::fmt;

use super::Argument;
use crate::history::OpId;

/// The reason for a violation: its kind, and a sentence that refers to operations by number, so
/// that a report can use the clients' own names and link to the operations.
///
/// `Display` renders it with numbers for clients; [`Reason::render`] with names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// What kind of reason it is.
    pub kind: ReasonKind,
    /// What it states, for the kinds that state facts about a few operations.
    pub argument: Option<Argument>,
    /// The sentence.
    pub pieces: Vec<Piece>,
}

/// What kind of reason a [`Reason`] is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum ReasonKind {
    /// An operation found what was gone.
    Stale,
    /// An operation found what was never there.
    Phantom,
    /// An operation found what came only later.
    Future,
    /// An operation did not find what was there.
    Missing,
    /// Several operations took what was there once.
    Twice,
    /// What was taken or seen was not in turn.
    OutOfOrder,
    /// An operation found no element, but there was one.
    NotEmpty,
    /// A lock was acquired while it was held.
    Overlap,
    /// A number is not one that any order gives.
    Total,
    /// Two operations that saw several values at once contradict each other.
    Crossed,
    /// A few operations contradict each other whatever the others did. Found by a monitor or by the
    /// specification.
    Contradiction,
    /// The failing operation returned something that no order of the others allows, while another
    /// result was allowed.
    WrongResult,
    /// No result of the failing operation was possible: it should have waited.
    NoResult,
    /// No order of the operations explains their results.
    NoOrder,
    /// There are orders, but none respects the asserted positions.
    HintBroken,
}

/// A piece of the sentence of a [`Reason`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Text.
    Text(Cow<'static, str>),
    /// An operation.
    Op(OpMention),
}

/// An operation that a [`Reason`] names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpMention {
    /// Which operation.
    pub op: OpId,
    /// How much of it is shown.
    pub form: Form,
    /// The operation as text: `dequeue()`.
    pub call: String,
    /// The process that performed it, if known.
    pub process: Option<u32>,
    /// Its result as text, if known.
    pub result: Option<String>,
}

/// How much of an operation is shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// `dequeue() -> 7`.
    WithResult,
    /// `dequeue() by client 3 -> 7`.
    WithClient,
    /// `dequeue() by client 3 returned 7`.
    Returned,
}

impl Reason {
    /// A reason of this kind without text.
    pub fn new(kind: ReasonKind) -> Reason {
        Reason { kind, argument: None, pieces: Vec::new() }
    }

    /// A reason without text that states this.
    pub(crate) fn of(argument: Argument) -> Reason {
        Reason { kind: argument.kind(), argument: Some(argument), pieces: Vec::new() }
    }

    /// Appends text.
    pub fn text(mut self, text: impl Into<Cow<'static, str>>) -> Reason {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    /// Appends an operation.
    pub fn op(mut self, mention: OpMention) -> Reason {
        self.pieces.push(Piece::Op(mention));
        self
    }

    /// The operations that the sentence mentions.
    pub fn ops(&self) -> impl Iterator<Item = OpId> + '_ {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Op(mention) => Some(mention.op),
        })
    }

    /// Renders the sentence. `client` names the process of an operation; where it returns `None`,
    /// the process number is shown.
    pub fn render(&self, client: impl Fn(OpId) -> Option<String>) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Op(mention) => mention.render(&client, &mut out),
            }
        }
        out
    }

    /// The same reason with renumbered operations.
    pub(crate) fn renumbered(mut self, number: impl Fn(OpId) -> OpId) -> Reason {
        for piece in &mut self.pieces {
            if let Piece::Op(mention) = piece {
                mention.op = number(mention.op);
            }
        }
        self.argument = self.argument.map(|argument| argument.renumbered(&number));
        self
    }
}

impl ReasonKind {
    /// The name of the kind, for programs: `out-of-order`.
    pub fn name(self) -> &'static str {
        match self {
            ReasonKind::Stale => "stale",
            ReasonKind::Phantom => "phantom",
            ReasonKind::Future => "future",
            ReasonKind::Missing => "missing",
            ReasonKind::Twice => "twice",
            ReasonKind::OutOfOrder => "out-of-order",
            ReasonKind::NotEmpty => "not-empty",
            ReasonKind::Overlap => "overlap",
            ReasonKind::Total => "total",
            ReasonKind::Crossed => "crossed",
            ReasonKind::Contradiction => "contradiction",
            ReasonKind::WrongResult => "wrong-result",
            ReasonKind::NoResult => "no-result",
            ReasonKind::NoOrder => "no-order",
            ReasonKind::HintBroken => "hint-broken",
        }
    }
}

impl Reason {
    /// The same reason with the processes of its operations, where they are missing.
    pub(crate) fn with_processes(mut self, process: impl Fn(OpId) -> Option<u32>) -> Reason {
        for piece in &mut self.pieces {
            if let Piece::Op(mention) = piece {
                mention.process = mention.process.or_else(|| process(mention.op));
            }
        }
        self
    }
}

impl OpMention {
    fn render(&self, client: &impl Fn(OpId) -> Option<String>, out: &mut String) {
        out.push_str(&self.call);
        if self.form != Form::WithResult
            && let Some(process) = self.process
        {
            let name = client(self.op).unwrap_or_else(|| format!("client {process}"));
            out.push_str(" by ");
            out.push_str(&name);
        }
        match (self.form, self.result.as_deref()) {
            (Form::Returned, Some(result)) => {
                out.push_str(" returned ");
                out.push_str(result);
            }
            (Form::Returned, None) => out.push_str(" returned"),
            // Results that only confirm completion are omitted.
            (_, None | Some("" | "ok")) => {}
            (_, Some(result)) => {
                out.push_str(" -> ");
                out.push_str(result);
            }
        }
    }
}

/// A contradiction that names no operations.
impl<T: Into<Cow<'static, str>>> From<T> for Reason {
    fn from(text: T) -> Reason {
        Reason::new(ReasonKind::Contradiction).text(text)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(|_| None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_renderer_names_clients() {
        let mention = |form, result: &str| OpMention {
            op: OpId(4),
            form,
            call: "pop()".into(),
            process: Some(3),
            result: Some(result.into()),
        };
        let reason = Reason::new(ReasonKind::Contradiction)
            .op(mention(Form::WithClient, "7"))
            .text(" and ")
            .op(mention(Form::WithResult, "ok"))
            .text(": ")
            .op(mention(Form::Returned, "ok"));
        assert_eq!(
            reason.to_string(),
            "pop() by client 3 -> 7 and pop(): pop() by client 3 returned ok"
        );
        let named = reason.render(|op| Some(format!("worker-{op}")));
        assert_eq!(named, "pop() by worker-#4 -> 7 and pop(): pop() by worker-#4 returned ok");
        assert_eq!(reason.ops().collect::<Vec<_>>(), [OpId(4); 3]);
    }
}
