//! One vocabulary for each model. The list [`for_each_model!`](crate::for_each_model) names them
//! all. Tests of models iterate over it, so that a model added here is tested everywhere.
//!
//! To add a model: write a function that returns its [`Vocabulary`], and add its name to the list.
//! The words before the call of [`Vocabulary::exhaustive_so_far`] should make at most about eight
//! pairs of operation and result; the cost of exhaustive tests grows with the fourth power.
//! Operations that add a value are added with [`Vocabulary::once`]. Give each operation one or two
//! results that are always wrong: values that are never written, the result of another operation.

mod containers;
mod locks;
mod own;
mod registers;

pub use containers::*;
pub use locks::*;
pub use own::*;
pub use registers::*;

use crate::erased::Erased;
use crate::vocabulary::Vocabulary;

/// Calls the macro `$each` with the names of all models' functions in this module: one call,
/// `$each! { register cas_register … }`.
#[macro_export]
macro_rules! for_each_model {
    ($each:ident) => {
        $each! {
            register
            cas_register
            multi_register
            key_value
            key_value_full
            counter
            rmw
            snapshot
            bank
            set
            map
            bag
            stack
            queue
            bounded_queue
            bounded_channel
            deque
            bounded_deque
            priority_queue_max
            priority_queue_min
            mutex
            owned_mutex
            semaphore
            lossy_register
            pool
            die
            short_list
            slot
            cells
            mailbox
        }
    };
}

macro_rules! erase_each {
    ($($model:ident)*) => { &[$(|| $model().erase()),*] };
}

/// Functions that make the vocabularies of all models.
pub const MODELS: &[fn() -> Vocabulary<Erased>] = for_each_model!(erase_each);

/// The vocabularies of all models.
pub fn all() -> impl Iterator<Item = Vocabulary<Erased>> {
    MODELS.iter().map(|model| model())
}
