//! Plain JSON lines: whole operations with times that are whole numbers, texts without escapes, no
//! spaces. See [`crate::stream`].

use linpoint::history::Extras;

use super::Reader;
use crate::blocks::Cursor;
use crate::raw::{RawBuilder, RawHistory, RawOp};
use crate::stream::{self, Clients, EventEnd, Receiver};
use crate::{Format, Source, Value};

/// Maximum number of arguments of an operation.
const MOST_ARGS: usize = 255;
/// Maximum nesting depth of lists.
const DEEPEST: usize = 16;

/// Reads the header.
pub(crate) fn open(header: &[u8]) -> Option<(RawHistory, Box<dyn stream::Lines>)> {
    let line = header.strip_suffix(b"\n")?;
    if !line.starts_with(b"{\"linpoint\":") {
        return None;
    }
    let nowhere = Source::new("", Vec::new());
    let header = Reader::new(&nowhere).header(1, line).ok()?;
    let mut history = RawBuilder::new().finish(Format::Jsonl);
    history.model = header.model;
    history.note = header.note;
    history.ties = header.ties;
    history.unit = header.unit;
    history.since_1970 = header.since_1970;
    Some((history, Box::new(Lines::default())))
}

/// The arguments of the current line.
#[derive(Default)]
struct Lines {
    args: Vec<Value>,
}

/// What a line with the id of an operation says.
#[derive(Clone, Copy)]
enum Event {
    Call,
    Return,
    Lost,
}

/// Reads a key that has not occurred yet.
macro_rules! once {
    ($place:expr, $value:expr) => {
        if $place.is_some() {
            return None;
        } else {
            $place = Some($value?);
        }
    };
}

impl stream::Lines for Lines {
    #[inline(always)]
    fn line(
        &mut self,
        cursor: &mut Cursor<'_>,
        line: u32,
        clients: &mut Clients<'_>,
        to: &mut dyn Receiver,
    ) -> Option<bool> {
        let (mut name, mut given_args, mut value) = (None, None, None);
        let (mut start, mut end) = (None, None);
        let mut event = None;
        let mut extras = Extras::default();
        self.args.clear();
        let mut separator = b'{';
        while cursor.take(separator) {
            separator = b',';
            match key(cursor)? {
                b"op" => once!(name, text(cursor)),
                b"args" => once!(given_args, self.args(cursor)),
                b"value" => once!(value, result(cursor)),
                b"start" => once!(start, number(cursor)),
                b"end" => once!(end, number(cursor)),
                b"call" => once!(event, number(cursor).map(|id| (Event::Call, id))),
                b"return" => once!(event, number(cursor).map(|id| (Event::Return, id))),
                b"info" => once!(event, number(cursor).map(|id| (Event::Lost, id))),
                b"process" | b"client" => once!(extras.process, clients.process(given(cursor)?)),
                b"object" => once!(extras.object, clients.object(given(cursor)?)),
                _ => return None,
            }
        }
        if !cursor.take(b'}') || !cursor.take(b'\n') {
            return None;
        }
        let args = self.args.as_slice();
        let raw = |name, result, start| RawOp {
            name,
            args,
            result,
            start,
            end,
            extras,
            line,
            end_line: line,
        };
        match (start, event) {
            (Some(start), None) => {
                let in_order = match end {
                    Some(end) => start <= end,
                    None => value.is_none(),
                };
                let name = name.filter(|_| in_order)?;
                clients.events.interval();
                Some(to.add(&raw(name, value.as_ref().and_then(Option::as_ref), start)))
            }
            (None, Some((Event::Call, id))) if value.is_none() && end.is_none() => {
                let name = name?;
                let start = clients.events.call(id, extras.process)?;
                Some(to.add(&raw(name, None, start)))
            }
            (None, Some((event, id))) => {
                let is_whole = name.is_some() || given_args.is_some() || end.is_some();
                if is_whole || extras != Extras::default() {
                    return None;
                }
                let end = match event {
                    Event::Return => EventEnd::Returned(value.flatten()),
                    Event::Lost if value.is_none() => EventEnd::Lost,
                    _ => return None,
                };
                clients.events.end(id, end, to)
            }
            _ => None,
        }
    }

    fn another(&self) -> Box<dyn stream::Lines> {
        Box::new(Lines::default())
    }
}

impl Lines {
    /// A list of arguments.
    fn args(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        list(cursor, DEEPEST, &mut self.args)?;
        (self.args.len() <= MOST_ARGS).then_some(())
    }
}

/// The name of a member, and the colon after it.
#[inline]
fn key<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let key = cursor.take(b'"').then(|| cursor.until(b'"'))??;
    cursor.take(b':').then_some(key)
}

/// A number without a sign, as JSON has it.
#[inline]
fn number(cursor: &mut Cursor<'_>) -> Option<u64> {
    let begins_with_zero = cursor.peek() == b'0';
    let number = cursor.digits()?;
    let is_plain = !matches!(cursor.peek(), b'.' | b'e' | b'E');
    (is_plain && !(begins_with_zero && cursor.follows_digits(2))).then_some(number)
}

/// A text in which nothing is escaped.
#[inline]
fn text<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let bytes = cursor.take(b'"').then(|| cursor.until(b'"'))??;
    let is_plain = |byte: &u8| *byte >= b' ' && *byte != b'\\';
    if !bytes.iter().all(is_plain) {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

/// A result; the inner `None` if it is explicitly unknown.
fn result(cursor: &mut Cursor<'_>) -> Option<Option<Value>> {
    if cursor.take_all(b"{\"unknown\":true}") {
        return Some(None);
    }
    read(cursor).map(Some)
}

/// A value that is not null: for most keys, null means absent.
fn given(cursor: &mut Cursor<'_>) -> Option<Value> {
    read(cursor).filter(|value| *value != Value::Nil)
}

/// A value that is not an object.
fn read(cursor: &mut Cursor<'_>) -> Option<Value> {
    value(cursor, DEEPEST)
}

fn value(cursor: &mut Cursor<'_>, depth: usize) -> Option<Value> {
    Some(match cursor.peek() {
        b'0'..=b'9' => Value::Int(number(cursor)? as i64),
        b'-' => {
            cursor.skip(1);
            match number(cursor)? {
                // JSON has a negative zero, which is not a whole number.
                0 => return None,
                number => Value::Int(-(number as i64)),
            }
        }
        b'"' => Value::str(text(cursor)?),
        b'[' => {
            let mut items = Vec::new();
            list(cursor, depth, &mut items)?;
            Value::List(items.into())
        }
        b'n' if cursor.take_all(b"null") => Value::Nil,
        b't' if cursor.take_all(b"true") => Value::Bool(true),
        b'f' if cursor.take_all(b"false") => Value::Bool(false),
        _ => return None,
    })
}

/// A list of values.
fn list(cursor: &mut Cursor<'_>, depth: usize, items: &mut Vec<Value>) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    if !cursor.take(b'[') {
        return None;
    }
    if cursor.take(b']') {
        return Some(());
    }
    loop {
        items.push(value(cursor, depth)?);
        if cursor.take(b']') {
            return Some(());
        }
        if !cursor.take(b',') {
            return None;
        }
    }
}
