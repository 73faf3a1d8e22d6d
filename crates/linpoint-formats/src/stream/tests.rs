//! The fast path and the reader of the format agree.

use std::fmt::Write;
use std::sync::Mutex;

use linpoint::history::Extras;

use super::*;
use crate::Source;

/// Everything about a history besides its operations.
fn head(history: &RawHistory) -> String {
    let RawHistory { format, id, model, note, ties, processes, objects, .. } = history;
    format!("{format:?} {id:?} {model:?} {note:?} {ties:?} {processes:?} {objects:?}")
}

/// An operation that was received.
struct Received {
    name: String,
    args: Vec<Value>,
    result: Option<Value>,
    start: u64,
    end: Option<u64>,
    extras: Extras,
    line: u32,
}

impl Received {
    fn text(&self) -> String {
        let Received { name, args, result, start, end, extras, line } = self;
        format!("{name} {args:?} {result:?} {start} {end:?} {extras:?} {line}")
    }

    fn of(op: &RawOp<'_>) -> Received {
        let RawOp { name, args, result, start, end, extras, line, .. } = *op;
        let (name, args, result) = (name.to_owned(), args.to_vec(), result.cloned());
        Received { name, args, result, start, end, extras, line }
    }
}

impl Receiver for Vec<Received> {
    fn add(&mut self, op: &RawOp<'_>) -> bool {
        self.push(Received::of(op));
        true
    }

    fn end(&mut self, at: usize, time: u64, result: Option<&Value>) -> bool {
        assert!(self[at].end.is_none(), "it ends once");
        (self[at].end, self[at].result) = (Some(time), result.cloned());
        true
    }
}

impl Parts for Vec<Mutex<Vec<Received>>> {
    fn fill(&self, part: usize, fill: &mut dyn FnMut(&mut dyn Receiver)) {
        fill(&mut *self[part].lock().unwrap());
    }

    fn join(&self, part: usize, line: u32, later: u64) -> bool {
        let part = std::mem::take(&mut *self[part].lock().unwrap());
        let moved = |op: Received| Received {
            start: op.start + later,
            end: op.end.map(|end| end + later),
            line: op.line + line,
            ..op
        };
        self[0].lock().unwrap().extend(part.into_iter().map(moved));
        true
    }
}

/// A history as a list of texts, if it is plain.
fn plain_on(threads: usize, text: &[u8]) -> Option<Vec<String>> {
    let mut input = text;
    let (mut history, stream) = Stream::open(&mut input, None, Some(threads))?;
    let parts: Vec<Mutex<Vec<Received>>> = (0..stream.parts()).map(|_| Mutex::default()).collect();
    stream.read(&mut history, &parts).ok()?;
    let ops = parts[0].lock().unwrap();
    Some([head(&history)].into_iter().chain(ops.iter().map(Received::text)).collect())
}

fn plain(text: &[u8]) -> Option<Vec<String>> {
    plain_on(1, text)
}

/// The same from the reader of the format.
fn any(text: &[u8]) -> Result<Vec<String>, String> {
    let source = Source::new("h", text);
    let format = Format::detect(&source).map_err(|error| error.to_string())?;
    let history = format.read(&source, None).remove(0).map_err(|error| error.to_string())?;
    let ops = history.ops.iter().map(|op| Received::of(&op).text());
    Ok([head(&history)].into_iter().chain(ops).collect())
}

/// Files with plain lines only.
const PLAIN: &[&str] = &[
    "# queue\nenq 2 0 1\ndeq 2 2 13\ndeq -1 12345678 123456789012345678\npeek -5 4 5\n",
    "# stack\npush 99999999 1 2\n\npop 1 3 4",
    "# set\ninsert 4 1 0 1\nremove 4 0 2 3\ncontains 7 0 4 4\n",
    "# set\ninsert 4 0 1\ncontains_true 4 3 4\ncontains_false -1 3 4\nremove 12 6 7\n",
    "# pqueue\ninsert 10 0 1\npoll 10 2 3\n",
    "# rmw\nread_modify_write 0 5 1 2\n",
    "# semaphore\nincr 1 0 1\ndecr 0 2 3\ndecr 1 2 3\n",
    "# deque\npush_front 3 0 1\npop_back 3 5 6\n",
    "{\"linpoint\":1,\"model\":\"register\",\"initial\":0}\n\
     {\"process\":1,\"op\":\"write\",\"args\":[5],\"start\":0,\"end\":120}\n\
     {\"process\":20,\"op\":\"read\",\"value\":5,\"start\":80,\"end\":200}\n\
     {\"process\":1,\"op\":\"write\",\"args\":[6],\"start\":130}\n",
    "{\"linpoint\":1,\"note\":\"a note\",\"ties\":\"ordered\"}\n\
     {\"op\":\"x\",\"args\":[],\"start\":1,\"end\":2}\n\n\
     {\"end\":4,\"start\":3,\"args\":[-1,true,null,[[],\"\u{e4}\",false]],\"op\":\"\",\"value\":null}\n\
     {\"object\":\"a\",\"process\":\"p\",\"op\":\"y\",\"value\":{\"unknown\":true},\"start\":5,\"end\":6}\n\
     {\"object\":2,\"process\":\"q\",\"op\":\"y\",\"value\":[10,-20],\"start\":7,\"end\":7}",
    "{\"linpoint\":1,\"model\":\"queue\"}\n{\"call\":7,\"process\":2,\"op\":\"enqueue\",\"args\":[1]}\n\
     {\"call\":8,\"op\":\"dequeue\",\"object\":3}\n{\"return\":7}\n{\"call\":9,\"process\":2,\"op\":\"x\"}\n\n\
     {\"return\":8,\"value\":1}\n{\"info\":9}\n{\"call\":10,\"process\":2,\"op\":\"x\",\"args\":[]}\n",
    "{\"linpoint\":1}\n{\"process\":70000,\"op\":\"r\",\"start\":1}\n{\"process\":-3,\"op\":\"r\",\"start\":1}\n",
];

#[test]
fn plain_files_are_read_here() {
    // The last one has processes of two kinds.
    let (mixed, rest) = PLAIN.split_last().unwrap();
    for text in rest {
        assert_eq!(plain(text.as_bytes()), any(text.as_bytes()).ok(), "{text}");
        assert!(plain(text.as_bytes()).is_some(), "{text}");
    }
    assert!(plain(mixed.as_bytes()).is_none() && any(mixed.as_bytes()).is_ok());
}

/// After any change, what the fast path accepts is accepted by the reader, and means the same.
#[test]
fn changed_files_mean_the_same_or_are_left_to_the_reader() {
    const BYTES: &[u8] = b"\"\\{}[]:,.-+019 \tx\r\nEeun#\x00\x7f\xc3\xa4";
    let (mut same, mut left) = (0, 0);
    for text in PLAIN {
        let mut compare = |changed: Vec<u8>| {
            let Some(here) = plain(&changed) else {
                left += 1;
                return;
            };
            let text = String::from_utf8_lossy(&changed).into_owned();
            assert_eq!(any(&changed), Ok(here), "{text:?}");
            same += 1;
        };
        let bytes = text.as_bytes();
        for at in 0..bytes.len() {
            let (before, after) = bytes.split_at(at);
            compare(before.to_vec());
            for length in 1..4.min(after.len()) {
                compare([before, &after[length..]].concat());
                compare([before, &after[..length], after].concat());
            }
            for &byte in BYTES {
                compare([before, &[byte], after].concat());
                compare([before, &[byte], &after[1..]].concat());
            }
        }
    }
    assert!(same > 3000 && left > 30_000, "{same} were read, {left} were left");
}

#[test]
fn members_changed_one_by_one() {
    // Every member of an operation twice, left out, null, or of another type.
    let members = [
        "\"op\":\"write\"",
        "\"args\":[5]",
        "\"value\":1",
        "\"start\":1",
        "\"end\":2",
        "\"process\":1",
        "\"object\":1",
        "\"op\":null",
        "\"args\":null",
        "\"value\":null",
        "\"start\":null",
        "\"end\":null",
        "\"process\":null",
        "\"object\":null",
        "\"end\":2.5",
        "\"start\":1e3",
        "\"end\":0",
        "\"hint\":{\"position\":1}",
        "\"note\":\"x\"",
        "\"call\":1",
        "\"return\":1",
        "\"info\":1",
        "\"value\":{\"unknown\":true}",
        "\"value\":{\"unknown\":false}",
        "\"value\":-0",
        "\"value\":00",
        "\"value\":9223372036854775807",
    ];
    const CALL: &str = "{\"call\":1,\"op\":\"x\"}\n";
    let mut same = 0;
    for code in 0..members.len().pow(4) {
        let digit = |i: u32| members[code / members.len().pow(i) % members.len()];
        let line = [digit(0), digit(1), digit(2), digit(3)].join(",");
        let call = if line.contains("return") || line.contains("info") { CALL } else { "" };
        let text = format!("{{\"linpoint\":1}}\n{call}{{{line}}}\n");
        if let Some(here) = plain(text.as_bytes()) {
            assert_eq!(any(text.as_bytes()), Ok(here), "{text}");
            same += 1;
        }
    }
    assert!(same > 200, "{same}");
}

/// Threads and the number of blocks make no difference.
fn assert_read(text: &str, is_plain: bool) {
    let expected = any(text.as_bytes()).ok().filter(|_| is_plain);
    for threads in [1, 2, 4] {
        assert!(plain_on(threads, text.as_bytes()) == expected, "{threads} threads");
    }
}

#[test]
fn long_files_are_read_in_blocks_by_any_number_of_threads() {
    let header = "{\"linpoint\":1,\"model\":\"register\",\"initial\":0}\n";
    let mut text = header.to_owned();
    for i in 0..3_000 {
        let (process, empty) = (i % 7, if i % 100 == 0 { "\n" } else { "" });
        let op = format!("\"op\":\"write\",\"args\":[{i}],\"start\":{i}");
        let _ = writeln!(text, "{empty}{{\"process\":{process},{op}}}");
    }
    assert_eq!(plain(text.as_bytes()).map(|ops| ops.len()), Some(3_001));
    assert_read(&text, true);
    // Objects and processes that have names are numbered in order of appearance, wherever that is.
    let mut named = header.to_owned();
    for i in 0..3_000 {
        let (process, object) = (i * i % 97, i * i / 500);
        let op = format!("\"op\":\"read\",\"object\":\"o{object}\",\"start\":{i},\"end\":{i}");
        let _ = writeln!(named, "{{\"process\":\"p{process}\",{op}}}");
    }
    assert_read(&named, true);
    // Whatever is unusual at the end is left to the reader: a number among names, an event, a wrong time.
    for line in [
        "{\"process\":1,\"op\":\"read\",\"start\":1,\"end\":2}",
        "{\"call\":1,\"op\":\"read\"}",
        "{\"op\":\"read\",\"start\":3,\"end\":2}",
    ] {
        assert_read(&format!("{named}{line}\n"), false);
    }
    assert_read("# queue\n", true);
    let mut text = "# queue\n".to_owned();
    (0..2_000).for_each(|i| text += &format!("enq {i} {i} {}\n", i + 1));
    assert_read(&text, true);
}

#[test]
fn events_are_read_by_any_number_of_threads() {
    let mut random = fastrand::Rng::with_seed(5);
    for round in 0..40 {
        // The open operations, each with its process. Some stay open for a long time.
        let mut open: Vec<(u64, u64)> = Vec::new();
        let mut lines = vec!["{\"linpoint\":1,\"model\":\"register\"}".to_owned()];
        let (mut id, mut crashed) = (random.u64(0..3), 0);
        while lines.len() < 2_000 {
            let process = random.u64(0..9) + crashed;
            if !open.iter().any(|(_, busy)| *busy == process) {
                open.push((id, process));
                let name =
                    if round % 2 == 0 { format!("{process}") } else { format!("\"{process}\"") };
                lines.push(format!("{{\"call\":{id},\"process\":{name},\"op\":\"read\"}}"));
                id += 1;
            } else {
                let at = random.usize(0..open.len().min(7));
                let (id, _) = open.swap_remove(at);
                let end = match random.u8(0..50) {
                    0 => format!("{{\"info\":{id}}}"),
                    1 => format!("{{\"return\":{id}}}"),
                    _ => format!("{{\"return\":{id},\"value\":{}}}", random.u8(..)),
                };
                crashed += u64::from(end.contains("info"));
                lines.push(end);
            }
        }
        let text = |lines: &[String]| lines.join("\n") + "\n";
        assert_read(&text(&lines), true);
        // A return that is missing, or there twice; a call that is missing, or there twice; an id that is not the next.
        let at = random.usize(1..lines.len());
        let mut changed = lines.clone();
        match round % 4 {
            0 => drop(changed.remove(at)),
            1 => changed.insert(random.usize(1..lines.len()), lines[at].clone()),
            2 => changed[at] = lines[at].replacen(":", ":9", 1),
            _ => changed.swap(at, random.usize(1..lines.len())),
        }
        let changed = text(&changed);
        let read = any(changed.as_bytes());
        for threads in [1, 2, 4] {
            let plain = plain_on(threads, changed.as_bytes());
            assert!(plain.is_none_or(|plain| Ok(plain) == read), "{threads} threads");
        }
    }
}
