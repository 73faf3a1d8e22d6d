//! A page with an interactive timeline: a single file that needs no network.
//!
//! [`render`] writes the data of a history in columns (see `columns`) and as JSON, followed by the
//! scripts in `assets/`, which decode and draw it. No text from a history becomes markup: the data is
//! in script elements that are not executed, with every `<` escaped, and the scripts only set text nodes.

mod columns;
mod encode;
mod lanes;
mod orders;
mod plots;
mod remarks;
mod ticks;

use linpoint::verdict::Violation;
use linpoint::{PartStatus, Report};
use serde_json::{Value, json};

use crate::page::{self, in_script};
use crate::rendered::{Explanation, Failed, Operations, Outcome, Reading, Rendered};
use crate::text::{self, clean, duration, shorten};
use columns::{Columns, violations};
use orders::{Orders, find_all};
use remarks::MAX_REMARK;
use ticks::Ticks;

/// The version of the data in a page. A page contains scripts and data of the same version, so the number is
/// only informative.
const VERSION: u32 = 1;

const STYLE: &str = include_str!("../../assets/page.css");
const BODY: &str = include_str!("../../assets/page.html");
/// In execution order, all inside one function.
const SCRIPTS: &[&str] = &[
    page::DOM,
    include_str!("../../assets/data.js"),
    include_str!("../../assets/clock.js"),
    include_str!("../../assets/lanes.js"),
    include_str!("../../assets/layout.js"),
    include_str!("../../assets/painter.js"),
    include_str!("../../assets/draw.js"),
    include_str!("../../assets/notes.js"),
    include_str!("../../assets/view.js"),
    include_str!("../../assets/panels.js"),
    include_str!("../../assets/next.js"),
    include_str!("../../assets/input.js"),
    include_str!("../../assets/main.js"),
];

/// The page of one history. `operations` must describe the operations `0..heading.operations`, and `rendered`
/// must have been made from `report`.
pub fn render(rendered: &Rendered, operations: &dyn Operations, report: &Report) -> String {
    let orders = find_all(report, operations);
    let columns = Columns::new(rendered.heading.operations, operations, report, &orders);
    let facts = facts(rendered, operations, report, &columns, &orders);
    let title = format!("{} · {}", rendered.heading.name, text::verdict(&rendered.outcome));
    let facts = in_script(&facts.to_string());
    let mut page = page::head(&title, &(STYLE.to_owned() + &plots::style()));
    page.reserve(facts.len() + columns.data.0.len() + 262_144);
    page.push_str(&format!("<body>\n{BODY}"));
    page.push_str(&plots::section(&columns, operations));
    page.push_str("<script type=\"application/json\" id=\"facts\">");
    page.push_str(&facts);
    page.push_str("</script>\n<script type=\"text/plain\" id=\"columns\">");
    page.push_str(&columns.data.0);
    page.push_str("</script>\n");
    page.push_str(&page::script(SCRIPTS));
    page.push_str("</body>\n</html>\n");
    page
}

fn facts(
    rendered: &Rendered,
    operations: &dyn Operations,
    report: &Report,
    columns: &Columns,
    orders: &[Orders],
) -> Value {
    let heading = &rendered.heading;
    let (outcome, explanations, stopped) = match &rendered.outcome {
        Outcome::Linearizable => ("ok", Vec::new(), None),
        Outcome::Undecided(why) => ("undecided", Vec::new(), Some(text::undecided(why))),
        Outcome::Violation(all) => {
            ("bad", violation_facts(all, operations, report, columns, orders), None)
        }
    };
    let parts = columns.parts.iter().map(|part| {
        let status = match part.status {
            PartStatus::Linearizable => "ok",
            PartStatus::Violation => "bad",
            PartStatus::Undecided => "undecided",
            _ => "unchecked",
        };
        json!([shorten(&part.name, 80), status, part.operations, part.from, part.to])
    });
    let annotations = operations.annotations();
    let tick = |reading: Option<Reading>| Some(columns.ticks.as_ref()?.of(reading?));
    let failed = |failed: &Failed| {
        let Failed { op, client, object, remark, place, times, line } = failed;
        let (from, to) = (tick(times.0), tick(times.1));
        let mut row = json!([shorten(op, 200), client, object, place.0, place.1, from, to, line]);
        // Most have none, and there may be many of them.
        if let (Value::Array(row), Some(remark)) = (&mut row, remark) {
            row.push(json!(shorten(remark, MAX_REMARK)));
        }
        row
    };
    let annotations = annotations.iter().map(|a| {
        let times = [tick(a.times.0), tick(a.times.1)];
        let color = a.color.map(|[r, g, b]| format!("#{r:02x}{g:02x}{b:02x}"));
        let text = shorten(&a.text, 600);
        json!([a.lane, text, a.from, a.to, times[0], times[1], a.client, color, a.line])
    });
    json!({
        "version": VERSION,
        "name": heading.name,
        "model": heading.model,
        "note": heading.note,
        "neighbours": heading.neighbours,
        "outcome": outcome,
        "verdict": text::verdict(&rendered.outcome),
        "stopped": stopped,
        "engine": rendered.engine,
        "time": duration(heading.time),
        "operations": heading.operations,
        "unknown": heading.unknown_results,
        "events": columns.events,
        "failed": operations.failed().iter().take(MAX_FAILED).map(failed).collect::<Vec<_>>(),
        "remarks": columns.remarks.texts,
        "clock": columns.ticks.as_ref().map(Ticks::facts),
        "continues": columns.predecessors(),
        "plan": report.plan.to_string(),
        "explanations": explanations,
        "parts": parts.collect::<Vec<_>>(),
        "annotations": annotations.collect::<Vec<_>>(),
        "steps": operations.steps(),
        "kinds": columns.kinds.texts,
        "clients": columns.clients.texts,
        "objects": columns.objects.texts,
        "words": columns.words.texts,
        "states": columns.states.texts,
    })
}

/// Limit on the number of failed operations in a page.
const MAX_FAILED: usize = 20_000;

fn violation_facts(
    all: &[Explanation],
    operations: &dyn Operations,
    report: &Report,
    columns: &Columns,
    orders: &[Orders],
) -> Vec<Value> {
    let position =
        |id: linpoint::OpId| columns.positions.get(id.index()).map(|position| position.1);
    let one = |((violation, explanation), orders): ((&Violation, &Explanation), &Orders)| {
        json!({
            "part": columns.part_of(violation).unwrap_or(0),
            "reason": explanation.reason,
            "failing": violation.failing.and_then(position),
            "earliest": violation.failing_is_earliest,
            "core": violation.core.iter().copied().filter_map(position).collect::<Vec<_>>(),
            "named": explanation.named.iter().copied().filter_map(position).collect::<Vec<_>>(),
            "about": clean(&text::core(explanation)),
            "allowed": text::allowed(explanation),
            "orders": orders.facts(violation, operations, &position),
        })
    };
    violations(report).into_iter().zip(all).zip(orders).map(one).collect()
}
