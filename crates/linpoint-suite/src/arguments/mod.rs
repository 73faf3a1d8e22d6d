//! Confirms what an explanation says, from the history alone.
//!
//! An [`Argument`] is a statement about a few operations: one had completed before another began, nothing else wrote this
//! value, so many were added and so many removed. [`confirm`] reads the operations as text, as a person would, and looks
//! whether each statement is true. It shares no code with the rules that found the argument, and is as slow as it likes.

mod deed;

pub use deed::{Deed, deed};

use linpoint::history::Span;
use linpoint::verdict::{Argument, FlagFact, Last, Rule};
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
}

/// All operations of a history as text.
pub fn recorded<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> Vec<Recorded> {
    let of = |id: OpId| Recorded {
        op: spec.describe_op(history.op(id)),
        ret: history.ret(id).map(|ret| spec.describe_ret(history.op(id), ret)),
        span: history.span(id),
        object: history.extras(id).object,
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
    let mut rows = Vec::new();
    let mut of_first = None;
    for (at, op) in history.iter().enumerate().filter(|(_, op)| op.object == object) {
        let mut op = op.clone();
        if op.span.call <= failed && failed < op.span.ret {
            (op.span.ret, op.ret) = (Span::NEVER, None);
        }
        let id = OpId(at as u32);
        let unread = || format!("{} of {} cannot be read", op.op, facts.model);
        let deed = deed(&facts.model, &op).ok_or_else(unread)?;
        let deed = deed.without_effect(facts, &op);
        if id == *first {
            of_first = Some(deed.key.clone());
        }
        rows.push(Row { id, span: op.span, deed });
    }
    let key = of_first.ok_or("the operation is about another object")?;
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
                    _ => (0..segments).any(|at| self.stale(reader, gone, *last, Some(at)) == Some(true)),
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
                let gone = self.rows.iter().filter(removed).filter(|row| row.precedes(reader)).count();
                let added = self.adders(value).iter().filter(|row| !reader.precedes(row)).count();
                taker.deed.removes.as_deref() == Some(value) && taker.precedes(reader) && gone >= added
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
                count == *free && if takes { count <= 0 } else { reader.deed.no_permit && count > 0 }
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
        let others = |rows: Vec<&Row>| count(rows.into_iter().filter(|r| r.id != reader.id).collect());
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
            let updates = |row: &&Row| {
                row.deed.updates.as_ref().is_some_and(|(s, v)| *s == at && v == value)
            };
            let rows = self.rows.iter().filter(updates).collect();
            all.push((!self.is_initial(value)).then(|| count(rows)).flatten());
        }
        all
    }

    fn stale(&self, reader: &Row, gone: &Row, last: Last, segment: Option<usize>) -> Option<bool> {
        let value = self.lens(reader, segment).0?;
        let is_it = |other: Option<&str>| other.is_some_and(|other| self.same(other, value));
        let writers: Vec<&Row> = self
            .possible(reader)
            .filter(|row| is_it(self.lens(row, segment).1))
            .collect();
        let (found, left) = self.lens(gone, segment);
        let was_gone = match (left, found, &gone.deed.misses) {
            (Some(left), ..) => !self.same(left, value),
            (None, Some(found), _) => !self.same(found, value),
            (None, None, Some(missed)) => segment.is_none() && self.same(missed, value),
            _ => false,
        };
        if !(gone.deed.sure && reader.deed.sure && was_gone && gone.precedes(reader)) {
            return Some(false);
        }
        Some(match last {
            Last::Initial => self.is_initial(value) && writers.is_empty(),
            Last::Write(last) => {
                let latest = writers.iter().map(|row| row.span.ret).max();
                writers.iter().any(|row| row.id == last)
                    && latest == Some(self.row(last)?.span.ret)
                    && writers.iter().all(|row| row.precedes(gone))
            }
            Last::Seen(seen) => {
                let seen = self.row(seen)?;
                writers.len() == 1
                    && !self.is_initial(value)
                    && seen.deed.sure
                    && is_it(self.lens(seen, segment).0)
                    && seen.precedes(gone)
                    && writers[0].id != gone.id
            }
        })
    }

    fn missing(&self, reader: &Row, added: Option<&Row>) -> Option<bool> {
        let deed = &reader.deed;
        if let (Some(found), Some(added)) = (&deed.finds, added)
            && self.rows.iter().any(|row| row.deed.appends.is_some())
        {
            let text = |value: &str| match value {
                "none" => String::new(),
                value => value.trim_matches('"').to_owned(),
            };
            let kept = |row: &&Row| row.deed.leaves.is_none() || row.id == added.id;
            let between = |row: &&Row| !row.precedes(added);
            let undisturbed = self.possible(reader).filter(between).all(|row| kept(&row));
            let found = text(found);
            let is_missing = match (&added.deed.appends, &added.deed.finds, &added.deed.leaves) {
                (Some(part), ..) => !found.contains(&text(part)),
                (_, Some(whole), None) | (_, None, Some(whole)) => !found.starts_with(&text(whole)),
                _ => false,
            };
            return Some(is_missing && undisturbed && added.deed.sure && added.precedes(reader));
        }
        let missed = deed.misses.as_deref()?;
        let changes =
            |row: &&Row| row.deed.leaves.as_deref().is_some_and(|left| !self.same(left, missed));
        let mut changes = self.possible(reader).filter(changes);
        Some(match added {
            None => self.is_initial(missed) && changes.next().is_none(),
            Some(added) => {
                let there = added.deed.leaves.as_ref().or(added.deed.finds.as_ref())?;
                self.same(there, missed)
                    && added.deed.sure
                    && added.precedes(reader)
                    && changes.all(|row| row.precedes(added))
            }
        })
    }

    fn swapped(&self, reader: &Row, first: &Row, second: &Row) -> Option<bool> {
        let text = reader.deed.finds.as_deref()?.trim_matches('"');
        let places = |row: &Row| -> Option<Vec<usize>> {
            let part = row.deed.appends.as_deref()?.trim_matches('"');
            let at = |from: &usize| text[*from..].starts_with(part);
            Some((0..text.len()).filter(|n| text.is_char_boundary(*n)).filter(at).collect())
        };
        let replaces = |row: &&Row| row.deed.leaves.is_some() && !row.precedes(first);
        let one = |places: Vec<usize>| (places.len() == 1).then(|| places[0]);
        let (a, b) = (one(places(first)?)?, one(places(second)?)?);
        let before = first.precedes(second) && second.precedes(reader);
        Some(before && b < a && !self.possible(reader).any(|row| replaces(&row)))
    }

    fn twice(&self, takers: &[OpId], adders: &[OpId]) -> Option<bool> {
        let takers: Option<Vec<&Row>> = takers.iter().map(|id| self.row(*id)).collect();
        let takers = takers?;
        let [a, b, ..] = takers[..] else { return Some(false) };
        if !takers.iter().all(|row| row.deed.sure) {
            return Some(false);
        }
        let distinct = takers.iter().enumerate().all(|(i, x)| takers[..i].iter().all(|y| x.id != y.id));
        let early = |rows: Vec<&Row>| {
            rows.into_iter().filter(|row| row.span.call <= self.failed).map(|r| r.id).collect::<Vec<_>>()
        };
        let same_set = |mut found: Vec<OpId>| {
            let mut said = adders.to_vec();
            found.sort();
            said.sort();
            found == said
        };
        if let Some(value) = a.deed.removes.as_deref() {
            return Some(
                distinct
                    && takers.iter().all(|row| row.deed.removes.as_deref() == Some(value))
                    && same_set(early(self.adders(value)))
                    && takers.len() > adders.len(),
            );
        }
        if a.deed.number.is_some() {
            let none_back = self.rows.iter().all(|row| row.deed.shifts >= 0);
            let same = a.deed.number == b.deed.number && a.deed.shifts > 0 && b.deed.shifts > 0;
            return Some(distinct && takers.len() == 2 && none_back && same);
        }
        let value = a.deed.finds.as_deref()?;
        let replaces = |row: &Row| {
            let found = row.deed.finds.as_deref().is_some_and(|found| self.same(found, value));
            found && row.deed.leaves.as_deref().is_some_and(|left| !self.same(left, value))
        };
        let initial = usize::from(self.is_initial(value));
        Some(
            distinct
                && takers.len() == 2
                && replaces(a)
                && replaces(b)
                && same_set(early(self.writers(value)))
                && adders.len() + initial == 1,
        )
    }

    /// The operations that may have removed `value` before `until` returned.
    fn removals<'s>(&'s self, value: &str, until: &'s Row) -> Vec<&'s Row> {
        let removes = |row: &&Row| {
            row.deed.takes_some || row.deed.removes.as_deref() == Some(value)
        };
        self.possible(until).filter(removes).collect()
    }

    fn out_of_order(&self, rule: Rule, waiting: &Row, added: &Row, taker: &Row) -> Option<bool> {
        let other = waiting.deed.adds.as_deref()?;
        let value = taker.deed.removes.as_deref().or(taker.deed.sees.as_deref())?;
        if added.deed.adds.as_deref() != Some(value) || other == value || !taker.deed.sure {
            return Some(false);
        }
        let own: Vec<&Row> =
            self.adders(value).into_iter().filter(|row| !taker.precedes(row)).collect();
        let sure = |row: &&&Row| row.deed.sure;
        let all = self.adders(other);
        let gone = self.removals(other, taker);
        let stays = |ahead: usize, gone: usize| ahead > gone;
        Some(match rule {
            Rule::FirstIn => {
                let ahead = |row: &&&Row| own.iter().all(|own| row.precedes(own));
                ahead(&&waiting)
                    && stays(all.iter().filter(sure).filter(ahead).count(), gone.len())
            }
            Rule::LastIn => {
                let ahead = |row: &&&Row| added.precedes(row) && row.precedes(taker);
                let gone = gone.iter().filter(|row| !row.precedes(added)).count();
                own.len() == 1
                    && ahead(&&waiting)
                    && stays(all.iter().filter(sure).filter(ahead).count(), gone)
            }
            Rule::Priority => {
                let number = |v: &str| v.parse::<i64>().ok();
                let (a, b) = (number(other)?, number(value)?);
                let first = if self.facts.largest_first { a > b } else { a < b };
                let ahead = |row: &&&Row| row.precedes(taker);
                first
                    && ahead(&&waiting)
                    && stays(all.iter().filter(sure).filter(ahead).count(), gone.len())
            }
        })
    }

    fn not_empty(&self, reader: &Row, adders: &[&Row], relay: bool) -> Option<bool> {
        if !reader.deed.empty || adders.is_empty() || adders.iter().any(|row| !row.deed.sure) {
            return Some(false);
        }
        if relay {
            // Before any removal of one, the next had been added.
            let mut next = adders.iter().skip(1);
            let relieved = adders.iter().all(|row| {
                let value = row.deed.adds.as_deref().unwrap_or_default();
                let gone = self.removals(value, reader);
                let once = self.adders(value).iter().filter(|r| !reader.precedes(r)).count() == 1;
                once && match next.next() {
                    Some(next) => gone.iter().all(|gone| next.precedes(gone)),
                    None => gone.is_empty(),
                }
            });
            return Some(adders[0].precedes(reader) && relieved);
        }
        Some(adders.iter().all(|row| {
            let value = row.deed.adds.as_deref().unwrap_or_default();
            let sure = |row: &&&Row| row.deed.sure && row.precedes(reader);
            let added = self.adders(value).iter().filter(sure).count();
            let named = adders.iter().filter(|r| r.deed.adds.as_deref() == Some(value)).count();
            row.precedes(reader) && added >= named + self.removals(value, reader).len()
        }))
    }

    fn flag(&self, fact: &FlagFact) -> Option<bool> {
        let reader = self.row(fact.reader)?;
        let anchor = match fact.anchor {
            Some(id) => Some(self.row(id)?),
            None => None,
        };
        // How the anchor left the flag.
        let left = match anchor {
            None => false,
            Some(row) => row.deed.turns.or(row.deed.flag)?,
        };
        let sure = |row: &Row| row.deed.sure;
        let is_before = anchor.is_none_or(|row| row.precedes(reader) && sure(row));
        let other = |row: &&Row| anchor.is_none_or(|anchor| anchor.id != row.id);
        let towards = self
            .possible(reader)
            .filter(other)
            .filter(|row| row.deed.turns == Some(fact.found_up))
            .filter(|row| anchor.is_none_or(|anchor| !row.precedes(anchor)))
            .count();
        let back = self
            .possible(reader)
            .filter(other)
            .filter(|row| row.deed.turns == Some(!fact.found_up) && sure(row))
            .filter(|row| row.precedes(reader) && anchor.is_none_or(|a| a.precedes(row)))
            .count();
        Some(
            sure(reader)
                && reader.deed.flag? == fact.found_up
                && reader.deed.turns.is_some() == fact.changes
                && left != fact.found_up
                && is_before
                && [towards, back] == [fact.towards, fact.back]
                && towards <= back,
        )
    }

    /// The numbers that are possible at `reader`.
    fn range(&self, anchor: Option<&Row>, reader: &Row) -> Option<[i128; 2]> {
        let base = match anchor {
            None => self.facts.number,
            Some(row) if row.precedes(reader) => row.deed.number? + row.deed.shifts,
            Some(_) => return None,
        };
        let mut range = [base; 2];
        for row in self.possible(reader) {
            if anchor.is_some_and(|anchor| anchor.id == row.id || row.precedes(anchor)) {
                continue;
            }
            let by = row.deed.shifts;
            let surely = row.precedes(reader) && anchor.is_none_or(|a| a.precedes(row));
            range[0] += if surely { by } else { by.min(0) };
            range[1] += if surely { by } else { by.max(0) };
        }
        Some(range)
    }

    fn room(&self, reader: &Row, capacity: i128, elements: i128) -> Option<bool> {
        if self.facts.capacity != Some(capacity) || !reader.deed.sure {
            return Some(false);
        }
        let mut counts = [0; 2];
        for row in self.possible(reader) {
            let surely = row.precedes(reader) && row.deed.sure;
            let by = match &row.deed {
                deed if deed.adds.is_some() => 1,
                deed if deed.takes_some => {
                    counts[0] -= 1;
                    continue;
                }
                deed if deed.removes.is_some() => -1,
                _ => 0,
            };
            counts[0] += if surely { by } else { by.min(0) };
            counts[1] += if surely { by } else { by.max(0) };
        }
        Some(match reader.deed.full {
            true => counts[1] == elements && elements < capacity,
            false => reader.deed.adds.is_some() && counts[0] == elements && elements >= capacity,
        })
    }

    /// True if `a` saw a value in this segment that was written by `update` only, and `b` saw one that was there before.
    fn newer(&self, a: &Row, b: &Row, segment: usize, update: OpId) -> Option<bool> {
        let (new, old) = (self.lens(a, Some(segment)).0?, self.lens(b, Some(segment)).0?);
        let writers = |value: &str| {
            let writes = |row: &&Row| self.lens(row, Some(segment)).1 == Some(value);
            let early = |row: &&Row| row.span.call <= self.failed;
            self.rows.iter().filter(writes).filter(early).collect::<Vec<_>>()
        };
        let (new_writers, old_writers) = (writers(new), writers(old));
        let [writer] = new_writers[..] else { return Some(false) };
        let is_older = match old_writers[..] {
            [] => self.is_initial(old),
            [older] => older.precedes(writer) && !self.is_initial(old),
            _ => false,
        };
        Some(new != old && writer.id == update && is_older && !self.is_initial(new))
    }
}
