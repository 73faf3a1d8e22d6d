//! Tests of plots, of the page of a run, and of the table of histories, in a real browser.

use std::time::Duration;

use linpoint::spec::models::{Queue, QueueOp, QueueRet};
use linpoint::{Checker, History};
use linpoint_report::index_page::{self, Entry};
use linpoint_report::run_page::{self, Run, Step};
use linpoint_report::{Heading, Rendered, TypedOperations, plot};

use crate::browser::{HEIGHT, WIDTH, assert_no_page_errors, browser, keep_html, screenshot};
use crate::plot::service;
use crate::support;
use crate::support::browser::Browser;

const PHONE: (u32, u32) = (390, 844);

/// One browser for all of them. Each gets a page of its own.
#[test]
fn other_pages_work_in_a_browser() {
    let Some(mut b) = browser() else { return };
    let checks: [fn(&mut Browser); 7] = [
        plots_are_folded_below_the_timeline,
        plots_in_files_follow_the_theme,
        the_keyboard_steps_through_a_run,
        a_run_fits_a_phone_and_the_dark,
        a_table_sorts_and_filters,
        a_table_fits_a_phone_and_the_dark,
        texts_in_the_other_pages_are_never_markup,
    ];
    for check in checks {
        b.fresh_page(WIDTH, HEIGHT);
        check(&mut b);
    }
}

fn dark(b: &mut Browser) {
    let dark =
        serde_json::json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    b.ask("Emulation.setEmulatedMedia", dark);
}

fn assert_fits(b: &mut Browser, width: u32) {
    let wide = b.number("document.documentElement.scrollWidth");
    assert!(wide <= f64::from(width), "the page is {wide} wide");
}

// ---- plots ----

fn plots_are_folded_below_the_timeline(b: &mut Browser) {
    let history = support::key_value(4_000, 12, 3, 7, None);
    let file = keep_html("plots", &support::key_value_page("plots.jsonl", &history).html);
    b.open(&file, "");
    let tall = "document.getElementById('canvas').clientHeight";
    let before = b.number(tall);
    let section = "document.getElementById('plots').clientHeight";
    assert!(b.number(section) < 60.0, "{}", b.number(section));
    b.click("#plots summary");
    screenshot(b, "plots");
    assert!(b.number(section) > 300.0, "{}", b.number(section));
    assert!(b.number(tall) < before);
    // Everything that is drawn is inside of the picture.
    let outside = "(() => { const svg = document.querySelector('#plots svg'), box = svg.viewBox.baseVal;
        return [...svg.querySelectorAll('path, text')].map((e) => [e, e.getBBox()])
            .filter(([, b]) => b.x < -1 || b.y < -1 || b.x + b.width > box.width + 1 || b.y + b.height > box.height + 1)
            .map(([e]) => e.outerHTML.slice(0, 80)).join(' '); })()";
    assert_eq!(b.text(outside), "");
    assert!(b.text("document.querySelector('#plots').textContent").contains("open operations"));
    b.resize(PHONE.0, PHONE.1);
    b.settle();
    screenshot(b, "plots-phone");
    assert_fits(b, PHONE.0);
    assert_no_page_errors(b);
}

fn plots_in_files_follow_the_theme(b: &mut Browser) {
    let svg = plot::render(&service(30_000), plot::Place::File("service.edn"));
    let html = keep_html(
        "plot-file",
        &format!(
            "<!doctype html><html data-painted=1><title>x</title>{svg}<script>linpoint = {{}}</script>"
        ),
    );
    let ground = "getComputedStyle(document.querySelector('svg .ground')).fill";
    b.open(&html, "");
    screenshot(b, "plot-file");
    let light = b.text(ground);
    dark(b);
    b.open(&html, "");
    screenshot(b, "plot-file-dark");
    assert_ne!(b.text(ground), light);
    // As a document of its own it is XML.
    let parsed = format!(
        "new DOMParser().parseFromString({svg:?}, 'image/svg+xml').querySelector('parsererror') === null"
    );
    assert_eq!(b.eval(&parsed), serde_json::json!(true));
    assert_no_page_errors(b);
}

// ---- runs ----

/// A step: thread, operation, whether it calls the operation, lines, result.
type Line = (usize, usize, bool, &'static [&'static str], Option<&'static str>);

/// A queue whose second dequeue returns what the first one did.
fn run(threads: u32) -> String {
    let mut history = History::from_events();
    let a = history.call_by(0, QueueOp::Enqueue("a")).unwrap();
    let b = history.call_by(1, QueueOp::Enqueue("b")).unwrap();
    history.ret(a, QueueRet::Done).unwrap();
    let first = history.call_by(0, QueueOp::Dequeue).unwrap();
    history.ret(b, QueueRet::Done).unwrap();
    let second = history.call_by(1, QueueOp::Dequeue).unwrap();
    history.ret(first, QueueRet::Value(Some("a"))).unwrap();
    history.ret(second, QueueRet::Value(Some("a"))).unwrap();
    let lost = history.call_by(threads - 1, QueueOp::Enqueue("c")).unwrap();
    history.crash(lost).unwrap();
    let (history, spec) = (history.finish(), Queue::new());
    let report = Checker::new(&spec).check(&history).unwrap();
    let operations = TypedOperations { spec: &spec, history: &history };
    let heading = Heading {
        name: "two-locks".to_owned(),
        model: "a queue that forgets to lock".to_owned(),
        operations: history.len(),
        time: Duration::from_millis(3),
        ..Heading::default()
    };
    let rendered = Rendered::new(heading, &operations, &report);
    let shared =
        ["head=1 tail=1", "head=1 tail=1 1:(a next=0)", "head=1 tail=2 1:(a next=2) 2:(b next=0)"];
    let at = |number: usize| shared[number.min(2)].to_owned();
    let steps: [Line; 11] = [
        (0, 0, true, &["E1"], None),
        (1, 1, true, &["E1"], None),
        (0, 0, false, &["E2", "E3"], None),
        (0, 0, false, &["E4"], Some("ok")),
        (0, 2, true, &["D1"], None),
        (1, 1, false, &["E2"], Some("ok")),
        (1, 3, true, &["D1"], None),
        (1, 3, false, &["D2"], None),
        (0, 2, false, &["D2"], Some("\"a\"")),
        (1, 3, false, &["D3"], Some("\"a\"")),
        (threads as usize - 1, 4, true, &["E1"], None),
    ];
    let steps =
        steps.iter().enumerate().map(|(number, (thread, operation, is_call, lines, ret))| Step {
            thread: *thread,
            operation: *operation,
            is_call: *is_call,
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            ret: ret.map(str::to_owned),
            shared: at(number / 3),
            local: ret.is_none().then(|| format!("node={number}")),
        });
    let run = Run {
        bounds: "two threads".to_owned(),
        initially: "head=0 tail=0".to_owned(),
        steps: steps.collect(),
    };
    run_page::render(&run, &rendered, &operations)
}

fn the_keyboard_steps_through_a_run(b: &mut Browser) {
    let file = keep_html("run", &run(3));
    b.open(&file, "");
    let memory = "document.getElementById('memory').textContent";
    let at = "document.getElementById('where').textContent";
    assert_eq!(b.text("document.getElementById('badge').textContent"), "\u{2717} NOT LINEARIZABLE");
    assert!(b.text("document.getElementById('reason').textContent").contains("dequeue()"));
    assert_eq!(b.text(at), "step 0 of 11");
    assert_eq!(b.text(memory), "head0tail0");
    // Every step of the run has a row and a dot.
    assert_eq!(b.number("document.querySelectorAll('#run tbody tr').length"), 12.0);
    assert_eq!(b.number("document.querySelectorAll('#lanes .dot').length"), 11.0);
    assert_eq!(b.number("document.querySelectorAll('#lanes .bar').length"), 5.0);
    assert_eq!(b.number("document.querySelectorAll('#lanes .bar.fails').length"), 1.0);
    assert!(b.number("document.querySelectorAll('#lanes .bar.core').length") >= 2.0);
    b.key("ArrowRight");
    assert_eq!(b.text(at), "step 1 of 11");
    assert_eq!(b.text("document.getElementById('now').textContent"), "T0  enqueue(\"a\"): E1");
    // What the step changed is marked, with what was there before.
    assert_eq!(
        b.text("[...document.querySelectorAll('#memory mark')].map((m) => m.textContent).join()"),
        "1,1"
    );
    assert_eq!(
        b.text("[...document.querySelectorAll('#memory del')].map((m) => m.textContent).join()"),
        "0,0"
    );
    for key in ["ArrowDown", "n", "j"] {
        b.key(key);
    }
    assert_eq!(b.text(at), "step 4 of 11");
    let threads = "document.getElementById('threads').textContent";
    assert!(b.text(threads).contains("T1enqueue(\"b\")node=1"), "{}", b.text(threads));
    screenshot(b, "run");
    b.key("p");
    b.key("ArrowUp");
    assert_eq!(b.text(at), "step 2 of 11");
    b.key("f");
    assert_eq!(b.text(at), "step 10 of 11");
    screenshot(b, "run-failure");
    b.key("End");
    b.key("ArrowRight");
    assert_eq!(b.text(at), "step 11 of 11");
    assert!(b.text(memory).contains("a next=2") && b.text("location.hash") == "#step=11");
    b.key("Home");
    assert_eq!(b.text(at), "step 0 of 11");
    b.click("#run tbody tr:nth-child(7)");
    assert_eq!(b.text(at), "step 6 of 11");
    b.click("#lanes .dot:nth-of-type(3)");
    assert_eq!(b.text(at), "step 3 of 11");
    for (link, step) in [("#step=5", 5), ("#step=99", 11), ("#step=x", 0), ("#step=-3", 0)] {
        b.open(&file, link);
        assert_eq!(b.text(at), format!("step {step} of 11"), "{link}");
    }
    b.key("?");
    assert!(b.text("document.getElementById('help').textContent").contains("previous step"));
    assert_no_page_errors(b);
}

fn a_run_fits_a_phone_and_the_dark(b: &mut Browser) {
    dark(b);
    let file = keep_html("run", &run(3));
    b.resize(PHONE.0, PHONE.1);
    b.open(&file, "#step=9");
    screenshot(b, "run-phone-dark");
    assert_fits(b, PHONE.0);
    b.resize(WIDTH, HEIGHT);
    b.open(&file, "#step=9");
    screenshot(b, "run-dark");
    // Many threads share a column.
    let file = keep_html("run-threads", &run(9));
    b.open(&file, "#step=11");
    assert_eq!(b.number("document.querySelectorAll('#run thead th').length"), 3.0);
    assert!(
        b.text("document.querySelector('#run tr.now').textContent").contains("T8enqueue(\"c\")")
    );
    assert_no_page_errors(b);
}

// ---- tables ----

fn table(copies: usize) -> String {
    let history = support::key_value(300, 5, 4, 3, None);
    let pages = [
        support::queue_out_of_order(),
        support::key_value_page("store/run-2.edn", &history),
        support::undecided(),
        support::key_value_page("store/run-10.edn", &history),
        support::lost_update(),
    ];
    let mut entries =
        vec![Entry::error("store/empty.txt", "store/empty.txt: unknown format\nhelp: x")];
    for (number, page) in pages.iter().cycle().take(copies).enumerate() {
        entries.push(Entry::new(&page.rendered).with_link(format!("page {number}.html")));
    }
    index_page::render(&entries, "6 histories: 2 linearizable, 2 not\n")
}

fn a_table_sorts_and_filters(b: &mut Browser) {
    let file = keep_html("index", &table(5));
    b.open(&file, "");
    screenshot(b, "index");
    let names =
        "[...document.querySelectorAll('#rows td.name')].map((cell) => cell.textContent).join()";
    let shown = "document.querySelectorAll('#rows tr').length";
    assert_eq!(
        b.text("document.getElementById('title').textContent"),
        "2 of 6 histories not linearizable"
    );
    let summary = b.text("document.getElementById('summary').textContent");
    assert_eq!(summary, "6 histories: 2 linearizable, 2 not");
    // Failures come first, in the order of the inputs.
    assert_eq!(
        b.text(names),
        "jobs.jsonl,kv-lost-update,hard.jsonl,store/empty.txt,store/run-2.edn,store/run-10.edn"
    );
    b.click("[data-column=name] button");
    assert_eq!(
        b.text(names),
        "hard.jsonl,jobs.jsonl,kv-lost-update,store/empty.txt,store/run-2.edn,store/run-10.edn"
    );
    b.click("[data-column=name] button");
    assert!(b.text(names).starts_with("store/run-10.edn,store/run-2.edn"));
    b.click("[data-column=operations] button");
    assert!(b.text(names).starts_with("store/run-2.edn,store/run-10.edn"));
    b.click("[data-verdict=bad]");
    assert_eq!(b.number(shown), 2.0);
    assert_eq!(b.text("document.getElementById('found').textContent"), "2 of 6");
    b.click("[data-verdict=bad]");
    assert_eq!(b.number(shown), 6.0);
    b.key("/");
    b.eval("document.execCommand('insertText', false, 'KV store')");
    assert_eq!(b.number(shown), 2.0);
    // The link restores the view.
    let link = b.text("location.hash");
    b.open(&file, &link);
    assert_eq!(b.number(shown), 2.0);
    let href = "document.querySelector('#rows a').getAttribute('href')";
    assert!(b.text(href).starts_with("page%20"), "{}", b.text(href));
    b.open(&file, "#sort=constructor&show=x&q=");
    assert_eq!(b.number(shown), 6.0);
    // Long tables show the first rows, and more on demand.
    let file = keep_html("index-long", &table(2_500));
    b.open(&file, "");
    assert_eq!(b.number(shown), 1_000.0);
    b.click("#more");
    assert_eq!(b.number(shown), 2_000.0);
    assert_no_page_errors(b);
}

fn a_table_fits_a_phone_and_the_dark(b: &mut Browser) {
    dark(b);
    let file = keep_html("index", &table(5));
    b.open(&file, "");
    screenshot(b, "index-dark");
    b.resize(PHONE.0, PHONE.1);
    b.open(&file, "");
    screenshot(b, "index-phone-dark");
    assert_fits(b, PHONE.0);
    assert_no_page_errors(b);
}

fn texts_in_the_other_pages_are_never_markup(b: &mut Browser) {
    let evil = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>";
    let page = support::hostile();
    let entries = [Entry::new(&page.rendered), Entry::error(evil, evil)];
    let table = keep_html("index-hostile", &index_page::render(&entries, evil));
    let run = run(2).replace("two-locks", &evil.replace('<', "\\u003c").replace('"', "\\\""));
    let run = keep_html("run-hostile", &run);
    for file in [table, run] {
        b.open(&file, "");
        assert_eq!(b.number("document.scripts.length"), 2.0);
        assert_eq!(b.number("document.querySelectorAll('img').length"), 0.0);
        assert_ne!(b.text("document.title"), "owned");
        assert_no_page_errors(b);
    }
}
