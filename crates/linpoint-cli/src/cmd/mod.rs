//! The commands, one file each.

pub mod check;
pub mod convert;
pub mod formats;
pub mod generate;
pub mod models;
mod pages;
mod results;
pub mod shrink;
pub mod stats;
mod words;
