//! Converts a history to another format without losing anything that could change a verdict.
//!
//! A history is written, read again by the reader of the new format, and compared. It must have the
//! same model, the same operations and the same results in the same order of events; otherwise the
//! error names the first operation that differs. Details that cannot change a verdict (names,
//! notes, times beyond their order) may be lost, and are reported.

mod script;

use linpoint::history::Ties;

use crate::model::ModelName;
use crate::raw::{Clock, Lasting, RawHistory, RawOp, Reading};
use crate::registry::{self, Difference, Events, LoadedHistory};
use crate::write::{Call, Ending, FaultPart, Header, WriteError, Writer};
use crate::{Format, ReadError, Source, Value};
use script::{Event, Script};

/// A history in another format.
#[derive(Debug)]
pub struct Converted {
    /// The text.
    pub text: Vec<u8>,
    /// What was lost, as sentences. None of it can change a verdict.
    pub lost: Vec<String>,
}

/// Writes a history in another format. `model` overrides the model that the file names. If the new
/// format cannot name the model, it must be given again to read the result.
pub fn convert(
    source: &Source,
    raw: &RawHistory,
    model: Option<&ModelName>,
    to: Format,
) -> Result<Converted, ReadError> {
    let resolved = registry::resolve(raw.format, model, raw.model.as_ref());
    // Without a specification, operations are compared as text.
    let known = resolved.as_ref().filter(|model| registry::has_specification(model));
    let original = known.map(|_| registry::load(source, raw.clone(), model)).transpose()?;
    let written = write(source, raw, resolved.as_ref(), to)?;
    let mut converted = Converted { text: written, lost: losses(raw, to) };
    let again = Source::new(format!("{} as {}", source.name(), to.name()), converted.text.clone());
    let same = match &original {
        None => same_raw(source, raw, &read_again(source, &again, to, None)?),
        Some(original) => {
            let lost = same(source, raw, original, &again, to, model.is_some());
            lost.map(|lost| converted.lost.extend(lost))
        }
    };
    same.map(|()| converted)
}

/// Writes a history without verifying the result.
pub(crate) fn write(
    source: &Source,
    raw: &RawHistory,
    model: Option<&ModelName>,
    to: Format,
) -> Result<Vec<u8>, ReadError> {
    let whole = |error: WriteError| ReadError::new(source, error.to_string());
    let script = Script::new(raw, to).map_err(|message| ReadError::new(source, message))?;
    let mut text = Vec::new();
    let mut writer = to.writer(Box::new(&mut text));
    let header = Header {
        model,
        note: raw.note.as_deref(),
        id: raw.id.as_deref(),
        clock: if keeps_times(raw, to) { raw.clock } else { Clock::Order },
        unit: raw.unit,
        since_1970: raw.since_1970,
        ties: raw.ties,
        processes: script.processes,
        own_segments: has_own_segments(raw),
    };
    writer.begin(&header).map_err(whole)?;
    let kept = header.clock != Clock::Order;
    let faults = if kept { Vec::new() } else { fault_parts(raw) };
    let mut feeder = Feeder { raw, to, kept, script: &script, faults, writer: &mut *writer };
    feeder.feed().map_err(|(error, line)| whole(error).at_line(source, line))?;
    writer.finish().map_err(whole)?;
    drop(writer);
    Ok(text)
}

/// The begins and ends of faults, each with the number of calls and returns before it.
fn fault_parts(raw: &RawHistory) -> Vec<(u32, usize, FaultPart)> {
    let mut events = Events::default();
    raw.ops.iter().for_each(|op| events.push(op.start, op.end));
    let mut parts = Vec::new();
    for (at, placed) in events.place(raw.faults.clone(), raw.clock).into_iter().enumerate() {
        parts.push((placed.from, at, FaultPart::Begin));
        if let (Some(to), Lasting::Until(_)) = (placed.to, placed.fault.end) {
            parts.push((to, at, FaultPart::End));
        }
    }
    // The sort is stable: of one fault, the begin stays before the end.
    parts.sort_by_key(|(after, at, _)| (*after, *at));
    parts
}

/// True if the new format can keep the times.
fn keeps_times(raw: &RawHistory, to: Format) -> bool {
    match (to, raw.clock) {
        (_, Clock::Order) => false,
        (Format::Jsonl, _) => true,
        (Format::Fastlin | Format::Fptlin, Clock::Whole) => {
            let last = raw.ops.iter().map(|op| op.end.unwrap_or(op.start)).max().unwrap_or(0);
            raw.ties == Ties::Ordered && i64::try_from(last).is_ok()
        }
        _ => false,
    }
}

/// True if every update of a snapshot is to the segment with the number of its process.
fn has_own_segments(raw: &RawHistory) -> bool {
    raw.ops.iter().all(|op| match (op.name, op.args) {
        ("update", [Value::Int(segment), _]) => {
            op.extras.process.is_some_and(|process| i64::from(process) == *segment)
        }
        // A process that gave up an operation continues under another number.
        _ => op.end.is_some(),
    })
}

/// Passes the operations of a history to a writer.
struct Feeder<'a, 'w> {
    raw: &'a RawHistory,
    to: Format,
    /// True if the times are kept.
    kept: bool,
    script: &'a Script,
    /// The faults, if they are among the events.
    faults: Vec<(u32, usize, FaultPart)>,
    writer: &'a mut (dyn Writer + 'w),
}

/// An error, and the line of the operation.
type AtLine = (WriteError, u32);

impl Feeder<'_, '_> {
    fn feed(&mut self) -> Result<(), AtLine> {
        if self.in_order_of_file() {
            for (at, &id) in self.script.ids.iter().enumerate() {
                self.event(at, self.raw.ops.get(id), Event::Call)?;
                self.event(at, self.raw.ops.get(id), Event::End)?;
            }
            for fault in &self.raw.faults {
                let written = self.writer.fault(fault, FaultPart::Whole);
                written.map_err(|error| (error, fault.line))?;
            }
            return Ok(());
        }
        let (mut events, mut next) = (0, 0);
        for &(at, event) in &self.script.events {
            let at = at as usize;
            let op = self.raw.ops.get(self.script.ids[at]);
            // Only calls and returns count.
            if event == Event::Call || op.end.is_some() {
                next = self.faults_before(next, events)?;
                events += 1;
            }
            self.event(at, op, event)?;
        }
        self.faults_before(next, u32::MAX)?;
        Ok(())
    }

    /// Writes the faults that begin or end after at most this many events. Returns the number of those written so far.
    fn faults_before(&mut self, mut next: usize, events: u32) -> Result<usize, AtLine> {
        while let Some(&(_, at, part)) = self.faults.get(next).filter(|part| part.0 <= events) {
            let fault = &self.raw.faults[at];
            self.writer.fault(fault, part).map_err(|error| (error, fault.line))?;
            next += 1;
        }
        Ok(next)
    }

    /// The clock at the event with this number, or at this time, if it is known.
    fn clock(&self, event: u64) -> Option<Reading> {
        match self.raw.clock {
            Clock::Order => self.raw.readings.get(event.checked_sub(1)? as usize).copied(),
            Clock::Whole => Some(Reading::Whole(event)),
            Clock::Float => Some(Reading::Float(f64::from_bits(event))),
        }
    }

    /// Operations with times can be in any order; the order of the file is the most familiar.
    fn in_order_of_file(&self) -> bool {
        match self.to {
            Format::Jsonl => self.kept,
            to => to.has_times(),
        }
    }

    fn event(&mut self, at: usize, op: RawOp<'_>, event: Event) -> Result<(), AtLine> {
        let kept = self.kept;
        let (call_rank, end_rank) = self.script.ranks[at];
        let process = self.script.assigned[at];
        let own = process.filter(|_| process == op.extras.process);
        let call = Call {
            id: at as u64 + 1,
            name: op.name,
            args: op.args,
            process,
            client: own.and_then(|process| self.raw.processes.get(&process)),
            object: op.extras.object.and_then(|object| self.raw.objects.get(object as usize)),
            hint: op.extras.hint.map(|hint| (hint.scope, hint.position)),
            start: if kept { op.start } else { call_rank.into() },
            clock: (self.clock(op.start), op.end.and_then(|end| self.clock(end))),
        };
        let done = match (event, op.end) {
            (Event::Call, _) => self.writer.call(&call),
            (Event::End, None) => self.writer.end(&call, Ending::Lost),
            (Event::End, Some(end)) => {
                let at = if kept { end } else { end_rank.into() };
                self.writer.end(&call, Ending::Returned { at, result: op.result })
            }
        };
        done.map_err(|error| (error, op.line))
    }
}

/// What the new format cannot represent and a verdict does not need.
fn losses(raw: &RawHistory, to: Format) -> Vec<String> {
    let mut lost = Vec::new();
    let mut report = |lose: bool, what: String| {
        if lose {
            lost.push(what);
        }
    };
    let jsonl = to == Format::Jsonl;
    let faults = raw.faults.len();
    let lost_faults = faults > 0 && !to.has_faults();
    report(lost_faults, format!("faults and other events are left out ({faults})"));
    let (of_clients, coloured) = (
        raw.faults.iter().any(|fault| fault.process.is_some()),
        raw.faults.iter().any(|fault| fault.color.is_some()),
    );
    let keeps_faults = to.has_faults() && !jsonl;
    report(
        keeps_faults && of_clients,
        "events of clients are no longer in the lanes of their clients".to_owned(),
    );
    report(keeps_faults && coloured, "colors of events are left out".to_owned());
    report(raw.note.is_some() && !jsonl, "the note is left out".to_owned());
    report(
        raw.id.is_some() && to != Format::Violat,
        "the id of the history is left out".to_owned(),
    );
    let hints = raw.ops.iter().any(|op| op.extras.hint.is_some());
    report(hints && !jsonl, "order hints are left out: --hints has no effect".to_owned());
    report(hints && jsonl, "scopes of order hints become numbers".to_owned());
    let has_times = raw.clock != Clock::Order || !raw.readings.is_empty();
    let shows_times = to.has_faults() && (jsonl || raw.unit.is_some());
    let times = has_times && !keeps_times(raw, to) && !shows_times;
    report(times, "times are left out: only the order of events is kept".to_owned());
    report(
        raw.since_1970 && shows_times && !jsonl,
        "it is no longer known that times count since 1970".to_owned(),
    );
    let named = |(number, name): (&u32, &Value)| *name != Value::Int(i64::from(*number));
    let is_named = raw.processes.iter().any(named);
    let fastlin = to == Format::Fastlin;
    report(fastlin && !raw.processes.is_empty(), "clients are left out".to_owned());
    report(
        is_named && !jsonl && !fastlin,
        "names of clients are left out: they become numbers".to_owned(),
    );
    let without = raw.ops.iter().any(|op| op.extras.process.is_none());
    report(without && to.needs_processes(), "operations without a client get one".to_owned());
    lost
}

/// Reads the text that was just written.
fn read_again(
    source: &Source,
    again: &Source,
    to: Format,
    model: Option<&ModelName>,
) -> Result<RawHistory, ReadError> {
    let inexpressible = |why: &str| {
        ReadError::new(source, format!("{} cannot express this history", to.name()))
            .help(format!("what was written could not be read again: {why}"))
    };
    let mut found = to.read(again, model);
    match (found.pop(), found.is_empty()) {
        (Some(Ok(raw)), true) => Ok(raw),
        (Some(Err(error)), _) => Err(inexpressible(error.message())),
        _ => Err(inexpressible("it has several histories")),
    }
}

/// Compares what was read again with the original. Returns a remark about the model, if any.
fn same(
    source: &Source,
    raw: &RawHistory,
    original: &LoadedHistory,
    again: &Source,
    to: Format,
    is_given: bool,
) -> Result<Option<String>, ReadError> {
    // For an empty history there is nothing to compare.
    if raw.ops.is_empty() {
        return Ok(None);
    }
    let alone =
        read_again(source, again, to, None).and_then(|raw| registry::load(again, raw, None));
    if let Ok(loaded) = &alone {
        if original.difference(loaded).is_none() {
            return Ok(None);
        }
        if let Some(general) = original.model().generalised()
            && let Ok(original) = registry::load(source, raw.clone(), Some(&general))
            && original.difference(loaded).is_none()
        {
            return Ok(Some(format!("the model becomes {}, which is equivalent", loaded.model())));
        }
    }
    // It means something else, or nothing at all. Is only the model missing?
    let model = original.model();
    let with_model =
        registry::load(again, read_again(source, again, to, Some(model))?, Some(model));
    let loaded = with_model.map_err(|error| {
        ReadError::new(source, format!("{} cannot express this history", to.name()))
            .help(format!("what was written could not be read again: {}", error.message()))
    })?;
    if let Some(difference) = original.difference(&loaded) {
        return Err(described(source, original, to, &loaded, difference));
    }
    if is_given {
        return Ok(Some(format!(
            "the file does not name the model: check it with --model '{model}'"
        )));
    }
    let otherwise = match alone {
        Ok(loaded) => format!("it would be read as {}", loaded.model()),
        Err(error) => error.message().to_owned(),
    };
    let message =
        format!("{} cannot record that this is a history of {model}: {otherwise}", to.name());
    let help = format!("--model '{model}' writes it anyway; then it is needed to check it, too");
    Err(ReadError::new(source, message).help(help))
}

fn described(
    source: &Source,
    original: &LoadedHistory,
    to: Format,
    loaded: &LoadedHistory,
    difference: Difference,
) -> ReadError {
    let Difference::Operation { was, is } = difference else {
        let message = format!("{} cannot express this history", to.name());
        let help = format!("it would be one of {} with other operations", loaded.model());
        return ReadError::new(source, message).help(help);
    };
    let words = |history: &LoadedHistory, id| {
        let ret = match (history.ret(id), history.span(id).is_pending()) {
            (Some(ret), _) => format!(" -> {ret}"),
            (None, true) => ", which never returned".to_owned(),
            (None, false) => " -> unknown".to_owned(),
        };
        crate::words::shorter(&format!("{}{ret}", history.op(id)))
    };
    let was_words = words(original, was);
    let is_words = is.map_or_else(|| "nothing".to_owned(), |is| words(loaded, is));
    let message = format!("{} cannot express {was_words}", to.name());
    let is_words = if is_words == was_words { "it at another time or place" } else { &is_words };
    let error = ReadError::new(source, message).help(format!("it would be read as {is_words}"));
    match original.line(was) {
        Some(line) => error.at_line(source, line),
        None => error,
    }
}

/// Compares operations as text.
fn same_raw(source: &Source, was: &RawHistory, is: &RawHistory) -> Result<(), ReadError> {
    let cannot = |message: String| ReadError::new(source, message);
    let scripts = (Script::new(was, Format::Jsonl), Script::new(is, Format::Jsonl));
    let (Ok(a), Ok(b)) = scripts else { return Err(cannot("this is not a history".to_owned())) };
    let model = |raw: &RawHistory| {
        let mut model = raw.model.clone();
        model.iter_mut().for_each(|model| model.options.sort());
        model
    };
    if model(was) != model(is) || a.ids.len() != b.ids.len() {
        let message = "the format cannot express this history without its model".to_owned();
        return Err(cannot(message));
    }
    for (i, j) in a.in_call_order().zip(b.in_call_order()) {
        let (x, y) = (was.ops.get(a.ids[i]), is.ops.get(b.ids[j]));
        let what = |op: &RawOp<'_>| (op.name.to_owned(), op.args.to_vec(), op.result.cloned());
        if what(&x) != what(&y) || a.ranks[i] != b.ranks[j] {
            let message =
                format!("{} would be read as something else", crate::write::shown(x.name, x.args));
            return Err(cannot(message).at_line(source, x.line));
        }
    }
    Ok(())
}
