//! A small line plot with logarithmic axes.

use std::fmt::Write;

/// One line of a plot.
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Points with positive coordinates.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
pub struct Plot {
    /// Above it.
    pub title: String,
    /// Along the horizontal axis.
    pub x: String,
    /// Along the vertical axis.
    pub y: String,
    /// The base of the ticks on the horizontal axis; `None` for a linear axis, with a tick at each
    /// point.
    pub x_base: Option<f64>,
    /// The lines.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 820.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 210.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 60.0;
const COLOURS: [&str; 10] = [
    "#0b3d91", "#d1495b", "#2e8b57", "#e28413", "#7b4ba8", "#00798c", "#8d6a4f", "#444444",
    "#c02fa0", "#7a9a01",
];

impl Plot {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| s.points.iter().copied());
        let (x_low, x_high) = range(points().map(|p| p.0));
        let (y_low, y_high) = range(points().map(|p| p.1));
        let (y_low, y_high) = (y_low.log10().floor(), y_high.log10().ceil());
        let y_high = if y_high > y_low { y_high } else { y_low + 1.0 };
        let scale = |x: f64| if self.x_base.is_some() { x.ln() } else { x };
        let (a, b) = (scale(x_low), scale(x_high));
        let width = if b > a { b - a } else { 1.0 };
        let at_x = |x: f64| LEFT + (scale(x) - a) / width * (WIDTH - LEFT - RIGHT);
        let at_y = |y: f64| {
            HEIGHT - BOTTOM - (y.log10() - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)
        };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        text(&mut out, LEFT, 22.0, "start", &self.title);
        text(&mut out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 15.0, "middle", &self.x);
        let _ = writeln!(
            out,
            "<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (TOP + HEIGHT - BOTTOM) / 2.0,
            escape(&self.y)
        );
        for exponent in y_low as i32..=y_high as i32 {
            let y = at_y(10f64.powi(exponent));
            line(&mut out, LEFT, y, WIDTH - RIGHT, y);
            text(&mut out, LEFT - 8.0, y + 4.0, "end", &count(10f64.powi(exponent)));
        }
        for x in self.x_ticks(x_low, x_high) {
            line(&mut out, at_x(x), TOP, at_x(x), HEIGHT - BOTTOM);
            text(&mut out, at_x(x), HEIGHT - BOTTOM + 18.0, "middle", &count(x));
        }
        for (i, series) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let path: Vec<String> = series
                .points
                .iter()
                .map(|(x, y)| format!("{:.1},{:.1}", at_x(*x), at_y(*y)))
                .collect();
            let _ = writeln!(
                out,
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
                path.join(" ")
            );
            for point in &path {
                let (x, y) = point.split_once(',').expect("made above");
                let _ = writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>");
            }
            let (x, y) = (WIDTH - RIGHT + 15.0, TOP + 10.0 + 20.0 * i as f64);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>",
                y - 6.0
            );
            text(&mut out, x + 20.0, y, "start", &series.name);
        }
        out.push_str("</svg>\n");
        out
    }

    fn x_ticks(&self, low: f64, high: f64) -> Vec<f64> {
        match self.x_base {
            Some(base) => {
                let first = (low.ln() / base.ln()).round() as i32;
                let last = (high.ln() / base.ln()).round() as i32;
                (first..=last).map(|e| base.powi(e)).collect()
            }
            None => {
                let mut ticks: Vec<f64> =
                    self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0)).collect();
                ticks.sort_by(f64::total_cmp);
                ticks.dedup();
                ticks
            }
        }
    }
}

fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        numbers.fold((f64::INFINITY, 0f64), |(low, high), n| (low.min(n), high.max(n)));
    if high > 0.0 { (low, high) } else { (1.0, 10.0) }
}

fn count(number: f64) -> String {
    if number >= 1e6 {
        format!("{}M", number / 1e6)
    } else if number >= 1e4 {
        format!("{}k", number / 1e3)
    } else {
        format!("{}", (number * 1e6).round() / 1e6)
    }
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, what: &str) {
    let what = escape(what);
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{what}</text>");
}

fn line(out: &mut String, x1: f64, y1: f64, x2: f64, y2: f64) {
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#dddddd\"/>"
    );
}

fn escape(what: &str) -> String {
    what.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
