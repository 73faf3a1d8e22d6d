//! Progress of a run, on standard error, for people at a terminal.
//!
//! Worker threads record their progress on the [`Board`]. The [`Display`] reads it a few times a second.
//! Nothing is drawn during the first tick: most runs end before it.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Scope, Thread};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linpoint::Progress;
use linpoint_report::text;

/// Time between two updates of the display.
const TICK: Duration = Duration::from_millis(200);
/// The display names a check that has run for longer than this.
const SLOW: Duration = Duration::from_secs(1);
/// Longer names are cut to this many characters, at the front.
const MAX_NAME: usize = 40;

/// True if progress can be drawn and was not switched off by `--quiet`: standard error is a terminal that can return to the
/// start of a line. `NO_COLOR` is about colours, and there are none in it.
pub fn is_wanted(quiet: bool) -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    !quiet && !dumb && std::io::stderr().is_terminal()
}

/// What the worker threads have done so far.
pub struct Board {
    begun: Instant,
    inputs: usize,
    done: AtomicUsize,
    operations: AtomicU64,
    active: Mutex<Vec<Active>>,
    next: AtomicU64,
    is_shown: AtomicBool,
}

/// An input that is being checked.
struct Active {
    number: u64,
    name: String,
    since: Instant,
    /// `None` while it is read.
    progress: Option<Progress>,
}

/// Handle to an input that is being checked.
pub struct BoardEntry<'a> {
    board: &'a Board,
    number: u64,
}

impl Board {
    pub fn new(inputs: usize) -> Board {
        Board {
            begun: Instant::now(),
            inputs,
            done: AtomicUsize::new(0),
            operations: AtomicU64::new(0),
            active: Mutex::new(Vec::new()),
            next: AtomicU64::new(0),
            is_shown: AtomicBool::new(false),
        }
    }

    fn active(&self) -> MutexGuard<'_, Vec<Active>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the check of an input starts.
    pub fn begin(&self, name: String) -> BoardEntry<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.active().push(Active { number, name, since: Instant::now(), progress: None });
        BoardEntry { board: self, number }
    }

    /// Records that the check of an input is done.
    pub fn end(&self, entry: BoardEntry<'_>) {
        self.active().retain(|active| active.number != entry.number);
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// The message of the progress bar.
    fn line(&self, now: Instant, memory: usize) -> String {
        let seconds = now.duration_since(self.begun).as_secs_f64();
        let operations = self.operations.load(Ordering::Relaxed) as f64;
        let mut facts = Vec::new();
        if operations > 0.0 && seconds > 0.0 {
            facts.push(format!("{} operations/s", rounded(operations / seconds)));
        }
        let active = self.active();
        // Entries are in the order in which they began.
        let slowest = active.first().map(|entry| (entry, now.duration_since(entry.since)));
        if let Some((slowest, time)) = slowest.filter(|(_, time)| *time >= SLOW) {
            let how_far = slowest.progress.as_ref().map_or(", reading".to_owned(), how_far);
            let name = shorten_front(&slowest.name);
            facts.push(format!("{name} {} s{how_far}, {} MiB", time.as_secs(), memory >> 20));
        }
        facts.join("; ")
    }
}

impl BoardEntry<'_> {
    /// True if the board is displayed.
    pub fn is_shown(&self) -> bool {
        self.board.is_shown.load(Ordering::Relaxed)
    }

    /// Updates the progress of the check.
    pub fn set_progress(&self, progress: Progress) {
        let mut active = self.board.active();
        if let Some(active) = active.iter_mut().find(|active| active.number == self.number) {
            active.progress = Some(progress);
        }
    }

    /// Records that a history with this many operations has been checked.
    pub fn checked(&self, operations: usize) {
        self.board.operations.fetch_add(operations as u64, Ordering::Relaxed);
    }
}

/// `, 3 of 10 parts, in part 4 120 of 400 returns explained, 1.50 k configurations`.
fn how_far(progress: &Progress) -> String {
    let Progress { steps, parts_done, parts, part, returns, returns_reached, .. } = *progress;
    let mut text = String::new();
    if parts > 1 {
        let _ = write!(text, ", {parts_done} of {parts} parts");
    }
    if returns > 0 {
        let inside = if parts > 1 { format!("in part {part} ") } else { String::new() };
        let (reached, all) = (rounded(returns_reached as f64), rounded(returns as f64));
        let _ = write!(text, ", {inside}{reached} of {all} returns explained");
    }
    if steps > 0 {
        let _ = write!(text, ", {} configurations", rounded(steps as f64));
    }
    text
}

/// A number with three significant digits: `1.25 M`.
pub fn rounded(n: f64) -> String {
    let (n, unit) = match n {
        n if n < 1e3 => return format!("{n:.0}"),
        n if n < 1e6 => (n / 1e3, "k"),
        n if n < 1e9 => (n / 1e6, "M"),
        n => (n / 1e9, "G"),
    };
    let digits = if n < 10.0 { 2 } else { usize::from(n < 100.0) };
    format!("{n:.digits$} {unit}")
}

/// Cuts a path at the front: its end is more specific than its beginning.
fn shorten_front(name: &str) -> String {
    let name = text::clean(name);
    let length = name.chars().count();
    if length <= MAX_NAME {
        return name;
    }
    let end: String = name.chars().skip(length - MAX_NAME + 1).collect();
    format!("\u{2026}{end}")
}

/// The progress bar and the thread that updates it.
pub struct Display<'a> {
    board: &'a Board,
    shown: Option<(ProgressBar, Thread)>,
}

impl<'a> Display<'a> {
    /// Starts to draw if `is_wanted`. Drawing ends when the display is dropped.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        board: &'a Board,
        is_wanted: bool,
    ) -> Display<'a>
    where
        'a: 'scope,
    {
        if !is_wanted {
            return Display { board, shown: None };
        }
        board.is_shown.store(true, Ordering::Relaxed);
        let bar = ProgressBar::with_draw_target(
            Some(board.inputs as u64),
            ProgressDrawTarget::stderr_with_hz(10),
        );
        let template = match board.inputs {
            1 => "{spinner} {wide_msg}",
            _ => "{bar:20} {pos}/{len} files, {wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let drawn = bar.clone();
        let drawing = scope.spawn(move || {
            // Unparked early, the run is already over.
            std::thread::park_timeout(TICK);
            while board.is_shown.load(Ordering::Relaxed) {
                drawn.set_message(board.line(Instant::now(), linpoint_memory::in_use()));
                drawn.set_position(board.done.load(Ordering::Relaxed) as u64);
                drawn.tick();
                std::thread::park_timeout(TICK);
            }
            drawn.finish_and_clear();
        });
        Display { board, shown: Some((bar, drawing.thread().clone())) }
    }

    /// Removes the bar from the terminal.
    pub fn clear(&self) {
        if let Some((bar, _)) = &self.shown {
            bar.finish_and_clear();
        }
    }

    /// The bar, if one is drawn. Writes to the terminal must suspend it.
    pub fn bar(&self) -> Option<ProgressBar> {
        self.shown.as_ref().map(|(bar, _)| bar.clone())
    }
}

impl Drop for Display<'_> {
    fn drop(&mut self) {
        self.board.is_shown.store(false, Ordering::Relaxed);
        if let Some((_, drawing)) = &self.shown {
            drawing.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_slow_inputs() {
        let board = Board::new(3);
        let slow = board.begin("a/slow.jsonl".to_owned());
        let quick = board.begin("quick".to_owned());
        quick.checked(4_000_000);
        board.end(quick);
        let later = board.begun + Duration::from_secs(2);
        let line = || board.line(later, 3 << 20);
        assert!(line().starts_with("2.00 M operations/s; a/slow.jsonl "), "{}", line());
        assert!(line().ends_with(" s, reading, 3 MiB"), "{}", line());
        let mut progress =
            Progress { steps: 1_500, parts_done: 1, parts: 4, ..Progress::default() };
        slow.set_progress(progress);
        assert!(line().ends_with(" s, 1 of 4 parts, 1.50 k configurations, 3 MiB"), "{}", line());
        (progress.part, progress.returns, progress.returns_reached) = (2, 12_000, 120);
        slow.set_progress(progress);
        let inside = ", in part 2 120 of 12.0 k returns explained, 1.50 k configurations, 3 MiB";
        assert!(line().ends_with(inside), "{}", line());
        board.end(slow);
        assert_eq!(line(), "2.00 M operations/s");
        assert_eq!(board.done.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn numbers_and_names_are_shortened() {
        let numbers = [0.0, 999.0, 1e3, 12_340.0, 999_000.0, 1.5e9].map(rounded);
        assert_eq!(numbers, ["0", "999", "1.00 k", "12.3 k", "999 k", "1.50 G"]);
        let name = shorten_front(&format!("{}/run.jsonl\u{1b}", "x".repeat(100)));
        assert!(name.starts_with("\u{2026}xx") && name.ends_with("/run.jsonl\\u{1b}"), "{name}");
        assert_eq!(name.chars().count(), MAX_NAME);
    }
}
