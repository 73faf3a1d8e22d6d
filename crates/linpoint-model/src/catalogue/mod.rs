//! Published algorithms, correct and broken, with the steps of their pseudo-code; by type and by name.
//!
//! [`rows`] lists the expected verdicts.

mod afek;
mod attiya_welch;
mod bowman;
mod elimination;
mod entries;
mod handshake;
mod harris;
mod herlihy_wing;
mod interfaces;
mod jayanti;
mod laarman;
mod llsc;
mod locked_list;
mod michael_scott;
mod riany;
pub mod rows;
mod segments;
mod shann;
mod skip_list;
mod snark;
pub mod specs;
mod timestamped;
mod treiber;

pub use afek::Afek;
pub use attiya_welch::AttiyaWelch;
pub use bowman::Bowman;
pub use elimination::Elimination;
pub use entries::{Asked, Entry, Explorable, FindError, entries, find};
pub use harris::HarrisMichael;
pub use herlihy_wing::HerlihyWing;
pub use jayanti::Jayanti;
pub use laarman::Laarman;
pub use locked_list::LockedList;
pub use michael_scott::MichaelScott;
pub use riany::Riany;
pub use shann::ArrayQueue;
pub use skip_list::SkipList;
pub use snark::Snark;
pub use timestamped::TimeStamped;
pub use treiber::Treiber;
