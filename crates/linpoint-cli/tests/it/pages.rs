//! The table of pages, `--open`, and `stats --plot`.

use std::fs;
use std::path::Path;

use crate::support::{BAD, OK, command, dir, exits, linpoint};

/// The data in a page, as text.
fn facts(page: &Path) -> serde_json::Value {
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("id=\"facts\">").unwrap();
    serde_json::from_str(rest.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn a_directory_of_pages_has_a_table() {
    let dir = dir("index");
    fs::create_dir(dir.join("in")).unwrap();
    fs::write(dir.join("in/a.jsonl"), OK).unwrap();
    fs::write(dir.join("in/bad.jsonl"), BAD).unwrap();
    fs::write(dir.join("in/index"), OK).unwrap();
    fs::write(dir.join("in/odd.jsonl"), "what?\n").unwrap();
    exits(&linpoint(&dir, &["check", "--html", "out/", "in"]), 1);
    let facts = facts(&dir.join("out/index.html"));
    let row = |number: usize| {
        let row = &facts["entries"][number];
        [0, 1, 2, 3, 6, 7].map(|at| row[at].as_str().map_or(row[at].to_string(), str::to_owned))
    };
    let model = "register:initial=0";
    assert_eq!(row(0)[..4], ["in/a.jsonl", "ok", "register", "1"]);
    assert_eq!(row(0)[4..], ["", "in-a.jsonl.html"]);
    assert_eq!(row(1)[..4], ["in/bad.jsonl", "bad", model, "1"]);
    assert!(row(1)[4].contains('7'), "{:?}", row(1));
    assert_eq!(row(2)[5], "in-index.html");
    assert_eq!(row(3)[..2], ["in/odd.jsonl", "error"]);
    assert!(row(3)[4].contains("in/odd.jsonl") && row(3)[5] == "null", "{:?}", row(3));
    assert_eq!(facts["entries"].as_array().unwrap().len(), 4);
    let summary = facts["summary"].as_str().unwrap();
    assert!(summary.starts_with("3 histories: 2 linearizable, 1 not; 1 error"), "{summary}");
    for number in 0..3 {
        assert!(dir.join("out").join(&row(number)[5]).is_file());
    }
    // A history called index does not take the place of the table.
    exits(&linpoint(&dir.join("in"), &["check", "--html", "../again/", "index"]), 0);
    assert!(dir.join("again/index.html").is_file() && dir.join("again/index-2.html").is_file());
    // There is a table after the first failure, too. One page has none.
    exits(&linpoint(&dir, &["check", "--fail-fast", "--html", "fast/", "in"]), 1);
    assert!(dir.join("fast/index.html").is_file());
    exits(&linpoint(&dir, &["check", "--html", "one.html", "in/a.jsonl"]), 0);
    assert!(!dir.join("index.html").exists());
}

/// Runs the command with a browser that writes down what it opens.
#[cfg(unix)]
fn opened(dir: &Path, args: &[&str], browser: &str, code: i32) -> (Option<String>, String) {
    let log = dir.join("opened");
    let _ = fs::remove_file(&log);
    let output = command(dir, args).env("BROWSER", browser).output().unwrap();
    let (_, err) = exits(&output, code);
    // The command does not wait for a slow browser.
    let is_expected = err.is_empty();
    for _ in 0..3_000 {
        if log.exists() || !is_expected {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    (fs::read_to_string(log).ok(), err)
}

#[test]
#[cfg(unix)]
fn open_shows_the_page_in_a_browser() {
    use std::os::unix::fs::PermissionsExt;
    let dir = dir("open");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    fs::write(dir.join("bad.jsonl"), BAD).unwrap();
    let browser = dir.join("browser");
    fs::write(&browser, "#!/bin/sh\nprintf '%s' \"$*\" > opened.part && mv opened.part opened\n")
        .unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let browser = browser.display().to_string();
    let page = |name: &str| {
        let dir = dir.canonicalize().unwrap();
        Some(dir.join(name).display().to_string())
    };
    let check = |html: &str, code: i32| {
        let args = ["check", "--open", "--html", html, "a.jsonl", "bad.jsonl"];
        let args = if html.ends_with('/') { &args[..] } else { &args[..5] };
        opened(&dir, args, &browser, code)
    };
    assert_eq!(check("page.html", 0), (page("page.html"), String::new()));
    assert_eq!(check("pages/", 1), (page("pages/index.html"), String::new()));
    let snark = ["explore", "snark", "--program", "pushR 1; popR | pushR 2; popL", "--jobs", "1"];
    let args = [&snark[..], &["--html", "run.html", "--open"]].concat();
    assert_eq!(opened(&dir, &args, &browser, 1), (page("run.html"), String::new()));
    // What cannot be shown is a message, and changes nothing else.
    let args = ["explore", "treiber", "--ops", "2", "--html", "none.html", "--open"];
    let (shown, err) = opened(&dir, &args, &browser, 0);
    assert_eq!((shown, err.as_str()), (None, "note: --open: there is no page to show\n"));
    let args = ["check", "--open", "--html", "page.html", "bad.jsonl"];
    let (shown, err) = opened(&dir, &args, "/no/such/browser", 1);
    assert!(shown.is_none() && err.starts_with("warning: --open: /no/such/browser: "), "{err}");
    assert!(err.contains("; the page is ") && err.ends_with("page.html\n"), "{err}");
    let nothing = command(&dir, &args).env_remove("BROWSER").env("PATH", &dir).output().unwrap();
    let (_, err) = exits(&nothing, 1);
    assert!(cfg!(target_os = "macos") || err.contains("$BROWSER names one; the page is "), "{err}");
    let (_, err) = exits(&linpoint(&dir, &["check", "--open", "--html", "-", "a.jsonl"]), 2);
    assert!(err.contains("--open needs a page in a file"), "{err}");
    exits(&linpoint(&dir, &["check", "--open", "a.jsonl"]), 2);
}

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

#[test]
fn a_page_links_the_other_files_of_its_jepsen_run() {
    let dir = dir("neighbours");
    let store = dir.join("store/my test");
    fs::create_dir_all(&store).unwrap();
    let history = "{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :ok, :f :read, :value nil}\n";
    fs::write(store.join("history.edn"), history).unwrap();
    for name in [
        "results.edn",
        "jepsen.log",
        "timeline.html",
        "latency-raw.png",
        "50%.png",
        "test.fressian",
        ".hidden.txt",
    ] {
        fs::write(store.join(name), "").unwrap();
    }
    let links = |page: &str| {
        let facts = facts(&dir.join(page));
        let links = facts["neighbours"].as_array().unwrap().clone();
        links.iter().map(|link| link[1].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected = |to: &str| {
        ["50%25.png", "jepsen.log", "latency-raw.png", "results.edn", "timeline.html"]
            .map(|name| format!("{to}{name}"))
    };
    let file = "store/my test/history.edn";
    exits(&linpoint(&dir, &["check", "--html", "page.html", file]), 0);
    assert_eq!(links("page.html"), expected("store/my%20test/"));
    // From every place a page can be written to, and from every place the command can be run in.
    exits(&linpoint(&dir, &["check", "--html", "pages/", "store"]), 0);
    assert_eq!(links("pages/store-my-test-history.edn.html"), expected("../store/my%20test/"));
    exits(&linpoint(&store, &["check", "--html", "page.html", "history.edn"]), 0);
    assert_eq!(links("store/my test/page.html"), expected(""));
    for href in links("page.html") {
        let name = href.replace("%20", " ").replace("%25", "%");
        assert!(dir.join(name).is_file(), "{href}");
    }
    // A file of that name alone is no run of Jepsen.
    fs::create_dir(dir.join("alone")).unwrap();
    fs::write(dir.join("alone/history.edn"), history).unwrap();
    fs::write(dir.join("alone/secret.txt"), "").unwrap();
    exits(&linpoint(&dir, &["check", "--html", "alone.html", "alone/history.edn"]), 0);
    assert_eq!(links("alone.html"), Vec::<String>::new());
}
