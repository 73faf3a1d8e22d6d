//! Sorting by whole numbers, in linear time.
//!
//! A least-significant-digit radix sort of 64-bit keys. It is asked for an order, not for sorted
//! keys: the answer lists positions, and equal keys stay in the order in which they were given.
//!
//! Keys are packed with their positions into one word where both fit, so that a pass moves eight bytes
//! an element. Digits that are the same in all keys are not sorted by, and keys that are already in
//! order are recognised, which is what most files are. Otherwise a pass for each digit in which keys
//! differ: O(n) for a bounded range of keys, and 16 bytes an element while it lasts.

/// Bits of a digit: 2048 counters stay in the first-level cache, and times need few passes.
const DIGIT: u32 = 11;
const RADIX: usize = 1 << DIGIT;

/// The positions of `keys` in the order of the keys. Equal keys keep their order.
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

/// Sorts by the `bits` bits of the word that begin at `from`.
fn sort<T: Copy>(mut items: Vec<T>, from: u32, bits: u32, word: impl Fn(&T) -> u64) -> Vec<T> {
    let mut other = items.clone();
    for shift in (from..from + bits).step_by(DIGIT as usize) {
        let width = DIGIT.min(from + bits - shift);
        let digit = |item: &T| (word(item) >> shift) as usize & ((1 << width) - 1);
        let mut next = [0_u32; RADIX];
        for item in &items {
            next[digit(item)] += 1;
        }
        if next[digit(&items[0])] as usize == items.len() {
            continue;
        }
        let mut before = 0;
        for count in &mut next {
            (before, *count) = (before + *count, before);
        }
        for item in &items {
            let place = &mut next[digit(item)];
            other[*place as usize] = *item;
            *place += 1;
        }
        std::mem::swap(&mut items, &mut other);
    }
    items
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
        // A small generator of our own: multiples of an odd number run through all words.
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
    fn extremes() {
        for keys in [vec![u64::MAX, 0], vec![0, u64::MAX], vec![u64::MAX, 0, u64::MAX, 5, 0]] {
            assert_eq!(order(&keys), expected(&keys));
        }
    }
}
