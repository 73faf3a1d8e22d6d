//! Histories as linpoint's JSON lines (`docs/format.md`), which `linpoint check` reads.
//!
//! A specification that names its operations ([`Spec::wire`]) is written in these names; the bundled models do, for
//! values that JSON has. Other histories are written as text, for people.

use std::io::{self, Write};

use linpoint::history::Span;
use linpoint::wire::{ToWire, Value};
use linpoint::{History, OpId, Spec};
use serde_json::json;

/// Writes a history. True if it can be checked: the specification is a model that `linpoint models` lists, of values
/// that JSON has. Otherwise operations and results are written as text.
pub fn write_any<S: Spec>(
    out: &mut dyn Write,
    spec: &S,
    history: &History<S::Op, S::Ret>,
    note: &str,
) -> io::Result<bool> {
    let named = spec.wire().and_then(|model| Some((header(model, note)?, named(model, history)?)));
    let is_named = named.is_some();
    let (header, ops) = named.unwrap_or_else(|| {
        (format!("{{\"linpoint\":1,\"note\":{}}}", json!(note)), described(spec, history))
    });
    writeln!(out, "{header}")?;
    write_events(out, history, &ops)?;
    Ok(is_named)
}

/// An operation and its result, as far as they are known.
struct Written {
    name: String,
    args: Vec<Value>,
    ret: Option<Value>,
}

/// The first line; `None` if an option has a value that JSON does not have.
fn header<O, R>(model: &dyn ToWire<O, R>, note: &str) -> Option<String> {
    let mut header = format!("{{\"linpoint\":1,\"model\":{}", json!(model.name()));
    for (key, value) in model.options()? {
        header += &format!(",{}:{}", json!(key), json!(value));
    }
    Some(format!("{header},\"note\":{}}}", json!(note)))
}

/// The operations as names and values; `None` if JSON does not have one of the values.
fn named<O, R>(model: &dyn ToWire<O, R>, history: &History<O, R>) -> Option<Vec<Written>> {
    let written = |id: OpId| {
        let op = history.op(id);
        let (name, args) = model.op(op);
        let args: Option<Vec<Value>> = args.iter().map(|arg| arg.to_value()).collect();
        let ret = history.ret(id).map(|ret| model.ret(op, ret));
        let ret = ret.map_or(Some(None), |ret| ret.map(Some))?;
        Some(Written { name: name.to_owned(), args: args?, ret })
    };
    history.ids().map(written).collect()
}

/// The operations as text.
fn described<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> Vec<Written> {
    let written = |id: OpId| {
        let op = history.op(id);
        let ret = history.ret(id).map(|ret| Value::str(&spec.describe_ret(op, ret)));
        Written { name: spec.describe_op(op), args: Vec::new(), ret }
    };
    history.ids().map(written).collect()
}

/// The events in their order, one a line.
fn write_events<O, R>(
    out: &mut dyn Write,
    history: &History<O, R>,
    ops: &[Written],
) -> io::Result<()> {
    let mut events: Vec<(u32, bool, OpId)> = Vec::with_capacity(2 * history.len());
    for id in history.ids() {
        let Span { call, ret } = history.span(id);
        events.push((call, false, id));
        if ret != Span::NEVER {
            events.push((ret, true, id));
        }
    }
    events.sort_unstable();
    for (_, is_return, id) in events {
        let Written { name, args, ret } = &ops[id.index()];
        if is_return {
            let value = ret.as_ref().map(|ret| format!(",\"value\":{}", json!(ret)));
            writeln!(out, "{{\"return\":{}{}}}", id.0, value.unwrap_or_default())?;
            continue;
        }
        write!(out, "{{\"call\":{}", id.0)?;
        if let Some(process) = history.extras(id).process {
            write!(out, ",\"process\":{process}")?;
        }
        write!(out, ",\"op\":{}", json!(name))?;
        if !args.is_empty() {
            write!(out, ",\"args\":{}", json!(args))?;
        }
        writeln!(out, "}}")?;
        // A process whose operation is pending may call again. The reader cannot know that from the order of events,
        // so the operation is reported as pending right away.
        if history.span(id).is_pending() {
            writeln!(out, "{{\"info\":{}}}", id.0)?;
        }
    }
    Ok(())
}
