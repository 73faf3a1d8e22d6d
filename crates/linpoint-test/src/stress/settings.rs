//! How threads are disturbed and placed, and how long they may take.

use std::time::Duration;

use crate::judge::CheckLimits;
use crate::record::Clock;

/// What happens between operations, so that threads meet in different ways in each run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Noise {
    /// How often a thread spins for a moment before an operation.
    pub pause: f64,
    /// For how many turns at most.
    pub longest_pause: u32,
    /// How often a thread gives its core away before an operation.
    pub give_way: f64,
}

impl Noise {
    /// Operations follow each other as fast as they can.
    pub const NONE: Noise = Noise { pause: 0.0, longest_pause: 0, give_way: 0.0 };
    /// Now and then: hardly slower than none.
    pub const SOME: Noise = Noise { pause: 1.0 / 16.0, longest_pause: 8, give_way: 1.0 / 64.0 };
    /// All the time.
    pub const MUCH: Noise = Noise { pause: 0.25, longest_pause: 64, give_way: 0.125 };
}

impl Default for Noise {
    fn default() -> Self {
        Noise::SOME
    }
}

/// Where threads run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// Wherever the operating system lets them.
    #[default]
    Free,
    /// Each on a core of its own, as far as there are cores. Needs Linux; elsewhere like `Free`.
    Pinned,
    /// All on so many cores, so that they interrupt each other in the midst of operations. Needs Linux;
    /// elsewhere like `Free`.
    Crowded(usize),
}

/// Everything about a stress test that is not its definition.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) runs: u64,
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
            runs: 1_000,
            warm_up: 0,
            seed: None,
            time_limit: None,
            patience: Duration::from_secs(5),
            noise: Noise::SOME,
            placement: Placement::Free,
            busy_neighbours: 0,
            clock: Clock::private(),
            limits: CheckLimits::default(),
            files: crate::report::Files::default(),
            shrink_time: Duration::from_secs(10),
        }
    }
}
