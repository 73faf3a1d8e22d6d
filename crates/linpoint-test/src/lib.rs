//! Tests concurrent Rust code for linearizability.
//!
//! A test names the object, its specification, how operations are drawn and how they are performed.
//!
//! # Rooms
//!
//! | module | what it is |
//! | --- | --- |
//! | [`definition`] | what is tested, independent of how it is scheduled |
//! | [`scenario`] | what every thread will do |
//! | [`execution`] | executing a scenario, and what comes out of it |
//! | [`judge`] | what is wrong with an execution |
//! | [`record`] | recording what a program does, on its own or as part of a test |

pub mod definition;
pub mod execution;
pub mod judge;
pub mod profile;
pub mod record;
pub mod replay;
pub mod report;
pub mod rng;
pub mod scenario;
pub mod shrink;
pub mod stress;

pub use definition::Test;
pub use linpoint::spec::models;
pub use linpoint::{Sequential, Spec};
pub use report::FailureReport;
pub use rng::Rng;
pub use stress::{Noise, Placement, Stress, Summary};
