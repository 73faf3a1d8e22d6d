//! Results that were read lately.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::Value;

/// Number of results that are remembered at most, each at a place that its value determines.
const PLACES: usize = 1 << 10;
/// Long lists have fewer places: this many values in all.
const VALUES: usize = 1 << 16;
/// Lists with longer texts are not remembered.
const LONGEST: usize = 64;

/// Remembers results that are lists, so that equal ones are stored once. Between two updates of a snapshot, all
/// scans see the same, and files have them close to each other. Takes a few megabytes at most, even in a stream that
/// never ends.
pub(super) struct Recent<R> {
    /// What was read.
    values: Vec<Option<Value>>,
    /// What it means, at the same places.
    rets: Vec<Option<R>>,
}

impl<R> Default for Recent<R> {
    fn default() -> Self {
        Recent { values: Vec::new(), rets: Vec::new() }
    }
}

impl<R: Clone> Recent<R> {
    /// The result that `value` stands for: a remembered one, or else what `read` makes of it.
    pub(super) fn read<E>(
        &mut self,
        value: &Value,
        read: impl FnOnce(&Value) -> Result<R, E>,
    ) -> Result<R, E> {
        let Some(at) = place(value) else { return read(value) };
        if at < self.rets.len()
            && let Some(ret) = &self.rets[at]
            && self.values[at].as_ref() == Some(value)
        {
            return Ok(ret.clone());
        }
        let ret = read(value)?;
        while self.rets.len() <= at {
            self.rets.push(None);
        }
        self.rets[at] = Some(ret.clone());
        remember(&mut self.values, at, value);
        Ok(ret)
    }
}

fn remember(values: &mut Vec<Option<Value>>, at: usize, value: &Value) {
    if values.len() <= at {
        values.resize(at + 1, None);
    }
    values[at] = Some(value.clone());
}

fn place(value: &Value) -> Option<usize> {
    let Value::List(values) = value else { return None };
    let places = PLACES.min(VALUES / values.len().max(1));
    if places == 0 || !values.iter().all(is_small) {
        return None;
    }
    let mut hasher = FxHasher::default();
    values.hash(&mut hasher);
    Some(hasher.finish() as usize % places)
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::Nil | Value::Bool(_) | Value::Int(_) => true,
        Value::Str(text) => text.len() <= LONGEST,
        Value::List(_) => false,
        Value::Map(_) => value.is_unknown(),
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn equal_results_are_shared_and_different_ones_are_not_mixed_up() {
        let mut recent: Recent<Rc<Value>> = Recent::default();
        let mut read =
            |list: &Value| recent.read(list, |value| Ok::<_, ()>(Rc::new(value.clone()))).unwrap();
        let items = [Value::Int(0), Value::Int(1), Value::Nil, Value::unknown(), Value::str("1")];
        let lists: Vec<Value> = (0..items.len().pow(4))
            .map(|n| (0..n % 5).map(|i| items[n / 5_usize.pow(i as u32) % 5].clone()).collect())
            .map(Value::List)
            .collect();
        // Twice, so that places are used by one list after the other.
        for list in lists.iter().chain(&lists) {
            assert_eq!(*read(list), *list);
            assert!(Rc::ptr_eq(&read(list), &read(list)), "shared");
        }
    }

    #[test]
    fn large_results_are_not_kept() {
        let mut recent: Recent<Value> = Recent::default();
        for list in [
            vec![Value::Int(1); VALUES + 1],
            vec![Value::str(&"x".repeat(LONGEST + 1))],
            vec![Value::List(vec![Value::Int(1)].into())],
        ] {
            let list = Value::List(list.into());
            assert_eq!(recent.read(&list, |value| Ok::<_, ()>(value.clone())), Ok(list));
        }
        assert!(recent.values.is_empty());
    }
}
