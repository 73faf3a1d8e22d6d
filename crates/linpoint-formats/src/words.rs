//! Reads the words of a line one after the other, with errors that have a position.

use crate::{ReadError, Source};

/// A line of text, read word by word. Words are separated by white space.
pub(crate) struct Words<'a> {
    source: &'a Source,
    number: u32,
    line: &'a [u8],
    /// The position from which the next word is searched.
    at: usize,
    /// The start of the last word.
    word_at: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(source: &'a Source, number: u32, line: &'a [u8]) -> Words<'a> {
        Words { source, number, line, at: 0, word_at: 0 }
    }

    /// True if there is nothing on the line.
    #[inline]
    pub(crate) fn is_blank(&self) -> bool {
        self.line.iter().all(u8::is_ascii_whitespace)
    }

    /// The next word; empty at the end of the line.
    #[inline]
    pub(crate) fn word(&mut self) -> &'a [u8] {
        let mut from = self.at;
        while self.line.get(from).is_some_and(|b| b.is_ascii_whitespace()) {
            from += 1;
        }
        let mut to = from;
        while self.line.get(to).is_some_and(|b| !b.is_ascii_whitespace()) {
            to += 1;
        }
        (self.word_at, self.at) = (from, to);
        &self.line[from..to]
    }

    /// A whole number.
    #[inline]
    pub(crate) fn int(&mut self, what: &str) -> Result<i64, ReadError> {
        // The common case in one pass: a space, a few digits, a space or the end.
        let rest = &self.line[self.at..];
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let mut number = 0_i64;
        let mut digits = 0;
        for byte in &rest[blanks..] {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
            digits += 1;
        }
        let after = rest.get(blanks + digits);
        if matches!(digits, 1..=18) && after.is_none_or(u8::is_ascii_whitespace) {
            self.word_at = self.at + blanks;
            self.at = self.word_at + digits;
            return Ok(number);
        }
        self.any_int(what)
    }

    /// A number with a sign or very many digits, or none at all.
    fn any_int(&mut self, what: &str) -> Result<i64, ReadError> {
        let word = self.word();
        parse_int(word).ok_or_else(|| self.expected(&format!("{what} (a whole number)"), word))
    }

    /// A time: a whole number that is not negative.
    #[inline]
    pub(crate) fn time(&mut self, what: &str) -> Result<u64, ReadError> {
        let time = self.int(what)?;
        u64::try_from(time).map_err(|_| self.wrong(format!("{what} is negative")))
    }

    /// Requires the end of the line.
    #[inline]
    pub(crate) fn end(&mut self) -> Result<(), ReadError> {
        match self.word() {
            b"" => Ok(()),
            word => Err(self.expected("the end of the line", word)),
        }
    }

    /// The rest of the line, and the column where it begins (from 1).
    pub(crate) fn rest(&mut self) -> (&'a [u8], usize) {
        let rest = &self.line[self.at..];
        let text = rest.trim_ascii_start();
        self.word_at = self.at + rest.len() - text.len();
        (text.trim_ascii_end(), self.word_at + 1)
    }

    /// An error at the last word.
    #[cold]
    pub(crate) fn wrong(&self, message: impl Into<String>) -> ReadError {
        ReadError::new(self.source, message).at(self.source, self.number, self.word_at + 1)
    }

    /// An error: something else was expected instead of the last word.
    #[cold]
    pub(crate) fn expected(&self, what: &str, word: &[u8]) -> ReadError {
        self.wrong(match word {
            b"" => format!("the line ends where {what} is expected"),
            word => format!("{} is not {what}", shown(word)),
        })
    }
}

/// A word for a message: quoted, and shortened if it is too long.
pub(crate) fn shown(word: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(4 * MOST)]);
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < word.len() {
        short.push('\u{2026}');
    }
    format!("{short:?}")
}

/// A text for a message, shortened if it is too long.
pub(crate) fn shorter(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

/// `did you mean "enqueue"? The …`, if one of the names is like this one; else only the rest, which begins with
/// "the".
pub(crate) fn did_you_mean(name: &str, names: &[&str], rest: &str) -> String {
    /// Clap suggests from 0.7 on, which is too often for short names.
    const LIKE: f64 = 0.8;
    /// Nobody means anything by a name of a megabyte.
    const LONG: usize = 64;
    let names = if name.len() > LONG { &[] } else { names };
    let alike = names.iter().map(|known| (strsim::jaro_winkler(name, known), known));
    let closest = alike.filter(|(like, _)| *like > LIKE).max_by(|a, b| a.0.total_cmp(&b.0));
    match (closest, rest.strip_prefix("the")) {
        (Some((_, known)), Some(rest)) => format!("did you mean {known:?}? The{rest}"),
        _ => rest.to_owned(),
    }
}

/// A whole number of 64 bits with a sign.
pub(crate) fn parse_int(word: &[u8]) -> Option<i64> {
    if word.starts_with(b"+") {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The column (from 1) of the word with this index.
pub(crate) fn column_of(line: &[u8], word: usize) -> Option<usize> {
    let begins = |at: &usize| {
        let blank = |b: Option<&u8>| b.is_none_or(u8::is_ascii_whitespace);
        !blank(line.get(*at)) && (*at == 0 || blank(line.get(*at - 1)))
    };
    (0..line.len()).filter(begins).nth(word).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let source = Source::new("h", "");
        for (text, number) in [
            ("0", Some(0)),
            ("-17", Some(-17)),
            ("999999999999999999", Some(999_999_999_999_999_999)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("-", None),
            ("+1", None),
            ("+1000000000000000000", None),
            ("1x", None),
            ("1.0", None),
        ] {
            assert_eq!(parse_int(text.as_bytes()), number, "{text}");
            for line in [text.to_owned(), format!(" {text} 7"), format!("\t{text}\r")] {
                let mut words = Words::new(&source, 1, line.as_bytes());
                assert_eq!(words.int("a number").ok(), number, "{line:?}");
            }
        }
    }

    #[test]
    fn columns() {
        assert_eq!(column_of(b"  a bc", 0), Some(3));
        assert_eq!(column_of(b"  a bc", 1), Some(5));
        assert_eq!(column_of(b"  a bc", 2), None);
    }
}
