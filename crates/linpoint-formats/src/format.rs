//! Which formats there are, and which of them an input is in.

use crate::{RawHistory, ReadError, Source, jsonl};

/// A format of histories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// linpoint's own JSON lines.
    Jsonl,
}

impl Format {
    /// All formats, in the order in which they are tried.
    pub const ALL: &'static [Format] = &[Format::Jsonl];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Format::Jsonl => "linpoint's own JSON lines: a header, then events or operations",
        }
    }

    /// What an input in this format begins with.
    pub fn sample(self) -> &'static str {
        match self {
            Format::Jsonl => "{\"linpoint\":1,\"model\":\"register\"}",
        }
    }

    /// The format of an input, by its contents. An empty input is an empty history in any format.
    pub fn detect(source: &Source) -> Result<Format, ReadError> {
        let bytes = source.bytes();
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if text.trim_ascii().is_empty() || jsonl::recognises(text) {
            return Ok(Format::Jsonl);
        }
        let message = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is in UTF-16; it must be in UTF-8",
            [0x1f, 0x8b, ..] => "the file is compressed with gzip; unpack it first",
            [0x28, 0xb5, 0x2f, 0xfd, ..] => "the file is compressed with zstd; unpack it first",
            _ => "this is in no format that linpoint knows",
        };
        Err(ReadError::new(source, message)
            .at(source, 1, 1)
            .help("`linpoint formats` lists what can be read"))
    }

    /// Reads an input in this format.
    pub fn read(self, source: &Source) -> Result<RawHistory, ReadError> {
        match self {
            Format::Jsonl => jsonl::read(source),
        }
    }

    /// Where on a line a part of an operation is written: its column, from 1.
    pub(crate) fn locate(self, line: &[u8], part: Part) -> Option<usize> {
        match self {
            Format::Jsonl => jsonl::key_at(line, part.key()),
        }
    }
}

/// A part of an operation that a message can point at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Name,
    Args,
    Result,
}

impl Part {
    fn key(self) -> &'static str {
        match self {
            Part::Name => "op",
            Part::Args => "args",
            Part::Result => "value",
        }
    }
}
