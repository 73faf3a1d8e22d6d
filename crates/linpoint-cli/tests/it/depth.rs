//! `linpoint depth`.

use std::fs;

use crate::support::{dir, exits, linpoint};

/// Two writes and two reads on three threads, all concurrent except for the two reads. The first read returns
/// `read`.
fn history(read: u32) -> String {
    format!(
        r#"{{"linpoint":1,"model":"register","initial":0}}
{{"process":1,"op":"write","args":[1],"start":0,"end":9}}
{{"process":2,"op":"write","args":[2],"start":0,"end":9}}
{{"process":3,"op":"read","value":{read},"start":0,"end":4}}
{{"process":3,"op":"read","value":2,"start":5,"end":9}}
"#
    )
}

#[test]
fn tsv_and_json_have_one_line_per_history() {
    let dir = dir("depth-lines");
    for read in [0, 1, 7] {
        fs::write(dir.join(format!("{read}.jsonl")), history(read)).unwrap();
    }
    let (out, _) = exits(&linpoint(&dir, &["depth", "--as", "tsv", "--max-d", "2", "."]), 0);
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0][6..9], ["witness_d", "depth", "schedules"]);
    assert_eq!(rows[0].len(), rows[1].len());
    // Four operations in three chains: 12 schedules keep the reads in order.
    for row in &rows[1..] {
        assert_eq!(row[2..6], ["4", "3", "3", "5"], "{out}");
        assert_eq!(row[8], "12", "{out}");
    }
    // The first history needs both writes after the first read, in this order: depth 3, more than --max-d.
    assert_eq!((rows[1][1], &rows[1][6..8]), ("ok", &["-", "3"][..]), "{out}");
    assert_eq!((rows[2][1], &rows[2][6..8]), ("ok", &["2", "3"][..]), "{out}");
    assert_eq!(rows[3][1..2], ["bad"]);
    assert_eq!(rows[3][6..8], ["-", "-"]);
    let (out, _) = exits(&linpoint(&dir, &["depth", "--as", "json", "7.jsonl"]), 0);
    assert!(
        out.starts_with("{\"file\":\"7.jsonl\",\"verdict\":\"bad\",\"operations\":4,\"chains\":3,")
    );
    assert!(out.contains("\"witness_d\":null") && out.contains("\"schedules\":\"12\"}"), "{out}");
}

#[test]
fn text_has_tables_and_svg_has_a_plot() {
    let dir = dir("depth-tables");
    fs::create_dir(dir.join("set")).unwrap();
    for read in [0, 1, 7] {
        fs::write(dir.join(format!("set/{read}.jsonl")), history(read)).unwrap();
    }
    let (out, _) = exits(&linpoint(&dir, &["depth", "set", "--svg", "plot.svg"]), 0);
    for part in ["histories (c: ", "max(cp)", "d=5", "linearizable histories with a witness"] {
        assert!(out.contains(part), "{out}");
    }
    let last = out.lines().rfind(|line| line.starts_with("set")).unwrap();
    let cells: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(cells[..5], ["set", "3", "2", "0", "0.0"], "{out}");
    assert_eq!(cells[cells.len() - 2..], ["2", "100.0"], "{out}");
    let svg = fs::read_to_string(dir.join("plot.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("<polyline") && svg.ends_with("</svg>\n"));
}

#[test]
fn unmeasurable_histories_are_errors() {
    let dir = dir("depth-bad");
    let mut long = "{\"linpoint\":1,\"model\":\"register\"}\n".to_owned();
    for i in 0..200 {
        long += &format!("{{\"op\":\"write\",\"args\":[1],\"start\":{i},\"end\":{}}}\n", i + 1);
    }
    fs::write(dir.join("long.jsonl"), long).unwrap();
    fs::write(dir.join("empty.jsonl"), "{\"linpoint\":1,\"model\":\"register\"}\n").unwrap();
    fs::write(dir.join("broken.jsonl"), "{\"linpoint\":1,").unwrap();
    let (_, err) = exits(&linpoint(&dir, &["depth", "long.jsonl"]), 2);
    assert!(err.contains("long.jsonl: 200 operations are more than the 128"), "{err}");
    let (out, _) = exits(&linpoint(&dir, &["depth", "broken.jsonl"]), 2);
    assert_eq!(out, "", "there is nothing to tabulate");
    let (out, _) = exits(&linpoint(&dir, &["depth", "empty.jsonl"]), 0);
    assert!(!out.contains("-0"), "{out}");
    exits(&linpoint(&dir, &["depth", "--max-d", "0", "empty.jsonl"]), 2);
    let (out, _) = exits(&linpoint(&dir, &["depth", "--as", "tsv", "empty.jsonl"]), 0);
    assert!(out.lines().nth(1).unwrap().starts_with("empty.jsonl\tok\t0\t0\t0\t0\t"), "{out}");
}
