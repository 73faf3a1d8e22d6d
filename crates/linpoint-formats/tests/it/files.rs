//! Files are read alike, whether their lines are plain or not, and whether they are read in blocks
//! or as a whole.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use linpoint::OpId;
use linpoint_formats::registry::{load, read_all, read_file};
use linpoint_formats::{Format, LoadedHistory, Source};

/// Everything that can be queried about a history.
fn all(history: &LoadedHistory) -> String {
    let mut text = format!("{} {:?} {:?}\n", history.model(), history.format(), history.note());
    let _ = writeln!(text, "{} unknown", history.unknown_results());
    for id in (0..history.len() as u32).map(OpId) {
        let (op, ret, span) = (history.op(id), history.ret(id), history.span(id));
        let who = (history.process(id), history.client(id), history.object(id));
        let _ = writeln!(text, "{op} {ret:?} {span:?} {who:?} {:?}", history.line(id));
    }
    text
}

/// The result of the reader of the format.
fn by_reader(source: &Source) -> Result<String, String> {
    let format = Format::detect(source).map_err(|error| error.to_string())?;
    let raw = format.read(source, None).remove(0).map_err(|error| error.to_string())?;
    load(source, raw, None).map(|history| all(&history)).map_err(|error| error.to_string())
}

#[track_caller]
fn is_read_alike(path: &Path) {
    let source = Source::open(path).unwrap();
    let expected = by_reader(&source);
    for mut found in [read_all(&source, None, None), read_file(path, None, None).unwrap()] {
        let history = found.remove(0).history;
        let got = history.map(|history| all(&history)).map_err(|error| error.to_string());
        assert_eq!(got, expected, "{}", path.display());
        assert!(found.is_empty());
    }
}

/// A file that is removed when the test ends.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, text: &str) -> Temporary {
        let path = std::env::temp_dir().join(format!("linpoint-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// This many operations of a queue, in fastlin's text.
fn queue(operations: usize) -> String {
    let mut text = String::from("# queue\n");
    for i in 0..operations {
        let (value, method) = (i / 2, if i % 2 == 0 { "enq" } else { "deq" });
        let _ = writeln!(text, "{method} {value} {} {}", 3 * i, 3 * i + 5);
    }
    text
}

/// This many operations of a register, as JSON lines.
fn register(operations: usize) -> String {
    let mut text = String::from("{\"linpoint\":1,\"model\":\"register\",\"initial\":0}\n");
    for i in 0..operations {
        let (value, start) = (i / 2, 3 * i);
        let what = match i % 2 {
            0 => format!("\"op\":\"write\",\"args\":[{value}]"),
            _ => format!("\"op\":\"read\",\"value\":{value}"),
        };
        let process = i % 5;
        let _ = writeln!(
            text,
            "{{\"process\":{process},{what},\"start\":{start},\"end\":{}}}",
            start + 5
        );
    }
    text
}

#[test]
fn examples() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/histories");
    let Ok(entries) = examples.read_dir() else {
        return println!("skipped: {} is not there", examples.display());
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut count = 0;
    for path in paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl")) {
        is_read_alike(&path);
        count += 1;
    }
    assert!(count > 5, "{count} examples");
}

#[test]
fn long_files() {
    for operations in [0, 1, 20_000] {
        is_read_alike(&Temporary::new("queue", &queue(operations)).0);
        is_read_alike(&Temporary::new("register", &register(operations)).0);
    }
}

#[test]
fn the_last_line_is_bad() {
    for (text, line, message) in [
        (queue(9000), "enq 1 2\n", ":9002:"),
        (queue(9000), "put 1 2 3\n", "a queue has no method \"put\""),
        (queue(9000), "enq 1 5 4\n", "the operation ends before it starts"),
        (register(9000), "{\"op\":\"raed\",\"start\":1,\"end\":2}\n", "unknown operation \"raed\""),
        (register(9000), "{\"op\":\"read\",\"start\":3,\"end\":2}\n", ":9002:"),
        (register(9000), "{\"op\":\"read\",\"start\":3,\"en", "the line ends too early"),
        (
            register(9000),
            "{\"process\":1,\"op\":\"read\",\"start\":4,\"end\":5}\n",
            "is still open",
        ),
    ] {
        let file = Temporary::new("bad", &(text + line));
        is_read_alike(&file.0);
        let found = read_file(&file.0, None, None).unwrap().remove(0);
        let error = found.history.err().unwrap().to_string();
        assert!(error.contains(message) && error.contains(":9002"), "{error}");
    }
}

#[test]
fn a_missing_file_is_an_error() {
    assert!(read_file(Path::new("/no/such/file"), None, None).is_err());
    assert!(read_file(Path::new(env!("CARGO_MANIFEST_DIR")), None, None).is_err());
}
