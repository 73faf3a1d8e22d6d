//! Jepsen's workloads: what their operations mean, and what Jepsen's own checkers say about them.
//!
//! A workload asks two questions. Jepsen's checker asks one that is cheap and often weaker: is every acknowledged element in
//! the last read? Linearizability asks whether some order of the operations explains all results. A history that is
//! recognised as a workload gets both answers: `meaning.rs` turns its events into operations of a model, and `checkers.rs`
//! computes what Jepsen's checker of that name defines, as a [`JepsenAnswer`]. `docs/jepsen.md` has the definitions.

mod checkers;
mod expand;
mod meaning;
mod sets;
mod transactions;

use std::fmt;

use crate::edn::is_keyed;
use crate::jepsen::{Event, Type};
use crate::model::{ModelName, ModelNameError};
use crate::{ReadError, Source, Value};
pub(crate) use meaning::Meaning;

/// One of Jepsen's workloads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Workload {
    /// Adds to a number, and reads of it.
    Counter,
    /// Adds to a set, and a last read of all.
    Set,
    /// Adds to a set, and reads of all at any time.
    SetFull {
        /// True if stale reads count as failures.
        linearizable: bool,
    },
    /// A queue that is drained at the end.
    TotalQueue,
    /// Ids that must differ.
    UniqueIds,
    /// Writes of single keys, and reads of groups of keys.
    LongFork,
    /// Transfers between accounts, and reads of all balances.
    Bank {
        /// The money in all, if it is not that of the first read.
        total: Option<i64>,
    },
    /// Inserts of rows one after the other, and reads of the table.
    Comments,
}

/// Which workload a history of Jepsen's is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WorkloadChoice {
    /// If no model is given: the one that the operations tell, if they do.
    #[default]
    Recognise,
    /// None: it is only a history of a model.
    Off,
    /// This one.
    Is(Workload),
}

/// What Jepsen's checker of a workload says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JepsenAnswer {
    /// The workload.
    pub workload: String,
    /// `:valid?`; `None` for `:unknown`.
    pub valid: Option<bool>,
    /// Why it is unknown.
    pub error: Option<String>,
    /// The other keys of the answer.
    pub facts: Vec<(String, Value)>,
    /// What was assumed to ask about linearizability.
    pub assumptions: Vec<String>,
}

impl Workload {
    /// All workloads with their default options.
    pub const ALL: [Workload; 8] = [
        Workload::Counter,
        Workload::Set,
        Workload::SetFull { linearizable: false },
        Workload::TotalQueue,
        Workload::UniqueIds,
        Workload::LongFork,
        Workload::Bank { total: None },
        Workload::Comments,
    ];

    /// The name of the workload.
    pub fn name(self) -> &'static str {
        match self {
            Workload::Counter => "counter",
            Workload::Set => "set",
            Workload::SetFull { .. } => "set-full",
            Workload::TotalQueue => "total-queue",
            Workload::UniqueIds => "unique-ids",
            Workload::LongFork => "long-fork",
            Workload::Bank { .. } => "bank",
            Workload::Comments => "comments",
        }
    }

    /// The workload that a text names, with options after a colon.
    pub fn parse(text: &str) -> Result<Workload, WorkloadError> {
        let ModelName { name, options } = ModelName::parse(text).map_err(WorkloadError::Syntax)?;
        let found = Workload::ALL.into_iter().find(|workload| workload.name() == name);
        let mut workload = found.ok_or_else(|| WorkloadError::Unknown(name.clone()))?;
        for (key, value) in &options {
            match (&mut workload, key.as_str(), value) {
                (Workload::SetFull { linearizable }, "linearizable", Value::Bool(on)) => {
                    *linearizable = *on
                }
                (Workload::Bank { total }, "total", Value::Int(amount)) => *total = Some(*amount),
                _ => return Err(WorkloadError::Option(name, key.clone())),
            }
        }
        Ok(workload)
    }

    /// The workload that the operations tell, if only one is possible.
    fn recognise(events: &[Event]) -> Option<Workload> {
        let calls =
            || events.iter().filter(|event| event.kind == Type::Invoke && event.is_of_client());
        let only = |names: &[&str]| calls().all(|event| names.contains(&&*event.f));
        let has = |name: &str| calls().any(|event| &*event.f == name);
        calls().next()?;
        let reads = || {
            let is_read = |event: &&Event| {
                event.kind == Type::Ok && &*event.f == "read" && event.is_of_client()
            };
            events
                .iter()
                .filter(is_read)
                .map(|event| &event.value)
                .filter(|value| **value != Value::Nil)
        };
        if only(&["add", "read"]) && has("add") {
            return Workload::of_adds(events, reads().collect());
        }
        if only(&["read", "transfer"]) && has("transfer") {
            return Some(Workload::Bank { total: None });
        }
        if only(&["read"]) && reads().next().is_some() && reads().all(meaning::is_balances) {
            return Some(Workload::Bank { total: None });
        }
        if only(&["enqueue", "dequeue", "drain"]) && has("drain") {
            return Some(Workload::TotalQueue);
        }
        if only(&["generate"]) {
            return Some(Workload::UniqueIds);
        }
        if only(&["read", "write"]) && reads().next().is_some() {
            if reads().all(|value| meaning::steps(value).is_some_and(|steps| !steps.is_empty())) {
                return Some(Workload::LongFork);
            }
            let writes_lists =
                calls().any(|event| &*event.f == "write" && matches!(event.value, Value::List(_)));
            if reads().all(|value| matches!(value, Value::List(_))) && !writes_lists {
                return Some(Workload::Comments);
            }
        }
        None
    }

    /// Adds and reads: of a number, or of a set.
    fn of_adds(events: &[Event], reads: Vec<&Value>) -> Option<Workload> {
        let is_list = |value: &&Value| matches!(value, Value::List(_));
        match &reads[..] {
            [] => {
                // Nothing was read. A set is given different elements; a counter need not be.
                let is_add = |event: &&Event| {
                    event.kind == Type::Invoke && &*event.f == "add" && event.is_of_client()
                };
                let mut added: Vec<&Value> =
                    events.iter().filter(is_add).map(|event| &event.value).collect();
                let all = added.len();
                added.sort();
                added.dedup();
                let are_numbers = added.iter().all(|value| value.as_int().is_some());
                (added.len() < all && are_numbers).then_some(Workload::Counter)
            }
            [only] if is_list(only) => Some(Workload::Set),
            several if several.iter().all(is_list) => {
                Some(Workload::SetFull { linearizable: false })
            }
            numbers if numbers.iter().all(|value| value.as_int().is_some()) => {
                Some(Workload::Counter)
            }
            _ => None,
        }
    }
}

/// Why a text does not name a workload.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WorkloadError {
    /// It is not a name with options.
    Syntax(ModelNameError),
    /// There is no workload of this name.
    Unknown(String),
    /// The workload has no such option, or not with this value.
    Option(String, String),
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkloadError::Syntax(error) => error.fmt(f),
            WorkloadError::Unknown(name) => {
                let names = Workload::ALL.map(Workload::name);
                let rest = format!("the workloads are {}", names.join(", "));
                let help = crate::suggest::did_you_mean(name, &names, &rest);
                write!(f, "unknown workload {name:?}; {help}")
            }
            WorkloadError::Option(name, key) => {
                write!(
                    f,
                    "the workload {name:?} has no option {key:?} with this value; there are set-full:linearizable and bank:total=N"
                )
            }
        }
    }
}

impl std::error::Error for WorkloadError {}

/// A history of Jepsen's that is recognised as a workload.
pub(crate) struct Recognised {
    /// The events, in terms of single operations.
    pub(crate) events: Vec<Event>,
    pub(crate) meaning: Meaning,
    /// True if values are tuples of a key and a value.
    pub(crate) keyed: bool,
    pub(crate) model: Option<ModelName>,
    pub(crate) answer: JepsenAnswer,
}

/// Finds out which workload the events are of; gives them back if they are of none.
pub(crate) fn recognise(
    source: &Source,
    events: Vec<Event>,
    model: Option<&ModelName>,
    choice: WorkloadChoice,
) -> Result<Result<Recognised, Vec<Event>>, ReadError> {
    let is_keyed = is_keyed(&events) && has_keyed_results(&events);
    let keyed = is_keyed && !events.iter().any(|event| meaning::steps(&event.value).is_some());
    let workload = match choice {
        WorkloadChoice::Is(workload) => Some(workload),
        WorkloadChoice::Recognise if model.is_none() => match keyed {
            true => Workload::recognise(&unkeyed(&events)),
            false => Workload::recognise(&events),
        },
        WorkloadChoice::Recognise | WorkloadChoice::Off => None,
    };
    let Some(workload) = workload else { return Ok(Err(events)) };
    let mut answer = checkers::check(workload, &events, keyed);
    let meaning = Meaning::new(workload, model);
    let own = meaning::model_of(workload, &events, &mut answer.assumptions);
    let events = expand::expanded(source, workload, events)?;
    Ok(Ok(Recognised { events, meaning, keyed, model: own, answer }))
}

/// True if the results of all operations are tuples too. In some histories elements are pairs.
fn has_keyed_results(events: &[Event]) -> bool {
    let results = events.iter().filter(|event| event.kind == Type::Ok && event.is_of_client());
    results
        .map(|event| &event.value)
        .all(|value| matches!(value, Value::List(pair) if pair.len() == 2))
}

/// The events without the keys in their values.
fn unkeyed(events: &[Event]) -> Vec<Event> {
    let value = |event: &Event| match &event.value {
        Value::List(pair) if pair.len() == 2 && event.is_of_client() => pair[1].clone(),
        other => other.clone(),
    };
    events.iter().map(|event| Event { value: value(event), ..event.clone() }).collect()
}

#[cfg(test)]
mod tests;
