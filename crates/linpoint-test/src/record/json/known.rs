//! Finds out whether a specification, of a type that is not known here, is a bundled model of common values.

use std::any::Any;
use std::io::{self, Write};

use linpoint::spec::models::{
    Bag, CasRegister, Counter, Deque, KeyValue, PriorityQueue, Queue, Register, Semaphore, Set,
    Stack,
};
use linpoint::{History, Spec};

use super::JsonModel;

/// Writes the history if the specification is a `M`.
fn write_as<M: JsonModel + 'static>(
    out: &mut dyn Write,
    spec: &dyn Any,
    history: &dyn Any,
    note: &str,
) -> Option<io::Result<()>> {
    let model: &M = spec.downcast_ref()?;
    let history: &History<M::Op, M::Ret> = history.downcast_ref()?;
    Some(super::write(out, model, history, note))
}

/// Writes the history if the specification is a bundled model of numbers or texts.
pub(super) fn write<S: Spec + 'static>(
    out: &mut dyn Write,
    spec: &S,
    history: &History<S::Op, S::Ret>,
    note: &str,
) -> Option<io::Result<()>> {
    let (spec, history): (&dyn Any, &dyn Any) = (spec, history);
    macro_rules! try_models {
        ($($model:ty),* $(,)?) => {$(
            if let Some(written) = write_as::<$model>(out, spec, history, note) {
                return Some(written);
            }
        )*};
    }
    macro_rules! of_values {
        ($($value:ty),*) => {$(
            try_models!(
                Queue<$value>, Stack<$value>, Deque<$value>, Bag<$value>, Set<$value>,
                PriorityQueue<$value>, Register<$value>, CasRegister<$value>,
                KeyValue<$value, $value>,
            );
        )*};
    }
    try_models!(Counter, Semaphore);
    of_values!(u8, u16, u32, u64, usize, i32, i64, String);
    try_models!(KeyValue<String, u64>, KeyValue<String, i64>, KeyValue<u32, u64>, KeyValue<u64, String>);
    None
}
