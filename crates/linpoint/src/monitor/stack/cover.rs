//! Counts the elements that are certainly on the stack at each peak, as elements disappear.
//!
//! A tree of [lines](super::lines) over the peaks, in which each number is the minimum of the line
//! below it. Subtracting from a range touches two lines on each level, and nothing is pushed down:
//! a number that is changed as a whole keeps the change, so it says how far its line is off.
//! Reported peaks are raised out of reach permanently.

use super::lines::{Line, WIDTH, build};

/// A run of peaks, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) last: u32,
}

/// Counts for each peak, see above.
#[derive(Debug)]
pub(super) struct Cover {
    levels: Vec<Vec<Line>>,
}

/// What is added to a peak that has been reported. Counts stay far below.
const GONE: i32 = 1 << 30;

impl Cover {
    /// Counts the `spans`, each from `.0` up to but not including `.1`, at the peaks below `peaks`.
    pub(super) fn new(peaks: u32, spans: impl Iterator<Item = (u32, u32)>) -> Cover {
        let peaks = peaks as usize;
        let mut leaves = vec![Line([0; WIDTH]); peaks / WIDTH + 1];
        for (first, end) in spans {
            leaves[first as usize / WIDTH].0[first as usize % WIDTH] += 1;
            leaves[end as usize / WIDTH].0[end as usize % WIDTH] -= 1;
        }
        let mut count = 0;
        for n in leaves.iter_mut().flat_map(|line| &mut line.0) {
            count += *n;
            *n = count;
        }
        for i in peaks..leaves.len() * WIDTH {
            leaves[i / WIDTH].0[i % WIDTH] = GONE;
        }
        Cover { levels: build(leaves, GONE, Line::min) }
    }

    /// The smallest count of an unreported peak; `None` if there is none.
    pub(super) fn least(&self) -> Option<u32> {
        let least = self.levels.last()?.first()?.min();
        // A reported peak may lose at most every count it had.
        (least < GONE / 2).then_some(least as u32)
    }

    /// Calls `found` with the peaks that have no count. Must be called before anything changes.
    pub(super) fn each_free(&self, mut found: impl FnMut(u32)) {
        for (i, line) in self.levels[0].iter().enumerate() {
            let mut bits = line.equal(0);
            while bits != 0 {
                found((i * WIDTH) as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// Counts one less at the peaks from `first` to `last`.
    pub(super) fn uncover(&mut self, first: u32, last: u32) {
        let (mut lo, mut hi) = (first as usize, last as usize);
        let (mut at_lo, mut at_hi) = (-1, -1);
        let mut change = 0;
        let mut levels = self.levels.iter_mut();
        for level in levels.by_ref() {
            let (left, right) = (lo / WIDTH, hi / WIDTH);
            if left == right {
                let line = &mut level[left];
                let before = line.min();
                line.add_between((lo % WIDTH) as i32, (hi % WIDTH) as i32, -1);
                line.0[lo % WIDTH] += at_lo;
                if lo != hi {
                    line.0[hi % WIDTH] += at_hi;
                }
                change = line.min() - before;
                lo = left;
                break;
            }
            let line = &mut level[left];
            let before = line.min();
            line.add_between((lo % WIDTH) as i32, WIDTH as i32, -1);
            line.0[lo % WIDTH] += at_lo;
            at_lo = line.min() - before;
            let line = &mut level[right];
            let before = line.min();
            line.add_between(-1, (hi % WIDTH) as i32, -1);
            line.0[hi % WIDTH] += at_hi;
            at_hi = line.min() - before;
            (lo, hi) = (left, right);
        }
        for level in levels {
            if change == 0 {
                return;
            }
            let line = &mut level[lo / WIDTH];
            let before = line.min();
            line.0[lo % WIDTH] += change;
            change = line.min() - before;
            lo /= WIDTH;
        }
    }

    /// Reports all peaks that have the smallest count, in runs from left to right.
    pub(super) fn report(&mut self, runs: &mut Vec<Run>) {
        let known = runs.len();
        if let Some(top) = self.levels.len().checked_sub(1) {
            self.report_line(top, 0, known, runs);
        }
    }

    /// Reports the smallest of a line, and returns the change of its minimum.
    fn report_line(&mut self, level: usize, i: usize, known: usize, runs: &mut Vec<Run>) -> i32 {
        let least = self.levels[level][i].min();
        let mut bits = self.levels[level][i].equal(least);
        while bits != 0 {
            let k = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let at = i * WIDTH + k;
            let change = if level > 0 {
                self.report_line(level - 1, at, known, runs)
            } else {
                match runs[known..].last_mut() {
                    Some(run) if run.last as usize + 1 == at => run.last += 1,
                    _ => runs.push(Run { first: at as u32, last: at as u32 }),
                }
                GONE
            };
            self.levels[level][i].0[k] += change;
        }
        self.levels[level][i].min() - least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_like_an_array() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..200 {
            let peaks = random.u32(1..600);
            let mut spans: Vec<(u32, u32)> = (0..random.usize(0..40))
                .map(|_| {
                    let first = random.u32(0..peaks);
                    (first, random.u32(first + 1..=peaks))
                })
                .collect();
            let mut counts = vec![Some(0u32); peaks as usize];
            for (first, end) in &spans {
                counts[*first as usize..*end as usize].iter_mut().flatten().for_each(|n| *n += 1);
            }
            let mut cover = Cover::new(peaks, spans.iter().copied());
            loop {
                let least = counts.iter().flatten().min().copied();
                assert_eq!(cover.least(), least);
                if random.bool() || spans.is_empty() {
                    let Some(least) = least else { break };
                    let mut runs = Vec::new();
                    cover.report(&mut runs);
                    let reported: Vec<u32> = runs.iter().flat_map(|r| r.first..=r.last).collect();
                    let expected: Vec<u32> =
                        (0..peaks).filter(|p| counts[*p as usize] == Some(least)).collect();
                    assert_eq!(reported, expected);
                    expected.iter().for_each(|p| counts[*p as usize] = None);
                } else {
                    let (first, end) = spans.swap_remove(random.usize(0..spans.len()));
                    cover.uncover(first, end - 1);
                    counts[first as usize..end as usize].iter_mut().flatten().for_each(|n| *n -= 1);
                }
            }
        }
    }
}
