//! Measures the cost of a check: CPU time, wall time, memory; in this process or in one of its own.

use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use linpoint::{Checker, History, Limit, Spec, Switches, Verdict};

/// CPU time of this process so far, all threads, user and system.
pub fn cpu() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// CPU time of this thread so far.
pub fn thread_cpu() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// User time of this process so far, in steps of ten milliseconds.
pub fn user() -> f64 {
    stat(14)
}

/// CPU time of all child processes that have ended, user and system, in steps of ten milliseconds.
/// The underlying sum is exact, so the steps matter less for several of them.
pub fn children_cpu() -> f64 {
    stat(16) + stat(17)
}

/// CPU time of a running process, user and system, in steps of ten milliseconds; 0 if it has ended.
pub fn cpu_of(process: u32) -> f64 {
    let process = process.to_string();
    stat_of(&process, 14) + stat_of(&process, 15)
}

fn stat(field: usize) -> f64 {
    stat_of("self", field)
}

/// A field of `/proc/<process>/stat`, numbered from 1, that counts hundredths of seconds.
fn stat_of(process: &str, field: usize) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The second field is a name in parentheses.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = after_name.split_whitespace().nth(field - 3).and_then(|f| f.parse::<f64>().ok());
    ticks.unwrap_or(0.0) / 100.0
}

/// A field of `/proc/<process>/status` in bytes; 0 if the process has ended.
fn status(process: &str, field: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(field));
    let kib = line.and_then(|l| l.trim_start_matches(':').split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0usize) << 10
}

/// The largest resident memory of this process so far.
pub fn peak_rss() -> usize {
    status("self", "VmHWM")
}

/// The largest resident memory of a process so far; 0 if it has ended.
pub fn peak_rss_of(process: u32) -> usize {
    status(&process.to_string(), "VmHWM")
}

/// The resident memory of this process now.
pub fn rss() -> usize {
    status("self", "VmRSS")
}

/// Settings of a check.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Engines by name; `None` for the planner.
    pub engine: Option<String>,
    /// Switches.
    pub switches: Switches,
    /// Split by key.
    pub split: bool,
    /// Number of threads; `None` for all cores.
    pub threads: Option<usize>,
    /// Time limit.
    pub time: Duration,
    /// Memory limit.
    pub memory: Option<usize>,
}

impl Setup {
    /// An engine by name or the `planner`, with everything on, on one thread.
    pub fn new(engine: &str, time: Duration) -> Self {
        Setup {
            engine: (engine != "planner").then(|| engine.to_owned()),
            switches: Switches::default(),
            split: true,
            threads: Some(1),
            time,
            memory: None,
        }
    }

    /// The published algorithm: no switches, no split.
    pub fn plain(engine: &str, time: Duration) -> Self {
        Setup { switches: Switches::plain(), split: false, ..Setup::new(engine, time) }
    }

    /// With a memory limit.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// On all cores.
    pub fn all_cores(mut self) -> Self {
        self.threads = None;
        self
    }

    /// Without the split by key.
    pub fn unsplit(mut self) -> Self {
        self.split = false;
        self
    }
}

/// An answer without its evidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Linearizable.
    Yes,
    /// Not linearizable.
    No,
    /// Undecided, by the time limit.
    OutOfTime,
    /// Undecided, by another limit; in these benchmarks, memory.
    OutOfMemory,
}

impl Answer {
    const ALL: [(Answer, &'static str); 4] = [
        (Answer::Yes, "linearizable"),
        (Answer::No, "violation"),
        (Answer::OutOfTime, "time limit"),
        (Answer::OutOfMemory, "memory limit"),
    ];

    /// As text.
    pub fn name(self) -> &'static str {
        Answer::ALL.into_iter().find(|(a, _)| *a == self).map_or("", |(_, name)| name)
    }

    fn from_name(name: &str) -> Option<Answer> {
        Answer::ALL.into_iter().find(|(_, n)| *n == name).map(|(answer, _)| answer)
    }

    /// True unless a limit was hit.
    pub fn is_decided(self) -> bool {
        matches!(self, Answer::Yes | Answer::No)
    }
}

/// The answer of a check and its cost.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// The engine that gave it.
    pub engine: String,
    /// Wall-clock seconds.
    pub wall: f64,
    /// CPU seconds, user and system.
    pub cpu: f64,
    /// User seconds, in steps of ten milliseconds.
    pub user: f64,
    /// The part of the wall-clock seconds spent on validating and explaining.
    pub aftermath: f64,
    /// Steps of all engines.
    pub steps: u64,
    /// Peak number of bytes that the check counted against its limit.
    pub counted: usize,
    /// Resident memory before the check: the history and the program.
    pub rss_before: usize,
    /// Largest resident memory up to the end of the check.
    pub rss: usize,
}

/// Checks a history. Stops the program on a wrong answer.
pub fn run<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    setup: &Setup,
    expected: Answer,
) -> Outcome {
    let mut checker =
        Checker::new(spec).timeout(setup.time).switches(setup.switches).split_by_key(setup.split);
    if let Some(engine) = &setup.engine {
        let algorithm: linpoint::Algorithm = engine.parse().expect("a known engine");
        checker = checker.engine(algorithm);
    }
    if let Some(threads) = setup.threads {
        checker = checker.threads(threads);
    }
    if let Some(memory) = setup.memory {
        checker = checker.memory(memory);
    }
    let (rss_before, user_before, cpu_before, begin) = (rss(), user(), cpu(), Instant::now());
    let report = checker.check(history).unwrap_or_else(|e| panic!("{e}"));
    let (wall, cpu, user) =
        (begin.elapsed().as_secs_f64(), cpu() - cpu_before, user() - user_before);
    let answer = match &report.verdict {
        Verdict::Linearizable(_) => Answer::Yes,
        Verdict::Violation(_) => Answer::No,
        Verdict::Undecided(u) if u.limit == Limit::Time => Answer::OutOfTime,
        Verdict::Undecided(_) => Answer::OutOfMemory,
    };
    assert!(!answer.is_decided() || answer == expected, "{answer:?} is wrong: {setup:?}");
    Outcome {
        answer,
        engine: report.engine,
        wall,
        cpu,
        user,
        aftermath: (report.stats.certify + report.stats.explain).as_secs_f64(),
        steps: report.stats.steps,
        counted: report.stats.peak_bytes,
        rss_before,
        rss: peak_rss(),
    }
}

impl Outcome {
    /// One line that [`Outcome::parse`] reads.
    pub fn line(&self) -> String {
        let mut out = format!("{}\t{}", self.answer.name(), self.engine);
        for number in [self.wall, self.cpu, self.user, self.aftermath] {
            let _ = write!(out, "\t{number}");
        }
        for number in [self.steps as usize, self.counted, self.rss_before, self.rss] {
            let _ = write!(out, "\t{number}");
        }
        out
    }

    fn parse(line: &str) -> Option<Outcome> {
        let mut fields = line.trim_end().split('\t');
        let answer = Answer::from_name(fields.next()?)?;
        let engine = fields.next()?.to_owned();
        let mut number = || fields.next()?.parse::<f64>().ok();
        Some(Outcome {
            answer,
            engine,
            wall: number()?,
            cpu: number()?,
            user: number()?,
            aftermath: number()?,
            steps: number()? as u64,
            counted: number()? as usize,
            rss_before: number()? as usize,
            rss: number()? as usize,
        })
    }
}

/// Runs this program again for one case, so that its peak memory is that of the case alone.
pub fn in_a_process(case: &[String]) -> Outcome {
    let text = line_of_process(case);
    Outcome::parse(&text).unwrap_or_else(|| panic!("the case {case:?} said {text:?}"))
}

/// The same for cases with another kind of output.
pub fn line_of_process(case: &[String]) -> String {
    let program = std::env::current_exe().expect("the program knows where it is");
    let output = Command::new(program)
        .arg("case")
        .args(case)
        .stderr(Stdio::inherit())
        .output()
        .expect("the program can be started again");
    assert!(output.status.success(), "the case {case:?} ended with {}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs `what` and returns its CPU seconds.
pub fn timed<T>(what: impl FnOnce() -> T) -> (T, f64) {
    let begin = cpu();
    let result = what();
    (result, cpu() - begin)
}
