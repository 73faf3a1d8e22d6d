//! A map of a log as TOML: a file for `--map-file`, or a table `map` in `linpoint.toml`.
//!
//! ```toml
//! process = "client"
//! start = "t0_ns"
//! end = "t1_ns"
//! ignore = ["level", "msg"]
//!
//! [ops]
//! incr = "add_fetch(1)"
//! ```

use std::collections::BTreeMap;

use linpoint_formats::mapping::MapError;
use linpoint_formats::{Mapping, Value, to_json};
use serde::Deserialize;

/// A map as written. The names of operations, outcomes and events are in tables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenMap {
    op: Option<String>,
    args: Option<Names>,
    value: Option<String>,
    process: Option<String>,
    object: Option<String>,
    start: Option<String>,
    end: Option<String>,
    duration: Option<String>,
    outcome: Option<String>,
    event: Option<String>,
    id: Option<String>,
    time: Option<String>,
    ties: Option<String>,
    nil: Option<String>,
    ignore: Option<Names>,
    #[serde(default)]
    ops: BTreeMap<String, String>,
    #[serde(default)]
    outcomes: BTreeMap<String, String>,
    #[serde(default)]
    events: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

/// A name that has no meaning but itself.
fn quoted(name: &str) -> String {
    to_json(&Value::str(name))
}

impl Names {
    /// As `--map` has it.
    fn joined(&self) -> String {
        match self {
            Names::One(name) => name.clone(),
            Names::Several(names) => {
                names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join("+")
            }
        }
    }
}

impl WrittenMap {
    /// The map.
    pub fn mapping(&self) -> Result<Mapping, MapError> {
        let mut map = Mapping::default();
        let fields = [
            ("op", &self.op),
            ("value", &self.value),
            ("process", &self.process),
            ("object", &self.object),
            ("start", &self.start),
            ("end", &self.end),
            ("duration", &self.duration),
            ("outcome", &self.outcome),
            ("event", &self.event),
            ("id", &self.id),
            ("time", &self.time),
            ("ties", &self.ties),
            ("nil", &self.nil),
        ];
        for (target, source) in fields {
            if let Some(source) = source {
                map.set(target, source)?;
            }
        }
        for (target, names) in [("args", &self.args), ("ignore", &self.ignore)] {
            if let Some(names) = names {
                map.set(target, &names.joined())?;
            }
        }
        let tables = [("op", &self.ops), ("outcome", &self.outcomes), ("event", &self.events)];
        for (target, table) in tables {
            for (name, meaning) in table {
                map.set(&format!("{target}.{}", quoted(name)), meaning)?;
            }
        }
        Ok(map)
    }
}
