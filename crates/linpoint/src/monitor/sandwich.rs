//! Decides which elements the pending removals of a stack or a priority queue took.
//!
//! A removal that never returned may have removed any element that no completed operation removed,
//! or nothing. Once each one is assigned an element, the monitor can decide; no fast rule for the
//! assignment is known. So the answer is sandwiched:
//!
//! 1. nothing was taken by them: if that explains the history, it is linearizable;
//! 2. *every* element could be taken by the earliest of them: if even that explains nothing, it is not;
//! 3. a few likely assignments, some of them made by taking one more of the elements that are to blame, and then
//! 4. all that are left, as long as the budget lasts. After that the monitor refuses.
//!
//! Giving a removal to an element, or an earlier removal, never hurts: the element need not stay as
//! long, and a removal at the very end is as good as none. Hence the removals in use are the
//! earliest ones, in order, and a branch is abandoned as soon as step 2, for the removals that are
//! left, fails. And an element that an assignment can do without needs no removal in any larger
//! assignment either; the monitor reports which ones those are ([`Monitor::blamed`]).
//!
//! Time: steps 3 and 4 read at most `WORK` rows. Whether a polynomial rule exists is open. Paper:
//! Lee and Mathur on monitoring linearizability decide complete histories only.

use super::Refusal;
use super::columns::Columns;
use super::container::Elements;
use super::effort::Effort;
use crate::sorting::sort_by_key;

/// Maximum number of rows that steps 3 and 4 may read, over all queries together.
const WORK: usize = 30_000_000;

/// A pending removal that took an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Taken {
    /// The number of the element, which no completed operation removed.
    pub(crate) element: u32,
    /// The row of the pending removal.
    pub(crate) by: u32,
}

/// A monitor that can decide an assignment of pending removals to elements.
pub(crate) trait Monitor {
    /// The details of a yes.
    type Yes;
    /// The details of a no.
    type No;

    /// Whether there is an order in which exactly these elements were taken by pending removals.
    /// Each of those may also have happened after everything else. For step 2, one removal takes
    /// many.
    fn ask(&mut self, taken: &[Taken]) -> Result<Self::Yes, Self::No>;

    /// A set of elements, some of which must be taken in addition to get a yes. `None`: any that
    /// was not removed.
    fn blamed(&self, _no: &Self::No) -> Option<Vec<u32>> {
        None
    }
}

/// The answer.
#[derive(Debug)]
pub(crate) enum Sandwich<Y, N> {
    /// This assignment explains the history.
    Yes(Y),
    /// No assignment does, because this one does not, which allows more than any other. (It is the
    /// empty one if there is nothing to assign.)
    No(N),
    /// All assignments have been tried.
    NoneFits,
}

/// How long a query takes for each row, in the units of an [`Effort`].
const UNITS_PER_ROW: usize = 32;

/// Tries one assignment after the other.
pub(crate) fn decide<M: Monitor>(
    c: &Columns,
    e: &Elements,
    monitor: &mut M,
    effort: &mut Effort<'_>,
) -> Result<Sandwich<M::Yes, M::No>, Refusal> {
    decide_at_cost(c.len() + 64, e, monitor, effort)
}

/// The same, where each query costs this many rows.
fn decide_at_cost<M: Monitor>(
    rows: usize,
    e: &Elements,
    monitor: &mut M,
    effort: &mut Effort<'_>,
) -> Result<Sandwich<M::Yes, M::No>, Refusal> {
    let no = match monitor.ask(&[]) {
        Ok(yes) => return Ok(Sandwich::Yes(yes)),
        Err(no) => no,
    };
    let mut trial = Trial { e, monitor, effort, taken: Vec::new(), work: WORK, rows };
    let Some(&earliest) = e.takes.first() else { return Ok(Sandwich::No(no)) };
    let candidates = trial.candidates(&no);
    if candidates.is_empty() {
        return Ok(Sandwich::No(no));
    }
    let all: Vec<Taken> =
        candidates.iter().map(|&element| Taken { element, by: earliest }).collect();
    match trial.monitor.ask(&all) {
        Err(no) => return Ok(Sandwich::No(no)),
        Ok(yes) if candidates.len() == 1 => return Ok(Sandwich::Yes(yes)),
        Ok(_) => {}
    }
    Ok(match trial.guess(&candidates)? {
        Some(yes) => Sandwich::Yes(yes),
        None => trial.enumerate(candidates)?.map_or(Sandwich::NoneFits, Sandwich::Yes),
    })
}

/// The assignments that are being tried.
struct Trial<'a, 'b, M> {
    e: &'a Elements,
    monitor: &'a mut M,
    effort: &'a mut Effort<'b>,
    /// The assignment: the i-th element is taken by the i-th pending removal.
    taken: Vec<Taken>,
    /// Number of rows that may still be read.
    work: usize,
    /// The cost of a query.
    rows: usize,
}

/// The elements that may take the next pending removal, and how many of them have been tried.
struct Choice {
    candidates: Vec<u32>,
    tried: usize,
}

impl<M: Monitor> Trial<'_, '_, M> {
    fn ask(&mut self, taken: &[Taken]) -> Result<Result<M::Yes, M::No>, Refusal> {
        match self.work.checked_sub(self.rows) {
            None => Err(Refusal::new("too many possible assignments of pending removals")),
            Some(left) => {
                self.work = left;
                self.effort.look(UNITS_PER_ROW * self.rows)?;
                Ok(self.monitor.ask(taken))
            }
        }
    }

    /// The elements that may be taken in addition.
    fn candidates(&self, no: &M::No) -> Vec<u32> {
        let free = |n: &u32| {
            let element = &self.e.list[*n as usize];
            element.is_used()
                && !element.is_removed()
                && self.taken.iter().all(|taken| taken.element != *n)
        };
        match self.monitor.blamed(no) {
            Some(list) => list.into_iter().filter(free).collect(),
            None => (0..self.e.list.len() as u32).filter(free).collect(),
        }
    }

    /// Step 3: the removals in order, for the elements in some likely orders.
    fn guess(&mut self, candidates: &[u32]) -> Result<Option<M::Yes>, Refusal> {
        let added = |n: &u32| self.e.list[*n as usize].add_right;
        let mut by_add = candidates.to_vec();
        sort_by_key(&mut by_add, added);
        let late_first = by_add.iter().rev().copied().collect();
        let mut by_number = candidates.to_vec();
        sort_by_key(&mut by_number, |n| !u64::from(*n));
        for order in [by_add, late_first, by_number] {
            let pairs = order.iter().zip(&self.e.takes);
            let taken: Vec<Taken> = pairs.map(|(&element, &by)| Taken { element, by }).collect();
            if let Ok(yes) = self.ask(&taken)? {
                return Ok(Some(yes));
            }
        }
        for (picks_last, last_first) in [(true, true), (false, true), (true, false), (false, false)]
        {
            if let Some(yes) = self.repair(picks_last, last_first)? {
                return Ok(Some(yes));
            }
        }
        Ok(None)
    }

    /// Takes one more of the blamed elements until there is an answer: the one that was added last, or first. The
    /// removals go to the elements by the time of their adds, the last or the first in front.
    fn repair(&mut self, picks_last: bool, last_first: bool) -> Result<Option<M::Yes>, Refusal> {
        let e = self.e;
        let added = |n: &u32| e.list[*n as usize].add_right;
        let mut picked: Vec<u32> = Vec::new();
        loop {
            let pairs = picked.iter().zip(&e.takes);
            let taken: Vec<Taken> = pairs.map(|(&element, &by)| Taken { element, by }).collect();
            let no = match self.ask(&taken)? {
                Ok(yes) => return Ok(Some(yes)),
                Err(no) => no,
            };
            let mut blamed = self.candidates(&no);
            blamed.retain(|element| !picked.contains(element));
            let pick = match picks_last {
                true => blamed.into_iter().max_by_key(added),
                false => blamed.into_iter().min_by_key(added),
            };
            let Some(pick) = pick.filter(|_| picked.len() < e.takes.len()) else { return Ok(None) };
            picked.push(pick);
            sort_by_key(&mut picked, |n| match last_first {
                true => !added(n),
                false => added(n),
            });
        }
    }

    /// Step 4: all assignments, each removal in turn to one of the blamed elements.
    fn enumerate(&mut self, candidates: Vec<u32>) -> Result<Option<M::Yes>, Refusal> {
        let mut choices = vec![Choice { candidates, tried: 0 }];
        while let Some(choice) = choices.last_mut() {
            let Some(&element) = choice.candidates.get(choice.tried) else {
                choices.pop();
                self.taken.pop();
                continue;
            };
            choice.tried += 1;
            let by = self.e.takes[self.taken.len()];
            self.taken.push(Taken { element, by });
            match self.extend()? {
                Extension::Yes(yes) => return Ok(Some(yes)),
                Extension::Further(candidates) => choices.push(Choice { candidates, tried: 0 }),
                Extension::Dead => drop(self.taken.pop()),
            }
        }
        Ok(None)
    }

    /// Extends the assignment.
    fn extend(&mut self) -> Result<Extension<M::Yes>, Refusal> {
        let taken = self.taken.clone();
        let no = match self.ask(&taken)? {
            Ok(yes) => return Ok(Extension::Yes(yes)),
            Err(no) => no,
        };
        let candidates = self.candidates(&no);
        let Some(&next) = self.e.takes.get(taken.len()) else { return Ok(Extension::Dead) };
        if candidates.is_empty() {
            return Ok(Extension::Dead);
        }
        let mut all = taken;
        all.extend(candidates.iter().map(|&element| Taken { element, by: next }));
        Ok(match self.ask(&all)? {
            Ok(_) => Extension::Further(candidates),
            Err(_) => Extension::Dead,
        })
    }
}

/// The result of extending an assignment.
enum Extension<Y> {
    /// It explains the history.
    Yes(Y),
    /// A larger one may; these elements are to blame.
    Further(Vec<u32>),
    /// No assignment that contains it does.
    Dead,
}

#[cfg(test)]
mod tests {
    use super::super::container::Element;
    use super::super::names::NONE;
    use super::*;

    /// Answers yes if each removal was given to the element that it must have.
    struct Wants {
        pairs: Vec<Taken>,
        asked: usize,
    }

    impl Monitor for Wants {
        type Yes = ();
        type No = ();

        fn ask(&mut self, taken: &[Taken]) -> Result<(), ()> {
            self.asked += 1;
            // A removal that takes many is the earliest one left, so it fits any.
            let will_do = |want: &Taken, t: &&Taken| t.element == want.element && t.by <= want.by;
            let fits = |want: &Taken| taken.iter().any(|t| will_do(want, &t));
            self.pairs.iter().all(fits).then_some(()).ok_or(())
        }
    }

    /// A number of elements that were not removed, and of pending removals.
    fn object(elements: u32, takes: u32) -> Elements {
        let element = Element {
            add: 0,
            remove: NONE,
            add_left: 0,
            add_right: 0,
            seen_right: NONE,
            last_left: 0,
        };
        let list = (0..elements).map(|n| Element { add: n, ..element }).collect();
        Elements {
            list,
            unremoved: elements as usize,
            has_peeks: false,
            takes: (0..takes).collect(),
            empties: Vec::new(),
        }
    }

    fn ask(elements: u32, takes: u32, pairs: &[(u32, u32)]) -> (String, usize) {
        let e = object(elements, takes);
        let pairs = pairs.iter().map(|&(element, by)| Taken { element, by }).collect();
        let mut monitor = Wants { pairs, asked: 0 };
        let found = match decide_at_cost(64, &e, &mut monitor, &mut Effort::constant()) {
            Ok(found) => format!("{found:?}"),
            Err(refusal) => refusal.to_string(),
        };
        (found, monitor.asked)
    }

    #[test]
    fn every_assignment_is_tried() {
        assert_eq!(ask(3, 2, &[]), ("Yes(())".into(), 1));
        // Nothing to assign, or not even taking everything is enough.
        assert_eq!(ask(3, 0, &[(1, 0)]), ("No(())".into(), 1));
        assert_eq!(ask(3, 2, &[(7, 0)]), ("No(())".into(), 2));
        assert_eq!(ask(1, 1, &[(0, 0)]), ("Yes(())".into(), 2));
        // No guess has this order.
        assert_eq!(ask(4, 3, &[(1, 0), (3, 1), (0, 2)]).0, "Yes(())");
        // More elements than removals.
        assert_eq!(ask(3, 2, &[(0, 1), (1, 1), (2, 1)]).0, "NoneFits");
    }

    #[test]
    fn a_limit_leads_to_a_refusal() {
        let all: Vec<(u32, u32)> = (0..12).map(|n| (n, 10)).collect();
        let (found, asked) = ask(12, 11, &all);
        assert_eq!(found, "too many possible assignments of pending removals");
        // Steps 1 and 2 are not counted.
        assert_eq!(asked, 2 + WORK / 64);
    }
}
