//! Tables: CSV as RFC 4180 describes it, and the same with tabs. The first line names the columns.

use std::borrow::Cow;

use super::rows::{Cell, Place, Row, Syntax};
use crate::{Format, ReadError, Source};

/// Passes each row below the header to `each`.
pub(super) fn rows<'s>(
    source: &'s Source,
    format: Format,
    each: &mut dyn FnMut(Row<'s>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let text = std::str::from_utf8(source.text()).map_err(|error| {
        let before = &source.text()[..error.valid_up_to()];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let column = 1 + before.len() - memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let place = Place { line: u32::try_from(line).unwrap_or(u32::MAX), column };
        place.wrong(source, "these bytes are not UTF-8")
    })?;
    let separator = if format == Format::Tsv { b'\t' } else { b',' };
    let mut table =
        Table { source, text, separator, at: 0, line: source.first_line(), line_start: 0 };
    let Some(header) = table.record()? else { return Ok(()) };
    let names = names(source, header)?;
    while let Some(record) = table.record()? {
        let [first, ..] = &record[..] else { continue };
        let place = first.place;
        if record.len() != names.len() {
            let (is, wants) = (record.len(), names.len());
            let message = format!("this line has {is} fields, and the first line has {wants}");
            return Err(ReadError::new(source, message).at_line(source, place.line));
        }
        let cell = |(part, name): (Part<'s>, &Cow<'s, str>)| Cell {
            name: name.clone(),
            text: part.text,
            syntax: Syntax::Table { quoted: part.quoted },
            place: part.place,
        };
        let fields = record.into_iter().zip(&names).map(cell).collect();
        each(Row { line: place.line, fields })?;
    }
    Ok(())
}

/// The column (from 1) on a line at which a field begins.
pub(super) fn locate(source: &Source, format: Format, line: u32, field: &str) -> Option<usize> {
    let separator = if format == Format::Tsv { b'\t' } else { b',' };
    let record = |bytes: &[u8]| -> Option<Vec<(String, usize)>> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut table = Table { source, text, separator, at: 0, line: 1, line_start: 0 };
        let parts = table.record().ok()??;
        Some(
            parts
                .into_iter()
                .map(|part| (part.text.trim().to_owned(), part.place.column))
                .collect(),
        )
    };
    let header = source.lines().map(|(_, line)| line).find(|line| !line.is_empty())?;
    let column = record(header)?.iter().position(|(name, _)| name == field)?;
    record(source.line(line)?)?.get(column).map(|(_, at)| *at)
}

/// The names of the columns.
fn names<'s>(source: &Source, header: Vec<Part<'s>>) -> Result<Vec<Cow<'s, str>>, ReadError> {
    let mut names: Vec<Cow<'s, str>> = Vec::with_capacity(header.len());
    for Part { text, place, .. } in header {
        let name = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text),
        };
        if name.is_empty() {
            return Err(
                place.wrong(source, "a column has no name: the first line names the columns")
            );
        }
        if names.contains(&name) {
            return Err(place.wrong(source, format!("two columns have the name {name:?}")));
        }
        names.push(name);
    }
    Ok(names)
}

/// A field of a record.
struct Part<'a> {
    text: Cow<'a, str>,
    quoted: bool,
    place: Place,
}

struct Table<'a> {
    source: &'a Source,
    text: &'a str,
    separator: u8,
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Table<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn place(&self) -> Place {
        Place { line: self.line, column: self.at - self.line_start + 1 }
    }

    fn new_line(&mut self) {
        self.line = self.line.saturating_add(1);
        self.line_start = self.at;
    }

    /// The next record that is not a blank line.
    fn record(&mut self) -> Result<Option<Vec<Part<'a>>>, ReadError> {
        loop {
            if self.peek().is_none() {
                return Ok(None);
            }
            if !self.end_of_line() {
                break;
            }
        }
        let mut parts = Vec::new();
        loop {
            let place = self.place();
            let (text, quoted) = match self.peek() {
                Some(b'"') => (self.quoted(place)?, true),
                _ => (self.plain(), false),
            };
            parts.push(Part { text, quoted, place });
            match self.peek() {
                Some(b) if b == self.separator => self.at += 1,
                _ => break,
            }
        }
        if !self.end_of_line() && self.peek().is_some() {
            let message = "there is text after the closing quote of a field";
            return Err(self.place().wrong(self.source, message));
        }
        Ok(Some(parts))
    }

    /// Takes the end of a line.
    fn end_of_line(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let length = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            [b'\r'] => 1,
            _ => return false,
        };
        self.at += length;
        self.new_line();
        true
    }

    /// A field without quotes.
    fn plain(&mut self) -> Cow<'a, str> {
        let (text, separator) = (self.text, self.separator);
        let rest = &text[self.at..];
        let end = memchr::memchr2(separator, b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let is_line_end = rest.as_bytes().get(end) != Some(&separator);
        let field = &rest[..end];
        let field = if is_line_end { field.strip_suffix('\r').unwrap_or(field) } else { field };
        self.at += field.len();
        Cow::Borrowed(field)
    }

    /// A field in quotes. Two quotes inside stand for one.
    fn quoted(&mut self, place: Place) -> Result<Cow<'a, str>, ReadError> {
        self.at += 1;
        let mut text = Cow::Borrowed("");
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = memchr::memchr2(b'"', b'\n', rest.as_bytes()) else {
                return Err(place.wrong(self.source, "this quote is never closed"));
            };
            let is_quote = rest.as_bytes()[end] == b'"';
            self.at += end + 1;
            if !is_quote {
                text += &rest[..=end];
                self.new_line();
                continue;
            }
            text += &rest[..end];
            if self.peek() != Some(b'"') {
                return Ok(text);
            }
            text += "\"";
            self.at += 1;
        }
    }
}
