//! The bundled specifications, one file each.
//!
//! Each file opens with what the object is, what its operations return, and what a *pending*
//! operation (one that never returned) may have done.

mod refute;
mod register;

pub use register::{Register, RegisterOp, RegisterRet};

use std::fmt::Debug;
use std::hash::Hash;

/// What can be stored in a bundled object.
pub trait Value: Clone + Eq + Hash + Debug + Send + Sync {}
impl<T: Clone + Eq + Hash + Debug + Send + Sync> Value for T {}

/// The successors of a deterministic step: `step` is the result and the state that follows, or
/// `None` where the operation is not enabled.
fn deterministic<R: PartialEq, S>(step: Option<(R, S)>, ret: Option<&R>, next: &mut Vec<S>) {
    if let Some((got, after)) = step
        && ret.is_none_or(|ret| *ret == got)
    {
        next.push(after);
    }
}
