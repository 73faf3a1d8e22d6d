use super::*;
use crate::{Format, RawHistory};

/// Events from lines: `process type f value`.
fn edn(lines: &str) -> String {
    let event = |line: &str| {
        let mut words = line.trim().splitn(4, ' ');
        let (process, kind, f) =
            (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        let value = words.next().unwrap_or("nil");
        format!("{{:process {process} :type :{kind} :f :{f} :value {value}}}\n")
    };
    lines.lines().filter(|line| !line.trim().is_empty()).map(event).collect()
}

fn read(text: &str, choice: WorkloadChoice) -> Result<RawHistory, String> {
    let source = Source::new("h.edn", text);
    let read = Format::Edn.read_as(&source, None, choice, false).pop().unwrap();
    read.map_err(|error| error.to_string())
}

fn answer(workload: &str, lines: &str) -> JepsenAnswer {
    let choice = WorkloadChoice::Is(Workload::parse(workload).unwrap());
    *read(&edn(lines), choice).unwrap().jepsen.unwrap()
}

fn fact(answer: &JepsenAnswer, name: &str) -> String {
    let found = answer.facts.iter().find(|(key, _)| key == name);
    found.map_or("none".to_owned(), |(_, value)| value.to_string())
}

fn recognised(lines: &str) -> Option<String> {
    read(&edn(lines), WorkloadChoice::Recognise).ok()?.jepsen.map(|jepsen| jepsen.workload)
}

#[test]
fn workloads_are_recognised_by_their_operations() {
    for (lines, workload) in [
        ("0 invoke add 1\n0 ok add 1\n0 invoke read\n0 ok read 1", Some("counter")),
        ("0 invoke add 1\n0 ok add 1\n0 invoke add 1\n0 ok add 1", Some("counter")),
        ("0 invoke add 1\n0 ok add 1\n0 invoke read\n0 ok read [1]", Some("set")),
        ("0 invoke add 1\n0 invoke read\n0 invoke read", None),
        (
            "0 invoke add 1\n1 invoke read\n1 ok read [1]\n1 invoke read\n1 ok read [1]",
            Some("set-full"),
        ),
        ("0 invoke enqueue 1\n0 ok enqueue 1\n0 invoke drain\n0 ok drain [1]", Some("total-queue")),
        ("0 invoke enqueue 1\n0 ok enqueue 1", None),
        ("0 invoke generate\n0 ok generate 1", Some("unique-ids")),
        (
            "0 invoke read [[:r 0 nil] [:r 1 nil]]\n0 ok read [[:r 0 nil] [:r 1 1]]",
            Some("long-fork"),
        ),
        ("0 invoke write 1\n0 ok write 1\n0 invoke read\n0 ok read #{1}", Some("comments")),
        ("0 invoke transfer {:from 1 :to 2 :amount 3}\n0 fail transfer nil", Some("bank")),
        ("0 invoke read\n0 ok read {1 10 2 5}", Some("bank")),
        // Registers, even of lists, are what they were.
        ("0 invoke write 1\n0 ok write 1\n0 invoke read\n0 ok read 1", None),
        ("0 invoke write [1]\n0 ok write [1]\n0 invoke read\n0 ok read [1]", None),
        ("0 invoke txn [[:r :x nil]]\n0 ok txn [[:r :x 1]]", None),
    ] {
        assert_eq!(recognised(lines).as_deref(), workload, "{lines}");
    }
}

#[test]
fn a_counter_is_between_its_bounds() {
    let lines = |value: i64| {
        format!(
            "0 invoke add 1\n0 ok add 1\n1 invoke add 4\n2 invoke read\n3 invoke add 8\n3 fail add 8\n2 ok read {value}\n1 info add 4"
        )
    };
    for (value, valid) in [(0, false), (1, true), (3, true), (5, true), (6, false)] {
        let found = answer("counter", &lines(value));
        assert_eq!(found.valid, Some(valid), "{value}");
        let errors = if valid { "[]".to_owned() } else { format!("[[1, {value}, 5]]") };
        assert_eq!((fact(&found, "errors"), fact(&found, "read-count")), (errors, "1".to_owned()));
    }
    let found = answer("counter", "0 invoke add -1\n0 ok add -1");
    assert_eq!(
        (found.valid, found.error.unwrap()),
        (None, "line 1 adds -1: the checker assumes that the counter only grows".to_owned())
    );
}

#[test]
fn sets() {
    let lines = "0 invoke add 1\n0 ok add 1\n1 invoke add 2\n1 info add 2\n0 invoke add 3\n0 fail add 3\n0 invoke read\n0 ok read [2 9]";
    let found = answer("set", lines);
    assert_eq!(found.valid, Some(false));
    for (name, expected) in [
        ("attempt-count", "3"),
        ("acknowledged-count", "1"),
        ("ok-count", "1"),
        ("lost", "[1]"),
        ("recovered", "[2]"),
        ("unexpected", "[9]"),
    ] {
        assert_eq!(fact(&found, name), expected, "{name}");
    }
    let found = answer("set", "0 invoke add 1\n0 ok add 1");
    assert_eq!((found.valid, found.error.as_deref()), (None, Some("Set was never read")));
}

#[test]
fn elements_of_a_set_are_stable_lost_or_never_read() {
    // 1 is stale and then stable; 2 is lost; 3 is concurrent with the only read that lacks it; 4 is never known.
    let lines = "
        0 invoke add 1
        0 ok add 1
        5 invoke read
        5 ok read []
        0 invoke add 2
        0 ok add 2
        5 invoke read
        5 ok read [1 2]
        1 invoke add 4
        1 info add 4
        0 invoke add 3
        5 invoke read
        0 ok add 3
        5 ok read [1]";
    let found = answer("set-full", lines);
    assert_eq!(found.valid, Some(false));
    for (name, expected) in [
        ("attempt-count", "4"),
        ("stable-count", "1"),
        ("lost", "[2]"),
        ("never-read", "[3, 4]"),
        ("stale-count", "0"),
        ("worst-lost", "[{element: 2, known-line: 6, last-absent-line: 12, last-present-line: 7}]"),
    ] {
        assert_eq!(fact(&found, name), expected, "{name}");
    }
    let found = answer("set-full", "0 invoke add 1\n0 ok add 1");
    assert_eq!(found.valid, None);
    let found = answer("set-full", "0 invoke add 1\n0 ok add 1\n0 invoke read\n0 ok read [1 1]");
    assert_eq!((found.valid, fact(&found, "duplicated")), (Some(false), "[[1, 2]]".to_owned()));
}

#[test]
fn stale_elements_need_times() {
    let timed = |text: &str, times: &[u64]| -> String {
        let mut times = times.iter();
        text.lines()
            .map(|line| {
                line.replace("{:process", &format!("{{:time {} :process", times.next().unwrap()))
                    + "\n"
            })
            .collect()
    };
    let lines = edn(
        "0 invoke add 1\n0 ok add 1\n5 invoke read\n5 ok read []\n5 invoke read\n5 ok read [1]",
    );
    // Known at 2 ms, absent in a read that was called at 5 ms: stable 3 ms later.
    let text = timed(&lines, &[1_000_000, 2_000_000, 5_000_000, 6_000_000, 7_000_000, 8_000_000]);
    let of = |workload: &str| {
        let choice = WorkloadChoice::Is(Workload::parse(workload).unwrap());
        *read(&text, choice).unwrap().jepsen.unwrap()
    };
    let found = of("set-full");
    assert_eq!((found.valid, fact(&found, "stale")), (Some(true), "[1]".to_owned()));
    assert_eq!(fact(&found, "stable-latencies"), "{0: 3, 0.5: 3, 0.95: 3, 0.99: 3, 1: 3}");
    assert!(
        fact(&found, "worst-stale").contains("latency-ms: 3"),
        "{}",
        fact(&found, "worst-stale")
    );
    assert_eq!(of("set-full:linearizable").valid, Some(false));
}

#[test]
fn what_goes_into_a_queue_comes_out() {
    let lines = "
        0 invoke enqueue 1
        0 ok enqueue 1
        0 invoke enqueue 2
        0 ok enqueue 2
        0 invoke enqueue 3
        0 info enqueue 3
        1 invoke dequeue
        1 ok dequeue 1
        2 invoke dequeue
        2 ok dequeue nil
        3 invoke drain
        3 ok drain [1 3 9]";
    let found = answer("total-queue", lines);
    assert_eq!(found.valid, Some(false));
    for (name, expected) in [
        ("attempt-count", "3"),
        ("acknowledged-count", "2"),
        ("ok-count", "2"),
        ("lost", "[2]"),
        ("unexpected", "[9]"),
        ("duplicated", "[1]"),
        ("recovered", "[3]"),
    ] {
        assert_eq!(fact(&found, name), expected, "{name}");
    }
}

#[test]
fn ids_differ() {
    let lines = "0 invoke generate\n0 ok generate 7\n1 invoke generate\n0 invoke generate\n0 ok generate 9\n2 invoke generate\n2 ok generate 7\n1 info generate";
    let found = answer("unique-ids", lines);
    assert_eq!((found.valid, fact(&found, "duplicated")), (Some(false), "[[7, 2]]".to_owned()));
    assert_eq!(
        (fact(&found, "attempted-count"), fact(&found, "range")),
        ("4".to_owned(), "[7, 9]".to_owned())
    );
    // For the model, each is an insertion of an element that was not there.
    let choice = WorkloadChoice::Is(Workload::UniqueIds);
    let raw = read(&edn(lines), choice).unwrap();
    let ops: Vec<String> =
        raw.ops.iter().map(|op| format!("{} {:?} {:?}", op.name, op.args, op.result)).collect();
    assert_eq!(ops, ["insert [7] Some(true)", "insert [9] Some(true)", "insert [7] Some(true)"]);
}

#[test]
fn forks() {
    let read = |process: u8, a: &str, b: &str| {
        format!(
            "{process} invoke read [[:r 0 nil] [:r 1 nil]]\n{process} ok read [[:r 0 {a}] [:r 1 {b}]]\n"
        )
    };
    let found = answer("long-fork", &(read(0, "1", "nil") + &read(1, "1", "1")));
    assert_eq!((found.valid, fact(&found, "late-read-count")), (Some(true), "1".to_owned()));
    let found =
        answer("long-fork", &(read(0, "1", "nil") + &read(1, "nil", "1") + &read(1, "nil", "nil")));
    assert_eq!((found.valid, fact(&found, "forks (lines)")), (Some(false), "[[4, 2]]".to_owned()));
    assert_eq!(fact(&found, "early-read-count"), "1");
    let found = answer("long-fork", &(read(0, "1", "nil") + &read(1, "2", "1")));
    assert_eq!(found.valid, None);
    let found = answer(
        "long-fork",
        "0 invoke write [[:w 0 1]]\n0 ok write [[:w 0 1]]\n0 invoke write [[:w 0 2]]\n0 ok write [[:w 0 2]]",
    );
    assert!(found.error.unwrap().starts_with("multiple-writes"));
}

#[test]
fn banks_keep_their_money() {
    let read = |balances: &str| format!("0 invoke read\n0 ok read {balances}\n");
    let found = answer("bank", &(read("{0 10 1 0}") + &read("{0 4 1 6}")));
    assert_eq!((found.valid, found.assumptions.len()), (Some(true), 1));
    for (balances, kind) in [
        ("{0 4 1 7}", "wrong-total"),
        ("{0 11 1 -1}", "negative-value"),
        ("{0 4 1 nil}", "nil-balance"),
        ("{0 4 2 6}", "unexpected-key"),
    ] {
        let choice = WorkloadChoice::Is(Workload::Bank { total: None });
        let events = crate::edn::events(
            &Source::new("h", edn(&(read("{0 10 1 0}") + &read(balances)))),
            true,
        );
        let WorkloadChoice::Is(workload) = choice else { return };
        let found = checkers::check(workload, &events.unwrap_or_default(), false);
        assert_eq!(found.valid, Some(false), "{balances}");
        assert!(
            fact(&found, "first-error").contains(kind),
            "{balances}: {}",
            fact(&found, "first-error")
        );
    }
    assert_eq!(answer("bank:total=11", &read("{0 10 1 0}")).valid, Some(false));
}

#[test]
fn comments_are_visible_in_the_order_of_real_time() {
    let lines = "5 invoke read\n0 invoke write 1\n0 ok write 1\n0 invoke write 2\n0 ok write 2\n5 ok read #{2}";
    let found = answer("comments", lines);
    assert_eq!(found.valid, Some(false));
    assert!(fact(&found, "errors").contains("missing: [1]"), "{}", fact(&found, "errors"));
    assert_eq!(answer("comments", &lines.replace("#{2}", "#{1}")).valid, Some(true));
}

#[test]
fn keys_are_checked_on_their_own() {
    let lines = "0 invoke add [:x 1]\n0 ok add [:x 1]\n1 invoke add [:y 2]\n1 ok add [:y 2]\n\
        0 invoke read [:x nil]\n0 ok read [:x [1]]\n0 invoke read [:y nil]\n0 ok read [:y []]";
    let found = answer("set", lines);
    assert_eq!((found.valid, fact(&found, "failures")), (Some(false), "[\":y\"]".to_owned()));
    assert_eq!(fact(&found, "key \":y\": lost"), "[2]");
    let raw = read(&edn(lines), WorkloadChoice::Recognise).unwrap();
    assert_eq!(raw.objects.len(), 2);
}

#[test]
fn without_processes_an_end_belongs_to_the_only_open_call() {
    let text = "{:type :invoke :f :read}\n{:type :invoke :f :write :value 1}\n{:type :ok :f :write :value 1}\n{:type :ok :f :read :value [1]}";
    assert_eq!(read(text, WorkloadChoice::Recognise).unwrap().ops.len(), 2);
    let twice =
        "{:type :invoke :f :read}\n{:type :invoke :f :read}\n{:type :ok :f :read :value [1]}";
    let error = read(twice, WorkloadChoice::Recognise).unwrap_err();
    assert!(
        error.starts_with(
            "h.edn:3:1: without :process, it is not known which \"read\" ends here: several calls"
        ),
        "{error}"
    );
    let mixed = "{:type :invoke :f :read}\n{:process 1 :type :invoke :f :read}";
    let error = read(mixed, WorkloadChoice::Recognise).unwrap_err();
    assert!(error.starts_with("h.edn:1:1: :process is missing in this map"), "{error}");
}

#[test]
fn json_has_the_same_events() {
    let text = "[{\"type\":\"invoke\",\"f\":\"add\",\"value\":1,\"process\":0,\"time\":5},\n{\"type\":\"ok\",\"f\":\"add\",\"value\":1,\"process\":0},\n{\"type\":\"info\",\"f\":\"kill\",\"process\":\"nemesis\"},\n{\"type\":\"invoke\",\"f\":\"read\",\"process\":0},\n{\"type\":\"ok\",\"f\":\"read\",\"value\":[1],\"process\":0}]";
    let source = Source::new("h.json", text);
    assert_eq!(Format::detect(&source).unwrap(), Format::JepsenJson);
    let raw = Format::JepsenJson.read(&source, None).pop().unwrap().unwrap();
    assert_eq!((raw.ops.len(), raw.faults.len()), (2, 1));
    assert_eq!(raw.jepsen.unwrap().workload, "set");
    for (text, message) in [
        (
            "[{\"type\":\"invoke\",\"f\":\"add\",\"process\":0},\n {\"type\":\"okay\",\"f\":\"add\",\"process\":0}]",
            "h.json:2:2: the type \"okay\" is not invoke, ok, fail or info",
        ),
        (
            "{\"type\":\"ok\",\"f\":\"add\",\"process\":0}",
            "h.json:1:1: :ok of process 0, which has no open operation",
        ),
        ("{\"type\":\"invoke\",\"process\":0}", "h.json:1:1: \"f\" is missing in this object"),
        (
            "{\"type\":\"invoke\",\"f\":\"add\",\"value\":1.5,\"process\":0}",
            "h.json:1:38: numbers must be whole",
        ),
    ] {
        let read = Format::JepsenJson.read(&Source::new("h.json", text), None).pop().unwrap();
        let error = read.unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}
