//! To be built.

use super::columns::Columns;
use super::container::Elements;
use super::{Clock, Found, Refusal};

/// Decides the rows.
pub(crate) fn decide(_c: &Columns, _e: &Elements, _clock: &mut Clock) -> Result<Found, Refusal> {
    Err(Refusal::new("not built yet"))
}
