//! Sorts by integer keys in linear time.
//!
//! A least-significant-digit radix sort of 64-bit keys. It returns an order, not sorted keys: a
//! list of positions, in which equal keys keep the order in which they were given.
//!
//! Keys are packed with their positions into one word where both fit, so that a pass moves eight
//! bytes for each element. Histories are written in the order of calls or of returns, so keys are
//! mostly in order already, or a few places away from it: at most as many as there are open
//! operations. Insertion is tried first, and abandoned if it moves too much. Then there is one pass
//! for each digit in which keys differ: O(n) for a bounded range of keys, with 16 bytes of
//! temporary memory for each element.

/// Maximum number of bits in a digit: 2048 counters fit into the first-level cache, and times need
/// few passes.
const WIDEST_DIGIT: u32 = 11;

/// Insertion may move each item by this many places on average.
const MOVES_AN_ITEM: usize = 8;

/// The positions of `keys`, sorted by key. Equal keys keep their order.
///
/// Positions are `u32`: there must be fewer than 2³² keys, as everywhere in a history.
pub(crate) fn order(keys: &[u64]) -> Vec<u32> {
    debug_assert!(u32::try_from(keys.len()).is_ok());
    let positions = 0..keys.len() as u32;
    if keys.is_sorted() {
        return positions.collect();
    }
    let (least, most) =
        keys.iter().fold((u64::MAX, 0), |(least, most), &key| (key.min(least), key.max(most)));
    let position_bits = usize::BITS - (keys.len() - 1).leading_zeros();
    let key_bits = u64::BITS - (most - least).leading_zeros();
    if key_bits + position_bits <= u64::BITS {
        let packed =
            positions.zip(keys).map(|(i, key)| ((key - least) << position_bits) | u64::from(i));
        let sorted = sort(packed.collect(), position_bits, key_bits, |word| *word);
        let mask = (1 << position_bits) - 1;
        sorted.into_iter().map(|word| (word & mask) as u32).collect()
    } else {
        let pairs = positions.zip(keys).map(|(i, key)| (key - least, i));
        sort(pairs.collect(), 0, key_bits, |pair| pair.0).into_iter().map(|pair| pair.1).collect()
    }
}

/// Sorts by the `bits` bits of the word that begin at bit `from`.
fn sort<T: Copy + Ord>(
    mut items: Vec<T>,
    from: u32,
    bits: u32,
    word: impl Fn(&T) -> u64,
) -> Vec<T> {
    if insert(&mut items) {
        return items;
    }
    // Digits of equal width: several narrow ones use the cache better than wide ones and a
    // remainder.
    let passes = bits.div_ceil(WIDEST_DIGIT).max(1);
    let width = bits.div_ceil(passes);
    let digit =
        |item: &T, pass: u32| (word(item) >> (from + pass * width)) as usize & ((1 << width) - 1);
    let mut counts = vec![[0_u32; 1 << WIDEST_DIGIT]; passes as usize];
    for item in &items {
        for (pass, counts) in (0..).zip(&mut counts) {
            counts[digit(item, pass)] += 1;
        }
    }
    let mut other = items.clone();
    for (pass, mut next) in (0..).zip(counts) {
        if next[digit(&items[0], pass)] as usize == items.len() {
            continue;
        }
        let mut before = 0;
        for count in &mut next {
            (before, *count) = (before + *count, before);
        }
        for item in &items {
            let place = &mut next[digit(item, pass)];
            other[*place as usize] = *item;
            *place += 1;
        }
        std::mem::swap(&mut items, &mut other);
    }
    items
}

/// Sorts by insertion, as long as that takes few moves. Returns false if it was abandoned; items
/// that differ only in their positions are then still in the order of their positions.
fn insert<T: Copy + Ord>(items: &mut [T]) -> bool {
    let mut moves = MOVES_AN_ITEM * items.len();
    for at in 1..items.len() {
        let item = items[at];
        let mut to = at;
        while to > 0 && item < items[to - 1] {
            items[to] = items[to - 1];
            to -= 1;
        }
        items[to] = item;
        match moves.checked_sub(at - to) {
            Some(left) => moves = left,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(keys: &[u64]) -> Vec<u32> {
        let mut positions: Vec<u32> = (0..keys.len() as u32).collect();
        positions.sort_by_key(|&i| keys[i as usize]);
        positions
    }

    #[test]
    fn the_order_is_that_of_a_stable_sort() {
        // A simple generator: the multiples of an odd number visit all words.
        let words = |n: u64| (0..n).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17));
        for n in [0, 1, 2, 3, 255, 256, 257, 5000] {
            for keep in [0, 1, 3, 8, 11, 12, 23, 40, 51, 52, 53, 63] {
                let keys: Vec<u64> = words(n).map(|word| word >> (63 - keep)).collect();
                assert_eq!(order(&keys), expected(&keys), "{n} keys of {keep} bits");
                let high: Vec<u64> = keys.iter().map(|key| key | (1 << 63)).collect();
                assert_eq!(order(&high), expected(&high));
            }
        }
    }

    #[test]
    fn keys_that_are_nearly_in_order() {
        for reach in [1, 5, 30, 900] {
            let keys: Vec<u64> = (0..9000).map(|i| i * 7 + (i * i * 31) % (7 * reach)).collect();
            assert_eq!(order(&keys), expected(&keys), "moved by up to {reach}");
        }
    }

    #[test]
    fn extremes() {
        for keys in [vec![u64::MAX, 0], vec![0, u64::MAX], vec![u64::MAX, 0, u64::MAX, 5, 0]] {
            assert_eq!(order(&keys), expected(&keys));
        }
    }
}
