//! A few rows that contradict each other, found by asking about the rows shortly before the return
//! that cannot be explained, with all others relaxed.
//!
//! A relaxed row is cheap: a relaxed add is one more add of its value that may happen at any time, a
//! relaxed removal one more that removes anything. So a question takes as long as the rows that are kept.

use super::super::Contradiction;
use super::super::minimise::few_rows;
use super::layers::{Answer, run};
use super::{Columns, Effort, Kind, Problem};

/// Begin with this many rows.
const FIRST_WINDOW: usize = 16;

/// The rows that prevent the return of `row`.
pub(super) fn contradiction(
    c: &Columns,
    ranks: &[u32],
    row: u32,
    effort: &mut Effort<'_>,
) -> Contradiction {
    let mut questions = Questions::new(c, ranks, effort);
    let rows = match questions.window(row) {
        Some(window) => {
            let cost = window.len();
            few_rows(window, cost, |rows| questions.is_bad(rows))
        }
        None => (0..c.len() as u32).filter(|row| c.kinds[*row as usize] != Kind::Idle).collect(),
    };
    Contradiction::of_all(&rows, ": no order explains these results, whatever the others did")
}

struct Questions<'q, 'e> {
    c: &'q Columns,
    ranks: &'q [u32],
    effort: &'q mut Effort<'e>,
    /// How many adds of each value there are, and how many removals.
    adds: Vec<u32>,
    removals: usize,
}

impl<'q, 'e> Questions<'q, 'e> {
    fn new(c: &'q Columns, ranks: &'q [u32], effort: &'q mut Effort<'e>) -> Questions<'q, 'e> {
        let mut adds = vec![0; c.value_count];
        for (kind, value) in c.kinds.iter().zip(&c.values) {
            if *kind == Kind::Add {
                adds[*value as usize] += 1;
            }
        }
        let removals = (0..c.len() as u32).filter(|row| is_removal(c, *row)).count();
        Questions { c, ranks, effort, adds, removals }
    }

    /// True if the rows contradict each other with all others relaxed. False if a limit came first.
    fn is_bad(&mut self, rows: &[u32]) -> bool {
        let c = self.c;
        let mut calls = rows.to_vec();
        calls.sort_by_key(|row| c.left[*row as usize]);
        let mut problem = Problem::of(c, self.ranks, calls);
        problem.spare_takes =
            self.removals - rows.iter().filter(|row| is_removal(c, **row)).count();
        problem.spare_adds.clone_from(&self.adds);
        for &row in rows.iter().filter(|row| c.kinds[**row as usize] == Kind::Add) {
            problem.spare_adds[c.values[row as usize] as usize] -= 1;
        }
        matches!(run(&problem, false, self.effort), Ok(Answer::StuckAt(_)))
    }

    /// The row and those called shortly before it returned, enough of them to contradict each other.
    fn window(&mut self, row: u32) -> Option<Vec<u32>> {
        let c = self.c;
        let until = c.right[row as usize];
        let is_relevant = |r: &u32| {
            *r != row && c.kinds[*r as usize] != Kind::Idle && c.left[*r as usize] <= until
        };
        let mut before: Vec<u32> = (0..c.len() as u32).filter(is_relevant).collect();
        before.sort_by_key(|row| c.left[*row as usize]);
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
