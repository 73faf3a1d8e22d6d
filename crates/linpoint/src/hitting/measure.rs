//! Measures the depth of a history, and the cost of finding its witness in hitting families.

use std::time::Instant;

use super::family::Family;
use super::poset::{MOST_ELEMENTS, Poset};
use super::replay::Replay;
use super::{depth, poset_of, search};
use crate::budget::{Budget, Memory};
use crate::check::Hints;
use crate::history::{OpId, Timeline};
use crate::search::{Automaton, Problem, Scratch, Stop, Switches, compile};
use crate::split::Split;
use crate::subject::{Case, Subject, guard};

/// What to measure, and the limits on that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measure {
    /// Build families up to this `d`.
    pub most_d: usize,
    /// Search for the exact depth up to this one.
    pub most_depth: usize,
    /// Count a family while it has at most this many schedules.
    pub most_schedules: usize,
    /// Step limit of the search for a witness, and of the search for the exact depth.
    pub steps: u64,
    /// Visit at most this many sets of operations to count all schedules.
    pub most_sets: usize,
    /// The deadline.
    pub deadline: Option<Instant>,
    /// Bytes for states, as in [`Limits::memory`](crate::Limits::memory).
    pub memory: Option<usize>,
}

impl Default for Measure {
    fn default() -> Measure {
        Measure {
            most_d: 5,
            most_depth: 3,
            most_schedules: 1_000_000,
            steps: 20_000_000,
            most_sets: 1_000_000,
            deadline: None,
            memory: None,
        }
    }
}

/// The measurements. Pending operations are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// Completed operations.
    pub operations: usize,
    /// Number of chains into which threads divide the operations. If threads are unknown, as few
    /// chains as possible.
    pub chains: usize,
    /// The largest number of operations open at the same time. This is also the minimum number of
    /// chains.
    pub concurrency: usize,
    /// Pairs of operations that overlapped.
    pub concurrent_pairs: usize,
    /// The least `d` whose family has a witness, if one was found up to [`Measure::most_d`] within
    /// the step limit.
    pub witness: Option<usize>,
    /// True if the step limit was hit before that was known.
    pub witness_unknown: bool,
    /// The exact linearizability depth.
    pub depth: Exact,
    /// The number of distinct schedules in the family for `d = 1, …`; `None` if there are too many.
    pub sizes: Vec<Option<usize>>,
    /// The same with as few chains as possible, if that is fewer than the number of threads.
    pub sizes_with_fewest: Option<Vec<Option<usize>>>,
    /// The number of all schedules, if they could be counted.
    pub schedules: Option<u128>,
}

/// What is known about the depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exact {
    /// It is exactly this.
    Is(usize),
    /// It is more than this, or the history is not linearizable.
    MoreThan(usize),
    /// The step limit was hit first.
    Unknown,
}

/// Why a history was not measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotMeasured {
    /// It has more operations than [`MOST_ELEMENTS`].
    TooLong(usize),
    /// It has several objects, which are independent of each other.
    SeveralObjects,
    /// The specification panicked.
    SpecPanicked(String),
}

impl std::fmt::Display for NotMeasured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotMeasured::TooLong(ops) => {
                write!(f, "{ops} operations are more than the {MOST_ELEMENTS} that can be measured")
            }
            NotMeasured::SeveralObjects => {
                f.write_str("the history has several objects: measure them one by one")
            }
            NotMeasured::SpecPanicked(message) => {
                write!(f, "the specification panicked: {message}")
            }
        }
    }
}

impl std::error::Error for NotMeasured {}

/// Measures a history.
pub fn measure(
    subject: &dyn Subject,
    timeline: &Timeline,
    what: &Measure,
) -> Result<Measured, NotMeasured> {
    let case = Case::new(subject, timeline);
    let compiled = guard(|| {
        let split = Split::new(&case, Hints::Ignore, false);
        (split.len() <= 1).then(|| {
            let events = if split.len() == 1 { split.events(0) } else { &[] };
            let plain = Switches { guide: false, ..Switches::default() };
            compile(&case, events, Hints::Ignore, &plain, &mut Scratch::new(&case))
        })
    });
    let compiled = compiled.map_err(NotMeasured::SpecPanicked)?;
    let problem = compiled.ok_or(NotMeasured::SeveralObjects)?;
    let operations = problem.ids.len();
    let poset = poset_of(&problem).ok_or(NotMeasured::TooLong(operations))?;
    let fewest = poset.fewest_chains();
    let threads = chains_by_process(timeline, &problem.ids, &poset);
    let chains = threads.as_ref().unwrap_or(&fewest);
    let (witness, depth) = searched(subject, &problem, &poset, chains, what)?;
    Ok(Measured {
        operations,
        chains: chains.len(),
        concurrency: fewest.len(),
        concurrent_pairs: poset.concurrent_pairs(),
        witness: witness.unwrap_or_default(),
        witness_unknown: witness.is_none(),
        depth,
        sizes: sizes(&poset, chains, what),
        sizes_with_fewest: (fewest.len() < chains.len()).then(|| sizes(&poset, &fewest, what)),
        schedules: poset.schedules(what.most_sets),
    })
}

/// The least `d` with a witness (`None`: not known), and the exact depth.
fn searched(
    subject: &dyn Subject,
    problem: &Problem,
    poset: &Poset,
    chains: &[Vec<usize>],
    what: &Measure,
) -> Result<(Option<Option<usize>>, Exact), NotMeasured> {
    let memory = Memory::new(what.memory);
    let budget = || Budget::new(what.deadline, &memory).max_steps(what.steps);
    let panicked = |stop| match stop {
        Stop::SpecPanicked { message, .. } => Err(NotMeasured::SpecPanicked(message)),
        Stop::Limit(_) => Ok(()),
    };
    let (mut session, mut again) = (subject.session(), subject.session());
    let mut first = Automaton::new(&mut *session, &problem.classes, true);
    let mut replay = Replay::new(&mut first, &problem.class);
    let hit = search::search(poset, chains, &mut replay, what.most_d, &mut budget());
    let witness = match hit {
        Ok(hit) => Some(hit.map(|hit| hit.d)),
        Err(stop) => panicked(stop).map(|()| None)?,
    };
    // The family for `d` equal to the depth has a witness.
    if witness == Some(None) && what.most_depth <= what.most_d {
        return Ok((witness, Exact::MoreThan(what.most_depth)));
    }
    let mut second = Automaton::new(&mut *again, &problem.classes, true);
    let mut replay = Replay::new(&mut second, &problem.class);
    let depth = match depth::exact(poset, &mut replay, what.most_depth, &mut budget()) {
        Ok(Some(d)) => Exact::Is(d),
        // Without operations, nothing needs to be delayed.
        Ok(None) if poset.is_empty() => Exact::Is(0),
        Ok(None) => Exact::MoreThan(what.most_depth),
        Err(stop) => panicked(stop).map(|()| Exact::Unknown)?,
    };
    Ok((witness, depth))
}

fn sizes(poset: &Poset, chains: &[Vec<usize>], what: &Measure) -> Vec<Option<usize>> {
    let mut family = Family::new(poset, chains, what.most_schedules);
    let mut given_up = false;
    let mut size = |_| {
        let late = what.deadline.is_some_and(|deadline| Instant::now() > deadline);
        given_up = given_up || late || family.grow().is_err();
        (!given_up).then_some(family.len())
    };
    (1..=what.most_d).map(&mut size).collect()
}

/// The operations of each process, if all have one and they form chains.
fn chains_by_process(timeline: &Timeline, ids: &[OpId], poset: &Poset) -> Option<Vec<Vec<usize>>> {
    let mut chains: Vec<(u32, Vec<usize>)> = Vec::new();
    for (op, id) in ids.iter().enumerate() {
        let process = timeline.extras(*id).process?;
        match chains.iter_mut().find(|(known, _)| *known == process) {
            Some((_, chain)) => chain.push(op),
            None => chains.push((process, vec![op])),
        }
    }
    let chains: Vec<Vec<usize>> = chains.into_iter().map(|(_, chain)| chain).collect();
    let ordered = |chain: &Vec<usize>| chain.windows(2).all(|two| poset.at_most(two[0], two[1]));
    chains.iter().all(ordered).then_some(chains)
}
