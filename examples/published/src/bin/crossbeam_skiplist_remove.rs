//! crossbeam-skiplist: two threads remove a key that is there once, and both get it.

use crossbeam_skiplist::SkipMap;

fn main() {
    published::race(
        || SkipMap::from_iter([(1, "value")]),
        |map| map.remove(&1).is_some(),
        |map| map.remove(&1).is_some(),
        |a, b| *a && *b,
        "both threads removed the only entry",
    );
}
