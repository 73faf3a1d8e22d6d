//! Draws operations as bars, with one lane per client.
//!
//! The horizontal axis is the order of events, not time. Events are spaced as widely as the labels need. One
//! bar ends to the left of where another begins exactly if the one operation returned before the other was
//! called.

use crate::difference::differences;
use crate::rendered::{Operation, Row};
use crate::text::{clean, shorten};

/// The style of a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ink {
    /// Outside of bars.
    Plain,
    /// An operation beside the core.
    Context,
    /// An operation of the core.
    Core,
    /// The failing operation.
    Failing,
}

/// One line of the drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lane {
    /// The client. Not printed again if the line above has the same name.
    pub(crate) name: String,
    pub(crate) cells: Vec<(char, Ink)>,
}

/// Labels are not cut below this length: a drawing in several blocks is more readable than one with stubs.
const MIN_LABEL: usize = 16;
/// Labels are cut to this length in a drawing of several blocks.
const BLOCK_LABEL: usize = 28;
/// Columns between a label and each end of its bar.
const PADDING: usize = 2;
/// Client names are cut to this length.
const MAX_NAME: usize = 20;

/// Draws operations within `width` columns. If they do not fit, operations outside of the core are left out, then
/// the padding is reduced, then labels are cut; if that is still too wide, the drawing has several blocks.
pub(crate) fn draw(rows: &[Row], width: usize) -> Vec<Vec<Lane>> {
    let mut rows: Vec<&Row> = rows.iter().collect();
    let mut fit = Fit { max_label: usize::MAX, padding: PADDING };
    loop {
        let (lanes, needed, available) = measured(&rows, fit, width);
        if needed <= available {
            return vec![lanes];
        }
        // Rows are in call order, so the first is the farthest from the failure.
        if let Some(at) = rows.iter().position(|row| !row.core && !row.failing) {
            rows.remove(at);
            continue;
        }
        if fit.padding > 1 {
            fit.padding -= 1;
            continue;
        }
        let longest = labels(&rows, fit).iter().map(|label| label.chars().count()).max();
        match longest {
            Some(longest) if longest > MIN_LABEL => fit.max_label = longest - 1,
            _ => break,
        }
    }
    let fit = Fit { max_label: BLOCK_LABEL, padding: PADDING };
    let (lanes, _, available) = measured(&rows, fit, width);
    blocks(&lanes, available)
}

/// How tightly to draw.
#[derive(Clone, Copy)]
struct Fit {
    max_label: usize,
    padding: usize,
}

/// The drawing, the columns that it needs, and the columns available.
fn measured(rows: &[&Row], fit: Fit, width: usize) -> (Vec<Lane>, usize, usize) {
    let lanes = lanes(rows, fit);
    let name = lanes.iter().map(|lane| lane.name.chars().count()).max().unwrap_or(0);
    let needed = lanes.iter().map(|lane| lane.cells.len()).max().unwrap_or(0);
    (lanes, needed, width.saturating_sub(name + 2).max(MIN_LABEL))
}

/// The labels of all rows. If they have to be cut, long results are shown by where they differ.
fn labels(rows: &[&Row], fit: Fit) -> Vec<String> {
    let whole: Vec<String> = rows.iter().map(|row| clean(&row.operation.text())).collect();
    if whole.iter().all(|label| label.chars().count() <= fit.max_label) {
        return whole;
    }
    let results: Vec<&str> =
        rows.iter().map(|row| row.operation.ret.as_deref().unwrap_or("")).collect();
    let differences = differences(&results);
    let of = |((row, whole), result): ((&&Row, &String), Option<String>)| match result {
        Some(ret) if whole.chars().count() > fit.max_label => {
            let operation = Operation { ret: Some(ret), ..row.operation.clone() };
            shorten(&clean(&operation.text()), fit.max_label)
        }
        _ => shorten(whole, fit.max_label),
    };
    rows.iter().zip(&whole).zip(differences).map(of).collect()
}

/// The first and the last column of a bar.
#[derive(Clone, Copy)]
struct Bar {
    from: usize,
    to: usize,
}

fn lanes(rows: &[&Row], fit: Fit) -> Vec<Lane> {
    let labels = labels(rows, fit);
    let bars = layout(rows, &labels, fit.padding);
    let mut lanes: Vec<(Option<&str>, Lane, bool)> = Vec::new();
    for ((row, label), bar) in rows.iter().zip(&labels).zip(&bars) {
        let client = row.operation.client.as_deref();
        let pending = row.operation.span.is_pending();
        let free = |(of, lane, closed): &(Option<&str>, Lane, bool)| {
            *of == client && !closed && lane.cells.len() <= bar.from
        };
        let at = match lanes.iter().position(free) {
            Some(at) => at,
            None => {
                // Lanes of one client stay together.
                let last = lanes.iter().rposition(|(of, ..)| *of == client);
                let at = last.map_or(lanes.len(), |last| last + 1);
                let name = shorten(&clean(client.unwrap_or("")), MAX_NAME);
                lanes.insert(at, (client, Lane { name, cells: Vec::new() }, false));
                at
            }
        };
        let (_, lane, closed) = &mut lanes[at];
        *closed = pending;
        paint(&mut lane.cells, row, label, *bar);
    }
    lanes.into_iter().map(|(_, lane, _)| lane).collect()
}

/// The narrowest layout that keeps the order of events and has room for every label.
fn layout(rows: &[&Row], labels: &[String], padding: usize) -> Vec<Bar> {
    let mut events: Vec<(u32, usize, bool)> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let span = row.operation.span;
        events.push((span.call, i, false));
        if !span.is_pending() {
            events.push((span.ret, i, true));
        }
    }
    events.sort_unstable();
    let mut bars = vec![Bar { from: 0, to: 0 }; rows.len()];
    let mut x = 0;
    let mut after_return = false;
    for (n, &(_, i, is_return)) in events.iter().enumerate() {
        if n > 0 {
            x += if after_return && !is_return { 2 } else { 1 };
        }
        after_return = is_return;
        let room = labels[i].chars().count() + 2 * padding + 1;
        if is_return {
            x = x.max(bars[i].from + room);
            bars[i].to = x;
        } else {
            bars[i] = Bar { from: x, to: x + room };
        }
    }
    // A pending operation fades out beyond the last event.
    for (row, bar) in rows.iter().zip(&mut bars) {
        if row.operation.span.is_pending() {
            bar.to = (bar.to + 2).max(x + 3);
        }
    }
    bars
}

fn paint(cells: &mut Vec<(char, Ink)>, row: &Row, label: &str, bar: Bar) {
    let pending = row.operation.span.is_pending();
    let (ink, line) = match (row.failing, row.core) {
        (true, _) => (Ink::Failing, '='),
        (_, true) => (Ink::Core, '='),
        _ => (Ink::Context, '-'),
    };
    while cells.len() < bar.from {
        cells.push((' ', Ink::Plain));
    }
    cells.push(('|', ink));
    let inner = bar.to - bar.from - 1;
    let fill = inner.saturating_sub(label.chars().count());
    let left = if pending { fill.min(PADDING) } else { fill / 2 };
    let right = fill - left;
    cells.extend((0..left).map(|_| (line, ink)));
    cells.extend(label.chars().map(|c| (c, ink)));
    if pending {
        cells.extend((0..right).map(|i| (if i % 2 == 0 { ' ' } else { '~' }, ink)));
        cells.push(('>', ink));
    } else {
        cells.extend((0..right).map(|_| (line, ink)));
        cells.push((if row.failing { '\u{2717}' } else { '|' }, ink));
    }
}

/// Cuts a drawing that is too wide into blocks, one below the other.
fn blocks(lanes: &[Lane], width: usize) -> Vec<Vec<Lane>> {
    let needed = lanes.iter().map(|lane| lane.cells.len()).max().unwrap_or(0);
    let starts = (0..needed).step_by(width.max(1));
    let cut = |start: usize, lane: &Lane| {
        let end = lane.cells.len().min(start + width);
        let cells = lane.cells.get(start..end).unwrap_or_default().to_vec();
        Lane { name: lane.name.clone(), cells }
    };
    let visible = |lane: &Lane| lane.cells.iter().any(|(c, _)| *c != ' ');
    starts
        .map(|start| lanes.iter().map(|lane| cut(start, lane)).filter(visible).collect())
        .collect()
}
