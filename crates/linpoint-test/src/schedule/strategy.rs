//! How the next thread is chosen under shuttle, and how the choices are recorded.

use ::shuttle::scheduler::{
    DataSource, DfsScheduler, PctScheduler, RandomDataSource, Schedule, Scheduler, Task, TaskId,
};

use super::pos::Pos;
use super::walk::{SelectiveWalk, UniformWalk};
use crate::replay::ParseScheduleError;
use crate::rng::{SplitMix64, mix};

/// The thread that runs the setup, starts the others, waits for them, and runs the final operations.
pub(super) const MAIN: usize = 0;

/// How the next thread is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Uniformly among the runnable threads, at every step.
    Random,
    /// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): threads have priorities,
    /// which change at this number of points less one. Finds bugs that need few switches at
    /// particular points.
    Pct(usize),
    /// Partial order sampling (Yuan, Yang and Gu, CAV 2018): accesses have random priorities, which
    /// are drawn again where accesses race. Needs code written against [`crate::sync`].
    Pos,
    /// Uniform random walk (Zhao et al., ASPLOS 2025): every interleaving is equally likely, as far
    /// as the number of steps of each thread is known from earlier executions.
    Urw,
    /// Selectively uniform random walk (the same paper): the interleavings of the accesses to one
    /// object, drawn for each execution, are equally likely. Needs code written against
    /// [`crate::sync`].
    Surw,
    /// All schedules, one after the other. A thread that yields lets others run first.
    DepthFirst,
}

impl Strategy {
    /// A description for reports.
    pub fn describe(self) -> String {
        match self {
            Strategy::Random => "random schedules".to_owned(),
            Strategy::Pct(depth) => format!("PCT, depth {depth}"),
            Strategy::Pos => "partial order sampling".to_owned(),
            Strategy::Urw => "uniform random walk".to_owned(),
            Strategy::Surw => "selectively uniform random walk".to_owned(),
            Strategy::DepthFirst => "all schedules, depth-first".to_owned(),
        }
    }

    /// True if it tries every schedule.
    pub fn is_exhaustive(self) -> bool {
        self == Strategy::DepthFirst
    }

    /// True if it needs to know what each thread is about to access.
    pub(super) fn needs_accesses(self) -> bool {
        matches!(self, Strategy::Pos | Strategy::Surw)
    }

    pub(super) fn scheduler(self, seed: u64) -> Box<dyn Scheduler> {
        match self {
            Strategy::Random => Box::new(Uniform::new(seed)),
            Strategy::Pct(depth) => {
                Box::new(PctScheduler::new_from_seed(seed, depth.max(1), usize::MAX))
            }
            Strategy::Pos => Box::new(Pos::new(seed)),
            Strategy::Urw => Box::new(UniformWalk::new(seed)),
            Strategy::Surw => Box::new(SelectiveWalk::new(seed)),
            Strategy::DepthFirst => Box::new(DfsScheduler::new(None, true)),
        }
    }
}

/// Chooses uniformly. Shuttle's own random scheduler prints a failing seed whenever it is stopped
/// early.
struct Uniform {
    random: SplitMix64,
    data: RandomDataSource,
}

impl Uniform {
    fn new(seed: u64) -> Self {
        Uniform { random: SplitMix64::new(mix(seed)), data: RandomDataSource::initialize(seed) }
    }
}

impl Scheduler for Uniform {
    fn new_execution(&mut self) -> Option<Schedule> {
        Some(Schedule::new(self.data.reinitialize()))
    }

    fn next_task(&mut self, runnable: &[&Task], _: Option<TaskId>, _: bool) -> Option<TaskId> {
        Some(runnable[self.random.index(runnable.len())].id())
    }

    fn next_u64(&mut self) -> u64 {
        self.data.next_u64()
    }
}

/// The choices of one execution: a seed for random data, then the thread of each step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Choices {
    pub seed: u64,
    pub threads: Vec<usize>,
}

impl std::fmt::Display for Choices {
    /// `17:0,2*5,1*3`: seed 17, one step of thread 0, five of thread 2, three of thread 1.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:", self.seed)?;
        for (at, run) in self.threads.chunk_by(|a, b| a == b).enumerate() {
            let comma = if at == 0 { "" } else { "," };
            match run.len() {
                1 => write!(f, "{comma}{}", run[0])?,
                n => write!(f, "{comma}{}*{n}", run[0])?,
            }
        }
        Ok(())
    }
}

/// No schedule has more steps. A line that claims more is damaged.
const MOST_STEPS: usize = 100_000_000;

impl std::str::FromStr for Choices {
    type Err = ParseScheduleError;

    fn from_str(text: &str) -> Result<Self, ParseScheduleError> {
        let malformed = ParseScheduleError::malformed;
        let number = |text: &str| text.parse::<usize>().map_err(|_| malformed(text));
        let (seed, runs) = text.trim().split_once(':').ok_or_else(|| malformed(text))?;
        let seed = seed.parse().map_err(|_| malformed(seed))?;
        let mut threads = Vec::new();
        for run in runs.split(',').filter(|run| !run.is_empty()) {
            let (thread, times) = run.split_once('*').unwrap_or((run, "1"));
            let (thread, times) = (number(thread)?, number(times)?);
            if times > MOST_STEPS - threads.len() {
                return Err(ParseScheduleError::too_long(MOST_STEPS));
            }
            threads.extend(std::iter::repeat_n(thread, times));
        }
        Ok(Choices { seed, threads })
    }
}

/// Repeats recorded choices. If one is not possible, the code has changed, and the first runnable
/// thread is chosen.
pub(super) struct Replayed {
    choices: Choices,
    at: usize,
    data: RandomDataSource,
    started: bool,
}

impl Replayed {
    pub fn new(choices: Choices) -> Self {
        let data = RandomDataSource::initialize(choices.seed);
        Replayed { choices, at: 0, data, started: false }
    }
}

impl Scheduler for Replayed {
    fn new_execution(&mut self) -> Option<Schedule> {
        let first = !std::mem::replace(&mut self.started, true);
        first.then(|| Schedule::new(self.data.reinitialize()))
    }

    fn next_task(&mut self, runnable: &[&Task], _: Option<TaskId>, _: bool) -> Option<TaskId> {
        let wanted = self.choices.threads.get(self.at).copied();
        self.at += 1;
        let found = runnable.iter().find(|task| Some(usize::from(task.id())) == wanted);
        Some(found.unwrap_or(&runnable[0]).id())
    }

    fn next_u64(&mut self) -> u64 {
        self.data.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_schedule_is_parsed_back() {
        let choices = Choices { seed: 17, threads: vec![0, 2, 2, 2, 1, 1, 0] };
        assert_eq!(choices.to_string(), "17:0,2*3,1*2,0");
        assert_eq!(choices.to_string().parse(), Ok(choices));
        assert_eq!("5:".parse(), Ok(Choices { seed: 5, threads: vec![] }));
    }

    #[test]
    fn malformed_schedules_are_errors() {
        for text in ["", "7", "x:1", "7:1*", "7:a", "7:1*99999999999", "7:1*99999999,1*99999999"] {
            assert!(text.parse::<Choices>().is_err(), "{text}");
        }
    }
}
