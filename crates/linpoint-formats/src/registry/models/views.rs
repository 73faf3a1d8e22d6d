//! What scans of a snapshot object saw, shared.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use linpoint::spec::models::View;
use rustc_hash::FxHasher;

use crate::Value;

/// So many views are remembered at most, each in a place that its values determine.
const PLACES: usize = 1 << 10;
/// Views of many values have fewer places: so many values are in those that all can use.
const VALUES: usize = 1 << 16;
/// Longer texts are not remembered.
const LONGEST: usize = 64;

/// Views that were read lately. Between two updates all scans see the same, and files have them close to each
/// other: most views need not be stored again. What is remembered here takes some megabytes at most, also in a
/// stream that never ends.
#[derive(Default)]
pub(super) struct Views {
    recent: RefCell<Vec<Option<View<Value>>>>,
}

impl Views {
    /// The view of these values. Those that are unknown are left open.
    pub(super) fn of(&self, values: &[Value]) -> View<Value> {
        let places = PLACES.min(VALUES / values.len().max(1));
        if places == 0 || !values.iter().all(is_small) {
            return values.iter().map(known).collect();
        }
        let mut hasher = FxHasher::default();
        values.hash(&mut hasher);
        let mut recent = self.recent.borrow_mut();
        recent.resize(PLACES, None);
        let place = &mut recent[hasher.finish() as usize % places];
        match place {
            Some(view) if is_of(view, values) => view.clone(),
            _ => place.insert(values.iter().map(known).collect()).clone(),
        }
    }
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::Nil | Value::Bool(_) | Value::Int(_) => true,
        Value::Str(text) => text.len() <= LONGEST,
        Value::List(_) => false,
        Value::Map(_) => value.is_unknown(),
    }
}

fn known(value: &Value) -> Option<Value> {
    (!value.is_unknown()).then(|| value.clone())
}

fn is_of(view: &View<Value>, values: &[Value]) -> bool {
    let same = |(seen, value): (&Option<Value>, &Value)| match seen {
        Some(seen) => seen == value,
        None => value.is_unknown(),
    };
    view.len() == values.len() && view.iter().zip(values).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_those_of_their_values() {
        let views = Views::default();
        let items = [Value::Int(0), Value::Int(1), Value::Nil, Value::unknown(), Value::str("1")];
        let lists: Vec<Vec<Value>> = (0..items.len().pow(4))
            .map(|n| (0..n % 5).map(|i| items[n / 5_usize.pow(i as u32) % 5].clone()).collect())
            .collect();
        // Twice, so that places are used by one list after the other.
        for list in lists.iter().chain(&lists) {
            let expected: Vec<Option<Value>> = list.iter().map(known).collect();
            assert_eq!(*views.of(list), expected[..]);
            assert!(std::ptr::eq(&*views.of(list), &*views.of(list)), "shared");
        }
    }

    #[test]
    fn what_is_large_is_not_kept() {
        let views = Views::default();
        for list in [
            vec![Value::Int(1); VALUES + 1],
            vec![Value::str(&"x".repeat(LONGEST + 1))],
            vec![Value::List(vec![Value::Int(1)].into())],
        ] {
            let expected: Vec<Option<Value>> = list.iter().map(known).collect();
            assert_eq!(*views.of(&list), expected[..]);
        }
        assert!(views.recent.borrow().iter().all(Option::is_none));
    }
}
