//! Reports of etcd's robustness tests: a folder with `client-N/operations.json` and `client-N/watch.json`.
//!
//! ```text
//! {"ClientId":9,"Input":{"Type":"range","Range":{"Start":"a","End":"","Limit":0,"Revision":0}},"Call":3026224,
//!  "Output":{"Range":{"KVs":[{"Key":"a","Value":{"Value":"9","Hash":0},"ModRevision":3}],"Count":1},"Revision":3,"Error":""},
//!  "Return":15374154}
//! ```
//!
//! A file has JSON objects one after the other, on one line or on several. A request with an `Error` may have taken
//! effect at any time after its call, once, or never; if it is a read, it says nothing and is left out, and so is a
//! defragmentation. What watches delivered first becomes an operation of its own: the change had happened when it
//! was received. What else watches guarantee is compared in `watch.rs`.

pub mod rows;
pub(crate) mod watch;
pub(crate) mod write;

use linpoint::spec::Spec;
use linpoint::spec::models::{
    Etcd, EtcdCondition, EtcdExpected, EtcdFound, EtcdKey, EtcdOp, EtcdRange, EtcdRet, EtcdStep,
    EtcdTxn,
};
use linpoint::wire::Arg;
use rustc_hash::FxHashSet;
use serde::de::DeserializeOwned;

use crate::model::ModelName;
use crate::raw::{Clock, Details, RawBuilder, RawHistory};
use crate::source::SourceFile;
use crate::{Format, ReadError, Source, Value};
use rows::{Found, Input, Operation, Output, Range, Row, Txn, ValueOrHash, Watch};

/// The folder of a client begins with this.
const CLIENT: &str = "client-";
/// The requests of a client.
const OPERATIONS: &str = "operations.json";
/// The watches of a client.
const WATCHES: &str = "watch.json";

/// True if the input begins with an object of one of the files.
pub(crate) fn recognises(text: &[u8]) -> bool {
    let key = text.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    key.is_some_and(|key| key.starts_with(b"\"ClientId\"") || key.starts_with(b"\"Request\""))
}

/// True if the names in a directory are those of a report.
pub fn is_report(path: &std::path::Path) -> bool {
    let Ok(entries) = std::fs::read_dir(path) else { return false };
    entries.flatten().any(|entry| {
        client_number(&entry.file_name().to_string_lossy()).is_some()
            && [OPERATIONS, WATCHES].iter().any(|file| entry.path().join(file).is_file())
    })
}

/// The files of a report, by client.
pub(crate) fn files_of(
    path: &std::path::Path,
) -> std::io::Result<Vec<(String, std::path::PathBuf)>> {
    let mut clients: Vec<(u64, String)> = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        clients.extend(client_number(&name).map(|number| (number, name)));
    }
    clients.sort();
    let files = clients.iter().flat_map(|(_, client)| {
        [OPERATIONS, WATCHES].map(|file| (format!("{client}/{file}"), path.join(client).join(file)))
    });
    Ok(files.filter(|(_, file)| file.is_file()).collect())
}

fn client_number(name: &str) -> Option<u64> {
    name.strip_prefix(CLIENT)?.parse().ok()
}

/// Reads a report, or one of its files.
pub(crate) fn read(source: &Source) -> Result<RawHistory, ReadError> {
    let mut reader =
        Reader { source, builder: RawBuilder::new(), clients: Vec::new(), watches: Vec::new() };
    for file in source.files() {
        reader.file(&file)?;
    }
    reader.finish()
}

/// A watch, and where it is.
pub(crate) struct Watched {
    pub(crate) client: String,
    pub(crate) line: u32,
    pub(crate) watch: Watch,
}

struct Reader<'a> {
    source: &'a Source,
    builder: RawBuilder,
    /// The client of each process.
    clients: Vec<(u32, String)>,
    watches: Vec<Watched>,
}

impl Reader<'_> {
    fn file(&mut self, file: &SourceFile<'_>) -> Result<(), ReadError> {
        let client = file.name.and_then(|name| name.split('/').next()).unwrap_or("the client");
        let has_rows = match file.name {
            Some(name) => !name.ends_with(WATCHES),
            None => !file
                .text
                .trim_ascii_start()
                .get(1..)
                .is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\"Request\"")),
        };
        if has_rows {
            self.each(file, |reader, line, row: Row| reader.row(file, client, line, &row))
        } else {
            self.each(file, |reader, line, watch: Watch| {
                reader.watches.push(Watched { client: client.to_owned(), line, watch });
                Ok(())
            })
        }
    }

    /// Calls `each` with the objects of a file and the lines on which they begin.
    fn each<T: DeserializeOwned>(
        &mut self,
        file: &SourceFile<'_>,
        mut each: impl FnMut(&mut Self, u32, T) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        // A file that is cut off ends at its last letter, not on a line that follows.
        let text = file.text.trim_ascii_end();
        let mut objects = serde_json::Deserializer::from_slice(text).into_iter::<T>();
        let (mut from, mut line) = (0, file.first_line);
        loop {
            let blanks = text[from..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            line = line.saturating_add(line_ends(&text[from..from + blanks]));
            match objects.next() {
                None => return Ok(()),
                Some(Ok(object)) => each(self, line, object)?,
                Some(Err(error)) => {
                    let message = error.to_string();
                    let place = format!(" at line {} column {}", error.line(), error.column());
                    let message = message.strip_suffix(&place).unwrap_or(&message);
                    let message = if error.is_eof() { "the file is cut off" } else { message };
                    let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
                    let line = line.saturating_add(file.first_line - 1);
                    return Err(ReadError::new(self.source, message).at(
                        self.source,
                        line,
                        error.column(),
                    ));
                }
            }
            let next = objects.byte_offset();
            line = line.saturating_add(line_ends(&text[from + blanks..next]));
            from = next;
        }
    }

    fn row(
        &mut self,
        file: &SourceFile<'_>,
        client: &str,
        line: u32,
        row: &Row,
    ) -> Result<(), ReadError> {
        let wrong =
            |message: String| ReadError::new(self.source, message).at_line(self.source, line);
        let Some(op) = request(&row.input).map_err(wrong)? else { return Ok(()) };
        let Row { call, r#return: end, output, .. } = row;
        let has_failed = !output.error.is_empty();
        let is_lost_grant = matches!(op, EtcdOp::Grant(0));
        if has_failed && (Etcd.is_read(&op, None) || is_lost_grant) {
            return Ok(());
        }
        let ret = answer(&row.input, &op, output).map_err(wrong)?;
        let start = u64::try_from(*call).map_err(|_| wrong("the time is negative".to_owned()))?;
        let end = if has_failed { None } else { Some(*end) };
        let end = end
            .map(|end| u64::try_from(end).ok().filter(|end| *end >= start))
            .map(|end| end.ok_or_else(|| wrong("the operation ends before it starts".to_owned())))
            .transpose()?;
        let process = u32::try_from(row.client_id).map_err(|_| {
            wrong(format!("the stream {} is not a number from 0 on", row.client_id))
        })?;
        self.clients.push((process, client.to_owned()));
        let line = line - file.first_line + 1;
        self.add(line, &op, ret.as_ref(), (start, end), Some(process)).map_err(wrong)
    }

    fn add(
        &mut self,
        line: u32,
        op: &EtcdOp,
        ret: Option<&EtcdRet>,
        times: (u64, Option<u64>),
        process: Option<u32>,
    ) -> Result<(), String> {
        let Some(wire) = Etcd.wire() else { return Ok(()) };
        let (name, args) = wire.op(op);
        let args: Option<Vec<Value>> = args.iter().map(Arg::to_value).collect();
        let result = ret.and_then(|ret| wire.ret(op, ret));
        let name = self.builder.name(name).map_err(String::from)?;
        let details = Details {
            process: process.map(|process| Value::Int(process.into())),
            ..Details::default()
        };
        self.builder
            .interval(line, name, args.unwrap_or_default(), result, times, details)
            .map_err(String::from)
    }

    /// Adds what watches delivered: each change once, when it was received first.
    fn events(&mut self) -> Result<(), ReadError> {
        let mut all = Vec::new();
        for watched in &self.watches {
            for response in watched.watch.responses.iter().flatten() {
                for event in response.events.iter().flatten() {
                    all.push((response.time, watched, event));
                }
            }
        }
        all.sort_by_key(|(time, ..)| *time);
        let mut seen = FxHashSet::default();
        let mut added = Vec::new();
        for (time, watched, event) in all {
            let line = watched.line;
            let wrong =
                |message: &str| ReadError::new(self.source, message).at_line(self.source, line);
            let value = match &event.r#type[..] {
                "put-operation" => Some(value(&event.value)),
                "delete-operation" => None,
                other => return Err(wrong(&format!("{other:?} is not an event"))),
            };
            let op = EtcdOp::Event { key: Value::str(&event.key), value, revision: event.revision };
            let time = u64::try_from(time).map_err(|_| wrong("the time is negative"))?;
            if seen.insert(op.clone()) {
                let line = self.source.place(line).1;
                added.push((line, op, time, watched.client.clone()));
            }
        }
        // Events come in batches, so that each has a process of its own.
        let mut process =
            self.clients.iter().map(|(process, _)| *process).max().unwrap_or_default();
        for (line, op, time, client) in added {
            process = process.saturating_add(1);
            self.clients.push((process, format!("{client}'s watch")));
            self.add(line, &op, Some(&EtcdRet::Done), (time, Some(time)), Some(process))
                .map_err(|message| ReadError::new(self.source, message))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<RawHistory, ReadError> {
        self.events()?;
        let Reader { builder, clients, source, watches } = self;
        let mut history = builder.finish(Format::Etcd);
        history.model = ModelName::parse("etcd").ok();
        history.clock = Clock::Whole;
        let named = clients.into_iter().map(|(process, client)| (process, Value::str(&client)));
        history.processes = named.collect();
        history.broken = watch::broken(source, &history, &watches);
        Ok(history)
    }
}

fn line_ends(text: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX)
}

/// The request of a row; `None` if it says nothing about contents.
fn request(input: &Input) -> Result<Option<EtcdOp>, String> {
    let missing = |member: &str| format!("a {:?} needs {member:?}", input.r#type);
    Ok(Some(match &input.r#type[..] {
        "range" => {
            let range = input.range.as_ref().ok_or_else(|| missing("Range"))?;
            EtcdOp::Range { range: range_of(range)?, revision: range.revision }
        }
        "txn" => EtcdOp::Txn(txn_of(input.txn.as_ref().ok_or_else(|| missing("Txn"))?)?),
        "leaseGrant" => {
            EtcdOp::Grant(input.lease_grant.as_ref().ok_or_else(|| missing("LeaseGrant"))?.lease_id)
        }
        "leaseRevoke" => EtcdOp::Revoke(
            input.lease_revoke.as_ref().ok_or_else(|| missing("LeaseRevoke"))?.lease_id,
        ),
        "compact" => {
            EtcdOp::Compact(input.compact.as_ref().ok_or_else(|| missing("Compact"))?.revision)
        }
        "defragment" => return Ok(None),
        other => {
            return Err(format!(
                "{other:?} is not a request: they are range, txn, leaseGrant, leaseRevoke, compact, defragment"
            ));
        }
    }))
}

/// A value: a text, or a number for the hash of a long one.
pub(crate) fn value(value: &ValueOrHash) -> Value {
    match ValueOrHash::of(&value.value) {
        // Transactions are recorded with their long values.
        ValueOrHash { hash, .. } if hash != 0 => Value::Int(hash.into()),
        _ if value.value.is_empty() && value.hash != 0 => Value::Int(value.hash.into()),
        _ => Value::str(&value.value),
    }
}

fn range_of(range: &Range) -> Result<EtcdRange, String> {
    let end = (!range.end.is_empty()).then(|| Value::str(&range.end));
    let limit = u64::try_from(range.limit).map_err(|_| "the limit is negative")?;
    Ok(EtcdRange { start: Value::str(&range.start), end, limit, keys_only: range.keys_only })
}

fn txn_of(txn: &Txn) -> Result<EtcdTxn, String> {
    let conditions = txn.conditions.iter().flatten().map(|condition| EtcdCondition {
        key: Value::str(&condition.key),
        expected: match condition.expected_version {
            0 => EtcdExpected::Revision(condition.expected_revision),
            version => EtcdExpected::Version(version),
        },
    });
    let steps = |list: &Option<Vec<Operation>>| {
        list.iter().flatten().map(step_of).collect::<Result<Vec<EtcdStep>, String>>()
    };
    Ok(EtcdTxn {
        conditions: conditions.collect(),
        success: steps(&txn.operations_on_success)?,
        failure: steps(&txn.operations_on_failure)?,
    })
}

fn step_of(operation: &Operation) -> Result<EtcdStep, String> {
    Ok(match &operation.r#type[..] {
        "put-operation" => {
            let put = &operation.put;
            let (key, lease) = (Value::str(&put.key), put.lease_id);
            EtcdStep::Put { key, value: value(&put.value), lease }
        }
        "delete-operation" => EtcdStep::Delete(Value::str(&operation.delete.key)),
        "range-operation" => EtcdStep::Range(range_of(&operation.range)?),
        other => return Err(format!("{other:?} is not an operation of a transaction")),
    })
}

/// What was answered; `None` if it did not answer, or it is not known.
fn answer(input: &Input, op: &EtcdOp, output: &Output) -> Result<Option<EtcdRet>, String> {
    if !output.error.is_empty() || output.persisted {
        return Ok(None);
    }
    if !output.client_error.is_empty() {
        return match &output.client_error {
            text if text.contains("has been compacted") => Ok(Some(EtcdRet::Compacted)),
            text if text.contains("future revision") => Ok(Some(EtcdRet::Future)),
            text => Err(format!("the client error {text:?} is not known")),
        };
    }
    let missing = || format!("the output of a {:?} is missing", input.r#type);
    let revision = output.revision;
    Ok(Some(match op {
        EtcdOp::Range { range, .. } => {
            let found = output.range.as_ref().ok_or_else(missing)?;
            EtcdRet::Range { found: found_of(found, range.keys_only), revision }
        }
        EtcdOp::Txn(txn) => {
            let answer = output.txn.as_ref().ok_or_else(missing)?;
            let steps = txn.branch(!answer.failure);
            let keys_only = |at: usize| match steps.get(at) {
                Some(EtcdStep::Range(range)) => range.keys_only,
                _ => false,
            };
            let results = answer.results.iter().flatten().enumerate();
            let results = results.map(|(at, found)| found_of(found, keys_only(at))).collect();
            EtcdRet::Txn { succeeded: !answer.failure, results, revision }
        }
        EtcdOp::Grant(_) | EtcdOp::Revoke(_) => EtcdRet::At(revision),
        EtcdOp::Compact(_) | EtcdOp::Event { .. } => EtcdRet::Done,
    }))
}

fn found_of(found: &Found, keys_only: bool) -> EtcdFound {
    let keys = found.kvs.iter().flatten().map(|found| EtcdKey {
        key: Value::str(&found.key),
        value: match found.value == ValueOrHash::default() && keys_only {
            true => Value::Nil,
            false => value(&found.value),
        },
        revision: found.mod_revision,
        version: (found.version != 0).then_some(found.version),
    });
    EtcdFound { keys: keys.collect(), count: found.count, deleted: found.deleted }
}

/// A row of `operations.json`, as etcd's tests write it. `ret` is `None` if the request did not answer.
///
/// # Errors
///
/// The request is an event, or has keys or values that are no texts.
pub fn row(
    stream: u32,
    op: &EtcdOp,
    ret: Option<&EtcdRet>,
    (call, end): (u64, u64),
) -> Result<Row, crate::write::WriteError> {
    let output = match ret {
        Some(ret) => write::output(ret)?,
        None => Output { error: "no answer".to_owned(), ..Output::default() },
    };
    let (call, end) = (call.cast_signed(), end.cast_signed());
    Ok(Row { client_id: stream.into(), input: write::input(op)?, call, output, r#return: end })
}
