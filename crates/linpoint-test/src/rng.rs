//! Random choices from which operations are drawn. Choices can be recorded, made smaller and played
//! back.
//!
//! Every operation of a scenario is drawn from a generator of its own, so leaving one out does not
//! change the others. A drawing can be recorded as the list of numbers it asked for. Played back
//! from that list, it gives the same operation without a seed. Smaller numbers give simpler
//! operations, so values are shrunk without knowing their type.
//!
//! A report names the seed that found a failure, and regression files store the seeds of proptest values, so the
//! generator is the one whose sequence never changes. It is the only one of this crate: noise and uniform schedules use
//! it, too.

use std::ops::Range;

pub(crate) use linpoint::random::{SplitMix64, mix};

/// Random choices for drawing one operation.
#[derive(Clone, Debug)]
pub struct Rng {
    source: SplitMix64,
    place: Place,
    fresh_values: u64,
    /// `None` unless choices are recorded or played back.
    script: Option<Box<Script>>,
}

/// The position of an operation in a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The thread that performs it.
    pub thread: usize,
    /// The number of operations this thread performs before it.
    pub index: usize,
    /// The number of threads.
    pub threads: usize,
}

/// The choices of a drawing: those to play back, and those that were made.
#[derive(Clone, Debug, Default)]
struct Script {
    given: Option<Vec<u64>>,
    taken: Vec<Choice>,
}

/// A choice that a drawing made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    pub(crate) value: u64,
    /// The largest possible value.
    pub(crate) largest: u64,
    pub(crate) kind: ChoiceKind,
}

/// What a choice means for shrinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChoiceKind {
    /// Smaller is simpler.
    Number,
    /// A seed of another generator: no value is simpler than another.
    #[cfg(feature = "proptest")]
    Seed,
    /// The number of times a value was simplified: larger is simpler.
    #[cfg(feature = "proptest")]
    Simplifications,
}

impl Rng {
    /// A generator for one operation.
    pub fn new(seed: u64, place: Place) -> Rng {
        Rng { source: SplitMix64::new(seed), place, fresh_values: 0, script: None }
    }

    /// Records the choices.
    pub(crate) fn recording(mut self) -> Rng {
        self.script = Some(Box::default());
        self
    }

    /// Plays these choices back, then zeros, and records what was asked for.
    pub(crate) fn playing(choices: &[u64], place: Place) -> Rng {
        let script = Script { given: Some(choices.to_vec()), taken: Vec::new() };
        Rng { script: Some(Box::new(script)), ..Rng::new(0, place) }
    }

    /// The choices made, if they were recorded.
    pub(crate) fn taken(self) -> Vec<Choice> {
        self.script.map(|script| script.taken).unwrap_or_default()
    }

    /// The position of the operation that is being drawn.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The thread that will perform the operation, from 0.
    pub fn thread(&self) -> usize {
        self.place.thread
    }

    /// A number from 0 to `largest`.
    #[inline]
    fn choose(&mut self, largest: u64, kind: ChoiceKind) -> u64 {
        let random = self.source.up_to(largest);
        self.decide(random, largest, kind)
    }

    /// The choice to play back, if there is one; otherwise `random`.
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

    /// The number of times to simplify a value: zero, unless it is being shrunk.
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
        let random = self.source.up_to(UNIT - 1) < limit;
        // The answer is recorded, not the number behind it: shrinking has nothing in between to
        // try.
        self.decide(random.into(), 1, ChoiceKind::Number) != 0
    }

    /// One of these. Shrinking prefers earlier ones.
    ///
    /// # Panics
    ///
    /// If the slice is empty.
    #[inline]
    pub fn pick<'a, V>(&mut self, from: &'a [V]) -> &'a V {
        assert!(!from.is_empty(), "pick needs at least one value");
        &from[self.below(from.len() as u64) as usize]
    }

    /// A number from 1 up that no other operation of the run gets. Distinct values make reports
    /// easier to follow, and for most objects they are much faster to check.
    #[inline]
    pub fn fresh(&mut self) -> u64 {
        let Place { thread, index, threads } = self.place;
        let number = (index * threads.max(1) + thread) as u64 + 1;
        self.fresh_values += 1;
        number + ((self.fresh_values - 1) << 40)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_drawing_can_be_played_back() {
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
    fn missing_choices_are_zero_and_large_ones_are_clamped() {
        let mut rng = Rng::playing(&[99], Place::default());
        assert_eq!((rng.below(5), rng.below(5), rng.chance(0.9)), (4, 0, false));
        assert_eq!(rng.taken().len(), 3);
    }

    #[test]
    fn chance_matches_its_probability() {
        let count =
            |p: f64| (0..10_000).filter(|s| Rng::new(*s, Place::default()).chance(p)).count();
        assert_eq!((count(0.0), count(1.0)), (0, 10_000));
        assert!((2_700..3_300).contains(&count(0.3)), "{}", count(0.3));
    }

    #[test]
    fn fresh_values_are_distinct() {
        let mut seen = std::collections::HashSet::new();
        for thread in 0..3 {
            for index in 0..50 {
                let mut rng = Rng::new(0, Place { thread, index, threads: 3 });
                assert!(seen.insert(rng.fresh()) && seen.insert(rng.fresh()));
            }
        }
    }
}
