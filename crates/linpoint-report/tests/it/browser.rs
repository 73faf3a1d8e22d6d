//! Tests of the page in a real browser. Pages and screenshots are kept in `target/html-report`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::pointer::{
    dates_are_shown_only_if_they_are_known, events_are_in_the_lanes_of_their_clients,
    hovering_says_where_an_operation_is_in_the_orders, hovering_shows_what_selecting_would,
    other_files_of_a_jepsen_run_are_linked, remarks_are_with_their_operations,
};
use crate::support::browser::{Browser, chromium};
use crate::support::{self, Page, artefacts};

pub const WIDTH: u32 = 1280;
pub const HEIGHT: u32 = 800;

/// Starts a browser; `None`, with a message, if there is none.
pub fn browser() -> Option<Browser> {
    match chromium() {
        Some(program) => Some(Browser::start(&program, WIDTH, HEIGHT)),
        None => {
            eprintln!("SKIPPED: chromium is not installed (PATH, CHROMIUM)");
            None
        }
    }
}

/// Writes a page.
pub fn keep(name: &str, page: &Page) -> PathBuf {
    keep_html(name, &page.html)
}

/// Writes a page. The file is replaced atomically: a browser must never load half of it.
pub fn keep_html(name: &str, html: &str) -> PathBuf {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let file = artefacts().join(format!("{name}.html"));
    let draft = artefacts().join(format!("{name}.{}-{number}.draft", std::process::id()));
    std::fs::write(&draft, html).unwrap();
    std::fs::rename(&draft, &file).unwrap();
    file
}

pub fn screenshot(browser: &mut Browser, name: &str) {
    browser.screenshot(&artefacts().join(format!("{name}.png")));
}

fn span(browser: &mut Browser) -> f64 {
    browser.number("linpoint.state.x1 - linpoint.state.x0")
}

fn shown(browser: &mut Browser) -> f64 {
    browser.number("linpoint.shown.layout.shown")
}

pub fn assert_no_page_errors(browser: &mut Browser) {
    // Pending messages arrive before the answer of `settle`.
    browser.settle();
    assert_eq!(browser.errors, Vec::<String>::new());
}

/// One browser for all of them, because starting it takes longer than most. Each gets a page of its own.
#[test]
fn pages_work_in_a_browser() {
    let Some(mut b) = browser() else { return };
    let checks: [fn(&mut Browser); 22] = [
        a_violation_opens_at_its_core_with_reason_and_states,
        wheel_keys_and_buttons_zoom_and_f_returns_to_the_failure,
        stepping_shows_states_and_orders_can_be_compared,
        filters_hide_operations_and_links_restore_the_view,
        dark_mode_follows_the_system_and_the_button,
        text_from_a_history_is_never_markup,
        labels_do_not_overlap,
        lengths_are_durations_on_the_axis_of_time,
        a_selected_operation_shows_its_order_and_what_stops_it,
        hovering_shows_what_selecting_would,
        hovering_says_where_an_operation_is_in_the_orders,
        events_are_in_the_lanes_of_their_clients,
        remarks_are_with_their_operations,
        dates_are_shown_only_if_they_are_known,
        other_files_of_a_jepsen_run_are_linked,
        processes_of_one_thread_share_a_lane,
        blank_lanes_are_hidden_until_asked_for,
        with_many_clients_those_of_the_failure_come_first,
        search_finds_operations_and_reveals_them,
        parts_are_listed_with_verdicts_and_decoded_on_demand,
        undecided_and_empty_pages_say_so,
        a_page_with_a_hundred_thousand_operations_works,
    ];
    for check in checks {
        b.fresh_page(WIDTH, HEIGHT);
        check(&mut b);
    }
}

fn a_violation_opens_at_its_core_with_reason_and_states(b: &mut Browser) {
    let file = keep("small", &support::queue_out_of_order());
    b.open(&file, "");
    screenshot(b, "small");
    assert_eq!(b.text("document.getElementById('badge').textContent"), "\u{2717} NOT LINEARIZABLE");
    let reason = b.text("document.getElementById('reason').textContent");
    assert!(reason.contains("dequeue()") && reason.contains("\"c\""), "{reason}");
    let states = b.text("document.getElementById('states').textContent");
    for expected in ["initial state", "empty", "[\"a\", \"b\"]", "impossible"] {
        assert!(states.contains(expected), "{states}");
    }
    // The failing return is inside the window.
    let at = "linpoint.shown.set.to[linpoint.shown.marks.failing]";
    assert!(b.number(at) > b.number("linpoint.state.x0"));
    assert!(b.number(at) < b.number("linpoint.state.x1"));
    b.resize(800, 700);
    b.settle();
    screenshot(b, "small-800");
    let wide = b.number("document.documentElement.scrollWidth");
    assert!(wide <= 800.0, "the page is {wide} wide");
    assert_no_page_errors(b);
}

fn wheel_keys_and_buttons_zoom_and_f_returns_to_the_failure(b: &mut Browser) {
    let file = keep("small", &support::queue_out_of_order());
    b.open(&file, "");
    let whole = span(b);
    b.wheel(500.0, 300.0, -400.0);
    let wheeled = span(b);
    assert!(wheeled < whole);
    b.key("+");
    let pressed = span(b);
    assert!(pressed < wheeled);
    b.click("#zoom-in");
    assert!(span(b) < pressed);
    b.key("ArrowRight");
    b.click("#zoom-fit");
    assert!(span(b) >= b.number("linpoint.shown.layout.bars.extent"));
    b.click("#zoom-in");
    b.click("#zoom-in");
    b.key("f");
    let failing = "linpoint.shown.set.from[linpoint.shown.marks.failing]";
    assert!(b.number(failing) >= b.number("linpoint.state.x0"));
    assert!(b.number(failing) <= b.number("linpoint.state.x1"));
    assert_no_page_errors(b);
}

fn stepping_shows_states_and_orders_can_be_compared(b: &mut Browser) {
    let file = keep("small", &support::queue_out_of_order());
    b.open(&file, "");
    b.click("#tab-order");
    let state = "document.getElementById('state-now').textContent";
    assert_eq!(b.text(state), "Before the first step: empty");
    b.key("n");
    b.click("#step-next");
    assert_eq!(b.text(state), "After step 2: [\"a\", \"b\"] (front first)");
    assert_eq!(b.text("document.getElementById('step-text').textContent"), "2 / 5");
    b.key("p");
    assert_eq!(b.text(state), "After step 1: [\"a\"] (front first)");
    b.key("o");
    assert_eq!(b.text("linpoint.state.axis"), "order");
    screenshot(b, "order");
    b.key("t");
    b.key("c");
    screenshot(b, "compare");
    let compared = b.text("document.getElementById('fork').textContent");
    assert!(compared.starts_with("The orders diverge at step 5."), "{compared}");
    assert_no_page_errors(b);
}

fn filters_hide_operations_and_links_restore_the_view(b: &mut Browser) {
    let file = keep("small", &support::queue_out_of_order());
    b.open(&file, "");
    let all = shown(b);
    b.click("#tab-filter");
    // Hide pending operations, then a kind of operation, then a client.
    b.click("[data-filter='outcomes:3']");
    assert_eq!(shown(b), all - 1.0);
    b.click("[data-filter='kinds:0']");
    let fewer = shown(b);
    assert!(fewer < all - 1.0 && fewer > 0.0);
    b.click("[data-filter='clients:3']");
    assert!(shown(b) < fewer);
    screenshot(b, "filtered");
    b.key("d");
    b.settle();
    let link = b.text("location.hash");
    let view = "JSON.stringify([linpoint.state.x0.toFixed(1), linpoint.shown.layout.shown, \
                linpoint.state.tab, document.documentElement.dataset.theme])";
    let before = b.text(view);
    b.open(&file, &link);
    assert_eq!(b.text(view), before, "{link}");
    b.click("#filter-reset");
    assert_eq!(shown(b), all);
    // Links are untrusted input.
    b.open(
        &file,
        "#part=99&x=NaN,a&step=-3&op=1e9&order=7&hide-kinds=..x&theme=odd&tab=constructor",
    );
    assert_eq!(shown(b), all);
    assert_no_page_errors(b);
}

fn dark_mode_follows_the_system_and_the_button(b: &mut Browser) {
    let file = keep("small", &support::queue_out_of_order());
    let dark =
        serde_json::json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    b.ask("Emulation.setEmulatedMedia", dark);
    b.open(&file, "");
    let theme = "document.documentElement.dataset.theme";
    assert_eq!(b.text(theme), "dark");
    screenshot(b, "small-dark");
    let ground = b.text("getComputedStyle(document.body).backgroundColor");
    b.click("#theme");
    assert_eq!(b.text(theme), "light");
    assert_ne!(b.text("getComputedStyle(document.body).backgroundColor"), ground);
    assert_no_page_errors(b);
}

fn text_from_a_history_is_never_markup(b: &mut Browser) {
    let page = support::hostile();
    let file = keep("hostile", &page);
    b.open(&file, "");
    b.key("n");
    b.click("#tab-filter");
    b.point(300.0, 190.0);
    screenshot(b, "hostile");
    assert_eq!(b.number("document.scripts.length"), 3.0);
    assert_eq!(
        b.number("document.querySelectorAll('img, h1:not(#name), i:not(.legend i)').length"),
        0.0
    );
    assert!(b.text("document.title").starts_with("</title><script>alert(1)"));
    let label = b.text("document.getElementById('details').textContent");
    assert!(label.contains("</script><script>"), "{label}");
    // The SVG is well-formed, and the text is text.
    let parsed = "(() => { const d = new DOMParser().parseFromString(linpoint.svg(), 'image/svg+xml'); \
                  return d.querySelector('parsererror') ? 'bad' : d.documentElement.textContent; })()";
    let text = b.text(parsed);
    assert!(text.contains("</script>"), "{text}");
    assert_no_page_errors(b);
}

fn labels_do_not_overlap(b: &mut Browser) {
    // Labels of operations in the drawing, each with its line and its columns, that another one overlaps.
    let overlapping = "(() => {
        const page = new DOMParser().parseFromString(linpoint.svg(), 'image/svg+xml');
        const labels = [...page.querySelectorAll('text')]
            .filter((t) => t.getAttribute('font-family').includes('Mono'))
            .map((t) => ({ x: Number(t.getAttribute('x')), y: Number(t.getAttribute('y')), text: t.textContent,
                wide: t.textContent.length * Number(t.getAttribute('font-size')) * 0.602 }));
        const meet = (a, b) => a !== b && Math.abs(a.y - b.y) < 8 && a.x < b.x + b.wide && b.x < a.x + a.wide;
        return labels.filter((a) => labels.some((b) => meet(a, b))).map((a) => a.text).join('; ');
    })()";
    let file = keep("lost-update", &support::lost_update());
    for width in [500, 800, 1280, 1800] {
        b.resize(width, 800);
        b.open(&file, "");
        screenshot(b, &format!("lost-update-{width}"));
        assert_eq!(b.text(overlapping), "", "at {width} pixels");
        assert_no_page_errors(b);
    }
}

fn with_many_clients_those_of_the_failure_come_first(b: &mut Browser) {
    let history = support::key_value(400, 40, 3, 5, Some(60));
    let file = keep("crowd", &support::key_value_page("crowd.jsonl", &history));
    b.open(&file, "");
    screenshot(b, "crowd");
    let rows = "[...linpoint.shown.marks.core].map((i) => linpoint.shown.layout.rowOf(i))";
    let clients =
        "new Set([...linpoint.shown.marks.core].map((i) => linpoint.shown.set.client[i])).size";
    assert!(b.number(clients) >= 1.0);
    assert!(b.number(&format!("Math.max(...{rows})")) < 2.0 * b.number(clients));
    assert!(b.text("document.getElementById('part').textContent").starts_with("key "));
    assert!(!b.text("document.getElementById('legend').textContent").is_empty());
    assert_eq!(b.text("String(document.getElementById('plan').open)"), "false");
    assert_no_page_errors(b);
}

fn lengths_are_durations_on_the_axis_of_time(b: &mut Browser) {
    let file = keep("small", &support::queue_out_of_order());
    b.open(&file, "");
    b.key("t");
    assert_eq!(b.text("linpoint.state.axis"), "clock");
    screenshot(b, "clock");
    // The clock of these pages is the square of the rank, in milliseconds.
    let failing = "linpoint.shown.marks.failing";
    let bars = "linpoint.shown.layout.bars";
    let set = "linpoint.shown.set";
    for (place, rank) in [("start", "from"), ("end", "to")] {
        let tick = b.number(&format!("{bars}.{place}[{failing}] * linpoint.facts.clock.step"));
        let rank = b.number(&format!("{set}.{rank}[{failing}]"));
        assert_eq!(tick, rank * rank, "{place}");
    }
    assert_eq!(b.text(&format!("String(linpoint.isInView({failing}))")), "true");
    assert!(b.text("linpoint.svg()").contains(" ms<"));
    b.eval(&format!("linpoint.select({failing})"));
    b.settle();
    let details = b.text("document.getElementById('details').textContent");
    let from = b.number(&format!("{set}.from[{failing}]"));
    assert!(details.contains(&format!("{} to ", 5_000.0 + from * from)), "{details}");
    // The same events stay in the window.
    let window = "[linpoint.state.x0, linpoint.state.x1].map((x) => x.toFixed(3)).join()";
    b.key("0");
    let before = b.text(window);
    b.key("e");
    assert_eq!(b.text("linpoint.state.axis"), "time");
    b.key("t");
    assert_eq!(b.text(window), before);
    let link = b.text("location.hash");
    b.open(&file, &link);
    assert_eq!(b.text("linpoint.state.axis"), "clock");
    // Without times there is no such axis.
    let file = keep("lost-update", &support::lost_update());
    b.open(&file, "#axis=clock");
    assert_eq!(b.text("linpoint.state.axis"), "time");
    assert_eq!(b.text("String(document.getElementById('axis-clock').hidden)"), "true");
    assert_no_page_errors(b);
}

fn a_selected_operation_shows_its_order_and_what_stops_it(b: &mut Browser) {
    let file = keep("small", &support::queue_out_of_order());
    b.open(&file, "");
    b.eval("linpoint.select(linpoint.shown.marks.failing)");
    b.settle();
    screenshot(b, "selected");
    let details = b.text("document.getElementById('details').textContent");
    // dequeue() returned "c" while "b" was at the front.
    assert!(details.contains("None: whatever comes before it"), "{details}");
    let verdict = b.text("document.getElementById('pages').textContent");
    assert!(verdict.contains("What could come next"), "{verdict}");
    assert!(verdict.contains("would return \"b\", not \"c\""), "{verdict}");
    // An operation that was called after the failing return.
    b.eval("linpoint.select(8)");
    b.settle();
    let details = b.text("document.getElementById('with').textContent");
    assert!(details.starts_with("None: it was called after"), "{details}");
    // One that returned before.
    b.eval("linpoint.select(0)");
    b.settle();
    b.click("#follow");
    assert_eq!(b.text("linpoint.state.tab"), "order");
    assert!(b.number("linpoint.shown.places[0]") >= 0.0);
    assert_no_page_errors(b);
}

fn processes_of_one_thread_share_a_lane(b: &mut Browser) {
    let file = keep("crashes", &support::crashes());
    b.open(&file, "");
    screenshot(b, "crashes");
    let lanes = "new Set(linpoint.shown.layout.all.map((lane) => lane.owner)).size";
    assert_eq!(b.number(lanes), 4.0);
    b.key("l");
    assert_eq!(b.number(lanes), b.number("linpoint.facts.clients.length"));
    screenshot(b, "crashes-unfolded");
    b.key("l");
    assert_eq!(b.number(lanes), 4.0);
    b.key("t");
    screenshot(b, "crashes-clock");
    // Two faults of one nemesis overlap.
    assert_eq!(b.number("linpoint.shown.faultRows.length"), 2.0);
    assert_no_page_errors(b);
}

fn blank_lanes_are_hidden_until_asked_for(b: &mut Browser) {
    let history = support::key_value(2_000, 60, 1, 5, Some(60));
    let file = keep("sixty", &support::key_value_page("sixty.jsonl", &history));
    b.resize(1_100, 560);
    b.open(&file, "");
    b.eval("linpoint.state.x0 = linpoint.state.x1 - 20; linpoint.draw()");
    b.settle();
    screenshot(b, "blank-hidden");
    let (all, drawn) = ("linpoint.shown.layout.all.length", "linpoint.shown.layout.lanes.length");
    let (lanes, few) = (b.number(all), b.number(drawn));
    assert!(few < lanes && few > 0.0, "{few} of {lanes}");
    let button = b.text("document.getElementById('blank').textContent");
    assert_eq!(
        button,
        format!("+ {} blank lane{}", lanes - few, if lanes - few == 1.0 { "" } else { "s" })
    );
    b.click("#blank");
    assert_eq!(b.number(drawn), lanes);
    b.key("a");
    assert_eq!(b.number(drawn), few);
    assert_no_page_errors(b);
}

fn search_finds_operations_and_reveals_them(b: &mut Browser) {
    let history = support::key_value(20_000, 12, 1, 7, None);
    let file = keep("search", &support::key_value_page("search.jsonl", &history));
    b.open(&file, "");
    b.key("/");
    b.eval("document.execCommand('insertText', false, 'put(0, 1999')");
    b.wait("document.getElementById('found').textContent.match(/^\\d+$/)");
    let hits = b.number("linpoint.shown.hits.length");
    assert!(hits > 0.0 && hits < 20.0, "{hits}");
    b.key("Enter");
    assert_eq!(b.text("document.getElementById('found').textContent"), format!("1/{hits}"));
    assert!(span(b) < 1_000.0);
    screenshot(b, "search");
    // Both spellings of the arrow, and clients.
    for query in ["get(0) -> ", "get(0) \u{2192} ", "client 3"] {
        b.eval(&format!("linpoint.search('{query}')"));
        b.wait("linpoint.shown.hits.length > 0");
    }
    assert_no_page_errors(b);
}

fn parts_are_listed_with_verdicts_and_decoded_on_demand(b: &mut Browser) {
    let history = support::key_value(20_000, 12, 300, 7, Some(2_000));
    let page = support::key_value_page("parts.jsonl", &history);
    assert!(page.report.verdict.violation().is_some());
    let file = keep("parts", &page);
    b.open(&file, "");
    b.click("#tab-parts");
    screenshot(b, "parts");
    let first = b.text("document.querySelector('.row.part').textContent");
    assert!(first.starts_with("key ") && first.ends_with("not linearizable"), "{first}");
    let one = shown(b);
    assert!(one < 200.0, "{one} operations of one key");
    b.click("#all-parts");
    assert_eq!(shown(b), 20_000.0);
    screenshot(b, "parts-all");
    b.click(".row.part:nth-child(3)");
    assert!(shown(b) < 200.0);
    assert_no_page_errors(b);
}

fn undecided_and_empty_pages_say_so(b: &mut Browser) {
    let file = keep("undecided", &support::undecided());
    b.open(&file, "");
    screenshot(b, "undecided");
    assert_eq!(b.text("document.getElementById('badge').textContent"), "? undecided");
    assert!(b.text("document.getElementById('reason').textContent").contains("cancellation"));
    let file = keep("empty", &support::empty());
    b.open(&file, "");
    screenshot(b, "empty");
    assert_eq!(
        b.text("document.getElementById('empty').textContent"),
        "The history has no operations."
    );
    assert_no_page_errors(b);
}

/// Opens a large page and prints the times. They are not asserted.
fn open_large_page(b: &mut Browser, operations: usize, name: &str) {
    let history = support::key_value(operations, 24, 1, 7, None);
    let page = support::key_value_page(name, &history);
    let file = keep(name, &page);
    b.open(&file, "");
    screenshot(b, name);
    let painted = b.number("+document.documentElement.dataset.painted");
    let frame = "(() => { const t = performance.now(); for (let k = 0; k < 10; k++) linpoint.draw(); \
                 return (performance.now() - t) / 10; })()";
    let whole = b.number(frame);
    b.open(&file, "#x=5000,5100");
    let near = b.number(frame);
    screenshot(b, &format!("{name}-near"));
    println!(
        "{operations} operations: {} bytes, painted after {painted:.0} ms, a frame takes {whole:.1} ms \
         (everything), {near:.1} ms (100 events)",
        page.html.len()
    );
    assert_eq!(shown(b), operations as f64);
    b.key("o");
    b.key("End");
    assert_eq!(b.number("linpoint.state.step + 1"), b.number("linpoint.shown.order.ids.length"));
    assert_no_page_errors(b);
}

/// Whatever the size of the page, the failing operation is in view when it opens.
fn failing_is_in_view(b: &mut Browser, file: &std::path::Path, name: &str) {
    for (width, height) in [(WIDTH, HEIGHT), (390, 844), (1_900, 500)] {
        b.resize(width, height);
        for axis in ["", "#axis=clock", "#blank=yes"] {
            b.open(file, axis);
            if axis.is_empty() {
                screenshot(b, &format!("{name}-{width}"));
            }
            let seen = b.text("String(linpoint.isInView(linpoint.shown.marks.failing))");
            assert_eq!(seen, "true", "{name} at {width} pixels, {axis}");
        }
    }
    assert_no_page_errors(b);
}

fn a_page_with_a_hundred_thousand_operations_works(b: &mut Browser) {
    let history = support::key_value(100_000, 50, 1, 7, Some(20_000));
    let file = keep("large-bad", &support::key_value_page("large-bad", &history));
    failing_is_in_view(b, &file, "large-bad");
    failing_is_in_view(b, &keep("crashes", &support::crashes()), "crashes");
    b.resize(WIDTH, HEIGHT);

    open_large_page(b, 100_000, "large");
    let size = std::fs::metadata(artefacts().join("large.html")).map(|m| m.len()).unwrap_or(0);
    assert!(size < 4_000_000, "{size} bytes");
}

#[test]
fn a_page_with_a_million_operations_works() {
    if std::env::var_os("LINPOINT_LONG").is_none() {
        eprintln!("SKIPPED: LINPOINT_LONG is not set");
        return;
    }
    let Some(mut b) = browser() else { return };
    open_large_page(&mut b, 1_000_000, "million");
}
