//! Clock readings as order keys: turns the reading of any clock into a `u64` that sorts the same
//! way, or refuses it.

use std::time::Duration;

/// A clock reading.
pub trait Timestamp: Copy {
    /// A key that sorts in the order of time.
    fn key(self) -> Result<u64, TimeError>;
}

/// Why a clock reading is not a point in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TimeError {
    /// Not a number.
    NaN,
    /// Negative.
    Negative,
    /// Infinite.
    Infinite,
}

impl std::fmt::Display for TimeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            TimeError::NaN => "not a number",
            TimeError::Negative => "negative",
            TimeError::Infinite => "infinite",
        })
    }
}

impl Timestamp for u64 {
    fn key(self) -> Result<u64, TimeError> {
        Ok(self)
    }
}

impl Timestamp for u32 {
    fn key(self) -> Result<u64, TimeError> {
        Ok(self.into())
    }
}

impl Timestamp for i64 {
    fn key(self) -> Result<u64, TimeError> {
        u64::try_from(self).map_err(|_| TimeError::Negative)
    }
}

impl Timestamp for i32 {
    fn key(self) -> Result<u64, TimeError> {
        i64::from(self).key()
    }
}

impl Timestamp for f64 {
    fn key(self) -> Result<u64, TimeError> {
        if self.is_nan() {
            Err(TimeError::NaN)
        } else if self < 0.0 {
            Err(TimeError::Negative)
        } else if self.is_infinite() {
            Err(TimeError::Infinite)
        } else {
            // Non-negative floats sort like their bits; adding 0.0 turns -0.0 into 0.0.
            Ok((self + 0.0).to_bits())
        }
    }
}

impl Timestamp for Duration {
    fn key(self) -> Result<u64, TimeError> {
        u64::try_from(self.as_nanos()).map_err(|_| TimeError::Infinite)
    }
}
