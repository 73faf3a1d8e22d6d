//! Specifications that bring a monitor of their own.

use super::PartView;
use crate::monitor::{Answer, Refusal};

/// A monitor that belongs to one specification, for an object of which no [`Shape`](super::Shape) says enough: etcd
/// numbers its writes, and says in each answer at which number it was given.
///
/// It is asked like the monitors of [shapes](super::Shaped): first about the whole history, then about its parts. It
/// may refuse, and then the search decides.
///
/// CLAIM: what [`Answer::Violation`] names contradicts the specification whatever the other operations did, at any
/// time, with any result, or not at all. Orders are validated and need no claim.
pub trait Decides<O, R>: Sync {
    /// Its name: `etcd-monitor`.
    fn name(&self) -> &'static str;

    /// Decides the operations of a part. `work` counts units of a few nanoseconds each, and is the limit of a monitor
    /// that can take long.
    ///
    /// # Errors
    ///
    /// Why it does not decide them, or the limit that `work` ran into.
    fn decide(&self, part: &PartView<'_, O, R>, work: Work<'_>) -> Result<Answer, Refusal>;
}

/// Counts the work of a monitor. An error is a limit that was hit.
pub type Work<'w> = &'w mut dyn FnMut(usize) -> Result<(), Refusal>;
