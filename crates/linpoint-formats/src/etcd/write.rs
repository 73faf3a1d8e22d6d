//! Writes the requests of a report, one on a line.

use std::io::Write;

use linpoint::spec::models::{
    Etcd, EtcdExpected, EtcdFound, EtcdKey, EtcdOp, EtcdRange, EtcdRet, EtcdStep,
};
use linpoint::wire::{FromWire, NamedCall};
use rustc_hash::FxHashMap;

use super::rows::{
    Compact, Condition, Delete, Found, Input, KeyValue, Lease, Operation, Output, Put, Range, Row,
    Txn, TxnAnswer, ValueOrHash,
};
use crate::Value;
use crate::write::{Call, Ending, Header, Successors, WriteError, Writer, Written, cannot, shown};

/// Writes rows. A row is written when its operation ends.
pub(crate) struct Rows<'w> {
    out: Box<dyn Write + 'w>,
    /// Streams continue under another number after an operation without an answer.
    streams: Successors,
    /// What waits for its end: the input and the stream.
    open: FxHashMap<u64, (Input, u32, u64)>,
    /// Rows without an answer come last.
    lost: Vec<Row>,
    last: u64,
}

impl<'w> Rows<'w> {
    pub(crate) fn new(out: Box<dyn Write + 'w>) -> Self {
        Rows {
            out,
            streams: Successors::default(),
            open: FxHashMap::default(),
            lost: Vec::new(),
            last: 0,
        }
    }

    fn row(&mut self, row: &Row) -> Written {
        let text =
            serde_json::to_string(row).map_err(|error| WriteError::Cannot(error.to_string()))?;
        writeln!(self.out, "{text}")?;
        Ok(())
    }
}

fn operation(call: &Call<'_>) -> Result<EtcdOp, WriteError> {
    let named = NamedCall { name: call.name, args: call.args, process: call.process };
    let what = || shown(call.name, call.args);
    Etcd.read_op(&named).or_else(|_| cannot(format!("{}: not an operation of etcd", what())))
}

fn time(time: u64) -> Result<i64, WriteError> {
    i64::try_from(time).or_else(|_| cannot("a time is too large for this format"))
}

impl Writer for Rows<'_> {
    fn begin(&mut self, header: &Header<'_>) -> Written {
        let Some(_) = header.model.filter(|model| model.name == "etcd") else {
            let model = header.model.map_or("a history without a model", |model| &model.name);
            return cannot(format!("the format etcd cannot express {model}"));
        };
        self.streams = Successors::from(header.processes);
        Ok(())
    }

    fn call(&mut self, call: &Call<'_>) -> Written {
        if call.object.is_some() {
            return cannot("the format etcd supports one object");
        }
        let input = input(&operation(call)?)?;
        let stream = self.streams.of(call.process.unwrap_or_default());
        self.open.insert(call.id, (input, stream, call.start));
        Ok(())
    }

    fn end(&mut self, call: &Call<'_>, ending: Ending<'_>) -> Written {
        let Some((input, stream, start)) = self.open.remove(&call.id) else { return Ok(()) };
        let (client_id, begun) = (i64::from(stream), time(start)?);
        let mut row = Row { client_id, input, call: begun, ..Row::default() };
        match ending {
            Ending::Failed => return cannot("the format etcd cannot express failed operations"),
            Ending::Lost => {
                "no answer".clone_into(&mut row.output.error);
                self.lost.push(row);
                self.streams.retire(call.process.unwrap_or_default());
            }
            Ending::Returned { at, result } => {
                let op = operation(call)?;
                let Some(result) = result else {
                    return cannot("the format etcd cannot express unknown results");
                };
                let ret = Etcd.read_ret(&op, result);
                let ret = ret.or_else(|_| cannot(format!("{result} is not a result of etcd")))?;
                (row.output, row.r#return) = (output(&ret)?, time(at)?);
                self.last = self.last.max(at);
                self.row(&row)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Written {
        let end = time(self.last.saturating_add(1))?;
        for (_, (input, stream, start)) in std::mem::take(&mut self.open) {
            let output = Output { error: "no answer".to_owned(), ..Output::default() };
            let (client_id, call) = (i64::from(stream), time(start)?);
            self.lost.push(Row { client_id, input, call, output, r#return: 0 });
        }
        let mut lost = std::mem::take(&mut self.lost);
        lost.sort_by_key(|row| row.call);
        for mut row in lost {
            row.r#return = end.max(row.call.saturating_add(1));
            self.row(&row)?;
        }
        self.out.flush()?;
        Ok(())
    }
}

fn text(value: &Value) -> Result<String, WriteError> {
    match value {
        Value::Str(text) => Ok(text.to_string()),
        Value::Int(_) | Value::Bool(_) | Value::Nil | Value::List(_) | Value::Map(_) => {
            cannot(format!("{value}: in this format, keys and values are strings"))
        }
    }
}

fn value_of(value: &Value) -> Result<ValueOrHash, WriteError> {
    match value {
        Value::Int(hash) if *hash > 0 => match u32::try_from(*hash) {
            Ok(hash) => Ok(ValueOrHash { value: String::new(), hash }),
            Err(_) => cannot(format!("{value} is not the hash of a value")),
        },
        Value::Nil => Ok(ValueOrHash::default()),
        value => Ok(ValueOrHash { value: text(value)?, hash: 0 }),
    }
}

fn range(range: &EtcdRange, revision: i64) -> Result<Range, WriteError> {
    Ok(Range {
        start: text(&range.start)?,
        end: range.end.as_ref().map_or(Ok(String::new()), text)?,
        limit: i64::try_from(range.limit).or_else(|_| cannot("the limit is too large"))?,
        revision,
        keys_only: range.keys_only,
    })
}

fn step(step: &EtcdStep) -> Result<Operation, WriteError> {
    let named = |name: &str| Operation { r#type: name.to_owned(), ..Operation::default() };
    Ok(match step {
        EtcdStep::Put { key, value, lease } => {
            let put = Put { key: text(key)?, value: value_of(value)?, lease_id: *lease };
            Operation { put, ..named("put-operation") }
        }
        EtcdStep::Delete(key) => {
            Operation { delete: Delete { key: text(key)? }, ..named("delete-operation") }
        }
        EtcdStep::Range(of) => Operation { range: range(of, 0)?, ..named("range-operation") },
    })
}

/// A request as a row has it.
pub(crate) fn input(op: &EtcdOp) -> Result<Input, WriteError> {
    let named = |name: &str| Input { r#type: name.to_owned(), ..Input::default() };
    Ok(match op {
        EtcdOp::Range { range: of, revision } => {
            Input { range: Some(range(of, *revision)?), ..named("range") }
        }
        EtcdOp::Txn(txn) => {
            let condition = |condition: &linpoint::spec::models::EtcdCondition| {
                let (expected_revision, expected_version) = match condition.expected {
                    EtcdExpected::Revision(revision) => (revision, 0),
                    EtcdExpected::Version(0) => {
                        return cannot("a version of 0 is written as revision 0");
                    }
                    EtcdExpected::Version(version) => (0, version),
                };
                Ok(Condition { key: text(&condition.key)?, expected_revision, expected_version })
            };
            let conditions = txn.conditions.iter().map(condition).collect::<Result<_, _>>()?;
            let steps = |steps: &[EtcdStep]| steps.iter().map(step).collect::<Result<Vec<_>, _>>();
            let txn = Txn {
                conditions: Some(conditions),
                operations_on_success: Some(steps(&txn.success)?),
                operations_on_failure: Some(steps(&txn.failure)?),
            };
            Input { txn: Some(txn), ..named("txn") }
        }
        EtcdOp::Grant(lease_id) => {
            Input { lease_grant: Some(Lease { lease_id: *lease_id }), ..named("leaseGrant") }
        }
        EtcdOp::Revoke(lease_id) => {
            Input { lease_revoke: Some(Lease { lease_id: *lease_id }), ..named("leaseRevoke") }
        }
        EtcdOp::Compact(revision) => {
            Input { compact: Some(Compact { revision: *revision }), ..named("compact") }
        }
        EtcdOp::Event { .. } => return cannot("events of watches are in another file"),
    })
}

/// An answer as a row has it.
pub(crate) fn output(ret: &EtcdRet) -> Result<Output, WriteError> {
    Ok(match ret {
        EtcdRet::Range { found: of, revision } => {
            Output { range: Some(found(of)?), revision: *revision, ..Output::default() }
        }
        EtcdRet::Txn { succeeded, results, revision } => {
            let results = results.iter().map(found).collect::<Result<_, _>>()?;
            let txn = TxnAnswer { failure: !succeeded, results: Some(results) };
            Output { txn: Some(txn), revision: *revision, ..Output::default() }
        }
        EtcdRet::At(revision) => Output { revision: *revision, ..Output::default() },
        EtcdRet::Done => Output { revision: -1, ..Output::default() },
        EtcdRet::Compacted => refused("mvcc: required revision has been compacted"),
        EtcdRet::Future => refused("mvcc: required revision is a future revision"),
    })
}

fn refused(why: &str) -> Output {
    Output { client_error: why.to_owned(), ..Output::default() }
}

fn found(of: &EtcdFound) -> Result<Found, WriteError> {
    let key = |found: &EtcdKey| {
        Ok(KeyValue {
            key: text(&found.key)?,
            value: value_of(&found.value)?,
            mod_revision: found.revision,
            version: found.version.unwrap_or_default(),
        })
    };
    let kvs = of.keys.iter().map(key).collect::<Result<_, WriteError>>()?;
    Ok(Found { kvs: Some(kvs), count: of.count, deleted: of.deleted })
}
