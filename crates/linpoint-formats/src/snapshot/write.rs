//! Writes the snapshot histories of DISC 2022.
//!
//! In this format a process updates the segment with its own number, so updates get the number of
//! their segment. If the processes of the history do not match that, scans get numbers above those
//! of all segments.

use std::io::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Value;
use crate::write::{Call, Ending, Header, Successors, WriteError, Writer, Written, cannot, shown};

/// Writes events.
pub(crate) struct Events<'w> {
    out: Box<dyn Write + 'w>,
    /// Added to the numbers of scanning processes.
    above: u32,
    scanners: Successors,
    /// Segments with an open update.
    updating: FxHashSet<i64>,
    /// The open scans, with the number under which each was written.
    scanning: FxHashMap<u64, u32>,
}

impl<'w> Events<'w> {
    pub(crate) fn new(out: Box<dyn Write + 'w>) -> Self {
        Events {
            out,
            above: 0,
            scanners: Successors::default(),
            updating: FxHashSet::default(),
            scanning: FxHashMap::default(),
        }
    }

    fn update(&mut self, call: &Call<'_>) -> Result<(i64, i64), WriteError> {
        match call.args {
            [Value::Int(segment), Value::Int(value)] => Ok((*segment, *value)),
            _ => {
                let what = shown(call.name, call.args);
                cannot(format!("{what}: in this format, values are whole numbers"))
            }
        }
    }
}

impl Writer for Events<'_> {
    fn begin(&mut self, header: &Header<'_>) -> Written {
        let Some(model) = header.model.filter(|model| model.name == "snapshot") else {
            let model = header.model.map_or("a history without a model", |model| &model.name);
            return cannot(format!("the format snapshot cannot express {model}"));
        };
        let segments = model.option("segments").and_then(Value::as_int).unwrap_or_default();
        let segments = u32::try_from(segments).unwrap_or(u32::MAX);
        self.above = if header.own_segments { 0 } else { segments };
        self.scanners = Successors::from(segments.max(header.processes));
        Ok(())
    }

    fn call(&mut self, call: &Call<'_>) -> Written {
        if call.object.is_some() {
            return cannot("the format snapshot supports one object per file");
        }
        if call.name == "update" {
            let (segment, value) = self.update(call)?;
            if !self.updating.insert(segment) {
                return cannot(format!(
                    "two open updates of segment {segment}: each segment has one writer in this format"
                ));
            }
            write!(self.out, "startUpdate!{segment},{value};")?;
            return Ok(());
        }
        let process = self.scanners.of(call.process.unwrap_or_default());
        let process = process.saturating_add(self.above);
        self.scanning.insert(call.id, process);
        write!(self.out, "startScan!{process};")?;
        Ok(())
    }

    fn end(&mut self, call: &Call<'_>, ending: Ending<'_>) -> Written {
        let what = || shown(call.name, call.args);
        match (call.name, ending) {
            (_, Ending::Failed) => {
                return cannot("the format snapshot cannot express failed operations");
            }
            ("update", Ending::Returned { .. }) => {
                let (segment, value) = self.update(call)?;
                self.updating.remove(&segment);
                write!(self.out, "endUpdate!{segment},{value};")?;
            }
            ("update", Ending::Lost) => {}
            (_, Ending::Lost) => {
                self.scanning.remove(&call.id);
                self.scanners.retire(call.process.unwrap_or_default());
            }
            (_, Ending::Returned { result, .. }) => {
                let process = self.scanning.remove(&call.id).unwrap_or_default();
                let Some(Value::List(values)) = result else {
                    return cannot(format!("{}: its result is unknown", what()));
                };
                let [Value::Int(a), Value::Int(b)] = &**values else {
                    return cannot(format!(
                        "{}: results have segments 0 and 1, both whole numbers, in this format",
                        what()
                    ));
                };
                write!(self.out, "endScan!{process},{a},{b};")?;
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Written {
        writeln!(self.out)?;
        Ok(self.out.flush()?)
    }
}
