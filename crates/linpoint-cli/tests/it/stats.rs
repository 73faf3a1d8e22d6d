//! `linpoint stats`.

use std::fs;

use crate::support::{dir, exits, linpoint};

const REGISTER: &str = "{\"linpoint\":1,\"model\":\"register\",\"initial\":0}
{\"call\":1,\"process\":0,\"op\":\"write\",\"args\":[1]}
{\"call\":2,\"process\":1,\"op\":\"read\"}
{\"return\":2,\"value\":1}
{\"return\":1}
{\"call\":3,\"process\":1,\"op\":\"read\"}
{\"return\":3}
{\"call\":4,\"process\":1,\"op\":\"write\",\"args\":[2]}
";

#[test]
fn statistics_as_text_and_json() {
    let dir = dir("stats");
    fs::write(dir.join("a.jsonl"), REGISTER).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["stats", "a.jsonl"]), 0);
    let expected = "\
a.jsonl  4 operations of register:initial=0, 2 clients
  operations   2 read (all informative, 1 unknown)
               2 write (1 pending)
  results      1 of 4 are informative (25.0 %)
  ambiguous    1 never returned, 1 returned an unknown result (50.0 %)
  values       2 distinct, 0 of them used more than once
  overlap      at most 2 at once; 0.33 others at a call
                     0 ======================================== 2
                     1 ==================== 1
";
    assert_eq!(out, expected);
    assert_eq!(err, "");
    let (out, _) = exits(&linpoint(&dir, &["stats", "--as", "json", "a.jsonl"]), 0);
    let expected = concat!(
        r#"{"file":"a.jsonl","operations":4,"model":"register:initial=0","kinds":["#,
        r#"{"name":"read","count":2,"pending":0,"unknown":1,"telling":1},"#,
        r#"{"name":"write","count":2,"pending":1,"unknown":0,"telling":0}],"#,
        r#""processes":2,"objects":0,"#,
        r#""concurrency":{"max":2,"mean_others":0.333333,"others_at_call":[2,1]},"#,
        r#""pending":1,"unknown":1,"partly_unknown":0,"#,
        r#""values":{"written":2,"distinct":2,"repeated":0},"#,
        r#""telling":1,"changing":2,"parts":1,"largest_part":4,"warnings":[]}"#,
        "\n"
    );
    assert_eq!(out, expected);
}

#[test]
fn facts_that_a_limit_leaves_out_are_missing() {
    let dir = dir("stats-limit");
    exits(&linpoint(&dir, &["gen", "--model", "queue", "--ops", "2000", "-o", "a.jsonl"]), 0);
    let (out, _) = exits(&linpoint(&dir, &["stats", "--timeout", "1us", "a.jsonl"]), 3);
    let warning =
        "  warning      the time limit was reached: which results are informative is not known";
    assert!(out.contains(warning) && !out.contains("  results "), "{out}");
    let json = ["stats", "--timeout", "1us", "--as", "json", "a.jsonl"];
    let (out, _) = exits(&linpoint(&dir, &json), 3);
    assert!(out.contains("\"limit\":\"time\""), "{out}");
    exits(&linpoint(&dir, &["stats", "--timeout", "1h", "--memory", "1GB", "a.jsonl"]), 0);
}

#[test]
fn a_sequential_history_gets_a_warning() {
    let dir = dir("stats-warning");
    let args = ["gen", "--model", "queue", "--clients", "1", "--ops", "50", "-o", "a.jsonl"];
    exits(&linpoint(&dir, &args), 0);
    let (out, _) = exits(&linpoint(&dir, &["stats", "a.jsonl"]), 0);
    assert!(out.contains("  warning      there is only one client"), "{out}");
    assert!(!out.contains("cannot fail"), "{out}");
}

#[test]
fn generated_histories_of_every_model_are_informative() {
    let dir = dir("stats-models");
    let (models, _) = exits(&linpoint(&dir, &["models"]), 0);
    let models: Vec<&str> = models
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(':').next())
        .collect();
    assert!(models.len() >= 16);
    for model in models {
        let file = format!("{model}.jsonl");
        let args = ["gen", "--model", model, "--ops", "300", "-o", &file];
        exits(&linpoint(&dir, &args), 0);
        let (out, _) = exits(&linpoint(&dir, &["stats", "--as", "json", &file]), 0);
        let telling = out.split("],\"processes\"").nth(1).unwrap().split("\"telling\":").nth(1);
        let telling: usize = telling.unwrap().split(',').next().unwrap().parse().unwrap();
        assert!((30..=300).contains(&telling), "{model}: {out}");
        let warned = out.contains("\"warnings\":[\"");
        assert!(!warned, "{model}: {out}");
    }
}

#[test]
fn bad_input_does_not_stop_the_other_inputs() {
    let dir = dir("stats-bad");
    fs::write(dir.join("a.jsonl"), "hello").unwrap();
    fs::write(dir.join("b.jsonl"), REGISTER).unwrap();
    fs::write(dir.join("c.jsonl"), REGISTER.replace("\"read\"", "\"pop\"")).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["stats", "none", "."]), 2);
    assert!(out.starts_with("./b.jsonl  4 operations"), "{out}");
    for message in [
        "error: none: no such file or directory\n",
        "error: ./a.jsonl:1:1: linpoint does not know this format\n",
        "error: ./c.jsonl:3:28: unknown operation \"pop\"\n",
    ] {
        assert!(err.contains(message), "{err}");
    }
    let (_, err) = exits(&linpoint(&dir, &["stats", "--model", "x", "b.jsonl"]), 2);
    assert!(err.starts_with("error: --model: unknown model \"x\"\n"), "{err}");
}

#[test]
fn histories_without_a_specification_have_statistics() {
    let dir = dir("stats-java");
    let call = r#"{"id":0,"method":{"name":"size"},"arguments":[]}"#;
    let document = |id: u32| {
        format!(
            r#"{{"schema":{{"id":{id},"class":"Q"}},"events":[{{"kind":"call","sid":0,"invocation":{call}}}]}}"#
        )
    };
    fs::write(dir.join("h.json"), format!("{}\n{}\n", document(7), document(8))).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["stats", "h.json"]), 0);
    assert!(out.starts_with("h.json#7  1 operation of java:class=\"Q\""), "{out}");
    assert!(out.contains("h.json#8") && out.contains("cannot be judged without a model"), "{out}");
}
