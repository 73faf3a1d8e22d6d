//! The fast path and the reader of the format agree.

use super::*;
use crate::Source;

/// Everything about a history besides its operations.
fn head(history: &RawHistory) -> String {
    let RawHistory { format, id, model, note, ties, processes, objects, .. } = history;
    format!("{format:?} {id:?} {model:?} {note:?} {ties:?} {processes:?} {objects:?}")
}

/// A history as a list of texts, if it is plain.
fn plain(text: &[u8]) -> Option<Vec<String>> {
    let mut input = text;
    let (mut history, stream) = Stream::open(&mut input, None)?;
    let mut ops = Vec::new();
    let each: Each<'_> = &mut |op| {
        ops.push(format!("{op:?}"));
        true
    };
    stream.read(&mut history, each).ok()?;
    ops.insert(0, head(&history));
    Some(ops)
}

/// The same from the reader of the format.
fn any(text: &[u8]) -> Result<Vec<String>, String> {
    let source = Source::new("h", text);
    let format = Format::detect(&source).map_err(|error| error.to_string())?;
    let history = format.read(&source, None).remove(0).map_err(|error| error.to_string())?;
    Ok([head(&history)].into_iter().chain(history.ops.iter().map(|op| format!("{op:?}"))).collect())
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
        "\"value\":{\"unknown\":true}",
        "\"value\":{\"unknown\":false}",
        "\"value\":-0",
        "\"value\":00",
        "\"value\":9223372036854775807",
    ];
    let mut same = 0;
    for code in 0..members.len().pow(4) {
        let digit = |i: u32| members[code / members.len().pow(i) % members.len()];
        let line = [digit(0), digit(1), digit(2), digit(3)].join(",");
        let text = format!("{{\"linpoint\":1}}\n{{{line}}}\n");
        if let Some(here) = plain(text.as_bytes()) {
            assert_eq!(any(text.as_bytes()), Ok(here), "{text}");
            same += 1;
        }
    }
    assert!(same > 200, "{same}");
}

#[test]
fn long_files_are_read_in_blocks() {
    use std::fmt::Write;
    let mut text = String::from("{\"linpoint\":1,\"model\":\"register\",\"initial\":0}\n");
    for i in 0..30_000 {
        let _ = writeln!(
            text,
            "{{\"process\":{},\"op\":\"write\",\"args\":[{i}],\"start\":{i}}}",
            i % 7
        );
    }
    assert_eq!(plain(text.as_bytes()), any(text.as_bytes()).ok());
    assert_eq!(plain(text.as_bytes()).map(|ops| ops.len()), Some(30_001));
}
