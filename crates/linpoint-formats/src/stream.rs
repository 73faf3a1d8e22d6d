//! Reads the plain lines of long histories, operation by operation, without keeping them.
//!
//! Most lines of most files look like those that a program wrote: no extra spaces, no number with a
//! decimal point, nothing missing. Such lines are parsed here in a few dozen nanoseconds each, and
//! go straight into the history of the model. Everything else, whether unusual or wrong, is left to
//! the reader of the format, which reads the input again from the start. So error messages are
//! produced in one place, and never here.

use std::io::Read;

use crate::blocks::{Block, Blocks, Cursor};
use crate::raw::{RawHistory, RawOp};
use crate::{Format, fastlin, jsonl, violat};

/// The operations of an input whose header has been read.
pub(crate) struct Stream<'r> {
    blocks: Blocks<'r>,
    /// The length of the header, which is at the start of the first block.
    header: usize,
    lines: Box<dyn Lines>,
}

/// A line has something that only the reader of the format handles.
#[derive(Debug)]
pub(crate) struct Unusual;

/// Receives each operation. Returns false to stop.
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

    /// Adds the processes and objects that were seen.
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

    /// Passes every operation to `each`, in the order of the file, and completes the history except
    /// for its operations.
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

/// Like [`Format::detect`], if the format can be read here.
fn detect(text: &[u8]) -> Option<Format> {
    match fastlin::recognises(text) {
        Some(format) => Some(format),
        None if violat::recognises(text) => None,
        None => jsonl::recognises(text).then_some(Format::Jsonl),
    }
}

#[cfg(test)]
mod tests;
