//! Settings of a stress test.

use std::time::Duration;

use crate::judge::CheckLimits;
use crate::record::Clock;

/// Random pauses and yields between operations, so that threads interleave differently in each run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Noise {
    /// Probability of a short spin before an operation.
    pub pause: f64,
    /// The longest spin, in iterations.
    pub longest_pause: u32,
    /// Probability of yielding the core before an operation.
    pub yields: f64,
}

impl Noise {
    /// No pauses.
    pub const NONE: Noise = Noise { pause: 0.0, longest_pause: 0, yields: 0.0 };
    /// Occasional pauses: hardly slower than none.
    pub const SOME: Noise = Noise { pause: 1.0 / 16.0, longest_pause: 8, yields: 1.0 / 64.0 };
    /// Frequent pauses.
    pub const MUCH: Noise = Noise { pause: 0.25, longest_pause: 64, yields: 0.125 };
}

impl Default for Noise {
    fn default() -> Self {
        Noise::SOME
    }
}

/// The cores on which threads run. Linux only; elsewhere all are the same as `Free`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// Each thread on a core of its own, as far as there are enough cores; in most batches of runs, threads are also
    /// stopped in the middle of operations, at breakpoints (on x86-64) or at random.
    #[default]
    Mixed,
    /// Any core, as the operating system decides.
    Free,
    /// Each thread on a core of its own, as far as there are enough cores.
    Pinned,
    /// All threads on this many cores, where they are interrupted in the middle of operations.
    Crowded(usize),
}

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Length {
    /// As many runs as there is time for, at least one.
    Time(Duration),
    /// This many runs.
    Runs(u64),
}

/// Everything about a stress test that is not its definition.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) length: Length,
    pub(crate) warm_up: u64,
    pub(crate) seed: Option<u64>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) patience: Duration,
    pub(crate) noise: Noise,
    pub(crate) placement: Placement,
    pub(crate) busy_neighbours: usize,
    pub(crate) clock: Clock,
    pub(crate) limits: CheckLimits,
    pub(crate) files: crate::report::Files,
    pub(crate) shrink_time: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            length: Length::Time(Duration::from_secs(1)),
            warm_up: 0,
            seed: None,
            time_limit: None,
            patience: Duration::from_secs(5),
            noise: Noise::SOME,
            placement: Placement::Mixed,
            busy_neighbours: 0,
            clock: Clock::private(),
            limits: CheckLimits::default(),
            files: crate::report::Files::default(),
            shrink_time: Duration::from_secs(10),
        }
    }
}
