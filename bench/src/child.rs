//! Measures the CPU time and peak memory of another program.
//!
//! Linux reports the CPU time of children in hundredths of seconds, so short programs are run
//! several times. Peak memory is sampled every millisecond, so memory taken within the last
//! millisecond is missed.

use std::io::Read;
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::measure::{children_cpu, cpu_of, peak_rss_of};

/// The cost of one run of a program.
#[derive(Clone, Debug)]
pub struct Cost {
    /// User and system seconds.
    pub cpu: f64,
    /// Largest resident memory in bytes.
    pub peak: usize,
    /// The exit code; `None` if it was stopped at the limit or by a signal.
    pub code: Option<i32>,
    /// The beginning of each run's output.
    pub outputs: Vec<String>,
}

/// Runs a program `samples` times `runs` times. Reports the smallest mean CPU time of a sample, the
/// largest memory, and the last exit code. Stops at the first run that fails.
pub fn cost(
    program: &Path,
    args: &[&str],
    (samples, runs): (usize, usize),
    limit: Duration,
) -> std::io::Result<Cost> {
    let mut best = Cost { cpu: f64::INFINITY, peak: 0, code: None, outputs: Vec::new() };
    for _ in 0..samples {
        let begin = children_cpu();
        for _ in 0..runs {
            let one = run(program, args, limit, limit)?;
            best.code = one.code;
            best.peak = best.peak.max(one.peak);
            best.outputs.push(one.output);
            if best.code != Some(0) {
                best.cpu = children_cpu() - begin;
                return Ok(best);
            }
        }
        best.cpu = best.cpu.min((children_cpu() - begin) / runs as f64);
    }
    Ok(best)
}

/// One run of a program.
#[derive(Clone, Debug)]
pub struct Run {
    /// Seconds from start to end.
    pub wall: f64,
    /// User and system seconds, in steps of ten milliseconds.
    pub cpu: f64,
    /// The part of them after `late`.
    pub late_cpu: f64,
    /// Largest resident memory in bytes.
    pub peak: usize,
    /// The exit code; `None` if it was stopped at the limit or by a signal.
    pub code: Option<i32>,
    /// The beginning of its output.
    pub output: String,
}

/// Runs a program once. CPU time after `late` is also counted separately.
pub fn run(program: &Path, args: &[&str], late: Duration, limit: Duration) -> std::io::Result<Run> {
    let (cpu, begin) = (children_cpu(), Instant::now());
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    // The pipe is emptied while the program runs, or it would wait for that.
    let reader = child.stdout.take().map(|out| std::thread::spawn(move || beginning(out)));
    let (mut peak, mut stopped, mut until_late) = (0, false, None);
    let status = loop {
        if until_late.is_none() && begin.elapsed() > late {
            until_late = Some(cpu_of(child.id()));
        }
        peak = peak.max(peak_rss_of(child.id()));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begin.elapsed() > limit && !stopped {
            child.kill()?;
            stopped = true;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let wall = begin.elapsed().as_secs_f64();
    let output = reader.and_then(|reader| reader.join().ok()).transpose()?.unwrap_or_default();
    let cpu = children_cpu() - cpu;
    let late_cpu = until_late.map_or(0.0, |before| (cpu - before).max(0.0));
    Ok(Run { wall, cpu, late_cpu, peak, code: status.code(), output })
}

/// Reads all of the output and returns its beginning.
fn beginning(mut out: ChildStdout) -> std::io::Result<String> {
    let mut text = Vec::new();
    out.by_ref().take(4096).read_to_end(&mut text)?;
    std::io::copy(&mut out, &mut std::io::sink())?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
