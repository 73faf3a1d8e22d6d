//! Contents of the page, without a browser.

use crate::support;

/// The text between two markers.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = &text[text.find(from).unwrap() + from.len()..];
    &rest[..rest.find(to).unwrap()]
}

fn facts(html: &str) -> serde_json::Value {
    serde_json::from_str(between(html, "id=\"facts\">", "</script>")).unwrap()
}

#[test]
fn a_page_is_one_file_that_fetches_nothing() {
    let html = support::queue_out_of_order().html;
    for forbidden in ["http://", "https://", " src=", "@import", "<link"] {
        let found: Vec<_> = html.matches(forbidden).collect();
        // The SVG namespace is a name that is never fetched.
        let allowed = if forbidden == "http://" { 1 } else { 0 };
        assert_eq!(found.len(), allowed, "{forbidden}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn history_data_is_escaped_in_the_page() {
    let html = support::hostile().html;
    let data = between(&html, "id=\"facts\">", "</script>");
    assert!(!data.contains('<'));
    assert!(data.contains("\\u003c/script>"));
    assert_eq!(html.matches("<script").count(), 3);
    assert!(!between(&html, "<title>", "</title>").contains('<'));
}

#[test]
fn the_facts_of_a_violation_are_in_the_page() {
    let facts = facts(&support::queue_out_of_order().html);
    assert_eq!(facts["outcome"], "bad");
    assert_eq!(facts["operations"], 9);
    let why = &facts["explanations"][0];
    assert_eq!(why["failing"], 6);
    assert_eq!(why["core"], serde_json::json!([1, 2, 3, 6]));
    assert_eq!(why["allowed"], "\"b\"");
    assert_eq!(facts["annotations"][0][0], "nemesis");
}

#[test]
fn pages_of_large_histories_are_small() {
    let history = support::key_value(100_000, 24, 1, 7, None);
    let page = support::key_value_page("large", &history);
    assert!(page.report.verdict.is_linearizable());
    assert!(page.html.len() < 4_000_000, "{} bytes", page.html.len());
}
