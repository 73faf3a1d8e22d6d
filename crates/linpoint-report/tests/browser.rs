//! The page in a real browser. Pictures are kept in `target/html-report`.

mod support;

use std::path::PathBuf;

use support::browser::{Browser, chromium};
use support::{Page, artefacts};

/// Starts a browser, or says that there is none.
fn browser(width: u32) -> Option<Browser> {
    match chromium() {
        Some(program) => Some(Browser::start(&program, width, 800)),
        None => {
            eprintln!("SKIPPED: there is no chromium in PATH or CHROMIUM");
            None
        }
    }
}

fn keep(name: &str, page: &Page) -> PathBuf {
    let file = artefacts().join(format!("{name}.html"));
    std::fs::write(&file, &page.html).unwrap();
    file
}

fn window(browser: &mut Browser) -> (f64, f64) {
    (browser.number("linpoint.state.x0"), browser.number("linpoint.state.x1"))
}

#[test]
fn small() {
    let Some(mut b) = browser(1280) else { return };
    let page = support::queue_out_of_order();
    let file = keep("small", &page);
    b.open(&file, "");
    b.picture(&artefacts().join("small.png"));
    println!("{:?}", b.complaints);
}

#[test]
fn pages() {
    let page = support::key_value(100_000, 24, 1, 7, Some(2_000));
    let begin = std::time::Instant::now();
    keep("kv-1-bad", &support::key_value_page("kv-1-bad.jsonl", &page));
    eprintln!("{:?}", begin.elapsed());
    let page = support::key_value(100_000, 24, 1, 7, None);
    keep("kv-1-ok", &support::key_value_page("kv-1-ok.jsonl", &page));
    let page = support::key_value(20_000, 12, 300, 7, Some(2_000));
    keep("kv-300-bad", &support::key_value_page("kv-300-bad.jsonl", &page));
    let page = support::key_value(20_000, 12, 300, 7, None);
    keep("kv-300-ok", &support::key_value_page("kv-300-ok.jsonl", &page));
    keep("undecided", &support::undecided());
    keep("hostile", &support::hostile());
    keep("empty", &support::empty());
    eprintln!("{:?}", begin.elapsed());
    let page = support::key_value(1_000_000, 24, 10, 7, None);
    let begin = std::time::Instant::now();
    keep("million", &support::key_value_page("million.jsonl", &page));
    eprintln!("{:?}", begin.elapsed());
}
