//! `cargo xtask fuzz`: runs every fuzzer in turn, for a number of seconds each.
//!
//! The fuzzers are in `fuzz/`, one for each format, one for streams, and one for limits. They start from the project's own histories
//! and, if available, from small ones of the published sets. Their findings are stored in
//! `fuzz/corpus` and `fuzz/artifacts`, which are not committed. An input that found a bug is
//! committed as `fuzz/regressions/TARGET/NAME`; a test of linpoint-formats replays all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{steps, tools};

/// A fuzzer, and the published sets whose files are in its format.
const TARGETS: &[(&str, &[&str])] = &[
    ("jsonl", &[]),
    ("edn", &["knossos", "elle-cli"]),
    ("jepsen_log", &["jepsen-etcd"]),
    ("porcupine", &["porcupine-kv"]),
    ("fastlin", &["fptlin/fastlin", "fptlin/polylin"]),
    ("fptlin", &["fptlin/fptlin"]),
    ("limo", &["limo"]),
    ("snapshot", &["snapshot-disc22"]),
    ("violat", &["violat", "juc"]),
    ("jepsen_json", &["elle-cli"]),
    ("etcd", &[]),
    ("log", &[]),
    ("watch", &["jepsen-etcd", "porcupine-kv"]),
    ("any", &[]),
    ("limits", &[]),
];

/// Skip larger files, which make slow seeds.
const LARGEST_SEED: u64 = 4096;
/// Use at most this many seeds.
const MOST_SEEDS: usize = 200;

/// Runs the named fuzzers, or all, for `seconds` each. True if nothing was found.
pub fn fuzz(root: &Path, seconds: u64, only: &[&str]) -> bool {
    if !tools::present("cargo-fuzz") {
        println!("cargo-fuzz is missing; `cargo install cargo-fuzz` installs it");
        return false;
    }
    let chosen = |name: &str| only.is_empty() || only.contains(&name);
    let mut fine = true;
    for (target, sets) in TARGETS.iter().filter(|(target, _)| chosen(target)) {
        println!("==> {target}");
        let result = seed(root, target, sets).and_then(|()| run(root, target, seconds));
        let artifacts = list(&root.join("fuzz/artifacts").join(target));
        match result {
            Ok(()) => println!("    {target}: {seconds} s, nothing found"),
            Err(why) => {
                fine = false;
                println!("    {target}: FAILED: {why}; {} artifacts", artifacts.len());
            }
        }
    }
    fine
}

/// Copies seed histories into the corpus.
fn seed(root: &Path, target: &str, sets: &[&str]) -> Result<(), String> {
    let corpus = root.join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus).map_err(|e| e.to_string())?;
    let mut seeds = Vec::new();
    if sets.is_empty() {
        seeds = list(&root.join("examples/histories"));
    }
    seeds.extend(list(&root.join("fuzz/regressions").join(target)));
    if let Some(data) = steps::data(root) {
        seeds.extend(sets.iter().flat_map(|set| list(&data.join(set))));
    }
    let is_small = |path: &PathBuf| fs::metadata(path).is_ok_and(|m| m.len() <= LARGEST_SEED);
    for (i, path) in seeds.iter().filter(|path| is_small(path)).take(MOST_SEEDS).enumerate() {
        fs::copy(path, corpus.join(format!("seed-{i}"))).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// The files below a folder, in order.
fn list(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => files.extend(list(&path)),
            false => files.push(path),
        }
    }
    files
}

fn run(root: &Path, target: &str, seconds: u64) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        // No unsafe code, so no sanitizer; debug assertions and overflow checks are on.
        .args(["fuzz", "run", "--sanitizer", "none", target, "--"])
        .arg(format!("-max_total_time={seconds}"))
        .args(["-max_len=4096", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"])
        .current_dir(root)
        .env("RUSTC_BOOTSTRAP", "1")
        .stdin(Stdio::null())
        .status()
        .map_err(|e| format!("cannot run cargo fuzz: {e}"))?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}
