//! Uniform random walks (URW) and selectively uniform random walks (SURW).
//!
//! *Idea.* If the next thread is chosen uniformly at every step, schedules in which a short thread
//! runs late are almost never drawn. If it is chosen in proportion to the number of steps that each
//! thread still has to make, every interleaving is drawn with the same probability: the share of a
//! thread is the share of the interleavings that begin with it. That is URW.
//!
//! Long executions have far more interleavings than can be sampled. SURW makes only the
//! interleavings of some *selected* accesses uniform. It draws which thread makes the next selected
//! access, in proportion to how many each has left, and holds the other threads back when they
//! reach one. All other steps are a plain random walk.
//!
//! *Paper.* Zhao, Wolff, Mathur and Roychoudhury, "Selectively uniform concurrency testing", ASPLOS
//! 2025.
//!
//! *Deviations.* The numbers of steps are estimated from all earlier executions of the scenario,
//! not from one; the first execution is a plain random walk. What is selected is drawn for each
//! execution: all accesses from the lines of the source that accessed one of the objects which
//! earlier executions shared between threads with a write. A line stands for an object because
//! objects are made anew in each execution. The main thread runs first ([`main_thread`]), so that
//! all threads exist when the first choice is made. A thread that yields lets the others run, and
//! counts for less, so executions with loops that wait are not drawn uniformly.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::panic::Location;

use ::shuttle::scheduler::{DataSource, RandomDataSource, Schedule, Scheduler, Task, TaskId};

use super::pending::{Pending, main_thread};
use crate::rng::{SplitMix64, mix};
use crate::sync::watch::{Effect, ObjectId};

/// Counts by the number of a thread.
#[derive(Clone, Default)]
struct Counts(Vec<u64>);

impl Counts {
    fn add(&mut self, thread: TaskId, by: u64) {
        let number = usize::from(thread);
        if self.0.len() <= number {
            self.0.resize(number + 1, 0);
        }
        self.0[number] += by;
    }

    /// Counts a yield of the thread that ran last.
    fn note(&mut self, current: Option<TaskId>, yields: bool) {
        if let Some(thread) = current.filter(|_| yields) {
            self.add(thread, 1);
        }
    }

    fn of(&self, thread: TaskId) -> u64 {
        self.0.get(usize::from(thread)).copied().unwrap_or(0)
    }
}

/// The number of steps that a thread probably has left: the mean of earlier executions less what it
/// has done. Each yield halves it. Otherwise threads that wait in loops would make many steps, be
/// expected to make more, and pass the turn to each other without end.
fn left(total: u64, executions: u64, done: u64, yields: u64) -> u64 {
    let mean = (total + executions / 2).checked_div(executions).unwrap_or(0);
    mean.saturating_sub(done) >> yields.min(63)
}

/// A thread, in proportion to these weights. `None` if there is none.
fn weighted(random: &mut SplitMix64, weights: &[(TaskId, u64)]) -> Option<TaskId> {
    let total: u64 = weights.iter().map(|(_, weight)| weight).sum();
    let mut at = random.up_to(total.checked_sub(1)?);
    for (thread, weight) in weights {
        match at.checked_sub(*weight) {
            None => return Some(*thread),
            Some(rest) => at = rest,
        }
    }
    None
}

/// URW: chooses in proportion to the steps left.
pub(super) struct UniformWalk {
    random: SplitMix64,
    data: RandomDataSource,
    /// The steps of all earlier executions, and their number.
    total: Counts,
    executions: u64,
    /// The steps of this execution.
    done: Counts,
    yields: Counts,
}

impl UniformWalk {
    pub fn new(seed: u64) -> Self {
        UniformWalk {
            random: SplitMix64::new(mix(seed)),
            data: RandomDataSource::initialize(seed),
            total: Counts::default(),
            executions: 0,
            done: Counts::default(),
            yields: Counts::default(),
        }
    }
}

/// The threads that may run: without the one that yields, if there are others.
fn candidates(runnable: &[&Task], current: Option<TaskId>, yields: bool) -> Vec<TaskId> {
    let ids = runnable.iter().map(|task| task.id());
    let others: Vec<TaskId> = ids.clone().filter(|id| !yields || Some(*id) != current).collect();
    if others.is_empty() { ids.collect() } else { others }
}

impl Scheduler for UniformWalk {
    fn new_execution(&mut self) -> Option<Schedule> {
        let done = std::mem::take(&mut self.done);
        self.yields = Counts::default();
        if !done.0.is_empty() {
            self.executions += 1;
            for (number, steps) in done.0.into_iter().enumerate() {
                self.total.add(number.into(), steps);
            }
        }
        Some(Schedule::new(self.data.reinitialize()))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Option<TaskId> {
        if let Some(main) = main_thread(runnable) {
            return Some(main);
        }
        self.yields.note(current, yields);
        let candidates = candidates(runnable, current, yields);
        // A thread that can run has at least one step left.
        let weigh = |id: TaskId| {
            let (total, done, yields) = (self.total.of(id), self.done.of(id), self.yields.of(id));
            (id, left(total, self.executions, done, yields).max(1))
        };
        let weights: Vec<(TaskId, u64)> = candidates.into_iter().map(weigh).collect();
        let next = weighted(&mut self.random, &weights)?;
        self.done.add(next, 1);
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.data.next_u64()
    }
}

/// A line of the source that accesses shared objects.
struct Site {
    place: &'static Location<'static>,
    /// The accesses of all earlier executions.
    total: Counts,
    /// Those of this execution.
    done: Counts,
}

/// An object of this execution: the lines that accessed it, and what they did.
#[derive(Default)]
struct Object {
    sites: BTreeSet<usize>,
    threads: BTreeSet<usize>,
    written: bool,
}

/// SURW: the interleavings of the accesses to one object are uniform.
pub(super) struct SelectiveWalk {
    random: SplitMix64,
    data: RandomDataSource,
    pending: Pending,
    executions: u64,
    sites: Vec<Site>,
    /// The number of a line by the address of its location. Several locations may be equal.
    numbers: HashMap<usize, usize>,
    /// The line of the next access of each thread.
    next: Vec<Option<usize>>,
    objects: HashMap<ObjectId, Object>,
    /// The lines of each object that threads shared in an earlier execution, each set once.
    shared: Vec<BTreeSet<usize>>,
    known: HashSet<BTreeSet<usize>>,
    /// The lines that are selected in this execution.
    selected: BTreeSet<usize>,
    /// The thread that makes the next selected access.
    intended: Option<TaskId>,
    yields: Counts,
}

impl SelectiveWalk {
    pub fn new(seed: u64) -> Self {
        SelectiveWalk {
            random: SplitMix64::new(mix(seed)),
            data: RandomDataSource::initialize(seed),
            pending: Pending::default(),
            executions: 0,
            sites: Vec::new(),
            numbers: HashMap::new(),
            next: Vec::new(),
            objects: HashMap::new(),
            shared: Vec::new(),
            known: HashSet::new(),
            selected: BTreeSet::new(),
            intended: None,
            yields: Counts::default(),
        }
    }

    /// Learns what the thread that ran last is about to do.
    fn learn(&mut self, runnable: &[&Task], current: Option<TaskId>) {
        if !self.pending.learn(runnable, current) {
            return;
        }
        let Some(thread) = current else { return };
        let site = self.pending.of(thread).map(|access| self.site(access.place));
        let number = usize::from(thread);
        if self.next.len() <= number {
            self.next.resize(number + 1, None);
        }
        self.next[number] = site;
    }

    /// The number of a line.
    fn site(&mut self, place: &'static Location<'static>) -> usize {
        let address = std::ptr::from_ref(place).addr();
        if let Some(site) = self.numbers.get(&address) {
            return *site;
        }
        let known = self.sites.iter().position(|site| site.place == place);
        let site = known.unwrap_or_else(|| {
            let (total, done) = (Counts::default(), Counts::default());
            self.sites.push(Site { place, total, done });
            self.sites.len() - 1
        });
        self.numbers.insert(address, site);
        site
    }

    fn is_selected(&self, thread: TaskId) -> bool {
        let site = self.next.get(usize::from(thread)).copied().flatten();
        site.is_some_and(|site| self.selected.contains(&site))
    }

    /// The selected accesses that a thread probably has left; at least `least`.
    fn selected_left(&self, thread: TaskId, least: u64) -> u64 {
        let sites = self.selected.iter().map(|site| &self.sites[*site]);
        let (total, done) = sites.fold((0, 0), |(total, done), site| {
            (total + site.total.of(thread), done + site.done.of(thread))
        });
        left(total, self.executions, done, self.yields.of(thread)).max(least)
    }

    /// Draws the thread that makes the next selected access.
    fn intend(&mut self, runnable: &[&Task]) {
        let ids = runnable.iter().map(|task| task.id());
        // A thread that waits for such an access has at least this one.
        let weigh = |id: TaskId| (id, self.selected_left(id, u64::from(self.is_selected(id))));
        let weights: Vec<(TaskId, u64)> = ids.map(weigh).collect();
        self.intended = weighted(&mut self.random, &weights);
    }

    /// Notes the access that a thread executes now.
    fn note(&mut self, thread: TaskId) {
        let number = usize::from(thread);
        let site = self.next.get(number).copied().flatten();
        let (Some(access), Some(site)) = (self.pending.of(thread), site) else { return };
        self.sites[site].done.add(thread, 1);
        let object = self.objects.entry(access.object).or_default();
        object.sites.insert(site);
        object.threads.insert(number);
        object.written |= access.effect == Effect::Write;
    }

    /// Learns from the execution that has ended.
    fn conclude(&mut self) {
        for site in &mut self.sites {
            for (number, times) in std::mem::take(&mut site.done).0.into_iter().enumerate() {
                site.total.add(number.into(), times);
            }
        }
        // In the order in which they were made: the choice among them has to be repeatable.
        let mut objects: Vec<_> = self.objects.drain().collect();
        objects.sort_unstable_by_key(|(id, _)| *id);
        for (_, object) in objects {
            let is_shared = object.written && object.threads.len() > 1;
            if is_shared && self.known.insert(object.sites.clone()) {
                self.shared.push(object.sites);
            }
        }
        self.executions += 1;
    }
}

impl Scheduler for SelectiveWalk {
    fn new_execution(&mut self) -> Option<Schedule> {
        if !self.objects.is_empty() {
            self.conclude();
        }
        self.pending.clear();
        self.next.clear();
        self.yields = Counts::default();
        self.intended = None;
        if !self.shared.is_empty() {
            let chosen = self.random.index(self.shared.len());
            self.selected.clone_from(&self.shared[chosen]);
        }
        Some(Schedule::new(self.data.reinitialize()))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Option<TaskId> {
        self.learn(runnable, current);
        self.yields.note(current, yields);
        if let Some(main) = main_thread(runnable) {
            return Some(main);
        }
        if yields && self.intended == current {
            // It may wait for a thread that is held back.
            self.intended = None;
        }
        if self.intended.is_none() {
            self.intend(runnable);
        }
        let mut ids = candidates(runnable, current, yields);
        ids.retain(|id| Some(*id) == self.intended || !self.is_selected(*id));
        if ids.is_empty() {
            // The intended thread waits, has ended, or yields: another one makes the access.
            let ids = candidates(runnable, current, yields);
            let weigh = |id: TaskId| (id, self.selected_left(id, 1));
            let weights: Vec<(TaskId, u64)> = ids.into_iter().map(weigh).collect();
            self.intended = weighted(&mut self.random, &weights);
        }
        let next = match ids.is_empty() {
            true => self.intended?,
            false => ids[self.random.index(ids.len())],
        };
        if self.is_selected(next) {
            self.intended = None;
        }
        self.note(next);
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.data.next_u64()
    }
}
