//! Reduces a history that is not linearizable to the operations that contradict each other.

use linpoint::shrink::{Fate, Until};
use linpoint::verdict::Violation;

use crate::raw::{Details, End, RawBuilder, RawHistory, RawId, Sink};
use crate::registry::LoadedHistory;
use crate::{Format, ReadError, Source};

/// A smaller history.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The remaining operations.
    pub raw: RawHistory,
    /// The number of them that never return here, although they may have returned originally.
    pub relaxed: usize,
    /// True if nothing more could be left out or relaxed.
    pub is_minimal: bool,
}

/// Turns the core of a violation into a history of its own. `history` was made from `raw`.
pub fn shrink(
    source: &Source,
    raw: &RawHistory,
    history: &LoadedHistory,
    violation: &Violation,
    until: Until,
) -> Result<Shrunk, ReadError> {
    let wrong = |message: String| ReadError::new(source, message);
    let shrunk = history
        .shrink(violation, until)
        .map_err(|error| wrong(format!("the model fails: {error}")))?;
    let ids: Vec<RawId> = raw.ops.ids().collect();
    let mut builder = RawBuilder::new();
    let mut events = Vec::new();
    let mut relaxed = 0;
    let call = |builder: &mut RawBuilder, id: linpoint::OpId| {
        let op = raw.ops.get(*ids.get(id.index()).ok_or("an operation is missing")?);
        // Touching operations of one process are concurrent according to their times. One of them
        // then gets no process, rather than an order that the history does not have.
        let process = op.extras.process.and_then(|process| raw.processes.get(&process));
        let details = Details {
            process: process.filter(|process| builder.open_of(process).is_none()).cloned(),
            object: op.extras.object.and_then(|at| raw.objects.get(at as usize)).cloned(),
            hint: None,
        };
        let called = builder.call(op.line, op.name, op.args.iter().cloned(), details)?;
        Ok::<_, String>((called, op))
    };
    for &(id, fate) in &shrunk.kept {
        match fate {
            Fate::Relaxed => {
                relaxed += 1;
                let (called, op) = call(&mut builder, id).map_err(wrong)?;
                builder.end(op.line, called, End::Lost).map_err(|_| wrong(AGAIN.to_owned()))?;
            }
            Fate::Stays | Fate::Open => {
                let span = history.span(id);
                events.push((span.call, id, true));
                if fate == Fate::Stays && !span.is_pending() {
                    events.push((span.ret, id, false));
                }
            }
        }
    }
    events.sort_unstable_by_key(|(rank, ..)| *rank);
    let mut open = rustc_hash::FxHashMap::default();
    for (_, id, is_call) in events {
        if is_call {
            let (called, op) = call(&mut builder, id).map_err(wrong)?;
            open.insert(id, (called, op));
        } else if let Some((called, op)) = open.remove(&id) {
            let end = End::Returned(op.result.cloned());
            builder.end(op.end_line, called, end).map_err(|_| wrong(AGAIN.to_owned()))?;
        }
    }
    let mut small = builder.finish(Format::Jsonl);
    small.model = Some(history.model().clone());
    small.note = Some(format!("shrunk from {}: {}", source.name(), violation.reason));
    Ok(Shrunk { raw: small, relaxed, is_minimal: shrunk.is_minimal })
}

const AGAIN: &str = "an operation ends twice";
