//! Plain JSON lines: whole operations with times that are whole numbers, texts without escapes, no
//! spaces. See [`crate::stream`].

use std::collections::BTreeMap;

use linpoint::history::Extras;

use super::Reader;
use crate::blocks::Cursor;
use crate::raw::{Names, RawBuilder, RawHistory, RawOp};
use crate::stream::{self, Each};
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
    Some((history, Box::new(Lines::default())))
}

/// The processes and objects of operations, and the arguments of the current line.
#[derive(Default)]
struct Lines {
    processes: Processes,
    objects: Names,
    args: Vec<Value>,
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
    #[inline]
    fn operation(&mut self, cursor: &mut Cursor<'_>, line: u32, each: Each<'_>) -> Option<bool> {
        let (mut name, mut args, mut value) = (None, None, None);
        let (mut start, mut end) = (None, None);
        let mut extras = Extras::default();
        self.args.clear();
        let mut separator = b'{';
        while cursor.take(separator) {
            separator = b',';
            match key(cursor)? {
                b"op" => once!(name, text(cursor)),
                b"args" => once!(args, self.args(cursor)),
                b"value" => once!(value, result(cursor)),
                b"start" => once!(start, number(cursor)),
                b"end" => once!(end, number(cursor)),
                b"process" => once!(extras.process, self.processes.number(given(cursor)?)),
                b"object" => once!(extras.object, self.objects.number(given(cursor)?).ok()),
                _ => return None,
            }
        }
        let (name, start) = (name?, start?);
        let in_order = match end {
            Some(end) => start <= end,
            None => value.is_none(),
        };
        if !in_order || !cursor.take(b'}') || !cursor.take(b'\n') {
            return None;
        }
        let (args, result) = (self.args.as_slice(), value.as_ref().and_then(Option::as_ref));
        Some(each(&RawOp { name, args, result, start, end, extras, line, end_line: line }))
    }

    fn finish(&mut self, history: &mut RawHistory) {
        history.processes = std::mem::take(&mut self.processes).names();
        history.objects = std::mem::take(&mut self.objects).into_list();
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

/// Numbers for processes, the same that a [`RawBuilder`] assigns: their own if all are numbers,
/// otherwise in order of appearance. A mixture is left to the builder.
#[derive(Default)]
struct Processes {
    /// The numbers below [`Processes::KNOWN`] that have occurred.
    small: Vec<bool>,
    /// All processes that are numbers.
    numbers: BTreeMap<u32, Value>,
    others: Names,
}

impl Processes {
    /// Numbers below this are looked up in a table.
    const KNOWN: usize = 1 << 12;

    #[inline]
    fn number(&mut self, process: Value) -> Option<u32> {
        let own = process.as_int().and_then(|number| u32::try_from(number).ok());
        let Some(own) = own else {
            return self.numbers.is_empty().then(|| self.others.number(process).ok())?;
        };
        if self.small.get(own as usize) != Some(&true) {
            self.meet(own)?;
        }
        Some(own)
    }

    #[cold]
    fn meet(&mut self, own: u32) -> Option<()> {
        if !self.others.is_empty() {
            return None;
        }
        if (own as usize) < Processes::KNOWN {
            self.small.resize(Processes::KNOWN, false);
            self.small[own as usize] = true;
        }
        self.numbers.insert(own, Value::Int(own.into()));
        Some(())
    }

    fn names(self) -> BTreeMap<u32, Value> {
        match self.numbers.is_empty() {
            true => (0..).zip(self.others.into_list()).collect(),
            false => self.numbers,
        }
    }
}
