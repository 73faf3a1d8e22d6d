//! Realistic bugs: what replication, caching and retries do to an object if they are done wrong.
//!
//! One operation, the victim, meets the bug. Everything else is as it should be. Whether the history shows it depends on
//! what the others do; [`crate::generate`] tries victims until it does.

use std::fmt;
use std::str::FromStr;

use linpoint_formats::{Value, did_you_mean};

use crate::objects::{Blocked, Object, Op};
use crate::rng::Rng;

/// A bug to plant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The victim is answered by a replica that lags behind.
    StaleRead,
    /// The victim is answered, but its effect is lost.
    LostUpdate,
    /// The victim takes effect again later, as after a retry.
    Duplicate,
    /// The victim is answered before it takes effect, and others overtake it.
    Reorder,
    /// The victim's client talks to a node that the others do not know, for a few operations.
    SplitBrain,
}

impl Bug {
    /// All of them.
    pub const ALL: [Bug; 5] =
        [Bug::StaleRead, Bug::LostUpdate, Bug::Duplicate, Bug::Reorder, Bug::SplitBrain];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Bug::StaleRead => "stale-read",
            Bug::LostUpdate => "lost-update",
            Bug::Duplicate => "duplicate",
            Bug::Reorder => "reorder",
            Bug::SplitBrain => "split-brain",
        }
    }

    /// What happened to the victim, after "operation 17".
    pub fn story(self) -> &'static str {
        match self {
            Bug::StaleRead => "was answered by a replica that lagged behind",
            Bug::LostUpdate => "was answered, but its effect was lost",
            Bug::Duplicate => "took effect a second time, after others",
            Bug::Reorder => "was answered before it took effect, and others overtook it",
            Bug::SplitBrain => {
                "and the next ones of its process went to a node that the others do not know"
            }
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Bug {
    type Err = String;

    fn from_str(text: &str) -> Result<Bug, String> {
        Bug::ALL.into_iter().find(|bug| bug.name() == text).ok_or_else(|| {
            let names = Bug::ALL.map(Bug::name);
            let rest = format!("the bugs are: {}", names.join(", "));
            format!("there is no bug {text:?}; {}", did_you_mean(text, &names, &rest))
        })
    }
}

/// How many calls a replica lags behind.
const LAG: u64 = 12;
/// How many operations take effect before one that was answered early, or before it does so again.
const OVERTAKING: u64 = 6;
/// How many operations of a process go to the wrong node.
const ASTRAY: u64 = 6;

/// A bug on its way.
pub(crate) struct Fault {
    bug: Bug,
    /// The number of the operation that meets it.
    victim: u64,
    /// A copy of the object: an old replica, or the wrong node.
    copy: Option<Box<dyn Object>>,
    /// Who talks to the wrong node.
    process: Option<u32>,
    /// An operation that takes effect when the count is 0.
    late: Option<(u32, Op)>,
    count: u64,
}

impl Fault {
    pub(crate) fn new(bug: Bug, victim: u64) -> Fault {
        Fault { bug, victim, copy: None, process: None, late: None, count: 0 }
    }

    /// Performs an operation as the object does, or as the bug makes it.
    pub(crate) fn perform(
        &mut self,
        object: &mut dyn Object,
        (number, process): (u64, u32),
        op: &Op,
        rng: &mut Rng,
    ) -> Result<Option<Value>, Blocked> {
        let is_victim = number == self.victim;
        match self.bug {
            Bug::StaleRead if is_victim => {
                let mut replica = self.copy.take().unwrap_or_else(|| object.fork());
                let stale = replica.apply(process, op, rng)?;
                object.apply(process, op, rng)?;
                Ok(stale)
            }
            Bug::StaleRead => {
                if self.copy.is_none() && number + LAG >= self.victim && number < self.victim {
                    self.copy = Some(object.fork());
                }
                object.apply(process, op, rng)
            }
            Bug::LostUpdate if is_victim => object.fork().apply(process, op, rng),
            Bug::Duplicate if is_victim => {
                let result = object.apply(process, op, rng)?;
                (self.late, self.count) = (Some((process, op.clone())), OVERTAKING);
                Ok(result)
            }
            Bug::Reorder if is_victim => {
                let result = object.fork().apply(process, op, rng)?;
                (self.late, self.count) = (Some((process, op.clone())), OVERTAKING);
                Ok(result)
            }
            Bug::Reorder | Bug::Duplicate => {
                let result = object.apply(process, op, rng)?;
                self.count = self.count.saturating_sub(1);
                if self.count == 0
                    && let Some((process, op)) = self.late.take()
                {
                    // If it would have to wait now, it never takes effect.
                    let _ = object.apply(process, &op, rng);
                }
                Ok(result)
            }
            Bug::SplitBrain => self.split(object, (number, process), op, rng),
            Bug::LostUpdate => object.apply(process, op, rng),
        }
    }

    fn split(
        &mut self,
        object: &mut dyn Object,
        (number, process): (u64, u32),
        op: &Op,
        rng: &mut Rng,
    ) -> Result<Option<Value>, Blocked> {
        if number == self.victim {
            (self.process, self.copy, self.count) = (Some(process), Some(object.fork()), ASTRAY);
        }
        match &mut self.copy {
            Some(node) if self.process == Some(process) && self.count > 0 => {
                let result = node.apply(process, op, rng)?;
                self.count -= 1;
                Ok(result)
            }
            _ => object.apply(process, op, rng),
        }
    }
}
