//! The text of an interleaving.
//!
//! ```text
//! main  push(1)
//! t0    pop()
//!         top.load → 1                      stack.rs:71
//! ── switch to t1
//! t1    pop() → 1
//!         top.load → 1                      stack.rs:71
//!         top.compare_exchange(1, 0) → ok   stack.rs:52
//! ── switch to t0
//! t0    … pop() → 1
//!         top.compare_exchange(1, 0) → ok   stack.rs:52
//! ```
//!
//! An operation that overlaps no other one is shown with its writes only, because it saw what the
//! others had left, and they notice nothing else of it. A loop that repeats its steps is shown once.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use linpoint_report::text::clean;

use super::{Interleaving, Moment, What};

/// The most lines of an interleaving. The middle of a longer one is left out.
const MOST_LINES: usize = 160;
/// The widest step before which places are aligned.
const WIDEST: usize = 64;
/// The longest cycle of steps that is recognised as a loop.
const LONGEST_CYCLE: usize = 6;

/// What one thread did for one operation, without another thread in between.
struct Piece<'a> {
    process: u32,
    /// The operation; `None` for threads that the object started.
    op: Option<&'a str>,
    /// It was called earlier.
    continued: bool,
    /// How it ended, if it did.
    end: Option<String>,
    /// No other operation was open.
    alone: bool,
    steps: Vec<&'a What>,
}

impl Interleaving {
    fn pieces(&self) -> Vec<Piece<'_>> {
        let mut open: Vec<(u32, &str)> = Vec::new();
        let mut pieces: Vec<Piece<'_>> = Vec::new();
        for Moment { process, what } in &self.moments {
            let op = open.iter().find(|(by, _)| by == process).map(|(_, op)| *op);
            let continues =
                pieces.last().is_some_and(|last| last.process == *process && last.end.is_none());
            let op = if let What::Call(text) = what {
                open.push((*process, text));
                Some(text.as_str())
            } else {
                op
            };
            if !continues || matches!(what, What::Call(_)) {
                let continued = op.is_some() && !matches!(what, What::Call(_));
                pieces.push(Piece {
                    process: *process,
                    op,
                    continued,
                    end: None,
                    alone: open.iter().all(|(by, _)| by == process),
                    steps: Vec::new(),
                });
            }
            let Some(piece) = pieces.last_mut() else { continue };
            match what {
                What::Call(_) => {}
                What::Step { .. } => piece.steps.push(what),
                What::Return(result) => piece.end = Some(format!(" → {}", clean(result))),
                What::Panic(message) => piece.end = Some(format!(" panics: {}", clean(message))),
            }
            if piece.end.is_some() {
                open.retain(|(by, _)| by != process);
            }
        }
        pieces
    }

    fn thread(&self, process: u32) -> String {
        match process.cmp(&self.threads) {
            std::cmp::Ordering::Less => format!("t{process}"),
            std::cmp::Ordering::Equal => "main".to_owned(),
            std::cmp::Ordering::Greater => format!("started {}", process - self.threads),
        }
    }

    /// The lines, as text with an optional place.
    fn lines(&self) -> Vec<(String, Option<String>)> {
        let mut lines = Vec::new();
        let mut last: Option<&Piece<'_>> = None;
        let pieces = self.pieces();
        for piece in &pieces {
            let is_main = piece.process == self.threads;
            if let Some(last) = last
                && last.process != piece.process
                && last.process != self.threads
                && !is_main
            {
                lines.push((format!("── switch to {}", self.thread(piece.process)), None));
            }
            last = Some(piece);
            let op = piece.op.map(clean).unwrap_or_default();
            let again = if piece.continued { "… " } else { "" };
            let end = piece.end.as_deref().unwrap_or_default();
            let thread = self.thread(piece.process);
            lines.push((format!("{thread:<5} {again}{op}{end}"), None));
            if is_main {
                continue;
            }
            let alone = piece.alone && !piece.continued && piece.end.is_some();
            let shown = |step: &&&What| {
                !alone || self.all_reads || matches!(step, What::Step { writes: true, .. })
            };
            let steps: Vec<&What> = piece.steps.iter().filter(shown).copied().collect();
            without_cycles(&steps, &mut lines);
        }
        self.unfinished(&pieces, &mut lines);
        lines
    }

    fn unfinished(&self, pieces: &[Piece<'_>], lines: &mut Vec<(String, Option<String>)>) {
        for process in 0..self.threads {
            let last = pieces.iter().rfind(|piece| piece.process == process);
            if let Some(Piece { op: Some(op), end: None, .. }) = last {
                let thread = self.thread(process);
                lines.push((format!("{thread:<5} … {} does not return", clean(op)), None));
            }
        }
    }

    /// The files in which steps were made.
    fn files(&self) -> BTreeSet<&str> {
        self.moments
            .iter()
            .filter_map(|moment| match &moment.what {
                What::Step { place: Some((file, _)), .. } => Some(file.as_str()),
                _ => None,
            })
            .collect()
    }
}

/// Appends the steps. A cycle of steps that repeats is appended once.
fn without_cycles(steps: &[&What], lines: &mut Vec<(String, Option<String>)>) {
    let mut at = 0;
    while at < steps.len() {
        let rest = &steps[at..];
        let times = |length: usize| {
            let (cycle, others) = rest.split_at(length);
            1 + others.chunks_exact(length).take_while(|chunk| *chunk == cycle).count()
        };
        let cycles = (1..=LONGEST_CYCLE.min(rest.len())).map(|length| (length, times(length)));
        let repeated = cycles.filter(|(_, times)| *times > 2);
        let (length, times) =
            repeated.max_by_key(|(length, times)| length * times).unwrap_or((1, 1));
        for step in &rest[..length] {
            if let What::Step { text, place, .. } = step {
                let place = place.as_ref().map(|(file, line)| format!("{}:{line}", base(file)));
                lines.push((format!("        {}", clean(text)), place));
            }
        }
        if times > 1 {
            lines.push((format!("        … {times} times in all"), None));
        }
        at += length * times;
    }
}

fn base(file: &str) -> &str {
    Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file)
}

impl fmt::Display for Interleaving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.lines();
        if lines.len() > MOST_LINES {
            let left_out = lines.len() - MOST_LINES;
            let half = MOST_LINES / 2;
            let note = (format!("… {left_out} lines left out"), None);
            lines.splice(half..half + left_out, [note]);
        }
        let width = |line: &(String, Option<String>)| line.0.chars().count();
        let placed = lines.iter().filter(|line| line.1.is_some());
        let width = placed.map(width).max().unwrap_or(0).min(WIDEST);
        for (text, place) in &lines {
            match place {
                Some(place) => writeln!(f, "{text:<width$}  {place}")?,
                None => writeln!(f, "{text}")?,
            }
        }
        let files: Vec<&str> = self.files().into_iter().collect();
        if !files.is_empty() {
            writeln!(f, "in {}", files.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(moments: &[(u32, What)]) -> Interleaving {
        let moments =
            moments.iter().map(|(process, what)| Moment { process: *process, what: what.clone() });
        Interleaving { moments: moments.collect(), threads: 2, ..Interleaving::default() }
    }

    fn step(text: &str, line: u32, writes: bool) -> What {
        let place = Some(("src/stack.rs".to_owned(), line));
        What::Step { text: text.to_owned(), place, writes }
    }

    fn call(op: &str) -> What {
        What::Call(op.to_owned())
    }

    fn returns(result: &str) -> What {
        What::Return(result.to_owned())
    }

    #[test]
    fn switches_stand_out_and_operations_alone_show_their_writes() {
        let interleaving = moments(&[
            (2, call("push(1)")),
            (2, step("top.store(1)", 9, true)),
            (2, returns("done")),
            (1, call("push(2)")),
            (1, step("top.load → 1", 8, false)),
            (1, step("top.store(2)", 9, true)),
            (1, returns("done")),
            (0, call("pop()")),
            (0, step("top.load → 1", 5, false)),
            (1, call("pop()")),
            (1, step("top.load → 1", 5, false)),
            (1, step("top.store(0)", 6, true)),
            (1, returns("1")),
            (0, step("top.store(0)", 6, true)),
            (0, returns("1")),
        ]);
        assert_eq!(interleaving.switches_inside_operations(), 1);
        assert_eq!(
            interleaving.to_string(),
            "main  push(1) → done\n\
             t1    push(2) → done\n        top.store(2)  stack.rs:9\n\
             ── switch to t0\n\
             t0    pop()\n        top.load → 1  stack.rs:5\n\
             ── switch to t1\n\
             t1    pop() → 1\n        top.load → 1  stack.rs:5\n        top.store(0)  stack.rs:6\n\
             ── switch to t0\n\
             t0    … pop() → 1\n        top.store(0)  stack.rs:6\n\
             in src/stack.rs\n"
        );
    }

    #[test]
    fn a_loop_is_shown_once_and_a_wait_without_end_is_named() {
        let mut all = vec![(0, call("take()"))];
        for _ in 0..5 {
            all.push((0, step("full.load → false", 3, false)));
            all.push((0, step("yield_now", 4, false)));
        }
        let text = moments(&all).to_string();
        assert_eq!(text.matches("full.load").count(), 1, "{text}");
        assert!(text.contains("… 5 times in all"), "{text}");
        assert!(text.contains("t0    … take() does not return"), "{text}");
    }

    #[test]
    fn a_long_interleaving_is_cut_in_the_middle() {
        let mut all = vec![(0, call("count()"))];
        all.extend((0..1_000).map(|n| (0, step(&format!("n.store({n})"), n, true))));
        let text = moments(&all).to_string();
        assert!(text.lines().count() <= MOST_LINES + 2, "{text}");
        assert!(text.contains("lines left out") && text.contains("n.store(999)"), "{text}");
    }
}
