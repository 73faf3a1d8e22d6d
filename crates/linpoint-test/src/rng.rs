//! What operations are drawn from: random numbers that can be written down, made smaller, and played again.
//!
//! Every operation of a scenario is drawn from a generator of its own, so that leaving one out changes
//! no other. A drawing can be recorded as the list of numbers that it asked for; played from such a list,
//! it gives the same operation without any seed. Smaller numbers make simpler operations, which is how
//! values are shrunk without knowing their type.

use std::ops::Range;

/// Random numbers for drawing an operation.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
    place: Place,
    given_out: u64,
    /// None while nobody wants to know: the fast way.
    script: Option<Box<Script>>,
}

/// Where in a scenario an operation stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The thread that performs it.
    pub thread: usize,
    /// How many operations this thread performs before it.
    pub index: usize,
    /// How many threads there are.
    pub threads: usize,
}

/// The numbers of a drawing: those that are prescribed, and those that were asked for.
#[derive(Clone, Debug, Default)]
struct Script {
    given: Option<Vec<u64>>,
    taken: Vec<Choice>,
}

/// A number that a drawing asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The number.
    pub value: u64,
    /// The largest that it could have been.
    pub largest: u64,
    /// What it is good for.
    pub kind: ChoiceKind,
}

/// What a number of a drawing means for shrinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceKind {
    /// Smaller is simpler.
    Number,
    /// It says nothing about simplicity.
    Seed,
    /// So many times something was simplified: larger is simpler.
    Simplifications,
}

impl Rng {
    /// A generator for one operation.
    pub fn new(seed: u64, place: Place) -> Rng {
        Rng { state: seed, place, given_out: 0, script: None }
    }

    /// Writes down what is asked for.
    pub(crate) fn recording(mut self) -> Rng {
        self.script = Some(Box::default());
        self
    }

    /// Gives these numbers instead of random ones, then zeros, and writes down what is asked for.
    pub(crate) fn playing(choices: &[u64], place: Place) -> Rng {
        let script = Script { given: Some(choices.to_vec()), taken: Vec::new() };
        Rng { script: Some(Box::new(script)), ..Rng::new(0, place) }
    }

    /// What was asked for, if that was written down.
    pub(crate) fn taken(self) -> Vec<Choice> {
        self.script.map(|script| script.taken).unwrap_or_default()
    }

    /// Where the operation stands that is being drawn.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The thread that will perform the operation, from 0.
    pub fn thread(&self) -> usize {
        self.place.thread
    }

    /// SplitMix64: full period, and good from any seed, which matters because each operation has its own.
    #[inline]
    fn step(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// A number from 0 to `largest`.
    #[inline]
    pub(crate) fn choose(&mut self, largest: u64, kind: ChoiceKind) -> u64 {
        let random = scale(self.step(), largest);
        self.decide(random, largest, kind)
    }

    /// The number that is prescribed, or else this one.
    #[inline]
    fn decide(&mut self, random: u64, largest: u64, kind: ChoiceKind) -> u64 {
        let Some(script) = &mut self.script else { return random };
        let value = match &script.given {
            None => random,
            Some(given) => given.get(script.taken.len()).copied().unwrap_or(0).min(largest),
        };
        script.taken.push(Choice { value, largest, kind });
        value
    }

    /// A seed for another generator.
    #[cfg(feature = "proptest")]
    pub(crate) fn seed(&mut self) -> u64 {
        self.choose(u64::MAX, ChoiceKind::Seed)
    }

    /// How many times something is to be simplified: not at all, unless it is being shrunk.
    #[cfg(feature = "proptest")]
    pub(crate) fn simplifications(&mut self) -> u64 {
        self.decide(0, 1 << 12, ChoiceKind::Simplifications)
    }

    /// A number below `bound`; 0 if the bound is 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        self.choose(bound.saturating_sub(1), ChoiceKind::Number)
    }

    /// A number in a range; its start if the range is empty.
    #[inline]
    pub fn range(&mut self, range: Range<u64>) -> u64 {
        range.start + self.below(range.end.saturating_sub(range.start))
    }

    /// True with this probability. Shrinking tries false first.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        const UNIT: u64 = 1 << 32;
        let limit = (probability.clamp(0.0, 1.0) * UNIT as f64) as u64;
        let random = scale(self.step(), UNIT - 1) < limit;
        // What is written down is the answer, not the number behind it: there is nothing in between to try.
        self.decide(random.into(), 1, ChoiceKind::Number) != 0
    }

    /// One of these. Shrinking prefers those in front.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[inline]
    pub fn pick<'a, V>(&mut self, from: &'a [V]) -> &'a V {
        assert!(!from.is_empty(), "there is nothing to pick from");
        &from[self.below(from.len() as u64) as usize]
    }

    /// A number that no other operation of the run is given, from 1: for values that differ, which are
    /// easier to follow in a report, and for most objects much faster to check.
    #[inline]
    pub fn fresh(&mut self) -> u64 {
        let Place { thread, index, threads } = self.place;
        let number = (index * threads.max(1) + thread) as u64 + 1;
        self.given_out += 1;
        number + ((self.given_out - 1) << 40)
    }
}

/// The `largest + 1` numbers from 0, about equally often, without a division.
#[inline]
fn scale(random: u64, largest: u64) -> u64 {
    ((u128::from(random) * (u128::from(largest) + 1)) >> 64) as u64
}

/// Mixes the bits of a number.
#[inline]
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_drawing_plays_again() {
        let draw = |rng: &mut Rng| (rng.below(10), rng.chance(0.5), *rng.pick(&['a', 'b', 'c']));
        for seed in 0..200 {
            let mut recording = Rng::new(seed, Place::default()).recording();
            let mut plain = Rng::new(seed, Place::default());
            let drawn = draw(&mut recording);
            assert_eq!(draw(&mut plain), drawn);
            let numbers: Vec<u64> = recording.taken().iter().map(|c| c.value).collect();
            assert_eq!(draw(&mut Rng::playing(&numbers, Place::default())), drawn);
        }
    }

    #[test]
    fn a_script_that_is_too_short_or_too_large_gives_the_simplest() {
        let mut rng = Rng::playing(&[99], Place::default());
        assert_eq!((rng.below(5), rng.below(5), rng.chance(0.9)), (4, 0, false));
        assert_eq!(rng.taken().len(), 3);
    }

    #[test]
    fn chances_are_about_right() {
        let count =
            |p: f64| (0..10_000).filter(|s| Rng::new(*s, Place::default()).chance(p)).count();
        assert_eq!((count(0.0), count(1.0)), (0, 10_000));
        assert!((2_700..3_300).contains(&count(0.3)), "{}", count(0.3));
    }

    #[test]
    fn fresh_numbers_differ() {
        let mut seen = std::collections::HashSet::new();
        for thread in 0..3 {
            for index in 0..50 {
                let mut rng = Rng::new(0, Place { thread, index, threads: 3 });
                assert!(seen.insert(rng.fresh()) && seen.insert(rng.fresh()));
            }
        }
    }
}
