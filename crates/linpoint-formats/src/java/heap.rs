//! `PriorityBlockingQueue`: the smallest element comes first, and everything else is in the order
//! of the array in which Java keeps its binary heap.

use super::answer::{Outcome, Thrown, array, collection, maybe, present, shown, void};
use super::call::{Arg, Call, MaybeNull};
use super::item::Item;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Heap {
    /// INVARIANT: no element is larger than its children at 2i + 1 and 2i + 2; all are of one
    /// class.
    items: Vec<Item>,
}

use Arg::Item as One;

impl Heap {
    pub(super) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<Item>()
    }

    /// False if the call has to wait.
    pub(super) fn enabled(&self, call: &Call) -> bool {
        call.name() != "take" || !self.items.is_empty()
    }

    pub(super) fn call(&mut self, call: &Call) -> Outcome {
        match (call.name(), &call.args[..]) {
            ("add" | "offer", [One(item)]) => self.push(item).and_then(|()| shown(true)),
            ("put", [One(item)]) => self.push(item).and_then(|()| void()),
            ("poll", []) => maybe(self.pop()),
            ("remove" | "take", []) => present(self.pop()),
            ("peek", []) => maybe(self.items.first()),
            ("element", []) => present(self.items.first()),
            ("contains", [One(item)]) => shown(self.contains(item)),
            ("remove", [One(item)]) => {
                let at = self.items.iter().position(|known| Some(known) == item.as_ref());
                if let Some(at) = at {
                    self.remove_at(at);
                }
                shown(at.is_some())
            }
            (name, [Arg::Items(items)]) => {
                self.bulk(name, items.as_deref().ok_or(Thrown::NullPointer)?)
            }
            ("clear", _) => {
                self.items.clear();
                void()
            }
            ("size", _) => shown(self.items.len()),
            ("isEmpty", _) => shown(self.items.is_empty()),
            ("remainingCapacity", _) => shown(i32::MAX),
            ("toArray", _) => array(self.items.iter()),
            // toString
            _ => collection(self.items.iter()),
        }
    }

    fn bulk(&mut self, name: &str, items: &[MaybeNull]) -> Outcome {
        match name {
            "addAll" => {
                for item in items {
                    self.push(item)?;
                }
                shown(!items.is_empty())
            }
            "containsAll" => shown(items.iter().all(|item| self.contains(item))),
            // removeAll, retainAll
            _ => {
                let before = self.items.len();
                let keep = name == "retainAll";
                self.items.retain(|item| items.iter().flatten().any(|x| x == item) == keep);
                let changed = self.items.len() < before;
                if changed {
                    for at in (0..self.items.len() / 2).rev() {
                        self.sift_down(at);
                    }
                }
                shown(changed)
            }
        }
    }

    fn contains(&self, item: &MaybeNull) -> bool {
        item.as_ref().is_some_and(|item| self.items.contains(item))
    }

    fn push(&mut self, item: &MaybeNull) -> Result<(), Thrown> {
        let item = item.clone().ok_or(Thrown::NullPointer)?;
        if self.items.first().is_some_and(|first| !item.is_comparable(first)) {
            return Err(Thrown::ClassCast);
        }
        self.items.push(item);
        self.sift_up(self.items.len() - 1);
        Ok(())
    }

    fn pop(&mut self) -> Option<Item> {
        if self.items.is_empty() {
            return None;
        }
        let first = self.items.swap_remove(0);
        self.sift_down(0);
        Some(first)
    }

    fn remove_at(&mut self, at: usize) {
        self.items.swap_remove(at);
        if at < self.items.len() && !self.sift_down(at) {
            self.sift_up(at);
        }
    }

    fn sift_up(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.items[at] >= self.items[parent] {
                break;
            }
            self.items.swap(at, parent);
            at = parent;
        }
    }

    /// True if the item was moved.
    fn sift_down(&mut self, from: usize) -> bool {
        let mut at = from;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let Some(mut smaller) = self.items.get(left) else { break };
            let mut child = left;
            if let Some(item) = self.items.get(right).filter(|item| *item < smaller) {
                (smaller, child) = (item, right);
            }
            if self.items[at] <= *smaller {
                break;
            }
            self.items.swap(at, child);
            at = child;
        }
        at != from
    }
}
