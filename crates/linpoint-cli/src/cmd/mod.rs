//! The commands, one file each.

pub mod check;
pub mod formats;
pub mod models;
