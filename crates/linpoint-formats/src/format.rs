//! The formats, and their detection.

use linpoint::wire::Part;

use crate::mapping::{self, Mapping};
use crate::model::ModelName;
use crate::raw::RawBuilder;
use crate::workload::WorkloadChoice;
use crate::{RawHistory, ReadError, Source, Value};
use crate::{edn, etcd, fastlin, jepsen_json, jepsen_log, jsonl, limo, snapshot, violat};

/// A format of histories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// linpoint's own JSON lines.
    Jsonl,
    /// Histories of Jepsen and Knossos in EDN.
    Edn,
    /// The operations in a Jepsen log.
    JepsenLog,
    /// Porcupine's logs of a key-value store.
    Porcupine,
    /// The text of fastlin and PolyLin.
    Fastlin,
    /// The text of FPTLin.
    Fptlin,
    /// LiMo's events.
    Limo,
    /// The snapshot histories of DISC 2022.
    Snapshot,
    /// Violat's histories of Java classes.
    Violat,
    /// Jepsen's events in JSON.
    JepsenJson,
    /// JSON of other programs, with a map.
    Json,
    /// Tables with commas, with a map.
    Csv,
    /// Tables with tabs, with a map.
    Tsv,
    /// Reports of etcd's robustness tests.
    Etcd,
}

/// The description of a format.
struct About {
    name: &'static str,
    about: &'static str,
    sample: &'static str,
}

impl Format {
    /// All formats, in the order in which they are listed.
    pub const ALL: &'static [Format] = &[
        Format::Jsonl,
        Format::Edn,
        Format::JepsenLog,
        Format::Porcupine,
        Format::Fastlin,
        Format::Fptlin,
        Format::Limo,
        Format::Snapshot,
        Format::Violat,
        Format::JepsenJson,
        Format::Json,
        Format::Csv,
        Format::Tsv,
        Format::Etcd,
    ];

    fn description(self) -> About {
        let (name, about, sample) = match self {
            Format::Jsonl => (
                "jsonl",
                "linpoint's own JSON lines: a header, then events or operations",
                "{\"linpoint\":1,\"model\":\"register\"}",
            ),
            Format::Edn => (
                "edn",
                "Jepsen and Knossos in EDN: maps in a vector, a list, or one after the other",
                "[{:process 0, :type :invoke, :f :read, :value nil}",
            ),
            Format::JepsenLog => (
                "jepsen-log",
                "lines of a Jepsen log: a compare-and-set register",
                "INFO  jepsen.util - 0 :invoke :read nil",
            ),
            Format::Porcupine => (
                "porcupine",
                "Porcupine's logs of a key-value store",
                "{:process 0, :type :invoke, :f :get, :key \"0\", :value nil}",
            ),
            Format::Fastlin => (
                "fastlin",
                "text of fastlin and PolyLin: type, then method, values, start, end",
                "# queue",
            ),
            Format::Fptlin => (
                "fptlin",
                "text of FPTLin: type, then process, start, end, method, values",
                "# stack",
            ),
            Format::Limo => (
                "limo",
                "LiMo's .hist: calls and returns of a queue or stack",
                "# @object atomic-queue",
            ),
            Format::Snapshot => (
                "snapshot",
                "snapshot histories of the DISC 2022 data: updates and scans",
                "startScan!4;startUpdate!0,0;",
            ),
            Format::Violat => (
                "violat",
                "Violat's JSON: histories of Java classes, one or several to a file",
                "{\"schema\":{\"id\":1,\"class\":",
            ),
            Format::JepsenJson => (
                "jepsen-json",
                "Jepsen's events in JSON: objects in a list, or one after the other",
                "[{\"type\":\"invoke\",\"f\":\"read\",\"process\":0,",
            ),
            Format::Json => (
                "json",
                "JSON lines of any program, with a map of their fields (--map); read only",
                "{\"client\":3,\"op\":\"incr\",\"t0_ns\":17,",
            ),
            Format::Csv => (
                "csv",
                "a table with commas, with a map of its columns (--map); read only",
                "client,op,key,t0,t1,result",
            ),
            Format::Tsv => (
                "tsv",
                "a table with tabs, with a map of its columns (--map); read only",
                "client\\top\\tkey\\tt0\\tt1\\tresult",
            ),
            Format::Etcd => (
                "etcd",
                "reports of etcd's robustness tests: a folder, or one of its files",
                "{\"ClientId\":9,\"Input\":{\"Type\":\"range\",",
            ),
        };
        About { name, about, sample }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// A one-line description.
    pub fn about(self) -> &'static str {
        self.description().about
    }

    /// True if it is the log of another program, which is read with a map and never recognised without one.
    pub fn needs_map(self) -> bool {
        matches!(self, Format::Json | Format::Csv | Format::Tsv)
    }

    /// The beginning of an input in this format.
    pub fn sample(self) -> &'static str {
        self.description().sample
    }

    /// The format of an input, by its contents. An empty input is an empty history in any format.
    pub fn detect(source: &Source) -> Result<Format, ReadError> {
        let text = source.text();
        if let Some(format) = fastlin::recognises(text) {
            return Ok(format);
        }
        let known = [
            (Format::Violat, violat::recognises(text)),
            (Format::JepsenJson, jepsen_json::recognises(text)),
            (Format::Etcd, etcd::recognises(text)),
            (Format::Jsonl, text.trim_ascii().is_empty() || jsonl::recognises(text)),
            (Format::Porcupine, edn::recognises_porcupine(text)),
            (Format::Edn, edn::recognises(text)),
            (Format::JepsenLog, jepsen_log::recognises(text)),
            (Format::Limo, limo::recognises(text)),
            (Format::Snapshot, snapshot::recognises(text)),
        ];
        if let Some((format, _)) = known.into_iter().find(|(_, recognised)| *recognised) {
            return Ok(format);
        }
        let message = match source.bytes() {
            // UTF-16 with a byte order mark, or text in which every second byte is zero.
            [0xff, 0xfe, ..]
            | [0xfe, 0xff, ..]
            | [0, 1..=255, 0, 1..=255, ..]
            | [1..=255, 0, 1..=255, 0, ..] => "the file is in UTF-16; it must be in UTF-8",
            _ => "linpoint does not know this format",
        };
        Err(ReadError::new(source, message)
            .at(source, 1, 1)
            .help("`linpoint formats` lists what can be read, --format names one; for the log of another program, --map says what its fields mean (docs/mapping.md)"))
    }

    /// Reads the histories of an input in this format; most formats have one per file. `model` is
    /// the model given by the user; some formats then need no header.
    pub fn read(
        self,
        source: &Source,
        model: Option<&ModelName>,
    ) -> Vec<Result<RawHistory, ReadError>> {
        self.read_as(source, model, WorkloadChoice::Recognise, false)
    }

    /// The same. For Jepsen's formats, `workload` says which workload it is.
    pub(crate) fn read_as(
        self,
        source: &Source,
        model: Option<&ModelName>,
        workload: WorkloadChoice,
        keep_details: bool,
    ) -> Vec<Result<RawHistory, ReadError>> {
        if source.text().trim_ascii().is_empty() {
            return vec![Ok(RawBuilder::new().finish(self))];
        }
        if matches!(workload, WorkloadChoice::Is(_))
            && !matches!(self, Format::Edn | Format::JepsenJson)
        {
            let message = format!("the format {} has no workloads", self.name());
            let error = ReadError::new(source, message);
            return vec![Err(
                error.help("--workload is for histories of Jepsen's: edn, jepsen-json")
            )];
        }
        vec![match self {
            Format::Violat => return violat::read(source),
            Format::Jsonl => jsonl::read(source),
            Format::Edn => edn::read(source, model, workload, keep_details),
            Format::JepsenJson => jepsen_json::read(source, model, workload, keep_details),
            Format::Json | Format::Csv | Format::Tsv => {
                mapping::read(source, Some(self), &Mapping::default())
            }
            Format::Porcupine => edn::read_porcupine(source),
            Format::JepsenLog => jepsen_log::read(source),
            Format::Fastlin | Format::Fptlin => fastlin::read(self, source, model),
            Format::Limo => limo::read(source, model),
            Format::Snapshot => snapshot::read(source),
            Format::Etcd => etcd::read(source),
        }]
    }

    /// The model of this name with the options that this format implies, if any.
    pub fn implied_model(self, name: &str) -> Option<ModelName> {
        let text = match (self, name) {
            (Format::Fastlin | Format::Fptlin, name) => fastlin::model_of(name)?,
            (Format::Porcupine, "kv") => "kv:initial=\"\"",
            (Format::Snapshot, "snapshot") => "snapshot:initial=0",
            (Format::Etcd, "etcd") => "etcd",
            _ => {
                let (key, value) = self.defaults(name)?;
                let options = vec![(key.to_owned(), value)];
                return Some(ModelName { name: name.to_owned(), options });
            }
        };
        ModelName::parse(text).ok()
    }

    /// Default options of a model in this format.
    pub(crate) fn defaults(self, model: &str) -> Option<(&'static str, Value)> {
        match (self, model) {
            // As in the tests of Knossos.
            (Format::Edn | Format::JepsenJson, "register" | "cas-register") => {
                Some(("initial", Value::Int(0)))
            }
            (Format::Edn | Format::JepsenJson, "multi-register") => {
                Some(("default", Value::Int(0)))
            }
            _ => None,
        }
    }

    /// The column (from 1) of a part of an operation on a line.
    pub(crate) fn locate(self, line: &[u8], part: Part) -> Option<usize> {
        match self {
            Format::Jsonl => jsonl::key_at(line, key_of(part)),
            Format::Fastlin | Format::Fptlin => fastlin::locate(self, line, part),
            Format::Limo => limo::locate(line, part),
            Format::Edn | Format::Porcupine => edn::locate(line, part),
            Format::JepsenLog => jepsen_log::locate(line, part),
            Format::JepsenJson => jepsen_json::locate(line, part),
            Format::Snapshot
            | Format::Violat
            | Format::Etcd
            | Format::Json
            | Format::Csv
            | Format::Tsv => None,
        }
    }
}

/// The key of a part in JSON lines.
fn key_of(part: Part) -> &'static str {
    match part {
        Part::Name => "op",
        Part::Args => "args",
        Part::Result => "value",
    }
}
