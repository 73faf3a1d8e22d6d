//! How the threads of a batch are disturbed.
//!
//! A bug shows if a thread is interrupted at the wrong place, in the middle of an operation, for long enough that
//! others get something done. Left alone, a thread is interrupted only at the end of its time slice, which is much
//! longer than a run. And the system likes to put threads that wake each other on one core, where a whole run fits
//! into a time slice: on a busy machine, operations then overlap in hardly any run. So, by default:
//!
//! * each thread has a core, as far as there are enough: operations overlap in nearly all runs;
//! * if the system supports breakpoints, threads are in most batches **stopped** by [breakpoints](super::breakpoints), at
//!   instructions that matter, until others have done something. In every other one of these batches, all threads share a core. They then pass it on
//!   to each other, whatever else the machine does. A thread that is woken on a core where another program runs waits until
//!   the time slice of that program ends;
//! * half of the other batches are **interrupted**: beside each thread runs an [interrupter](super::interrupters), which
//!   sleeps most of the time. Whenever it wakes, the system stops the thread on this core, wherever it is, while
//!   the threads on other cores go on. If several threads share the core, another one may go on there.
//!
//! Other means were tried, on two cores that were busy with other work. Sleeps of a few microseconds between operations
//! interrupt other threads in the same way, but as sleeping takes longer than many operations, runs become slow and
//! seldom overlap. Timers that fire during the operation of the thread that sets them cost more than they disturb.
//! Barriers between processes (`membarrier`) stop a thread for microseconds, but cost the other one as much. Timer
//! signals are as imprecise, and they interrupt system calls of the code under test. Single-stepping all operations stops
//! threads at the right instructions, too, but each step takes 1 to 10 µs; a breakpoint costs about 4 µs in all.

use super::settings::{Noise, Placement, Settings};

/// How the threads of a batch are disturbed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Manner {
    pub(crate) noise: Noise,
    pub(crate) placement: Placement,
    /// True if interrupters run beside the threads.
    pub(crate) interrupted: bool,
    /// True if breakpoints stop threads in the middle of operations.
    pub(crate) stopped: bool,
}

impl Manner {
    /// The manners of batches, which take turns. Threads are stopped only if there are breakpoints.
    pub(crate) fn turns(settings: &Settings, has_breakpoints: bool) -> Vec<Manner> {
        let noise = settings.noise;
        let manner =
            |placement, interrupted| Manner { noise, placement, interrupted, stopped: false };
        match settings.placement {
            Placement::Mixed => {
                let undisturbed = manner(Placement::Pinned, false);
                let stopped = Manner { stopped: true, ..undisturbed };
                let crowded = Manner { placement: Placement::Crowded(1), ..stopped };
                let interrupted = manner(Placement::Pinned, true);
                match has_breakpoints {
                    true => vec![undisturbed, stopped, crowded, interrupted, stopped, crowded],
                    false => vec![undisturbed, interrupted],
                }
            }
            // Without interruptions, a crowded core works off one thread after the other.
            Placement::Crowded(_) => vec![manner(settings.placement, true)],
            placement => vec![manner(placement, false)],
        }
    }
}
