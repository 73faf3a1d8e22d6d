//! Draws operations as bars, with one lane per client.
//!
//! The horizontal axis is the order of events, not time. Events are spaced as widely as the labels need. One
//! bar ends to the left of where another begins exactly if the one operation returned before the other was
//! called.

use crate::difference::differences;
use crate::faults;
use crate::rendered::{Annotation, Operation, Row};
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
    /// A fault or another event.
    Fault,
}

/// One line of the drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lane {
    /// The client. Not printed again if the line above has the same name.
    pub(crate) name: String,
    pub(crate) cells: Vec<(char, Ink)>,
    /// The columns of the labels, from the first to the one after the last.
    pub(crate) labels: Vec<(usize, usize)>,
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
/// the padding is reduced, then labels are cut; if that is still too wide, the drawing has several blocks. Faults are above the
/// operations.
pub(crate) fn draw(rows: &[Row], faults: &[Annotation], width: usize) -> Vec<Vec<Lane>> {
    let mut rows: Vec<Labelled<'_>> = rows.iter().map(Labelled::new).collect();
    // A label that is longer than a line is cut in any case.
    let mut fit = Fit { max_label: width.max(MIN_LABEL), padding: PADDING };
    loop {
        let (lanes, needed, available) = measured((&rows, faults), fit, width);
        if needed <= available {
            return vec![lanes];
        }
        // Rows are in call order, so the first is the farthest from the failure.
        if let Some(at) = rows.iter().position(|Labelled { row, .. }| !row.core && !row.failing) {
            rows.remove(at);
            continue;
        }
        if fit.padding == 1 {
            break;
        }
        fit.padding -= 1;
    }
    // The longest labels that fit. A shorter label never needs more room.
    let (mut low, mut high) = (MIN_LABEL, fit.max_label);
    let fits = |max_label: usize| {
        let (lanes, needed, available) = measured((&rows, faults), Fit { max_label, ..fit }, width);
        (needed <= available).then_some(lanes)
    };
    let mut best = fits(low);
    while best.is_some() && high - low > 1 {
        let middle = (low + high) / 2;
        match fits(middle) {
            Some(lanes) => (best, low) = (Some(lanes), middle),
            None => high = middle,
        }
    }
    if let Some(lanes) = best {
        return vec![lanes];
    }
    let fit = Fit { max_label: BLOCK_LABEL, padding: PADDING };
    let (lanes, _, available) = measured((&rows, faults), fit, width);
    blocks(&lanes, available)
}

/// An operation with its label.
struct Labelled<'a> {
    row: &'a Row,
    label: String,
    length: usize,
}

impl Labelled<'_> {
    fn new(row: &Row) -> Labelled<'_> {
        let label = clean(&row.operation.text());
        Labelled { row, length: label.chars().count(), label }
    }
}

/// How tightly to draw.
#[derive(Clone, Copy)]
struct Fit {
    max_label: usize,
    padding: usize,
}

/// The drawing, the columns that it needs, and the columns available.
fn measured(
    (rows, faults): (&[Labelled<'_>], &[Annotation]),
    fit: Fit,
    width: usize,
) -> (Vec<Lane>, usize, usize) {
    let lanes = lanes(rows, faults, fit);
    let name = lanes.iter().map(|lane| lane.name.chars().count()).max().unwrap_or(0);
    let needed = lanes.iter().map(|lane| lane.cells.len()).max().unwrap_or(0);
    (lanes, needed, width.saturating_sub(name + 2).max(MIN_LABEL))
}

/// The labels of all rows. If they have to be cut, arguments and results are shown by where they differ.
fn labels(rows: &[Labelled<'_>], fit: Fit) -> Vec<String> {
    if rows.iter().all(|row| row.length <= fit.max_label) {
        return rows.iter().map(|row| row.label.clone()).collect();
    }
    let known = || rows.iter().map(|row| &row.row.operation);
    let args: Vec<&str> =
        known().map(|op| op.op.split_once('(').map_or("", |(_, args)| args)).collect();
    let rets: Vec<&str> = known().map(|op| op.ret.as_deref().unwrap_or("")).collect();
    let brief = differences(&args).into_iter().zip(differences(&rets));
    let of = |(row, (args, ret)): (&Labelled<'_>, (Option<String>, Option<String>))| {
        if row.length <= fit.max_label {
            return row.label.clone();
        }
        let known = &row.row.operation;
        let op = match (known.op.split_once('('), args) {
            (Some((name, _)), Some(args)) => format!("{name}({args}"),
            _ => known.op.clone(),
        };
        let operation = Operation { op, ret: ret.or(known.ret.clone()), ..known.clone() };
        shorten(&clean(&operation.text()), fit.max_label)
    };
    rows.iter().zip(brief).map(of).collect()
}

/// The first and the last column of a bar.
#[derive(Clone, Copy)]
struct Bar {
    from: usize,
    to: usize,
}

fn lanes(rows: &[Labelled<'_>], faults: &[Annotation], fit: Fit) -> Vec<Lane> {
    let labels = labels(rows, fit);
    let rows: Vec<&Row> = rows.iter().map(|row| row.row).collect();
    let bars = layout(&rows, &labels, fit.padding);
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
                let lane = Lane { name, cells: Vec::new(), labels: Vec::new() };
                lanes.insert(at, (client, lane, false));
                at
            }
        };
        let (_, lane, closed) = &mut lanes[at];
        *closed = pending;
        paint(lane, row, label, *bar);
    }
    let needed = lanes.iter().map(|(_, lane, _)| lane.cells.len()).max().unwrap_or(0);
    let mut all = faults::lanes(faults, &columns(&rows, &bars), needed);
    all.extend(lanes.into_iter().map(|(_, lane, _)| lane));
    all
}

/// The column of each call and return.
fn columns(rows: &[&Row], bars: &[Bar]) -> Vec<(u32, usize)> {
    let mut columns = Vec::with_capacity(2 * rows.len());
    for (row, bar) in rows.iter().zip(bars) {
        let span = row.operation.span;
        columns.push((span.call, bar.from));
        if !span.is_pending() {
            columns.push((span.ret, bar.to));
        }
    }
    columns
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

fn paint(Lane { cells, labels, .. }: &mut Lane, row: &Row, label: &str, bar: Bar) {
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
    let from = cells.len();
    cells.extend(label.chars().map(|c| (c, ink)));
    labels.push((from, cells.len()));
    if pending {
        cells.extend((0..right).map(|i| (if i % 2 == 0 { ' ' } else { '~' }, ink)));
        cells.push(('>', ink));
    } else {
        cells.extend((0..right).map(|_| (line, ink)));
        cells.push((if row.failing { '\u{2717}' } else { '|' }, ink));
    }
}

/// Cuts a drawing that is too wide into blocks, one below the other, between labels where that is possible.
fn blocks(lanes: &[Lane], width: usize) -> Vec<Vec<Lane>> {
    let width = width.max(1);
    let needed = lanes.iter().map(|lane| lane.cells.len()).max().unwrap_or(0);
    let is_inside = |at: usize| {
        lanes.iter().flat_map(|lane| &lane.labels).any(|(from, to)| *from < at && at < *to)
    };
    let cut = |start: usize, end: usize, lane: &Lane| {
        let end = lane.cells.len().min(end);
        let cells = lane.cells.get(start..end).unwrap_or_default().to_vec();
        Lane { name: lane.name.clone(), cells, labels: Vec::new() }
    };
    let visible = |lane: &Lane| lane.cells.iter().any(|(c, _)| *c != ' ');
    let (mut blocks, mut start) = (Vec::new(), 0);
    while start < needed {
        let most = start + width;
        // Not too short either: a lane may have a label everywhere.
        let end = (start + width / 2 + 1..=most).rev().find(|at| *at >= needed || !is_inside(*at));
        let end = end.unwrap_or(most);
        let block: Vec<Lane> =
            lanes.iter().map(|lane| cut(start, end, lane)).filter(visible).collect();
        blocks.push(block);
        start = end;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use linpoint::OpId;
    use linpoint::history::Span;

    fn row(at: u32, ret: &str) -> Row {
        let operation = Operation {
            op: format!("get(\"key-{at}\")"),
            ret: Some(ret.to_owned()),
            process: Some(at),
            client: Some(format!("client {at}")),
            object: None,
            span: Span { call: 2 * at, ret: 2 * at + 1 },
            line: None,
        };
        Row { id: OpId(at), operation, core: true, failing: at == 2 }
    }

    fn texts(blocks: &[Vec<Lane>]) -> Vec<String> {
        let text = |lane: &Lane| lane.cells.iter().map(|(c, _)| c).collect::<String>();
        blocks.iter().flatten().map(text).collect()
    }

    #[test]
    fn long_values_take_little_time() {
        // With work that grows with the square of the length, this would take hours.
        let long = "x".repeat(1 << 20);
        let rows = [row(0, &format!("{long}a")), row(1, &format!("{long}b")), row(2, &long)];
        let lines = texts(&draw(&rows, &[], 100));
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:?}");
    }

    #[test]
    fn long_arguments_are_shown_by_their_difference() {
        let write = |at: u32, last: char| {
            let mut row = row(at, "ok");
            row.operation.op = format!("write(\"{}{last}\")", "x".repeat(500));
            row
        };
        let lines = texts(&draw(&[write(0, 'a'), write(1, 'b'), row(2, "7")], &[], 100));
        for label in ["xa\")=", "xb\")="] {
            assert!(lines.iter().any(|line| line.contains(label)), "{label} in {lines:#?}");
        }
    }

    #[test]
    fn blocks_do_not_cut_labels() {
        let rows: Vec<Row> = (0..12).map(|at| row(at, "\"value\"")).collect();
        let lines = texts(&draw(&rows, &[], 60));
        for at in 0..12 {
            let label = format!("get(\"key-{at}\") -> \"value\"");
            assert!(lines.iter().any(|line| line.contains(&label)), "{label} in {lines:#?}");
        }
    }
}
