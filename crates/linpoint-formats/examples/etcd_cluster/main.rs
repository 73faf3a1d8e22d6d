//! Runs a real etcd cluster of three members on loopback, drives it with concurrent clients while members are killed
//! and paused, and writes a report as etcd's robustness tests do: `etcd_cluster DIR [SECONDS]`.
//!
//! Needs the program `etcd` (Debian's package `etcd-server`). Clients use the gRPC gateway: JSON over HTTP.

mod client;
mod cluster;
mod http;
mod watch;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use client::Client;
use cluster::Cluster;

/// A client gives up after this. The request may still take effect.
const PATIENCE: Duration = Duration::from_millis(400);
const MEMBERS: usize = 3;
const CLIENTS: u32 = 6;
const KEYS: u64 = 6;

/// What happened, in numbers.
#[derive(Debug, Default)]
pub struct Summary {
    /// Requests that were answered.
    pub answered: usize,
    /// Requests that were not.
    pub failed: usize,
    /// Events that watches delivered.
    pub events: usize,
    /// How often a member was killed and started again.
    pub kills: usize,
    /// How often a member was paused.
    pub pauses: usize,
}

/// True if the program can be started.
pub fn is_installed() -> bool {
    let mut version = Command::new("etcd");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Runs a cluster for this long, and writes the report into a folder.
pub fn run(report: &Path, time: Duration, seed: u64) -> io::Result<Summary> {
    let data = report.join("members");
    let cluster = Cluster::start(&data)?;
    let shared = Shared {
        cluster: &cluster,
        begun: Instant::now(),
        is_over: AtomicBool::new(false),
        streams: AtomicU32::new(CLIENTS),
        values: AtomicU32::new(0),
    };
    let mut summary = Summary::default();
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let random = fastrand::Rng::with_seed(seed + u64::from(number));
                let shared = &shared;
                scope.spawn(move || Client::new(shared, number, random).run())
            })
            .collect();
        let watches: Vec<_> = (0..MEMBERS)
            .map(|member| {
                let shared = &shared;
                scope.spawn(move || watch::watch(shared, member))
            })
            .collect();
        let mut random = fastrand::Rng::with_seed(seed);
        while shared.begun.elapsed() < time {
            thread::sleep(Duration::from_millis(300 + random.u64(..300)));
            let member = random.usize(..MEMBERS);
            let outage = Duration::from_millis(200 + random.u64(..600));
            match random.bool() {
                true => summary.kills += usize::from(cluster.kill(member, outage)),
                false => summary.pauses += usize::from(cluster.pause(member, outage)),
            }
        }
        shared.is_over.store(true, Ordering::Relaxed);
        for (number, client) in (1..).zip(clients) {
            let (answered, failed) = client.join().unwrap_or_default();
            summary.answered += answered.len();
            summary.failed += failed.len();
            write(report, number, "operations.json", answered.iter().chain(&failed))?;
        }
        for (number, watch) in (CLIENTS as usize + 1..).zip(watches) {
            let watches = watch.join().unwrap_or_default();
            let responses = watches.iter().flat_map(|watch| watch.responses.iter().flatten());
            summary.events += responses.map(|r| r.events.iter().flatten().count()).sum::<usize>();
            write(report, number, "watch.json", watches.iter())?;
        }
        io::Result::Ok(())
    })?;
    drop(cluster);
    fs::remove_dir_all(data)?;
    Ok(summary)
}

fn write<T: serde::Serialize>(
    report: &Path,
    client: usize,
    file: &str,
    rows: impl Iterator<Item = T>,
) -> io::Result<()> {
    let folder = report.join(format!("client-{client}"));
    fs::create_dir_all(&folder)?;
    let mut text = String::new();
    for row in rows {
        text += &serde_json::to_string(&row)?;
        text.push('\n');
    }
    fs::write(folder.join(file), text)
}

/// What clients share.
struct Shared<'a> {
    cluster: &'a Cluster,
    begun: Instant,
    is_over: AtomicBool,
    streams: AtomicU32,
    values: AtomicU32,
}

impl Shared<'_> {
    fn now(&self) -> i64 {
        self.begun.elapsed().as_nanos() as i64
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

#[allow(dead_code, reason = "a test includes this file")]
fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let Some(report) = args.next().map(PathBuf::from) else {
        eprintln!("usage: etcd_cluster DIR [SECONDS]");
        std::process::exit(2);
    };
    let seconds = args.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(10);
    let summary = run(&report, Duration::from_secs(seconds), 1)?;
    println!("{summary:?}");
    println!("linpoint check {}", report.display());
    Ok(())
}
