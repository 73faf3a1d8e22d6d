//! Confirms what an explanation says, from the history alone.
//!
//! An [`Argument`] is a statement about a few operations: one had completed before another began, nothing else wrote this
//! value, how many were added and how many removed. [`confirm`] reads the operations as text, as a person would, and looks
//! whether each statement is true. It shares no code with the rules that found the argument, and is as slow as it likes.

mod containers;
mod counts;
mod deed;
mod registers;

pub use deed::{Deed, deed};

use linpoint::history::Span;
use linpoint::verdict::Argument;
use linpoint::{History, OpId, Spec};

/// An operation as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// What was called.
    pub op: String,
    /// What was returned, if that is known.
    pub ret: Option<String>,
    /// When it was called and returned.
    pub span: Span,
    /// The object, if there are several.
    pub object: Option<u32>,
    /// Who called it, if that is known.
    pub process: Option<u32>,
}

/// All operations of a history as text.
pub fn recorded<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> Vec<Recorded> {
    let of = |id: OpId| Recorded {
        op: spec.describe_op(history.op(id)),
        ret: history.ret(id).map(|ret| spec.describe_ret(history.op(id), ret)),
        span: history.span(id),
        object: history.extras(id).object,
        process: history.extras(id).process,
    };
    history.ids().map(of).collect()
}

/// What is known about the model beside its operations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The name of the model.
    pub model: String,
    /// The initial value of a register, or of each.
    pub initial: Option<String>,
    /// Keys that have another one.
    pub initials: Vec<(String, String)>,
    /// The initial number of a counter or semaphore.
    pub number: i128,
    /// The bound of a queue.
    pub capacity: Option<i128>,
    /// True if the largest element of a priority queue comes out first.
    pub largest_first: bool,
}

/// An operation and what it did.
struct Row {
    id: OpId,
    process: Option<u32>,
    span: Span,
    deed: Deed,
}

impl Row {
    fn precedes(&self, other: &Row) -> bool {
        self.span.ret < other.span.call
    }
}

/// Says what is false about an argument, or that it cannot be read. `failed` is the return at which the history failed:
/// operations that returned later may have done anything then.
pub fn confirm(
    facts: &Facts,
    history: &[Recorded],
    failed: u32,
    argument: &Argument,
) -> Result<(), String> {
    let named = argument.named();
    let first = named.first().ok_or("no operation is named")?;
    let object = history.get(first.index()).ok_or("an operation does not exist")?.object;
    let (mut rows, mut unread) = (Vec::new(), Vec::new());
    let mut of_first = None;
    for (at, op) in history.iter().enumerate().filter(|(_, op)| op.object == object) {
        let mut op = op.clone();
        if op.span.call <= failed && failed < op.span.ret {
            (op.span.ret, op.ret) = (Span::NEVER, None);
        }
        let id = OpId(at as u32);
        let Some(deed) = deed(&facts.model, &op) else {
            unread.push(op.op);
            continue;
        };
        let deed = deed.without_effect(facts, &op);
        if id == *first {
            of_first = Some(deed.key.clone());
        }
        rows.push(Row { id, process: op.process, span: op.span, deed });
    }
    let key = of_first.ok_or("the operation cannot be read, or is about another object")?;
    // A transaction of several steps matters only if it writes the same key.
    let is_about = |op: &&String| key.is_empty() || op.contains(&format!("write({key},"));
    if let Some(op) = unread.iter().find(is_about) {
        return Err(format!("{op} of {} cannot be read", facts.model));
    }
    rows.retain(|row| row.deed.key == key);
    let own = facts.initials.iter().find(|(of, _)| *of == key).map(|(_, value)| value);
    let confirm = Confirm { facts, initial: own.or(facts.initial.as_ref()), rows: &rows, failed };
    match confirm.holds(argument) {
        Some(true) => Ok(()),
        Some(false) => Err(format!("false: {argument:?}")),
        None => Err(format!("an operation is not what the argument says: {argument:?}")),
    }
}

struct Confirm<'a> {
    facts: &'a Facts,
    initial: Option<&'a String>,
    rows: &'a [Row],
    failed: u32,
}

impl Confirm<'_> {
    fn row(&self, id: OpId) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// The initial value, also where a removal leaves it.
    fn is_initial(&self, value: &str) -> bool {
        value == "initial" || self.initial.is_some_and(|initial| initial == value)
    }

    fn same(&self, a: &str, b: &str) -> bool {
        a == b || (self.is_initial(a) && self.is_initial(b))
    }

    /// The operations that could have come before `row`, and are not `row`.
    fn possible<'s>(&'s self, row: &'s Row) -> impl Iterator<Item = &'s Row> {
        self.rows.iter().filter(move |other| {
            other.id != row.id && !row.precedes(other) && other.span.call <= self.failed
        })
    }

    /// All operations that write a value, also those that were called after the failing return.
    fn writers(&self, value: &str) -> Vec<&Row> {
        let leaves = |row: &&Row| row.deed.leaves.as_deref().is_some_and(|v| self.same(v, value));
        self.rows.iter().filter(leaves).collect()
    }

    fn adders(&self, value: &str) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.deed.adds.as_deref() == Some(value)).collect()
    }

    /// True if `reader` found a value and `other` shows that it was not there; for a segment if it is given.
    fn lens<'r>(&self, row: &'r Row, segment: Option<usize>) -> (Option<&'r str>, Option<&'r str>) {
        match segment {
            None => (row.deed.finds.as_deref(), row.deed.leaves.as_deref()),
            Some(at) => {
                let found = row.deed.segments.get(at).and_then(Option::as_deref);
                let left = row.deed.updates.as_ref().filter(|(s, _)| *s == at);
                (found, left.map(|(_, v)| v.as_str()))
            }
        }
    }

    fn holds(&self, argument: &Argument) -> Option<bool> {
        Some(match argument {
            Argument::Stale { reader, gone, last, .. } => {
                let (reader, gone) = (self.row(*reader)?, self.row(*gone)?);
                let segments = reader.deed.segments.len();
                match segments {
                    0 => self.stale(reader, gone, *last, None)?,
                    _ => (0..segments)
                        .any(|at| self.stale(reader, gone, *last, Some(at)) == Some(true)),
                }
            }
            Argument::Phantom { reader } => {
                let reader = self.row(*reader)?;
                reader.deed.sure && self.sources(reader, &|_| true).contains(&Some(0))
            }
            Argument::Future { reader, writer, writers } => {
                let (reader, writer) = (self.row(*reader)?, self.row(*writer)?);
                let counts = |early: &dyn Fn(&Row) -> bool| self.sources(reader, early);
                let (early, all) = (counts(&|row| !reader.precedes(row)), counts(&|_| true));
                let own = counts(&|row| row.id == writer.id);
                reader.precedes(writer)
                    && early.iter().zip(&all).zip(&own).any(|((early, all), own)| {
                        *early == Some(0) && *all == Some(*writers) && *own == Some(1)
                    })
            }
            Argument::Missing { reader, added } => {
                let added = match added {
                    Some(id) => Some(self.row(*id)?),
                    None => None,
                };
                self.missing(self.row(*reader)?, added)?
            }
            Argument::Swapped { reader, first, second } => {
                self.swapped(self.row(*reader)?, self.row(*first)?, self.row(*second)?)?
            }
            Argument::Twice { takers, adders } => self.twice(takers, adders)?,
            Argument::Removed { reader, taker, .. } => {
                let (reader, taker) = (self.row(*reader)?, self.row(*taker)?);
                let value = reader.deed.sees.as_deref()?;
                let removed = |row: &&Row| row.deed.removes.as_deref() == Some(value);
                let gone =
                    self.rows.iter().filter(removed).filter(|row| row.precedes(reader)).count();
                let added = self.adders(value).iter().filter(|row| !reader.precedes(row)).count();
                taker.deed.removes.as_deref() == Some(value)
                    && taker.precedes(reader)
                    && gone >= added
            }
            Argument::OutOfOrder { rule, waiting, added, taker } => {
                self.out_of_order(*rule, self.row(*waiting)?, self.row(*added)?, self.row(*taker)?)?
            }
            Argument::NotEmpty { reader, adders, relay } => {
                let adders: Option<Vec<&Row>> = adders.iter().map(|id| self.row(*id)).collect();
                self.not_empty(self.row(*reader)?, &adders?, *relay)?
            }
            Argument::Flag(fact) => self.flag(fact)?,
            Argument::Total { reader, anchor, found, least, most } => {
                let anchor = match anchor {
                    Some(id) => Some(self.row(*id)?),
                    None => None,
                };
                let reader = self.row(*reader)?;
                let [low, high] = self.range(anchor, reader)?;
                reader.deed.number? == *found
                    && [low, high] == [*least, *most]
                    && (found < least || most < found)
            }
            Argument::Permits { reader, free } => {
                let reader = self.row(*reader)?;
                let takes = reader.deed.permits == -1 && reader.deed.sure;
                let mut count = self.facts.number;
                for row in self.possible(reader) {
                    let surely = row.precedes(reader) && row.deed.sure;
                    if surely || (row.deed.permits > 0) == takes {
                        count += row.deed.permits;
                    }
                }
                count == *free
                    && if takes { count <= 0 } else { reader.deed.no_permit && count > 0 }
            }
            Argument::Room { reader, capacity, elements } => {
                self.room(self.row(*reader)?, *capacity, *elements)?
            }
            Argument::Crossed { scans, segments, updates } => {
                let newer = |a: usize, b: usize, at: usize| {
                    let segment = segments[at] as usize;
                    self.newer(self.row(scans[a])?, self.row(scans[b])?, segment, updates[at])
                };
                newer(0, 1, 0)? && newer(1, 0, 1)?
            }
            _ => return None,
        })
    }

    /// For everything that `reader` found: how many of these operations put it there, `None` if it was there from the
    /// beginning.
    fn sources(&self, reader: &Row, counted: &dyn Fn(&Row) -> bool) -> Vec<Option<usize>> {
        let count = |rows: Vec<&Row>| Some(rows.into_iter().filter(|row| counted(row)).count());
        let deed = &reader.deed;
        let others =
            |rows: Vec<&Row>| count(rows.into_iter().filter(|r| r.id != reader.id).collect());
        let mut all = Vec::new();
        if let Some(value) = &deed.finds {
            all.push((!self.is_initial(value)).then(|| others(self.writers(value))).flatten());
        }
        for value in deed.removes.iter().chain(&deed.sees) {
            all.push(count(self.adders(value)));
        }
        if deed.flag == Some(true) {
            all.push(count(self.rows.iter().filter(|row| row.deed.turns == Some(true)).collect()));
        }
        for (at, value) in deed.segments.iter().enumerate() {
            let Some(value) = value else { continue };
            let updates =
                |row: &&Row| row.deed.updates.as_ref().is_some_and(|(s, v)| *s == at && v == value);
            let rows = self.rows.iter().filter(updates).collect();
            all.push((!self.is_initial(value)).then(|| count(rows)).flatten());
        }
        all
    }
}
