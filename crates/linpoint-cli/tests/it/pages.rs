//! `stats --plot`.

use std::fs;

use crate::support::{OK, dir, exits, linpoint};

/// Two clients of a register as Jepsen records them, with a failed and an unknown write and a partition.
const JEPSEN: &str = "\
{:process 0, :type :invoke, :f :write, :value 1, :time 1000000}
{:process 0, :type :ok, :f :write, :value 1, :time 3000000}
{:process :nemesis, :type :info, :f :start-partition, :value nil, :time 3500000}
{:process 1, :type :invoke, :f :write, :value 2, :time 4000000}
{:process 0, :type :invoke, :f :read, :value nil, :time 4500000}
{:process 1, :type :fail, :f :write, :value 2, :time 9000000}
{:process 0, :type :ok, :f :read, :value 1, :time 12000000}
{:process :nemesis, :type :info, :f :stop-partition, :value nil, :time 15000000}
{:process 1, :type :invoke, :f :write, :value 3, :time 16000000}
{:process 1, :type :info, :f :write, :value 3, :time 21000000}
";

#[test]
fn stats_plots_histories() {
    let dir = dir("plot");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    fs::write(dir.join("run.edn"), JEPSEN).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["stats", "--plot", "run.svg", "run.edn"]), 0);
    assert!(out.starts_with("run.edn  3 operations"), "{out}");
    let svg = fs::read_to_string(dir.join("run.svg")).unwrap();
    for part in [
        "time since the first call",
        ">write: latency<",
        ">1 ok, 1 failed, 1 unknown, median 2 ms, 99 % 2 ms, max 2 ms<",
        ">1 ok, median 7.5 ms, 99 % 7.5 ms, max 7.5 ms<",
        "partition",
    ] {
        assert!(svg.contains(part), "{part}\n{svg}");
    }
    // The band of the partition, and one mark for each write that did not succeed.
    assert_eq!(svg.matches("class=\"fault\"").count(), 1);
    assert_eq!((svg.matches("l5 5").count(), svg.matches("v7").count()), (1, 1));
    exits(&linpoint(&dir, &["stats", "--plot", "plots/", "a.jsonl", "run.edn"]), 0);
    assert!(dir.join("plots/run.edn.svg").is_file());
    let svg = fs::read_to_string(dir.join("plots/a.jsonl.svg")).unwrap();
    assert!(svg.contains("position in the file, which has no times"), "{svg}");
    let (out, _) = exits(&linpoint(&dir, &["stats", "--plot", "-", "run.edn"]), 0);
    assert!(out.starts_with("<svg ") && out.ends_with("</svg>\n"), "{out}");
    let (_, err) = exits(&linpoint(&dir, &["stats", "--plot", "x.svg", "a.jsonl", "run.edn"]), 2);
    assert!(err.contains("--plot: x.svg has room for one history"), "{err}");
}
