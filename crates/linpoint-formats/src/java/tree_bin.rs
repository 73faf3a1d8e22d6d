//! A crowded bin of a `ConcurrentHashMap`: a list for iteration, and a red-black tree for lookup.
//!
//! Iteration follows the list; new entries are added at its front. The tree matters for one thing
//! only: its shape determines when the bin becomes an ordinary list again. It is the textbook tree
//! (Cormen, Leiserson, Rivest, *Introduction to algorithms*), ordered by hash and then by key.

use std::cmp::Ordering;

use super::item::Item;
use super::table::Node;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct TreeBin {
    nodes: Vec<TreeNode>,
    root: Option<usize>,
    /// Positions in `nodes` in the order of iteration.
    order: Vec<usize>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct TreeNode {
    node: Node,
    parent: Option<usize>,
    /// Left and right.
    kids: [Option<usize>; 2],
    red: bool,
}

impl TreeBin {
    /// A bin with these entries, in this order.
    pub(super) fn new(list: Vec<Node>) -> TreeBin {
        let mut bin = TreeBin::default();
        for node in list {
            let at = bin.insert(node);
            bin.order.push(at);
        }
        bin
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<TreeNode>() + self.order.capacity() * size_of::<usize>()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Node> {
        self.order.iter().map(|at| &self.nodes[*at].node)
    }

    pub(super) fn into_list(self) -> Vec<Node> {
        self.iter().cloned().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn get(&self, hash: i32, key: &Item) -> Option<&Item> {
        self.find(hash, key).map(|at| &self.nodes[at].node.value)
    }

    pub(super) fn get_mut(&mut self, hash: i32, key: &Item) -> Option<&mut Item> {
        self.find(hash, key).map(|at| &mut self.nodes[at].node.value)
    }

    /// Adds an entry whose key is new.
    pub(super) fn add(&mut self, node: Node) {
        let at = self.insert(node);
        self.order.insert(0, at);
    }

    /// Removes an entry. True if the bin should become an ordinary list now.
    pub(super) fn remove(&mut self, hash: i32, key: &Item) -> bool {
        let Some(at) = self.find(hash, key) else { return false };
        self.order.retain(|other| *other != at);
        if self.is_small() {
            return true;
        }
        self.delete(at);
        false
    }

    /// True if the tree has a shape at which Java abandons it.
    fn is_small(&self) -> bool {
        let kids = |at: Option<usize>| at.map_or([None; 2], |at| self.nodes[at].kids);
        let [left, right] = kids(self.root);
        self.order.is_empty() || right.is_none() || kids(left)[0].is_none()
    }

    fn compare(&self, hash: i32, key: &Item, at: usize) -> Ordering {
        let other = &self.nodes[at].node;
        hash.cmp(&other.hash).then_with(|| key.cmp(&other.key))
    }

    fn find(&self, hash: i32, key: &Item) -> Option<usize> {
        let mut at = self.root;
        while let Some(here) = at {
            at = match self.compare(hash, key, here) {
                Ordering::Equal => return Some(here),
                side => self.nodes[here].kids[usize::from(side.is_gt())],
            };
        }
        None
    }

    fn is_red(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| self.nodes[at].red)
    }

    /// The side of its parent that a node is on.
    fn side(&self, parent: usize, at: usize) -> usize {
        usize::from(self.nodes[parent].kids[1] == Some(at))
    }

    /// Replaces `old` by `new` in its parent.
    fn replace_kid(&mut self, parent: Option<usize>, old: usize, new: Option<usize>) {
        match parent {
            None => self.root = new,
            Some(parent) => {
                let side = self.side(parent, old);
                self.nodes[parent].kids[side] = new;
            }
        }
        if let Some(new) = new {
            self.nodes[new].parent = parent;
        }
    }

    /// Rotates the tree at `x` so that `x` moves down to this side.
    fn rotate(&mut self, x: usize, side: usize) {
        let Some(y) = self.nodes[x].kids[1 - side] else { return };
        let inner = self.nodes[y].kids[side];
        self.replace_kid(self.nodes[x].parent, x, Some(y));
        self.nodes[x].kids[1 - side] = inner;
        if let Some(inner) = inner {
            self.nodes[inner].parent = Some(x);
        }
        self.nodes[y].kids[side] = Some(x);
        self.nodes[x].parent = Some(y);
    }

    fn insert(&mut self, node: Node) -> usize {
        let at = self.nodes.len();
        let (mut parent, mut side, mut below) = (None, 0, self.root);
        while let Some(here) = below {
            side = usize::from(self.compare(node.hash, &node.key, here).is_gt());
            (parent, below) = (Some(here), self.nodes[here].kids[side]);
        }
        self.nodes.push(TreeNode { node, parent, kids: [None; 2], red: true });
        match parent {
            None => self.root = Some(at),
            Some(parent) => self.nodes[parent].kids[side] = Some(at),
        }
        self.balance_after_insertion(at);
        at
    }

    fn balance_after_insertion(&mut self, mut x: usize) {
        while let Some(parent) = self.nodes[x].parent.filter(|p| self.nodes[*p].red) {
            // A red node has a parent: the root is black.
            let Some(grand) = self.nodes[parent].parent else { break };
            let side = self.side(grand, parent);
            let uncle = self.nodes[grand].kids[1 - side];
            if let Some(uncle) = uncle.filter(|uncle| self.nodes[*uncle].red) {
                self.nodes[parent].red = false;
                self.nodes[uncle].red = false;
                self.nodes[grand].red = true;
                x = grand;
                continue;
            }
            let mut top = parent;
            if self.side(parent, x) != side {
                self.rotate(parent, side);
                (top, x) = (x, parent);
            }
            self.nodes[top].red = false;
            self.nodes[grand].red = true;
            self.rotate(grand, 1 - side);
        }
        if let Some(root) = self.root {
            self.nodes[root].red = false;
        }
    }

    /// Removes a node from the tree. It is no longer in the list.
    fn delete(&mut self, at: usize) {
        let mut gone = at;
        if let [Some(_), Some(right)] = self.nodes[at].kids {
            // Its successor takes its place, so that a node with at most one kid is removed.
            gone = right;
            while let Some(left) = self.nodes[gone].kids[0] {
                gone = left;
            }
            let successor = self.nodes[gone].node.clone();
            self.nodes[at].node = successor;
            self.order.iter_mut().filter(|other| **other == gone).for_each(|other| *other = at);
        }
        let [left, right] = self.nodes[gone].kids;
        match left.or(right) {
            Some(kid) => {
                self.replace_kid(self.nodes[gone].parent, gone, Some(kid));
                if !self.nodes[gone].red {
                    self.balance_after_deletion(kid);
                }
            }
            None => {
                if !self.nodes[gone].red {
                    self.balance_after_deletion(gone);
                }
                self.replace_kid(self.nodes[gone].parent, gone, None);
            }
        }
        self.free(gone);
    }

    fn balance_after_deletion(&mut self, mut x: usize) {
        while let Some(parent) = self.nodes[x].parent.filter(|_| !self.nodes[x].red) {
            let side = self.side(parent, x);
            let Some(mut other) = self.nodes[parent].kids[1 - side] else {
                x = parent;
                continue;
            };
            if self.nodes[other].red {
                self.nodes[other].red = false;
                self.nodes[parent].red = true;
                self.rotate(parent, side);
                let Some(next) = self.nodes[parent].kids[1 - side] else {
                    x = parent;
                    continue;
                };
                other = next;
            }
            let [near, far] = [side, 1 - side].map(|kid| self.nodes[other].kids[kid]);
            if !self.is_red(near) && !self.is_red(far) {
                self.nodes[other].red = true;
                x = parent;
                continue;
            }
            if let Some(near) = near.filter(|_| !self.is_red(far)) {
                self.nodes[near].red = false;
                self.nodes[other].red = true;
                self.rotate(other, 1 - side);
                other = near;
            }
            self.nodes[other].red = self.nodes[parent].red;
            self.nodes[parent].red = false;
            if let Some(far) = self.nodes[other].kids[1 - side] {
                self.nodes[far].red = false;
            }
            self.rotate(parent, side);
            break;
        }
        self.nodes[x].red = false;
    }

    /// Frees a node that is in neither list nor tree, and moves the last one to its position.
    fn free(&mut self, at: usize) {
        self.nodes.swap_remove(at);
        let was = self.nodes.len();
        if at == was {
            return;
        }
        self.order.iter_mut().filter(|other| **other == was).for_each(|other| *other = at);
        let TreeNode { parent, kids, .. } = self.nodes[at];
        match parent {
            None => self.root = Some(at),
            Some(parent) => {
                let side = self.side(parent, was);
                self.nodes[parent].kids[side] = Some(at);
            }
        }
        for kid in kids.into_iter().flatten() {
            self.nodes[kid].parent = Some(at);
        }
    }
}
