use super::*;
use crate::raw::Clock;

fn history(text: &str, map: &str) -> Result<RawHistory, String> {
    let map = Mapping::parse(map).map_err(|error| error.to_string())?;
    read(&Source::new("a.log", text), None, &map).map_err(|error| error.to_string())
}

fn words(text: &str, map: &str) -> Vec<String> {
    let history = history(text, map).unwrap();
    let client =
        |process: Option<u32>| process.map(|p| history.processes[&p].bare()).unwrap_or_default();
    let object =
        |object: Option<u32>| object.map(|o| format!("{}: ", history.objects[o as usize].bare()));
    let word = |op: crate::raw::RawOp<'_>| {
        let args: Vec<String> = op.args.iter().map(Value::to_string).collect();
        let end = op.end.map_or("never".to_owned(), |end| end.to_string());
        let result = op.result.map_or("?".to_owned(), Value::to_string);
        let object = object(op.extras.object).unwrap_or_default();
        format!(
            "{} {object}{}({}) {}-{end} {result}",
            client(op.extras.process),
            op.name,
            args.join(", "),
            op.start
        )
    };
    history.ops.iter().map(word).collect()
}

fn first_line(text: &str, map: &str) -> String {
    history(text, map)
        .err()
        .unwrap_or_else(|| panic!("{text} is fine"))
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn fields_are_mapped() {
    let text =
        "{\"client\":3,\"op\":\"incr\",\"key\":\"x\",\"t0_ns\":5,\"t1_ns\":9,\"result\":7}\n";
    let map = "op.incr=add_fetch(1),object=key,process=client,start=t0_ns,end=t1_ns,value=result";
    assert_eq!(words(text, map), ["3 x: add_fetch(1) 5-9 7"]);
    // Fields with linpoint's own names need no entry, and whole lists of arguments are arguments.
    let text = "{\"op\":\"put\",\"args\":[\"k\",null],\"process\":\"p\",\"start\":1,\"end\":2}";
    assert_eq!(words(text, ""), ["p put(\"k\", null) 1-2 ?"]);
    // Arguments in several fields, constants, names with signs in them.
    let text = "{\"op\":\"cas\",\"a,b\":1,\"new\":[2],\"start\":1}";
    assert_eq!(words(text, "args=\"a,b\"+new"), [" cas(1, [2]) 1-never ?"]);
    assert_eq!(
        words("{\"op\":\"x\",\"k\":1,\"start\":1}", "op.x=put(k,\"v\",null,[1,2])"),
        [" put(1, \"v\", null, [1, 2]) 1-never ?"]
    );
    assert_eq!(
        words("{\"op\":\"x\",\"all\":[1,2],\"start\":1}", "args=all..."),
        [" x(1, 2) 1-never ?"]
    );
}

#[test]
fn times_have_units() {
    let times = |map: &str, start: &str, end: &str| -> Result<(u64, Option<u64>), String> {
        let text = format!("{{\"op\":\"x\",\"a\":{start},\"b\":{end}}}");
        let history = history(&text, map)?;
        let op = history.ops.iter().next().map(|op| (op.start, op.end));
        op.ok_or("no operation".to_owned())
    };
    assert_eq!(times("start=a:ms,end=b:us", "1.5", "1500"), Ok((1_500_000, Some(1_500_000))));
    assert_eq!(
        times("start=a,end=b,time=s", "1763496539.000000001", "1763496540"),
        Ok((1_763_496_539_000_000_001, Some(1_763_496_540_000_000_000)))
    );
    assert_eq!(
        times(
            "start=a,end=b,time=rfc3339",
            "\"1970-01-01T00:00:01Z\"",
            "\"1970-01-01T01:00:02+01:00\""
        ),
        Ok((1_000_000_000, Some(2_000_000_000)))
    );
    // Dates are known to count since 1970; numbers are not.
    let clock = |map: &str, start: &str| {
        let text = format!("{{\"op\":\"x\",\"a\":{start}}}");
        let history = history(&text, map).unwrap();
        (history.unit.map(|unit| unit.name()), history.since_1970)
    };
    assert_eq!(clock("start=a:rfc3339", "\"2026-11-18T20:08:59Z\""), (Some("ns"), true));
    // Times before 1970 are counted from the first of them.
    assert_eq!(clock("start=a:rfc3339", "\"1969-11-18T20:08:59Z\""), (Some("ns"), false));
    assert_eq!(clock("start=a:s", "1763496539"), (Some("ns"), false));
    assert_eq!(clock("start=a", "1763496539"), (None, false));
    // Without a unit, whole numbers stay as they are.
    assert_eq!(times("start=a,end=b", "5", "\"9\""), Ok((5, Some(9))));
    assert_eq!(times("start=a,end=b", "5.5", "9"), Ok((5_500_000_000, Some(9_000_000_000))));
    assert_eq!(times("start=a,end=b", "-5", "9"), Ok((0, Some(14))));
    assert_eq!(times("start=a,end=b", "5", "null"), Ok((5, None)));
    assert_eq!(
        times("start=a:s,duration=b:ms", "1", "20"),
        Ok((1_000_000_000, Some(1_020_000_000)))
    );
    assert_eq!(times("end=a:s,duration=b:ms", "1", "20"), Ok((980_000_000, Some(1_000_000_000))));
    assert_eq!(times("start=a,end=b", "18446744073709551615", "null"), Ok((u64::MAX, None)));
    for (map, start, end, message) in [
        ("start=a,end=b", "9", "5", "the operation ends before it starts"),
        ("start=a:s,end=b", "9", "5", "end=b needs a unit too"),
        ("start=a,duration=b", "9", "-5", "the duration is negative"),
        ("start=a,end=b", "\"now\"", "5", "\"now\" is not a time"),
        ("start=a,end=b", "\"2026-11-18T20:08:59Z\"", "5", "is a date: say time=rfc3339"),
        ("start=a,end=b", "0", "1e27", "too far apart"),
        (
            "start=a_ms,end=b_us",
            "9",
            "5",
            "seem to have different units: say which, as in start=a_ms:ms,end=b_us:us",
        ),
        ("start=a,end=b,duration=c", "9", "5", "two of them are enough"),
    ] {
        let error = times(map, start, end).unwrap_err();
        assert!(error.contains(message), "{map}: {error}");
    }
}

#[test]
fn outcomes() {
    let lines = |outcomes: &[&str]| -> String {
        let line =
            |o: &&str| format!("{{\"op\":\"x\",\"start\":1,\"end\":2,\"value\":3,\"err\":{o}}}\n");
        outcomes.iter().map(line).collect()
    };
    let map = "outcome=err,outcome.null=return,outcome.refused=fail,outcome.*=info";
    assert_eq!(
        words(&lines(&["null", "\"refused\"", "\"timeout\"", "500"]), map),
        [" x() 1-2 3", " x() 1-never ?", " x() 1-never ?"]
    );
    assert_eq!(
        words("{\"op\":\"x\",\"start\":1,\"ok\":true,\"end\":4}", "outcome=ok,outcome.true=return"),
        [" x() 1-4 ?"]
    );
    assert_eq!(
        first_line(&lines(&["\"timeout\""]), "outcome=err"),
        "a.log:1:45: the outcome \"timeout\" is not mapped"
    );
    assert!(
        first_line(&lines(&["null"]), "outcome=err").contains("does not say which outcome that is")
    );
    assert!(
        first_line(&lines(&["null"]), "outcome.x=info")
            .contains("outcome.NAME needs outcome=FIELD")
    );
}

#[test]
fn events() {
    let text = "\
{\"ev\":\"start\",\"who\":1,\"op\":\"write\",\"v\":5}
{\"ev\":\"start\",\"who\":2,\"op\":\"read\"}
{\"ev\":\"done\",\"who\":1}
{\"ev\":\"done\",\"who\":2,\"op\":\"read\",\"r\":5}
{\"ev\":\"start\",\"who\":1,\"op\":\"write\",\"v\":6}
{\"ev\":\"lost\",\"who\":1}
{\"ev\":\"start\",\"who\":1,\"op\":\"write\",\"v\":7}
{\"ev\":\"refused\",\"who\":1}";
    let map = "event=ev,event.start=call,event.done=return,event.lost=info,event.refused=fail,process=who,args=v,value=r";
    assert_eq!(words(text, map), ["1 write(5) 1-3 ?", "2 read() 2-4 5", "1 write(6) 5-never ?"]);
    assert_eq!(history(text, map).unwrap().clock, Clock::Order);
    // By id, several at a time.
    let text = "{\"event\":\"call\",\"n\":1,\"op\":\"x\"}\n{\"event\":\"call\",\"n\":2,\"op\":\"y\"}\n{\"event\":\"return\",\"n\":1}";
    assert_eq!(words(text, "event=event,id=n"), [" x() 1-3 ?", " y() 2-never ?"]);
    for (text, map, message) in [
        (
            "{\"event\":\"call\",\"op\":\"x\"}",
            "event=event",
            "a.log:1:10: neither an id nor a process says which operation this is",
        ),
        (
            "{\"event\":\"ret\",\"process\":1}",
            "event=event",
            "a.log:1:10: the event \"ret\" is not mapped",
        ),
        (
            "{\"event\":\"return\",\"process\":1}",
            "event=event",
            "a.log:1:10: no operation with process 1 is open",
        ),
        (
            "{\"event\":\"call\",\"process\":1,\"op\":\"x\",\"value\":3}",
            "event=event",
            "a.log:1:46: the line of a call has a result",
        ),
        (
            "{\"event\":\"call\",\"n\":1,\"op\":\"x\"}\n{\"event\":\"call\",\"n\":1,\"op\":\"x\"}",
            "event=event,id=n",
            "a.log:2:10: a second call with id 1; the first is on line 1",
        ),
        (
            "{\"event\":\"call\",\"process\":1,\"op\":\"x\"}\n{\"event\":\"return\",\"process\":1,\"op\":\"y\"}",
            "event=event",
            "a.log:2:36: process 1 ends \"y\", but has called \"x\" on line 1",
        ),
        (
            "{\"event\":\"call\",\"process\":1,\"op\":\"x\"}\n{\"event\":\"call\",\"process\":1,\"op\":\"x\"}",
            "event=event",
            "a.log:2:34: process 1 calls while its \"x\" from line 1 is still open",
        ),
    ] {
        assert_eq!(first_line(text, map), message, "{text}");
    }
    assert!(first_line("{}", "event=e,start=s").contains("event and start are both mapped"));
    assert!(first_line("{}", "id=s").contains("need event=FIELD"));
}

#[test]
fn nothing_is_lost_silently() {
    let line = "{\"op\":\"get\",\"key\":\"x\",\"start\":1,\"end\":2}";
    for (text, map, message) in [
        (line, "", "a.log:1:19: the map does not say what \"key\" is"),
        (
            line,
            "process=client,args=key,op.get=get()",
            "a.log:1:19: \"key\" has a value, but get does not use it",
        ),
        (line, "op.get=get(kye)", "a.log:1:19: the map does not say what \"key\" is"),
        (
            line,
            "op.get=get(kye),ignore=key",
            "a.log:1: the line has no field \"kye\", which the map takes as an argument of get",
        ),
        (
            line,
            "op=name,ignore=*",
            "a.log:1: the line has no field \"name\", which the map takes as op",
        ),
        (
            "{\"op\":\"x\"}",
            "",
            "a.log:1: the line has no field \"start\", and the map does not say where the start is",
        ),
        ("{\"op\":null,\"start\":1}", "", "a.log:1:7: \"op\" is empty; it is the op"),
        (
            "{\"op\":\"x\",\"args\":3,\"start\":1}",
            "",
            "a.log:1:18: \"args\" must be a list of arguments, not a number",
        ),
        (
            "{\"op\":\"x\",\"value\":1.5,\"start\":1,\"end\":2}",
            "",
            "a.log:1:19: numbers must be whole and fit into 64 bits with a sign; write others as strings: 1.5",
        ),
        (
            "{\"op\":\"x\",\"value\":1,\"start\":1}",
            "",
            "a.log:1:19: an operation without an end has no result",
        ),
        ("{\"op\":\"x\",\"op\":\"y\"}", "", "a.log:1:14: the key \"op\" appears twice"),
        ("{\"op\":\"x\",\"start\":1}\n[1]", "", "a.log:2:2: a line must be an object: {...}"),
        ("{\"op\":\"x\",\"start\":1}\n{\"op\":", "", "a.log:2:6: the file ends too early"),
        ("{\"op\":\"x\",\"start\":1,}", "", "a.log:1:21: key must be a string"),
        (
            "{\"linpoint\":1,\"model\":\"set\"}",
            "",
            "a.log:1:1: this file is in linpoint's own format, which needs no map",
        ),
    ] {
        assert_eq!(first_line(text, map), message, "{text} {map}");
    }
    let error = history(line, "op.get=get(key),process=x,strat=y").unwrap_err();
    assert!(error.contains("did you mean \"start\"?"), "{error}");
    let error = history("{\"clint\":1,\"op\":\"x\",\"start\":1}", "process=client").unwrap_err();
    assert!(error.contains("did you mean \"client\"?"), "{error}");
    // What is ignored, and what is skipped.
    assert_eq!(words(line, "ignore=key"), [" get() 1-2 ?"]);
    assert_eq!(words(line, "op.get=skip,ignore=*"), [""; 0]);
}

#[test]
fn objects_in_a_list_and_on_several_lines() {
    let text = "[\n {\"op\":\"a\",\"start\":1},\n {\"op\":\"b\",\n  \"start\":2,\n  \"bad\":3}]";
    assert_eq!(first_line(text, ""), "a.log:5:9: the map does not say what \"bad\" is");
    assert_eq!(words(text, "ignore=bad"), [" a() 1-never ?", " b() 2-never ?"]);
    let lines: Vec<u32> =
        history(text, "ignore=bad").unwrap().ops.iter().map(|op| op.line).collect();
    assert_eq!(lines, [2, 3]);
}

#[test]
fn tables() {
    let map = "op.put=put(key,val),op.get=get(key),process=client,start=t0,end=t1,value=result";
    let text = "client,op,key,val,t0,t1,result\n3,put,\"a\n\"\"b\",7,1,2,\n\n4,get,x,,3,,\n5,get,x,,3,4,\"\"\n";
    assert_eq!(
        words(text, map),
        ["3 put(\"a\\n\\\"b\", 7) 1-2 ?", "4 get(\"x\") 3-never ?", "5 get(\"x\") 3-4 \"\""]
    );
    assert_eq!(
        words("op\tstart\tend\tvalue\nx\t1\t2\ttrue\nx\t1\t2\t007\n", ""),
        [" x() 1-2 true", " x() 1-2 \"007\""]
    );
    assert_eq!(
        words("op,start,end,value\nx,1,2,NULL\ny,1,2,\n", "nil=NULL"),
        [" x() 1-2 null", " y() 1-2 ?"]
    );
    assert_eq!(words("op,start,end,value\ny,1,2,\n", "nil="), [" y() 1-2 null"]);
    for (text, message) in [
        ("op,start\nx", "a.log:2: this line has 1 fields, and the first line has 2"),
        ("op,op\n", "a.log:1:4: two columns have the name \"op\""),
        ("op,,start\n", "a.log:1:4: a column has no name: the first line names the columns"),
        ("op,start\n\"x\"y,1\n", "a.log:2:4: there is text after the closing quote of a field"),
        ("op,start\n\"x,1\n", "a.log:2:1: this quote is never closed"),
        ("op,start\nx,soon\n", "a.log:2:3: \"soon\" is not a time"),
        ("op,start,key\nx,1,a\n", "a.log:2:5: the map does not say what \"key\" is"),
    ] {
        assert_eq!(first_line(text, ""), message, "{text}");
    }
    let text = "client,op,key,val,t0,t1,result\n3,put,a,,1,2,\n";
    assert_eq!(
        first_line(text, map),
        "a.log:2:9: put needs \"val\" as an argument, and it is empty"
    );
}

/// Whatever a file and a map are, there is an answer.
#[test]
fn nothing_panics() {
    let texts = [
        "{\"client\":3,\"op\":\"incr\",\"key\":\"x\",\"t0\":100,\"t1\":1.8e2,\"result\":1}\n[{\"op\":\"x\",\"t0\":1}]",
        "client,op,key,t0,t1,result\n3,incr,\"a\"\"b\",1,2,\n",
    ];
    let map = "op.incr=add_fetch(1),object=key,process=client,start=t0:ms,end=t1:ms,value=result";
    let events = "event=op,process=client,args=key,id=t0,ignore=*";
    for text in texts {
        for at in 0..text.len() {
            for byte in *b"\0 \"[]{},:\n9-\\\xff" {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] = byte;
                for map in [map, events] {
                    let map = Mapping::parse(map).unwrap();
                    let _ = read(&Source::new("h", bytes.clone()), None, &map);
                    let _ = read(&Source::new("h", bytes[..at].to_vec()), None, &map);
                }
            }
        }
    }
    for at in 0..map.len() {
        for c in ['(', ')', ',', '=', '.', '"', ':', '+', '\u{e4}'] {
            let mut changed: String = map[..at].to_owned();
            changed.push(c);
            changed.push_str(&map[at..]);
            if let Ok(map) = Mapping::parse(&changed) {
                let _ = read(&Source::new("h", texts[0]), None, &map);
            }
        }
    }
}
