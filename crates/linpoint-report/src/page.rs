//! What all pages have in common: one file that fetches nothing, with the data in script elements that are not executed.

use crate::palette;

/// The rules that pages share.
const BASE: &str = include_str!("../assets/base.css");
/// Functions that their scripts share.
pub(crate) const DOM: &str = include_str!("../assets/dom.js");
/// The theme of pages that have no other use for it.
pub(crate) const THEME: &str = include_str!("../assets/theme.js");

/// The start of a page, up to its body.
pub(crate) fn head(title: &str, style: &str) -> String {
    let mut page =
        String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    // The browser must fetch nothing, even if the data got around the escaping.
    page.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:\">\n",
    );
    let (title, palette) = (markup(title), palette::in_page());
    page.push_str(&format!(
        "<title>{title}</title>\n<style>\n{palette}{BASE}{style}</style>\n</head>\n"
    ));
    page
}

/// A page whose data is one JSON document.
pub(crate) fn with_facts(
    title: &str,
    style: &str,
    body: &str,
    facts: &serde_json::Value,
    scripts: &[&str],
) -> String {
    let mut page = head(title, style);
    page.push_str("<body>\n");
    page.push_str(body);
    page.push_str("<script type=\"application/json\" id=\"facts\">");
    page.push_str(&in_script(&facts.to_string()));
    page.push_str("</script>\n");
    page.push_str(&script(scripts));
    page.push_str("</body>\n</html>\n");
    page
}

/// Scripts that are executed in this order, all inside one function.
pub(crate) fn script(parts: &[&str]) -> String {
    format!("<script>\n(function () {{\n\"use strict\";\n{}}})();\n</script>\n", parts.concat())
}

/// Escapes JSON so that it cannot end its script element. In JSON, `<` occurs only inside strings.
pub(crate) fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Escapes text for HTML.
fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
