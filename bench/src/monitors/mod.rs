//! The specialised monitors on large linearizable histories of distinct values.

mod objects;
mod shape;
mod text;
pub mod write;
