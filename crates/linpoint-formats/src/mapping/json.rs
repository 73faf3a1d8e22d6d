//! JSON: one object after the other, usually one a line, or a list of objects.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::rows::{Cell, Place, Row, Syntax};
use crate::{ReadError, Source};

/// Passes each object to `each`, as its fields.
pub(super) fn rows<'s>(
    source: &'s Source,
    each: &mut dyn FnMut(Row<'s>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    objects(source, &mut |object| each(row(source, &object)?))
}

/// The text of an object, and where it is.
pub(super) struct ObjectText<'s> {
    pub(super) text: &'s str,
    pub(super) place: Place,
}

/// Passes each object to `each`.
pub(super) fn objects<'s>(
    source: &'s Source,
    each: &mut dyn FnMut(ObjectText<'s>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let text = std::str::from_utf8(source.text()).map_err(|error| {
        let place = Lines::of(source).place(error.valid_up_to());
        place.wrong(source, "these bytes are not UTF-8")
    })?;
    let mut lines = Lines::of(source);
    let mut object = |value: &'s RawValue| {
        let place = lines.place(offset(text, value.get()));
        if !value.get().starts_with('{') {
            return Err(place.wrong(source, "a line must be an object: {...}"));
        }
        each(ObjectText { text: value.get(), place })
    };
    for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        let value = value.map_err(|error| syntax(source, &error))?;
        if !value.get().starts_with('[') {
            object(value)?;
            continue;
        }
        // A list of objects is read like the objects themselves.
        let list: Vec<&RawValue> = serde_json::from_str(value.get())
            .map_err(|error| within(source, offset(text, value.get()), &error))?;
        list.into_iter().try_for_each(&mut object)?;
    }
    Ok(())
}

fn row<'s>(source: &'s Source, object: &ObjectText<'s>) -> Result<Row<'s>, ReadError> {
    let ObjectText { text, place } = *object;
    let fields: Object<'s> = serde_json::from_str(text).map_err(|error| {
        let line =
            place.line.saturating_add(u32::try_from(error.line()).unwrap_or(1).saturating_sub(1));
        let first = if error.line() <= 1 { place.column } else { 1 };
        Place { line, column: first + error.column().saturating_sub(1) }
            .wrong(source, message(&error))
    })?;
    let mut lines = Lines { text: text.as_bytes(), line: place.line, line_start: 0, until: 0 };
    let cell = |(name, value): (Cow<'s, str>, &'s RawValue)| {
        let mut at = lines.place(offset(text, value.get()));
        if at.line == place.line {
            at.column += place.column - 1;
        }
        Cell { name, text: Cow::Borrowed(value.get()), syntax: Syntax::Json, place: at }
    };
    Ok(Row { line: place.line, fields: fields.0.into_iter().map(cell).collect() })
}

/// Where a part of a text begins.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// An error with a place in the whole text.
fn syntax(source: &Source, error: &serde_json::Error) -> ReadError {
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
    Place { line, column: error.column() }.wrong(source, message(error))
}

/// An error with a place in a part of the text that begins at `start`.
fn within(source: &Source, start: usize, error: &serde_json::Error) -> ReadError {
    let first = Lines::of(source).place(start);
    let line =
        first.line.saturating_add(u32::try_from(error.line()).unwrap_or(1).saturating_sub(1));
    let column = if error.line() <= 1 {
        first.column + error.column().saturating_sub(1)
    } else {
        error.column()
    };
    Place { line, column }.wrong(source, message(error))
}

/// The message without its place, which [`ReadError`] has.
fn message(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "the file ends too early".to_owned();
    }
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&place).unwrap_or(&message).to_owned()
}

/// Lines and columns of positions that are asked for in ascending order.
struct Lines<'a> {
    text: &'a [u8],
    line: u32,
    line_start: usize,
    until: usize,
}

impl Lines<'_> {
    fn of(source: &Source) -> Lines<'_> {
        Lines { text: source.text(), line: source.first_line(), line_start: 0, until: 0 }
    }

    fn place(&mut self, at: usize) -> Place {
        let at = at.clamp(self.until, self.text.len().max(self.until));
        for newline in memchr::memchr_iter(b'\n', &self.text[self.until..at]) {
            self.line = self.line.saturating_add(1);
            self.line_start = self.until + newline + 1;
        }
        self.until = at;
        Place { line: self.line, column: at - self.line_start + 1 }
    }
}

/// The entries of an object, in their order.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// A key. Borrowed, unless it has escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        d.deserialize_str(KeyVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Object<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut entries: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::new();
                while let Some(Key(name)) = map.next_key::<Key<'de>>()? {
                    if entries.iter().any(|(known, _)| *known == name) {
                        return Err(A::Error::custom(format!("the key {name:?} appears twice")));
                    }
                    entries.push((name, map.next_value()?));
                }
                Ok(Object(entries))
            }
        }
        d.deserialize_map(ObjectVisitor)
    }
}
