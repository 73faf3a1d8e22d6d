//! JSON lines of a stream: each line is read as in a file, and only open operations are kept.

use rustc_hash::FxHashMap;

use super::{Kind, Reader};
use crate::model::ModelName;
use crate::raw::{LiveOps, RawId};
use crate::{ReadError, Source, Value};

/// The lines of a stream of events, one after the other.
#[derive(Default)]
pub(crate) struct LiveLines {
    ops: LiveOps,
    ids: FxHashMap<Value, RawId>,
    kind: Option<(Kind, u32)>,
    has_header: bool,
}

impl LiveLines {
    /// The open operations.
    pub(crate) fn ops(&self) -> &LiveOps {
        &self.ops
    }

    /// The open operations, to take changes from.
    pub(crate) fn ops_mut(&mut self) -> &mut LiveOps {
        &mut self.ops
    }

    /// Reads the next line, which is all of `source`. The first is the header: returns the model,
    /// if it names one.
    pub(crate) fn line(
        &mut self,
        source: &Source,
        line: &[u8],
    ) -> Result<Option<Option<ModelName>>, ReadError> {
        let number = source.first_line();
        let mut reader = Reader {
            source,
            builder: std::mem::take(&mut self.ops),
            ids: std::mem::take(&mut self.ids),
            kind: self.kind,
            intervals: Vec::new(),
        };
        let header = !std::mem::replace(&mut self.has_header, true);
        let read = match header {
            true => reader.header(number, line).map(|header| Some(header.model)),
            false => reader.line(number, line).map(|()| None),
        };
        let Reader { builder, ids, kind, .. } = reader;
        (self.ops, self.ids, self.kind) = (builder, ids, kind);
        match kind {
            Some((Kind::Intervals, _)) => {
                let message = "an operation with its times cannot be watched";
                Err(ReadError::new(source, message).at_line(source, number).help(
                    "a stream has events, as they happen: \"call\", \"return\", \"fail\", \"info\"",
                ))
            }
            _ => read,
        }
    }
}
