//! leapfrog: an insert returns its own value as the old one.

use leapfrog::LeapMap;

fn main() {
    published::race(
        || {
            let map = LeapMap::new();
            map.insert(1, 10);
            map
        },
        |map| map.insert(1, 20),
        |map| map.insert(1, 30),
        |a, b| *a == Some(20) || *b == Some(30),
        "an insert returned its own value, not the one that it replaced",
    );
}
