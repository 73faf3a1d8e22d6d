//! Sixteen numbers that fill a cache line: the building block of the trees in this module.
//!
//! A tree with sixteen branches has a quarter of the levels of a binary one, each level costs one
//! cache line, and a line is processed by a few vector instructions.

/// Numbers in a line.
pub(super) const WIDTH: usize = 16;

/// A line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Line(pub(super) [i32; WIDTH]);

impl Line {
    /// The smallest number.
    pub(super) fn min(&self) -> i32 {
        self.0.iter().copied().fold(i32::MAX, i32::min)
    }

    /// The largest number.
    pub(super) fn max(&self) -> i32 {
        self.0.iter().copied().fold(i32::MIN, i32::max)
    }

    /// Adds `by` to the numbers at the positions strictly between `after` and `before`.
    pub(super) fn add_between(&mut self, after: i32, before: i32, by: i32) {
        for (i, n) in self.0.iter_mut().enumerate() {
            let i = i as i32;
            *n += if i > after && i < before { by } else { 0 };
        }
    }

    /// A bitmap of the numbers that are equal to `to`.
    pub(super) fn equal(&self, to: i32) -> u32 {
        self.bits(|n| n == to)
    }

    /// A bitmap of the numbers that are at least `least`.
    pub(super) fn at_least(&self, least: i32) -> u32 {
        self.bits(|n| n >= least)
    }

    fn bits(&self, test: impl Fn(i32) -> bool) -> u32 {
        let bit = |(i, n): (usize, &i32)| u32::from(test(*n)) << i;
        self.0.iter().enumerate().map(bit).fold(0, |a, b| a | b)
    }
}

/// The levels above `leaves`, up to a single line: each number summarises a line below. Lines are
/// padded with `padding`.
pub(super) fn build(leaves: Vec<Line>, padding: i32, sum_up: fn(&Line) -> i32) -> Vec<Vec<Line>> {
    let mut levels = vec![leaves];
    while let Some(below) = levels.last()
        && below.len() > 1
    {
        let mut level = vec![Line([padding; WIDTH]); below.len().div_ceil(WIDTH)];
        for (i, line) in below.iter().enumerate() {
            level[i / WIDTH].0[i % WIDTH] = sum_up(line);
        }
        levels.push(level);
    }
    levels
}
