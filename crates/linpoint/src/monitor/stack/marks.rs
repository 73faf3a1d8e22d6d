//! A set of peaks with next and previous: words of bits, and a bit for each word.

/// The set.
#[derive(Debug)]
pub(super) struct Marks {
    /// Level 0 has a bit for each peak, each further level a bit for each word below.
    levels: Vec<Vec<u64>>,
}

impl Marks {
    /// An empty set of peaks below `peaks`.
    pub(super) fn new(peaks: u32) -> Marks {
        let mut levels = Vec::new();
        let mut bits = peaks as usize;
        loop {
            let words = bits.div_ceil(64).max(1);
            levels.push(vec![0; words]);
            if words == 1 {
                return Marks { levels };
            }
            bits = words;
        }
    }

    /// Adds a peak.
    pub(super) fn insert(&mut self, peak: u32) {
        let mut at = peak as usize;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            let was_empty = *word == 0;
            *word |= 1 << (at % 64);
            if !was_empty {
                return;
            }
            at /= 64;
        }
    }

    /// The first peak that is not before `peak`.
    pub(super) fn next(&self, peak: u32) -> Option<u32> {
        let mut at = peak as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let later = level.get(at / 64)? & (u64::MAX << (at % 64));
            if later != 0 {
                let found = at / 64 * 64 + later.trailing_zeros() as usize;
                return Some(self.down(height, found, |word| word.trailing_zeros()));
            }
            at = at / 64 + 1;
        }
        None
    }

    /// The last peak before `peak`.
    pub(super) fn previous(&self, peak: u32) -> Option<u32> {
        let mut end = peak as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let at = end.checked_sub(1)?;
            let earlier = level.get(at / 64)? & (u64::MAX >> (63 - at % 64));
            if earlier != 0 {
                let found = at / 64 * 64 + 63 - earlier.leading_zeros() as usize;
                return Some(self.down(height, found, |word| 63 - word.leading_zeros()));
            }
            end = at / 64;
        }
        None
    }

    /// From a bit of a level to a peak below it.
    fn down(&self, height: usize, mut at: usize, pick: fn(u64) -> u32) -> u32 {
        for level in self.levels[..height].iter().rev() {
            at = at * 64 + pick(level[at]) as usize;
        }
        at as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_neighbours() {
        let mut random = fastrand::Rng::with_seed(5);
        for peaks in [1, 63, 64, 65, 5000, 300_000] {
            let (mut marks, mut set) = (Marks::new(peaks), std::collections::BTreeSet::new());
            for _ in 0..300 {
                let peak = random.u32(0..peaks);
                if random.bool() {
                    marks.insert(peak);
                    set.insert(peak);
                }
                let at = random.u32(0..peaks);
                assert_eq!(marks.next(at), set.range(at..).next().copied());
                assert_eq!(marks.previous(at), set.range(..at).next_back().copied());
            }
            assert_eq!(marks.previous(peaks), set.last().copied());
        }
    }
}
