//! Extracts histories from the walk of a depth-first search.
//!
//! Each recording says how many precede it. If that is fewer than the current path has, the search has backtracked: the
//! path was a maximal history. Each history is judged once, however often the search repeats it.
//!
//! The depth of the search could not replace that number: the search can backtrack, follow another path without
//! recordings, and reach the next recording deeper than before.

use std::collections::HashSet;

use super::recording::{Recording, What};

/// Number of histories that are remembered. Beyond it, histories may be judged again.
const REMEMBERED: usize = 1_000_000;

/// The current path, and the histories that were judged.
#[derive(Debug, Default)]
pub(super) struct Histories {
    path: Vec<Recording>,
    /// The path has grown since a history was judged.
    is_new: bool,
    seen: HashSet<Vec<(u32, What)>>,
    judged: u64,
}

impl Histories {
    /// Adds a recording, which is not beyond the end of the path. Returns what `judge` says about the history that ended, if
    /// anything.
    pub(super) fn push<T>(
        &mut self,
        recording: Recording,
        judge: &mut impl FnMut(&[Recording]) -> Option<T>,
    ) -> Option<T> {
        let mut answer = None;
        if recording.index < self.path.len() {
            answer = self.finish(judge);
            self.path.truncate(recording.index);
        }
        self.path.push(recording);
        self.is_new = true;
        answer
    }

    /// Judges the current path: the search backtracks here.
    pub(super) fn finish<T>(
        &mut self,
        judge: &mut impl FnMut(&[Recording]) -> Option<T>,
    ) -> Option<T> {
        if !std::mem::take(&mut self.is_new) {
            return None;
        }
        let key: Vec<(u32, What)> = self.path.iter().map(|r| (r.process, r.what.clone())).collect();
        if self.seen.contains(&key) {
            return None;
        }
        if self.seen.len() < REMEMBERED {
            self.seen.insert(key);
        }
        self.judged += 1;
        judge(&self.path)
    }

    /// Length of the current path.
    pub(super) fn len(&self) -> usize {
        self.path.len()
    }

    /// Number of distinct histories that were judged.
    pub(super) fn checked(&self) -> u64 {
        self.judged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(index: usize, process: u32) -> Recording {
        Recording { index, process, what: What::Call { name: "f".into(), args: Vec::new() } }
    }

    /// The processes along each history, for a walk of (number, process).
    fn walk(steps: &[(usize, u32)]) -> Vec<Vec<u32>> {
        let mut all = Vec::new();
        let mut histories = Histories::default();
        let mut judge = |path: &[Recording]| {
            all.push(path.iter().map(|r| r.process).collect());
            None::<()>
        };
        for &(index, process) in steps {
            histories.push(record(index, process), &mut judge);
        }
        histories.finish(&mut judge);
        all
    }

    #[test]
    fn every_backtrack_ends_a_history() {
        assert_eq!(
            walk(&[(0, 0), (1, 1), (1, 2), (2, 3), (1, 5)]),
            [vec![0, 1], vec![0, 2, 3], vec![0, 5]]
        );
    }

    #[test]
    fn repeated_histories_are_judged_once() {
        assert_eq!(walk(&[(0, 0), (1, 1), (0, 0), (1, 1)]), [vec![0, 1]]);
        assert!(walk(&[]).is_empty());
    }
}
