//! Values that are found while others look at them: what is in stays where it is.

use std::sync::OnceLock;

/// The first block has this many places, each further one twice as many as the one before.
const FIRST: usize = 16;
/// With these, there are 16 places fewer than numbers of 32 bits.
const BLOCKS: usize = 28;

/// Pairwise different values in the order in which they were added. All threads read and add without locks, and a
/// value can be borrowed for as long as the list is.
pub(super) struct Found<T> {
    /// INVARIANT: places are taken in order, and never given back.
    blocks: [OnceLock<Box<[OnceLock<T>]>>; BLOCKS],
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Found { blocks: [const { OnceLock::new() }; BLOCKS] }
    }
}

impl<T> Found<T> {
    /// The value with this number.
    pub(super) fn get(&self, number: usize) -> Option<&T> {
        let (block, at) = place(number);
        self.blocks.get(block)?.get()?.get(at)?.get()
    }

    /// True if there is no value yet.
    pub(super) fn is_empty(&self) -> bool {
        self.get(0).is_none()
    }
}

impl<T: Eq> Found<T> {
    /// The number of a value, which is added if no equal one is there.
    pub(super) fn number(&self, value: T) -> usize {
        let (mut number, mut new) = (0, Some(value));
        for (at, block) in self.blocks.iter().enumerate() {
            for place in block.get_or_init(|| free_places(FIRST << at)) {
                if place.get().is_none() {
                    // If another thread is faster, its value is there, and may be the same.
                    place.get_or_init(|| new.take().expect("a value takes one place"));
                }
                if new.is_none() || place.get() == new.as_ref() {
                    return number;
                }
                number += 1;
            }
        }
        unreachable!("there are fewer than 2^32 results")
    }
}

fn free_places<T>(count: usize) -> Box<[OnceLock<T>]> {
    let mut places = Vec::with_capacity(count);
    while places.len() < count {
        places.push(OnceLock::new());
    }
    places.into()
}

/// The block of a number, and its place there.
fn place(number: usize) -> (usize, usize) {
    let block = (number / FIRST + 1).ilog2() as usize;
    (block, number - FIRST * ((1 << block) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn numbers_have_one_place_each() {
        let mut expected = (0, 0);
        for number in 0..10_000 {
            assert_eq!(place(number), expected);
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(place(u32::MAX as usize).0, BLOCKS);
    }

    #[test]
    fn equal_values_have_equal_numbers_on_all_threads() {
        let found = Found::default();
        assert!(found.is_empty());
        let add = |skip: usize| -> Vec<(String, usize)> {
            let names = (0..200).map(|n| format!("v{}", (n * skip) % 101));
            names.map(|name| (name.clone(), found.number(name))).collect()
        };
        let both = thread::scope(|scope| {
            let (a, b) = (scope.spawn(|| add(3)), scope.spawn(|| add(7)));
            [a.join().expect("no panic"), b.join().expect("no panic")].concat()
        });
        for (name, number) in both {
            assert_eq!(found.get(number), Some(&name));
        }
        assert!(found.get(100).is_some() && found.get(101).is_none());
    }
}
