//! Histories as linpoint's JSON lines (`docs/format.md`), which `linpoint check` reads.
//!
//! [`write()`] takes a [`JsonModel`], which says how operations and results are written; the bundled models
//! are such, for values that JSON has. [`write_any`] also takes specifications that linpoint's command does not know: it
//! writes operations in words, for people.

mod known;
mod models;

use std::io::{self, Write};

use linpoint::history::Span;
use linpoint::{History, OpId, Spec};
use serde_json::{Map, Value, json};

/// How the operations of a specification are written, in the words of a model that `linpoint models` lists.
pub trait JsonModel: Spec {
    /// The name of the model, and its options.
    fn model(&self) -> (&'static str, Map<String, Value>);
    /// The name of an operation, and its arguments.
    fn op(&self, op: &Self::Op) -> (&'static str, Vec<Value>);
    /// A result.
    fn ret(&self, op: &Self::Op, ret: &Self::Ret) -> Value;
}

/// A value that JSON has. Different values must stay different.
pub trait JsonValue {
    /// The value.
    fn to_json(&self) -> Value;
}

/// Writes a history of a known model.
pub fn write<M: JsonModel>(
    out: &mut dyn Write,
    model: &M,
    history: &History<M::Op, M::Ret>,
    note: &str,
) -> io::Result<()> {
    let (name, options) = model.model();
    let mut header = format!("{{\"linpoint\":1,\"model\":{}", json!(name));
    for (key, value) in &options {
        header += &format!(",{}:{value}", json!(key));
    }
    writeln!(out, "{header},\"note\":{}}}", json!(note))?;
    write_events(
        out,
        history,
        |op| {
            let (name, args) = model.op(op);
            (name.to_owned(), args)
        },
        |op, ret| model.ret(op, ret),
    )
}

/// Writes a history of any specification. Those that linpoint's command knows are written so that it can
/// check them; of others, the operations are written in words. True if it can be checked.
pub fn write_any<S: Spec + 'static>(
    out: &mut dyn Write,
    spec: &S,
    history: &History<S::Op, S::Ret>,
    note: &str,
) -> io::Result<bool> {
    if let Some(written) = known::write(out, spec, history, note) {
        return written.map(|()| true);
    }
    writeln!(out, "{{\"linpoint\":1,\"note\":{}}}", json!(note))?;
    let name = |op: &S::Op| (spec.describe_op(op), Vec::new());
    write_events(out, history, name, |op, ret| spec.describe_ret(op, ret).into())?;
    Ok(false)
}

/// The events in their order, one a line.
fn write_events<O, R>(
    out: &mut dyn Write,
    history: &History<O, R>,
    name: impl Fn(&O) -> (String, Vec<Value>),
    result: impl Fn(&O, &R) -> Value,
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
        let op = history.op(id);
        if is_return {
            let value = history.ret(id).map(|ret| format!(",\"value\":{}", result(op, ret)));
            writeln!(out, "{{\"return\":{}{}}}", id.0, value.unwrap_or_default())?;
            continue;
        }
        let (name, args) = name(op);
        write!(out, "{{\"call\":{}", id.0)?;
        // A pending operation ends its process's claim, which the reader cannot know from the order of
        // the events alone: it is told at once that nothing more will be heard of it.
        if let Some(process) = history.extras(id).process {
            write!(out, ",\"process\":{process}")?;
        }
        write!(out, ",\"op\":{}", json!(name))?;
        if !args.is_empty() {
            write!(out, ",\"args\":{}", Value::Array(args))?;
        }
        writeln!(out, "}}")?;
        if history.span(id).is_pending() {
            writeln!(out, "{{\"info\":{}}}", id.0)?;
        }
    }
    Ok(())
}
