//! Sorts by small numbers in linear time.

use crate::sorting::sort_by_key;

/// Sorts stably by a key below `keys`. Also returns where the items of each key end.
pub(super) fn in_buckets<T: Copy>(
    items: Vec<T>,
    key: impl Fn(&T) -> u32,
    keys: usize,
) -> (Vec<T>, Vec<u32>) {
    let mut ends = vec![0u32; keys];
    for item in &items {
        ends[key(item) as usize] += 1;
    }
    // Where the items of each key begin. The second pass moves this to where they end.
    let mut total = 0;
    for end in &mut ends {
        total += std::mem::replace(end, total);
    }
    let mut sorted = items.clone();
    for item in items {
        let at = &mut ends[key(&item) as usize];
        sorted[*at as usize] = item;
        *at += 1;
    }
    (sorted, ends)
}

/// Sorts numbers stably by a peak of at most `peaks`. Small inputs use a comparison sort.
pub(super) fn by_peak(mut items: Vec<u32>, peak: impl Fn(u32) -> u32, peaks: u32) -> Vec<u32> {
    if items.is_sorted_by_key(|i| peak(*i)) {
        return items;
    }
    if items.len() < peaks as usize / 16 {
        sort_by_key(&mut items, |i| peak(*i));
        return items;
    }
    in_buckets(items, |i| peak(*i), peaks as usize + 1).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_sorted_alike() {
        let mut random = fastrand::Rng::with_seed(3);
        for (items, peaks) in [(0, 0), (1, 0), (40, 20), (40, 2000), (500, 500)] {
            let keys: Vec<u32> = (0..items).map(|_| random.u32(0..=peaks)).collect();
            let mut expected: Vec<u32> = (0..items).collect();
            expected.sort_by_key(|i| keys[*i as usize]);
            assert_eq!(by_peak((0..items).collect(), |i| keys[i as usize], peaks), expected);
            let (sorted, ends) =
                in_buckets((0..items).collect(), |i| keys[*i as usize], peaks as usize + 1);
            assert_eq!(sorted, expected);
            for (key, end) in ends.iter().enumerate() {
                assert_eq!(*end as usize, keys.iter().filter(|k| **k as usize <= key).count());
            }
        }
    }
}
