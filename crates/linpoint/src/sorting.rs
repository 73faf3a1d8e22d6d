//! Sorts by integer keys.
//!
//! The standard library compiles its sort again for every closure: sixty copies, a quarter of this
//! crate's code. Here the sort is compiled once, and only the loops around it are generic. It takes
//! linear time, see `history/radix.rs`.

use crate::history::radix;

/// Insertion sorts this many items faster than anything that allocates.
const FEW: usize = 16;

/// Sorts by a key. Items with equal keys keep their order.
pub(crate) fn sort_by_key<T: Copy, K: Into<u64>>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort(items, &|item| key(item).into());
}

/// Compiled once for each type of item, not for each key.
fn sort<T: Copy>(items: &mut [T], key: &dyn Fn(&T) -> u64) {
    if items.len() > FEW {
        let keys: Vec<u64> = items.iter().map(key).collect();
        let before = items.to_vec();
        for (item, from) in items.iter_mut().zip(radix::order(&keys)) {
            *item = before[from as usize];
        }
        return;
    }
    let mut keys = [0; FEW];
    for at in 0..items.len() {
        let (item, own) = (items[at], key(&items[at]));
        let mut to = at;
        while to > 0 && keys[to - 1] > own {
            (items[to], keys[to]) = (items[to - 1], keys[to - 1]);
            to -= 1;
        }
        (items[to], keys[to]) = (item, own);
    }
}

/// The key for "by the first number, then by the second".
#[inline]
pub(crate) fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_the_standard_library() {
        let mut random = fastrand::Rng::with_seed(7);
        for len in (0..40).chain([1000]) {
            let items: Vec<(u32, usize)> = (0..len).map(|i| (random.u32(0..20), i)).collect();
            let (mut ours, mut expected) = (items.clone(), items);
            sort_by_key(&mut ours, |item| item.0);
            expected.sort_by_key(|item| item.0);
            assert_eq!(ours, expected);
            sort_by_key(&mut ours, |item| !pair(item.0, item.1 as u32));
            expected.reverse();
            expected.sort_by_key(|item| std::cmp::Reverse(item.0));
            assert_eq!(ours, expected);
        }
    }
}
