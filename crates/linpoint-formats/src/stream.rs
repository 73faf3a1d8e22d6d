//! Reading the plain lines of long histories, operation by operation, without keeping them.
//!
//! Most lines of most files look like those that a program wrote: no blank too many, no number with a
//! decimal point, nothing missing. Such lines are understood here in a few dozen nanoseconds each, and go
//! straight into the history of the model. Everything else is left to the reader of the format, which reads
//! the input again from the start: whatever is unusual, and whatever is wrong. So there is one place that
//! knows what to say about an input, and nothing here says anything.

use std::io::Read;

use crate::blocks::{Block, Blocks, Cursor};
use crate::raw::{RawHistory, RawOp};
use crate::{Format, fastlin, jsonl, violat};

/// The operations of an input whose header has been read.
pub(crate) struct Stream<'r> {
    blocks: Blocks<'r>,
    /// How long the header is. It is at the start of the block that comes first.
    header: usize,
    lines: Box<dyn Lines>,
}

/// A line has something that is left to others.
#[derive(Debug)]
pub(crate) struct Unusual;

/// Is told of each operation. False: it does not want to hear of more.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&RawOp<'_>) -> bool;

/// The plain lines of a format.
pub(crate) trait Lines {
    /// Reads an operation with the end of its line. `None`: the line is unusual; else what `each` says.
    fn operation(&mut self, cursor: &mut Cursor<'_>, line: u32, each: Each<'_>) -> Option<bool>;

    /// Reads the lines of a block from the byte `from` on; `line` is the number of the first, and
    /// becomes that of the line after the block. PERF: provided here so that each format has its own
    /// copy, into which `operation` is inlined.
    fn read(
        &mut self,
        block: Block<'_>,
        from: usize,
        line: &mut u32,
        each: Each<'_>,
    ) -> Result<(), Unusual> {
        let mut cursor = block.cursor(from);
        while !cursor.is_at_end() {
            if !cursor.take(b'\n') {
                self.operation(&mut cursor, *line, each).filter(|go_on| *go_on).ok_or(Unusual)?;
            }
            *line = line.checked_add(1).ok_or(Unusual)?;
        }
        Ok(())
    }

    /// Adds what was learned on the way: who performed the operations, and on what.
    fn finish(&mut self, _history: &mut RawHistory) {}
}

impl<'r> Stream<'r> {
    /// Reads the header. The history is that of the input, without its operations.
    pub(crate) fn open(
        input: &'r mut dyn Read,
        format: Option<Format>,
    ) -> Option<(RawHistory, Stream<'r>)> {
        let mut blocks = Blocks::new(input);
        let first = blocks.peek().ok()??.lines();
        let header = memchr::memchr(b'\n', first)? + 1;
        let (head, rest) = first.split_at(header);
        let (history, lines) = match format.or_else(|| detect(first))? {
            Format::Fastlin => fastlin::stream::open(head, rest)?,
            Format::Jsonl => jsonl::stream::open(head)?,
            _ => return None,
        };
        Some((history, Stream { blocks, header, lines }))
    }

    /// Tells `each` of every operation, in the order of the file, and completes the history but for
    /// its operations.
    pub(crate) fn read(mut self, history: &mut RawHistory, each: Each<'_>) -> Result<(), Unusual> {
        // The header is line 1.
        let (mut from, mut line) = (self.header, 2);
        while let Some(block) = self.blocks.more().map_err(|_| Unusual)? {
            self.lines.read(block, from, &mut line, each)?;
            from = 0;
        }
        self.lines.finish(history);
        Ok(())
    }
}

/// As [`Format::detect`] would have it, if it is a format that can be read here.
fn detect(text: &[u8]) -> Option<Format> {
    match fastlin::recognises(text) {
        Some(format) => Some(format),
        None if violat::recognises(text) => None,
        None => jsonl::recognises(text).then_some(Format::Jsonl),
    }
}

#[cfg(test)]
mod tests;
