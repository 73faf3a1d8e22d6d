//! Parses the part of EDN that histories need.
//!
//! Commas are white space, `;` begins a comment, `#_` drops a value, and tags are skipped. Keywords
//! and symbols become texts, keywords with their colon. Lists, vectors and sets become lists.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::Value;
use crate::words::{parse_int, shown};

/// Refuse deeper nesting: the stack is finite.
const DEPTH: usize = 100;

/// Compare up to this many keys of a map one by one.
const FEW: usize = 16;

/// An error, and the byte it is at.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// A map with names for keys, and where each value is.
pub(crate) type Entries = Vec<(Value, Value, Range<usize>)>;

/// Reads values one after the other.
pub(crate) struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    /// In Porcupine's logs a backslash in a string has no special meaning.
    escapes: bool,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a [u8], escapes: bool) -> Parser<'a> {
        Parser { text, at: 0, escapes }
    }

    /// A piece of the text.
    pub(crate) fn text(&self, range: Range<usize>) -> &'a [u8] {
        &self.text[range]
    }

    /// The position of the next byte.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    fn wrong<T>(&self, at: usize, message: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong { at, message: message.into() })
    }

    /// Skips white space and comments. Returns the next byte, if there is one.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.text.get(self.at)? {
                b';' => {
                    let rest = &self.text[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                b if b.is_ascii_whitespace() || b == b',' => self.at += 1,
                b => return Some(b),
            }
        }
    }

    /// Consumes the next byte if it is this one.
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips tags and dropped values before the next value.
    fn skip_tags(&mut self, depth: usize) -> Result<(), Wrong> {
        while self.peek() == Some(b'#') {
            match self.text.get(self.at + 1) {
                Some(b'{') => return Ok(()),
                Some(b'_') => {
                    self.at += 2;
                    self.value(depth + 1)?;
                }
                Some(b) if b.is_ascii_alphabetic() => {
                    self.at += 1;
                    self.word();
                }
                _ => return self.wrong(self.at, "this is not EDN: # without a tag"),
            }
        }
        Ok(())
    }

    /// The next value, which must be a map.
    pub(crate) fn map(&mut self) -> Result<Entries, Wrong> {
        self.skip_tags(0)?;
        let at = self.at;
        if !self.take(b'{') {
            return self.wrong(at, "an operation must be a map: {:process 0, :type :invoke, ...}");
        }
        self.entries(at, 0)
    }

    fn entries(&mut self, open: usize, depth: usize) -> Result<Entries, Wrong> {
        let mut entries = Entries::new();
        // Most maps have few keys, but one with very many must not take quadratic time.
        let mut keys = FxHashSet::default();
        while !self.closes(b'}', open)? {
            let key_at = self.at;
            let key = self.value(depth + 1)?;
            if self.peek() == Some(b'}') {
                return self.wrong(self.at, format!("the key {key} has no value"));
            }
            self.skip_tags(depth)?;
            let (_, at) = (self.peek(), self.at);
            let is_new = match entries.len() {
                ..FEW => entries.iter().all(|(known, ..)| *known != key),
                FEW => {
                    keys.extend(entries.iter().map(|(known, ..)| known.clone()));
                    keys.insert(key.clone())
                }
                _ => keys.insert(key.clone()),
            };
            if !is_new {
                return self.wrong(key_at, format!("the key {} appears twice", key.bare()));
            }
            let value = self.value(depth + 1)?;
            entries.push((key, value, at..self.at));
        }
        Ok(entries)
    }

    /// Consumes the closing bracket if it is next.
    pub(crate) fn closes(&mut self, close: u8, open: usize) -> Result<bool, Wrong> {
        match self.peek() {
            Some(b) if b == close => {
                self.at += 1;
                Ok(true)
            }
            Some(b @ (b')' | b']' | b'}')) => {
                let message =
                    format!("{:?} where {:?} is expected", char::from(b), char::from(close));
                self.wrong(self.at, message)
            }
            Some(_) => Ok(false),
            None => {
                let bracket = char::from(self.text[open]);
                self.wrong(open, format!("{bracket:?} is never closed: the file is cut off"))
            }
        }
    }

    fn items(&mut self, open: usize, close: u8, depth: usize) -> Result<Value, Wrong> {
        let mut items = Vec::new();
        while !self.closes(close, open)? {
            items.push(self.value(depth + 1)?);
        }
        Ok(Value::List(items.into()))
    }

    /// The next value.
    pub(crate) fn value(&mut self, depth: usize) -> Result<Value, Wrong> {
        if depth > DEPTH {
            return self.wrong(self.at, "values are nested too deeply");
        }
        self.skip_tags(depth)?;
        let next = self.peek();
        let at = self.at;
        self.at += 1;
        match next {
            None => self.wrong(at, "the file ends where a value is expected"),
            Some(b'[') => self.items(at, b']', depth),
            Some(b'(') => self.items(at, b')', depth),
            Some(b'#') => {
                self.at += 1;
                self.items(at + 1, b'}', depth)
            }
            Some(b'{') => {
                let entries = self.entries(at, depth)?;
                let pair = |(key, value, _)| Value::List([key, value].into());
                Ok(Value::List(entries.into_iter().map(pair).collect()))
            }
            Some(b'"') => self.string(at),
            Some(b @ (b')' | b']' | b'}')) => {
                self.wrong(at, format!("{:?} where a value is expected", char::from(b)))
            }
            Some(_) => {
                self.at = at;
                self.atom()
            }
        }
    }

    /// The bytes up to the next blank or bracket.
    fn word(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let ends = |b: &u8| b.is_ascii_whitespace() || b",;\"()[]{}".contains(b);
        let word = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn atom(&mut self) -> Result<Value, Wrong> {
        let at = self.at;
        let word = self.word();
        Ok(match word {
            b"nil" => Value::Nil,
            b"true" => Value::Bool(true),
            b"false" => Value::Bool(false),
            b":" => return self.wrong(at, "a keyword without a name"),
            word => {
                let digits = word.strip_prefix(b"+").unwrap_or(word);
                if let Some(number) = parse_int(digits.strip_suffix(b"N").unwrap_or(digits)) {
                    return Ok(Value::Int(number));
                }
                match std::str::from_utf8(word) {
                    Ok(text) => Value::str(text),
                    Err(e) => {
                        let message = format!("{} is not UTF-8", shown(word));
                        return self.wrong(at + e.valid_up_to(), message);
                    }
                }
            }
        })
    }

    /// The rest of a string; `open` is where its quote is.
    fn string(&mut self, open: usize) -> Result<Value, Wrong> {
        let mut bytes = Vec::new();
        loop {
            let Some(&byte) = self.text.get(self.at) else {
                return self.wrong(open, "the string is never closed: the file is cut off");
            };
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' if self.escapes => self.escape(&mut bytes)?,
                byte => bytes.push(byte),
            }
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(Value::str(text)),
            Err(_) => self.wrong(open, "the string is not UTF-8"),
        }
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), Wrong> {
        let at = self.at - 1;
        let next = self.text.get(self.at).copied();
        self.at += 1;
        let c = match next {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b @ (b'"' | b'\\')) => char::from(b),
            Some(b'u') => {
                let hex = self.text.get(self.at..self.at + 4);
                let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
                let Some(code) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) else {
                    return self.wrong(at, "\\u needs four hexadecimal digits");
                };
                self.at += 4;
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return self.wrong(at, "unknown escape in a string"),
        };
        bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let mut parser = Parser::new(text.as_bytes(), true);
        parser.value(0).map(|v| v.to_string()).map_err(|w| format!("{}: {}", w.at, w.message))
    }

    #[test]
    fn values() {
        for (edn, words) in [
            ("nil", "null"),
            (" , -3 ", "-3"),
            ("+7N", "7"),
            (":read", "\":read\""),
            ("x ; what", "\"x\""),
            ("; what\n [1 (2,3) #{4}]", "[1, [2, 3], [4]]"),
            ("{:a 1 :b nil}", "[[\":a\", 1], [\":b\", null]]"),
            (r#""a\"\\\u0041\n""#, r#""a\"\\A\n""#),
            ("#jepsen.op{:a 1}", "[[\":a\", 1]]"),
            ("#_ [1 2] 3", "3"),
            ("1.5", "\"1.5\""),
        ] {
            assert_eq!(read(edn).as_deref(), Ok(words), "{edn}");
        }
    }

    #[test]
    fn what_is_not_a_value() {
        for (edn, message) in [
            ("", "0: the file ends where a value is expected"),
            ("[1 2", "0: '[' is never closed: the file is cut off"),
            ("[1 2)", "4: ')' where ']' is expected"),
            ("{:a}", "3: the key \":a\" has no value"),
            ("{:a 1 :a 2}", "6: the key :a appears twice"),
            ("\"a", "0: the string is never closed: the file is cut off"),
            (r#""\q""#, "1: unknown escape in a string"),
            ("}", "0: '}' where a value is expected"),
        ] {
            assert_eq!(read(edn).err().as_deref(), Some(message), "{edn}");
        }
        assert!(read(&"[".repeat(100_000)).unwrap_err().ends_with("nested too deeply"));
        assert!(read(&"#_".repeat(100_000)).unwrap_err().ends_with("nested too deeply"));
    }
}
