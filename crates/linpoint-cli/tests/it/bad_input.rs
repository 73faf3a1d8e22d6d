//! Bad input of every kind: the message with its position, the exit code, and that the other files are still
//! checked.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::support::{BAD, OK, dir, exits, linpoint};

const HEADER: &str = "{\"linpoint\":1,\"model\":\"register\"}\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut packer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Names of archives, how they are packed, and how messages call that.
type Pack = fn(&[u8]) -> Vec<u8>;
const PACKS: [(&str, Pack, &str); 4] =
    [("gz", gzip, "gzip"), ("zst", zstd, "zstd"), ("xz", xz, "xz"), ("bz2", bzip2, "bzip2")];

/// Checks a bad file between two good ones and returns the message. The good files must get their verdicts.
#[track_caller]
fn message_with(name: &str, contents: &[u8], options: &[&str]) -> String {
    let dir = dir(&format!("bad-{name}"));
    fs::write(dir.join("first.jsonl"), OK).unwrap();
    fs::write(dir.join(name), contents).unwrap();
    fs::write(dir.join("last.jsonl"), BAD).unwrap();
    let files = ["first.jsonl", name, "last.jsonl"];
    let (out, err) = exits(
        &linpoint(&dir, &[&["check", "--strict", "--as", "tsv"], options, &files].concat()),
        2,
    );
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').take(2).collect()).collect();
    assert_eq!(rows[0], ["first.jsonl", "ok"], "{out}");
    assert_eq!(rows[1], [name, "error"], "{out}");
    assert_eq!(rows[rows.len() - 1], ["last.jsonl", "bad"], "{out}");
    let message = err.strip_prefix("error: ").expect("an error").to_owned();
    assert!(message.lines().all(|line| line.chars().count() < 600), "too long:\n{message}");
    message
}

#[track_caller]
fn message(name: &str, contents: &[u8]) -> String {
    message_with(name, contents, &[])
}

#[test]
fn truncated_files_are_reported_with_their_position() {
    assert_eq!(
        message("cut.jsonl", format!("{OK}{{\"call\":2,\"op\":\"wri").as_bytes()),
        "cut.jsonl:4:19: the line ends too early\n  |\n4 | {\"call\":2,\"op\":\"wri\n  |                   ^\n"
    );
    let header = message("header.jsonl", b"{\"linpoint\":1,\"mod");
    assert!(header.starts_with("header.jsonl:1:18: the line ends too early\n"), "{header}");
    assert!(header.contains("= the first line is a header: "), "{header}");
    let call = "[{:process 0 :type :invoke :f :read :value nil}\n";
    assert_eq!(
        message("cut.edn", format!("{call} {{:process 0 :type :ok :f :re").as_bytes()),
        "cut.edn:2:2: '{' is never closed: the file is cut off\n  |\n\
         2 |  {:process 0 :type :ok :f :re\n  |  ^\n"
    );
    let brackets = message("brackets.edn", call.as_bytes());
    assert!(brackets.starts_with("brackets.edn:1:1: '[' is never closed: the file is cut off\n"));
    let text = message("text.edn", b"{:process 0 :type :invoke :f :write :value \"abc");
    assert!(text.starts_with("text.edn:1:44: the string is never closed: the file is cut off\n"));
    let log =
        message("cut.log", b"INFO  jepsen.util - 0 :invoke :read nil\nINFO  jepsen.util - 0 :o");
    assert!(log.starts_with("cut.log:2:23: \":o\" is not :invoke, :ok, :fail or :info\n"), "{log}");
    let line = message("cut.txt", b"# queue\nenq 1 0 1\nenq 2 2");
    assert!(line.starts_with("cut.txt:3:8: the line ends where"), "{line}");
}

#[test]
fn truncated_archives_are_reported_as_damaged() {
    for (end, pack, kind) in PACKS {
        let (name, packed) = (&format!("cut.{end}"), pack(OK.as_bytes()));
        for kept in [packed.len() - 3, packed.len() / 2, 10] {
            let message = message(name, &packed[..kept]);
            assert!(message.starts_with(&format!("{name}: damaged {kind} data: ")), "{message}");
        }
    }
}

#[test]
fn archives_that_unpack_beyond_the_limit_are_rejected() {
    let zeros = vec![b' '; 3 << 20];
    for (end, pack, _) in PACKS {
        let (name, packed) = (&format!("bomb.{end}"), pack(&zeros));
        let message = message_with(name, &packed, &["--max-unpacked", "1MiB"]);
        assert_eq!(
            message,
            format!(
                "{name}: it has more than 1048576 bytes when it is unpacked; \
                 --max-unpacked raises the limit\n"
            )
        );
        let dir = dir(&format!("raised-{name}"));
        fs::write(dir.join(name), &packed).unwrap();
        exits(&linpoint(&dir, &["check", "--max-unpacked", "3MiB", name]), 0);
        exits(&linpoint(&dir, &["check", name]), 0);
    }
}

#[test]
fn encodings_other_than_utf8_are_rejected() {
    let wide = |to: fn(u16) -> [u8; 2]| OK.encode_utf16().flat_map(to).collect::<Vec<u8>>();
    let (little, big) = (wide(u16::to_le_bytes), wide(u16::to_be_bytes));
    for (name, contents) in [
        ("le-mark", [&[0xff, 0xfe][..], &little].concat()),
        ("be-mark", [&[0xfe, 0xff][..], &big].concat()),
        ("le", little),
        ("be", big),
    ] {
        let message = message(name, &contents);
        let expected = format!("{name}:1:1: the file is in UTF-16; it must be in UTF-8\n");
        assert!(message.starts_with(&expected), "{message}");
    }
    let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    for (name, text, place) in [
        (
            "latin.jsonl",
            format!("{HEADER}{{\"call\":1,\"op\":\"write\",\"args\":[\"caf\u{e9}\"]}}\n"),
            "2:36: these bytes are not UTF-8",
        ),
        (
            "latin.edn",
            "{:process 0 :type :invoke :f :write :value \"caf\u{e9}\"}".to_owned(),
            "1:44: the string is not UTF-8",
        ),
        (
            "latin.log",
            "INFO  jepsen.util - 0 :invoke :write \"caf\u{e9}\"".to_owned(),
            "1:38: the string is not UTF-8",
        ),
        (
            "latin.txt",
            "# queue\nenq caf\u{e9} 0 1\n".to_owned(),
            "2:5: \"caf\u{fffd}\" is not a value",
        ),
    ] {
        let message = message(name, &latin(&text));
        assert!(message.starts_with(&format!("{name}:{place}")), "{message}");
    }
    let zeros = message("zeros", &[0; 1000]);
    assert!(zeros.starts_with("zeros:1:1: linpoint does not know this format\n"), "{zeros}");
}

#[test]
fn messages_about_huge_lines_stay_short() {
    let x = "x".repeat(1_000_000);
    let ones = "1 ".repeat(500_000);
    for (name, text, start) in [
        (
            "long.jsonl",
            format!("{HEADER}{{\"call\":1,\"op\":\"write\",\"args\":[\"{x}\"],\"oops\":1}}"),
            "2:1000041: unknown field `oops`, expected one of `call`",
        ),
        (
            "name.jsonl",
            format!("{HEADER}{{\"call\":1,\"op\":\"{x}\"}}"),
            "2:16: unknown operation \"xxxxxxxx",
        ),
        (
            "value.jsonl",
            format!(
                "{{\"linpoint\":1,\"model\":\"counter\"}}\n{{\"call\":1,\"op\":\"add\",\"args\":[[{}1]]}}",
                "1,".repeat(500_000)
            ),
            "2:29: the argument must be a whole number, not a list: [1, 1, 1, ",
        ),
        (
            "deep.jsonl",
            format!("{HEADER}{{\"call\":1,\"op\":\"write\",\"args\":{}", "[".repeat(1_000_000)),
            "2:157: recursion limit exceeded",
        ),
        (
            "long.edn",
            format!("{{:process 0 :type :invoke :f :write :value [{ones}"),
            "1:44: '[' is never closed: the file is cut off",
        ),
        (
            "deep.edn",
            format!("{{:process {}", "[".repeat(1_000_000)),
            "1:111: values are nested too deeply",
        ),
        (
            "long.log",
            format!("INFO  jepsen.util - 0 :invoke :{x} 3"),
            "1:31: unknown operation \"xxx",
        ),
        ("long.txt", format!("# queue\nenq {} 0 1", "1".repeat(1_000_000)), "2:5: \"1111"),
        ("nonsense", x.clone(), "1:1: linpoint does not know this format"),
    ] {
        let message = message(name, text.as_bytes());
        assert!(message.starts_with(&format!("{name}:{start}")), "{message}");
        assert!(message.contains('\u{2026}'), "the line is shown in part:\n{message}");
    }
}

/// Quadratic time would take hours here.
#[test]
fn many_keys_options_or_errors_take_no_quadratic_time() {
    let keys: String = (0..100_000).map(|i| format!(":k{i} 1 ")).collect();
    let edn = format!("{{:process 0 :type :invoke :f :write :value {{{keys}:k7 2}}}}");
    let message_of_map = message("keys.edn", edn.as_bytes());
    assert!(message_of_map.contains(": the key :k7 appears twice\n"), "{message_of_map}");
    let options: String = (0..100_000).map(|i| format!(",\"o{i}\":1")).collect();
    let header = format!("{{\"linpoint\":1,\"model\":\"register\"{options}}}");
    let message_of_header = message("options.jsonl", header.as_bytes());
    assert!(message_of_header.contains(": a model has at most 256 options\n"));
    // Each history is an error with the text of its line.
    let call = r#"{"kind":"return","sid":0,"invocation":{"id":0,"method":{"name":"x","void":false},"arguments":[]}}"#;
    let bad: String = (0..30_000)
        .map(|id| format!("{{\"schema\":{{\"id\":{id},\"class\":\"Q\",\"arguments\":[]}},\"events\":[{call}]}}\n"))
        .collect();
    let dir = dir("bad-many-histories");
    fs::write(dir.join("many.jsonl"), bad).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["check", "--as", "tsv", "many.jsonl"]), 2);
    assert_eq!(out.lines().count(), 30_000);
    assert!(err.contains("error: many.jsonl:29999: no call has the id 0\n"));
}

#[test]
fn lines_of_another_format_are_rejected() {
    let edn = "{:process 0 :type :invoke :f :read}\n";
    let json = "{\"call\":1,\"op\":\"read\"}\n";
    for (name, text, start) in [
        ("edn-in.jsonl", format!("{OK}{edn}"), "4:2: key must be a string"),
        ("text-in.jsonl", format!("{OK}enq 1 0 1\n"), "4:1: a line must be an object: {...}"),
        ("json-in.edn", format!("{edn}{json}"), "2:15: a keyword without a name"),
        ("json-in.txt", format!("# queue\nenq 1 0 1\n{json}"), "3:1: a queue has no method"),
        (
            "edn-in.log",
            format!("INFO  jepsen.util - 0 :invoke :read nil\n{edn}"),
            "2:1: \"{:process\" is not a line of a Jepsen log",
        ),
        (
            "times-in.jsonl",
            format!("{OK}{{\"op\":\"read\",\"start\":1,\"end\":2}}\n"),
            "4:22: an operation with times here, but an event on line 2: a file has one or the other",
        ),
    ] {
        let message = message(name, text.as_bytes());
        assert!(message.starts_with(&format!("{name}:{start}")), "{message}");
    }
}

#[test]
fn unknown_operations_and_wrong_values_are_rejected() {
    let message_of_op =
        message("op.jsonl", format!("{HEADER}{{\"call\":1,\"op\":\"pop\"}}").as_bytes());
    assert_eq!(
        message_of_op,
        "op.jsonl:2:16: unknown operation \"pop\"\n  |\n2 | {\"call\":1,\"op\":\"pop\"}\n  |                ^\n  \
         = the model \"register\" has read() -> value; write(value)\n"
    );
    let typo =
        message("typo.jsonl", format!("{HEADER}{{\"call\":1,\"op\":\"raed\"}}\n").as_bytes());
    assert!(typo.contains("= did you mean \"read\"? The model \"register\" has "), "{typo}");
    let counter = "{\"linpoint\":1,\"model\":\"counter\"}\n";
    let get = "{\"call\":1,\"op\":\"get\"}\n";
    for (name, lines, start) in [
        (
            "arg.jsonl",
            "{\"call\":1,\"op\":\"add\",\"args\":[\"one\"]}".to_owned(),
            "2:29: the argument must be a whole number, not a string: \"one\"",
        ),
        (
            "result.jsonl",
            format!("{get}{{\"return\":1,\"value\":[1]}}"),
            "3:21: the result must be a whole number, not a list: [1]",
        ),
        (
            "fraction.jsonl",
            "{\"call\":1,\"op\":\"add\",\"args\":[1.5]}".to_owned(),
            "2:32: numbers must be whole and fit into 64 bits with a sign",
        ),
        (
            "arity.jsonl",
            "{\"call\":1,\"op\":\"add\"}".to_owned(),
            "2: \"add\" takes one argument, not 0",
        ),
    ] {
        let message = message(name, format!("{counter}{lines}").as_bytes());
        assert!(message.starts_with(&format!("{name}:{start}")), "{message}");
    }
    let edn = "{:process 0, :type :invoke, :f :pop, :value nil}";
    let of_edn = message_with("op.edn", edn.as_bytes(), &["--model", "register"]);
    assert!(of_edn.starts_with("op.edn:1:32: unknown operation \"pop\"\n"), "{of_edn}");
}

#[test]
fn duplicate_ids_are_rejected() {
    let call = "{\"call\":1,\"op\":\"read\"}\n";
    let calls = message("calls.jsonl", format!("{HEADER}{call}{call}").as_bytes());
    assert!(
        calls.starts_with("calls.jsonl:3:9: a second call with id 1; the first is on line 2\n")
    );
    let end = "{\"return\":1,\"value\":null}\n";
    let ends = message("ends.jsonl", format!("{HEADER}{call}{end}{end}").as_bytes());
    let expected = "ends.jsonl:4:11: the operation with id 1 has already ended on line 3\n";
    assert!(ends.starts_with(expected), "{ends}");
}

/// Checks a bad path between two good files and returns the message.
fn message_for_path(dir: &Path, path: &str) -> String {
    fs::write(dir.join("first.jsonl"), OK).unwrap();
    fs::write(dir.join("last.jsonl"), BAD).unwrap();
    let args = ["check", "--as", "tsv", "first.jsonl", path, "last.jsonl"];
    let (out, err) = exits(&linpoint(dir, &args), 1);
    let verdicts: Vec<&str> = out.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    assert_eq!(verdicts, ["ok", "error", "bad"], "{out}");
    err
}

#[test]
fn missing_paths_and_empty_directories_are_reported() {
    let dir = dir("bad-paths");
    assert_eq!(message_for_path(&dir, "missing"), "error: missing: no such file or directory\n");
    fs::create_dir(dir.join("empty")).unwrap();
    assert_eq!(message_for_path(&dir, "empty"), "error: empty: the directory has no histories\n");
    fs::create_dir(dir.join("passed")).unwrap();
    fs::write(dir.join("passed/README.md"), "nothing").unwrap();
    assert_eq!(message_for_path(&dir, "passed"), "error: passed: the directory has no histories\n");
    let inside = message_for_path(&dir, "first.jsonl/inside");
    assert!(inside.starts_with("error: first.jsonl/inside: "), "{inside}");
}

/// A link to itself is unreadable even for root.
#[cfg(unix)]
#[test]
fn unreadable_files_are_reported() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = dir("bad-unreadable");
    symlink("loop", dir.join("loop")).unwrap();
    assert!(message_for_path(&dir, "loop").starts_with("error: loop: "));
    fs::create_dir(dir.join("runs")).unwrap();
    symlink("loop", dir.join("runs/loop")).unwrap();
    assert!(message_for_path(&dir, "runs").starts_with("error: runs/loop: "));
    let secret = dir.join("secret");
    fs::write(&secret, OK).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&secret).is_ok() {
        eprintln!("SKIPPED: this user can read files without permission");
    } else {
        assert_eq!(message_for_path(&dir, "secret"), "error: secret: permission denied\n");
    }
}
