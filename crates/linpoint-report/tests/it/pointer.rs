//! What the page shows of the operation or the event under the pointer.

use crate::browser::{assert_no_page_errors, keep, screenshot};
use crate::support::{self, browser::Browser};

/// Moves the mouse to a bar.
fn point_at(b: &mut Browser, operation: usize) {
    let at = b.eval(&format!("linpoint.pointOf({operation})"));
    b.point(at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
}

fn details(b: &mut Browser) -> String {
    b.text("document.getElementById('details').hidden ? '' : document.getElementById('details').textContent")
}

pub fn hovering_shows_what_selecting_would(b: &mut Browser) {
    let file = keep("small", &support::queue_out_of_order());
    b.open(&file, "");
    assert_eq!(details(b), "");
    let selected = "String(linpoint.state.selected)";
    let operations = b.number("linpoint.shown.set.n") as usize;
    for operation in 0..operations {
        b.eval(&format!("linpoint.select({operation})"));
        b.settle();
        let expected = details(b);
        b.eval("linpoint.select(null)");
        point_at(b, operation);
        assert_eq!(details(b), expected);
        assert_eq!(b.text(selected), "null");
        assert_eq!(b.number("linpoint.shown.hovered"), operation as f64);
        b.point(5.0, 5.0);
        assert_eq!(details(b), "");
    }
    // The selection comes back when the pointer leaves.
    let failing = b.number("linpoint.shown.marks.failing") as usize;
    b.eval(&format!("linpoint.select({failing})"));
    b.settle();
    let expected = details(b);
    point_at(b, 0);
    assert_ne!(details(b), expected);
    assert_eq!(b.text(selected), failing.to_string());
    b.point(5.0, 5.0);
    assert_eq!(details(b), expected);
    assert_no_page_errors(b);
}

pub fn hovering_says_where_an_operation_is_in_the_orders(b: &mut Browser) {
    let file = keep("small", &support::queue_out_of_order());
    b.open(&file, "");
    let tip = "document.getElementById('tip').textContent";
    point_at(b, 1);
    let text = b.text(tip);
    assert!(text.contains("step 2 of "), "{text}");
    screenshot(b, "hovered");
    // The number is at its point of the line.
    assert!(b.text("linpoint.svg()").contains(">2</text>"));
    // Why the failing one cannot come next, and that no order has it.
    let failing = b.number("linpoint.shown.marks.failing") as usize;
    point_at(b, failing);
    let text = b.text(tip);
    assert!(text.contains("no order has it: whatever comes before it"), "{text}");
    assert!(text.contains("would return \"b\", not \"c\""), "{text}");
    screenshot(b, "hovered-failing");
    point_at(b, 8);
    let text = b.text(tip);
    assert!(text.contains("no order has it: it was called after dequeue()"), "{text}");
    // The list of steps goes along.
    b.click("#tab-order");
    point_at(b, 2);
    assert_eq!(b.number("document.querySelectorAll('.row.hovered').length"), 1.0);
    b.point(5.0, 5.0);
    assert_eq!(b.number("document.querySelectorAll('.row.hovered').length"), 0.0);
    // Of a linearizable history, its step.
    let history = support::key_value(30, 3, 1, 7, None);
    let file = keep("hover-ok", &support::key_value_page("ok", &history));
    b.open(&file, "");
    point_at(b, 3);
    let step = b.number("linpoint.shown.places[3] + 1");
    let text = b.text(tip);
    assert!(text.contains(&format!("step {step} of ")), "{text}");
    assert_no_page_errors(b);
}

pub fn events_are_in_the_lanes_of_their_clients(b: &mut Browser) {
    let file = keep("notes", &support::notes());
    b.open(&file, "");
    screenshot(b, "notes");
    // Two are of clients of the history. One is of a client without operations, one has a lane of its own.
    let lanes = "linpoint.shown.faultRows.map((row) => row.name).join()";
    assert_eq!(b.text(lanes), "client 9,release");
    assert_eq!(b.number("[...linpoint.shown.notes.values()].flat().length"), 2.0);
    let svg = b.text("linpoint.svg()");
    for colour in ["#d64545", "#112233"] {
        assert!(svg.contains(colour), "{colour}");
    }
    let tip = "document.getElementById('tip').textContent";
    // At the upper edge of a lane is the event, below it the operation.
    let at = b.eval("linpoint.pointOf(1)");
    let (x, y) = (at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
    b.point(x, y);
    assert!(b.text(tip).starts_with("read()"), "{}", b.text(tip));
    let top = y - 17.0;
    b.point(x, top);
    assert!(b.text(tip).starts_with("paused <b>by</b> the collector"), "{}", b.text(tip));
    assert!(b.text(tip).contains("client 1"), "{}", b.text(tip));
    // A click keeps it in the panel.
    for kind in ["mousePressed", "mouseReleased"] {
        let event = serde_json::json!({ "type": kind, "x": x, "y": top, "button": "left", "clickCount": 1 });
        b.ask("Input.dispatchMouseEvent", event);
    }
    b.settle();
    b.point(5.0, 5.0);
    screenshot(b, "notes-details");
    let text = details(b);
    assert!(
        text.starts_with("paused <b>by</b> the collector") && text.contains("from event"),
        "{text}"
    );
    assert_eq!(b.text("String(linpoint.state.selected)"), "null");
    b.key("Escape");
    assert_eq!(details(b), "");
    b.key("t");
    screenshot(b, "notes-clock");
    assert_eq!(b.number("[...linpoint.shown.notes.values()].flat().length"), 2.0);
    // On the axis of the order there is no time.
    b.key("o");
    assert_eq!(b.number("linpoint.shown.notes.size + linpoint.shown.faultRows.length"), 0.0);
    b.key("e");
    b.key("d");
    screenshot(b, "notes-dark");
    assert_no_page_errors(b);
}

pub fn remarks_are_with_their_operations(b: &mut Browser) {
    let file = crate::browser::keep_html("remarks", &support::remarked().html);
    b.open(&file, "");
    // Two keys: each part has its own remarks, and all of them together have all.
    for part in ["0", "1", "all"] {
        b.open(&file, &format!("#part={part}"));
        let wrong = "[...Array(linpoint.shown.set.n).keys()].filter((i) => { \
             const id = linpoint.shown.set.id[i], text = linpoint.shown.set.remarks.get(i); \
             return text !== (id % 3 ? undefined : `node: n${id % 2}`); }).length";
        assert_eq!(b.number(wrong), 0.0, "{part}");
    }
    let first = b.number("linpoint.shown.set.id.indexOf(0)");
    b.eval(&format!("linpoint.select({first})"));
    b.settle();
    assert!(details(b).contains("Remarknode: n0"), "{}", details(b));
    assert_no_page_errors(b);
}

pub fn dates_are_shown_only_if_they_are_known(b: &mut Browser) {
    // Nothing says when the clock of these pages began.
    let page = support::queue_out_of_order().html;
    let file = crate::browser::keep_html("undated", &page);
    b.open(&file, "#op=1");
    assert!(details(b).contains("Clock5004 to 5009 ms"), "{}", details(b));
    assert!(!details(b).contains("Date"), "{}", details(b));
    // The same numbers, and the last nanoseconds of a day.
    let dated = |clock: &str| {
        let (before, rest) = page.split_once("\"clock\":{").unwrap();
        let (_, after) = rest.split_once('}').unwrap();
        format!("{before}\"clock\":{clock}{after}")
    };
    let clocks = [
        (
            r#"{"dated":true,"unit":"ms","first":"5000","step":1}"#,
            "1970-01-01 00:00:05.004 UTC to 1970-01-01 00:00:05.009 UTC",
        ),
        (
            r#"{"dated":true,"unit":"ns","first":"1763510399999999990","step":1}"#,
            "2025-11-18 23:59:59.999999994 UTC to 2025-11-18 23:59:59.999999999 UTC",
        ),
        (
            r#"{"dated":true,"unit":"s","first":"1.25","step":0.25}"#,
            "1970-01-01 00:00:02.25 UTC to 1970-01-01 00:00:03.5 UTC",
        ),
    ];
    for (clock, expected) in clocks {
        let file = crate::browser::keep_html("dated", &dated(clock));
        b.open(&file, "#op=1");
        assert!(details(b).contains(&format!("Date{expected}")), "{}", details(b));
    }
    screenshot(b, "dated");
    assert_no_page_errors(b);
}

pub fn other_files_of_a_jepsen_run_are_linked(b: &mut Browser) {
    let file = keep("neighbours", &support::hostile());
    b.open(&file, "");
    let link = "document.querySelector('#neighbours a')";
    assert_eq!(b.text(&format!("{link}.textContent")), "<b>results</b>.edn");
    assert_eq!(
        b.text(&format!("{link}.getAttribute('href')")),
        "../a%20b/%3Cb%3Eresults%3C%2Fb%3E.edn"
    );
    screenshot(b, "neighbours");
    let file = keep("small", &support::queue_out_of_order());
    b.open(&file, "");
    assert_eq!(b.number("document.querySelectorAll('#neighbours').length"), 0.0);
    assert_no_page_errors(b);
}
