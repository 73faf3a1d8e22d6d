//! The output formats with one line per history.

use std::fmt::Write;

use linpoint::hitting::Exact;
use linpoint_formats::{Value, to_json};

use super::DepthRow;

const UNKNOWN: &str = "?";
/// Instead of a depth, if only operations that never returned explain a history.
const NEEDS_PENDING: &str = "pending";

fn or_unknown<T: ToString>(value: Option<T>) -> String {
    value.map_or(UNKNOWN.to_owned(), |value| value.to_string())
}

fn verdict(row: &DepthRow) -> &'static str {
    match row.linearizable {
        Some(true) => "ok",
        Some(false) => "bad",
        None => "undecided",
    }
}

/// True if the history is linearizable only because of operations that never returned. Schedules are orders of completed
/// operations, so no schedule is a witness, and the history has no depth. Known if a family has all schedules.
fn needs_pending(row: &DepthRow) -> bool {
    let m = &row.measured;
    let has_all = |size: &Option<usize>| match (size, m.schedules) {
        (Some(size), Some(all)) => *size as u128 == all,
        _ => false,
    };
    row.linearizable == Some(true)
        && m.witness.is_none()
        && !m.witness_unknown
        && m.sizes.iter().any(has_all)
}

/// The least `d` with a witness; `-` if no family that was tried has one.
fn witness(row: &DepthRow) -> String {
    if needs_pending(row) {
        return NEEDS_PENDING.to_owned();
    }
    match (row.measured.witness, row.measured.witness_unknown) {
        (Some(d), _) => d.to_string(),
        (None, true) => UNKNOWN.to_owned(),
        (None, false) => "-".to_owned(),
    }
}

fn depth(row: &DepthRow) -> String {
    if needs_pending(row) {
        return NEEDS_PENDING.to_owned();
    }
    match row.measured.depth {
        Exact::Is(d) => d.to_string(),
        // A violation has no depth.
        _ if row.linearizable == Some(false) => "-".to_owned(),
        Exact::MoreThan(d) => format!(">{d}"),
        Exact::Unknown => UNKNOWN.to_owned(),
    }
}

pub(super) fn tsv_header(most_d: usize) -> String {
    let columns = ["file", "verdict", "operations", "chains", "concurrency", "concurrent_pairs"];
    let mut line = columns.join("\t");
    line.push_str("\twitness_d\tdepth\tschedules\tfewest_chains");
    for d in 1..=most_d {
        let _ = write!(line, "\tfamily_{d}");
    }
    for d in 1..=most_d {
        let _ = write!(line, "\tfewest_family_{d}");
    }
    line.push('\n');
    line
}

pub(super) fn tsv(row: &DepthRow) -> String {
    let m = &row.measured;
    let mut fields = vec![Value::str(&row.name).bare(), verdict(row).to_owned()];
    fields
        .extend([m.operations, m.chains, m.concurrency, m.concurrent_pairs].map(|n| n.to_string()));
    fields.extend([witness(row), depth(row), or_unknown(m.schedules)]);
    fields.push(m.concurrency.to_string());
    fields.extend(m.sizes.iter().map(|size| or_unknown(*size)));
    let fewest = m.sizes_with_fewest.as_ref().unwrap_or(&m.sizes);
    fields.extend(fewest.iter().map(|size| or_unknown(*size)));
    fields.join("\t") + "\n"
}

pub(super) fn json(row: &DepthRow) -> String {
    let m = &row.measured;
    let number = |n: Option<usize>| n.map_or("null".to_owned(), |n| n.to_string());
    let list = |sizes: &[Option<usize>]| {
        let sizes: Vec<String> = sizes.iter().map(|size| number(*size)).collect();
        format!("[{}]", sizes.join(","))
    };
    let (exact, more_than) = match m.depth {
        Exact::Is(d) => (Some(d), None),
        Exact::MoreThan(d) => (None, Some(d)),
        Exact::Unknown => (None, None),
    };
    // A string, because the number may exceed the integers that JSON readers support.
    let schedules = m.schedules.map_or("null".to_owned(), |n| format!("\"{n}\""));
    let fewest = m.sizes_with_fewest.as_deref().map_or("null".to_owned(), list);
    format!(
        "{{\"file\":{},\"verdict\":\"{}\",\"operations\":{},\"chains\":{},\"concurrency\":{},\
         \"concurrent_pairs\":{},\"witness_d\":{},\"depth\":{},\"depth_more_than\":{},\
         \"needs_pending\":{},\"families\":{},\
         \"families_with_fewest_chains\":{fewest},\"schedules\":{schedules}}}\n",
        to_json(&Value::str(&row.name)),
        verdict(row),
        m.operations,
        m.chains,
        m.concurrency,
        m.concurrent_pairs,
        number(m.witness),
        number(exact),
        number(more_than.filter(|_| !needs_pending(row))),
        needs_pending(row),
        list(&m.sizes),
    )
}

/// A table with one row per history.
pub(super) fn human(rows: &[DepthRow]) -> String {
    let heading =
        ["history", "", "ops", "chains", "open", "pairs", "witness d", "depth", "schedules"];
    let mut table = vec![heading.map(str::to_owned).to_vec()];
    let most_d = rows.iter().map(|row| row.measured.sizes.len()).max().unwrap_or(0);
    table[0].extend((1..=most_d).map(|d| format!("family {d}")));
    for row in rows {
        let m = &row.measured;
        let mut line = vec![Value::str(&row.name).bare(), verdict(row).to_owned()];
        let numbers = [m.operations, m.chains, m.concurrency, m.concurrent_pairs];
        line.extend(numbers.map(|n| n.to_string()));
        line.extend([witness(row), depth(row), or_unknown(m.schedules)]);
        line.extend(m.sizes.iter().map(|size| or_unknown(*size)));
        table.push(line);
    }
    aligned(&table) + "\n"
}

/// Aligns the columns of a table: the first to the left, the others to the right.
pub(super) fn aligned(table: &[Vec<String>]) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let chars = |text: &String| text.chars().count();
    let width = |column| table.iter().filter_map(|row| row.get(column)).map(chars).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in table {
        let mut line = String::new();
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(width - chars(cell));
            match i {
                0 => line += &format!("{cell}{pad}"),
                _ => line += &format!("  {pad}{cell}"),
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
