//! To be built.

use super::{Clock, Found, Refusal, Rows};

/// Decides the rows.
pub(crate) fn decide<O, R>(
    _rows: &Rows<'_, O, R>,
    _initial: u64,
    _clock: &mut Clock,
) -> Result<Found, Refusal> {
    Err(Refusal::new("not built yet"))
}
