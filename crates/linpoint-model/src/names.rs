//! Canonical names: states that differ only in the names of nodes or values coincide.
//!
//! A model visits its names in an order that does not depend on them: roots, then the heap from there. The first name
//! visited becomes 1, and so on. This takes two passes: one assigns names, one applies them. Nodes that are never visited
//! are garbage, and are cleared.

use std::ops::{Index, IndexMut};

/// Names are smaller than this.
pub(crate) const MAX_NAMES: usize = 64;
/// Marks names without a canonical one, for states that are compared before all names are assigned.
const UNNAMED: u8 = 128;

/// Assigns canonical names to nodes and values.
#[derive(Clone, Debug)]
pub struct Names {
    mode: Mode,
    nodes: Naming,
    values: Naming,
    /// Nodes of the heap whose names have been visited.
    followed: usize,
    renames_nodes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Assign,
    Apply,
}

#[derive(Clone, Debug)]
struct Naming {
    new: [u8; MAX_NAMES],
    /// Old names in the order of the new ones.
    order: [u8; MAX_NAMES],
    count: u8,
}

impl Naming {
    fn none() -> Naming {
        Naming { new: [0; MAX_NAMES], order: [0; MAX_NAMES], count: 0 }
    }

    fn assign(&mut self, old: u8) {
        let new = &mut self.new[usize::from(old)];
        if *new == 0 {
            self.order[usize::from(self.count)] = old;
            self.count += 1;
            *new = self.count;
        }
    }

    fn visit(&mut self, name: &mut u8, mode: Mode) {
        if *name == 0 {
            return;
        }
        match mode {
            Mode::Assign => self.assign(*name),
            Mode::Apply => {
                *name = match self.new[usize::from(*name)] {
                    0 => UNNAMED | *name,
                    new => new,
                }
            }
        }
    }
}

impl Names {
    pub(crate) fn new(renames_nodes: bool) -> Names {
        Names {
            mode: Mode::Assign,
            nodes: Naming::none(),
            values: Naming::none(),
            followed: 0,
            renames_nodes,
        }
    }

    pub(crate) fn apply(&mut self) {
        self.mode = Mode::Apply;
    }

    pub(crate) fn assign(&mut self) {
        self.mode = Mode::Assign;
    }

    /// All values keep their names.
    pub(crate) fn keep_values(&mut self) {
        for name in 1..MAX_NAMES as u8 {
            self.values.assign(name);
        }
    }

    pub(crate) fn assign_value(&mut self, value: u8) {
        self.values.assign(value);
    }

    /// Number of values with a canonical name.
    pub(crate) fn values(&self) -> u8 {
        self.values.count
    }

    /// The canonical name of a value; 0 if it has none.
    pub(crate) fn new_value(&self, value: u8) -> u8 {
        self.values.new[usize::from(value)]
    }

    /// Applies only this renaming of values.
    pub(crate) fn of_values(new: impl Iterator<Item = (u8, u8)>) -> Names {
        let mut names = Names::new(false);
        names.mode = Mode::Apply;
        for (old, new) in new {
            names.values.new[usize::from(old)] = new;
        }
        names
    }

    /// The nodes 1 to `count` always exist and keep their names.
    pub fn fixed(&mut self, count: u8) {
        if self.renames_nodes && self.mode == Mode::Assign {
            (1..=count).for_each(|node| self.nodes.assign(node));
        }
    }

    /// Visits the name of a node; 0 is null.
    pub fn node(&mut self, name: &mut u8) {
        if self.renames_nodes {
            self.nodes.visit(name, self.mode);
        }
    }

    /// Visits a value; 0 is no value.
    pub fn value(&mut self, value: &mut u8) {
        self.values.visit(value, self.mode);
    }

    /// Visits the heap. All roots have to be visited before it.
    pub fn heap<N: Node, const SIZE: usize>(&mut self, heap: &mut Heap<N, SIZE>) {
        if !self.renames_nodes {
            let used = usize::from(heap.used);
            heap.nodes.iter_mut().take(used).for_each(|node| node.names(self));
            return;
        }
        match self.mode {
            Mode::Assign => {
                while self.followed < usize::from(self.nodes.count) {
                    let old = self.nodes.order[self.followed];
                    self.followed += 1;
                    heap[old].names(self);
                }
            }
            Mode::Apply => {
                let mut canonical = Heap::default();
                for at in 0..usize::from(self.nodes.count) {
                    let mut node = heap[self.nodes.order[at]];
                    node.names(self);
                    canonical.alloc(node);
                }
                *heap = canonical;
            }
        }
    }
}

/// A node of a heap, which may mention other nodes and values.
pub trait Node: Copy + Default {
    /// Visits the names in the node.
    fn names(&mut self, names: &mut Names);
}

/// Memory that is not reused while any thread can reach it. The first node is 1; 0 is null.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Heap<N, const SIZE: usize> {
    nodes: [N; SIZE],
    used: u8,
}

impl<N: Copy + Default, const SIZE: usize> Default for Heap<N, SIZE> {
    fn default() -> Self {
        Heap { nodes: [N::default(); SIZE], used: 0 }
    }
}

impl<N: Copy, const SIZE: usize> Heap<N, SIZE> {
    /// Allocates a node. Panics if the heap is full, which ends the exploration with an error.
    pub fn alloc(&mut self, node: N) -> u8 {
        assert!(usize::from(self.used) < SIZE, "no room for more than {SIZE} nodes");
        self.nodes[usize::from(self.used)] = node;
        self.used += 1;
        self.used
    }
}

impl<N, const SIZE: usize> Heap<N, SIZE> {
    /// The nodes with their names.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &N)> {
        self.nodes.iter().take(usize::from(self.used)).enumerate().map(|(at, node)| (at + 1, node))
    }
}

impl<N, const SIZE: usize> Index<u8> for Heap<N, SIZE> {
    type Output = N;

    fn index(&self, node: u8) -> &N {
        assert!(node != 0, "there is no node behind null");
        &self.nodes[usize::from(node) - 1]
    }
}

impl<N, const SIZE: usize> IndexMut<u8> for Heap<N, SIZE> {
    fn index_mut(&mut self, node: u8) -> &mut N {
        assert!(node != 0, "there is no node behind null");
        &mut self.nodes[usize::from(node) - 1]
    }
}

impl<N: std::fmt::Debug, const SIZE: usize> std::fmt::Debug for Heap<N, SIZE> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
