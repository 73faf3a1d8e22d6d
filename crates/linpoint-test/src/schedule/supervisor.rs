//! A scheduler between shuttle and the strategy.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use ::shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use linpoint::Spec;

use super::journal::End;
use super::obstruction::{Moment, Obstruction};
use super::shuttle::{SENTINEL, Shared};
use super::stage::Stage;
use super::strategy::{Choices, MAIN};
use crate::execution::Truncation;
use crate::judge::{CheckLimits, Fault, Judgement, judge};
use crate::sync::watch;

/// Ends executions, records choices, and judges between executions.
pub(super) struct Supervisor<T, S: Spec> {
    strategy: Box<dyn Scheduler>,
    rules: Rules,
    stage: Arc<Stage<T, S>>,
    shared: Arc<Shared<S::Op, S::Ret>>,
    started: bool,
    choices: Choices,
    end: Option<End>,
    /// The number of yields of each thread.
    yields: Vec<u32>,
    resting: Vec<usize>,
    had_choice: bool,
    drew_random: bool,
    /// How often a thread that could have continued had to stop.
    preemptions: usize,
    obstruction: Obstruction,
}

/// What a supervisor allows.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub is_pct: bool,
    /// A thread that yielded rests until another has made a step.
    pub fair: bool,
    pub counts_preemptions: bool,
    pub obstruction_free: bool,
    pub limits: CheckLimits,
    pub executions: u64,
    pub steps: usize,
    pub deadline: Option<Instant>,
}

impl<T, S> Supervisor<T, S>
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    pub fn new(
        strategy: Box<dyn Scheduler>,
        rules: Rules,
        stage: &Arc<Stage<T, S>>,
        shared: &Arc<Shared<S::Op, S::Ret>>,
    ) -> Self {
        Supervisor {
            strategy,
            rules,
            stage: stage.clone(),
            shared: shared.clone(),
            started: false,
            choices: Choices::default(),
            end: None,
            yields: Vec::new(),
            resting: Vec::new(),
            had_choice: true,
            drew_random: false,
            preemptions: 0,
            obstruction: Obstruction::default(),
        }
    }

    /// Judges the execution that has just ended. True if it fails.
    fn conclude(&mut self) -> bool {
        let end = self.end.take().unwrap_or(End::Finished);
        let events = self.stage.journal.take();
        self.shared.end_tape(&events);
        let mut record = self.shared.record();
        if self.drew_random && self.rules.fair {
            record.truncated.get_or_insert(Truncation::RandomNumbers);
        }
        let Some(mut execution) = record.enter(&events, &end) else { return false };
        let judgement = match (&end, execution.waiting().next()) {
            (End::Obstructed(_), Some(op)) => Judgement::Failed(Fault::Obstructed { op }),
            _ => judge(self.stage.test.specification(), &execution, &self.rules.limits),
        };
        execution.schedule = Some(self.choices.to_string());
        let failed = record.settle(execution, judgement);
        if failed {
            self.shared.preemptions.store(self.preemptions, Ordering::Relaxed);
        }
        failed
    }

    /// The process whose operation needs another thread to return.
    fn obstructed(&mut self, current: TaskId, can_run: bool, yields: bool) -> Option<u32> {
        let moment = Moment { current, can_run, yields, may_stop_others: !self.rules.fair };
        let may_block = |op: &S::Op| self.stage.test.blocks(op);
        self.obstruction.observe(&moment, &self.shared.processes, &self.stage.journal, may_block)
    }

    /// `Some` if there will be no more executions, with the limit if all were to be explored.
    fn limit(&self) -> Option<Option<Truncation>> {
        if self.shared.record().executions >= self.rules.executions {
            return Some(self.rules.fair.then_some(Truncation::Executions(self.rules.executions)));
        }
        if self.rules.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(self.rules.fair.then_some(Truncation::Time));
        }
        // Shuttle's PCT panics in the next execution if this one had no choices.
        (self.rules.is_pct && !self.had_choice).then_some(None)
    }

    /// The runnable threads without those that rest, if any are left; those with the fewest yields
    /// come first.
    fn fairly<'a>(
        &mut self,
        runnable: &[&'a Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Vec<&'a Task> {
        let number = |task: &Task| usize::from(task.id());
        match current.map(usize::from) {
            Some(thread) if yields => {
                if self.yields.len() <= thread {
                    self.yields.resize(thread + 1, 0);
                }
                self.yields[thread] += 1;
                self.resting.push(thread);
            }
            Some(thread) => self.resting.retain(|rests| *rests == thread),
            None => {}
        }
        let awake = |task: &&&Task| !self.resting.contains(&number(task));
        let mut tasks: Vec<&Task> = runnable.iter().filter(awake).copied().collect();
        if tasks.is_empty() {
            tasks = runnable.to_vec();
        }
        tasks.sort_by_key(|task| {
            (self.yields.get(number(task)).copied().unwrap_or(0), number(task))
        });
        tasks
    }
}

impl<T, S> Scheduler for Supervisor<T, S>
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    fn new_execution(&mut self) -> Option<Schedule> {
        if std::mem::replace(&mut self.started, true) {
            if self.conclude() {
                return None;
            }
            if let Some(limit) = self.limit() {
                if let Some(why) = limit {
                    self.shared.record().truncated.get_or_insert(why);
                }
                return None;
            }
        }
        self.shared.over.store(false, Ordering::Relaxed);
        self.yields.clear();
        self.resting.clear();
        self.had_choice = false;
        self.preemptions = 0;
        self.obstruction = Obstruction::default();
        watch::rewind(true);
        let schedule = self.strategy.new_execution()?;
        self.choices = Choices { seed: schedule.seed, threads: Vec::new() };
        Some(schedule)
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Option<TaskId> {
        let is_sentinel = |task: &Task| usize::from(task.id()) == SENTINEL;
        let can_run = |id| runnable.iter().any(|task| task.id() == id && task.runnable());
        if watch::is_recording()
            && let Some(thread) = current.filter(|thread| !can_run(*thread))
        {
            watch::sleeps(usize::from(thread) as u64);
        }
        if !runnable.iter().any(|task| !is_sentinel(task) && task.runnable()) {
            self.end = Some(End::Waiting);
        } else if self.choices.threads.len() >= self.rules.steps {
            self.end = Some(End::Cut(Truncation::Steps(self.rules.steps)));
        }
        if self.rules.obstruction_free
            && let Some(current) = current
            && let Some(process) = self.obstructed(current, can_run(current), yields)
        {
            self.end = Some(End::Obstructed(process));
        }
        if self.end.is_some() {
            self.shared.over.store(true, Ordering::Relaxed);
            self.shared.stop_tape();
            return None;
        }
        let may_run = |task: &&&Task| match self.obstruction.alone() {
            Some(alone) => task.id() == alone,
            None => !is_sentinel(task),
        };
        let others: Vec<&Task> = runnable.iter().filter(may_run).copied().collect();
        let others = if self.rules.fair { self.fairly(&others, current, yields) } else { others };
        self.had_choice |= others.len() > 1;
        let next = self.strategy.next_task(&others, current, yields)?;
        self.choices.threads.push(next.into());
        if self.rules.counts_preemptions && !yields {
            let stopped = current.filter(|thread| *thread != next && can_run(*thread));
            self.preemptions += usize::from(stopped.is_some_and(|t| usize::from(t) != MAIN));
        }
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.drew_random = true;
        self.strategy.next_u64()
    }
}
