//! Jepsen's workloads: what Jepsen's checkers say, beside the verdict.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{dir, exits, linpoint};

/// A set of which one acknowledged element is missing in the last read, and one of unknown outcome is there.
const SET: &str = "
[{:process 0 :type :invoke :f :add :value 1} {:process 0 :type :ok :f :add :value 1}
 {:process 1 :type :invoke :f :add :value 2} {:process 1 :type :info :f :add :value 2}
 {:process 0 :type :invoke :f :add :value 3} {:process 0 :type :ok :f :add :value 3}
 {:process 0 :type :invoke :f :read :value nil} {:process 0 :type :ok :f :read :value [2 3]}]";

#[test]
fn both_answers_are_printed() {
    let dir = dir("workload-set");
    fs::write(dir.join("set.edn"), SET).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "set.edn"]), 1);
    assert!(out.contains("set.edn  NOT LINEARIZABLE  grow-set, 4 operations"), "{out}");
    assert!(out.contains("  jepsen valid?  false (set)"), "{out}");
    assert!(
        out.contains("lost-count 1, recovered-count 1") && out.contains("lost [1], recovered [2]"),
        "{out}"
    );
    assert!(out.contains("  linearizable   no"), "{out}");
    assert!(out.contains("1 history: 0 linearizable, 1 not, 1 not valid for Jepsen;"), "{out}");
    let (out, _) = exits(&linpoint(&dir, &["check", "--output", "json", "set.edn"]), 1);
    let line: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&line["jepsen"]["valid"], &line["jepsen"]["facts"]["lost"][0]),
        (&false.into(), &1.into())
    );
    // A model without --workload is only a model.
    let (out, _) = exits(&linpoint(&dir, &["check", "--model", "grow-set", "set.edn"]), 1);
    assert!(!out.contains("jepsen"), "{out}");
    let (_, err) = exits(&linpoint(&dir, &["check", "--workload", "none", "set.edn"]), 2);
    assert!(err.contains("does not name a model"), "{err}");
}

/// What Jepsen accepts can still not be linearizable, and the other way round. Both count.
#[test]
fn the_questions_differ() {
    let dir = dir("workload-differ");
    // The first read is stale, the last one is complete.
    let stale = "{:process 0 :type :invoke :f :add :value 1}\n{:process 0 :type :ok :f :add :value 1}\n\
        {:process 1 :type :invoke :f :read}\n{:process 1 :type :ok :f :read :value []}\n\
        {:process 1 :type :invoke :f :read}\n{:process 1 :type :ok :f :read :value [1]}\n";
    fs::write(dir.join("stale.edn"), stale).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "stale.edn"]), 1);
    assert!(
        out.contains("jepsen valid?  true (set-full)") && out.contains("linearizable   no"),
        "{out}"
    );
    assert!(out.contains("lacks 1, but before it add(1) by client 0"), "{out}");
    // With times, the element is stale for a while.
    let timed = stale.replace(
        "add :value 1}\n{:process 0 :type :ok",
        "add :value 1 :time 0}\n{:process 0 :time 1000000 :type :ok",
    );
    let timed = timed.replacen(":f :read}", ":f :read :time 5000000}", 1).replacen(
        ":f :read :value []",
        ":f :read :time 6000000 :value []",
        1,
    );
    fs::write(dir.join("timed.edn"), timed).unwrap();
    let args = ["check", "--workload", "set-full:linearizable", "timed.edn"];
    let (out, _) = exits(&linpoint(&dir, &args), 1);
    assert!(out.contains("jepsen valid?  false (set-full)") && out.contains("stale [1]"), "{out}");
    // An element that was never drained is lost for Jepsen, and still in the bag.
    let queue = "{:process 0 :type :invoke :f :enqueue :value 1}\n{:process 0 :type :ok :f :enqueue :value 1}\n\
        {:process 0 :type :invoke :f :dequeue}\n{:process 0 :type :fail :f :dequeue}\n";
    fs::write(dir.join("queue.edn"), queue).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "--workload", "total-queue", "queue.edn"]), 1);
    assert!(
        out.contains("jepsen valid?  false (total-queue)") && out.contains("linearizable   yes"),
        "{out}"
    );
    assert!(out.contains("1 linearizable, 0 not, 1 not valid for Jepsen"), "{out}");
    let junit = ["check", "--workload", "total-queue", "--output", "junit", "queue.edn"];
    let (out, _) = exits(&linpoint(&dir, &junit), 1);
    assert!(out.contains("<failure type=\"jepsen\" message=\"jepsen valid? false"), "{out}");
    let markdown = ["check", "--workload", "total-queue", "--output", "markdown", "queue.edn"];
    let (out, _) = exits(&linpoint(&dir, &markdown), 1);
    assert!(out.contains("not valid") && out.contains("jepsen valid?"), "{out}");
}

#[test]
fn a_drain_is_many_dequeues() {
    let dir = dir("workload-drain");
    let drained = |elements: &str| {
        format!(
            "{{:process 0 :type :invoke :f :enqueue :value 1}}\n{{:process 0 :type :ok :f :enqueue :value 1}}\n\
             {{:process 0 :type :invoke :f :enqueue :value 2}}\n{{:process 0 :type :info :f :enqueue :value 2}}\n\
             {{:process 1 :type :invoke :f :drain}}\n{{:process 1 :type :ok :f :drain :value {elements}}}\n"
        )
    };
    let answer = |name: &str, elements: &str, code: i32| {
        fs::write(dir.join(name), drained(elements)).unwrap();
        exits(&linpoint(&dir, &["check", name]), code).0
    };
    let out = answer("fine.edn", "[2 1]", 0);
    assert!(
        out.contains("jepsen valid?  true (total-queue)") && out.contains("recovered [2]"),
        "{out}"
    );
    assert!(out.contains("bag, 4 operations"), "{out}");
    let out = answer("twice.edn", "[1 1]", 1);
    // Jepsen's checker does not mind duplicates; no bag gives an element twice.
    assert!(
        out.contains("jepsen valid?  true")
            && out.contains("duplicated [1]")
            && out.contains("linearizable   no"),
        "{out}"
    );
    let out = answer("never.edn", "[1 7]", 1);
    assert!(out.contains("jepsen valid?  false") && out.contains("unexpected [7]"), "{out}");
    fs::write(dir.join("crashed.edn"), drained("nil").replace(":ok :f :drain", ":info :f :drain"))
        .unwrap();
    let (_, err) = exits(&linpoint(&dir, &["check", "crashed.edn"]), 2);
    assert!(err.contains("crashed.edn:6:1: a drain of unknown outcome"), "{err}");
}

#[test]
fn bad_workloads() {
    let dir = dir("workload-bad");
    fs::write(dir.join("set.edn"), SET).unwrap();
    for (workload, message) in [
        ("sett", "unknown workload \"sett\"; did you mean \"set\"?"),
        ("set:x=1", "has no option \"x\""),
        ("bank", "the workload bank has no operation \"add\""),
        ("counter", "not a list: [2, 3]"),
    ] {
        let (_, err) = exits(&linpoint(&dir, &["check", "--workload", workload, "set.edn"]), 2);
        assert!(err.contains(message), "{workload}: {err}");
    }
    fs::write(dir.join("a.jsonl"), crate::support::OK).unwrap();
    let (_, err) = exits(&linpoint(&dir, &["check", "--workload", "set", "a.jsonl"]), 2);
    assert!(err.contains("the format jsonl has no workloads"), "{err}");
}

/// Histories that elle-cli publishes, with the answers of Jepsen's own checkers that it stores beside them:
/// `valid?`, and whether the history is linearizable. See docs/jepsen.md.
#[test]
fn published_histories_have_the_answers_of_jepsens_checkers() {
    let given = std::env::var_os("LINPOINT_DATA").map(std::path::PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = given.unwrap_or(beside).join("elle-cli");
    if !data.is_dir() {
        println!("SKIPPED elle-cli: no published histories here; set LINPOINT_DATA");
        return;
    }
    let (yes, no) = (Value::from(true), Value::from(false));
    for (file, workload, valid, linearizable, facts) in [
        ("jepsen/counter.edn", "counter", &yes, &yes, &[("read-count", 0)][..]),
        ("jepsen/counter.json", "counter", &yes, &yes, &[("read-count", 0)]),
        (
            "jepsen/set.edn",
            "set",
            &yes,
            &yes,
            &[("ok-count", 3), ("lost-count", 0), ("recovered-count", 0)],
        ),
        (
            "jepsen/set_full.edn",
            "set-full",
            &no,
            &no,
            &[("attempt-count", 293), ("lost-count", 293), ("stable-count", 0)],
        ),
        (
            "jepsen/set_full.json",
            "set-full",
            &no,
            &no,
            &[("lost-count", 293), ("never-read-count", 0)],
        ),
        ("jepsen/bank.edn", "bank", &yes, &yes, &[("read-count", 168), ("error-count", 0)]),
        ("jepsen/bank.json", "bank", &yes, &yes, &[("read-count", 168), ("error-count", 0)]),
        ("jepsen/bank-tidb.edn", "bank", &no, &no, &[("read-count", 1805), ("error-count", 1731)]),
        ("jepsen/bank-neg.edn", "bank", &yes, &yes, &[("read-count", 1)]),
        (
            "jepsen/bank-negative-balances.json",
            "bank",
            &no,
            &no,
            &[("read-count", 2), ("error-count", 1)],
        ),
        (
            "jepsen/long-fork.edn",
            "long-fork",
            &no,
            &no,
            &[
                ("reads-count", 2),
                ("early-read-count", 0),
                ("late-read-count", 0),
                ("fork-count", 1),
            ],
        ),
        ("custom/comments.edn", "comments", &no, &no, &[("error-count", 1)]),
    ] {
        let path = data.join(file);
        let mut args = vec!["check", "--output", "json", path.to_str().unwrap()];
        // With a single read, the history is recognised as a set.
        args.extend(["--workload", workload].iter().filter(|_| workload == "set-full"));
        let output = linpoint(&data, &args);
        let line: Value = serde_json::from_str(&String::from_utf8_lossy(&output.stdout))
            .unwrap_or_else(|error| {
                panic!("{file}: {error}\n{}", String::from_utf8_lossy(&output.stderr))
            });
        let jepsen = &line["jepsen"];
        assert_eq!(
            (&jepsen["workload"], &jepsen["valid"]),
            (&Value::from(workload), valid),
            "{file}: {jepsen}"
        );
        for (name, number) in facts {
            assert_eq!(jepsen["facts"][name], Value::from(*number), "{file}: {name}");
        }
        assert_eq!(
            line["verdict"] == "linearizable",
            *linearizable == yes,
            "{file}: {}",
            line["verdict"]
        );
    }
}
