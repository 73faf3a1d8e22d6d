//! Compares a search for witnesses of low depth with the search engines: published histories of
//! Java's collections and of etcd, and generated queues.
//!
//! Runs the `linpoint` command, one history after the other on one thread, and reads its output.
//! The smallest of several runs counts for each history: other work on the machine can only make it
//! slower.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::table::Table;

/// The engines; the planner has no name.
const ENGINES: [&str; 5] = ["hitting", "hitting+jit-graph", "jit-graph", "breadth", "planner"];

/// A history, the expected verdict, and the answer.
struct Said {
    verdict: String,
    seconds: f64,
}

/// Runs all.
pub fn main(quick: bool) {
    let Some(command) = command() else {
        eprintln!(
            "there is no linpoint beside this program: cargo build --release -p linpoint-cli"
        );
        std::process::exit(2);
    };
    let runs = if quick { 1 } else { 3 };
    let directory = std::env::temp_dir().join(format!("linpoint-hitting-{}", std::process::id()));
    let mut sets: Vec<(String, PathBuf)> = Vec::new();
    match data() {
        Some(data) => {
            for set in ["juc", "jepsen-etcd"] {
                sets.push((set.to_owned(), data.join(set)));
            }
        }
        None => {
            eprintln!("SKIPPED juc, jepsen-etcd: no published histories here; set LINPOINT_DATA")
        }
    }
    for (operations, overlap) in [(12, 3), (24, 3), (48, 3), (48, 6), (100, 6)] {
        let name = format!("queues of {operations}, {overlap} open");
        let path = directory.join(&name);
        generate(&command, &path, operations, overlap, if quick { 20 } else { 100 });
        sets.push((name, path));
    }
    let mut table = Table::new(
        ["histories", "verdict", "number"].into_iter().map(str::to_owned).chain(
            ENGINES
                .iter()
                .flat_map(|engine| [format!("{engine} decided"), format!("{engine} mean")]),
        ),
    );
    for (name, path) in &sets {
        let said: Vec<BTreeMap<String, Said>> =
            ENGINES.iter().map(|engine| ask(&command, path, engine, runs)).collect();
        // The planner decides everything here.
        let truth: BTreeMap<&String, &str> =
            said[ENGINES.len() - 1].iter().map(|(file, said)| (file, &*said.verdict)).collect();
        for verdict in ["ok", "bad"] {
            let files: Vec<&String> =
                truth.iter().filter(|(_, v)| **v == verdict).map(|(file, _)| *file).collect();
            if files.is_empty() {
                continue;
            }
            let mut row = vec![name.clone(), verdict.to_owned(), files.len().to_string()];
            for said in &said {
                let answers: Vec<&Said> = files.iter().filter_map(|file| said.get(*file)).collect();
                let wrong = |a: &&&Said| a.verdict != verdict && a.verdict != "undecided";
                assert_eq!(answers.iter().filter(wrong).count(), 0, "{name}: a wrong verdict");
                let decided = answers.iter().filter(|said| said.verdict == verdict).count();
                let sum: f64 = answers.iter().map(|said| said.seconds).sum();
                row.push(decided.to_string());
                row.push(format!("{:.0} µs", 1e6 * sum / answers.len().max(1) as f64));
            }
            table.row(row);
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    table.publish("hitting families against search, each history alone, at most 1 s", "hitting");
}

/// The command that was built with this program.
fn command() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok()?.parent()?.join("linpoint");
    beside.is_file().then_some(beside)
}

/// Published histories.
fn data() -> Option<PathBuf> {
    let given = std::env::var_os("LINPOINT_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let path = given.unwrap_or(beside);
    path.is_dir().then_some(path)
}

/// Queues of five values that repeat.
fn generate(command: &Path, path: &Path, operations: u32, overlap: u32, count: u32) {
    std::fs::create_dir_all(path).expect("a directory for histories");
    for seed in 0..count {
        let mut gen_args = Command::new(command);
        gen_args.args(["gen", "--model", "queue", "--values", "few", "--clients", "8"]);
        gen_args.args(["--ops", &operations.to_string(), "--overlap", &overlap.to_string()]);
        gen_args.args(["--seed", &seed.to_string(), "-o"]).arg(path.join(format!("{seed}.jsonl")));
        assert!(gen_args.status().is_ok_and(|status| status.success()), "linpoint gen failed");
    }
}

/// The answer of an engine for each history of a set.
fn ask(command: &Path, path: &Path, engine: &str, runs: u32) -> BTreeMap<String, Said> {
    let mut all: BTreeMap<String, Said> = BTreeMap::new();
    for _ in 0..runs {
        let mut check = Command::new(command);
        check.args(["check", "--quiet", "--as", "tsv", "--jobs", "1", "--timeout", "1s"]);
        if engine != "planner" {
            check.args(["--algorithm", engine]);
        }
        let output = check.arg(path).output().expect("linpoint runs");
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [file, verdict, _, _, time] = fields[..] else { continue };
            let time: f64 = time.parse().unwrap_or(f64::NAN);
            let new = || Said { verdict: verdict.to_owned(), seconds: time };
            let said = all.entry(file.to_owned()).or_insert_with(new);
            said.seconds = said.seconds.min(time);
        }
    }
    all
}
