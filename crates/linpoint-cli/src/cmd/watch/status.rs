//! The status line of a stream, for people at a terminal.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linpoint_formats::registry::watch::StreamProgress;

use crate::progress::{is_wanted, rounded};

/// Time between two updates.
const TICK: Duration = Duration::from_millis(200);

/// The status line, if it is shown.
pub struct Status {
    shown: Option<Shown>,
}

struct Shown {
    bar: ProgressBar,
    begun: Instant,
    /// Time of the next update.
    next: Cell<Instant>,
}

impl Status {
    /// Starts to draw if the terminal allows it and `quiet` is false.
    pub fn start(quiet: bool) -> Status {
        if !is_wanted(quiet) {
            return Status { shown: None };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        // The spinner turns even while the stream is idle.
        bar.enable_steady_tick(TICK);
        let begun = Instant::now();
        Status { shown: Some(Shown { bar, begun, next: Cell::new(begun) }) }
    }

    /// The bar, if one is drawn.
    pub fn bar(&self) -> Option<ProgressBar> {
        self.shown.as_ref().map(|shown| shown.bar.clone())
    }

    /// True if it is time for the next update.
    pub fn is_due(&self) -> bool {
        let Some(shown) = &self.shown else { return false };
        let now = Instant::now();
        let due = now >= shown.next.get();
        if due {
            shown.next.set(now + TICK);
        }
        due
    }

    /// Updates the status.
    pub fn set(&self, progress: StreamProgress) {
        let Some(shown) = &self.shown else { return };
        let seconds = shown.begun.elapsed().as_secs_f64().max(1e-3);
        shown.bar.set_message(line(progress, seconds, resident()));
    }

    /// Removes the status line.
    pub fn end(&self) {
        if let Some(shown) = &self.shown {
            shown.bar.finish_and_clear();
        }
    }
}

fn line(progress: StreamProgress, seconds: f64, memory: Option<u64>) -> String {
    let StreamProgress { events, open, configurations } = progress;
    let rate = rounded(events as f64 / seconds);
    let memory = memory.map(|bytes| format!(", {} MiB", bytes >> 20)).unwrap_or_default();
    let (events, configurations) = (rounded(events as f64), rounded(configurations as f64));
    format!("{events} events, {rate}/s, {open} open, {configurations} configurations{memory}")
}

/// Resident memory in bytes, where the system reports it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_has_rate_open_operations_configurations_and_memory() {
        let progress = StreamProgress { events: 3_000_000, open: 12, configurations: 400 };
        let text = line(progress, 2.0, Some(40 << 20));
        assert_eq!(text, "3.00 M events, 1.50 M/s, 12 open, 400 configurations, 40 MiB");
    }
}
