//! From the walk of a depth-first search to histories.
//!
//! Each recording tells how many precede it. If that is fewer than were there, the search has turned back:
//! what was there is a history that will not become longer. Each is judged once, however often the search
//! comes by.
//!
//! The depth of the search would not do in place of that number: it can turn back, take another way without
//! recordings, and come to the next one deeper than before.

use std::collections::HashSet;

use super::recording::{Recording, What};

/// So many different histories are remembered; after that, some may be judged again.
const REMEMBERED: usize = 1_000_000;

/// The path to where the search is, and what was judged.
#[derive(Debug, Default)]
pub(super) struct Histories {
    path: Vec<Recording>,
    /// Something was added since a history was judged.
    is_new: bool,
    seen: HashSet<Vec<(u32, What)>>,
    judged: u64,
}

impl Histories {
    /// The search has come to this, which is not beyond the end of the path. What `judge` says of the
    /// history that it left, if it says something.
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

    /// The search turns back here.
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

    /// How many recordings lead to where the search is.
    pub(super) fn len(&self) -> usize {
        self.path.len()
    }

    /// How many different histories were judged.
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
    fn a_walk_has_a_history_at_each_turn() {
        assert_eq!(
            walk(&[(0, 0), (1, 1), (1, 2), (2, 3), (1, 5)]),
            [vec![0, 1], vec![0, 2, 3], vec![0, 5]]
        );
    }

    #[test]
    fn what_was_seen_is_not_judged_again() {
        assert_eq!(walk(&[(0, 0), (1, 1), (0, 0), (1, 1)]), [vec![0, 1]]);
        assert!(walk(&[]).is_empty());
    }
}
