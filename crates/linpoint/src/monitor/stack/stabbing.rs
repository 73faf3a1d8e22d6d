//! Intervals by their left ends: finds those that reach a peak.
//!
//! A tree of [lines](super::lines) over the right ends, in which each number is the maximum of the
//! line below it. The intervals that begin early enough are a range of slots; those of them that
//! reach far enough are found by descending only to them. Taking out `k` of `n` costs O((k + 1) log
//! n).

use super::lines::{Line, WIDTH, build};

/// Right ends of intervals; see above.
#[derive(Debug)]
pub(super) struct Stabbing {
    levels: Vec<Vec<Line>>,
}

/// The right end of an interval that was taken out.
const OUT: i32 = -1;

/// Slots from `.0` up to but not including `.1`.
type Slots = (u32, u32);

impl Stabbing {
    /// Room for `slots` slots, all without an interval. Fill it, then call [`Stabbing::finish`].
    pub(super) fn with_slots(slots: usize) -> Stabbing {
        Stabbing { levels: vec![vec![Line([OUT; WIDTH]); slots.div_ceil(WIDTH).max(1)]] }
    }

    /// Puts an interval with this right end into a slot.
    pub(super) fn put(&mut self, slot: u32, right: u32) {
        self.levels[0][slot as usize / WIDTH].0[slot as usize % WIDTH] = right as i32;
    }

    /// Builds the levels above.
    pub(super) fn finish(&mut self) {
        self.levels = build(self.levels.swap_remove(0), OUT, Line::max);
    }

    /// Takes out the intervals among the `slots` that end at `peak` or later, and pushes their
    /// slots and right ends.
    pub(super) fn take(&mut self, slots: Slots, peak: u32, taken: &mut Vec<(u32, u32)>) {
        if slots.0 < slots.1 {
            self.take_from(self.levels.len() - 1, 0, slots, peak as i32, taken);
        }
    }

    /// Takes from a line, and returns its new maximum.
    fn take_from(
        &mut self,
        level: usize,
        i: usize,
        slots: Slots,
        peak: i32,
        taken: &mut Vec<(u32, u32)>,
    ) -> i32 {
        let mut bits = self.levels[level][i].at_least(peak) & within(level, i, slots);
        while bits != 0 {
            let k = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let at = i * WIDTH + k;
            self.levels[level][i].0[k] = if level > 0 {
                self.take_from(level - 1, at, slots, peak, taken)
            } else {
                taken.push((at as u32, self.levels[0][i].0[k] as u32));
                OUT
            };
        }
        self.levels[level][i].max()
    }

    /// The first of the `slots` whose interval ends at `peak` or later.
    pub(super) fn first(&self, slots: Slots, peak: u32) -> Option<u32> {
        if slots.0 >= slots.1 {
            return None;
        }
        self.first_in(self.levels.len() - 1, 0, slots, peak as i32)
    }

    fn first_in(&self, level: usize, i: usize, slots: Slots, peak: i32) -> Option<u32> {
        let mut bits = self.levels[level][i].at_least(peak) & within(level, i, slots);
        while bits != 0 {
            let at = i * WIDTH + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if level == 0 {
                return Some(at as u32);
            }
            // Only at the ends of the range can a line lack what its number promises.
            if let Some(slot) = self.first_in(level - 1, at, slots, peak) {
                return Some(slot);
            }
        }
        None
    }

    /// Takes out the interval of a slot.
    pub(super) fn clear(&mut self, slot: u32) {
        let (mut at, mut max) = (slot as usize, OUT);
        for level in &mut self.levels {
            let line = &mut level[at / WIDTH];
            let before = line.max();
            line.0[at % WIDTH] = max;
            max = line.max();
            if max == before {
                return;
            }
            at /= WIDTH;
        }
    }
}

/// The positions in line `i` of a level below which some of the slots lie.
fn within(level: usize, i: usize, slots: Slots) -> u32 {
    let shift = 4 * level as u32;
    let base = i * WIDTH;
    let first = (slots.0 >> shift) as usize;
    let last = ((slots.1 - 1) >> shift) as usize;
    if last < base || first >= base + WIDTH {
        return 0;
    }
    let first = first.saturating_sub(base);
    let last = (last - base).min(WIDTH - 1);
    (u32::MAX << first) & (u32::MAX >> (31 - last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_like_a_list() {
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..200 {
            let slots = random.usize(0..700);
            let mut list: Vec<Option<u32>> = Vec::new();
            let mut stabbing = Stabbing::with_slots(slots);
            for slot in 0..slots {
                let right = random.u32(0..1000);
                list.push(Some(right));
                stabbing.put(slot as u32, right);
            }
            stabbing.finish();
            for _ in 0..40 {
                let (a, b) = (random.usize(0..=slots), random.usize(0..=slots));
                let (range, peak) = ((a.min(b) as u32, a.max(b) as u32), random.u32(0..1100));
                let reach = |slot: &u32| list[*slot as usize].is_some_and(|r| r >= peak);
                let expected: Vec<u32> = (range.0..range.1).filter(reach).collect();
                assert_eq!(stabbing.first(range, peak), expected.first().copied());
                if random.bool() {
                    let mut taken = Vec::new();
                    stabbing.take(range, peak, &mut taken);
                    let with_right = |slot: &u32| (*slot, list[*slot as usize].unwrap());
                    let expected: Vec<(u32, u32)> = expected.iter().map(with_right).collect();
                    assert_eq!(taken, expected);
                    taken.iter().for_each(|(slot, _)| list[*slot as usize] = None);
                } else if slots > 0 {
                    let slot = random.usize(0..slots);
                    stabbing.clear(slot as u32);
                    list[slot] = None;
                }
            }
        }
    }
}
