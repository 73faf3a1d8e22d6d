//! The running verifier, and its final statistics.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::recording::{MARK, Recording};
use super::toolchain::Verifier;
use super::{Spin, SpinError};

/// Recordings per batch.
const BATCH: usize = 256;
/// Batches that may wait before the verifier blocks.
const WAITING: usize = 64;
/// Bytes of the verifier's report that are kept, at least: the last ones. The statistics come at the end.
const REPORT: usize = 64 * 1024;
/// Longer lines are not recordings, and are read in pieces.
const LINE: u64 = 1 << 16;
/// Grace period of a verifier that is asked to stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// Recordings in the order in which they were printed, or an error in one of them.
pub(super) type Batch = Result<Vec<Recording>, SpinError>;

/// A running verifier. Dropping it kills the process.
#[derive(Debug)]
pub(super) struct Pan {
    child: Child,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The verifier finished its search.
    Finished,
    /// The judge ended the run.
    Found,
    /// The time limit was hit.
    TimedOut,
}

/// Statistics of the verifier.
#[derive(Clone, PartialEq, Debug)]
pub struct Tally {
    /// How the run ended.
    pub ended: Ended,
    /// Distinct states. This and the other figures are `None` if the verifier could not report them.
    pub stored: Option<u64>,
    /// How often a known state was reached again.
    pub matched: Option<u64>,
    /// Length of the longest path.
    pub depth: Option<u64>,
    /// Memory in use, in megabytes.
    pub megabytes: Option<f64>,
    /// Size of a state in bytes.
    pub vector: Option<u64>,
    /// Errors in the model itself, such as violated assertions.
    pub errors: Option<u64>,
    /// The search was incomplete: a path exceeded the depth limit, or memory ran out.
    pub is_truncated: bool,
}

impl Pan {
    pub(super) fn start(verifier: &Verifier, spin: &Spin) -> Result<Pan, SpinError> {
        let program = verifier.program();
        let mut command = Command::new(&program);
        // Continue after invalid end states and errors of the model.
        command.args(["-E", "-n", "-c0"]);
        command.arg(format!("-m{}", spin.depth)).arg(format!("-w{}", spin.slots));
        command.current_dir(verifier.dir()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().map_err(SpinError::io(&program))?;
        Ok(Pan { child })
    }

    /// The output: recordings as they come, and the rest at the end.
    pub(super) fn lines(&mut self) -> (Receiver<Batch>, JoinHandle<String>) {
        let (to, from) = mpsc::sync_channel(WAITING);
        let out = self.child.stdout.take();
        let reader = thread::spawn(move || match out {
            Some(out) => read(BufReader::with_capacity(1 << 16, out), &to),
            None => String::new(),
        });
        (from, reader)
    }

    /// Asks the verifier to stop and report its statistics; kills it if it does not.
    pub(super) fn stop(&mut self) {
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-INT", &id]).stderr(Stdio::null()).status();
        let patience = Instant::now() + PATIENCE;
        while asked.as_ref().is_ok_and(ExitStatus::success) && Instant::now() < patience {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.kill();
    }

    fn kill(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
    }

    /// Waits for the process to end. `report` is its output beside recordings.
    pub(super) fn finish(mut self, ended: Ended, report: &str) -> Result<Tally, SpinError> {
        let status = self.child.wait().map_err(|e| SpinError::Verifier(e.to_string()))?;
        let tally = Tally::read(ended, report);
        if ended == Ended::Finished && tally.stored.is_none() {
            let last = report.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
            return Err(SpinError::Verifier(format!("{status}; its last line was {last:?}")));
        }
        Ok(tally)
    }
}

impl Drop for Pan {
    fn drop(&mut self) {
        self.kill();
        // Reap the process.
        let _ = self.child.wait();
    }
}

fn read(mut out: impl BufRead, to: &SyncSender<Batch>) -> String {
    let (mut report, mut line, mut batch) = (String::new(), Vec::new(), Vec::new());
    // False when the run has ended. The verifier still reports its statistics.
    let mut has_receiver = true;
    loop {
        line.clear();
        match out.by_ref().take(LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        match text.strip_prefix(MARK) {
            // Recordings are printed with empty lines between them.
            None if text.trim().is_empty() => {}
            None => {
                report.push_str(&text);
                if report.len() > 2 * REPORT {
                    let from = report.len() - REPORT;
                    let from = report[..from].rfind('\n').map_or(0, |at| at + 1);
                    report.drain(..from);
                }
            }
            // The last line of a killed verifier may be truncated.
            Some(recording) if has_receiver && recording.ends_with('\n') => {
                match Recording::parse(recording) {
                    Ok(recording) => batch.push(recording),
                    Err(bad) => {
                        let _ = to.send(Ok(std::mem::take(&mut batch)));
                        has_receiver = to.send(Err(SpinError::Recording(bad))).is_ok();
                    }
                }
                if batch.len() >= BATCH {
                    has_receiver = to.send(Ok(std::mem::take(&mut batch))).is_ok();
                }
            }
            _ => {}
        }
    }
    let _ = to.send(Ok(batch));
    report
}

impl Tally {
    fn read(ended: Ended, report: &str) -> Tally {
        let number = |line: &str| line.split_whitespace().next()?.parse::<f64>().ok();
        let count = |end: &str| {
            let line = report.lines().find(|line| line.trim_end().ends_with(end))?;
            number(line).map(|n| n as u64)
        };
        let after = |mark: &str| {
            let at = report.find(mark)? + mark.len();
            let rest = report[at..].trim_start();
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..end].parse::<u64>().ok()
        };
        let megabytes = report.lines().find(|line| line.contains("total actual memory usage"));
        let is_cut = ["max search depth too small", "out of memory", "Search not completed"];
        Tally {
            ended,
            stored: count("states, stored"),
            matched: count("states, matched"),
            depth: after("depth reached"),
            megabytes: megabytes.and_then(number),
            vector: after("State-vector"),
            errors: after("errors:"),
            is_truncated: is_cut.iter().any(|sign| report.contains(sign)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_found_after_any_number_of_other_lines() {
        let statistics = "State-vector 56 byte, depth reached 92, errors: 0\n  7 states, stored\n";
        for noise in ["\n", "pan: a message that is repeated\n"] {
            let output = noise.repeat(3 * REPORT / noise.len()) + statistics;
            let (to, from) = mpsc::sync_channel(WAITING);
            let report = read(output.as_bytes(), &to);
            drop(from);
            let tally = Tally::read(Ended::Finished, &report);
            assert_eq!((tally.stored, tally.depth, tally.errors), (Some(7), Some(92), Some(0)));
            assert!(report.len() <= 2 * REPORT);
        }
    }
}
