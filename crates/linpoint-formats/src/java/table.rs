//! `ConcurrentHashMap`: entries are in the order of Java's hash table.
//!
//! So the table must be Java's: its size and when it grows, how bins are split when it does, and
//! when a bin becomes a tree. This is the table of JDK 17 as one thread sees it.

use super::answer::{Entry, Outcome, Thrown, array, collection, map, maybe, shown, void};
use super::call::{Arg, Call, MaybeNull};
use super::item::Item;
use super::tree_bin::TreeBin;

/// The default size of a table.
const USUAL_SIZE: usize = 16;
/// A bin becomes a tree if it has this many entries before the one that was added or found, …
const TREE_FROM: usize = 8;
/// … and the table has this many bins; otherwise the table grows.
const TREES_IN: usize = 64;
/// When a table grows, bins with at most this many entries become lists again.
const LIST_UP_TO: usize = 6;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    pub(super) hash: i32,
    pub(super) key: Item,
    pub(super) value: Item,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Bin {
    List(Vec<Node>),
    Tree(Box<TreeBin>),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Table {
    /// Their number is a power of two, or 0 before the first entry.
    bins: Vec<Bin>,
    /// The size of the first table (0: the default); later, the number of entries at which the
    /// table grows.
    limit: usize,
    entries: usize,
}

use Arg::Item as One;

impl Table {
    /// A map that expects this many entries.
    pub(super) fn expecting(entries: u16) -> Table {
        let bins = 1.0 + f64::from(f32::from(entries.max(1)) / 0.75);
        Table { limit: (bins as usize).next_power_of_two(), ..Table::default() }
    }

    pub(super) fn bytes(&self) -> usize {
        let bin = |bin: &Bin| match bin {
            Bin::List(list) => list.capacity() * size_of::<Node>(),
            Bin::Tree(tree) => size_of::<TreeBin>() + tree.bytes(),
        };
        self.bins.capacity() * size_of::<Bin>() + self.bins.iter().map(bin).sum::<usize>()
    }

    pub(super) fn call(&mut self, call: &Call) -> Outcome {
        match (call.name(), &call.args[..]) {
            ("put", [One(key), One(value)]) => maybe(self.put(key, value, false)?),
            ("putIfAbsent", [One(key), One(value)]) => maybe(self.put(key, value, true)?),
            ("get", [One(key)]) => maybe(self.get(not_null(key)?)),
            ("getOrDefault", [One(key), One(value)]) => {
                maybe(self.get(not_null(key)?).or(value.as_ref()))
            }
            ("containsKey", [One(key)]) => shown(self.get(not_null(key)?).is_some()),
            ("contains" | "containsValue", [One(value)]) => {
                let value = not_null(value)?;
                shown(self.iter().any(|node| node.value == *value))
            }
            ("remove", [One(key)]) => maybe(self.remove(not_null(key)?)),
            ("remove", [One(key), One(value)]) => {
                let key = not_null(key)?;
                let fits = value.is_some() && self.get(key) == value.as_ref();
                shown(fits && self.remove(key).is_some())
            }
            ("replace", [One(key), One(value)]) => {
                let (key, value) = (not_null(key)?, not_null(value)?);
                maybe(self.get_mut(key).map(|old| std::mem::replace(old, value.clone())))
            }
            ("replace", [One(key), One(old), One(new)]) => {
                let (key, old, new) = (not_null(key)?, not_null(old)?, not_null(new)?);
                let found = self.get_mut(key).filter(|value| *value == old);
                shown(found.map(|value| *value = new.clone()).is_some())
            }
            ("putAll", [Arg::Entries(entries)]) => {
                let entries = entries.as_deref().ok_or(Thrown::NullPointer)?;
                self.make_room(entries.len());
                for (key, value) in entries {
                    self.put(&Some(key.clone()), value, false)?;
                }
                void()
            }
            (name, _) => self.whole(name),
        }
    }

    fn whole(&mut self, name: &str) -> Outcome {
        match name {
            "clear" => {
                self.bins.iter_mut().for_each(|bin| *bin = Bin::List(Vec::new()));
                self.entries = 0;
                void()
            }
            "size" | "mappingCount" => shown(self.entries),
            "isEmpty" => shown(self.entries == 0),
            "keys" => array(self.iter().map(|node| &node.key)),
            "elements" => array(self.iter().map(|node| &node.value)),
            "keySet" => collection(self.iter().map(|node| &node.key)),
            "values" => collection(self.iter().map(|node| &node.value)),
            "entrySet" => collection(self.iter().map(|node| Entry(&node.key, &node.value))),
            // toString
            _ => map(self.iter().map(|node| (&node.key, &node.value))),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Node> {
        self.bins.iter().flat_map(|bin| {
            let (list, tree) = match bin {
                Bin::List(list) => (Some(list), None),
                Bin::Tree(tree) => (None, Some(tree)),
            };
            list.into_iter().flatten().chain(tree.into_iter().flat_map(|tree| tree.iter()))
        })
    }

    /// The bin of a hash.
    fn place(&self, hash: i32) -> usize {
        hash as u32 as usize & (self.bins.len() - 1)
    }

    fn get(&self, key: &Item) -> Option<&Item> {
        let hash = spread(key);
        if self.bins.is_empty() {
            return None;
        }
        match &self.bins[self.place(hash)] {
            Bin::List(list) => list.iter().find(|node| node.key == *key).map(|node| &node.value),
            Bin::Tree(tree) => tree.get(hash, key),
        }
    }

    fn get_mut(&mut self, key: &Item) -> Option<&mut Item> {
        let hash = spread(key);
        if self.bins.is_empty() {
            return None;
        }
        let at = self.place(hash);
        match &mut self.bins[at] {
            Bin::List(list) => {
                list.iter_mut().find(|node| node.key == *key).map(|node| &mut node.value)
            }
            Bin::Tree(tree) => tree.get_mut(hash, key),
        }
    }

    /// Returns the old value; `keep` leaves it unchanged.
    fn put(
        &mut self,
        key: &MaybeNull,
        value: &MaybeNull,
        keep: bool,
    ) -> Result<Option<Item>, Thrown> {
        let (key, value) = (not_null(key)?, not_null(value)?);
        let hash = spread(key);
        if self.bins.is_empty() {
            self.make(if self.limit > 0 { self.limit } else { USUAL_SIZE });
        }
        let at = self.place(hash);
        // The number of entries passed, including the one that was found.
        let mut passed = 0;
        let old = match &mut self.bins[at] {
            Bin::List(list) => {
                let found = list.iter().position(|node| node.key == *key);
                passed = found.map_or(list.len(), |at| at + 1);
                match found {
                    Some(at) => Some(&mut list[at].value),
                    None => {
                        list.push(Node { hash, key: key.clone(), value: value.clone() });
                        None
                    }
                }
            }
            Bin::Tree(tree) => {
                if tree.get(hash, key).is_none() {
                    tree.add(Node { hash, key: key.clone(), value: value.clone() });
                    None
                } else {
                    tree.get_mut(hash, key)
                }
            }
        };
        let old =
            old.map(|old| if keep { old.clone() } else { std::mem::replace(old, value.clone()) });
        if passed >= TREE_FROM {
            self.make_tree(at);
        }
        if old.is_none() {
            self.entries += 1;
            while self.entries >= self.limit {
                self.grow();
            }
        }
        Ok(old)
    }

    fn remove(&mut self, key: &Item) -> Option<Item> {
        let hash = spread(key);
        let value = self.get(key)?.clone();
        let at = self.place(hash);
        let bin = &mut self.bins[at];
        match bin {
            Bin::List(list) => list.retain(|node| node.key != *key),
            Bin::Tree(tree) => {
                if tree.remove(hash, key) {
                    let tree = std::mem::take(&mut **tree);
                    *bin = Bin::List(tree.into_list());
                }
            }
        }
        self.entries -= 1;
        Some(value)
    }

    /// Makes an empty table.
    fn make(&mut self, size: usize) {
        self.bins = vec![Bin::List(Vec::new()); size];
        self.limit = size - size / 4;
    }

    /// Grows until there is room for one and a half times as many entries as announced, and one
    /// more.
    fn make_room(&mut self, entries: usize) {
        let size = (entries + entries / 2 + 1).next_power_of_two();
        if self.bins.is_empty() {
            self.make(size.max(self.limit));
        }
        while self.limit < size {
            self.grow();
        }
    }

    fn make_tree(&mut self, at: usize) {
        if self.bins.len() < TREES_IN {
            self.make_room(2 * self.bins.len());
        } else if let Bin::List(list) = &mut self.bins[at] {
            self.bins[at] = Bin::Tree(Box::new(TreeBin::new(std::mem::take(list))));
        }
    }

    /// Doubles the table. Every bin is split in two.
    fn grow(&mut self) {
        let size = self.bins.len();
        let (mut low, mut high) = (Vec::with_capacity(2 * size), Vec::with_capacity(size));
        for bin in std::mem::take(&mut self.bins) {
            let (stays, moves) = match bin {
                Bin::List(list) => split_list(list, size),
                Bin::Tree(tree) => split_tree(*tree, size),
            };
            low.push(stays);
            high.push(moves);
        }
        low.append(&mut high);
        self.bins = low;
        self.limit = 2 * size - size / 2;
    }
}

fn is_high(node: &Node, size: usize) -> bool {
    node.hash as u32 as usize & size != 0
}

/// The entries at the end that all go the same way keep their order; the others are put in front of
/// them one after the other, which reverses their order.
fn split_list(mut list: Vec<Node>, size: usize) -> (Bin, Bin) {
    let last = list.last().map(|node| is_high(node, size));
    let run = list.iter().rev().take_while(|node| Some(is_high(node, size)) == last).count();
    let run = list.split_off(list.len() - run);
    let mut halves = [Vec::new(), Vec::new()];
    for node in list.into_iter().rev() {
        halves[usize::from(is_high(&node, size))].push(node);
    }
    halves[usize::from(last.unwrap_or(false))].extend(run);
    let [low, high] = halves;
    (Bin::List(low), Bin::List(high))
}

fn split_tree(tree: TreeBin, size: usize) -> (Bin, Bin) {
    let all = tree.len();
    let (high, low): (Vec<&Node>, Vec<&Node>) = tree.iter().partition(|node| is_high(node, size));
    let bin = |half: &[&Node]| {
        if half.len() > LIST_UP_TO && half.len() == all {
            return Bin::Tree(Box::new(tree.clone()));
        }
        let list: Vec<Node> = half.iter().map(|node| (*node).clone()).collect();
        if list.len() <= LIST_UP_TO {
            Bin::List(list)
        } else {
            Bin::Tree(Box::new(TreeBin::new(list)))
        }
    };
    (bin(&low), bin(&high))
}

/// The hash that the table uses.
fn spread(key: &Item) -> i32 {
    let hash = key.hash_code();
    (hash ^ (hash as u32 >> 16) as i32) & i32::MAX
}

fn not_null(item: &MaybeNull) -> Result<&Item, Thrown> {
    item.as_ref().ok_or(Thrown::NullPointer)
}
