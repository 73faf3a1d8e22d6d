//! Reads a stream in blocks of whole lines, through a reused buffer.
//!
//! Long histories are read in this way: their text is never in memory as a whole, and no page is
//! touched for it more than once.

use std::io::{self, ErrorKind, Read};

/// The size of a block, unless a line is longer. Tests read short files in many blocks.
const BLOCK: usize = if cfg!(test) { 1 << 12 } else { 1 << 18 };

/// After the last line of a block there are this many bytes that may be read but have no meaning,
/// so that words of eight bytes can be read anywhere.
const PADDING: usize = 16;

/// What is read: by one thread at a time, but not always by the same.
pub(crate) type Input<'r> = dyn Read + Send + 'r;

/// Splits a stream into blocks. Each ends with the end of a line; one is added to the last line if
/// it has none.
pub(crate) struct Blocks<'r> {
    stream: &'r mut Input<'r>,
    buffer: Vec<u8>,
    /// The end of the lines returned most recently.
    taken: usize,
    /// The end of the bytes read so far.
    filled: usize,
    ended: bool,
}

impl<'r> Blocks<'r> {
    pub(crate) fn new(stream: &'r mut Input<'r>) -> Blocks<'r> {
        let buffer = vec![0; BLOCK + PADDING];
        Blocks { stream, buffer, taken: 0, filled: 0, ended: false }
    }

    /// The next lines; `None` after the last.
    pub(crate) fn more(&mut self) -> io::Result<Option<Block<'_>>> {
        let end = self.find_end()?;
        self.taken = end;
        Ok(self.block(end))
    }

    /// The next lines, in memory of their own; `None` after the last. `spare` is used again: the memory of an
    /// earlier block, or none.
    pub(crate) fn take(&mut self, mut spare: Vec<u8>) -> io::Result<Option<OwnBlock>> {
        let end = self.find_end()?;
        if end == 0 {
            return Ok(None);
        }
        // The beginning of the line after the block stays here.
        let rest = &self.buffer[end..self.filled];
        spare.resize(self.buffer.len(), 0);
        spare[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        Ok(Some(OwnBlock { buffer: std::mem::replace(&mut self.buffer, spare), end }))
    }

    /// The lines that [`Blocks::more`] will return next, possibly followed by some more.
    pub(crate) fn peek(&mut self) -> io::Result<Option<Block<'_>>> {
        let end = self.find_end()?;
        Ok(self.block(end))
    }

    /// True if everything has been read, except for what is left of the block that was returned or peeked at.
    pub(crate) fn is_at_end(&self) -> bool {
        self.ended
    }

    /// The lines up to `end`, which is the end of a line.
    fn block(&self, end: usize) -> Option<Block<'_>> {
        (end > 0).then(|| Block { bytes: &self.buffer[..end + PADDING], end })
    }

    /// Moves unconsumed bytes to the front and reads more. Returns the end of the last whole line;
    /// 0 if there is none.
    fn find_end(&mut self) -> io::Result<usize> {
        self.buffer.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        self.taken = 0;
        loop {
            self.fill()?;
            if self.ended && self.filled > 0 && self.buffer[self.filled - 1] != b'\n' {
                self.buffer[self.filled] = b'\n';
                self.filled += 1;
            }
            match memchr::memrchr(b'\n', &self.buffer[..self.filled]) {
                Some(last) => return Ok(last + 1),
                None if self.ended => return Ok(0),
                // A very long line.
                None => self.buffer.resize(2 * self.buffer.len(), 0),
            }
        }
    }

    /// Reads until the buffer is full, except for the padding, which has room for the end of a line
    /// too.
    fn fill(&mut self) -> io::Result<()> {
        let room = self.buffer.len() - PADDING - 1;
        while !self.ended && self.filled < room {
            match self.stream.read(&mut self.buffer[self.filled..room]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Some whole lines and the memory that they are in.
pub(crate) struct OwnBlock {
    buffer: Vec<u8>,
    /// Where the lines end.
    end: usize,
}

impl OwnBlock {
    /// The lines.
    pub(crate) fn block(&self) -> Block<'_> {
        Block { bytes: &self.buffer[..self.end + PADDING], end: self.end }
    }

    /// The memory, for another block.
    pub(crate) fn into_spare(self) -> Vec<u8> {
        self.buffer
    }
}

/// Some whole lines.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    /// The lines and the padding.
    bytes: &'a [u8],
    /// Where the lines end.
    end: usize,
}

impl<'a> Block<'a> {
    /// The lines.
    pub(crate) fn lines(self) -> &'a [u8] {
        &self.bytes[..self.end]
    }

    /// Reads from the position `at` on.
    pub(crate) fn cursor(self, at: usize) -> Cursor<'a> {
        Cursor { bytes: self.bytes, end: self.end, at }
    }
}

/// Reads a block byte by byte, or a number at a time. Methods return nothing rather than read
/// beyond the input, and never move past the end of a line on their own.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    end: usize,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// True if there are no more lines.
    #[inline]
    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    /// The next byte, without consuming it.
    #[inline]
    pub(crate) fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(b'\n')
    }

    /// Consumes this byte if it is the next one.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte;
        self.at += usize::from(is_next);
        is_next
    }

    /// True if these bytes are next.
    #[inline]
    pub(crate) fn is_at(&self, bytes: &[u8]) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(bytes))
    }

    /// Consumes these bytes if they are next.
    #[inline]
    pub(crate) fn take_all(&mut self, bytes: &[u8]) -> bool {
        let is_next = self.is_at(bytes);
        if is_next {
            self.at += bytes.len();
        }
        is_next
    }

    /// The next eight bytes as a number, the first one lowest. They may be beyond the end.
    #[inline]
    pub(crate) fn word(&self) -> u64 {
        let word = self.bytes.get(self.at..self.at + 8).and_then(|word| word.try_into().ok());
        word.map_or(0, u64::from_le_bytes)
    }

    /// Skips this many bytes, which the caller has seen.
    #[inline]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// A whole number without a sign, of at most 18 digits.
    #[inline]
    pub(crate) fn digits(&mut self) -> Option<u64> {
        let (number, count) = leading_digits(self.word());
        self.at += count;
        match count {
            0 => None,
            8 if self.peek().is_ascii_digit() => self.more_digits(number),
            _ => Some(number),
        }
    }

    #[inline(never)]
    fn more_digits(&mut self, first: u64) -> Option<u64> {
        let mut number = first;
        let mut count = 8;
        while self.peek().is_ascii_digit() {
            number = number * 10 + u64::from(self.peek() - b'0');
            self.at += 1;
            count += 1;
            if count > 18 {
                return None;
            }
        }
        Some(number)
    }

    /// True if the last `count` consumed bytes are digits.
    #[inline]
    pub(crate) fn follows_digits(&self, count: usize) -> bool {
        let before = self.at.checked_sub(count).and_then(|from| self.bytes.get(from..self.at));
        before.is_some_and(|bytes| bytes.iter().all(u8::is_ascii_digit))
    }

    /// A whole number that may have a sign, of at most 18 digits.
    #[inline]
    pub(crate) fn int(&mut self) -> Option<i64> {
        let negative = self.take(b'-');
        let number = self.digits()? as i64;
        Some(if negative { -number } else { number })
    }

    /// The bytes between here and the next such byte, which is skipped. `None` if it is not on this
    /// line.
    #[inline]
    pub(crate) fn until(&mut self, byte: u8) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..self.end)?;
        let length = memchr::memchr2(byte, b'\n', rest)?;
        if rest[length] != byte {
            return None;
        }
        self.at += length + 1;
        Some(&rest[..length])
    }
}

/// The digits at the start of a word of eight characters: the number, and how many there are.
#[inline]
fn leading_digits(word: u64) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // A digit becomes its value, everything else more than nine.
    let values = word ^ (ONES * 0x30);
    // The high bit is set in the first byte that is not a digit. Carries affect only the bytes
    // after it.
    let others = (values.wrapping_add(ONES * 0x76) | values) & (ONES * 0x80);
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // The last digit goes to the highest byte, zeros to the front.
    let digits = values << (64 - 8 * count);
    // Combines digits into pairs, and then all four pairs in one step.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    const LOW: u64 = 0x0000_00ff_0000_00ff;
    let first = (pairs & LOW).wrapping_mul(100 + (1_000_000 << 32));
    let second = (pairs >> 16 & LOW).wrapping_mul(1 + (10_000 << 32));
    (first.wrapping_add(second) >> 32, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns this many bytes at a time, and is interrupted now and then.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            if self.1.is_multiple_of(3) {
                return Err(ErrorKind::Interrupted.into());
            }
            let most = buffer.len().min(7);
            self.0.read(&mut buffer[..most])
        }
    }

    #[test]
    fn blocks_are_whole_lines() {
        for lines in [0, 1, 3, 40_000] {
            for end in ["", "\n", "last", "last\n"] {
                let text = "a line of text\n".repeat(lines) + end;
                let mut stream = Slow(text.as_bytes(), 0);
                let mut blocks = Blocks::new(&mut stream);
                let mut all: Vec<u8> = Vec::new();
                while let Some(block) = blocks.more().unwrap() {
                    assert!(block.lines().ends_with(b"\n"));
                    all.extend(block.lines());
                }
                let open = !text.is_empty() && !text.ends_with('\n');
                assert_eq!(all, (text + if open { "\n" } else { "" }).as_bytes());
            }
        }
    }

    #[test]
    fn a_line_may_be_longer_than_a_block() {
        let text = format!("{}\n{}\n", "x".repeat(5 * BLOCK), "y".repeat(3));
        let mut stream = text.as_bytes();
        let mut blocks = Blocks::new(&mut stream);
        let mut all: Vec<u8> = Vec::new();
        while let Some(block) = blocks.more().unwrap() {
            all.extend(block.lines());
        }
        assert_eq!(all, text.as_bytes());
    }

    #[test]
    fn numbers_of_any_length() {
        let text = |n: u64| format!("{n} 999");
        let mut number = 0_u64;
        for digit in [3, 0, 9, 9, 1, 2, 8, 7, 0, 5, 5, 6, 4, 9, 1, 3, 7, 8] {
            number = number * 10 + digit;
            for n in [number, number.next_power_of_two(), 10_u64.pow(number.ilog10())] {
                let text = text(n) + "\n";
                let mut stream = text.as_bytes();
                let mut blocks = Blocks::new(&mut stream);
                let mut cursor = blocks.more().unwrap().unwrap().cursor(0);
                let read = cursor.digits();
                assert_eq!(read, (n < 10_u64.pow(18)).then_some(n));
                assert!(read.is_none() || cursor.take(b' ') && cursor.digits() == Some(999));
            }
        }
    }

    #[test]
    fn what_is_no_digit() {
        for byte in (0..=u8::MAX).filter(|b| !b.is_ascii_digit()) {
            for before in 0..8 {
                let mut word = *b"12345678";
                word[before] = byte;
                let (number, count) = leading_digits(u64::from_le_bytes(word));
                assert_eq!(count, before, "{byte}");
                assert_eq!(number, 12_345_678 / 10_u64.pow(8 - before as u32));
            }
        }
        assert_eq!(leading_digits(u64::from_le_bytes(*b"12345678")), (12_345_678, 8));
    }
}
