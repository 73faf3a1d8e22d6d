//! Latency over time: a panel for each of the most frequent operations, all on one logarithmic axis.

use super::scale::Log;
use super::svg::{Anchor, Path};
use super::{Area, Ending, Picture, Plot, Point, Time};
use crate::text::{clean, shorten};

/// The most frequent operations have a panel each, the others share one.
const PANELS: usize = 6;
const HEIGHT: f64 = 116.0;
/// Room for what never returned, at the top of a panel.
const NEVER: f64 = 14.0;
/// Up to this many operations that returned are drawn one by one.
const MAX_DOTS: usize = 600;
/// The same for the operations of one other outcome.
const MAX_MARKS: usize = 300;
/// Slices of the horizontal axis.
const SLICES: usize = 160;
/// Steps of the logarithmic axis by which latencies are counted.
const STEPS: usize = 240;
/// Width of the cells in which many marks of failed operations are joined.
const CELL: f64 = 6.0;
/// Room beyond the smallest and the largest latency.
const MARGIN: f64 = 1.15;
/// Names of operations are cut to this length.
const MAX_NAME: usize = 32;

/// The operations of one panel.
struct Panel<'a> {
    name: String,
    /// Which of the colours.
    colour: usize,
    points: Vec<&'a Point>,
}

/// The panels, and what they share.
pub(super) struct LatencyPanels<'a> {
    panels: Vec<Panel<'a>>,
    scale: Log,
}

/// For each name, its place among the most frequent ones; the places of all others are [`PANELS`]` - 1` or more.
pub(super) fn places(plot: &Plot) -> Vec<usize> {
    let mut counts = vec![0_usize; plot.names.len()];
    for point in &plot.points {
        if let Some(count) = counts.get_mut(point.name as usize) {
            *count += 1;
        }
    }
    let mut names: Vec<usize> = (0..counts.len()).collect();
    names.sort_by_key(|name| std::cmp::Reverse(counts[*name]));
    let mut places = vec![0; counts.len()];
    for (place, name) in names.into_iter().enumerate() {
        places[name] = place;
    }
    places
}

/// The names of the panels, the most frequent first. Operations at the places from the last one on share it.
pub(super) fn panel_names(plot: &Plot, places: &[usize]) -> Vec<String> {
    let own = if plot.names.len() > PANELS { PANELS - 1 } else { plot.names.len() };
    let mut names = vec![String::new(); own];
    for (name, place) in plot.names.iter().zip(places) {
        if let Some(to) = names.get_mut(*place) {
            *to = shorten(&clean(name), MAX_NAME);
        }
    }
    if plot.names.len() > own {
        names.push(format!("{} other operations", plot.names.len() - own));
    }
    names
}

impl<'a> LatencyPanels<'a> {
    pub(super) fn new(plot: &'a Plot, time: &Time) -> LatencyPanels<'a> {
        let places = places(plot);
        let names = panel_names(plot, &places).into_iter().enumerate();
        let mut panels: Vec<Panel<'_>> =
            names.map(|(colour, name)| Panel { name, colour, points: Vec::new() }).collect();
        let least = time.unit().least();
        let (mut min, mut max) = (f64::INFINITY, least);
        for point in &plot.points {
            let place = places.get(point.name as usize).copied().unwrap_or(usize::MAX);
            let last = panels.len().saturating_sub(1);
            if let Some(panel) = panels.get_mut(place.min(last)) {
                panel.points.push(point);
            }
            let latency = point.latency();
            if latency.is_finite() && latency > 0.0 {
                (min, max) = (min.min(latency), max.max(latency));
            }
        }
        panels.retain(|panel| !panel.points.is_empty());
        let min = if min.is_finite() { min.max(least * 1e-3) } else { least };
        // The extremes are not at the edges.
        let scale = Log::around(min / MARGIN, max * MARGIN);
        LatencyPanels { panels, scale }
    }

    pub(super) fn draw(&self, picture: &mut Picture) {
        for (number, panel) in self.panels.iter().enumerate() {
            panel.draw(self.scale, number == 0, picture);
        }
    }
}

impl Panel<'_> {
    fn draw(&self, scale: Log, is_first: bool, picture: &mut Picture) {
        let never = self.points.iter().any(|point| !point.end.is_finite());
        let height = HEIGHT + if never { NEVER } else { 0.0 };
        let title = match is_first {
            true => format!("{}: {}", self.name, picture.time.latency_name()),
            false => self.name.clone(),
        };
        let facts = self.facts(picture);
        let whole = picture.panel(height, &title, &facts);
        let area = Area { top: whole.top + (height - HEIGHT), ..whole };
        for tick in scale.ticks() {
            let text = picture.time.unit().text(tick);
            // The word beside the room at the top needs its own.
            let is_free = !never || scale.share(tick) < 0.9;
            picture.tick(area.y(scale.share(tick)), if is_free { &text } else { "" });
        }
        if never {
            picture.tick(area.top, "");
            let at = (super::LEFT - 6.0, whole.top + 11.0);
            picture.svg.text("quiet", at, Anchor::End, "never");
        }
        let returned: Vec<&Point> = self.ended(Ending::Ok).collect();
        if returned.len() > MAX_DOTS {
            self.bands(&returned, scale, area, picture);
        } else {
            let mut dots = Path::default();
            for point in &returned {
                dots.dot(picture.time.x(point.start), area.y(scale.share(point.latency())));
            }
            let title = format!("{}: returned", self.name);
            picture.svg.path(&format!("dots kind-{}", self.colour), &dots, &title);
        }
        self.marks(Ending::Failed, "failed", scale, area, picture);
        self.marks(Ending::Unknown, "unknown", scale, area, picture);
        self.never(whole, picture);
    }

    /// The operations that ended like this.
    fn ended(&self, ending: Ending) -> impl Iterator<Item = &Point> {
        let chosen = move |point: &&Point| point.ending == ending && point.end.is_finite();
        self.points.iter().copied().filter(chosen)
    }

    /// `1204 ok, 3 failed, median 1.2 ms, 99 % 3 ms, max 40 ms`
    fn facts(&self, picture: &Picture) -> String {
        let count = |ending| self.points.iter().filter(|point| point.ending == ending).count();
        let mut facts = vec![format!("{} ok", count(Ending::Ok))];
        for (ending, name) in [(Ending::Failed, "failed"), (Ending::Unknown, "unknown")] {
            if count(ending) > 0 {
                facts.push(format!("{} {name}", count(ending)));
            }
        }
        let mut latencies: Vec<f64> = self.ended(Ending::Ok).map(Point::latency).collect();
        latencies.sort_unstable_by(f64::total_cmp);
        let at =
            |share: f64| latencies.get((share * (latencies.len() as f64 - 1.0)).round() as usize);
        if let (Some(median), Some(high), Some(max)) = (at(0.5), at(0.99), latencies.last()) {
            let text = |x: &f64| picture.time.unit().text(*x);
            facts.push(format!("median {}", text(median)));
            facts.push(format!("99 % {}", text(high)));
            facts.push(format!("max {}", text(max)));
        }
        facts.join(", ")
    }

    fn bands(&self, points: &[&Point], scale: Log, area: Area, picture: &mut Picture) {
        let slices = Slices::count(points, scale, &picture.time);
        let y = |share: f64| area.y(share);
        let colour = self.colour;
        let name = &self.name;
        for (class, low, high, what) in [
            ("wide", 0.05, 0.95, "5 % to 95 % of the operations of a slice of time"),
            ("narrow", 0.25, 0.75, "the middle half"),
        ] {
            let path = slices.band(low, high, y);
            picture.svg.path(&format!("{class} kind-{colour}"), &path, &format!("{name}: {what}"));
        }
        for (class, share, what) in [("most", 1.0, "maximum"), ("median", 0.5, "median")] {
            let path = slices.line(share, y);
            picture.svg.path(&format!("{class} kind-{colour}"), &path, &format!("{name}: {what}"));
        }
    }

    /// Operations that failed, or whose outcome is unknown. Many of them are joined where they are close.
    fn marks(&self, ending: Ending, class: &str, scale: Log, area: Area, picture: &mut Picture) {
        let points: Vec<&Point> = self.ended(ending).collect();
        let title = format!("{}: {} {class}", self.name, points.len());
        let place =
            |point: &Point| (picture.time.x(point.start), area.y(scale.share(point.latency())));
        let mut path = Path::default();
        if points.len() <= MAX_MARKS {
            for (x, y) in points.iter().map(|point| place(point)) {
                match ending {
                    Ending::Failed => path.cross(x, y),
                    Ending::Ok | Ending::Unknown => path.stroke(x, y),
                }
            }
            return picture.svg.path(class, &path, &title);
        }
        let cell = |(x, y): (f64, f64)| ((y / CELL) as usize, (x / CELL) as usize);
        let mut cells: Vec<(usize, usize)> =
            points.iter().map(|point| cell(place(point))).collect();
        cells.sort_unstable();
        cells.dedup();
        let mut last = None;
        for (row, column) in cells {
            // Neighbours become one line.
            if last != Some((row, column.wrapping_sub(1))) {
                path.move_to(column as f64 * CELL, (row as f64 + 0.5) * CELL);
            }
            path.across((column as f64 + 1.0) * CELL);
            last = Some((row, column));
        }
        picture.svg.path(&format!("many {class}"), &path, &title);
    }

    /// Operations that never ended, above all others.
    fn never(&self, area: Area, picture: &mut Picture) {
        let never = || self.points.iter().filter(|point| !point.end.is_finite());
        let count = never().count();
        // Many are as close as they can be told apart.
        let width = if count <= MAX_MARKS { 0.1 } else { CELL / 2.0 };
        let column = |point: &&Point| (picture.time.x(point.start) / width).round() as i64;
        let mut columns: Vec<i64> = never().map(column).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut path = Path::default();
        for x in columns {
            path.stroke(x as f64 * width, area.top + NEVER / 2.0);
        }
        picture.svg.path("unknown", &path, &format!("{}: {count} never returned", self.name));
    }
}

/// Numbers of latencies by slice of the horizontal axis and by step of the vertical one.
struct Slices {
    counts: Vec<u32>,
    totals: Vec<u32>,
}

impl Slices {
    fn count(points: &[&Point], scale: Log, time: &Time) -> Slices {
        let mut slices = Slices { counts: vec![0; SLICES * STEPS], totals: vec![0; SLICES] };
        for point in points {
            let slice = time.slice(point.start, SLICES);
            let step = ((scale.share(point.latency()) * STEPS as f64) as usize).min(STEPS - 1);
            slices.counts[slice * STEPS + step] += 1;
            slices.totals[slice] += 1;
        }
        slices
    }

    /// The position, from 0 to 1, of the smallest latency that this share of a slice does not exceed.
    fn quantile(&self, slice: usize, share: f64) -> Option<f64> {
        let total = self.totals[slice];
        let rank = ((f64::from(total) * share).ceil() as u32).clamp(1, total.max(1));
        let mut seen = 0;
        let steps = &self.counts[slice * STEPS..(slice + 1) * STEPS];
        let found = steps.iter().position(|count| {
            seen += count;
            seen >= rank
        });
        found.map(|step| (step as f64 + 0.5) / STEPS as f64)
    }

    /// The slices that have operations, in runs without a gap.
    fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for slice in (0..SLICES).filter(|slice| self.totals[*slice] > 0) {
            match runs.last_mut() {
                Some(run) if run.end == slice => run.end += 1,
                _ => runs.push(slice..slice + 1),
            }
        }
        runs
    }

    /// A step for each slice.
    fn line(&self, share: f64, y: impl Fn(f64) -> f64) -> Path {
        let mut path = Path::default();
        for run in self.runs() {
            for slice in run.clone() {
                let at = y(self.quantile(slice, share).unwrap_or(0.0));
                if slice == run.start {
                    path.move_to(slice_x(slice), at)
                } else {
                    path.down(at)
                }
                path.across(slice_x(slice + 1));
            }
        }
        path
    }

    fn band(&self, low: f64, high: f64, y: impl Fn(f64) -> f64) -> Path {
        let mut path = Path::default();
        // Half a step more on either side, so that a band without width is seen.
        let half = 0.5 / STEPS as f64;
        for run in self.runs() {
            for slice in run.clone() {
                let at = y(self.quantile(slice, high).unwrap_or(0.0) + half);
                if slice == run.start {
                    path.move_to(slice_x(slice), at)
                } else {
                    path.down(at)
                }
                path.across(slice_x(slice + 1));
            }
            for slice in run.rev() {
                path.down(y(self.quantile(slice, low).unwrap_or(0.0) - half));
                path.across(slice_x(slice));
            }
            path.close();
        }
        path
    }
}

fn slice_x(slice: usize) -> f64 {
    super::LEFT + slice as f64 / SLICES as f64 * (super::RIGHT - super::LEFT)
}
