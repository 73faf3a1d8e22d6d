//! Histories that others have published, with their verdicts. They are looked for in `LINPOINT_DATA`,
//! else in `../shared/data`, and are not part of this repository.
//!
//! A history that no engine decides within its second is listed, not failed: a verdict that differs fails.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use linpoint::{Limits, Verdict};
use linpoint_formats::{ModelName, Settings, Source, registry};

const PER_FILE: Duration = Duration::from_secs(1);

fn data() -> Option<PathBuf> {
    let given = std::env::var_os("LINPOINT_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = given.unwrap_or(beside);
    path.is_dir().then_some(path)
}

/// "ok", "bad", or why there is no verdict.
fn verdict(path: &Path, model: Option<&ModelName>) -> Result<&'static str, String> {
    let source = Source::open(path).map_err(|e| e.to_string())?;
    let history = registry::read(&source, model).map_err(|e| e.to_string())?;
    let limits = Limits { time: Some(PER_FILE), memory: Some(1 << 30) };
    let settings = Settings { limits, threads: Some(1), ..Settings::default() };
    let report = history.check(&settings).map_err(|e| format!("{e:?}"))?;
    Ok(match report.verdict {
        Verdict::Linearizable(_) => "ok",
        Verdict::Violation(_) => "bad",
        Verdict::Undecided(_) => "undecided",
    })
}

/// Checks every file of a set. `model` is what a user would have to give for a file.
fn check_set(set: &str, model: impl Fn(&str) -> Option<&'static str>) {
    let Some(data) = data() else {
        eprintln!("SKIPPED {set}: no published histories here; set LINPOINT_DATA");
        return;
    };
    let started = Instant::now();
    let expected = fs::read_to_string(data.join(set).join("expected.tsv")).unwrap();
    let (mut agreed, mut differ, mut undecided) = (0, String::new(), String::new());
    let (mut unknown, mut slowest) = (String::new(), (Duration::ZERO, ""));
    for row in expected.lines() {
        let mut fields = row.split('\t');
        let (file, expected) = (fields.next().unwrap(), fields.next().unwrap());
        let model = model(file).map(|text| ModelName::parse(text).unwrap());
        let began = Instant::now();
        let found = verdict(&data.join(set).join(file), model.as_ref());
        slowest = slowest.max((began.elapsed(), file));
        let _ = match found {
            Ok(found) if expected == "unknown" => writeln!(unknown, "  {file}: {found}"),
            Ok("undecided") => writeln!(undecided, "  {file}: expected {expected}"),
            Ok(found) if found == expected => {
                agreed += 1;
                Ok(())
            }
            Ok(found) => writeln!(differ, "  {file}: expected {expected}, found {found}"),
            Err(error) => writeln!(differ, "  {file}: {}", error.replace('\n', "\n    ")),
        };
    }
    let count = |list: &str| list.lines().count();
    println!(
        "{set}: {agreed} as expected, {} undecided, {} without expectation, {} differ; {:.1?}, slowest {} {:.1?}",
        count(&undecided),
        count(&unknown),
        count(&differ),
        started.elapsed(),
        slowest.1,
        slowest.0
    );
    print!("undecided:\n{undecided}without expectation:\n{unknown}");
    assert!(differ.is_empty(), "{set}:\n{differ}");
    assert!(agreed > 0, "{set}: nothing was compared");
}

#[test]
fn fptlin() {
    check_set("fptlin", |_| None);
}

#[test]
fn limo() {
    check_set("limo", |_| None);
}

#[test]
fn snapshot_disc22() {
    check_set("snapshot-disc22", |_| None);
}

#[test]
fn jepsen_etcd() {
    check_set("jepsen-etcd", |_| None);
}

#[test]
fn porcupine_kv() {
    check_set("porcupine-kv", |_| None);
}

#[test]
fn knossos() {
    // The model is the name of the folder; naming it changes nothing.
    check_set("knossos", |_| None);
    check_set("knossos", |file| {
        let models = ["cas-register", "multi-register", "mutex"];
        models.into_iter().find(|model| file.starts_with(&format!("{model}/")))
    });
}

/// Read, but without specifications yet.
#[test]
fn histories_of_java_classes_are_read() {
    let Some(data) = data() else {
        eprintln!("SKIPPED violat, juc: no published histories here; set LINPOINT_DATA");
        return;
    };
    for (file, count) in
        [("violat/historyArrayBlockingQueue.json", 1), ("juc/ConcurrentHashMap.jsonl", 280)]
    {
        let source = Source::open(&data.join(file)).unwrap();
        let histories = linpoint_formats::Format::detect(&source).unwrap().read(&source, None);
        assert_eq!(histories.len(), count);
        assert!(histories.iter().all(|h| h.as_ref().is_ok_and(|h| !h.ops.is_empty())));
        let error = registry::read_all(&source, None, None).pop().unwrap().history.err().unwrap();
        assert!(error.message().starts_with("there is no specification of the Java class java."));
    }
}
