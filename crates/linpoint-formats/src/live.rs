//! Histories that are still being written: lines go in one by one, calls and returns come out.
//!
//! A stream can be read in the formats that record events as they happen. The readers for files
//! read the lines; only open operations are kept. What is known only at the end of a file is not
//! known here: the model of an EDN history must be given, and the first call determines whether
//! values are tuples of an object and a value.

mod kept;

use std::fmt;
use std::io;

pub use kept::KeptLines;

use crate::jepsen::{Event, Reader, Rules, Type};
use crate::jsonl::live::LiveLines;
use crate::model::ModelName;
use crate::raw::LiveOps;
use crate::unpack::Packing;
use crate::{Format, ReadError, Source, edn, jepsen_log};

/// Supplies lines. Stores the next line without its end, and returns false if there are no more.
pub type Lines<'a> = &'a mut dyn FnMut(&mut Vec<u8>) -> io::Result<bool>;

/// Why a stream cannot be checked, or no longer.
#[derive(Debug)]
pub enum WatchError {
    /// A line could not be read.
    Line(ReadError),
    /// Reading the input failed.
    Io(io::Error),
}

impl fmt::Display for WatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WatchError::Line(error) => error.fmt(f),
            WatchError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WatchError {}

impl From<ReadError> for WatchError {
    fn from(error: ReadError) -> WatchError {
        WatchError::Line(error)
    }
}

/// Reads the lines of a stream.
pub(crate) struct LiveReader<'a> {
    lines: Lines<'a>,
    line: Vec<u8>,
    /// The most recent line.
    source: Source,
    number: u32,
    parser: Parser,
    format: Format,
    /// The last lines, if they are kept.
    kept: Option<KeptLines>,
}

enum Parser {
    Jsonl(Box<LiveLines>),
    Log(Box<LiveOps>),
    Edn {
        ops: Box<LiveOps>,
        rules: Rules,
        /// True if a backslash in a string is an escape.
        escapes: bool,
        /// True if values are tuples with an object, once known.
        keyed: Option<bool>,
    },
}

/// The result of reading the first line of a stream.
pub(crate) struct Opened<'a> {
    pub(crate) reader: LiveReader<'a>,
    /// The model that the stream names, or that its format implies.
    pub(crate) model: Option<ModelName>,
    /// False if there is no line at all.
    pub(crate) has_lines: bool,
}

impl<'a> LiveReader<'a> {
    /// Reads the first line that is not blank. `keeps` is true if the last lines are to be kept.
    pub(crate) fn open(
        name: &str,
        lines: Lines<'a>,
        format: Option<Format>,
        keeps: bool,
    ) -> Result<Opened<'a>, WatchError> {
        let mut reader = LiveReader {
            lines,
            line: Vec::new(),
            source: Source::new(name, Vec::new()),
            number: 0,
            parser: Parser::Jsonl(Box::default()),
            format: format.unwrap_or(Format::Jsonl),
            kept: None,
        };
        let kept = |format| keeps.then(|| KeptLines::new(format));
        if !reader.next_line()? {
            reader.kept = kept(reader.format);
            return Ok(Opened { reader, model: None, has_lines: false });
        }
        let source = &reader.source;
        if let Some(packing) = Packing::of(source.bytes()) {
            let message = "a compressed stream cannot be watched";
            let cat = packing.cat();
            let help = format!("unpack it on the way: `{cat} FILE | linpoint watch -`");
            return Err(ReadError::new(source, message).help(help).into());
        }
        reader.format = format.map_or_else(|| Format::detect(source), Ok)?;
        reader.parser = Parser::new(reader.format, source)?;
        let model = match reader.format {
            Format::JepsenLog => jepsen_log::model(),
            Format::Porcupine => edn::porcupine_model(),
            _ => None,
        };
        reader.kept = kept(reader.format);
        if let Some(kept) = &mut reader.kept {
            kept.push(reader.number, reader.source.bytes());
        }
        let model = reader.take_line()?.or(model);
        Ok(Opened { reader, model, has_lines: true })
    }

    /// The format.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// The most recent line, for messages.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Its number.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The open operations, and the changes on the lines so far.
    pub(crate) fn ops(&self) -> &LiveOps {
        match &self.parser {
            Parser::Jsonl(lines) => lines.ops(),
            Parser::Log(ops) | Parser::Edn { ops, .. } => ops,
        }
    }

    /// The open operations, to take changes from.
    pub(crate) fn ops_mut(&mut self) -> &mut LiveOps {
        match &mut self.parser {
            Parser::Jsonl(lines) => lines.ops_mut(),
            Parser::Log(ops) | Parser::Edn { ops, .. } => ops,
        }
    }

    /// Reads and parses a line. False if there are no more.
    pub(crate) fn more(&mut self) -> Result<bool, WatchError> {
        // The last line stays: nothing is known yet about what is on it.
        if self.kept.as_ref().is_some_and(KeptLines::is_full) {
            let open = self.ops().all_open().iter().map(|op| op.line).collect();
            self.kept.iter_mut().for_each(|kept| kept.cut(&open));
        }
        let found = self.next_line()?;
        if found {
            if let Some(kept) = &mut self.kept {
                kept.push(self.number, &self.line);
            }
            self.take_line()?;
        }
        Ok(found)
    }

    /// The last lines, if they were to be kept.
    pub(crate) fn take_kept(&mut self) -> Option<KeptLines> {
        self.kept.take()
    }

    /// Reads a line that is not blank.
    fn next_line(&mut self) -> Result<bool, WatchError> {
        loop {
            self.line.clear();
            self.number = self.number.saturating_add(1);
            if !(self.lines)(&mut self.line).map_err(WatchError::Io)? {
                return Ok(false);
            }
            if !self.line.trim_ascii().is_empty() {
                self.source.set_line(self.number, &self.line);
                return Ok(true);
            }
        }
    }

    /// Parses the line. Returns the model that it names.
    fn take_line(&mut self) -> Result<Option<ModelName>, ReadError> {
        let source = &self.source;
        match &mut self.parser {
            Parser::Jsonl(lines) => {
                let line = source.lines().next().map_or(&[][..], |(_, line)| line);
                let model = lines.line(source, line).map(Option::flatten);
                if let (true, Some(kept)) = (lines.ops_mut().takes_aside(), &mut self.kept) {
                    kept.mark_aside();
                }
                return model;
            }
            Parser::Log(ops) => {
                let mut reader =
                    Reader::with(source, jepsen_log::RULES, std::mem::take(&mut **ops));
                let read = jepsen_log::read_lines(source, &mut reader);
                **ops = reader.into_builder();
                read?;
            }
            Parser::Edn { ops, rules, escapes, keyed } => {
                let events = maps(source, *escapes)?;
                take_events(source, events, ops, rules, keyed)?;
            }
        }
        Ok(None)
    }
}

impl Parser {
    fn new(format: Format, source: &Source) -> Result<Parser, ReadError> {
        let ops = Box::default();
        match format {
            Format::Jsonl => Ok(Parser::Jsonl(Box::default())),
            Format::JepsenLog => Ok(Parser::Log(ops)),
            Format::Edn => {
                Ok(Parser::Edn { ops, rules: edn::rules(false), escapes: true, keyed: None })
            }
            Format::Porcupine => {
                Ok(Parser::Edn { ops, rules: edn::PORCUPINE, escapes: false, keyed: Some(false) })
            }
            other => {
                let message = format!("a stream in the format {} cannot be watched", other.name());
                Err(ReadError::new(source, message).at_line(source, source.first_line()).help(
                    "only jsonl with events, edn, jepsen-log and porcupine say what happens as it \
                     happens; `linpoint check` reads the others",
                ))
            }
        }
    }
}

/// The events on a line of EDN: whole maps.
fn maps(source: &Source, escapes: bool) -> Result<Vec<Event>, ReadError> {
    const HELP: &str = "in a stream each map is on a line of its own, without brackets around all";
    let text = source.text();
    let at = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or_default();
    if let Some(b'[' | b'(') = text.get(at) {
        let error = ReadError::new(source, "a history in brackets cannot be watched");
        return Err(error.at(source, source.first_line(), at + 1).help(HELP));
    }
    edn::events(source, escapes).map_err(|error| error.help(HELP))
}

fn take_events(
    source: &Source,
    events: Vec<Event>,
    ops: &mut LiveOps,
    rules: &mut Rules,
    keyed: &mut Option<bool>,
) -> Result<(), ReadError> {
    for event in events {
        if event.kind == Type::Invoke && event.is_of_client() {
            let is_tuple = edn::is_keyed(std::slice::from_ref(&event));
            rules.keyed = *keyed.get_or_insert(is_tuple);
            if rules.keyed && !is_tuple {
                let message = "the first call named an object, but this one does not";
                return Err(ReadError::new(source, message).at(source, event.line, event.column));
            }
        }
        let mut reader = Reader::with(source, *rules, std::mem::take(ops));
        let read = reader.event(event);
        *ops = reader.into_builder();
        read?;
    }
    Ok(())
}
