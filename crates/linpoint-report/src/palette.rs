//! The colours of pages and plots, in a light and a dark theme.

/// Colours and fonts, as declarations of CSS variables. The dark theme has colours only.
const LIGHT: &str = include_str!("../assets/palette-light.css");
const DARK: &str = include_str!("../assets/palette-dark.css");

/// The rules by which pages know the colours. The root of a page says which theme it has.
pub(crate) fn in_page() -> String {
    format!(
        ":root {{\n  color-scheme: light;\n{LIGHT}}}\n\
         :root[data-theme=\"dark\"] {{\n  color-scheme: dark;\n{DARK}}}\n"
    )
}

/// A style for a file of its own, whose theme is that of the viewer. Not every program that shows SVG knows variables, so
/// their values are inserted.
pub(crate) fn in_file(style: &str) -> String {
    let light = inserted(style, LIGHT);
    let dark = inserted(style, DARK);
    let dark = inserted(&dark, LIGHT);
    format!("{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

/// The style with the values of variables.
fn inserted(style: &str, palette: &str) -> String {
    let declarations = palette.split(';').filter_map(|declaration| declaration.split_once(':'));
    declarations.fold(style.to_owned(), |style, (name, value)| {
        style.replace(&format!("var({})", name.trim()), value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_values_of_both_themes() {
        let style = in_file("text { fill: var(--ink); font-family: var(--sans); }\n");
        assert!(!style.contains("var("), "{style}");
        assert!(style.contains("fill: #1b2330") && style.contains("fill: #e4e9f0"), "{style}");
    }
}
