//! Colours of events, of a small set: they end up in the style of a page.

use std::fmt;

/// A colour without transparency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Color(pub [u8; 3]);

/// Colours that can be told apart on light and on dark ground.
const NAMED: &[(&str, [u8; 3])] = &[
    ("red", [0xd6, 0x45, 0x45]),
    ("orange", [0xd9, 0x82, 0x2b]),
    ("yellow", [0xc9, 0xa4, 0x00]),
    ("green", [0x3d, 0x9a, 0x50]),
    ("teal", [0x2f, 0x91, 0x86]),
    ("blue", [0x3b, 0x7d, 0xd8]),
    ("purple", [0x8e, 0x5b, 0xd0]),
    ("pink", [0xd1, 0x55, 0x9a]),
    ("brown", [0x96, 0x69, 0x4c]),
    ("gray", [0x80, 0x88, 0x90]),
];

impl Color {
    /// A name, `#rgb` or `#rrggbb`.
    pub fn parse(text: &str) -> Option<Color> {
        let Some(digits) = text.strip_prefix('#') else {
            return NAMED.iter().find(|(name, _)| *name == text).map(|(_, color)| Color(*color));
        };
        let digit = |c: char| c.to_digit(16).map(|digit| digit as u8);
        let digits: Vec<u8> = digits.chars().map(digit).collect::<Option<_>>()?;
        match *digits {
            [r, g, b] => Some(Color([r * 17, g * 17, b * 17])),
            [r1, r2, g1, g2, b1, b2] => Some(Color([r1 * 16 + r2, g1 * 16 + g2, b1 * 16 + b2])),
            _ => None,
        }
    }

    /// What colours there are, for messages.
    pub fn all() -> String {
        let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
        format!("#rgb, #rrggbb or one of {}", names.join(", "))
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_and_hexadecimal_numbers_are_colours() {
        for (text, shown) in [("#f80", "#ff8800"), ("#0aF0b1", "#0af0b1"), ("gray", "#808890")] {
            assert_eq!(Color::parse(text).unwrap().to_string(), shown);
        }
        let evil = ["", "#", "#ff", "#12345", "#1234567", "#ggg", "Red", "url(x)", "#f80;", "#é1"];
        for text in evil {
            assert_eq!(Color::parse(text), None, "{text}");
        }
    }
}
