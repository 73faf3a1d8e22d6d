//! Random runs with restarts, on one core. A run moves from a state to one of its new successors, chosen at random, until
//! there is none; then another run starts at a random state that was discovered and not expanded. Runs get deep quickly,
//! and reach places that no other order prefers. Each state is expanded once, so eventually everything is explored.

use super::super::supervisor::{Stop, Supervisor};
use super::super::visited::Share;
use super::{Found, Pass, Rounds};
use crate::system::mix;

/// States between two checks of the limits.
const STRETCH: usize = 1 << 10;

impl Rounds<'_> {
    pub(super) fn by_walks(
        &mut self,
        seed: u64,
        supervisor: &mut Supervisor<'_>,
    ) -> Result<(), Stop> {
        let mut rng = Rng(seed);
        // States that were discovered and not expanded.
        let mut left = vec![0];
        while !left.is_empty() {
            let bytes = left.capacity() * size_of::<u32>();
            self.prepare(left.len() as u64, bytes, supervisor)?;
            let mut share = self.visited.share(1);
            let result = self.stretch(&mut left, &mut rng, &mut share);
            self.visited.settle(&share);
            result?;
        }
        Ok(())
    }

    /// Expands up to [`STRETCH`] states, as long as there is room.
    fn stretch(
        &mut self,
        left: &mut Vec<u32>,
        rng: &mut Rng,
        share: &mut Share,
    ) -> Result<(), Stop> {
        // The new successors of the previous state are the last `following` of `left`.
        let mut following = 0;
        for _ in 0..STRETCH {
            let choices = if following > 0 { following } else { left.len() };
            if choices == 0 || !self.has_room(share) {
                break;
            }
            let chosen = left.swap_remove(left.len() - choices + rng.below(choices));
            let found = self.expand_alone(chosen as usize, share)?;
            let before = self.discovered.len();
            if let Some((parent, last)) = self.keep(found) {
                return Err(Stop::Violation(parent, last));
            }
            left.extend(before as u32..self.discovered.len() as u32);
            following = self.discovered.len() - before;
        }
        Ok(())
    }

    fn expand_alone(&mut self, at: usize, share: &mut Share) -> Result<Found, Stop> {
        let mut slot = self.tables_of(0);
        let mut worker = self.worker(self.judges, slot.take().unwrap_or_default());
        let mut found = Found::default();
        let result = self.expand(&mut worker, at..at + 1, Pass::All, true, &mut found, share);
        *slot = Some(worker.into_tables());
        result.map_err(Stop::Error)?;
        Ok(found)
    }
}

/// A pseudo-random number generator (SplitMix).
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix(self.0) >> 1) as usize % n
    }
}
