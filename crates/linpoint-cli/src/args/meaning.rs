//! Arguments that say what an input means: maps of logs, and Jepsen's workloads.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use linpoint_formats::{Mapping, Workload, WorkloadChoice};

use crate::error::CommandError;
use crate::inputs::reason;
use crate::map_file;

/// What an input means.
#[derive(Args, Clone, Debug, Default)]
pub struct MeaningArgs {
    /// What the fields of a log mean: process=client,start=t0_ns,end=t1_ns
    ///
    /// For JSON lines, CSV and TSV of other programs; docs/mapping.md describes the entries. Several maps are joined.
    #[arg(long, value_name = "MAP")]
    pub map: Vec<String>,

    /// The same in a TOML file
    #[arg(long, value_name = "FILE")]
    pub map_file: Option<PathBuf>,

    /// The field that names the object of an operation; short for --map object=FIELD
    ///
    /// If the model has several components (kv+counter), an object with the name of a component belongs to it.
    #[arg(long, value_name = "FIELD")]
    pub object_field: Option<String>,

    /// Jepsen's workload: its checker answers too, beside the verdict [default: recognised without --model]
    ///
    /// One of counter, set, set-full, total-queue, unique-ids, long-fork, bank, comments; or none. Options follow a
    /// colon: set-full:linearizable, bank:total=100. docs/jepsen.md describes them.
    #[arg(long, value_name = "NAME", value_parser = workload)]
    pub workload: Option<WorkloadChoice>,
}

fn workload(text: &str) -> Result<WorkloadChoice, String> {
    match text {
        "none" => Ok(WorkloadChoice::Off),
        _ => Workload::parse(text).map(WorkloadChoice::Is).map_err(|error| error.to_string()),
    }
}

impl MeaningArgs {
    /// The map, if there is one.
    pub fn mapping(&self) -> Result<Option<Mapping>, CommandError> {
        let mut map = self.map_file.as_deref().map(read_file).transpose()?;
        for text in &self.map {
            let bad = |error| CommandError::Usage(format!("--map: {error}"));
            map.get_or_insert_default().extend(text).map_err(bad)?;
        }
        if let Some(field) = &self.object_field {
            let bad = |error| CommandError::Usage(format!("--object-field: {error}"));
            map.get_or_insert_default().set("object", field).map_err(bad)?;
        }
        Ok(map)
    }

    /// The workload.
    pub fn workload(&self) -> WorkloadChoice {
        self.workload.unwrap_or_default()
    }
}

fn read_file(path: &Path) -> Result<Mapping, CommandError> {
    let bad = |why: &dyn std::fmt::Display| {
        CommandError::Usage(format!("{}: {}", path.display(), why.to_string().trim_end()))
    };
    let text = fs::read_to_string(path).map_err(|error| bad(&reason(&error)))?;
    let written: map_file::WrittenMap = basic_toml::from_str(&text).map_err(|error| bad(&error))?;
    written.mapping().map_err(|error| bad(&error))
}
