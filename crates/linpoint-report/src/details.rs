//! How a history was checked, as text: for `linpoint check --verbose`.

use linpoint::Report;
use linpoint::verdict::Verdict;

use crate::plan;
use crate::rendered::Rendered;
use crate::text::{MIN_WIDTH, clean, count, duration, fact};

/// The engine, the tactics with what refused, the length of the witness, the cost.
pub fn render(rendered: &Rendered, report: &Report, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let mut out = String::new();
    let (heading, stats) = (&rendered.heading, &report.stats);
    if let Verdict::Linearizable(witness) = &report.verdict {
        let (order, all) = (witness.order.len(), count(heading.operations, "operation"));
        let left = heading.operations.saturating_sub(order);
        let left = if left > 0 { format!("; {left} did not take effect") } else { String::new() };
        fact(&mut out, "witness", &format!("{order} of {all}, validated{left}"), width);
    }
    let decided =
        if rendered.engine.is_empty() { "nothing".to_owned() } else { clean(&rendered.engine) };
    let (parts, steps) = (count(stats.parts, "part"), count_of(stats.steps, "configuration"));
    fact(&mut out, "decided by", &format!("{decided}; {parts}, {steps}"), width);
    fact(&mut out, "parts", &report.plan.split, width);
    plan::tactics(&mut out, &report.plan, width);
    let times = [
        ("read", heading.reading),
        ("decide", stats.decide),
        ("validate", stats.certify),
        ("explain", stats.explain),
    ];
    let times = times.into_iter().filter(|(_, time)| !time.is_zero());
    let times: Vec<String> =
        times.map(|(what, time)| format!("{what} {}", duration(time))).collect();
    fact(&mut out, "time", &times.join(", "), width);
    fact(
        &mut out,
        "memory",
        &format!("{} MiB in tables at most", stats.peak_bytes.div_ceil(1 << 20)),
        width,
    );
    fact(&mut out, "limits", &plan::limits(&report.plan), width);
    out
}

fn count_of(n: u64, noun: &str) -> String {
    count(usize::try_from(n).unwrap_or(usize::MAX), noun)
}
