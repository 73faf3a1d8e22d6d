//! Reports of etcd's robustness tests: those of the data set, generated ones, and damaged ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use linpoint::Verdict;
use linpoint_formats::{Format, LoadedHistory, Settings, Source, registry};

#[path = "../../examples/etcd_report.rs"]
mod etcd_report;

fn data() -> Option<PathBuf> {
    let given = std::env::var_os("LINPOINT_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = given.unwrap_or(beside).join("etcd-robustness");
    path.is_dir().then_some(path)
}

/// A folder that is removed again.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let name = format!("linpoint-etcd-{}-{}", std::process::id(), fastrand::u64(..));
        Folder(std::env::temp_dir().join(name))
    }

    fn with(files: &[(&str, &[u8])]) -> Folder {
        let folder = Folder::new();
        for (name, text) in files {
            let file = folder.0.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn load(folder: &Path) -> Result<LoadedHistory, String> {
    let source = Source::open(folder).map_err(|e| e.to_string())?;
    registry::read(&source, None).map_err(|e| e.to_string())
}

/// "ok" or "bad", and the reason. The monitor has to decide.
fn verdict(history: &LoadedHistory) -> (&'static str, String) {
    let settings = Settings { verdict_only: true, ..Settings::default() };
    let report = history.check(&settings).unwrap();
    assert_eq!(report.engine, "etcd-monitor");
    match report.verdict {
        Verdict::Linearizable(_) => ("ok", String::new()),
        Verdict::Violation(violation) => ("bad", violation.reason.to_string()),
        Verdict::Undecided(_) => ("undecided", String::new()),
    }
}

#[test]
fn reports_of_the_data_set() {
    let Some(data) = data() else {
        eprintln!("SKIPPED etcd-robustness: no published reports here; set LINPOINT_DATA");
        return;
    };
    let expected = fs::read_to_string(data.join("expected.tsv")).unwrap();
    for row in expected.lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let begun = Instant::now();
        let history = load(&data.join(fields[0])).unwrap();
        let (found, reason) = verdict(&history);
        println!(
            "{}: {found}, {} operations, {:.2?} {reason}",
            fields[0],
            history.len(),
            begun.elapsed()
        );
        assert_eq!(found, fields[1], "{}: {reason}", fields[0]);
    }
}

#[test]
fn generated_reports() {
    let is_long = std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1");
    for seed in 0..if is_long { 200 } else { 4 } {
        for failed in [20, 150] {
            let folder = Folder::new();
            let plan = etcd_report::Plan { failed, clients: 8, keys: 12, lists: 10, seed };
            etcd_report::write(&plan, &folder.0).unwrap();
            let history = load(&folder.0).unwrap();
            assert_eq!(verdict(&history), ("ok", String::new()), "{plan:?}");
        }
    }
}

const ROW: &str = r#"{"ClientId":3,"Input":{"Type":"txn","Txn":{"Conditions":null,"OperationsOnSuccess":[{"Type":"put-operation","Put":{"Key":"a","Value":{"Value":"1"}}}],"OperationsOnFailure":null}},"Call":10,"Output":{"Txn":{"Failure":false,"Results":[{}]},"Revision":2,"Error":""},"Return":20}"#;
const READ: &str = r#"{"ClientId":4,"Input":{"Type":"range","Range":{"Start":"a","End":"b","Limit":5}},
 "Call":30,"Output":{"Range":{"KVs":[{"Key":"a","Value":{"Value":"1"},"ModRevision":2}],"Count":1},"Revision":2},
 "Return":40}"#;
const WATCH: &str = r#"{"Request":{"Key":"","WithPrefix":true},"Responses":[{"Events":[{"Type":"put-operation","Key":"a","Value":{"Value":"1"},"Revision":2}],"Time":35}]}"#;

#[test]
fn a_report_is_one_history_of_all_clients() {
    let folder = Folder::with(&[
        ("client-2/operations.json", ROW.as_bytes()),
        ("client-10/operations.json", READ.as_bytes()),
        ("client-10/watch.json", WATCH.as_bytes()),
        ("server-1/wal", b"not read"),
    ]);
    let history = load(&folder.0).unwrap();
    let words: Vec<String> = history
        .timeline()
        .ids()
        .map(|id| {
            let (client, ret) = (history.client(id).unwrap(), history.ret(id).unwrap());
            format!("{client} {} -> {ret} line {}", history.op(id), history.line(id).unwrap())
        })
        .collect();
    assert_eq!(
        words,
        [
            "client-2 put(\"a\", \"1\") -> revision 2 line 1",
            "client-10 range(\"a\" to \"b\", limit 5) -> {\"a\" = \"1\" (revision 2)} at revision 2 line 1",
            "client-10's watch event(put \"a\" = \"1\", revision 2) -> ok line 1",
        ]
    );
    assert_eq!(verdict(&history), ("ok", String::new()));
    // One of its files is a history too.
    let one = Source::new("operations.json", ROW);
    assert_eq!(Format::detect(&one).unwrap(), Format::Etcd);
    let history = registry::read(&one, None).map_err(|e| e.to_string()).unwrap();
    assert_eq!((history.len(), history.model().to_string()), (1, "etcd".to_owned()));
}

#[test]
fn failed_requests_are_pending_and_failed_reads_are_left_out() {
    let lost = ROW.replace(r#""Error":"""#, r#""Error":"context deadline exceeded""#);
    let read = READ.replace(r#""Revision":2}"#, r#""Revision":0,"Error":"unavailable"}"#);
    let folder =
        Folder::with(&[("client-1/operations.json", format!("{lost}\n{read}").as_bytes())]);
    let history = load(&folder.0).unwrap();
    let is_pending = history.timeline().spans().iter().map(|span| span.is_pending());
    assert_eq!(is_pending.collect::<Vec<bool>>(), [true]);
}

#[test]
fn messages() {
    let first = |rows: &str| {
        let folder = Folder::with(&[
            ("client-1/operations.json", ROW.as_bytes()),
            ("client-2/operations.json", rows.as_bytes()),
        ]);
        let message = load(&folder.0).err().unwrap_or_else(|| "no error".to_owned());
        let message = message.lines().next().unwrap_or_default().to_owned();
        message.replace(&folder.0.display().to_string(), "REPORT")
    };
    let at = "REPORT/client-2/operations.json:";
    assert_eq!(first(""), "no error");
    assert_eq!(first(&format!("\n{}", &ROW[..40])), format!("{at}2:40: the file is cut off"));
    let wrong_type = READ.replace("\"range\"", "\"rangee\"");
    assert_eq!(
        first(&wrong_type),
        format!(
            "{at}1: \"rangee\" is not a request: they are range, txn, leaseGrant, leaseRevoke, compact, defragment"
        )
    );
    let no_output = READ.replace("\"Output\":{\"Range\"", "\"Output\":{\"Rangee\"");
    assert_eq!(first(&no_output), format!("{at}1: the output of a \"range\" is missing"));
    let early = format!("{ROW}\n{}", READ.replace("\"Return\":40", "\"Return\":4"));
    assert_eq!(first(&early), format!("{at}2: the operation ends before it starts"));
    let stream = READ.replace("\"ClientId\":4", "\"ClientId\":-4");
    assert_eq!(first(&stream), format!("{at}1: the stream -4 is not a number from 0 on"));
}

/// Truncated and changed files never panic, and errors name their file.
#[test]
fn damaged_reports() {
    for text in [format!("{ROW}\n{READ}\n"), WATCH.to_owned()] {
        let bytes = text.as_bytes();
        for at in (0..bytes.len()).step_by(3) {
            for byte in [None, Some(b'9'), Some(b'"'), Some(b'}'), Some(b'-'), Some(0xff)] {
                let mut changed = bytes.to_vec();
                match byte {
                    None => changed.truncate(at),
                    Some(byte) => changed[at] = byte,
                }
                let source = Source::new("h", changed);
                match registry::read(&source, None) {
                    Ok(history) => {
                        let settings = Settings { threads: Some(1), ..Settings::default() };
                        // A "no" and a refusal are fine.
                        let _ = history.check(&settings);
                    }
                    Err(error) => assert!(error.to_string().starts_with('h'), "{error}"),
                }
            }
        }
    }
}
