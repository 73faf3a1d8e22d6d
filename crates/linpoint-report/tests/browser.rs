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
