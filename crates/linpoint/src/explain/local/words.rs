//! Arguments as text: one sentence each.

use crate::history::OpId;
use crate::spec::{Role, Shape};
use crate::subject::Case;
use crate::verdict::{Argument, FlagFact, Form, Last, Reason, Rule};

/// Name at most this many operations in a list.
const LISTED: usize = 3;

/// The sentence of an argument about the operations of `part`.
pub(super) fn reason(part: &Case<'_>, argument: &Argument) -> Reason {
    let words = Words { part, reason: Reason::of(argument.clone()) };
    match argument {
        Argument::Stale { reader, gone, last, writers } => {
            words.returned(*reader).stale(*reader, *gone, *last, writers.len())
        }
        Argument::Removed { reader, taker, .. } => words
            .returned(*reader)
            .text(", but ")
            .op(*taker)
            .text(" had removed that element before it began"),
        Argument::Phantom { reader } => words.returned(*reader).phantom(),
        Argument::Future { reader, writer, writers } => {
            let which = if *writers == 1 { "the only" } else { "the first" };
            let put = words.put();
            words
                .returned(*reader)
                .text(format!(" before {which} operation that {put} this was called: "))
                .op(*writer)
        }
        Argument::Missing { reader, added } => words.returned(*reader).missing(*added),
        Argument::Swapped { reader, first, second } => words
            .returned(*reader)
            .text(", in which ")
            .op(*second)
            .text(" comes before ")
            .op(*first)
            .text(", which had completed before the other began"),
        Argument::Twice { takers, adders } => words.twice(takers, adders),
        Argument::OutOfOrder { rule, waiting, added, taker } => {
            let words = words.returned(*taker).text(", but the element of ").op(*waiting);
            match rule {
                Rule::FirstIn => words
                    .text(" was still there, which had completed before ")
                    .op(*added)
                    .text(" began"),
                Rule::LastIn => words
                    .text(" was still on top of it, which began after ")
                    .op(*added)
                    .text(" had completed"),
                Rule::Priority => words.text(" was still there, and it is first in turn"),
                Rule::Front | Rule::Back => words
                    .text(format!(" was still {} the element of ", in_front_of(*rule)))
                    .op(*added),
            }
        }
        Argument::NotEmpty { reader, adders, relay } => {
            words.returned(*reader).not_empty(adders, *relay)
        }
        Argument::Flag(fact) => words.flag(fact),
        Argument::Total { reader, anchor, least, most, found } => {
            let range = match (least == most, found < least) {
                (true, _) => format!("{least}"),
                (_, true) => format!("{least} or more"),
                _ => format!("{most} or less"),
            };
            let words = words.returned(*reader).text(format!(", but every order gives {range}"));
            match anchor {
                Some(anchor) => words.text(" after ").op(*anchor),
                None => words,
            }
        }
        Argument::Permits { reader, free } if *free > 0 => {
            let permits = if *free == 1 { "1 permit was" } else { &format!("{free} permits were") };
            words.returned(*reader).text(format!(", but at least {permits} free the whole time"))
        }
        Argument::Permits { reader, .. } => {
            words.op(*reader).text(" got a permit, but none can have been free")
        }
        Argument::Room { reader, capacity, elements } if elements < capacity => {
            words.returned(*reader).text(format!(
                ", but there were at most {elements} elements, and there is room for {capacity}"
            ))
        }
        Argument::Room { reader, capacity, elements } => words.returned(*reader).text(format!(
            ", but there were at least {elements} elements, and there is room for {capacity}"
        )),
        Argument::Crossed { scans: [a, b], updates: [in_a, in_b], .. } => words
            .client_op(*a)
            .text(" saw ")
            .op(*in_a)
            .text(" but not ")
            .op(*in_b)
            .text("; ")
            .client_op(*b)
            .text(" saw it the other way round"),
    }
    .reason
}

fn in_front_of(rule: Rule) -> &'static str {
    if rule == Rule::Front { "in front of" } else { "behind" }
}

/// A sentence that is being written.
struct Words<'p, 'a> {
    part: &'p Case<'a>,
    reason: Reason,
}

impl Words<'_, '_> {
    fn text(mut self, text: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        self.reason = self.reason.text(text);
        self
    }

    fn mention(mut self, op: OpId, form: Form) -> Self {
        self.reason = self.reason.op(self.part.mention(op, form));
        self
    }

    /// `write(2) by client 1`, or `read() by client 1 -> 2`.
    fn op(self, op: OpId) -> Self {
        self.mention(op, Form::WithClient)
    }

    fn client_op(self, op: OpId) -> Self {
        self.mention(op, Form::WithClient)
    }

    /// `read() by client 1 returned 2`.
    fn returned(self, op: OpId) -> Self {
        self.mention(op, Form::Returned)
    }

    fn role(&self, op: OpId) -> Role {
        self.part.subject.role(self.part.call(op), self.part.span(op).is_pending())
    }

    fn is_container(&self) -> bool {
        let shape = self.part.subject.shape();
        let others = matches!(
            shape,
            Shape::Registers { .. } | Shape::Snapshot { .. } | Shape::Flags | Shape::Counter { .. }
        );
        !others
    }

    /// What is done to a value.
    fn put(&self) -> &'static str {
        match self.part.subject.shape() {
            Shape::Registers { .. } | Shape::Snapshot { .. } => "wrote",
            Shape::Flags => "could have caused",
            _ => "added",
        }
    }

    fn stale(self, reader: OpId, gone: OpId, last: Last, writers: usize) -> Self {
        let overwrites =
            matches!(self.role(gone), Role::Write(_) | Role::Replace { .. } | Role::Update { .. });
        let did = match overwrites {
            true => " completed before it began",
            false => " found something else before it began",
        };
        let was_gone = match self.role(reader) {
            Role::Read(_) => ", which was gone: ",
            _ => ", but what it found was gone: ",
        };
        match last {
            Last::Initial => self.text(", but the initial value was gone: ").op(gone).text(did),
            Last::Write(last) => {
                let which = if writers == 1 { "the only" } else { "the last" };
                self.text(was_gone)
                    .op(gone)
                    .text(did)
                    .text(format!(", and {which} write of it, "))
                    .op(last)
                    .text(", before that")
            }
            Last::Seen(seen) => self
                .text(was_gone)
                .text("it was written once, ")
                .op(seen)
                .text(" found it, and then ")
                .op(gone)
                .text(if overwrites { " overwrote it" } else { " did not" }),
        }
    }

    fn phantom(self) -> Self {
        let text = match self.part.subject.shape() {
            Shape::Flags => ", but nothing that could have caused this was ever called",
            _ if self.is_container() => ", which was never added",
            _ => ", but what it found was never written",
        };
        self.text(text)
    }

    fn missing(self, added: Option<OpId>) -> Self {
        let Some(added) = added else {
            return self.text(", but the initial value was there the whole time");
        };
        let subject = self.part.subject;
        if subject.appends(self.part.op(added)) {
            return self.text(" without what ").op(added).text(" had added before it began");
        }
        match self.role(added) {
            _ if self.is_text(added) => {
                self.text(" without what ").op(added).text(" had found before it began")
            }
            Role::Read(_) => self
                .text(", but the value was there the whole time: ")
                .op(added)
                .text(" had found it before, and nothing changed it"),
            _ => self
                .text(", but the value was there the whole time: ")
                .op(added)
                .text(" had completed before it began, and nothing changed it"),
        }
    }

    /// True if the argument is about a text.
    fn is_text(&self, added: OpId) -> bool {
        let part = self.part;
        matches!(self.role(added), Role::Read(_))
            && part.ids().any(|id| part.subject.appends(part.op(id)))
    }

    fn twice(self, takers: &[OpId], adders: &[OpId]) -> Self {
        let words = self.list(takers, Form::WithClient);
        match (words.part.subject.shape(), adders) {
            (Shape::Counter { .. }, _) => {
                words.text(" got the same number, although each of them adds to it")
            }
            (Shape::Registers { .. }, [one]) => {
                words.text(" both replaced a value that was written once: ").op(*one)
            }
            (Shape::Registers { .. }, _) => {
                words.text(" both replaced the initial value, which was not written again")
            }
            (_, [one]) => words.text(" both removed what was added once: ").op(*one),
            (_, many) => words.text(format!(" removed what was added only {} times", many.len())),
        }
    }

    fn not_empty(self, adders: &[OpId], relay: bool) -> Self {
        if relay {
            return self
                .text(", but there was an element the whole time, that of ")
                .list(adders, Form::WithResult)
                .text(" in turn: each was added before the one before it was removed");
        }
        let (of, were) = match adders {
            [_] => ("the element of ", " was"),
            _ => ("the elements of ", " were"),
        };
        self.text(format!(", but {of}"))
            .list(adders, Form::WithResult)
            .text(format!("{were} there the whole time"))
    }

    /// A few of them, and how many more.
    fn list(mut self, ops: &[OpId], form: Form) -> Self {
        let shown = ops.len().min(LISTED);
        for (at, op) in ops[..shown].iter().enumerate() {
            self = match at {
                0 => self,
                _ if at + 1 == ops.len() => self.text(" and "),
                _ => self.text(", "),
            };
            self = self.mention(*op, form);
        }
        match ops.len() - shown {
            0 => self,
            more => self.text(format!(" and {more} more")),
        }
    }

    fn flag(self, fact: &FlagFact) -> Self {
        let FlagFact { reader, anchor, found_up, changes, keyed, towards, back, holder } = *fact;
        let (state, towards_words, back_words) = match (keyed, found_up) {
            (true, true) => ("the element was not there", "added", "removed"),
            (true, false) => ("the element was there", "removed", "added"),
            (false, true) => ("the lock was free", "acquired", "released"),
            (false, false) => ("the lock was held", "released", "acquired"),
        };
        let words = if changes && !keyed && !found_up {
            self.op(reader).text(format!(" succeeded, but {state}"))
        } else {
            self.returned(reader).text(format!(", but {state}"))
        };
        let words = match (anchor, holder) {
            (Some(anchor), _) => words.text(": ").op(anchor).text(" had completed before"),
            (None, Some(holder)) => words
                .text(": ")
                .op(holder)
                .text(" had completed before, and its client had not called release"),
            (None, None) => words,
        };
        match (towards, back) {
            _ if anchor.is_none() => words.text(format!(
                "; it had been {back_words} at least {back} times, and {towards_words} at most {towards} times"
            )),
            (0, 0) => words.text(format!(", and it was not {towards_words} in between")),
            _ => words.text(format!(
                ", and then it was {back_words} at least {back} times and {towards_words} at most {towards} times"
            )),
        }
    }
}
