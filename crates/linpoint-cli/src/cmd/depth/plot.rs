//! A plot of the share of linearizable histories with a witness, by the depth of the family.

use std::fmt::Write;

use super::tables::{HistorySet, share};

const WIDTH: f64 = 820.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 220.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 60.0;
const COLOURS: [&str; 11] = [
    "#0b3d91", "#d1495b", "#2e8b57", "#e28413", "#7b4ba8", "#00798c", "#8d6a4f", "#444444",
    "#c02fa0", "#7a9a01", "#000000",
];

/// The plot as an SVG document.
pub(super) fn svg(sets: &[HistorySet], most_d: usize) -> String {
    let lines: Vec<&HistorySet> = sets.iter().filter(|set| set.linearizable > 0).collect();
    let percent = |set: &HistorySet, d: usize| share(set.witnessed[d - 1], set.linearizable);
    let lowest = lines.iter().map(|set| percent(set, 1)).fold(100.0, f64::min);
    let floor = (lowest / 10.0).floor().min(9.0) * 10.0;
    let at_x =
        |d: usize| LEFT + (d - 1) as f64 / (most_d - 1).max(1) as f64 * (WIDTH - LEFT - RIGHT);
    let at_y = |percent: f64| {
        HEIGHT - BOTTOM - (percent - floor) / (100.0 - floor) * (HEIGHT - TOP - BOTTOM)
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let title = "linearizable histories with a witness in the strong d-hitting family (%)";
    text(&mut out, LEFT, 22.0, "start", title);
    text(&mut out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 15.0, "middle", "d");
    for d in 1..=most_d {
        text(&mut out, at_x(d), HEIGHT - BOTTOM + 20.0, "middle", &d.to_string());
    }
    let mut percents = floor;
    while percents <= 100.0 {
        let y = at_y(percents);
        let right = WIDTH - RIGHT;
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>"
        );
        text(&mut out, LEFT - 8.0, y + 4.0, "end", &format!("{percents:.0}"));
        percents += 10.0;
    }
    for (i, set) in lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let points: Vec<String> =
            (1..=most_d).map(|d| format!("{:.1},{:.1}", at_x(d), at_y(percent(set, d)))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        let (x, y) = (WIDTH - RIGHT + 15.0, TOP + 18.0 * i as f64);
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{:.1}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>",
            y - 6.0
        );
        text(&mut out, x + 20.0, y, "start", &legend(&set.name));
    }
    out + "</svg>\n"
}

/// A name that fits beside the plot. Names of files differ at their ends.
fn legend(name: &str) -> String {
    const FITS: usize = 26;
    let length = name.chars().count();
    match length > FITS {
        true => std::iter::once('\u{2026}').chain(name.chars().skip(length - FITS + 1)).collect(),
        false => name.to_owned(),
    }
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

#[cfg(test)]
mod tests {
    use super::legend;

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(legend("histories"), "histories");
        let long = legend("/a/very/long/path/to/histories/queue-17");
        assert!(long.starts_with('\u{2026}') && long.ends_with("/queue-17"), "{long}");
        assert_eq!(long.chars().count(), 26);
    }
}
