//! Throughput and concurrency over time.

use super::latency::{panel_names, places};
use super::scale::Linear;
use super::svg::{Anchor, Path};
use super::{Area, Axis, Ending, LEFT, Picture, Plot, RIGHT};

const HEIGHT: f64 = 96.0;
/// Slices of the horizontal axis for many operations.
const SLICES: usize = 160;
/// With few operations, a slice has about this many.
const OPERATIONS_A_SLICE: usize = 8;
const TICKS: usize = 3;

/// How many operations ended in each slice of time: those that returned by name, failed and unknown ones together.
pub(super) fn throughput(plot: &Plot, picture: &mut Picture) {
    let slices = (plot.points.len() / OPERATIONS_A_SLICE).clamp(10, SLICES);
    let places = places(plot);
    let names = panel_names(plot, &places);
    let others = names.len();
    // Each of the names, then failed, then unknown.
    let mut counts = vec![vec![0_u32; slices]; others + 2];
    for point in &plot.points {
        // Operations that never ended count where they were called.
        let at = if point.end.is_finite() { point.end } else { point.start };
        let place = places.get(point.name as usize).copied().unwrap_or(0);
        let series = match point.ending {
            Ending::Ok => place.min(others.saturating_sub(1)),
            Ending::Failed => others,
            Ending::Unknown => others + 1,
        };
        counts[series][picture.time.slice(at, slices)] += 1;
    }
    let width = picture.time.extent / slices as f64;
    let (per, title) = match plot.axis {
        Axis::Seconds => (width, "operations per second".to_owned()),
        Axis::Clock | Axis::Positions => {
            let what = if plot.axis == Axis::Clock { "units of time" } else { "calls and returns" };
            let width = picture.time.unit().text(width);
            (1.0, format!("operations per {width} {what}"))
        }
    };
    let most = counts.iter().flatten().copied().max().unwrap_or(0);
    let scale = Linear::to(f64::from(most) / per, TICKS);
    let area = begin(picture, &title, "", scale);
    let classes = (0..others).map(|place| format!("line kind-{place}"));
    let classes = classes.chain(["line failed".to_owned(), "line unknown".to_owned()]);
    let names = names.into_iter().chain(["failed".to_owned(), "unknown".to_owned()]);
    let mut legend = Vec::new();
    for ((series, class), name) in counts.iter().zip(classes).zip(names) {
        if series.iter().all(|count| *count == 0) {
            continue;
        }
        let path = steps(series, |count| area.y(scale.share(f64::from(count) / per)));
        picture.svg.path(&class, &path, &name);
        legend.push((class, name));
    }
    draw_legend(picture, area, &legend);
}

/// A step for each slice that is not empty, and those beside it down to zero.
fn steps(series: &[u32], y: impl Fn(u32) -> f64) -> Path {
    let mut path = Path::default();
    let x = |slice: usize| LEFT + slice as f64 / series.len() as f64 * (RIGHT - LEFT);
    for (slice, count) in series.iter().enumerate().filter(|(_, count)| **count > 0) {
        let is_empty = |slice: Option<&u32>| slice.is_none_or(|count| *count == 0);
        if slice == 0 || is_empty(series.get(slice - 1)) {
            path.move_to(x(slice), y(0));
        }
        path.down(y(*count));
        path.across(x(slice + 1));
        if is_empty(series.get(slice + 1)) {
            path.down(y(0));
        }
    }
    path
}

/// The names of the curves, from the right.
fn draw_legend(picture: &mut Picture, area: Area, entries: &[(String, String)]) {
    let mut x = RIGHT;
    let y = area.top - 7.0;
    for (class, name) in entries.iter().rev() {
        x -= name.chars().count() as f64 * 7.0;
        // The title of the panel is on the left.
        if x < LEFT + 300.0 {
            return;
        }
        picture.svg.text("quiet", (x, y), Anchor::Start, name);
        let mut sample = Path::default();
        sample.move_to(x - 18.0, y - 4.0);
        sample.across(x - 4.0);
        picture.svg.path(class, &sample, "");
        x -= 32.0;
    }
}

/// How many operations are open: the mean of each slice of time, and between which numbers it was. Operations that never
/// ended do not count, since they stay open.
pub(super) fn concurrency(plot: &Plot, picture: &mut Picture) {
    let ended = || plot.points.iter().filter(|point| point.end.is_finite());
    let mut starts: Vec<f64> = ended().map(|point| point.start).collect();
    let mut ends: Vec<f64> = ended().map(|point| point.end.max(point.start)).collect();
    starts.sort_unstable_by(f64::total_cmp);
    ends.sort_unstable_by(f64::total_cmp);
    let slices = (starts.len() / OPERATIONS_A_SLICE).clamp(10, SLICES);
    let mut open = Open::new(slices, picture);
    let (mut started, mut over) = (0, 0);
    while over < ends.len() {
        // At the same instant, calls come first: an operation without duration was open too.
        let is_call = started < starts.len() && starts[started] <= ends[over];
        let at = if is_call { starts[started] } else { ends[over] };
        open.until(at, started - over);
        if is_call {
            started += 1
        } else {
            over += 1
        }
        open.now(at, started - over);
    }
    open.until(picture.time.origin + picture.time.extent, 0);
    let most = open.slices.iter().map(|slice| slice.max).max().unwrap_or(0);
    let never = plot.points.len() - starts.len();
    let facts = match never {
        0 => format!("at most {most}"),
        n => format!("at most {most}, without {n} that never returned"),
    };
    let scale = Linear::to(most as f64, TICKS);
    let area = begin(picture, "open operations", &facts, scale);
    let (mut band, mut mean) = (Path::default(), Path::default());
    let x = |slice: usize| LEFT + slice as f64 / slices as f64 * (RIGHT - LEFT);
    let y = |n: f64| area.y(scale.share(n));
    for (number, slice) in open.slices.iter().enumerate() {
        let (high, middle) = (slice.max as f64, slice.mean());
        if number == 0 {
            band.move_to(x(0), y(high))
        } else {
            band.down(y(high))
        }
        band.across(x(number + 1));
        if number == 0 {
            mean.move_to(x(0), y(middle))
        } else {
            mean.down(y(middle))
        }
        mean.across(x(number + 1));
    }
    for (number, slice) in open.slices.iter().enumerate().rev() {
        band.down(y(slice.min.min(slice.max) as f64));
        band.across(x(number));
    }
    band.close();
    picture.svg.path("wide open", &band, "between the smallest and the largest number");
    picture.svg.path("median open", &mean, "mean");
}

fn begin(picture: &mut Picture, title: &str, facts: &str, scale: Linear) -> Area {
    let area = picture.panel(HEIGHT, title, facts);
    for tick in scale.ticks(TICKS) {
        picture.tick(area.y(scale.share(tick)), &super::Unit::Plain.text(tick));
    }
    area
}

/// The number of open operations in one slice of time.
#[derive(Clone, Copy)]
struct Slice {
    min: usize,
    max: usize,
    /// The integral over time, and the time that was summed up.
    sum: f64,
    time: f64,
}

impl Slice {
    fn mean(&self) -> f64 {
        if self.time > 0.0 { self.sum / self.time } else { self.max as f64 }
    }
}

/// The numbers of open operations in all slices, filled from left to right.
struct Open {
    slices: Vec<Slice>,
    origin: f64,
    width: f64,
    at: f64,
    slice: usize,
}

impl Open {
    fn new(slices: usize, picture: &Picture) -> Open {
        let empty = Slice { min: usize::MAX, max: 0, sum: 0.0, time: 0.0 };
        Open {
            slices: vec![empty; slices],
            origin: picture.time.origin,
            width: picture.time.extent / slices as f64,
            at: picture.time.origin,
            slice: 0,
        }
    }

    /// From the last moment until this one, `n` operations are open.
    fn until(&mut self, to: f64, n: usize) {
        loop {
            let last = self.slice + 1 == self.slices.len();
            let end = self.origin + (self.slice + 1) as f64 * self.width;
            let until = if last { to } else { to.min(end) };
            let time = until - self.at;
            if time > 0.0 {
                self.seen(n);
                let slice = &mut self.slices[self.slice];
                slice.sum += n as f64 * time;
                slice.time += time;
                self.at = until;
            }
            if last || end > to {
                return;
            }
            self.slice += 1;
        }
    }

    /// At this moment, the number becomes `n`.
    fn now(&mut self, at: f64, n: usize) {
        self.at = self.at.max(at);
        self.seen(n);
    }

    fn seen(&mut self, n: usize) {
        let slice = &mut self.slices[self.slice];
        slice.min = slice.min.min(n);
        slice.max = slice.max.max(n);
    }
}
