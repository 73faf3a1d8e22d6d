//! What is wrong with an operation, and where.

use linpoint::wire::{Mismatch, ModelInfo, Part};

use crate::raw::RawOp;
use crate::words::did_you_mean;
use crate::{Format, ReadError, Source};

/// An error at a part of the operation on a line.
pub(super) fn error_at(
    source: &Source,
    format: Format,
    line: u32,
    part: Part,
    message: String,
) -> ReadError {
    let error = ReadError::new(source, message);
    let text = source.line(line);
    match text.and_then(|text| format.locate(text, part)) {
        Some(column) => error.at(source, line, column),
        None => error.at_line(source, line),
    }
}

/// An operation that the model does not have, or not in this form.
pub(super) fn mismatch_at(
    source: &Source,
    format: Format,
    info: &ModelInfo,
    raw: &RawOp<'_>,
    mismatch: &Mismatch,
) -> ReadError {
    let part = mismatch.part();
    let line = if part == Part::Result { raw.end_line } else { raw.line };
    let error = error_at(source, format, line, part, mismatch.message(raw.name, raw.args.len()));
    let ours = |signature: &&&str| signature.split('(').next() == Some(raw.name);
    let name = info.name;
    match info.operations.iter().find(ours) {
        Some(signature) => error.help(format!("the model {name:?} has {signature}")),
        None => {
            let all = info.operations;
            let names: Vec<&str> = all.iter().filter_map(|s| s.split('(').next()).collect();
            let rest = format!("the model {name:?} has {}", all.join("; "));
            error.help(did_you_mean(raw.name, &names, &rest))
        }
    }
}
