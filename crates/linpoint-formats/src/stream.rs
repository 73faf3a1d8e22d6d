//! Reads the plain lines of long histories, operation by operation, without keeping them.
//!
//! Most lines of most files look like those that a program wrote: no extra spaces, no number with a
//! decimal point, nothing missing. Such lines are parsed here in a few dozen nanoseconds each, and
//! go straight into the history of the model. Everything else, whether unusual or wrong, is left to
//! the reader of the format, which reads the input again from the start. So error messages are
//! produced in one place, and never here.

mod clients;
mod events;
mod parallel;

use std::num::NonZero;

use crate::blocks::{Block, Blocks, Cursor, Input};
use crate::raw::{RawHistory, RawOp};
use crate::{Format, Value, fastlin, jsonl, violat};
pub(crate) use clients::Clients;
pub(crate) use events::EventEnd;

/// One thread reads this many blocks before others help: short files are read before a thread has started.
const ALONE: usize = 4;

/// The operations of an input whose header has been read.
pub(crate) struct Stream<'r> {
    blocks: Blocks<'r>,
    /// The length of the header, which is at the start of the first block.
    header: usize,
    lines: Box<dyn Lines>,
    threads: usize,
}

/// A line has something that only the reader of the format handles.
#[derive(Debug)]
pub(crate) struct Unusual;

/// Receives operations in the order of their calls. False: something is unusual.
pub(crate) trait Receiver {
    /// An operation. If the format has events, it has not ended yet.
    fn add(&mut self, op: &RawOp<'_>) -> bool;

    /// The operation at this position ends, with this result or an unknown one.
    fn end(&mut self, at: usize, time: u64, result: Option<&Value>) -> bool;
}

/// Where operations go: the whole, which is part 0, and other parts, which are joined to it one after the other.
pub(crate) trait Parts: Sync {
    /// Calls `fill` with a part.
    fn fill(&self, part: usize, fill: &mut dyn FnMut(&mut dyn Receiver));

    /// Moves the operations of a part to the end of the whole. Its lines were counted from `line` on, and its events happened
    /// `later` than they say. Returns false if they do not fit.
    fn join(&self, part: usize, line: u32, later: u64) -> bool;
}

/// The plain lines of a format.
pub(crate) trait Lines: Send + Sync {
    /// Reads a line with its end. `None`: it is unusual; else what the receiver says.
    fn line(
        &mut self,
        cursor: &mut Cursor<'_>,
        line: u32,
        clients: &mut Clients<'_>,
        to: &mut dyn Receiver,
    ) -> Option<bool>;

    /// The same, for another thread.
    fn another(&self) -> Box<dyn Lines>;

    /// Reads the lines of a block from the byte `from` on; `line` is the number of the first, and
    /// becomes that of the line after the block. PERF: provided here so that each format has its own
    /// copy, into which `line` is inlined.
    fn read(
        &mut self,
        block: Block<'_>,
        from: usize,
        line: &mut u32,
        clients: &mut Clients<'_>,
        to: &mut dyn Receiver,
    ) -> Result<(), Unusual> {
        let mut cursor = block.cursor(from);
        while !cursor.is_at_end() {
            if !cursor.take(b'\n') {
                let read = self.line(&mut cursor, *line, clients, to);
                read.filter(|go_on| *go_on).ok_or(Unusual)?;
            }
            *line = line.checked_add(1).ok_or(Unusual)?;
        }
        Ok(())
    }
}

impl<'r> Stream<'r> {
    /// Reads the header. The history is that of the input, without its operations.
    pub(crate) fn open(
        input: &'r mut Input<'r>,
        format: Option<Format>,
        threads: Option<usize>,
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
        let threads = match blocks.is_at_end() {
            true => 1,
            false => threads.unwrap_or_else(all_cores).clamp(1, parallel::MOST_THREADS),
        };
        Some((history, Stream { blocks, header, lines, threads }))
    }

    /// Number of [`Parts`] that it fills: the whole, and if several threads read, one for each.
    pub(crate) fn parts(&self) -> usize {
        if self.threads > 1 { 1 + self.threads } else { 1 }
    }

    /// Passes every operation to `parts`, in the order of the file, and completes the history except
    /// for its operations.
    pub(crate) fn read(
        mut self,
        history: &mut RawHistory,
        parts: &dyn Parts,
    ) -> Result<(), Unusual> {
        let mut clients = Clients::default();
        // The header is line 1.
        let mut line = 2;
        let most = if self.threads > 1 { ALONE } else { usize::MAX };
        let mut begun = Err(Unusual);
        parts.fill(0, &mut |whole| begun = self.begin(most, &mut line, &mut clients, whole));
        if begun? {
            let Stream { blocks, lines, threads, .. } = self;
            parallel::read(blocks, (line, &*lines), &mut clients, (threads, parts))?;
        }
        clients.finish(history)
    }

    /// Reads the first blocks, `most` of them. True if there may be more.
    fn begin(
        &mut self,
        most: usize,
        line: &mut u32,
        clients: &mut Clients<'_>,
        to: &mut dyn Receiver,
    ) -> Result<bool, Unusual> {
        let mut from = self.header;
        for _ in 0..most {
            let Some(block) = self.blocks.more().map_err(|_| Unusual)? else { return Ok(false) };
            self.lines.read(block, from, line, clients, to)?;
            from = 0;
        }
        Ok(true)
    }
}

fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
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
