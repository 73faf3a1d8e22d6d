//! Logs of other programs, with a map.

use std::fs;

use crate::support::{OK, dir, exits, linpoint, linpoint_reading};

/// What the Go service of docs/mapping.md logs.
const LOG: &str = r#"{"client":3,"op":"incr","key":"x","t0_ns":100,"t1_ns":180,"result":1}
{"client":4,"op":"incr","key":"x","t0_ns":120,"t1_ns":200,"result":2}
{"client":3,"op":"get","key":"x","t0_ns":210,"t1_ns":250,"result":2}
{"client":4,"op":"incr","key":"y","t0_ns":215,"t1_ns":260,"result":1}
"#;
const MAP: &str =
    "op.incr=add_fetch(1),object=key,process=client,start=t0_ns,end=t1_ns,value=result";

#[test]
fn a_log_of_a_service_is_checked_with_one_command_line() {
    let dir = dir("map");
    fs::write(dir.join("service.log"), LOG).unwrap();
    let (out, err) =
        exits(&linpoint(&dir, &["check", "--model", "counter", "--map", MAP, "service.log"]), 0);
    assert!(out.starts_with("✓ service.log  linearizable  counter, 4 operations, "), "{out}");
    assert_eq!(err, "");
    // The second increment is lost.
    let bad = LOG.replace("\"result\":2", "\"result\":1");
    let (out, _) = exits(
        &linpoint_reading(&dir, &["check", "--model", "counter", "--map", MAP, "-"], &bad),
        1,
    );
    assert!(out.contains("client 4") && out.contains("x: add_fetch(1) -> 1"), "{out}");
    // Other commands read it too.
    for command in ["plan", "stats"] {
        exits(&linpoint(&dir, &[command, "--model", "counter", "--map", MAP, "service.log"]), 0);
    }
    let convert = [
        "convert",
        "--to",
        "jsonl",
        "--model",
        "counter",
        "--map",
        MAP,
        "service.log",
        "-o",
        "own.jsonl",
    ];
    exits(&linpoint(&dir, &convert), 0);
    exits(&linpoint(&dir, &["check", "own.jsonl"]), 0);
}

#[test]
fn maps_in_files() {
    let dir = dir("map-files");
    fs::write(dir.join("a.log"), LOG).unwrap();
    let map = "process = \"client\"\nobject = \"key\"\nstart = \"t0_ns\"\nend = \"t1_ns\"\nvalue = \"result\"\n\n[ops]\nincr = \"add_fetch(1)\"\n";
    fs::write(dir.join("map.toml"), map).unwrap();
    exits(&linpoint(&dir, &["check", "--model", "counter", "--map-file", "map.toml", "a.log"]), 0);
    let config =
        format!("[[histories]]\nfiles = \"*.log\"\nmodel = \"counter\"\nmap = \"{MAP}\"\n");
    fs::write(dir.join("linpoint.toml"), config).unwrap();
    exits(&linpoint(&dir, &["check", "a.log"]), 0);
    let table = map.replace("[ops]", "[histories.map.ops]");
    let config =
        format!("[[histories]]\nfiles = \"*.log\"\nmodel = \"counter\"\n[histories.map]\n{table}");
    fs::write(dir.join("linpoint.toml"), config).unwrap();
    exits(&linpoint(&dir, &["check", "a.log"]), 0);
    // A part of the map on the command line.
    fs::write(dir.join("linpoint.toml"), "").unwrap();
    fs::write(dir.join("part.toml"), map.replace("process = \"client\"\n", "")).unwrap();
    let args = [
        "check",
        "--model",
        "counter",
        "--map-file",
        "part.toml",
        "--map",
        "process=client",
        "a.log",
    ];
    exits(&linpoint(&dir, &args), 0);
    for (file, message) in [
        ("strat = \"t0\"\n", "unknown field `strat`"),
        ("start = 3\n", "invalid type"),
        ("time = \"hours\"\n", "time=hours is not a unit"),
        ("[ops]\nincr = \"add_fetch(1\"\n", "no closing parenthesis"),
    ] {
        fs::write(dir.join("bad.toml"), file).unwrap();
        let (_, err) = exits(&linpoint(&dir, &["check", "--map-file", "bad.toml", "a.log"]), 2);
        assert!(err.contains("bad.toml: ") && err.contains(message), "{err}");
    }
    let (_, err) = exits(&linpoint(&dir, &["check", "--map-file", "none.toml", "a.log"]), 2);
    assert!(err.contains("none.toml: no such file"), "{err}");
}

#[test]
fn tables() {
    let dir = dir("map-tables");
    let csv = "client,op,key,val,t0,t1,result\n3,put,\"a,b\",7,0.001,0.002,\n4,get,\"a,b\",,0.0015,0.004,7\n";
    fs::write(dir.join("t.csv"), csv).unwrap();
    let map = "op.put=put(key,val),op.get=get(key),process=client,start=t0:s,end=t1:s,value=result";
    let args = ["check", "--model", "kv", "--map", map, "t.csv"];
    let (out, _) = exits(&linpoint(&dir, &args), 0);
    assert!(out.contains("kv, 2 operations"), "{out}");
    fs::write(dir.join("t.tsv"), csv.replace("\"a,b\"", "a-b").replace(',', "\t")).unwrap();
    exits(&linpoint(&dir, &["check", "--model", "kv", "--map", map, "t.tsv"]), 0);
    let (_, err) = exits(
        &linpoint(
            &dir,
            &["check", "--model", "kv", "--map", &map.replace("op.get=get(key),", ""), "t.csv"],
        ),
        2,
    );
    // Without a template, a get has no arguments, and its key would be lost.
    assert!(err.contains("t.csv:3:7: \"key\" has a value, but get does not use it"), "{err}");
    fs::write(dir.join("wrong.csv"), csv.replace("get", "gte")).unwrap();
    let (_, err) = exits(
        &linpoint(
            &dir,
            &["check", "--model", "kv", "--map", &map.replace("op.get", "op.gte"), "wrong.csv"],
        ),
        0,
    );
    assert_eq!(err, "");
    let (_, err) = exits(
        &linpoint(
            &dir,
            &["check", "--model", "kv", "--map", &format!("{map},ignore=key"), "wrong.csv"],
        ),
        2,
    );
    assert!(err.contains("wrong.csv:3:3: unknown operation \"gte\""), "{err}");
}

#[test]
fn several_objects_have_models_of_their_own() {
    let dir = dir("map-composite");
    let log = r#"{"op":"put","args":["a",1],"process":1,"start":0,"end":10}
{"op":"fetch_add","args":[1],"process":2,"start":0,"end":10,"value":0}
{"op":"kv.get","args":["a"],"process":1,"start":11,"end":20,"value":1}
{"op":"counter.get","process":2,"start":11,"end":20,"value":1}
"#;
    fs::write(dir.join("a.log"), log).unwrap();
    let args = ["check", "--model", "kv+counter", "--format", "json"];
    let (out, _) = exits(&linpoint(&dir, &[&args[..], &["a.log"]].concat()), 0);
    assert!(out.contains("a.log#kv  linearizable  kv, 2 operations"), "{out}");
    assert!(out.contains("a.log#counter  linearizable  counter, 2 operations"), "{out}");
    assert!(out.contains("2 histories: 2 linearizable, 0 not; 4 operations"), "{out}");
    // Only the counter is wrong.
    let bad = log.replace(
        "\"process\":2,\"start\":11,\"end\":20,\"value\":1",
        "\"process\":2,\"start\":11,\"end\":20,\"value\":0",
    );
    let (out, _) = exits(&linpoint_reading(&dir, &[&args[..], &["-"]].concat(), &bad), 1);
    assert!(
        out.contains("<stdin>#counter  NOT LINEARIZABLE")
            && out.contains("<stdin>#kv  linearizable"),
        "{out}"
    );
    assert!(out.contains("(line 4)"), "{out}");
    let ambiguous = log.replace("kv.get", "get");
    let (_, err) = exits(&linpoint_reading(&dir, &[&args[..], &["-"]].concat(), &ambiguous), 2);
    assert!(
        err.contains("<stdin>:3:7: \"get\" is an operation of several components: kv, counter"),
        "{err}"
    );
    assert!(err.contains("write kv.get"), "{err}");
    let unknown = log.replace("kv.get", "gett");
    let (_, err) = exits(&linpoint_reading(&dir, &[&args[..], &["-"]].concat(), &unknown), 2);
    assert!(
        err.contains("no component has the operation \"gett\"")
            && err.contains("did you mean \"get\""),
        "{err}"
    );
    for (model, message) in
        [("kv+conter", "unknown model \"conter\""), ("kv+kv", "a name of its own")]
    {
        let (_, err) = exits(&linpoint(&dir, &["check", "--model", model, "a.log"]), 2);
        assert!(err.contains(message), "{err}");
    }
}

#[test]
fn a_field_names_the_object() {
    let dir = dir("map-object-field");
    let log = r#"{"table":"users","op":"write","args":[1],"process":1,"start":0,"end":10}
{"table":"hits","op":"add","args":[2],"process":1,"start":11,"end":20}
{"table":"users","op":"read","process":1,"start":21,"end":30,"value":1}
{"table":"hits","op":"get","process":1,"start":31,"end":40,"value":2}
"#;
    fs::write(dir.join("a.log"), log).unwrap();
    let model = "users=register+hits=counter";
    let args = ["check", "--model", model, "--object-field", "table", "a.log"];
    let (out, _) = exits(&linpoint(&dir, &args), 0);
    assert!(out.contains("a.log#users  linearizable  register, 2 operations"), "{out}");
    assert!(out.contains("a.log#hits  linearizable  counter, 2 operations"), "{out}");
    // linpoint's own format names objects itself.
    let own = log.replace("table", "object");
    let own = format!("{{\"linpoint\":1,\"model\":\"{model}\"}}\n{own}");
    let (out, _) = exits(&linpoint_reading(&dir, &["check", "-"], &own), 0);
    assert!(out.contains("#users  linearizable") && out.contains("#hits  linearizable"), "{out}");
    // One component can be converted and shrunk.
    let convert = [
        "convert",
        "--to",
        "jsonl",
        "--model",
        model,
        "--object-field",
        "table",
        "--id",
        "hits",
        "a.log",
    ];
    let (out, _) = exits(&linpoint(&dir, &convert), 0);
    assert!(out.contains("\"model\":\"counter\"") && !out.contains("write"), "{out}");
    let (_, err) = exits(&linpoint_reading(&dir, &["check", "--object-field", "x", "-"], OK), 2);
    assert!(err.contains("needs no map"), "{err}");
    for command in ["watch", "gen"] {
        let file = if command == "watch" { vec!["-"] } else { vec![] };
        let args = [&[command, "--model", model][..], &file].concat();
        let (_, err) = exits(&linpoint_reading(&dir, &args, "{\"linpoint\":1}\n"), 2);
        assert!(err.contains("are not one model"), "{command}: {err}");
    }
}

#[test]
fn bad_maps_are_bad_usage() {
    let dir = dir("map-bad");
    fs::write(dir.join("a.log"), LOG).unwrap();
    for (map, message) in [
        ("strat=t0_ns", "a map has no target \"strat\"; did you mean \"start\"?"),
        ("process", "is not TARGET=FIELD"),
        ("process=a,process=b", "process is mapped twice"),
        ("op.x=y,op.x=z", "op.x is mapped twice"),
        ("outcome.x=maybe", "an outcome is return, fail or info"),
        ("op.x=f(1", "no closing parenthesis"),
        ("op.x=f(-)", "is not JSON"),
        ("time=years", "time=years is not a unit"),
        ("start=", "start= needs the name of a field"),
        ("key.x=y", "only op, outcome and event have names"),
    ] {
        let (_, err) =
            exits(&linpoint(&dir, &["check", "--model", "counter", "--map", map, "a.log"]), 2);
        assert!(err.contains(message), "{map}: {err}");
    }
}
