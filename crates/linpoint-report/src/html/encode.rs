//! Compact text encoding of numbers and words. `assets/data.js` decodes it.
//!
//! A number is a sequence of five-bit digits, least significant first, each written as one of 64 printable
//! characters; the sixth bit says that more digits follow. Ranks are written as differences, so most numbers
//! take one or two characters. A word is a number in a table of words; a word that is an integer is that
//! integer itself.

use std::collections::HashMap;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A sequence of encoded numbers.
#[derive(Debug, Default)]
pub(super) struct Digits(pub(super) String);

impl Digits {
    /// Appends a number.
    pub(super) fn number(&mut self, mut n: u64) {
        loop {
            let digit = (n & 31) as usize;
            n >>= 5;
            let more = if n > 0 { 32 } else { 0 };
            self.0.push(char::from(DIGITS[digit | more]));
            if n == 0 {
                return;
            }
        }
    }

    /// Appends a signed number in zigzag order: 0, -1, 1, -2, 2, …
    pub(super) fn signed(&mut self, n: i64) {
        self.number(((n << 1) ^ (n >> 63)) as u64);
    }

    /// Appends the difference to the last number, and updates the last number.
    pub(super) fn delta(&mut self, last: &mut i64, n: i64) {
        self.signed(n.wrapping_sub(*last));
        *last = n;
    }
}

/// Numbers texts in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) texts: Vec<String>,
    numbers: HashMap<String, u64>,
    /// Total size of all texts in bytes.
    pub(super) bytes: usize,
}

impl Table {
    pub(super) fn number(&mut self, text: &str) -> u64 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u64;
        self.bytes += text.len();
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// Encodes a word: an integer as itself (odd), any other word by its place in the table (even).
    pub(super) fn word(&mut self, text: &str) -> u64 {
        match integer(text) {
            Some(n) => (((n << 1) ^ (n >> 63)) as u64) << 1 | 1,
            None => self.number(text) << 1,
        }
    }
}

/// The integer whose decimal form is exactly this text. It must fit into a JavaScript number after two
/// doublings.
fn integer(text: &str) -> Option<i64> {
    let n: i64 = text.parse().ok()?;
    let small = n.unsigned_abs() < 1 << 48;
    (small && n.to_string() == text).then_some(n)
}

/// The parsed text of an operation: `write(x, 5)` is the kind `write` with the words `x` and `5`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OpText<'a> {
    pub(super) kind: &'a str,
    /// True if the words are in parentheses; otherwise there is at most one word, the rest of the text.
    pub(super) is_call: bool,
    pub(super) words: Vec<&'a str>,
}

impl<'a> OpText<'a> {
    pub(super) fn parse(text: &'a str) -> OpText<'a> {
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
        let end = text.find(|c: char| !in_name(c)).unwrap_or(text.len());
        let (kind, rest) = text.split_at(end);
        match rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some("") => OpText { kind, is_call: true, words: Vec::new() },
            Some(inner) => OpText { kind, is_call: true, words: inner.split(", ").collect() },
            None if rest.is_empty() => OpText { kind, is_call: false, words: Vec::new() },
            None => OpText { kind, is_call: false, words: vec![rest] },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_take_one_or_two_characters() {
        let mut digits = Digits::default();
        for n in [0, 31, 32, 1023] {
            digits.number(n);
        }
        assert_eq!(digits.0, "AfgB_f");
    }

    #[test]
    fn signed_numbers_are_zigzag_encoded() {
        let mut digits = Digits::default();
        for n in [0, -1, 1, i64::MIN] {
            digits.signed(n);
        }
        assert_eq!(&digits.0[..3], "ABC");
        assert_eq!(digits.0.len(), 3 + 13);
    }

    #[test]
    fn only_canonical_integers_are_encoded_as_integers() {
        for text in ["007", "+5", "-0", "1e3", "", "9007199254740993", "5 "] {
            assert_eq!(integer(text), None, "{text}");
        }
        assert_eq!(["0", "-12"].map(integer), [Some(0), Some(-12)]);
    }

    #[test]
    fn operations_are_parsed_into_kind_and_words() {
        let parsed = |text| {
            let OpText { kind, is_call, words } = OpText::parse(text);
            (kind, is_call, words)
        };
        assert_eq!(parsed("write(x, 5)"), ("write", true, vec!["x", "5"]));
        assert_eq!(parsed("pop()"), ("pop", true, vec![]));
        assert_eq!(parsed("Read"), ("Read", false, vec![]));
        assert_eq!(parsed("Put { k: 1 }"), ("Put", false, vec![" { k: 1 }"]));
        assert_eq!(parsed("(odd"), ("", false, vec!["(odd"]));
    }
}
