//! Plots of a history: latency over time by operation and outcome, throughput, and concurrency, with bands for faults.
//!
//! [`render`] writes one SVG. Few operations are drawn one by one. Many are summarised: the horizontal axis is cut
//! into slices, and for each slice there is a band from the 5th to the 95th percentile of the latencies, a narrower
//! one for the middle half, the median, and the maximum. So the size of the picture does not depend on the number of
//! operations, and the time is linear in it, apart from sorting.
//!
//! A history without clock readings has its positions on the axis instead: the number of calls and returns so far.

mod latency;
mod rates;
mod scale;
mod svg;

use crate::palette;
use crate::rendered::Annotation;
use crate::text::{clean, shorten};
use latency::LatencyPanels;
use scale::{Linear, Unit};
use svg::{Anchor, Path, Svg};

/// What the horizontal axis shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Axis {
    /// Seconds.
    Seconds,
    /// Readings of a clock, in a unit that is not known.
    Clock,
    /// Positions in the file: calls and returns are numbered.
    #[default]
    Positions,
}

/// How an operation ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ending {
    /// It returned.
    Ok,
    /// It certainly did not happen.
    Failed,
    /// It is not known whether it happened.
    Unknown,
}

/// An operation, as far as plots show it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// When it was called, in the unit of the axis.
    pub start: f64,
    /// When it ended; infinite if it never did.
    pub end: f64,
    /// The name of the operation, as an index.
    pub name: u32,
    /// How it ended.
    pub ending: Ending,
}

impl Point {
    fn latency(&self) -> f64 {
        (self.end - self.start).max(0.0)
    }
}

/// A fault, or another event that is not an operation.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// What happened.
    pub text: String,
    /// When it began, in the unit of the axis.
    pub from: f64,
    /// When it ended; `None` for a single moment.
    pub to: Option<f64>,
}

impl Fault {
    /// A fault whose times are positions.
    pub fn at_positions(annotation: &Annotation) -> Fault {
        // Between the event before it and the event after it.
        let place = |after: u32| f64::from(after) - 0.5;
        let Annotation { lane, text, from, to, .. } = annotation;
        let text = format!("{lane}: {text}");
        Fault { text, from: place(*from), to: to.map(place) }
    }
}

/// What is plotted.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What the horizontal axis shows.
    pub axis: Axis,
    /// The names of operations.
    pub names: Vec<String>,
    /// The operations, in any order.
    pub points: Vec<Point>,
    /// The faults.
    pub faults: Vec<Fault>,
}

/// Where the picture is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place<'a> {
    /// In a file of its own, with this title. Its colours follow the theme of the viewer.
    File(&'a str),
    /// In a page that has the style.
    Page,
}

/// The style of plots, in the colours of the page.
pub(crate) const STYLE: &str = include_str!("../../assets/plot.css");

const WIDTH: f64 = 900.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = WIDTH - 14.0;
/// Above each panel: its title.
const TITLE: f64 = 27.0;
/// Above the panels: the names of faults, and single events.
const FAULTS: f64 = 20.0;
/// Below the last panel: the values and the name of the axis.
const BOTTOM: f64 = 44.0;
const TICKS: usize = 8;
/// More faults than this are not drawn.
const MAX_FAULTS: usize = 500;
/// Longer titles are cut.
const MAX_TITLE: usize = 90;

/// The horizontal axis.
struct Time {
    /// Zero on the axis.
    origin: f64,
    /// The last value.
    extent: f64,
    axis: Axis,
}

impl Time {
    fn new(plot: &Plot) -> Time {
        let ends = plot.points.iter().map(|point| point.end).filter(|end| end.is_finite());
        let starts = || plot.points.iter().map(|point| point.start);
        let origin = match plot.axis {
            Axis::Positions => 0.0,
            Axis::Seconds | Axis::Clock => starts().fold(f64::INFINITY, f64::min),
        };
        let origin = if origin.is_finite() { origin } else { 0.0 };
        let last = starts().chain(ends).fold(origin, f64::max);
        let extent = if last > origin { last - origin } else { 1.0 };
        Time { origin, extent, axis: plot.axis }
    }

    /// From 0 to 1.
    fn share(&self, at: f64) -> f64 {
        ((at - self.origin) / self.extent).clamp(0.0, 1.0)
    }

    fn x(&self, at: f64) -> f64 {
        LEFT + self.share(at) * (RIGHT - LEFT)
    }

    /// The slice of the axis, of this many.
    fn slice(&self, at: f64, slices: usize) -> usize {
        ((self.share(at) * slices as f64) as usize).min(slices - 1)
    }

    fn unit(&self) -> Unit {
        match self.axis {
            Axis::Seconds => Unit::Seconds,
            Axis::Clock | Axis::Positions => Unit::Plain,
        }
    }

    fn name(&self) -> &'static str {
        match self.axis {
            Axis::Seconds => "time since the first call",
            Axis::Clock => "time since the first call, in the unit of the file",
            Axis::Positions => "position in the file, which has no times: calls and returns so far",
        }
    }

    fn latency_name(&self) -> &'static str {
        match self.axis {
            Axis::Seconds | Axis::Clock => "latency",
            Axis::Positions => "duration in calls and returns",
        }
    }
}

/// The area of a panel.
#[derive(Clone, Copy)]
struct Area {
    top: f64,
    bottom: f64,
}

impl Area {
    /// The vertical position of a share of the axis.
    fn y(self, share: f64) -> f64 {
        self.bottom - share * (self.bottom - self.top)
    }
}

/// The picture as SVG.
pub fn render(plot: &Plot, place: Place<'_>) -> String {
    let time = Time::new(plot);
    let mut picture = Picture { svg: Svg::default(), time, areas: Vec::new(), y: 6.0 };
    if let Place::File(title) = place {
        let title = shorten(&clean(title), MAX_TITLE);
        picture.svg.text("title", (LEFT, 20.0), Anchor::Start, &title);
        picture.y = 28.0;
    }
    let top = picture.y;
    picture.y += if plot.faults.is_empty() { 0.0 } else { FAULTS };
    LatencyPanels::new(plot, &picture.time).draw(&mut picture);
    rates::throughput(plot, &mut picture);
    rates::concurrency(plot, &mut picture);
    let panels = std::mem::take(&mut picture.svg);
    // Bands are below the curves, so they come first.
    picture.frames();
    picture.faults(&plot.faults, top);
    picture.svg.0 += &panels.0;
    picture.horizontal_axis();
    document(&picture.svg.0, picture.y, place)
}

fn document(elements: &str, height: f64, place: Place<'_>) -> String {
    let (namespace, style) = match place {
        Place::File(_) => (" xmlns=\"http://www.w3.org/2000/svg\"", palette::in_file(STYLE)),
        Place::Page => ("", String::new()),
    };
    let style = match style.as_str() {
        "" => String::new(),
        style => format!(
            "<style>\n{style}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n"
        ),
    };
    format!(
        "<svg{namespace} class=\"plot\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" \
         aria-label=\"Latency, throughput and concurrency over time\">\n{style}{elements}</svg>\n"
    )
}

/// A picture that is being drawn, from top to bottom.
struct Picture {
    svg: Svg,
    time: Time,
    /// The panels so far.
    areas: Vec<Area>,
    /// Where the next thing is drawn.
    y: f64,
}

impl Picture {
    /// Begins a panel.
    fn panel(&mut self, height: f64, title: &str, facts: &str) -> Area {
        let top = self.y + TITLE;
        let area = Area { top, bottom: top + height };
        self.svg.text("name", (LEFT, top - 7.0), Anchor::Start, title);
        self.svg.text("quiet", (RIGHT, top - 7.0), Anchor::End, facts);
        self.areas.push(area);
        self.y = area.bottom;
        area
    }

    /// A value beside a panel, with a line across it.
    fn tick(&mut self, y: f64, text: &str) {
        let mut line = Path::default();
        line.move_to(LEFT, y);
        line.across(RIGHT);
        self.svg.path("grid", &line, "");
        self.svg.text("quiet", (LEFT - 6.0, y + 4.0), Anchor::End, text);
    }

    fn ticks(&self) -> Vec<f64> {
        let ticks = Linear { high: self.time.extent }.ticks(TICKS);
        ticks.into_iter().filter(|at| *at <= self.time.extent * 1.000_001).collect()
    }

    fn frames(&mut self) {
        let mut lines = Path::default();
        for area in self.areas.clone() {
            self.svg.rect("frame", (LEFT, area.top), (RIGHT, area.bottom), "");
            for at in self.ticks() {
                lines.move_to(self.time.x(self.time.origin + at), area.top);
                lines.down(area.bottom);
            }
        }
        self.svg.path("grid", &lines, "");
    }

    fn horizontal_axis(&mut self) {
        let unit = self.time.unit();
        for at in self.ticks() {
            let x = self.time.x(self.time.origin + at);
            self.svg.text("quiet", (x, self.y + 16.0), Anchor::Middle, &unit.text(at));
        }
        let middle = ((LEFT + RIGHT) / 2.0, self.y + 34.0);
        self.svg.text("quiet", middle, Anchor::Middle, self.time.name());
        self.y += BOTTOM;
    }

    /// Faults that last are bands through all panels. Their names are above, as far as there is room.
    fn faults(&mut self, faults: &[Fault], top: f64) {
        let Some(bottom) = self.areas.last().map(|area| area.bottom) else { return };
        let mut faults: Vec<&Fault> = faults.iter().collect();
        faults.sort_by(|a, b| a.from.total_cmp(&b.from));
        let left_out = faults.len().saturating_sub(MAX_FAULTS);
        let mut free = LEFT;
        for fault in faults.into_iter().take(MAX_FAULTS) {
            let text = shorten(&clean(&fault.text), 60);
            let from = self.time.x(fault.from);
            if let Some(to) = fault.to {
                // A short one is still seen.
                let to = self.time.x(to).max(from + 1.0);
                self.svg.rect("fault", (from, top + FAULTS - 8.0), (to, bottom), &text);
            }
            let mut edge = Path::default();
            edge.move_to(from, top + if fault.to.is_some() { 2.0 } else { FAULTS - 8.0 });
            edge.down(if fault.to.is_some() { bottom } else { top + FAULTS });
            self.svg.path("moment", &edge, &text);
            let wide = text.chars().count() as f64 * 6.0;
            if from >= free && from + wide < WIDTH {
                self.svg.text("fault-name", (from + 3.0, top + 10.0), Anchor::Start, &text);
                free = from + wide + 14.0;
            }
        }
        if left_out > 0 {
            let text = format!("and {left_out} more events");
            self.svg.text("fault-name", (RIGHT, top + 10.0), Anchor::End, &text);
        }
    }
}
