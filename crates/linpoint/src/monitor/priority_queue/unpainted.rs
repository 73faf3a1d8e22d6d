//! The set of peaks that have not been painted.
//!
//! A bit for each peak. For words without a bit, union-find over the following and the preceding
//! words. Queries take near-constant time, and the structure is small enough to stay in the cache.

use super::super::names::NONE;

/// The peaks from 0 to a last one that is never painted. Painting is permanent.
pub(super) struct Unpainted {
    /// Bits of the unpainted peaks.
    words: Vec<u64>,
    /// For each word: itself if it has a bit, otherwise a later word with none in between that has
    /// one.
    after: Links,
    /// One more than each word: itself if it has a bit, otherwise an earlier word with none in
    /// between that has one; 0 if there is none. Empty if preceding peaks are not needed.
    before: Links,
}

impl Unpainted {
    /// All peaks up to `last` are unpainted. `with_before` enables [`Unpainted::up_to`].
    pub(super) fn new(last: u32, with_before: bool) -> Unpainted {
        let words = last as usize / 64 + 1;
        let before = if with_before { Links::new(words + 1) } else { Links(Vec::new()) };
        Unpainted { words: vec![u64::MAX; words], after: Links::new(words), before }
    }

    /// The first unpainted peak from `peak` on, which must not be after the last.
    pub(super) fn from(&mut self, peak: u32) -> u32 {
        let word = peak as usize / 64;
        let bits = self.words[word] & u64::MAX << (peak % 64);
        if bits != 0 {
            return (word as u32) * 64 + bits.trailing_zeros();
        }
        let word = self.after.find(word + 1);
        word as u32 * 64 + self.words[word].trailing_zeros()
    }

    /// The last unpainted peak up to `peak`; [`NONE`] if there is none.
    pub(super) fn up_to(&mut self, peak: u32) -> u32 {
        let word = peak as usize / 64;
        let bits = self.words[word] & u64::MAX >> (63 - peak % 64);
        if bits != 0 {
            return word as u32 * 64 + bits.ilog2();
        }
        match self.before.find(word).checked_sub(1) {
            None => NONE,
            Some(word) => word as u32 * 64 + self.words[word].ilog2(),
        }
    }

    /// Paints the peaks strictly between two. The last peak stays unpainted.
    pub(super) fn paint_between(&mut self, a: u32, b: u32) {
        if a.saturating_add(1) >= b {
            return;
        }
        let (from, to) = (a + 1, b - 1);
        let (first, last) = (from as usize / 64, to as usize / 64);
        let (head, tail) = (u64::MAX << (from % 64), u64::MAX >> (63 - to % 64));
        if first == last {
            return self.clear(first, head & tail);
        }
        self.clear(first, head);
        let mut word = self.after.find(first + 1);
        while word < last {
            self.clear(word, u64::MAX);
            word = self.after.find(word + 1);
        }
        self.clear(last, tail);
    }

    fn clear(&mut self, word: usize, bits: u64) {
        self.words[word] &= !bits;
        if self.words[word] == 0 {
            self.after.0[word] = word as u32 + 1;
            if let Some(link) = self.before.0.get_mut(word + 1) {
                *link = word as u32;
            }
        }
    }
}

/// Union-find without ranks: path halving is enough if only neighbours are joined.
struct Links(Vec<u32>);

impl Links {
    fn new(len: usize) -> Links {
        Links((0..len as u32).collect())
    }

    fn find(&mut self, mut i: usize) -> usize {
        loop {
            let next = self.0[i] as usize;
            if next == i {
                return i;
            }
            let over = self.0[next];
            self.0[i] = over;
            i = over as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_scan_finds() {
        let mut random = fastrand::Rng::with_seed(3);
        for last in [0, 1, 63, 64, 65, 300, 1000] {
            let mut unpainted = Unpainted::new(last, true);
            let mut plain = vec![true; last as usize + 1];
            for _ in 0..60 {
                let (a, b) = (random.u32(0..=last), random.u32(0..=last));
                unpainted.paint_between(a, b);
                for peak in a + 1..b {
                    plain[peak as usize] = false;
                }
                let peak = random.u32(0..=last);
                let from = (peak..=last).find(|p| plain[*p as usize]).unwrap();
                let up_to = (0..=peak).rev().find(|p| plain[*p as usize]).unwrap_or(NONE);
                assert_eq!((unpainted.from(peak), unpainted.up_to(peak)), (from, up_to));
            }
        }
    }
}
