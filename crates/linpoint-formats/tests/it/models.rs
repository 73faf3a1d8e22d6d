//! Every bundled model: reads an operation of each kind, and names what does not fit.

use linpoint::OpId;
use linpoint_formats::{LoadedHistory, ReadError, Source, registry};

/// A sequential history; each line is the body of an operation.
fn load(header: &str, ops: &[&str]) -> Result<LoadedHistory, ReadError> {
    let mut text = format!("{{\"linpoint\":1,{header}}}\n");
    for (i, op) in ops.iter().enumerate() {
        text += &format!("{{{op},\"start\":{},\"end\":{}}}\n", 10 * i, 10 * i + 5);
    }
    registry::read(&Source::new("h", text), None)
}

#[track_caller]
fn words(header: &str, ops: &[&str]) -> Vec<String> {
    let history = load(header, ops).unwrap_or_else(|e| panic!("{e}"));
    let ids = (0..history.len() as u32).map(OpId);
    ids.map(|id| format!("{} {}", history.op(id), history.ret(id).unwrap_or("?".into()))).collect()
}

#[track_caller]
fn refused(header: &str, op: &str, expected: &str) {
    let message = load(header, &[op]).err().map(|e| e.message().to_owned());
    assert_eq!(message.as_deref(), Some(expected));
}

#[test]
fn registers() {
    let ops = [r#""op":"write","args":[3]"#, r#""op":"read","value":null"#, r#""op":"read""#];
    assert_eq!(words(r#""model":"register""#, &ops), ["write(3) ok", "read() null", "read() ?"]);
    let ops =
        [r#""op":"cas","args":[1,2],"value":false"#, r#""op":"write","args":[1],"value":"ok""#];
    assert_eq!(
        words(r#""model":"cas-register:initial=0""#, &ops),
        ["cas(1, 2) false", "write(1) ok"]
    );
    let ops = [r#""op":"swap","args":["x"],"value":0"#];
    assert_eq!(words(r#""model":"rmw","initial":0"#, &ops), ["swap(\"x\") 0"]);
    refused(
        r#""model":"cas-register""#,
        r#""op":"cas","args":[1]"#,
        "\"cas\" takes two arguments, not 1",
    );
    refused(
        r#""model":"cas-register""#,
        r#""op":"cas","args":[1,2],"value":"ok""#,
        "the result must be true or false, not a string: \"ok\"",
    );
}

#[test]
fn snapshots() {
    let header = r#""model":"snapshot","segments":2"#;
    let ops = [r#""op":"update","args":[1,"a"]"#, r#""op":"scan","value":[{"unknown":true},"a"]"#];
    assert_eq!(words(header, &ops), ["update(1, \"a\") ok", "scan() [?, \"a\"]"]);
    refused(
        header,
        r#""op":"update","args":[2,0]"#,
        "the argument must be a segment below 2, not a number: 2",
    );
    refused(
        header,
        r#""op":"scan","value":[1,2,3]"#,
        "the result must be a list of 2 values, not a list: [1, 2, 3]",
    );
    refused(r#""model":"snapshot""#, r#""op":"scan""#, "a snapshot needs the option \"segments\"");
}

#[test]
fn containers() {
    let ops = [
        r#""op":"enqueue","args":[1]"#,
        r#""op":"dequeue","value":null"#,
        r#""op":"peek","value":1"#,
    ];
    assert_eq!(words(r#""model":"queue""#, &ops), ["enqueue(1) ok", "dequeue() empty", "peek() 1"]);
    // With a capacity, an enqueue has two possible results, so a missing result is unknown.
    let ops = [r#""op":"enqueue","args":[1]"#, r#""op":"enqueue","args":[2],"value":"full""#];
    let bounded = load(r#""model":"queue:capacity=1""#, &ops).map_err(|e| e.to_string()).unwrap();
    assert_eq!((bounded.ret(OpId(0)), bounded.ret(OpId(1))), (None, Some("full".into())));
    assert_eq!(bounded.unknown_results(), 1);
    let ops =
        [r#""op":"push","args":[1]"#, r#""op":"pop","value":1"#, r#""op":"peek","value":null"#];
    assert_eq!(words(r#""model":"stack""#, &ops), ["push(1) ok", "pop() 1", "peek() empty"]);
    let ops = [
        r#""op":"push_front","args":[1]"#,
        r#""op":"push_back","args":[2],"value":true"#,
        r#""op":"pop_front","value":1"#,
        r#""op":"pop_back","value":2"#,
        r#""op":"peek_front","value":null"#,
        r#""op":"peek_back","value":null"#,
    ];
    assert_eq!(words(r#""model":"deque""#, &ops).len(), 6);
    let ops =
        [r#""op":"insert","args":[1]"#, r#""op":"poll","value":1"#, r#""op":"peek","value":null"#];
    assert_eq!(
        words(r#""model":"priority-queue:min""#, &ops),
        ["insert(1) ok", "poll() 1", "peek() empty"]
    );
    let ops = [
        r#""op":"insert","args":[1],"value":true"#,
        r#""op":"remove","args":[1],"value":true"#,
        r#""op":"contains","args":[1]"#,
    ];
    assert_eq!(
        words(r#""model":"set""#, &ops),
        ["insert(1) true", "remove(1) true", "contains(1) ?"]
    );
    let ops = [r#""op":"add","args":[1]"#, r#""op":"remove","value":1"#];
    assert_eq!(words(r#""model":"bag""#, &ops), ["add(1) ok", "remove() 1"]);
    refused(
        r#""model":"queue""#,
        r#""op":"enqueue","args":[null]"#,
        "the argument must be a value other than null, not null",
    );
    refused(
        r#""model":"queue:capacity=-1""#,
        r#""op":"peek""#,
        "the option \"capacity\" must be a whole number from 0 on, not -1",
    );
    refused(
        r#""model":"priority-queue:min,max""#,
        r#""op":"peek""#,
        "a priority queue is min or max, not both",
    );
}

#[test]
fn locks_and_counters() {
    let ops = [
        r#""op":"acquire","process":4"#,
        r#""op":"release","process":4"#,
        r#""op":"try_acquire","value":true"#,
    ];
    assert_eq!(
        words(r#""model":"mutex""#, &ops),
        ["acquire() ok", "release() ok", "try_acquire() true"]
    );
    assert_eq!(words(r#""model":"mutex:owner""#, &ops)[0], "acquire() by 4 ok");
    assert_eq!(words(r#""model":"semaphore:initial=2""#, &ops).len(), 3);
    let ops = [
        r#""op":"add","args":[2]"#,
        r#""op":"fetch_add","args":[-1],"value":2"#,
        r#""op":"get","value":1"#,
    ];
    assert_eq!(words(r#""model":"counter""#, &ops), ["add(2) ok", "fetch_add(-1) 2", "get() 1"]);
    refused(
        r#""model":"counter""#,
        r#""op":"add","args":["1"]"#,
        "the argument must be a whole number, not a string: \"1\"",
    );
    refused(
        r#""model":"mutex:owner=3""#,
        r#""op":"acquire""#,
        "the option \"owner\" must be true or false, not 3",
    );
}

#[test]
fn stores_and_banks() {
    let ops = [
        r#""op":"get","args":["k"],"value":null"#,
        r#""op":"put","args":["k",1]"#,
        r#""op":"append","args":["k","x"]"#,
        r#""op":"delete","args":["k"]"#,
        r#""op":"remove","args":["k"],"value":null"#,
        r#""op":"get_or_else_update","args":["k",2],"value":2"#,
        r#""op":"compare_and_set","args":["k",null,3],"value":false"#,
    ];
    assert_eq!(words(r#""model":"kv""#, &ops).len(), 7);
    refused(
        r#""model":"kv""#,
        r#""op":"append","args":["k",1]"#,
        "the argument must be a string or a list, not a number: 1",
    );
    let ops = [
        r#""op":"read","args":["x"],"value":0"#,
        r#""op":"write","args":["x",1]"#,
        r#""op":"txn","args":[[["read","x"],["write","y",2],["read","y"]]],"value":[1,2]"#,
    ];
    let header = r#""model":"multi-register","initial":{"x":0,"y":0}"#;
    assert_eq!(
        words(header, &ops),
        [
            "read(\"x\") 0",
            "write(\"x\", 1) ok",
            "[read(\"x\"), write(\"y\", 2), read(\"y\")] [1, 2]"
        ]
    );
    refused(
        header,
        r#""op":"txn","args":[[["reed","x"]]]"#,
        "the argument must be a list of [\"read\", key] and [\"write\", key, value], not a list: [[\"reed\", \"x\"]]",
    );
    refused(
        header,
        r#""op":"txn","args":[[["read","x"],["read","y"]]],"value":[1]"#,
        "the result must be a list of 2 values, one for each read, not a list: [1]",
    );
    let header = r#""model":"bank","accounts":{"a":5,"b":0}"#;
    let ops = [
        r#""op":"transfer","args":["a","b",2],"value":true"#,
        r#""op":"read_all","value":{"a":3,"b":2}"#,
    ];
    assert_eq!(
        words(header, &ops),
        ["transfer(\"a\", \"b\", 2) true", "read_all() {\"a\": 3, \"b\": 2}"]
    );
    refused(r#""model":"bank""#, r#""op":"read_all""#, "a bank needs the option \"accounts\"");
}

#[test]
fn every_model_is_listed_once_with_its_operations() {
    let mut names: Vec<&str> = registry::models().map(|model| model.name).collect();
    let listed = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), listed);
    assert!(["register", "queue", "max-register", "java"].iter().all(|name| names.contains(name)));
    assert!(registry::models().all(|model| !model.operations.is_empty()));
}

#[test]
fn processes_that_are_numbers_keep_them() {
    let ops = [r#""op":"read","process":70"#, r#""op":"read","process":3"#, r#""op":"read""#];
    let history = load(r#""model":"register""#, &ops).map_err(|e| e.to_string()).unwrap();
    let of = |id| (history.process(OpId(id)), history.client(OpId(id)));
    assert_eq!(of(0), (Some(70), Some("client 70".into())));
    assert_eq!(of(1), (Some(3), Some("client 3".into())));
    assert_eq!(of(2), (None, None));
    let ops = [r#""op":"read","process":70"#, r#""op":"read","process":"ann""#];
    let history = load(r#""model":"register""#, &ops).map_err(|e| e.to_string()).unwrap();
    assert_eq!((history.process(OpId(0)), history.process(OpId(1))), (Some(0), Some(1)));
    assert_eq!(history.client(OpId(1)).as_deref(), Some("ann"));
}

#[test]
fn collections_of_java() {
    let header =
        r#""model":"java","class":"java.util.concurrent.ArrayBlockingQueue","arguments":[2]"#;
    let ops = [
        r#""op":"offer","args":[1],"value":true"#,
        r#""op":"addAll","args":[["a",null]],"value":"java.lang.NullPointerException""#,
        r#""op":"toArray","value":[1,"a"]"#,
        r#""op":"toString","value":"[1, a]""#,
        r#""op":"clear""#,
        r#""op":"remove","value":null"#,
    ];
    let expected = [
        "offer(1) true",
        "addAll([a, null]) java.lang.NullPointerException",
        "toArray() [1,a]",
        "toString() [1, a]",
        "clear() done",
        "remove() null",
    ];
    assert_eq!(words(header, &ops), expected);
    let map = r#""model":"java:class=ConcurrentHashMap""#;
    let ops = [r#""op":"putAll","args":[{"10":1,"9":2}]"#, r#""op":"keySet","value":[9,10]"#];
    assert_eq!(words(map, &ops), ["putAll({9=2, 10=1}) done", "keySet() [9, 10]"]);
    refused(
        header,
        r#""op":"drainTo","args":[[]]"#,
        "unknown method \"drainTo\" of the Java class ArrayBlockingQueue",
    );
    refused(
        header,
        r#""op":"offer","args":[1,2]"#,
        "ArrayBlockingQueue has no method \"offer\" with 2 arguments",
    );
    refused(
        header,
        r#""op":"offer","args":[3000000000]"#,
        "offer: 3000000000 is not a 32-bit Integer of Java",
    );
    refused(
        header,
        r#""op":"offer","args":["null"]"#,
        "offer: the String \"null\" would print like another result of Java",
    );
    refused(
        map,
        r#""op":"size","args":[1]"#,
        "ConcurrentHashMap has no method \"size\" with one argument",
    );
    for (header, message) in [
        (r#""model":"java""#, "the model \"java\" needs a class"),
        (r#""model":"java:class=Vector""#, "there is no specification of the Java class Vector"),
        (
            r#""model":"java","class":"ArrayBlockingQueue""#,
            "the constructor ArrayBlockingQueue() is not known",
        ),
        (
            r#""model":"java","class":"ArrayBlockingQueue","arguments":[0]"#,
            "the constructor ArrayBlockingQueue(0) is not known",
        ),
    ] {
        refused(header, r#""op":"size""#, message);
    }
}
