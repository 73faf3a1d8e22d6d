//! Measures the CPU time and peak memory of another program.
//!
//! Linux reports the CPU time of children in hundredths of seconds, so short programs are run
//! several times. Peak memory is sampled every millisecond, so memory taken within the last
//! millisecond is missed.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::measure::{children_cpu, peak_rss_of};

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
            let (code, peak, output) = run(program, args, limit)?;
            best.code = code;
            best.peak = best.peak.max(peak);
            best.outputs.push(output);
            if best.code != Some(0) {
                best.cpu = children_cpu() - begin;
                return Ok(best);
            }
        }
        best.cpu = best.cpu.min((children_cpu() - begin) / runs as f64);
    }
    Ok(best)
}

/// The exit code, the peak memory, and the output.
fn run(
    program: &Path,
    args: &[&str],
    limit: Duration,
) -> std::io::Result<(Option<i32>, usize, String)> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (begin, mut peak, mut stopped) = (Instant::now(), 0, false);
    let status = loop {
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
    Ok((status.code(), peak, beginning(&mut child)?))
}

/// The contents of the pipe; these programs print too little to fill it.
fn beginning(child: &mut Child) -> std::io::Result<String> {
    let mut text = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(4096).read_to_end(&mut text)?;
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
