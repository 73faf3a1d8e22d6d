//! Measures the time and memory needed to read a large history:
//! `cargo run --release -p linpoint-formats --example read_speed -- FILE [MODEL]`.
//!
//! Prints a line for each step: plain (everything, on the fast path if the lines are plain), and
//! the steps of the format's reader: read (bytes into memory), parse (bytes to columns), build
//! (columns to operations of the model, ranked by time). Memory is the peak of the process after
//! each step.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use linpoint_formats::{Format, ModelName, Source, registry};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        eprintln!("usage: read_speed FILE [MODEL]");
        return ExitCode::FAILURE;
    };
    match measure(Path::new(&path), args.next().as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(path: &Path, model: Option<&str>) -> Result<(), String> {
    let model = model.map(ModelName::parse).transpose().map_err(|error| error.to_string())?;
    let start = Instant::now();
    let found = registry::read_file(path, None, model.as_ref()).map_err(|e| e.to_string())?;
    let plain = start.elapsed();
    let after_plain = peak_bytes();
    drop(found);

    let start = Instant::now();
    let source = Source::open(path).map_err(|e| e.to_string())?;
    let read = start.elapsed();
    let format = Format::detect(&source).map_err(|e| e.to_string())?;

    let start = Instant::now();
    let raw = format.read(&source, model.as_ref()).pop().ok_or("no history")?;
    let raw = raw.map_err(|e| e.to_string())?;
    let parse = start.elapsed();
    let after_parse = peak_bytes();

    let start = Instant::now();
    let history = registry::load(&source, raw, model.as_ref()).map_err(|e| e.to_string())?;
    let build = start.elapsed();
    let after_build = peak_bytes();

    let operations = history.len().max(1);
    let bytes = source.bytes().len();
    println!("{} operations of {}, {} ({bytes} bytes)", operations, history.model(), format.name());
    for (step, time) in [("plain", plain), ("read", read), ("parse", parse), ("build", build)] {
        let nanos = time.as_nanos() as f64 / operations as f64;
        println!("{step:6} {:8.3} s {nanos:8.1} ns an operation", time.as_secs_f64());
    }
    for (step, peak) in [("plain", after_plain), ("parse", after_parse), ("build", after_build)] {
        match peak {
            Some(peak) => {
                let each = peak as f64 / operations as f64;
                println!("peak after {step}: {each:.1} bytes an operation");
            }
            None => println!("peak after {step}: this system does not say"),
        }
    }
    Ok(())
}

/// Peak memory of the process so far.
fn peak_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? * 1024)
}
