//! Annotations of a GitHub workflow: commands that the runner finds in the log, one line each.
//!
//! ```text
//! ::error file=runs/kv.jsonl,line=7,title=Not linearizable: runs/kv.jsonl::client 2 read 0, but 0 was gone
//! ```
//!
//! The runner shows them at the line of the file, if it is in the repository, and on the page of the run.

use crate::alert::Alert;

/// The alerts, one line each.
pub fn render(alerts: &[Alert]) -> String {
    alerts.iter().map(command).collect()
}

fn command(alert: &Alert) -> String {
    let level = if alert.rule.is_warning() { "warning" } else { "error" };
    let mut properties = Vec::new();
    if let Some(file) = &alert.place.file {
        properties.push(format!("file={}", property(file)));
        if let Some(line) = alert.place.line {
            properties.push(format!("line={line}"));
        }
    }
    properties.push(format!("title={}", property(&alert.title)));
    format!("::{level} {}::{}\n", properties.join(","), data(&alert.message))
}

/// Escapes the text after `::`. A line break would end the command, and what follows could be another one.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alert::{Place, Rule};

    #[test]
    fn nothing_in_an_alert_ends_the_command() {
        let alert = Alert {
            rule: Rule::NotLinearizable,
            place: Place { file: Some("a,b:c\n100%.jsonl".to_owned()), line: Some(3) },
            history: String::new(),
            title: "x::y\r".to_owned(),
            message: "50% read 1::2,\n::set-env name=A::b".to_owned(),
            related: Vec::new(),
        };
        let warning = Alert { rule: Rule::Undecided, place: Place::default(), ..alert.clone() };
        assert_eq!(
            render(&[alert, warning]),
            "::error file=a%2Cb%3Ac%0A100%25.jsonl,line=3,title=x%3A%3Ay%0D::\
             50%25 read 1::2,%0A::set-env name=A::b\n\
             ::warning title=x%3A%3Ay%0D::50%25 read 1::2,%0A::set-env name=A::b\n"
        );
    }
}
