//! Queues and deques that hold their elements in a line.
//!
//! They differ in how they treat null and a capacity, and in whether `addAll` adds anything before
//! it throws.

use std::collections::VecDeque;

use super::answer::{Outcome, Thrown, array, collection, maybe, present, shown, void};
use super::call::{Arg, Call, MaybeNull};
use super::class::Class;
use super::item::Item;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Linear {
    class: Class,
    capacity: i32,
    items: VecDeque<Item>,
}

use Arg::Item as One;

impl Linear {
    pub(super) fn new(class: Class, capacity: i32) -> Linear {
        Linear { class, capacity, items: VecDeque::new() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<Item>()
    }

    fn room(&self) -> i32 {
        match self.class {
            // Transfer queues have no capacity.
            Class::LinkedTransferQueue => i32::MAX,
            _ => self.capacity.saturating_sub(i32::try_from(self.items.len()).unwrap_or(i32::MAX)),
        }
    }

    /// False if the call has to wait.
    pub(super) fn enabled(&self, call: &Call) -> bool {
        match (call.name(), &call.args[..]) {
            ("put" | "putFirst" | "putLast", [One(item)]) => item.is_none() || self.room() > 0,
            ("take" | "takeFirst" | "takeLast", []) => !self.items.is_empty(),
            _ => true,
        }
    }

    pub(super) fn call(&mut self, call: &Call) -> Outcome {
        match (call.name(), &call.args[..]) {
            ("add", [One(item)]) => self.push_or_throw(item, false).and_then(|()| shown(true)),
            ("addLast" | "put" | "putLast", [One(item)]) => {
                self.push_or_throw(item, false).and_then(|()| void())
            }
            ("addFirst" | "push" | "putFirst", [One(item)]) => {
                self.push_or_throw(item, true).and_then(|()| void())
            }
            ("offer" | "offerLast", [One(item)]) => shown(self.push(item, false)?),
            ("offerFirst", [One(item)]) => shown(self.push(item, true)?),
            ("poll" | "pollFirst", []) => maybe(self.items.pop_front()),
            ("pollLast", []) => maybe(self.items.pop_back()),
            ("peek" | "peekFirst", []) => maybe(self.items.front()),
            ("peekLast", []) => maybe(self.items.back()),
            ("element" | "getFirst", []) => present(self.items.front()),
            ("getLast", []) => present(self.items.back()),
            ("remove" | "removeFirst" | "pop" | "take" | "takeFirst", []) => {
                present(self.items.pop_front())
            }
            ("removeLast" | "takeLast", []) => present(self.items.pop_back()),
            ("remove" | "removeFirstOccurrence", [One(item)]) => {
                self.throw_on_null(item)?;
                let at = self.items.iter().position(|known| Some(known) == item.as_ref());
                shown(at.and_then(|at| self.items.remove(at)).is_some())
            }
            ("removeLastOccurrence", [One(item)]) => {
                self.throw_on_null(item)?;
                let at = self.items.iter().rposition(|known| Some(known) == item.as_ref());
                shown(at.and_then(|at| self.items.remove(at)).is_some())
            }
            ("contains", [One(item)]) => shown(self.contains(item)),
            ("tryTransfer", [One(item)]) => {
                item.as_ref().ok_or(Thrown::NullPointer).and_then(|_| shown(false))
            }
            ("hasWaitingConsumer", []) => shown(false),
            ("getWaitingConsumerCount", []) => shown(0),
            (_, [Arg::Items(items)]) => {
                self.bulk(call.name(), items.as_deref().ok_or(Thrown::NullPointer)?)
            }
            (name, _) => self.whole(name),
        }
    }

    fn whole(&mut self, name: &str) -> Outcome {
        match name {
            "clear" => {
                self.items.clear();
                void()
            }
            "size" => shown(self.items.len()),
            "isEmpty" => shown(self.items.is_empty()),
            "remainingCapacity" => shown(self.room()),
            "toArray" => array(self.items.iter()),
            // toString
            _ => collection(self.items.iter()),
        }
    }

    fn bulk(&mut self, name: &str, items: &[MaybeNull]) -> Outcome {
        match name {
            "addAll" => self.add_all(items),
            "containsAll" => shown(items.iter().all(|item| self.contains(item))),
            // removeAll, retainAll
            _ => {
                let before = self.items.len();
                let keep = name == "retainAll";
                self.items.retain(|item| items.iter().flatten().any(|x| x == item) == keep);
                shown(self.items.len() < before)
            }
        }
    }

    fn add_all(&mut self, items: &[MaybeNull]) -> Outcome {
        // These check the whole collection before they add anything.
        let looks_first = matches!(
            self.class,
            Class::ConcurrentLinkedQueue
                | Class::ConcurrentLinkedDeque
                | Class::LinkedBlockingDeque
        );
        if looks_first && items.iter().any(Option::is_none) {
            return Err(Thrown::NullPointer);
        }
        for item in items {
            self.push_or_throw(item, false)?;
        }
        shown(!items.is_empty())
    }

    fn contains(&self, item: &MaybeNull) -> bool {
        item.as_ref().is_some_and(|item| self.items.contains(item))
    }

    /// Only this class checks.
    fn throw_on_null(&self, item: &MaybeNull) -> Result<(), Thrown> {
        match item {
            None if self.class == Class::ConcurrentLinkedDeque => Err(Thrown::NullPointer),
            _ => Ok(()),
        }
    }

    fn push(&mut self, item: &MaybeNull, at_front: bool) -> Result<bool, Thrown> {
        let item = item.clone().ok_or(Thrown::NullPointer)?;
        if self.room() <= 0 {
            return Ok(false);
        }
        if at_front {
            self.items.push_front(item);
        } else {
            self.items.push_back(item);
        }
        Ok(true)
    }

    fn push_or_throw(&mut self, item: &MaybeNull, at_front: bool) -> Result<(), Thrown> {
        if self.push(item, at_front)? { Ok(()) } else { Err(Thrown::IllegalState) }
    }
}
