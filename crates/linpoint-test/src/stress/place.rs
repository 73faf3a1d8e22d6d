//! Where threads run, and what they are doing, as far as the operating system tells.

use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use super::settings::Placement;

/// A thread as the operating system knows it.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// 0: not known.
    id: AtomicI32,
}

/// What a thread is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Doing {
    /// It sleeps.
    Asleep,
    /// It runs, or would run if it had a core; it has run for so long.
    Running(Duration),
    /// The system does not tell.
    Unknown,
}

impl Doing {
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Doing::Asleep => "asleep",
            Doing::Running(_) => "running",
            Doing::Unknown => "not returning",
        }
    }
}

#[cfg(target_os = "linux")]
impl Thread {
    /// Called by the thread itself.
    pub(crate) fn is_me(&self) {
        self.id.store(rustix::thread::gettid().as_raw_nonzero().get(), Ordering::Relaxed);
    }

    pub(crate) fn doing(&self) -> Doing {
        let id = self.id.load(Ordering::Relaxed);
        if id == 0 {
            return Doing::Unknown;
        }
        let file = |name: &str| std::fs::read_to_string(format!("/proc/self/task/{id}/{name}"));
        // The state is the first word after the name, which is in parentheses and may contain any.
        let Ok(stat) = file("stat") else { return Doing::Unknown };
        let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
        if state == Some('S') {
            return Doing::Asleep;
        }
        let run = file("schedstat").ok().and_then(|s| s.split(' ').next()?.parse().ok());
        run.map_or(Doing::Unknown, |nanos| Doing::Running(Duration::from_nanos(nanos)))
    }
}

#[cfg(not(target_os = "linux"))]
impl Thread {
    pub(crate) fn is_me(&self) {
        self.id.store(0, Ordering::Relaxed);
    }

    pub(crate) fn doing(&self) -> Doing {
        Doing::Unknown
    }
}

/// Sends this thread, number so-and-so, to its place. What the system does not allow is left undone.
#[cfg(target_os = "linux")]
pub(crate) fn go(placement: Placement, number: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(allowed) = sched_getaffinity(None) else { return };
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect();
    let mine: &[usize] = match placement {
        Placement::Free => return,
        _ if cores.is_empty() => return,
        Placement::Pinned => &cores[number % cores.len()..][..1],
        Placement::Crowded(few) => &cores[..few.clamp(1, cores.len())],
    };
    let mut set = CpuSet::new();
    for core in mine {
        set.set(*core);
    }
    let _ = sched_setaffinity(None, &set);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn go(_: Placement, _: usize) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::sync::{Arc, mpsc};

    #[test]
    fn a_thread_that_sleeps_is_told_from_one_that_runs() {
        let thread = Arc::new(Thread::default());
        assert_eq!(thread.doing(), Doing::Unknown);
        let (known, (wake, inbox)) = (thread.clone(), mpsc::channel::<()>());
        let handle = std::thread::spawn(move || {
            known.is_me();
            let _ = inbox.recv();
        });
        // It takes a moment until it sleeps, however long that is.
        while thread.doing() != Doing::Asleep {
            std::thread::yield_now();
        }
        drop(wake);
        handle.join().unwrap();
        let me = Thread::default();
        me.is_me();
        assert!(matches!(me.doing(), Doing::Running(_)));
    }

    #[test]
    fn a_pinned_thread_may_run_on_one_core() {
        let cores = std::thread::spawn(|| {
            go(Placement::Pinned, 1);
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        assert_eq!(cores.join().unwrap(), 1);
    }
}
