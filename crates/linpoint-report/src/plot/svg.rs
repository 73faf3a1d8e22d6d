//! Writes SVG. Numbers have at most one decimal, so that large plots stay small.

use std::fmt::Write;

use crate::text::clean;
use crate::xml::escaped;

/// The elements of a picture.
#[derive(Debug, Default)]
pub(super) struct Svg(pub(super) String);

/// Where a text is relative to its position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y, text) = (Short(x), Short(y), escaped(&clean(text)));
        let _ =
            writeln!(self.0, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>");
    }

    /// A path with a tooltip. Nothing, if the path is empty.
    pub(super) fn path(&mut self, class: &str, path: &Path, title: &str) {
        if path.0.is_empty() {
            return;
        }
        let title = match title {
            "" => String::new(),
            title => format!("<title>{}</title>", escaped(&clean(title))),
        };
        let _ = writeln!(self.0, "<path class=\"{class}\" d=\"{}\">{title}</path>", path.0);
    }

    /// A rectangle from one corner to the opposite one, with a tooltip.
    pub(super) fn rect(&mut self, class: &str, from: (f64, f64), to: (f64, f64), title: &str) {
        let mut path = Path::default();
        path.move_to(from.0, from.1);
        path.across(to.0);
        path.down(to.1);
        path.across(from.0);
        path.close();
        self.path(class, &path, title);
    }
}

/// The data of a path.
#[derive(Debug, Default)]
pub(super) struct Path(String);

impl Path {
    pub(super) fn move_to(&mut self, x: f64, y: f64) {
        let _ = write!(self.0, "M{} {}", Short(x), Short(y));
    }

    /// A horizontal line.
    pub(super) fn across(&mut self, x: f64) {
        let _ = write!(self.0, "H{}", Short(x));
    }

    /// A vertical line.
    pub(super) fn down(&mut self, y: f64) {
        let _ = write!(self.0, "V{}", Short(y));
    }

    pub(super) fn close(&mut self) {
        self.0.push('Z');
    }

    /// A line without length. With round ends it is a dot.
    pub(super) fn dot(&mut self, x: f64, y: f64) {
        self.move_to(x, y);
        self.0.push_str("h0");
    }

    /// A small cross.
    pub(super) fn cross(&mut self, x: f64, y: f64) {
        self.move_to(x - 2.5, y - 2.5);
        self.0.push_str("l5 5m0-5l-5 5");
    }

    /// A small upright line.
    pub(super) fn stroke(&mut self, x: f64, y: f64) {
        self.move_to(x, y - 3.5);
        self.0.push_str("v7");
    }
}

/// A number with at most one decimal.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is not a number becomes 0.
        let tenths = (self.0 * 10.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        let (whole, tenth) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
        match tenth {
            0 => write!(f, "{sign}{whole}"),
            _ => write!(f, "{sign}{whole}.{tenth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let text = |x: f64| Short(x).to_string();
        let all = [1.0, 12.345, -0.04, -0.26, 0.05, f64::NAN].map(text);
        assert_eq!(all, ["1", "12.3", "0", "-0.3", "0.1", "0"]);
    }

    #[test]
    fn text_is_never_markup() {
        let mut svg = Svg::default();
        svg.text("a", (1.0, 2.0), Anchor::End, "</text><script>\u{1b}");
        assert_eq!(
            svg.0,
            "<text class=\"a\" x=\"1\" y=\"2\" text-anchor=\"end\">&lt;/text&gt;&lt;script&gt;\\u{1b}</text>\n"
        );
    }
}
