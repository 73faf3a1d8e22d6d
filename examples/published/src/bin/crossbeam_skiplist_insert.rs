//! crossbeam-skiplist: an insert replaces the value of a key, and a get in the meantime finds none.

use crossbeam_skiplist::SkipMap;

fn main() {
    published::race(
        || SkipMap::from_iter([(1, "old")]),
        |map| (0..5).all(|_| map.get(&1).is_some()),
        |map| *map.insert(1, "new").value(),
        |found, _| !found,
        "the key was never removed, and a get did not find it",
    );
}
