//! Shared by several test files.

pub mod larger;
pub mod queues;

/// True in the long mode, which takes hours: `LINPOINT_LONG=1`.
pub fn is_long() -> bool {
    std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1")
}
