//! A few rows that contradict each other, found by asking about the rows shortly before the return
//! that cannot be explained, with all others relaxed.
//!
//! A relaxed row is cheap: a relaxed add is one more add of its value that may happen at any time, a
//! relaxed removal one more that removes anything. So a question takes as long as the rows that are kept.

use super::super::Contradiction;
use super::super::minimise::few_rows;
use super::layers::{Answer, run};
use super::{Columns, Effort, Kind, Problem};
use crate::sorting::sort_by_key;

/// Begin with this many rows.
const FIRST_WINDOW: usize = 16;
/// Units of work for one question: a constant, plus an amount for each row. Relaxed rows can make a
/// question much harder than the one that was answered, and the answer does not depend on it.
const WORK: u64 = 100_000;
const WORK_PER_ROW: u64 = 400;
/// Units of work in all.
const MOST_WORK: u64 = 60_000_000;

/// The rows that prevent the return of `row`.
pub(super) fn contradiction(c: &Columns, ranks: &[u32], row: u32) -> Contradiction {
    let mut questions = Questions::new(c, ranks);
    let rows = match questions.window(row) {
        Some(window) => {
            let cost = window.len();
            few_rows(window, cost, |rows| questions.is_bad(rows))
        }
        None => (0..c.len() as u32).filter(|row| c.kinds[*row as usize] != Kind::Idle).collect(),
    };
    Contradiction::of_all(&rows, ": no order explains these results, whatever the others did")
}

struct Questions<'q> {
    c: &'q Columns,
    ranks: &'q [u32],
    /// Units of work that are left.
    work: u64,
    /// How many adds of each value there are, and how many removals.
    adds: Vec<u32>,
    removals: usize,
}

impl<'q> Questions<'q> {
    fn new(c: &'q Columns, ranks: &'q [u32]) -> Questions<'q> {
        let mut adds = vec![0; c.value_count];
        for (kind, value) in c.kinds.iter().zip(&c.values) {
            if *kind == Kind::Add {
                adds[*value as usize] += 1;
            }
        }
        let removals = (0..c.len() as u32).filter(|row| is_removal(c, *row)).count();
        Questions { c, ranks, work: MOST_WORK, adds, removals }
    }

    /// True if the rows contradict each other with all others relaxed. False if a limit came first.
    fn is_bad(&mut self, rows: &[u32]) -> bool {
        let c = self.c;
        // As if it took all of it, which is the case for the hard ones.
        let work = WORK + WORK_PER_ROW * rows.len() as u64;
        let Some(left) = self.work.checked_sub(work) else { return false };
        self.work = left;
        let mut calls = rows.to_vec();
        sort_by_key(&mut calls, |row| c.left[*row as usize]);
        let mut problem = Problem::of(c, self.ranks, calls);
        problem.spare_takes =
            self.removals - rows.iter().filter(|row| is_removal(c, **row)).count();
        problem.spare_adds.clone_from(&self.adds);
        for &row in rows.iter().filter(|row| c.kinds[**row as usize] == Kind::Add) {
            problem.spare_adds[c.values[row as usize] as usize] -= 1;
        }
        let mut effort = Effort::constant().most_work(work);
        matches!(run(&problem, false, &mut effort), Ok(Answer::StuckAt(_)))
    }

    /// The row and those called shortly before it returned, enough of them to contradict each other.
    fn window(&mut self, row: u32) -> Option<Vec<u32>> {
        let c = self.c;
        let until = c.right[row as usize];
        let is_relevant = |r: &u32| {
            *r != row && c.kinds[*r as usize] != Kind::Idle && c.left[*r as usize] <= until
        };
        let mut before: Vec<u32> = (0..c.len() as u32).filter(is_relevant).collect();
        sort_by_key(&mut before, |row| c.left[*row as usize]);
        let mut size = FIRST_WINDOW;
        loop {
            let mut rows = before[before.len().saturating_sub(size)..].to_vec();
            rows.push(row);
            if self.is_bad(&rows) {
                return Some(rows);
            }
            if size >= before.len() {
                return None;
            }
            size *= 4;
        }
    }
}

/// True if the row may remove something once it is relaxed.
fn is_removal(c: &Columns, row: u32) -> bool {
    matches!(c.kinds[row as usize], Kind::Remove | Kind::Take | Kind::Empty)
}
