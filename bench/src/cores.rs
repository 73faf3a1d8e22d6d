//! One long history of each kind of object that a monitor knows, read from a file and checked on one core and on all.

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::child::{Run, run};
use crate::monitors::{Programs, answer};
use crate::table::{Table, mib, seconds, short};

const MODELS: [&str; 11] = [
    "queue",
    "stack",
    "priority-queue",
    "bag",
    "set",
    "register",
    "kv",
    "counter",
    "mutex",
    "semaphore",
    "snapshot",
];

const HEAD: [&str; 10] =
    ["model", "n", "threads", "answer", "by", "reading", "checking", "wall", "CPU", "peak RSS"];

/// Runs of each kind; the fastest counts.
const SAMPLES: usize = 3;
const LIMIT: Duration = Duration::from_secs(300);

/// Measures the models named in `which`, or all.
pub fn main(which: &[String], quick: bool) {
    let Some(linpoint) = Programs::find().linpoint else { return };
    let operations = if quick { 100_000 } else { 10_000_000 };
    let all = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut table = Table::new(HEAD);
    let wanted = |model: &&str| which.is_empty() || which.iter().any(|w| w == model);
    for model in MODELS.into_iter().filter(wanted) {
        let path = std::env::temp_dir().join(format!("linpoint-bench-{}", std::process::id()));
        let rows = measure(&linpoint, model, operations, &path, &[1, all]);
        let _ = std::fs::remove_file(&path);
        for row in rows.expect("files can be measured") {
            eprintln!("{}", row.join(" | "));
            table.row(row);
        }
    }
    let title = format!("{} operations of 8 processes, from a file", short(operations as f64));
    table.publish(&title, "cores");
}

/// A row for each number of threads.
fn measure(
    linpoint: &Path,
    model: &str,
    operations: usize,
    path: &Path,
    threads: &[usize],
) -> io::Result<Vec<Vec<String>>> {
    let (file, count) = (path.to_string_lossy(), operations.to_string());
    let args = ["gen", "-m", model, "--ops", &count, "--clients", "8", "-o", &file];
    let generated = run(linpoint, &args, LIMIT, LIMIT)?;
    assert_eq!(generated.code, Some(0), "{model} can be generated");
    let mut rows = Vec::new();
    for threads in threads.iter().map(usize::to_string) {
        let args = ["check", "--jobs", &threads, "--as", "tsv", &file];
        let mut best: Option<Run> = None;
        for _ in 0..SAMPLES {
            let next = run(linpoint, &args, LIMIT, LIMIT)?;
            best = Some(match best {
                Some(best) if best.wall <= next.wall => best,
                _ => next,
            });
        }
        let Some(best) = best else { break };
        let field =
            |at: usize| best.output.trim_end().split('\t').nth(at).unwrap_or("-").to_owned();
        // The command prints how long the check took; the rest of its time is reading the file.
        let checking = field(4).parse().unwrap_or(f64::NAN);
        rows.push(vec![
            model.to_owned(),
            short(operations as f64),
            threads,
            answer(best.code, &best.output).to_owned(),
            field(2),
            seconds(best.wall - checking),
            seconds(checking),
            seconds(best.wall),
            seconds(best.cpu),
            mib(best.peak),
        ]);
    }
    Ok(rows)
}
