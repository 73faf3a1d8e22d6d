//! Reads concurrent histories from files and joins them to linpoint's bundled specifications.
//!
//! A [`Source`] is read into a [`RawHistory`] (operations are names and [`Value`]s), one module for
//! each format. The [`registry`] turns that into a [`LoadedHistory`]: a history of one of the
//! bundled models, ready to be checked, behind an interface without type parameters.
//!
//! In the other direction, a [`write::Writer`] writes a history in a format, and [`convert()`]
//! verifies that what was written means the same. [`shrink()`] makes a history smaller, and [`stats`]
//! reports what one can reveal.

mod blocks;
mod convert;
mod edn;
mod error;
pub mod etcd;
mod fastlin;
mod format;
pub mod java;
mod jepsen;
mod jepsen_json;
mod jepsen_log;
pub mod jsonl;
mod limo;
pub mod live;
pub mod mapping;
mod model;
pub mod raw;
pub mod registry;
mod shrink;
mod snapshot;
mod source;
pub mod stats;
mod stream;
mod suggest;
mod unpack;
mod value;
mod violat;
mod words;
pub mod workload;
pub mod write;

pub use convert::{Converted, convert};
pub use error::{JavaError, RawError, ReadError};
pub use format::Format;
pub use linpoint::wire::{ModelInfo, Thin, Value};
pub use mapping::Mapping;
pub use model::{Component, ModelName, ModelNameError};
pub use raw::RawHistory;
pub use registry::{LoadedHistory, Settings};
pub use shrink::{Shrunk, shrink};
pub use source::Source;
pub use suggest::did_you_mean;
pub use value::to_json;
pub use workload::{JepsenAnswer, Workload, WorkloadChoice};
