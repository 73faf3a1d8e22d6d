//! SPIN beside us: a Promela model is explored by the verifier that the real SPIN generates, and its
//! histories are checked while it runs.
//!
//! Idea (Doolan, Smith, Zhang and Krishnan, "Improving the scalability of automatic linearizability
//! checking in SPIN", 2017, section 3.1). Recordings of calls and returns leave the model as text, so they
//! are no part of its state. The verifier searches depth first, so what it prints is a walk over a tree:
//! `histories.rs` knows the path to where it is, and hands out a history whenever it turns back.
//!
//! Deviations: 1. The paper numbers recordings with a variable of the model, which makes states differ;
//! our number is restored when the search goes back, but not compared (`c_track … UnMatched`). 2. The paper checks complete
//! histories only; ours are checked wherever the verifier turns back, which may be at a state it has seen,
//! with operations still open.
//!
//! **Unsound.** A state that was reached before is not entered again, whatever history led to it this time.
//! What is found is a real violation of the model; that nothing was found proves nothing.

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

/// What a model includes to become ready for us.
pub const INCLUDE: &str = include_str!("../../promela/linpoint.pml");

/// Models that come with linpoint: name, text, what it is.
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
    /// Passed to the preprocessor: `OPS=4`, `TAGS`.
    pub defines: Vec<String>,
    /// Longest path that the verifier follows.
    pub depth: usize,
    /// Two to the power of this many slots in the verifier's table.
    pub slots: u8,
    /// Megabytes that the verifier may take.
    pub megabytes: Option<usize>,
    /// When to stop.
    pub timeout: Option<Duration>,
}

impl Spin {
    /// The usual settings for a model.
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

    /// Generates, compiles and runs the verifier. `judge` gets every history that it shows, and ends the run
    /// by answering something.
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

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Run<T> {
    /// What ended it, if something did.
    pub found: Option<T>,
    /// What the verifier says.
    pub tally: Tally,
    /// Different histories that were judged.
    pub histories: u64,
    /// How long SPIN and the compiler took.
    pub built: Duration,
    /// How long everything took.
    pub time: Duration,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum SpinError {
    /// A program is not there.
    Missing {
        /// Which.
        program: &'static str,
        /// How to get it.
        install: &'static str,
    },
    /// SPIN does not accept the model.
    Model(String),
    /// The verifier that SPIN made does not compile.
    Compile(String),
    /// The verifier printed something that only looks like a recording.
    Recording(BadRecording),
    /// The verifier ended badly.
    Verifier(String),
    /// Files could not be read or written.
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
            SpinError::Model(output) => write!(f, "spin does not accept the model:\n{output}"),
            SpinError::Compile(output) => {
                write!(f, "the verifier that spin generated does not compile:\n{output}")
            }
            SpinError::Recording(bad) => bad.fmt(f),
            SpinError::Verifier(why) => write!(f, "the verifier failed: {why}"),
            SpinError::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for SpinError {}
