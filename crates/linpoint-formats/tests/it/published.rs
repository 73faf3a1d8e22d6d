//! Published histories with known verdicts. They are read from `LINPOINT_DATA`, or
//! `../shared/data`, and are not part of this repository.
//!
//! A history that no engine decides within a second is listed, but does not fail the test; a
//! different verdict does.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use linpoint::{Algorithm, Engine, Limits, Verdict};
use linpoint_formats::java::Java;
use linpoint_formats::{ModelName, Settings, Source, registry};

const PER_FILE: Duration = Duration::from_secs(1);

fn data() -> Option<PathBuf> {
    let given = std::env::var_os("LINPOINT_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = given.unwrap_or(beside);
    path.is_dir().then_some(path)
}

/// "ok", "bad", or the reason why there is no verdict.
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

/// Checks every file of a set. `model` returns the model that a user would have to give for a file.
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
    // The model is the name of the directory; naming it changes nothing.
    check_set("knossos", |_| None);
    check_set("knossos", |file| {
        let models = ["cas-register", "multi-register", "mutex"];
        models.into_iter().find(|model| file.starts_with(&format!("{model}/")))
    });
}

/// Several histories per file, each identified by its number.
#[test]
fn collections_of_java() {
    let Some(data) = data() else {
        eprintln!("SKIPPED violat, juc: no published histories here; set LINPOINT_DATA");
        return;
    };
    check_set("violat", |_| None);
    let started = Instant::now();
    let expected = fs::read_to_string(data.join("juc/expected.tsv")).unwrap();
    let expected: BTreeMap<&str, &str> = expected
        .lines()
        .map(|row| {
            let mut fields = row.split('\t');
            (fields.next().unwrap(), fields.next().unwrap())
        })
        .collect();
    let (mut agreed, mut by_hitting, mut differ) = (0, 0, String::new());
    for class in Java::classes() {
        let file = format!("{class}.jsonl");
        let source = Source::open(&data.join("juc").join(&file)).unwrap();
        for found in registry::read_all(&source, None, None) {
            let name = format!("{file}#{}", found.id.unwrap());
            let history = found.history.unwrap_or_else(|error| panic!("{error}"));
            let verdict = |engine: Option<Engine>| {
                let settings = Settings {
                    threads: Some(1),
                    verdict_only: true,
                    algorithm: engine.map(Algorithm::from),
                    ..Settings::default()
                };
                match history.check(&settings).unwrap().verdict {
                    Verdict::Linearizable(_) => "ok",
                    Verdict::Violation(_) => "bad",
                    Verdict::Undecided(_) => "undecided",
                }
            };
            let (planned, hitting) = (verdict(None), verdict(Some(Engine::Hitting)));
            let is_expected = |found| expected.get(&name[..]) == Some(&found);
            if !is_expected(planned) || (hitting != "undecided" && !is_expected(hitting)) {
                let _ = writeln!(differ, "  {name}: {planned}, by hitting {hitting}");
            }
            agreed += usize::from(is_expected(planned));
            by_hitting += usize::from(hitting != "undecided");
        }
    }
    println!(
        "juc: {agreed} as expected, {by_hitting} of them by hitting; {:.1?}",
        started.elapsed()
    );
    assert!(differ.is_empty(), "{differ}");
    assert_eq!(agreed, expected.len());
}
