//! `ConcurrentSkipListSet` and `ConcurrentSkipListMap`: everything in ascending order.
//!
//! A set is a map whose values are its keys, nearly as in Java.

use std::ops::Range;

use super::answer::{Entry, Outcome, Thrown, array, collection, map, maybe, present, shown, void};
use super::call::{Arg, Call, MaybeNull};
use super::item::Item;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Sorted {
    is_set: bool,
    /// INVARIANT: ascending keys, all of one class.
    entries: Vec<(Item, Item)>,
}

use Arg::{Flag, Item as One};

/// The end of a range: a key, and whether it belongs to the range.
type End<'a> = Option<(&'a MaybeNull, bool)>;

impl Sorted {
    pub(super) fn set() -> Sorted {
        Sorted { is_set: true, entries: Vec::new() }
    }

    pub(super) fn map() -> Sorted {
        Sorted::default()
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(Item, Item)>()
    }

    pub(super) fn call(&mut self, call: &Call) -> Outcome {
        match (call.name(), &call.args[..]) {
            (name, [Arg::Items(items)]) => {
                self.bulk(name, items.as_deref().ok_or(Thrown::NullPointer)?)
            }
            (_, [Arg::Entries(entries)]) => {
                for (key, value) in entries.as_deref().ok_or(Thrown::NullPointer)? {
                    self.put(&Some(key.clone()), value)?;
                }
                void()
            }
            (name, []) | (name, [One(_), Flag(_)]) | (name, [One(_), Flag(_), One(_), Flag(_)]) => {
                self.whole(name, &call.args)
            }
            (name, args) if self.is_set => self.of_element(name, args),
            (name, args) => self.of_key(name, args),
        }
    }

    /// Methods of a set about an element.
    fn of_element(&mut self, name: &str, args: &[Arg]) -> Outcome {
        match (name, args) {
            ("add", [One(item)]) => shown(self.add(item)?),
            ("remove", [One(item)]) => shown(self.remove(item)?.is_some()),
            ("contains", [One(item)]) => shown(self.find(item)?.is_ok()),
            ("lower" | "floor" | "ceiling" | "higher", [One(item)]) => {
                maybe(self.near(name, item)?.map(|(key, _)| key))
            }
            _ => self.whole(name, args),
        }
    }

    /// Methods of a map about a key.
    fn of_key(&mut self, name: &str, args: &[Arg]) -> Outcome {
        match (name, args) {
            ("put", [One(key), One(value)]) => maybe(self.put(key, value)?),
            ("putIfAbsent", [One(key), One(value)]) => {
                not_null(value)?;
                match self.get(key)?.cloned() {
                    None => self.put(key, value).and_then(maybe),
                    old => maybe(old),
                }
            }
            ("get", [One(key)]) => maybe(self.get(key)?),
            ("getOrDefault", [One(key), One(value)]) => maybe(self.get(key)?.or(value.as_ref())),
            ("containsKey", [One(key)]) => shown(self.get(key)?.is_some()),
            ("containsValue", [One(value)]) => {
                let value = not_null(value)?;
                shown(self.entries.iter().any(|(_, known)| known == value))
            }
            ("remove", [One(key)]) => maybe(self.remove(key)?),
            ("remove", [One(key), One(value)]) => {
                not_null(key)?;
                let Some(value) = value else { return shown(false) };
                let fits = self.get(key)? == Some(value);
                shown(fits && self.remove(key)?.is_some())
            }
            ("replace", [One(key), One(value)]) => {
                not_null(value)?;
                match self.get(key)? {
                    Some(_) => maybe(self.put(key, value)?),
                    None => shown("null"),
                }
            }
            ("replace", [One(key), One(old), One(new)]) => {
                let (old, _) = (not_null(old)?, not_null(new)?);
                let fits = self.get(key)? == Some(old);
                shown(fits && self.put(key, new)?.is_some())
            }
            (_, [One(key)]) if name.ends_with("Key") => {
                maybe(self.near(name, key)?.map(|(key, _)| key))
            }
            (_, [One(key)]) if name.ends_with("Entry") => {
                maybe(self.near(name, key)?.map(|(key, value)| Entry(key, value)))
            }
            _ => self.whole(name, args),
        }
    }

    /// Methods about the ends, about ranges and about everything.
    fn whole(&mut self, name: &str, args: &[Arg]) -> Outcome {
        let last = self.entries.len().checked_sub(1);
        let entry = |(key, value)| Entry(key, value);
        match (name, args) {
            ("first" | "firstKey", _) => present(self.entries.first().map(|(key, _)| key)),
            ("last" | "lastKey", _) => present(self.entries.last().map(|(key, _)| key)),
            ("firstEntry", _) => maybe(self.entries.first().cloned().map(entry)),
            ("lastEntry", _) => maybe(self.entries.last().cloned().map(entry)),
            ("pollFirst", _) => maybe(last.map(|_| self.entries.remove(0).0)),
            ("pollLast", _) => maybe(self.entries.pop().map(|(key, _)| key)),
            ("pollFirstEntry", _) => maybe(last.map(|_| entry(self.entries.remove(0)))),
            ("pollLastEntry", _) => maybe(self.entries.pop().map(entry)),
            ("headSet" | "headMap", [One(to), rest @ ..]) => {
                self.range(None, Some((to, flag(rest).unwrap_or(false))))
            }
            ("tailSet" | "tailMap", [One(from), rest @ ..]) => {
                self.range(Some((from, flag(rest).unwrap_or(true))), None)
            }
            ("subSet" | "subMap", [One(from), One(to)]) => {
                self.range(Some((from, true)), Some((to, false)))
            }
            ("subSet" | "subMap", [One(from), Flag(with_from), One(to), Flag(with_to)]) => {
                self.range(Some((from, *with_from)), Some((to, *with_to)))
            }
            ("descendingSet" | "descendingKeySet", _) => {
                collection(self.entries.iter().rev().map(|(key, _)| key))
            }
            ("descendingMap", _) => map(self.entries.iter().rev().map(|(k, v)| (k, v))),
            ("keySet" | "navigableKeySet", _) => {
                collection(self.entries.iter().map(|(key, _)| key))
            }
            ("values", _) => collection(self.entries.iter().map(|(_, value)| value)),
            ("entrySet", _) => collection(self.entries.iter().map(|(k, v)| Entry(k, v))),
            ("clear", _) => {
                self.entries.clear();
                void()
            }
            ("size", _) => shown(self.entries.len()),
            ("isEmpty", _) => shown(self.entries.is_empty()),
            ("toArray", _) => array(self.entries.iter().map(|(key, _)| key)),
            // toString
            _ => self.view(0..self.entries.len()),
        }
    }

    fn view(&self, range: Range<usize>) -> Outcome {
        let entries = self.entries.get(range).unwrap_or_default();
        if self.is_set {
            collection(entries.iter().map(|(key, _)| key))
        } else {
            map(entries.iter().map(|(key, value)| (key, value)))
        }
    }

    fn bulk(&mut self, name: &str, items: &[MaybeNull]) -> Outcome {
        let mut changed = false;
        match name {
            "addAll" => {
                for item in items {
                    changed |= self.add(item)?;
                }
            }
            "containsAll" => {
                for item in items {
                    if self.find(item)?.is_err() {
                        return shown(false);
                    }
                }
                changed = true;
            }
            "removeAll" => {
                for item in items {
                    changed |= self.remove(item)?.is_some();
                }
            }
            // retainAll
            _ => {
                let before = self.entries.len();
                self.entries.retain(|(key, _)| items.iter().flatten().any(|item| item == key));
                changed = self.entries.len() < before;
            }
        }
        shown(changed)
    }

    /// Where the key is, or where it belongs.
    fn find(&self, key: &MaybeNull) -> Result<Result<usize, usize>, Thrown> {
        let key = not_null(key)?;
        if self.entries.first().is_some_and(|(first, _)| !key.is_comparable(first)) {
            return Err(Thrown::ClassCast);
        }
        Ok(self.entries.binary_search_by(|(known, _)| known.cmp(key)))
    }

    fn get(&self, key: &MaybeNull) -> Result<Option<&Item>, Thrown> {
        Ok(self.find(key)?.ok().map(|at| &self.entries[at].1))
    }

    fn put(&mut self, key: &MaybeNull, value: &MaybeNull) -> Result<Option<Item>, Thrown> {
        let value = not_null(value)?.clone();
        match self.find(key)? {
            Ok(at) => Ok(Some(std::mem::replace(&mut self.entries[at].1, value))),
            Err(at) => {
                self.entries.insert(at, (not_null(key)?.clone(), value));
                Ok(None)
            }
        }
    }

    fn add(&mut self, item: &MaybeNull) -> Result<bool, Thrown> {
        Ok(self.put(item, item)?.is_none())
    }

    fn remove(&mut self, key: &MaybeNull) -> Result<Option<Item>, Thrown> {
        Ok(self.find(key)?.ok().map(|at| self.entries.remove(at).1))
    }

    fn near(&self, name: &str, key: &MaybeNull) -> Result<Option<&(Item, Item)>, Thrown> {
        let found = self.find(key)?;
        let (Ok(at) | Err(at)) = found;
        let is_there = usize::from(found.is_ok());
        let at = match name.trim_end_matches("Key").trim_end_matches("Entry") {
            "lower" => at.checked_sub(1),
            "floor" => (at + is_there).checked_sub(1),
            "ceiling" => Some(at),
            // higher
            _ => Some(at + is_there),
        };
        Ok(at.and_then(|at| self.entries.get(at)))
    }

    fn range(&self, from: End<'_>, to: End<'_>) -> Outcome {
        for (key, _) in from.iter().chain(&to) {
            not_null(key)?;
        }
        if let (Some((Some(from), _)), Some((Some(to), _))) = (from, to) {
            if !from.is_comparable(to) {
                return Err(Thrown::ClassCast);
            }
            if from > to {
                return Err(Thrown::IllegalArgument);
            }
        }
        let begin = match from {
            None => 0,
            Some((key, inclusive)) => match self.find(key)? {
                Ok(at) => at + usize::from(!inclusive),
                Err(at) => at,
            },
        };
        let end = match to {
            None => self.entries.len(),
            Some((key, inclusive)) => match self.find(key)? {
                Ok(at) => at + usize::from(inclusive),
                Err(at) => at,
            },
        };
        self.view(begin..end.max(begin))
    }
}

fn not_null(item: &MaybeNull) -> Result<&Item, Thrown> {
    item.as_ref().ok_or(Thrown::NullPointer)
}

fn flag(args: &[Arg]) -> Option<bool> {
    match args {
        [Flag(flag)] => Some(*flag),
        _ => None,
    }
}
