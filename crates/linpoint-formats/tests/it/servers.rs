//! Real servers on loopback: an etcd cluster whose members are killed and paused, and a Redis with a replica. Skipped
//! where they are not installed; a few seconds each by default, minutes with `LINPOINT_LONG=1`.

use std::fs;
use std::time::Duration;

use linpoint::Verdict;
use linpoint::verdict::ReasonKind;
use linpoint_formats::{LoadedHistory, Settings, Source, registry};

#[path = "../../examples/etcd_cluster/main.rs"]
mod etcd_cluster;
#[path = "../../examples/redis_replica.rs"]
mod redis_replica;

fn is_long() -> bool {
    std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1")
}

fn load(path: &std::path::Path) -> LoadedHistory {
    let source = Source::open(path).unwrap();
    registry::read(&source, None).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_cluster_of_etcd_is_linearizable_while_members_fail() {
    if !etcd_cluster::is_installed() {
        eprintln!("SKIPPED etcd: not installed; the package is etcd-server");
        return;
    }
    let report = std::env::temp_dir().join(format!("linpoint-cluster-{}", std::process::id()));
    let time = Duration::from_secs(if is_long() { 120 } else { 5 });
    let summary = etcd_cluster::run(&report, time, fastrand::u64(..1 << 32)).unwrap();
    let history = load(&report);
    let checked = history.check(&Settings::default()).unwrap();
    println!("{summary:?}, {} operations, {}", history.len(), checked.engine);
    assert!(summary.answered > 20 && summary.kills + summary.pauses > 0, "{summary:?}");
    if let Verdict::Violation(violation) = &checked.verdict {
        panic!("{}: {}", report.display(), violation.reason);
    }
    assert!(checked.verdict.is_linearizable(), "{}", report.display());
    fs::remove_dir_all(&report).unwrap();
}

#[test]
fn a_replica_of_redis_is_stale() {
    if !redis_replica::is_installed() {
        eprintln!("SKIPPED redis: not installed; the package is redis-server");
        return;
    }
    let file = std::env::temp_dir().join(format!("linpoint-redis-{}.jsonl", std::process::id()));
    let time = Duration::from_millis(if is_long() { 20_000 } else { 1_500 });
    let summary = redis_replica::run(&file, time, fastrand::u64(..1 << 32)).unwrap();
    let history = load(&file);
    let checked = history.check(&Settings::default()).unwrap();
    let violation = checked.verdict.violation().expect("reads from the replica are stale");
    println!("{summary:?}, {} operations, {}: {}", history.len(), checked.engine, violation.reason);
    assert_eq!(violation.reason.kind, ReasonKind::Stale, "{}", violation.reason);
    fs::remove_file(&file).unwrap();
}
