//! Histories in which values repeat: containers of 10 and of 100 different values, linearizable and not. For comparison,
//! if `LINPOINT_FPTLIN` names its program, FPTLin on the same histories.
//!
//! Each history is checked by `linpoint check` as a process of its own, under a time and a memory limit, explanation
//! included. FPTLin only answers yes or no; it gets less time and twice the address space.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child::{Run, run};
use crate::monitors::Programs;
use crate::table::{Table, mib, seconds, short};

/// The models, and whether FPTLin knows them.
const MODELS: [(&str, bool); 5] =
    [("stack", true), ("queue", true), ("priority-queue", true), ("bag", false), ("deque", true)];
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const CLIENTS: [&str; 4] = ["2", "4", "8", "16"];
const VALUES: [&str; 2] = ["10", "100"];
/// The endings, and the options of `linpoint gen` for them.
const ENDINGS: [(&str, &[&str]); 3] =
    [("ok", &[]), ("absurd result", &["--mutate"]), ("reordered", &["--bug", "reorder"])];

const TIME: &str = "10s";
const MEMORY: &str = "2GiB";
/// A process that is still running is stopped.
const PATIENCE: Duration = Duration::from_secs(30);
const PATIENCE_FOR_FPTLIN: Duration = Duration::from_secs(20);
/// Runs a program with 4 GiB of address space.
const LIMITED: &str = "ulimit -v 4194304; exec \"$@\"";

const HEAD: [&str; 12] = [
    "model", "n", "clients", "values", "ending", "answer", "wall", "CPU", "peak RSS", "FPTLin",
    "CPU", "peak RSS",
];

/// Measures what `which` selects: models, sizes, numbers of clients.
pub fn main(which: &[String], quick: bool) {
    let Some(linpoint) = Programs::find().linpoint else { return };
    let fptlin = std::env::var_os("LINPOINT_FPTLIN").map(PathBuf::from);
    if fptlin.is_none() {
        println!("skipped: FPTLin; LINPOINT_FPTLIN does not name its program");
    }
    let bench = Bench { linpoint, fptlin };
    let wants = |word: &str, all: &[&str]| {
        let named = |w: &String| all.contains(&w.as_str());
        !which.iter().any(named) || which.iter().any(|w| w == word)
    };
    let (models, sizes) = (MODELS.map(|(name, _)| name), SIZES.map(|n| n.to_string()));
    let sizes: Vec<&str> = sizes.iter().map(String::as_str).collect();
    let mut table = Table::new(HEAD);
    for (model, is_known) in MODELS.into_iter().filter(|(name, _)| wants(name, &models)) {
        for size in sizes.iter().take(if quick { 1 } else { 3 }).filter(|n| wants(n, &sizes)) {
            for clients in CLIENTS.into_iter().filter(|k| wants(k, &CLIENTS)) {
                for values in VALUES {
                    for ending in ENDINGS {
                        let case = Case { model, size, clients, values, ending };
                        let row = bench.row(&case, is_known).expect("histories can be measured");
                        eprintln!("{}", row.join(" | "));
                        table.row(row);
                    }
                }
            }
        }
    }
    let title = format!("repeated values, --timeout {TIME} --memory {MEMORY}");
    table.publish(&title, "repeats");
}

struct Case<'a> {
    model: &'a str,
    size: &'a str,
    clients: &'a str,
    values: &'a str,
    ending: (&'a str, &'a [&'a str]),
}

struct Bench {
    linpoint: PathBuf,
    fptlin: Option<PathBuf>,
}

impl Bench {
    fn row(&self, case: &Case<'_>, is_known: bool) -> io::Result<Vec<String>> {
        let Case { model, size, clients, values, ending: (ending, options) } = case;
        let file = std::env::temp_dir().join(format!("linpoint-repeats-{}", std::process::id()));
        let path = file.to_string_lossy();
        let mut args = vec!["gen", "-m", model, "--ops", size, "--clients", clients];
        args.extend(["--values", values, "-o", &path]);
        args.extend(*options);
        let generated = run(&self.linpoint, &args, PATIENCE, PATIENCE)?;
        assert_eq!(generated.code, Some(0), "{model} can be generated");
        let args = ["check", "--timeout", TIME, "--memory", MEMORY, "--as", "tsv", &path];
        let ours = run(&self.linpoint, &args, PATIENCE, PATIENCE)?;
        let is_ok = options.is_empty();
        let answer = verdict(ours.code, is_ok);
        let peer = match &self.fptlin {
            Some(fptlin) if is_known => self.fptlin(fptlin, &file)?,
            _ => ["-".to_owned(), "-".to_owned(), "-".to_owned()],
        };
        let _ = std::fs::remove_file(&file);
        let n = short(size.parse().unwrap_or(f64::NAN));
        let names = [*model, &n, clients, values, ending, answer].map(str::to_owned);
        let costs = [seconds(ours.wall), seconds(ours.cpu), mib(ours.peak)];
        Ok(names.into_iter().chain(costs).chain(peer).collect())
    }

    /// What FPTLin says and takes. Its answers are not compared: on some histories they vary from run to run.
    fn fptlin(&self, fptlin: &Path, history: &Path) -> io::Result<[String; 3]> {
        let file = history.with_extension("fptlin");
        let (from, to) = (history.to_string_lossy(), file.to_string_lossy());
        let args = ["convert", "--as", "fptlin", &from, "-o", &to];
        let converted = run(&self.linpoint, &args, PATIENCE, PATIENCE)?;
        if converted.code != Some(0) {
            return Ok(["no such format".to_owned(), "-".to_owned(), "-".to_owned()]);
        }
        let program = fptlin.to_string_lossy();
        let args = ["-c", LIMITED, "fptlin", &program, &to];
        let Run { cpu, peak, code, output, .. } =
            run(Path::new("/bin/sh"), &args, PATIENCE_FOR_FPTLIN, PATIENCE_FOR_FPTLIN)?;
        let _ = std::fs::remove_file(&file);
        let answer = match code {
            Some(0) => output.split_whitespace().next().unwrap_or("nothing").to_owned(),
            _ => "stopped".to_owned(),
        };
        Ok([answer, seconds(cpu), mib(peak)])
    }
}

/// The answer of `linpoint check`. Stops the program if it is wrong.
fn verdict(code: Option<i32>, is_ok: bool) -> &'static str {
    match (code, is_ok) {
        (Some(0), true) => "linearizable",
        (Some(1), false) => "violation",
        (Some(0 | 1), _) => panic!("a wrong answer"),
        (Some(3), _) => "undecided",
        _ => "stopped",
    }
}
