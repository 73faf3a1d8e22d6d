//! SPIN: explores a Promela model with the verifier that SPIN generates, and checks its histories while it runs.
//!
//! Idea (Doolan, Smith, Zhang and Krishnan, "Improving the scalability of automatic linearizability
//! checking in SPIN", 2017, section 3.1). Recordings of calls and returns leave the model as text, so they are not part of
//! its state. The verifier searches depth-first, so it prints a walk over a tree: `histories.rs` keeps the current path,
//! and reports a history whenever the search backtracks.
//!
//! Deviations: 1. The paper numbers recordings with a variable of the model, which makes states differ; our number is
//! restored when the search backtracks, but not compared (`c_track … UnMatched`). 2. The paper checks only complete
//! histories; ours are checked wherever the verifier backtracks, which may be at a known state, with operations still open.
//!
//! **Unsound.** A known state is not entered again, whatever history led to it. Violations are real violations of the
//! model; finding none proves nothing.

mod histories;
mod pan;
mod recording;
mod toolchain;
mod workdir;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

pub use pan::{Ended, Tally};
pub use recording::{BadRecording, Recording, Returned, What};

use histories::Histories;
use pan::Pan;
use toolchain::Toolchain;

/// The file that a model includes to record its operations.
pub const INCLUDE: &str = include_str!("../../promela/linpoint.pml");

/// Models that come with linpoint: name and text.
pub const BUNDLED: &[(&str, &str)] = &[
    ("linpoint.pml", INCLUDE),
    ("treiber.pml", include_str!("../../promela/treiber.pml")),
    ("shann.pml", include_str!("../../promela/shann.pml")),
    ("snark.pml", include_str!("../../promela/snark.pml")),
];

/// How to run SPIN on a model.
#[derive(Clone, Debug)]
pub struct Spin {
    /// The Promela model.
    pub model: PathBuf,
    /// Definitions for the preprocessor: `OPS=4`, `TAGS`.
    pub defines: Vec<String>,
    /// Depth limit of the verifier.
    pub depth: usize,
    /// Binary logarithm of the number of slots in the verifier's table.
    pub slots: u8,
    /// Memory limit of the verifier, in megabytes.
    pub megabytes: Option<usize>,
    /// Time limit.
    pub timeout: Option<Duration>,
}

impl Spin {
    /// Default settings for a model.
    pub fn new(model: impl Into<PathBuf>) -> Spin {
        Spin {
            model: model.into(),
            defines: Vec::new(),
            depth: 1_000_000,
            slots: 20,
            megabytes: None,
            timeout: None,
        }
    }

    /// Generates, compiles and runs the verifier. `judge` is called with every history, and ends the run by returning `Some`.
    pub fn run<T>(
        &self,
        mut judge: impl FnMut(&[Recording]) -> Option<T>,
    ) -> Result<Run<T>, SpinError> {
        if !self.model.is_file() {
            let missing = io::Error::new(io::ErrorKind::NotFound, "no such file");
            return Err(SpinError::Io(self.model.clone(), missing));
        }
        let toolchain = Toolchain::find()?;
        let started = Instant::now();
        let verifier = toolchain.build(self)?;
        let built = started.elapsed();
        let deadline = self.timeout.map(|timeout| started + timeout);
        let mut pan = Pan::start(&verifier, self)?;
        let (lines, answers) = pan.lines();
        let mut histories = Histories::default();
        let mut found = None;
        let mut ended = Ended::Finished;
        loop {
            let batch = match deadline {
                None => lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => {
                    lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))
                }
            };
            match batch {
                Ok(batch) => {
                    for recording in batch? {
                        recording.follows(histories.len()).map_err(SpinError::Recording)?;
                        found = histories.push(recording, &mut judge);
                        if found.is_some() {
                            break;
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => ended = Ended::TimedOut,
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if found.is_some() || ended == Ended::TimedOut {
                break;
            }
        }
        drop(lines);
        if found.is_some() || ended == Ended::TimedOut {
            pan.stop();
        }
        if found.is_none() {
            found = histories.finish(&mut judge);
        }
        if found.is_some() {
            ended = Ended::Found;
        }
        let report = answers.join().unwrap_or_default();
        let tally = pan.finish(ended, &report)?;
        Ok(Run { found, tally, histories: histories.checked(), built, time: started.elapsed() })
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run<T> {
    /// The value that `judge` returned to end the run.
    pub found: Option<T>,
    /// Statistics of the verifier.
    pub tally: Tally,
    /// Number of distinct histories that were judged.
    pub histories: u64,
    /// Time that SPIN and the compiler took.
    pub built: Duration,
    /// Total time.
    pub time: Duration,
}

/// Why SPIN gave no result.
#[derive(Debug)]
pub enum SpinError {
    /// A program is not installed.
    Missing {
        /// The program.
        program: &'static str,
        /// The command that installs it.
        install: &'static str,
    },
    /// SPIN rejected the model.
    Model(String),
    /// The generated verifier does not compile.
    Compile(String),
    /// The model printed a malformed recording.
    Recording(BadRecording),
    /// The verifier failed.
    Verifier(String),
    /// A file could not be read or written.
    Io(PathBuf, io::Error),
}

impl SpinError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> SpinError {
        let path = path.to_owned();
        move |error| SpinError::Io(path, error)
    }
}

impl fmt::Display for SpinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpinError::Missing { program, install } => {
                write!(f, "{program} is not installed; on Debian: {install}")
            }
            SpinError::Model(output) => write!(f, "spin rejected the model:\n{output}"),
            SpinError::Compile(output) => {
                write!(f, "the generated verifier does not compile:\n{output}")
            }
            SpinError::Recording(bad) => bad.fmt(f),
            SpinError::Verifier(why) => write!(f, "the verifier failed: {why}"),
            SpinError::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for SpinError {}
