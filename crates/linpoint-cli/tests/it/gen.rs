//! `linpoint gen`.

use crate::support::{dir, exits, linpoint, verdicts};

const MODELS: &[&str] = &[
    "register",
    "register:initial=999999999",
    "cas-register",
    "multi-register",
    "kv",
    "kv:initial=7",
    "set",
    "bag",
    "stack",
    "queue",
    "queue:capacity=3",
    "deque",
    "deque:capacity=2",
    "priority-queue",
    "priority-queue:min",
    "counter",
    "counter:initial=-5",
    "rmw",
    "mutex",
    "mutex:owner",
    "semaphore",
    "semaphore:initial=2",
    "snapshot",
    "snapshot:segments=2",
    "bank",
];

/// Generates histories of all models with several seeds and compares their verdicts. Models whose mutations
/// can be uncertain may refuse if `may_refuse`.
fn all_models(name: &str, more: &[&str], verdict: &str, may_refuse: bool) {
    let dir = dir(name);
    let mut written = 0;
    for (i, model) in MODELS.iter().enumerate() {
        for seed in ["1", "2", "3", "44"] {
            let file = format!("{i}-{seed}.jsonl");
            let mut args = vec!["gen", "--model", model, "--seed", seed, "-o", &file];
            args.extend(more);
            let output = linpoint(&dir, &args);
            let certain = !matches!(model.split(':').next(), Some("mutex" | "semaphore"));
            if may_refuse && !certain && !output.status.success() {
                let (_, err) = exits(&output, 2);
                assert!(err.contains("can be changed with certainty"), "{model}: {err}");
                assert!(!dir.join(&file).exists());
                continue;
            }
            exits(&output, 0);
            written += 1;
        }
    }
    let verdicts = verdicts(&dir);
    assert_eq!(verdicts.len(), written);
    for (file, found) in verdicts {
        assert_eq!(found, verdict, "{file} of {more:?}");
    }
}

#[test]
fn histories_of_every_model_are_linearizable() {
    all_models("gen-ok", &["--ops", "60"], "ok", false);
    all_models("gen-one", &["--ops", "40", "--clients", "1"], "ok", false);
    all_models("gen-many", &["--ops", "30", "--clients", "12", "--overlap", "7"], "ok", false);
    all_models("gen-few", &["--ops", "40", "--values", "few"], "ok", false);
    all_models("gen-ambiguous", &["--ops", "40", "--ambiguous", "0.1"], "ok", false);
}

#[test]
fn mutated_histories_are_violations() {
    all_models("gen-mutated", &["--ops", "60", "--mutate"], "bad", false);
    all_models("gen-mutated-few", &["--ops", "50", "--mutate", "--values", "2"], "bad", false);
    let ambiguous = ["--ops", "30", "--mutate", "--ambiguous", "0.08"];
    all_models("gen-mutated-ambiguous", &ambiguous, "bad", true);
}

#[test]
fn the_mutation_is_reported() {
    let dir = dir("gen-mutation");
    let args = ["gen", "--model", "queue", "--ops", "20", "--mutate"];
    let (out, err) = exits(&linpoint(&dir, &args), 0);
    assert!(err.starts_with("note: not linearizable: the result of operation "), "{err}");
    assert!(err.ends_with(" to 999999999\n"), "{err}");
    assert_eq!(out.matches("999999999").count(), 1);
    let (plain, _) = exits(&linpoint(&dir, &args[..5]), 0);
    let changed = out.lines().zip(plain.lines()).filter(|(a, b)| a != b).count();
    assert_eq!(changed, 1, "nothing else may differ");
}

#[test]
fn equal_seeds_generate_equal_histories() {
    let dir = dir("gen-seed");
    let with = |seed: &str| {
        let args = ["gen", "--model", "kv", "--seed", seed, "--ambiguous", "0.1"];
        exits(&linpoint(&dir, &args), 0).0
    };
    assert_eq!(with("5"), with("5"));
    assert_ne!(with("5"), with("6"));
    assert_eq!(with("5").matches("{\"call\":").count(), 1000);
}

/// Mean number of other operations that are open at a call.
fn overlap(text: &str) -> f64 {
    let (mut open, mut sum, mut calls) = (0, 0, 0);
    for line in text.lines().skip(1) {
        if line.starts_with("{\"call\"") {
            (sum, calls, open) = (sum + open, calls + 1, open + 1);
        } else {
            open -= 1;
        }
    }
    f64::from(sum) / f64::from(calls)
}

#[test]
fn overlap_matches_the_option() {
    let dir = dir("gen-overlap");
    for wanted in [0.0, 0.5, 2.0, 6.5] {
        let args = ["gen", "--model", "register", "--ops", "5000", "--clients", "8", "--overlap"];
        let text = wanted.to_string();
        let (out, _) = exits(&linpoint(&dir, &[&args[..], &[&text]].concat()), 0);
        let found = overlap(&out);
        assert!((found - wanted).abs() <= 0.1 * wanted, "{found} instead of {wanted}");
    }
}

#[test]
fn the_share_of_ambiguous_operations_matches_the_option() {
    let dir = dir("gen-share");
    let args = ["gen", "--model", "queue", "--ops", "5000", "--ambiguous", "0.2"];
    let (out, _) = exits(&linpoint(&dir, &args), 0);
    let lost = out.matches("{\"info\":").count();
    // An enqueue has only one possible result, so a return without one is not ambiguous.
    let (mut dequeues, mut unknown) = (std::collections::HashSet::new(), 0);
    for line in out.lines() {
        if line.contains("\"op\":\"dequeue\"") || line.contains("\"op\":\"peek\"") {
            dequeues.insert(line[8..].split(',').next().unwrap().to_owned());
        } else if let Some(id) = line.strip_prefix("{\"return\":").and_then(|l| l.strip_suffix('}'))
        {
            unknown += usize::from(dequeues.contains(id));
        }
    }
    assert!((700..=950).contains(&lost), "{lost}");
    assert!((80..=200).contains(&unknown), "{unknown}");
}

#[test]
fn other_formats_are_written_for_models_they_can_express() {
    let dir = dir("gen-formats");
    let formats: [(&str, &[&str]); 6] = [
        ("edn", &["register", "cas-register", "multi-register", "mutex"]),
        ("jepsen-log", &["register", "cas-register"]),
        ("porcupine", &["kv"]),
        ("fptlin", &["stack", "queue", "deque", "priority-queue", "set", "semaphore", "rmw"]),
        ("limo", &["queue", "stack"]),
        ("snapshot", &["snapshot"]),
    ];
    let mut written = 0;
    for (format, models) in formats {
        for model in models {
            let file = format!("{model}.{format}");
            let args = ["gen", "--model", model, "--ops", "50", "--as", format, "-o", &file];
            exits(&linpoint(&dir, &args), 0);
            written += 1;
        }
    }
    for ambiguous in ["edn", "jepsen-log", "porcupine", "limo"] {
        let model = match ambiguous {
            "porcupine" => "kv",
            "limo" => "queue",
            _ => "cas-register",
        };
        let file = format!("ambiguous.{ambiguous}");
        let args = ["gen", "--model", model, "--ops", "40", "--ambiguous", "0.1"];
        let more = ["--as", ambiguous, "-o", &file];
        exits(&linpoint(&dir, &[&args[..], &more].concat()), 0);
        written += 1;
    }
    let verdicts = verdicts(&dir);
    assert_eq!(verdicts.len(), written);
    assert!(verdicts.iter().all(|(_, verdict)| verdict == "ok"), "{verdicts:?}");
}

#[test]
fn impossible_options_are_rejected() {
    let dir = dir("gen-bad");
    for (args, message) in [
        (&["--model", "ququ"][..], "unknown model \"ququ\""),
        (&["--model", "queue:size=3"], "the model \"queue\" has no option \"size\""),
        (&["--model", "queue", "--overlap", "4"], "4 processes overlap with 0 to 3 others, not 4"),
        (&["--model", "queue", "--overlap", "nan"], "others, not NaN"),
        (&["--model", "queue", "--clients", "0"], "there must be a process"),
        (&["--model", "queue", "--keys", "3"], "queue has no keys"),
        (&["--model", "kv", "--keys", "0"], "there must be a key"),
        (&["--model", "kv", "--keys", "4000000000"], "4000000000 keys are too many"),
        (&["--model", "kv", "--clients", "4000000000"], "4000000000 processes are too many"),
        (&["--model", "queue", "--ambiguous", "1.5"], "between 0 and 1"),
        (&["--model", "queue", "--values", "0"], "expected distinct, few, or a number"),
        (&["--model", "bag", "--as", "fastlin"], "fastlin cannot express bag"),
        (
            &["--model", "queue:capacity=2", "--as", "fastlin"],
            "fastlin cannot say that this is queue:capacity=2: it would be queue",
        ),
        (
            &["--model", "queue", "--as", "fastlin", "--ambiguous", "0.1"],
            "fastlin has no ambiguous operations",
        ),
        (&["--model", "java:class=Q"], "there is no specification of the Java class Q"),
        (&["--model", "queue", "--ops", "0", "--mutate"], "can be changed with certainty"),
        (&["--model", "queue", "-o", "no/such/dir"], "no/such/dir"),
    ] {
        let (out, err) = exits(&linpoint(&dir, &[&["gen"], args].concat()), 2);
        assert!(err.contains(message), "{args:?}: {err}");
        assert_eq!(out, "", "{args:?}");
    }
}

#[test]
fn zero_operations_give_an_empty_history() {
    let dir = dir("gen-none");
    let (out, _) = exits(&linpoint(&dir, &["gen", "--model", "queue", "--ops", "0"]), 0);
    assert_eq!(out, "{\"linpoint\":1,\"model\":\"queue\"}\n");
}
