//! The cores on which threads run and the state they are in, as far as the operating system reports
//! it.

#[cfg(target_os = "linux")]
use std::fs::File;
#[cfg(target_os = "linux")]
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use super::settings::Placement;

/// A thread of the operating system.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    #[cfg(target_os = "linux")]
    files: OnceLock<Option<ThreadFiles>>,
}

/// Where Linux reports about a thread. The files stay open, since reading them again is much faster.
#[cfg(target_os = "linux")]
#[derive(Debug)]
struct ThreadFiles {
    stat: File,
    schedstat: File,
}

#[cfg(target_os = "linux")]
impl ThreadFiles {
    fn open(id: i32) -> Option<ThreadFiles> {
        let open = |name: &str| File::open(format!("/proc/self/task/{id}/{name}")).ok();
        Some(ThreadFiles { stat: open("stat")?, schedstat: open("schedstat")? })
    }

    fn read(file: &File) -> Option<String> {
        use std::os::unix::fs::FileExt;

        let mut buffer = [0; 1024];
        let length = file.read_at(&mut buffer, 0).ok()?;
        Some(String::from_utf8_lossy(&buffer[..length]).into_owned())
    }

    /// The first word after the name, which is in parentheses and may contain any character.
    fn sleeps(&self) -> Option<bool> {
        let stat = ThreadFiles::read(&self.stat)?;
        let state = stat.rsplit(") ").next()?.chars().next()?;
        Some(state == 'S')
    }

    /// Nanoseconds on a core, and the number of times that it got one.
    fn ran(&self) -> Option<(u64, u64)> {
        let text = ThreadFiles::read(&self.schedstat)?;
        let mut numbers = text.split_whitespace().map(str::parse);
        let time = numbers.next()?.ok()?;
        Some((time, numbers.nth(1)?.ok()?))
    }
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
        let id = rustix::thread::gettid().as_raw_nonzero().get();
        self.files.get_or_init(|| ThreadFiles::open(id));
    }

    fn files(&self) -> Option<&ThreadFiles> {
        self.files.get()?.as_ref()
    }

    pub(crate) fn state(&self) -> ThreadState {
        match self.files().and_then(|files| Some((files.sleeps()?, files.ran()?))) {
            Some((true, _)) => ThreadState::Asleep,
            Some((false, (time, _))) => ThreadState::Running(Duration::from_nanos(time)),
            None => ThreadState::Unknown,
        }
    }

    /// True if it sleeps. Neither allocates nor locks, for the handler of a signal.
    pub(crate) fn is_asleep(&self) -> bool {
        use std::os::unix::fs::FileExt;

        let mut buffer = [0; 512];
        let read = |files: &ThreadFiles| files.stat.read_at(&mut buffer, 0).ok();
        let length = self.files().and_then(read).unwrap_or(0);
        // The state follows the name, which is in parentheses.
        let mut text = buffer[..length].rsplit(|byte| *byte == b')');
        text.next().is_some_and(|rest| rest.starts_with(b" S"))
    }

    /// If it sleeps: how often it has run. Two equal answers mean that it has not run in between.
    pub(crate) fn asleep_since(&self) -> Option<u64> {
        let files = self.files()?;
        files.sleeps()?.then(|| files.ran())?.map(|(_, times)| times)
    }
}

#[cfg(not(target_os = "linux"))]
impl Thread {
    pub(crate) fn bind_current(&self) {}

    pub(crate) fn state(&self) -> ThreadState {
        ThreadState::Unknown
    }

    pub(crate) fn is_asleep(&self) -> bool {
        false
    }

    pub(crate) fn asleep_since(&self) -> Option<u64> {
        None
    }
}

/// Waits until somebody calls [`wake_all`], but not longer than this, and not if the word has another value. May be
/// called in the handler of a signal.
#[cfg(target_os = "linux")]
pub(crate) fn wait_on(word: &AtomicU32, value: u32, time: Duration) {
    use rustix::thread::futex;

    let nanoseconds = time.subsec_nanos().into();
    let seconds = time.as_secs().try_into().unwrap_or(i64::MAX);
    let time = rustix::thread::Timespec { tv_sec: seconds, tv_nsec: nanoseconds };
    // It may also end for no reason.
    let _ = futex::wait(word, futex::Flags::PRIVATE, value, Some(&time));
}

/// Wakes all threads that wait on this word.
#[cfg(target_os = "linux")]
pub(crate) fn wake_all(word: &AtomicU32) {
    use rustix::thread::futex;

    let _ = futex::wake(word, futex::Flags::PRIVATE, i32::MAX as u32);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn wait_on(_: &AtomicU32, _: u32, time: Duration) {
    std::thread::sleep(time);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn wake_all(_: &AtomicU32) {}

/// Timers of the calling thread are precise while this lives, where the system supports that. By default,
/// Linux wakes threads up to 50 µs late.
pub(crate) struct PreciseTimers {
    #[cfg(target_os = "linux")]
    before: Option<std::num::NonZeroU64>,
}

#[cfg(target_os = "linux")]
impl PreciseTimers {
    pub(crate) fn new() -> PreciseTimers {
        use rustix::thread::{current_timer_slack, set_current_timer_slack};

        let before = current_timer_slack().ok().and_then(std::num::NonZeroU64::new);
        let _ = set_current_timer_slack(Some(std::num::NonZeroU64::MIN));
        PreciseTimers { before }
    }
}

#[cfg(target_os = "linux")]
impl Drop for PreciseTimers {
    fn drop(&mut self) {
        let _ = rustix::thread::set_current_timer_slack(self.before);
    }
}

#[cfg(not(target_os = "linux"))]
impl PreciseTimers {
    pub(crate) fn new() -> PreciseTimers {
        PreciseTimers {}
    }
}

/// The cores that threads may use.
#[derive(Debug)]
pub(crate) struct Cores {
    #[cfg(target_os = "linux")]
    numbers: Vec<usize>,
}

#[cfg(target_os = "linux")]
impl Cores {
    /// Those of the calling thread. They are listed from a different one each time, so that tests that run at
    /// the same time do not all crowd the first core.
    pub(crate) fn of_this_thread() -> Cores {
        use rustix::thread::{CpuSet, sched_getaffinity};

        let allowed = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
        let is_allowed = |core: &usize| allowed.is_set(*core);
        let mut numbers: Vec<usize> = (0..CpuSet::MAX_CPU).filter(is_allowed).collect();
        if !numbers.is_empty() {
            let first = crate::report::any_seed() as usize % numbers.len();
            numbers.rotate_left(first);
        }
        Cores { numbers }
    }

    /// How many of the cores, from the first, this many threads are placed on.
    pub(crate) fn used_by(&self, placement: Placement, threads: usize) -> usize {
        let all = self.numbers.len();
        match placement {
            Placement::Free | Placement::Mixed => all,
            Placement::Pinned => threads.min(all),
            Placement::Crowded(few) => few.max(1).min(all),
        }
    }

    /// Places the calling thread, which has this number. Errors of the system are ignored: placement is only
    /// a preference.
    pub(crate) fn place(&self, placement: Placement, number: usize) {
        use rustix::thread::{CpuSet, sched_setaffinity};

        let mine = match placement {
            _ if self.numbers.is_empty() => return,
            Placement::Pinned => &self.numbers[number % self.numbers.len()..][..1],
            // Thread numbers do not matter here.
            _ => &self.numbers[..self.used_by(placement, 0)],
        };
        let mut set = CpuSet::new();
        for core in mine {
            set.set(*core);
        }
        let _ = sched_setaffinity(None, &set);
    }
}

#[cfg(not(target_os = "linux"))]
impl Cores {
    pub(crate) fn of_this_thread() -> Cores {
        Cores {}
    }

    /// Threads cannot be placed, so nothing can be placed beside them.
    pub(crate) fn used_by(&self, _: Placement, _: usize) -> usize {
        0
    }

    pub(crate) fn place(&self, _: Placement, _: usize) {}
}

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
        // A thread that sleeps has run the same number of times until it is woken.
        let since = thread.asleep_since();
        assert!(since.is_some());
        assert_eq!(thread.asleep_since(), since);
        assert!(thread.is_asleep());
        drop(wake);
        handle.join().unwrap();
        let me = Thread::default();
        me.bind_current();
        assert!(matches!(me.state(), ThreadState::Running(_)));
        assert_eq!(me.asleep_since(), None);
        assert!(!me.is_asleep());
    }

    #[test]
    fn a_pinned_thread_runs_on_one_core() {
        let cores = std::thread::spawn(|| {
            Cores::of_this_thread().place(Placement::Pinned, 1);
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        assert_eq!(cores.join().unwrap(), 1);
    }
}
