//! Tests of plots in a real browser.

use linpoint_report::plot;

use crate::browser::{HEIGHT, WIDTH, assert_no_page_errors, browser, keep_html, screenshot};
use crate::plot::service;
use crate::support;
use crate::support::browser::Browser;

const PHONE: (u32, u32) = (390, 844);

/// One browser for all of them. Each gets a page of its own.
#[test]
fn other_pages_work_in_a_browser() {
    let Some(mut b) = browser() else { return };
    let checks: [fn(&mut Browser); 2] = [
        plots_are_folded_below_the_timeline,
        plots_in_files_follow_the_theme,
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
