//! Histories written in another format and read again: the same operations, the same verdict.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linpoint::{Allowance, Limits, Verdict};
use linpoint_formats::{
    Format, LoadedHistory, ModelName, RawHistory, Settings, Source, convert, registry,
};
use linpoint_generate::{Options, Values, generate};

fn model(text: &str) -> ModelName {
    ModelName::parse(text).unwrap()
}

fn raw(source: &Source, format: Option<Format>, model: Option<&ModelName>) -> RawHistory {
    let format = format.unwrap_or_else(|| Format::detect(source).unwrap());
    format.read(source, model).pop().unwrap().unwrap_or_else(|e| panic!("{e}"))
}

fn verdict(history: &LoadedHistory) -> &'static str {
    let limits = Limits { time: Some(Duration::from_secs(1)), memory: Some(1 << 30) };
    let settings = Settings { limits, threads: Some(1), ..Settings::default() };
    match history.check(&settings).unwrap().verdict {
        Verdict::Linearizable(_) => "ok",
        Verdict::Violation(_) => "bad",
        Verdict::Undecided(_) => "undecided",
    }
}

/// The pairs of formats that were possible.
#[derive(Default)]
struct Pairs(BTreeMap<(&'static str, &'static str), usize>);

impl Pairs {
    /// Writes a history in all formats that can express it, reads the result, and converts it back.
    fn try_all(&mut self, source: &Source, given: Option<&ModelName>) {
        let original = raw(source, None, given);
        let loaded = registry::load(source, original.clone(), given).unwrap();
        let expected = verdict(&loaded);
        // What the file does not record must be given again, including defaults.
        let given_again = given.map(|_| loaded.model().clone());
        let given_again = given_again.as_ref();
        for &to in Format::ALL {
            let Ok(there) = convert(source, &original, given, to) else { continue };
            let name = format!("{} as {}", source.name(), to.name());
            let there = Source::new(name, there.text);
            // An empty text has no recognisable format.
            if !there.text().trim_ascii().is_empty() {
                assert_eq!(Format::detect(&there).unwrap(), to, "{}", there.name());
            }
            let again = raw(&there, Some(to), given_again);
            let read = registry::load(&there, again.clone(), given_again).unwrap();
            assert_eq!(loaded.len(), read.len(), "{}", there.name());
            let found = verdict(&read);
            if expected != "undecided" && found != "undecided" {
                assert_eq!(expected, found, "{}", there.name());
            }
            // A register may become one with compare-and-set; no other model changes.
            let general = loaded.model().name != read.model().name;
            let like_read = if general { Some(read.model().clone()) } else { given_again.cloned() };
            let loaded = registry::load(source, original.clone(), like_read.as_ref()).unwrap();
            assert_eq!(loaded.difference(&read), None, "{}", there.name());
            let back = convert(&there, &again, like_read.as_ref(), original.format);
            let back = back.unwrap_or_else(|e| panic!("{}, and back: {e}", there.name()));
            let back = Source::new("back", back.text);
            let back_raw = raw(&back, Some(original.format), given_again);
            let back = registry::load(&back, back_raw, like_read.as_ref()).unwrap();
            assert_eq!(loaded.difference(&back), None, "{} and back", there.name());
            *self.0.entry((original.format.name(), to.name())).or_default() += 1;
        }
    }

    #[track_caller]
    fn include(&self, pairs: &[(&'static str, &'static str)]) {
        for pair in pairs {
            assert!(self.0.contains_key(pair), "{pair:?} is missing: {:?}", self.0);
        }
    }
}

#[test]
fn examples_in_every_format_that_can_express_them() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/histories");
    let mut pairs = Pairs::default();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ext| ext == "jsonl") {
            pairs.try_all(&Source::open(&path).unwrap(), None);
        }
    }
    assert_eq!(pairs.0[&("jsonl", "jsonl")], 12);
    pairs.include(&[("jsonl", "edn")]);
}

#[test]
fn generated_histories_in_every_format_that_can_express_them() {
    let mut pairs = Pairs::default();
    let models = [
        "register:initial=0",
        "cas-register",
        "multi-register:default=0",
        "kv",
        "kv:initial=\"\"",
        "set",
        "bag",
        "stack",
        "queue",
        "queue:capacity=3",
        "deque",
        "priority-queue:max",
        "counter",
        "rmw:initial=0",
        "mutex:owner",
        "semaphore",
        "snapshot:initial=0",
        "bank",
    ];
    for (format, models) in [
        (Format::Jsonl, &models[..]),
        (Format::Edn, &["register", "cas-register", "multi-register", "mutex"]),
        (Format::JepsenLog, &["register", "cas-register"]),
        (Format::Porcupine, &["kv"]),
        (
            Format::Fastlin,
            &["stack", "queue", "deque", "priority-queue", "set", "semaphore", "rmw"],
        ),
        (Format::Fptlin, &["stack", "queue", "deque", "priority-queue", "set", "semaphore", "rmw"]),
        (Format::Limo, &["stack", "queue"]),
        (Format::Snapshot, &["snapshot"]),
    ] {
        for name in models {
            for (seed, ambiguous, mutate) in [(1, 0.0, false), (2, 0.0, true), (3, 0.1, false)] {
                let fits = format.has_pending() && format != Format::Snapshot;
                let mutable = !(format == Format::Edn && *name == "mutex");
                let options = Options {
                    operations: 40,
                    seed,
                    ambiguous: if fits { ambiguous } else { 0.0 },
                    values: if seed == 1 { Values::Distinct } else { Values::FEW },
                    mutate: mutate && mutable,
                    format,
                    ..Options::new(model(name))
                };
                let mut text = Vec::new();
                generate(&options, || Ok(Box::new(&mut text))).unwrap();
                pairs.try_all(&Source::new(format!("{name} in {}", format.name()), text), None);
            }
        }
    }
    pairs.include(&[
        ("jsonl", "jsonl"),
        ("jsonl", "edn"),
        ("jsonl", "jepsen-log"),
        ("jsonl", "fastlin"),
        ("jsonl", "fptlin"),
        ("edn", "jsonl"),
        ("edn", "edn"),
        ("jepsen-log", "jsonl"),
        ("jepsen-log", "jepsen-log"),
        ("porcupine", "jsonl"),
        ("porcupine", "porcupine"),
        ("fastlin", "jsonl"),
        ("fastlin", "fastlin"),
        ("fastlin", "fptlin"),
        ("fptlin", "fastlin"),
        ("fptlin", "fptlin"),
        ("fptlin", "jsonl"),
        ("limo", "limo"),
        ("limo", "jsonl"),
        ("limo", "fastlin"),
        ("snapshot", "snapshot"),
        ("snapshot", "jsonl"),
    ]);
}

fn data() -> Option<PathBuf> {
    let given = std::env::var_os("LINPOINT_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = given.unwrap_or(beside);
    path.is_dir().then_some(path)
}

/// All files below a directory, sorted.
fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_none_or(|ext| ext != "tsv")
            && !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("README"))
        {
            found.push(path);
        }
    }
}

/// Larger files are left to the benchmarks.
const MOST_BYTES: u64 = 300_000;
/// Use this many files of each set, evenly spread.
const MOST_FILES: usize = 12;

#[test]
fn published_histories_in_every_format_that_can_express_them() {
    let Some(data) = data() else {
        eprintln!("SKIPPED: no published histories here; set LINPOINT_DATA");
        return;
    };
    let mut pairs = Pairs::default();
    for set in ["fptlin", "jepsen-etcd", "knossos", "limo", "porcupine-kv", "snapshot-disc22"] {
        let mut all = Vec::new();
        files(&data.join(set), &mut all);
        all.retain(|path| fs::metadata(path).is_ok_and(|meta| meta.len() <= MOST_BYTES));
        let every = (all.len() / MOST_FILES).max(1);
        for path in all.iter().step_by(every) {
            let source = Source::open(path).unwrap();
            let text = path.to_string_lossy();
            let name = ["cas-register", "multi-register", "mutex"]
                .into_iter()
                .find(|name| set == "knossos" && text.contains(&format!("/{name}/")));
            pairs.try_all(&source, name.map(model).as_ref());
        }
    }
    println!("{:?}", pairs.0);
    pairs.include(&[
        ("edn", "jsonl"),
        ("jepsen-log", "jsonl"),
        ("porcupine", "jsonl"),
        ("fastlin", "jsonl"),
        ("limo", "jsonl"),
        ("snapshot", "jsonl"),
        ("snapshot", "snapshot"),
    ]);
}

#[test]
fn histories_of_java_classes_round_trip() {
    let Some(data) = data() else {
        eprintln!("SKIPPED: no published histories here; set LINPOINT_DATA");
        return;
    };
    let mut all = Vec::new();
    files(&data.join("violat"), &mut all);
    let source = Source::open(&all[0]).unwrap();
    let first = Format::Violat.read(&source, None).remove(0).unwrap();
    for to in [Format::Violat, Format::Jsonl] {
        let there = convert(&source, &first, None, to).unwrap();
        let there = Source::new("there", there.text);
        let again = raw(&there, None, None);
        assert_eq!((again.format, again.ops.len()), (to, first.ops.len()));
        let mut options = (again.model.unwrap().options, first.model.clone().unwrap().options);
        options.0.sort();
        options.1.sort();
        assert_eq!(options.0, options.1);
        let again = raw(&there, None, None);
        let back = convert(&there, &again, None, Format::Violat).unwrap();
        assert_eq!(back.lost, Vec::<String>::new());
    }
    assert!(convert(&source, &first, None, Format::Edn).is_err());
}

/// The first line of the error, or the text that was written.
fn said(text: &str, given: Option<&str>, to: Format) -> Result<(String, Vec<String>), String> {
    let source = Source::new("h", text);
    let given = given.map(model);
    let raw = raw(&source, None, given.as_ref());
    match convert(&source, &raw, given.as_ref(), to) {
        Ok(converted) => Ok((String::from_utf8(converted.text).unwrap(), converted.lost)),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn errors_name_what_cannot_be_expressed() {
    const QUEUE: &str = "{\"linpoint\":1,\"model\":\"queue\"}\n";
    const REGISTER: &str = "{\"linpoint\":1,\"model\":\"cas-register\",\"initial\":0}\n";
    let cases: &[(&str, &str, Format, &str)] = &[
        (
            QUEUE,
            r#"{"call":1,"process":1,"op":"enqueue","args":[1]}"#,
            Format::Fastlin,
            "h:2: enqueue(1) never returned, which fastlin cannot express",
        ),
        (
            QUEUE,
            r#"{"process":1,"op":"dequeue","start":1,"end":2}"#,
            Format::Fastlin,
            "h:2: dequeue(): its result is unknown",
        ),
        (
            QUEUE,
            r#"{"process":1,"op":"dequeue","start":1,"end":2}"#,
            Format::Limo,
            "h:2: dequeue(): its result is unknown; limo needs one",
        ),
        (
            QUEUE,
            r#"{"process":1,"op":"enqueue","args":[-1],"start":1,"end":2}"#,
            Format::Fptlin,
            "h:2: enqueue(-1): -1 means \"empty\"",
        ),
        (
            QUEUE,
            r#"{"process":1,"op":"enqueue","args":["a b"],"start":1,"end":2}"#,
            Format::Limo,
            "h:2: limo cannot express the value \"a b\": it has numbers and words",
        ),
        (
            QUEUE,
            r#"{"object":7,"op":"enqueue","args":[3],"start":1,"end":2}"#,
            Format::Fastlin,
            "h:2: fastlin supports one object per file",
        ),
        (
            REGISTER,
            r#"{"op":"read","value":null,"start":1,"end":2}"#,
            Format::Edn,
            "h:2: read() gave nil, which edn cannot express: there, nil matches any value",
        ),
        (
            REGISTER,
            r#"{"op":"cas","args":[1,2],"value":false,"start":1,"end":2}"#,
            Format::Edn,
            "h:2: cas(1, 2) found another value, which edn cannot express: there, :fail means that it did not happen",
        ),
        (
            REGISTER,
            r#"{"op":"read","start":1,"end":2}"#,
            Format::JepsenLog,
            "h:2: read(): its result is unknown",
        ),
        (
            REGISTER,
            r#"{"op":"write","args":[{"a":1}],"start":1,"end":2}"#,
            Format::Edn,
            "h:2: a value that is an object cannot be written: maps are read as lists",
        ),
        // Without verifying what was written, all of these would be read as something else.
        (
            REGISTER,
            r#"{"op":"write","args":[[1,2]],"start":1,"end":2}"#,
            Format::Edn,
            "h:2: edn cannot express write([1, 2]) -> ok",
        ),
        (
            REGISTER,
            r#"{"op":"write","args":[null],"start":1,"end":2}"#,
            Format::Edn,
            "h: edn cannot express this history",
        ),
        (
            "{\"linpoint\":1,\"model\":\"kv\",\"initial\":\"\"}\n",
            r#"{"op":"put","args":["k","say \"x\""],"start":1,"end":2}"#,
            Format::Porcupine,
            "h:2: porcupine has strings without quotes and escapes only, not \"say \\\"x\\\"\"",
        ),
        (
            "{\"linpoint\":1,\"model\":\"snapshot\",\"segments\":2,\"initial\":0}\n",
            "{\"op\":\"update\",\"args\":[0,1],\"start\":1,\"end\":5}\n{\"op\":\"update\",\"args\":[0,2],\"start\":2,\"end\":4}",
            Format::Snapshot,
            "h:3: two open updates of segment 0: each segment has one writer in this format",
        ),
    ];
    for (header, line, to, message) in cases {
        let error = said(&format!("{header}{line}\n"), None, *to).unwrap_err();
        assert_eq!(error.lines().next(), Some(*message), "in full:\n{error}");
    }
}

#[test]
fn a_model_that_the_format_cannot_name_must_be_given() {
    let queue = "{\"linpoint\":1,\"model\":\"queue\"}\n{\"process\":1,\"op\":\"dequeue\",\"value\":3,\"start\":1,\"end\":2}\n";
    let error = said(queue, None, Format::Edn).unwrap_err();
    assert!(error.starts_with("h: edn cannot record that this is a history of queue: "), "{error}");
    let (text, lost) = said(queue, Some("queue"), Format::Edn).unwrap();
    assert_eq!(
        text,
        "{:process 1, :type :invoke, :f :dequeue, :value nil}\n{:process 1, :type :ok, :f :dequeue, :value 3}\n"
    );
    let last = lost.last().map(String::as_str);
    assert_eq!(last, Some("the file does not name the model: check it with --model 'queue'"));
    // Another initial value would give another verdict.
    let register = "{\"linpoint\":1,\"model\":\"register\",\"initial\":5}\n{\"op\":\"read\",\"value\":5,\"start\":1,\"end\":2}\n";
    let error = said(register, None, Format::Edn).unwrap_err();
    assert!(error.contains("it would be read as cas-register:initial=0"), "{error}");
}

#[test]
fn ties_and_times_survive() {
    // Under either policy, touching operations have the same order when read again.
    for ties in ["concurrent", "ordered"] {
        let lines = "{\"process\":1,\"op\":\"write\",\"args\":[1],\"start\":0,\"end\":5}\n\
                     {\"process\":1,\"op\":\"write\",\"args\":[2],\"start\":5,\"end\":5}\n\
                     {\"process\":2,\"op\":\"read\",\"value\":1,\"start\":5,\"end\":9}\n";
        let text = format!(
            "{{\"linpoint\":1,\"model\":\"cas-register\",\"initial\":0,\"ties\":\"{ties}\"}}\n{lines}"
        );
        let source = Source::new("h", text);
        let original = registry::read(&source, None).unwrap();
        let raw = raw(&source, None, None);
        for to in [Format::Jsonl, Format::Edn] {
            let there = convert(&source, &raw, None, to).unwrap();
            let there = Source::new("there", there.text);
            let again = registry::read(&there, None).unwrap();
            assert_eq!(original.difference(&again), None);
            assert_eq!(verdict(&original), verdict(&again));
            assert_eq!(verdict(&original), if ties == "ordered" { "bad" } else { "ok" });
        }
    }
    let floats = "{\"linpoint\":1,\"model\":\"register\",\"initial\":0}\n\
                  {\"process\":1,\"op\":\"read\",\"value\":0,\"start\":0.25,\"end\":1e300}\n";
    assert_eq!(said(floats, None, Format::Jsonl).unwrap().0, floats);
}

#[test]
fn harmless_losses_are_reported() {
    let text = "{\"linpoint\":1,\"model\":\"stack\",\"note\":\"n\"}\n\
                {\"process\":\"ann\",\"op\":\"push\",\"args\":[1],\"start\":3,\"end\":4,\"hint\":{\"position\":1}}\n\
                {\"op\":\"pop\",\"value\":1,\"start\":5,\"end\":6}\n";
    let (text, lost) = said(text, None, Format::Limo).unwrap();
    assert_eq!(
        text,
        "# @object atomic-stack\n[0] call push(1)\n[0] return\n[1] call pop\n[1] return 1\n"
    );
    assert_eq!(
        lost,
        [
            "the note is left out",
            "order hints are left out: --hints has no effect",
            "times are left out: only the order of events is kept",
            "names of clients are left out: they become numbers",
            "operations without a client get one",
        ]
    );
}

#[test]
fn a_client_continues_under_another_number_if_needed() {
    let text = "{\"linpoint\":1,\"model\":\"kv\",\"initial\":\"\"}\n\
                {\"call\":1,\"process\":0,\"op\":\"put\",\"args\":[\"k\",\"a\"]}\n{\"info\":1}\n\
                {\"call\":2,\"process\":0,\"op\":\"get\",\"args\":[\"k\"]}\n{\"return\":2,\"value\":\"a\"}\n";
    let (text, _) = said(text, None, Format::Porcupine).unwrap();
    assert_eq!(
        text,
        "{:process 0, :type :invoke, :f :put, :key \"k\", :value \"a\"}\n\
         {:process 1, :type :invoke, :f :get, :key \"k\", :value nil}\n\
         {:process 1, :type :ok, :f :get, :key \"k\", :value \"a\"}\n"
    );
}

/// Whatever a file contains, it is read and converted, or there is an error; and what was written
/// is the same.
#[test]
fn damaged_histories_are_converted_or_refused() {
    let mut texts = Vec::new();
    for (format, name) in [
        (Format::Jsonl, "kv"),
        (Format::Jsonl, "multi-register"),
        (Format::Jsonl, "snapshot:initial=0"),
        (Format::Edn, "cas-register"),
        (Format::JepsenLog, "cas-register"),
        (Format::Porcupine, "kv"),
        (Format::Fastlin, "set"),
        (Format::Fptlin, "queue"),
        (Format::Limo, "stack"),
        (Format::Snapshot, "snapshot"),
    ] {
        let ambiguous = if format.has_pending() && format != Format::Snapshot { 0.1 } else { 0.0 };
        let options = Options { operations: 12, ambiguous, format, ..Options::new(model(name)) };
        let mut text = Vec::new();
        generate(&options, || Ok(Box::new(&mut text))).unwrap();
        texts.push(text);
    }
    let pieces: Vec<&[u8]> = vec![
        b"null",
        b"-1",
        b"\"",
        b"{",
        b"[]",
        b"\n",
        b" ",
        b"99999999999999999999",
        b"\xff",
        b"true",
    ];
    let mut random = fastrand::Rng::with_seed(7);
    let mut below = |bound: usize| random.usize(..bound);
    let (mut read, mut written) = (0, 0);
    for round in 0..3000 {
        let mut text = texts[round % texts.len()].clone();
        for _ in 0..=below(2) {
            let at = below(text.len());
            // A different digit often gives another history; anything else mostly gives none.
            if let Some(digit) = text[at..].iter().position(u8::is_ascii_digit)
                && below(4) > 0
            {
                text[at + digit] = b'0' + below(10) as u8;
                continue;
            }
            let to = (at + below(6)).min(text.len());
            let piece = match below(3) {
                0 => text[below(text.len())..].iter().take(4).copied().collect(),
                _ => pieces[below(pieces.len())].to_vec(),
            };
            text.splice(at..to, piece);
        }
        let source = Source::new("damaged", text);
        let Ok(format) = Format::detect(&source) else { continue };
        for raw in format.read(&source, None).into_iter().flatten() {
            read += 1;
            let _ = linpoint_formats::stats::stats(&source, &raw, None, &Allowance::unlimited());
            for &to in Format::ALL {
                let Ok(converted) = convert(&source, &raw, None, to) else { continue };
                written += 1;
                let Ok(original) = registry::load(&source, raw.clone(), None) else { continue };
                let there = Source::new("there", converted.text);
                let again = to.read(&there, None).pop().unwrap().unwrap();
                let again = registry::load(&there, again, None).unwrap();
                assert_eq!(original.len(), again.len());
                assert_eq!(verdict(&original), verdict(&again), "{round} in {}", to.name());
            }
        }
    }
    assert!(read > 300 && written > 500, "{read} read, {written} written");
}
