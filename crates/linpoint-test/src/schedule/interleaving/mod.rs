//! An execution as the steps of its threads: what each thread did to which object, where in the
//! source, and where another thread took over.
//!
//! Steps exist for code written against [`crate::sync`]. A failing schedule is replayed once with a
//! tape, which costs nothing while schedules are explored.

#[cfg(any(feature = "shuttle", feature = "loom"))]
mod names;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod tape;
mod text;

#[cfg(any(feature = "shuttle", feature = "loom"))]
pub(crate) use tape::{Recording, Scheduler};

/// An execution as steps, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interleaving {
    /// Calls, returns and steps.
    pub moments: Vec<Moment>,
    /// True if reads are shown even if no other operation overlaps theirs: under a weak memory model,
    /// they may return old values.
    pub all_reads: bool,
    /// The number of threads of the scenario; it is also the process of the setup and the final
    /// operations.
    pub threads: u32,
    /// What is known about schedules with fewer switches.
    pub fewest: Option<String>,
}

/// One moment of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The thread of the scenario, numbered from 0. Threads that the object started have numbers
    /// above [`Interleaving::threads`].
    pub process: u32,
    /// What happened.
    pub what: What,
}

/// What happened in a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// An operation was called: `pop()`.
    Call(String),
    /// It returned: `7`.
    Return(String),
    /// It panicked with this message.
    Panic(String),
    /// A step.
    Step {
        /// The object and the access: `top.load → 3`.
        text: String,
        /// The file and the line.
        place: Option<(String, u32)>,
        /// True if it may have changed the object.
        writes: bool,
    },
}

impl Interleaving {
    /// How often a thread of the scenario was followed by another one before its operation had
    /// returned.
    pub fn switches_inside_operations(&self) -> usize {
        let mut open: Vec<u32> = Vec::new();
        let mut switches = 0;
        let mut last = None;
        for moment in &self.moments {
            if let Some(before) = last
                && before != moment.process
                && open.contains(&before)
            {
                switches += 1;
            }
            match moment.what {
                What::Call(_) => open.push(moment.process),
                What::Return(_) | What::Panic(_) => open.retain(|p| *p != moment.process),
                What::Step { .. } => {}
            }
            last = Some(moment.process);
        }
        switches
    }
}

/// What a report says about a schedule if it does not fail with fewer preemptions.
#[cfg(any(feature = "shuttle", feature = "loom"))]
pub(crate) fn fewest(preemptions: usize) -> String {
    match preemptions {
        0 => "no preemption".to_owned(),
        1 => "1 preemption; it does not fail without".to_owned(),
        n => format!("{n} preemptions; it does not fail with fewer"),
    }
}
