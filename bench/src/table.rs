//! Tables as text and as TSV, and where they are stored.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// A table of strings.
#[derive(Clone, Debug)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new<H: Into<String>>(head: impl IntoIterator<Item = H>) -> Self {
        Table { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.head.len(), "a cell for each column");
        self.rows.push(cells);
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.head).chain(&self.rows)
    }

    /// The table in columns.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.head.len())
            .map(|c| self.lines().map(|l| l[c].chars().count()).max().unwrap_or(0))
            .collect();
        let mut out = String::new();
        for line in self.lines() {
            for (c, (cell, width)) in line.iter().zip(&widths).enumerate() {
                let pad = " ".repeat(width - cell.chars().count());
                // The first column names the row; the others are mostly numbers.
                out += &if c == 0 { format!("{cell}{pad}") } else { format!("  {pad}{cell}") };
            }
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
        out
    }

    /// Prints the table under a title and stores it as `record/<name>.tsv`.
    pub fn publish(&self, title: &str, name: &str) {
        println!("\n{title}\n\n{}", self.text());
        let lines: Vec<String> = self.lines().map(|l| l.join("\t")).collect();
        keep(&format!("{name}.tsv"), &(lines.join("\n") + "\n"));
    }
}

static QUICK: AtomicBool = AtomicBool::new(false);

/// From now on, stores files in `bench/record/quick`, where they do not replace full ones.
pub fn keep_as_quick() {
    QUICK.store(true, Ordering::Relaxed);
}

/// Writes a file into `bench/record`.
pub fn keep(name: &str, contents: &str) {
    let record = if QUICK.load(Ordering::Relaxed) { "record/quick" } else { "record" };
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(record);
    let path = directory.join(name);
    std::fs::create_dir_all(&directory).expect("bench/record can be made");
    std::fs::write(&path, contents).expect("bench/record can be written");
}

/// Seconds with a sensible number of digits.
pub fn seconds(s: f64) -> String {
    match s {
        s if s < 0.0995 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Bytes as MiB.
pub fn mib(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64)
}

/// A count with a unit.
pub fn short(n: f64) -> String {
    match n {
        n if n >= 9.95e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e6 => format!("{:.2} M", n / 1e6),
        n if n >= 1e3 => format!("{:.0} k", n / 1e3),
        n => format!("{n:.0}"),
    }
}
