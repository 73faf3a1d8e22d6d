//! Registers that are appended to: what was appended stays, in the order in which it was, until something replaces it.

use crate::history::OpId;
use crate::sorting::sort_by_key;
use crate::spec::{Role, Slot};
use crate::subject::{Call, Case, Place};
use crate::verdict::Argument;

/// An operation on a text.
struct Row {
    id: OpId,
    call: u32,
    ret: u32,
    does: Does,
}

enum Does {
    /// Adds these letters.
    Append(Vec<u8>),
    /// Leaves these letters only.
    Put(Vec<u8>),
    /// Found these letters.
    Find(Vec<u8>),
    /// May leave something else, or nothing.
    Replace,
}

/// Do not look for parts in more text than this, in all.
const MOST_LETTERS: usize = 1 << 22;

/// Why `reader` cannot have found its text. `None` also if nothing in the history is appended.
pub(super) fn argue(case: &Case<'_>, reader: OpId) -> Option<Argument> {
    let subject = case.subject;
    if !case.ids().any(|id| subject.appends(case.op(id))) {
        return None;
    }
    let place = |op: OpId| Place { call: Call::unknown(case.op(op)), slot: Slot::Key };
    let key = subject.key(case.op(reader))?;
    let same_key = |id: &OpId| {
        subject.key(case.op(*id)) == Some(key) && subject.same_name(place(reader), place(*id))
    };
    let (mut rows, mut language) = (Vec::new(), None);
    for id in case.ids().filter(same_key) {
        rows.extend(row(case, id, &mut language)?);
    }
    let at = rows.iter().position(|row| row.id == reader)?;
    let Does::Find(text) = &rows[at].does else { return None };
    missing(&rows, &rows[at], text).or_else(|| swapped(&rows, &rows[at], text))
}

/// `Some(None)` if the operation changes and says nothing; `None` if it is not known what it does, or if the texts are of
/// different languages.
fn row(case: &Case<'_>, id: OpId, language: &mut Option<u8>) -> Option<Option<Row>> {
    let (span, call) = (case.span(id), case.call(id));
    let mut letters = || {
        let text = case.subject.text(Place { call, slot: Slot::Value })?;
        let known = language.or(text.language);
        let is_other = text.language.is_some() && text.language != known;
        *language = known;
        (!is_other).then(|| text.letters.into_owned())
    };
    let does = match case.subject.role(call, span.is_pending()) {
        _ if case.subject.appends(case.op(id)) => Does::Append(letters()?),
        Role::Idle => return Some(None),
        Role::Read(_) => Does::Find(letters()?),
        Role::Write(_) => letters().map_or(Does::Replace, Does::Put),
        Role::Replace { .. } | Role::Foreign(_) => Does::Replace,
        _ => return Some(None),
    };
    Some(Some(Row { id, call: span.call, ret: span.ret, does }))
}

/// True if nothing replaces the text between the two.
fn is_undisturbed(rows: &[Row], from: &Row, to: &Row) -> bool {
    let replaces = |row: &&Row| matches!(row.does, Does::Put(_) | Does::Replace);
    rows.iter()
        .filter(replaces)
        .all(|row| row.id == from.id || row.ret < from.call || to.ret < row.call)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || places(text, part).next().is_some()
}

/// The places of a part that is not empty.
fn places<'t>(text: &'t [u8], part: &'t [u8]) -> impl Iterator<Item = usize> + 't {
    let is_there = move |at: &usize| text[*at] == part[0] && text[*at..].starts_with(part);
    (0..text.len()).filter(is_there)
}

/// What was there before the reader began is not in what it found.
fn missing(rows: &[Row], reader: &Row, text: &[u8]) -> Option<Argument> {
    let is_missing = |row: &&Row| {
        row.ret < reader.call
            && match &row.does {
                Does::Append(part) => !contains(text, part),
                Does::Put(whole) | Does::Find(whole) => !text.starts_with(whole),
                Does::Replace => false,
            }
    };
    if rows.len().saturating_mul(text.len()) > MOST_LETTERS {
        return None;
    }
    let is_proof = |row: &&Row| is_missing(row) && is_undisturbed(rows, row, reader);
    // An append says exactly what is missing.
    let of_kind = |row: &&Row| (matches!(row.does, Does::Append(_)), row.call);
    let added = rows.iter().filter(is_proof).max_by_key(of_kind)?;
    Some(Argument::Missing { reader: reader.id, added: Some(added.id) })
}

/// The only place of a part in a text.
fn only_place(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return None;
    }
    let mut places = places(text, part);
    let first = places.next()?;
    places.next().is_none().then_some(first)
}

/// Of two parts, the one that was appended first comes second.
fn swapped(rows: &[Row], reader: &Row, text: &[u8]) -> Option<Argument> {
    if rows.len().saturating_mul(text.len()) > MOST_LETTERS {
        return None;
    }
    let mut appended: Vec<(&Row, usize)> = rows
        .iter()
        .filter(|row| row.ret < reader.call)
        .filter_map(|row| match &row.does {
            Does::Append(part) => Some((row, only_place(text, part)?)),
            _ => None,
        })
        .collect();
    sort_by_key(&mut appended, |(row, _)| row.call);
    // For each, the one that is the farthest behind among those that had returned before it was called.
    for (second, place) in appended.iter().rev() {
        let earlier = appended.iter().filter(|(first, _)| first.ret < second.call);
        if let Some((first, _)) = earlier.max_by_key(|(_, at)| *at).filter(|(_, at)| at > place)
            && is_undisturbed(rows, first, reader)
        {
            let (first, second) = (first.id, second.id);
            return Some(Argument::Swapped { reader: reader.id, first, second });
        }
    }
    None
}
