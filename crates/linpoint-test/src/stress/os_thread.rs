//! The cores on which threads run and the state they are in, as far as the operating system reports
//! it.

use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use super::settings::Placement;

/// A thread of the operating system.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// 0: not known.
    id: AtomicI32,
}

/// The state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ThreadState {
    /// It sleeps.
    Asleep,
    /// It runs, or would run if it had a core; the CPU time it has used.
    Running(Duration),
    /// The system does not report it.
    Unknown,
}

impl ThreadState {
    pub(crate) fn describe(self) -> &'static str {
        match self {
            ThreadState::Asleep => "asleep",
            ThreadState::Running(_) => "running",
            ThreadState::Unknown => "not returning",
        }
    }
}

#[cfg(target_os = "linux")]
impl Thread {
    /// Binds this to the calling thread.
    pub(crate) fn bind_current(&self) {
        self.id.store(rustix::thread::gettid().as_raw_nonzero().get(), Ordering::Relaxed);
    }

    pub(crate) fn state(&self) -> ThreadState {
        let id = self.id.load(Ordering::Relaxed);
        if id == 0 {
            return ThreadState::Unknown;
        }
        let file = |name: &str| std::fs::read_to_string(format!("/proc/self/task/{id}/{name}"));
        // The state is the first word after the name, which is in parentheses and may contain any
        // character.
        let Ok(stat) = file("stat") else { return ThreadState::Unknown };
        let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
        if state == Some('S') {
            return ThreadState::Asleep;
        }
        let run = file("schedstat").ok().and_then(|s| s.split(' ').next()?.parse().ok());
        run.map_or(ThreadState::Unknown, |nanos| ThreadState::Running(Duration::from_nanos(nanos)))
    }
}

#[cfg(not(target_os = "linux"))]
impl Thread {
    pub(crate) fn bind_current(&self) {
        self.id.store(0, Ordering::Relaxed);
    }

    pub(crate) fn state(&self) -> ThreadState {
        ThreadState::Unknown
    }
}

/// Places the calling thread, which has this number. Errors of the system are ignored: placement is
/// only a preference.
#[cfg(target_os = "linux")]
pub(crate) fn place(placement: Placement, number: usize) {
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
pub(crate) fn place(_: Placement, _: usize) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::sync::{Arc, mpsc};

    #[test]
    fn sleeping_and_running_threads_are_distinguished() {
        let thread = Arc::new(Thread::default());
        assert_eq!(thread.state(), ThreadState::Unknown);
        let (known, (wake, inbox)) = (thread.clone(), mpsc::channel::<()>());
        let handle = std::thread::spawn(move || {
            known.bind_current();
            let _ = inbox.recv();
        });
        // It falls asleep eventually.
        while thread.state() != ThreadState::Asleep {
            std::thread::yield_now();
        }
        drop(wake);
        handle.join().unwrap();
        let me = Thread::default();
        me.bind_current();
        assert!(matches!(me.state(), ThreadState::Running(_)));
    }

    #[test]
    fn a_pinned_thread_runs_on_one_core() {
        let cores = std::thread::spawn(|| {
            place(Placement::Pinned, 1);
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        assert_eq!(cores.join().unwrap(), 1);
    }
}
