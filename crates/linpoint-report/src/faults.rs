//! Faults and other events above the timeline of a terminal.
//!
//! The columns of a drawing belong to calls and returns of the operations that are drawn, so a fault begins at the first of
//! them that happened after it had begun.

use crate::rendered::{Annotation, Row};
use crate::text::{clean, shorten};
use crate::timeline::{Ink, Lane};

/// Draw at most this many faults: those that are nearest to the failing return.
const MOST: usize = 12;
/// The name of a lane may have at most this many rows.
const MOST_ROWS: usize = 2;
/// Names of lanes are cut to this length.
const MAX_NAME: usize = 20;
/// A label that does not fit into a shorter band follows it.
const SHORT: usize = 8;

/// The faults that overlap the time of the operations that are drawn.
pub(crate) fn near(all: &[Annotation], rows: &[Row]) -> Vec<Annotation> {
    let first = rows.iter().map(|row| row.operation.span.call).min().unwrap_or(0);
    let last = |row: &Row| {
        let span = row.operation.span;
        if span.is_pending() { span.call } else { span.ret }
    };
    let failing = rows.iter().find(|row| row.failing).map(last);
    let end = failing.or(rows.iter().map(last).max()).unwrap_or(0);
    let is_near = |fault: &&Annotation| {
        !fault.page_only && fault.from <= end && fault.to.unwrap_or(fault.from) >= first
    };
    let mut near: Vec<Annotation> = all.iter().filter(is_near).cloned().collect();
    // What is going on at the failing return comes first, then what was last.
    near.sort_by_key(|fault| {
        let until = fault.to.unwrap_or(fault.from).min(end);
        (end - until, std::cmp::Reverse(fault.from))
    });
    near.truncate(MOST);
    near.sort_by_key(|fault| fault.from);
    near
}

/// Lanes of faults, at most `width` columns wide. `columns` has the column of each rank that is drawn.
pub(crate) fn lanes(faults: &[Annotation], columns: &[(u32, usize)], width: usize) -> Vec<Lane> {
    let mut columns = columns.to_vec();
    columns.sort_unstable();
    let mut lanes: Vec<(&str, Vec<Lane>)> = Vec::new();
    for (at, fault) in faults.iter().enumerate() {
        let from = columns.partition_point(|(rank, _)| *rank < fault.from);
        let from =
            columns.get(from).map_or(width, |(_, column)| *column).min(width.saturating_sub(1));
        let until = |to: u32| match columns.partition_point(|(rank, _)| *rank < to) {
            n if n == columns.len() => width,
            0 => 0,
            n => columns[n - 1].1 + 1,
        };
        let band = Band {
            from,
            to: fault.to.map(|to| until(to).clamp(from + 1, width.max(from + 1))),
            began_before: columns.first().is_some_and(|(rank, _)| fault.from < *rank),
            goes_on: fault.to.is_some_and(|to| columns.last().is_none_or(|(rank, _)| to > *rank)),
        };
        // The label ends where the next fault of the lane begins.
        let next = faults[at + 1..].iter().find(|next| next.lane == fault.lane);
        let next = next.map_or(width, |next| {
            let next = columns.partition_point(|(rank, _)| *rank < next.from);
            columns.get(next).map_or(width, |(_, column)| *column)
        });
        let at = match lanes.iter().position(|(lane, _)| *lane == fault.lane) {
            Some(at) => at,
            None => {
                lanes.push((&fault.lane, Vec::new()));
                lanes.len() - 1
            }
        };
        let rows = &mut lanes[at].1;
        let row = match rows.iter().position(|row| row.cells.len() <= from) {
            Some(row) => row,
            None if rows.len() < MOST_ROWS => {
                let name = shorten(&clean(&fault.lane), MAX_NAME);
                rows.push(Lane { name, cells: Vec::new(), labels: Vec::new() });
                rows.len() - 1
            }
            None => continue,
        };
        band.paint(&mut rows[row], &clean(&fault.text), next.max(from + 1).min(width));
    }
    lanes.into_iter().flat_map(|(_, rows)| rows).collect()
}

/// Where a fault is drawn.
struct Band {
    from: usize,
    /// The column after its end; `None` for a single moment.
    to: Option<usize>,
    began_before: bool,
    goes_on: bool,
}

impl Band {
    fn paint(&self, Lane { cells, labels, .. }: &mut Lane, text: &str, next: usize) {
        while cells.len() < self.from {
            cells.push((' ', Ink::Plain));
        }
        let Some(to) = self.to else {
            let room = next.saturating_sub(self.from + 2);
            let text = if room >= 3 { shorten(text, room) } else { String::new() };
            let from = cells.len();
            cells.extend(format!("* {text}").trim_end().chars().map(|c| (c, Ink::Fault)));
            labels.push((from, cells.len()));
            return;
        };
        let wide = to - self.from;
        let text = if wide >= SHORT || text.chars().count() + 4 <= wide {
            shorten(text, wide.saturating_sub(4))
        } else {
            String::new()
        };
        let length = text.chars().count();
        let fill = wide.saturating_sub(2 + length);
        // At its begin, where a drawing in several blocks has it in the first one.
        let left = fill.min(2);
        let right = fill - left;
        cells.push((if self.began_before { '<' } else { '[' }, Ink::Fault));
        cells.extend((0..left.min(wide.saturating_sub(2))).map(|_| ('.', Ink::Fault)));
        let from = cells.len();
        cells.extend(text.chars().map(|c| (c, Ink::Fault)));
        labels.push((from, cells.len()));
        cells.extend((0..right).map(|_| ('.', Ink::Fault)));
        if wide > 1 {
            cells.push((if self.goes_on { '>' } else { ']' }, Ink::Fault));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(faults: &[(&str, u32, Option<u32>)]) -> Vec<String> {
        let annotation = |&(text, from, to): &(&str, u32, Option<u32>)| Annotation {
            lane: "nemesis".to_owned(),
            text: text.to_owned(),
            from,
            to,
            ..Annotation::default()
        };
        let faults: Vec<Annotation> = faults.iter().map(annotation).collect();
        // Ranks 10, 12, ..., 20 are drawn, every ten columns.
        let columns: Vec<(u32, usize)> = (0..6).map(|n| (10 + 2 * n, 10 * n as usize)).collect();
        let text = |lane: &Lane| lane.cells.iter().map(|(c, _)| c).collect::<String>();
        lanes(&faults, &columns, 55).iter().map(text).collect()
    }

    #[test]
    fn bands_begin_and_end_at_the_events_that_are_drawn() {
        assert_eq!(
            drawn(&[("cut", 12, Some(17))]),
            [format!("{}[..cut..............]", " ".repeat(10))]
        );
        // It began before the first event, and goes on after the last one.
        let long = drawn(&[("cut", 3, Some(99))]);
        assert!(long[0].starts_with("<..cut") && long[0].ends_with("...>"), "{long:?}");
        assert_eq!(long[0].chars().count(), 55);
    }

    #[test]
    fn faults_that_overlap_have_rows_of_their_own() {
        let rows = drawn(&[("cut", 10, Some(15)), ("kill", 12, None), ("again", 16, Some(19))]);
        assert_eq!(rows.len(), 2);
        assert!(rows[0].contains("cut") && rows[0].contains("again"), "{rows:?}");
        assert_eq!(rows[1].trim(), "* kill");
    }

    #[test]
    fn nothing_is_wider_than_the_drawing() {
        let long = "x".repeat(300);
        for fault in
            [(&*long, 10, Some(11)), (&*long, 20, None), (&*long, 40, Some(50)), (&*long, 0, None)]
        {
            for row in drawn(&[fault]) {
                assert!(row.chars().count() <= 55, "{row}");
            }
        }
    }
}
