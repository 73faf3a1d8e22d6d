//! Numbers and words as short text.
//!
//! A number is written in digits of five bits, the smallest first, each as one of 64 printable
//! characters; the sixth bit says that more follow. Ranks are written as differences, so most numbers
//! take one or two characters. Words that occur again are written as numbers, and words that are
//! numbers are written as such. `assets/data.js` reads all this.

use std::collections::HashMap;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Text that numbers are written to.
#[derive(Debug, Default)]
pub(super) struct Digits(pub(super) String);

impl Digits {
    /// A number.
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

    /// A number that may be negative: 0, -1, 1, -2, 2, …
    pub(super) fn signed(&mut self, n: i64) {
        self.number(((n << 1) ^ (n >> 63)) as u64);
    }

    /// The difference between a number and the last one, which it becomes.
    pub(super) fn step(&mut self, last: &mut i64, n: i64) {
        self.signed(n.wrapping_sub(*last));
        *last = n;
    }
}

/// Numbers for texts, in the order in which they are met.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) texts: Vec<String>,
    numbers: HashMap<String, u64>,
    /// Bytes of all texts.
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

    /// A word: a number as itself (odd), everything else by its place in the table (even).
    pub(super) fn word(&mut self, text: &str) -> u64 {
        match integer(text) {
            Some(n) => (((n << 1) ^ (n >> 63)) as u64) << 1 | 1,
            None => self.number(text) << 1,
        }
    }
}

/// The number that is written exactly like this. It must fit a JavaScript number, doubled twice.
fn integer(text: &str) -> Option<i64> {
    let n: i64 = text.parse().ok()?;
    let small = n.unsigned_abs() < 1 << 48;
    (small && n.to_string() == text).then_some(n)
}

/// An operation's text, taken apart: `write(x, 5)` is the kind `write` with the words `x` and `5`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words<'a> {
    pub(super) kind: &'a str,
    /// True if the words stand in parentheses; else there is at most one, which follows as it is.
    pub(super) call: bool,
    pub(super) words: Vec<&'a str>,
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Words<'a> {
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
        let end = text.find(|c: char| !in_name(c)).unwrap_or(text.len());
        let (kind, rest) = text.split_at(end);
        match rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some("") => Words { kind, call: true, words: Vec::new() },
            Some(inner) => Words { kind, call: true, words: inner.split(", ").collect() },
            None if rest.is_empty() => Words { kind, call: false, words: Vec::new() },
            None => Words { kind, call: false, words: vec![rest] },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_short() {
        let mut digits = Digits::default();
        for n in [0, 31, 32, 1023] {
            digits.number(n);
        }
        assert_eq!(digits.0, "AfgB_f");
    }

    #[test]
    fn signed_numbers_alternate() {
        let mut digits = Digits::default();
        for n in [0, -1, 1, i64::MIN] {
            digits.signed(n);
        }
        assert_eq!(&digits.0[..3], "ABC");
        assert_eq!(digits.0.len(), 3 + 13);
    }

    #[test]
    fn only_plain_integers_are_numbers() {
        for text in ["007", "+5", "-0", "1e3", "", "9007199254740993", "5 "] {
            assert_eq!(integer(text), None, "{text}");
        }
        assert_eq!(["0", "-12"].map(integer), [Some(0), Some(-12)]);
    }

    #[test]
    fn operations_are_taken_apart() {
        let words = |text| {
            let Words { kind, call, words } = Words::of(text);
            (kind, call, words)
        };
        assert_eq!(words("write(x, 5)"), ("write", true, vec!["x", "5"]));
        assert_eq!(words("pop()"), ("pop", true, vec![]));
        assert_eq!(words("Read"), ("Read", false, vec![]));
        assert_eq!(words("Put { k: 1 }"), ("Put", false, vec![" { k: 1 }"]));
        assert_eq!(words("(odd"), ("", false, vec!["(odd"]));
    }
}
