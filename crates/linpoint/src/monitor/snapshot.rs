//! To be built.

use crate::spec::Name;

use super::{Clock, Found, Refusal, Rows};

/// Decides the rows.
pub(crate) fn decide<O, R>(
    _rows: &Rows<'_, O, R>,
    _segments: usize,
    _initial: Name,
    _clock: &mut Clock,
) -> Result<Found, Refusal> {
    Err(Refusal::new("not built yet"))
}
