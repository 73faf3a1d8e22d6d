//! The last lines of a stream as a history.

use super::{Given, LoadedHistory, ReadLimits, read_source};
use crate::live::KeptLines;
use crate::model::ModelName;
use crate::raw::Lines;
use crate::workload::WorkloadChoice;
use crate::{ReadError, Source};

impl KeptLines {
    /// Reads them as a history of a model, with everything that pages show. If lines have been dropped, it does not begin in
    /// the initial state of the object.
    pub fn load(self, name: &str, model: &ModelName) -> Result<LoadedHistory, ReadError> {
        let format = Some(self.format);
        let (text, numbers) = self.into_text();
        let source = Source::new(name, text);
        let limits = ReadLimits { details: true, ..ReadLimits::default() };
        // A stream is only a history of its model.
        let given = Given { format, model: Some(model), workload: WorkloadChoice::Off, map: None };
        let found = read_source(&source, limits, given).pop();
        let found = found.ok_or_else(|| ReadError::new(&source, "there is no history"))?;
        let mut history = found.history?;
        history.renumber(&numbers);
        Ok(history)
    }
}

impl LoadedHistory {
    /// Line `n` that was read is line `numbers[n - 1]` of the input.
    fn renumber(&mut self, numbers: &[u32]) {
        let number = |line: u32| {
            let known = (line as usize).checked_sub(1).and_then(|at| numbers.get(at));
            known.copied().unwrap_or(line)
        };
        let mut lines = Lines::default();
        for op in 0..self.len() {
            lines.push(self.lines.get(op).map_or(0, number));
        }
        self.lines = lines;
        for placed in &mut self.faults {
            placed.fault.line = number(placed.fault.line);
        }
        for failed in &mut self.failed {
            failed.line = number(failed.line);
        }
    }
}
