//! SARIF 2.1.0, the format in which analysis tools report to code scanning: one document with one result for each
//! alert. See `docs/output.md`.

use serde_json::{Value, json};

use crate::alert::{Alert, Place, Rule};

/// Where tools find the schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The root of the repository, as tools name it.
const ROOT: &str = "%SRCROOT%";

/// All alerts as one document.
pub fn render(alerts: &[Alert]) -> String {
    let failed = alerts.iter().any(|alert| alert.rule == Rule::Input);
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "linpoint",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": Rule::ALL.map(rule),
            } },
            "invocations": [{ "executionSuccessful": !failed }],
            "results": alerts.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    // A document of strings and numbers can always be written.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn rule(rule: Rule) -> Value {
    // No `name`: it must differ from the id, and the title says more.
    json!({
        "id": rule.id(),
        "shortDescription": { "text": rule.title() },
        "fullDescription": { "text": about(rule) },
        "help": { "text": about(rule) },
        "defaultConfiguration": { "level": level(rule) },
    })
}

fn level(rule: Rule) -> &'static str {
    if rule.is_warning() { "warning" } else { "error" }
}

fn about(rule: Rule) -> &'static str {
    match rule {
        Rule::NotLinearizable => {
            "No order of the operations respects real time and explains all results: the object does not behave as \
             if operations took effect one at a time."
        }
        Rule::HintBroken => {
            "The history is linearizable, but not in the order that its hints assert (--hints assert)."
        }
        Rule::WithHints => {
            "No order that the hints assert explains all results. A limit was reached before it was known whether \
             another order does."
        }
        Rule::BrokenGuarantee => {
            "The history is linearizable, but it breaks another guarantee: a watch lost, repeated or reordered events."
        }
        Rule::Undecided => {
            "A limit on time or memory was reached before an answer was found. Raise --timeout or --memory."
        }
        Rule::Input => "The input could not be read or checked, so nothing is known about it.",
    }
}

fn result(alert: &Alert) -> Value {
    let index = Rule::ALL.iter().position(|rule| *rule == alert.rule);
    let place = |line| Place { file: alert.place.file.clone(), line };
    let related = alert.related.iter().zip(1..).filter_map(|((line, text), id)| {
        let physical = physical(&place(Some(*line)))?;
        Some(json!({ "id": id, "physicalLocation": physical, "message": { "text": text } }))
    });
    let mut result = json!({
        "ruleId": alert.rule.id(),
        "ruleIndex": index,
        "level": level(alert.rule),
        "message": { "text": format!("{}\n{}", alert.title, alert.message) },
        "locations": physical(&alert.place)
            .map(|physical| json!({ "physicalLocation": physical }))
            .into_iter()
            .collect::<Vec<_>>(),
        "properties": { "history": alert.history },
    });
    let related: Vec<Value> = related.collect();
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    result
}

/// The file and the line. Code scanning requires a line: what is about a whole file is on its first one.
fn physical(place: &Place) -> Option<Value> {
    let file = place.file.as_ref()?;
    let mut artifact = json!({ "uri": uri(file) });
    if !is_absolute(file) {
        artifact["uriBaseId"] = ROOT.into();
    }
    let line = place.line.unwrap_or(1).max(1);
    Some(json!({ "artifactLocation": artifact, "region": { "startLine": line } }))
}

fn is_absolute(file: &str) -> bool {
    std::path::Path::new(file).is_absolute()
}

/// A path as a URI reference.
fn uri(file: &str) -> String {
    let slashes = file.replace(std::path::MAIN_SEPARATOR, "/");
    let mut out = if is_absolute(file) {
        format!("file://{}", if slashes.starts_with('/') { "" } else { "/" })
    } else {
        String::new()
    };
    for byte in slashes.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into());
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri("./runs/a b%:#é.jsonl"), "runs/a%20b%25%3A%23%C3%A9.jsonl");
        assert_eq!(uri("../x"), "../x");
        #[cfg(unix)]
        assert_eq!(uri("/tmp/a b"), "file:///tmp/a%20b");
    }
}
