//! The last lines of a stream, from which its page is made.
//!
//! If there are too many, the first half is dropped, except what the rest cannot be read without: the header, the calls of
//! operations that are still open, and the lines about faults, whose ends would belong to nothing.

use rustc_hash::FxHashSet;

use crate::Format;

/// Keep at most this many lines, except those that cannot be dropped.
const MOST_LINES: usize = 200_000;
/// And this many bytes.
const MOST_BYTES: usize = 32 << 20;
/// Keep the lines of at most this many faults and other events beyond those of the last lines. If there are more, all of
/// them are left out.
const MOST_ASIDES: usize = 10_000;

/// Why a line is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Header,
    Events,
    /// A fault or another event that is not an operation.
    Aside,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    number: u32,
    /// Where it ends in the text, with its line break.
    end: usize,
    kind: Kind,
}

/// The last lines of a stream, or all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptLines {
    pub(crate) format: Format,
    text: Vec<u8>,
    lines: Vec<Line>,
    /// All lines from this one on are there.
    first: u32,
    /// True if there were too many faults.
    without_asides: bool,
    most_lines: usize,
    most_bytes: usize,
}

impl KeptLines {
    pub(crate) fn new(format: Format) -> KeptLines {
        KeptLines {
            format,
            text: Vec::new(),
            lines: Vec::new(),
            first: 1,
            without_asides: false,
            most_lines: MOST_LINES,
            most_bytes: MOST_BYTES,
        }
    }

    /// The first line from which on all are there; of those before it, only calls of operations that were still open are.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// The last line.
    pub fn last(&self) -> u32 {
        self.lines.last().map_or(0, |line| line.number)
    }

    /// True if nothing has been dropped.
    pub fn is_whole(&self) -> bool {
        self.first == 1 && !self.without_asides
    }

    /// The text of all lines, and the number of each.
    pub(crate) fn into_text(self) -> (Vec<u8>, Vec<u32>) {
        (self.text, self.lines.into_iter().map(|line| line.number).collect())
    }

    pub(crate) fn push(&mut self, number: u32, text: &[u8]) {
        let kind = match (self.lines.is_empty(), self.format) {
            (true, Format::Jsonl) => Kind::Header,
            _ => Kind::Events,
        };
        self.text.extend_from_slice(text);
        self.text.push(b'\n');
        self.lines.push(Line { number, end: self.text.len(), kind });
    }

    /// The last line is about something that is not an operation. Only our own format refuses the end of a fault that has
    /// not begun.
    pub(crate) fn mark_aside(&mut self) {
        if self.format != Format::Jsonl {
            return;
        }
        if self.without_asides {
            self.lines.pop();
            self.text.truncate(self.lines.last().map_or(0, |line| line.end));
        } else if let Some(last) = self.lines.last_mut() {
            last.kind = Kind::Aside;
        }
    }

    /// True if there are too many lines.
    pub(crate) fn is_full(&self) -> bool {
        self.lines.len() > self.most_lines || self.text.len() > self.most_bytes
    }

    /// Drops the first half. `open` are the lines of calls of operations that are open.
    pub(crate) fn cut(&mut self, open: &FxHashSet<u32>) {
        let (lines, bytes) = (self.lines.len() / 2, self.text.len() / 2);
        let tail =
            self.lines.iter().enumerate().position(|(at, line)| at >= lines && line.end > bytes);
        let tail = tail.unwrap_or(self.lines.len());
        let old = |line: &&Line| line.kind == Kind::Aside;
        self.without_asides |= self.lines[..tail].iter().filter(old).count() > MOST_ASIDES;
        let without_asides = self.without_asides;
        let is_needed = |(at, line): (usize, &Line)| match line.kind {
            Kind::Header => true,
            Kind::Aside => !without_asides,
            Kind::Events => at >= tail || open.contains(&line.number),
        };
        self.first = self.lines.get(tail).map_or(self.last() + 1, |line| line.number);
        let (mut text, mut kept, mut from) = (Vec::new(), Vec::new(), 0);
        for (at, line) in self.lines.iter().enumerate() {
            if is_needed((at, line)) {
                text.extend_from_slice(&self.text[from..line.end]);
                kept.push(Line { end: text.len(), ..*line });
            }
            from = line.end;
        }
        (self.text, self.lines) = (text, kept);
        // What cannot be dropped is not looked at again for every line.
        self.most_lines = MOST_LINES.max(2 * self.lines.len());
        self.most_bytes = MOST_BYTES.max(2 * self.text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kept: &KeptLines) -> String {
        let (text, numbers) = kept.clone().into_text();
        let text = String::from_utf8(text).unwrap();
        let lines = text.lines().zip(numbers);
        lines.map(|(line, number)| format!("{number}{line}")).collect::<Vec<_>>().join(" ")
    }

    fn ten_lines() -> KeptLines {
        let mut kept = KeptLines::new(Format::Jsonl);
        for (number, line) in (1..).zip("hbcdefghij".chars()) {
            kept.push(number, line.to_string().as_bytes());
            if line == 'c' {
                kept.mark_aside();
            }
        }
        kept
    }

    #[test]
    fn a_cut_keeps_the_second_half_and_what_it_needs() {
        let mut kept = ten_lines();
        assert!(kept.is_whole() && !kept.is_full());
        kept.cut(&FxHashSet::from_iter([4]));
        assert_eq!(text(&kept), "1h 3c 4d 6f 7g 8h 9i 10j");
        assert_eq!((kept.first(), kept.last(), kept.is_whole()), (6, 10, false));
        kept.push(12, b"k");
        kept.cut(&FxHashSet::from_iter([8]));
        assert_eq!(text(&kept), "1h 3c 7g 8h 9i 10j 12k");
        assert_eq!((kept.first(), kept.last()), (7, 12));
    }

    #[test]
    fn too_many_faults_are_left_out() {
        let mut kept = ten_lines();
        for number in 0..2 * MOST_ASIDES as u32 + 10 {
            kept.push(11 + number, b"fault");
            kept.mark_aside();
        }
        kept.cut(&FxHashSet::default());
        assert_eq!(text(&kept), "1h");
        kept.push(50_000, b"fault");
        kept.mark_aside();
        kept.push(50_001, b"x");
        assert_eq!((&*text(&kept), kept.is_whole()), ("1h 50001x", false));
    }

    #[test]
    fn one_long_line_is_dropped_with_the_others() {
        let mut kept = ten_lines();
        kept.push(11, &[b'x'; 100]);
        kept.cut(&FxHashSet::default());
        assert_eq!(kept.first(), 11);
        kept.push(12, b"y");
        assert_eq!(kept.last(), 12);
    }
}
