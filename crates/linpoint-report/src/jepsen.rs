//! What Jepsen's checker of a workload says, beside the verdict.

use std::fmt::Write;

use linpoint::wire::Value;
use serde_json::json;

use crate::rendered::Outcome;
use crate::text::{clean, fact, shorten};

/// The answer of a checker that asks another question than linearizability.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Jepsen {
    /// The workload: `set-full`.
    pub workload: String,
    /// `:valid?`; `None` for `:unknown`.
    pub valid: Option<bool>,
    /// Why it is unknown.
    pub error: Option<String>,
    /// The other keys of the answer.
    pub facts: Vec<(String, Value)>,
    /// What was assumed to ask about linearizability.
    pub assumptions: Vec<String>,
}

/// Elements of a list that are shown.
const MAX_ELEMENTS: usize = 8;
/// Other values are cut to this length.
const MAX_VALUE: usize = 160;

impl Jepsen {
    /// `true`, `false` or `unknown`.
    pub fn valid_text(&self) -> &'static str {
        match self.valid {
            Some(true) => "true",
            Some(false) => "false",
            None => "unknown",
        }
    }

    /// The answer in a line: `set-full: false, because ...`.
    pub(crate) fn summary(&self) -> String {
        let mut text = format!("{} ({})", self.valid_text(), self.workload);
        if let Some(error) = &self.error {
            let _ = write!(text, ": {error}");
        }
        text
    }

    /// Appends both answers, one below the other.
    pub(crate) fn render(&self, out: &mut String, outcome: &Outcome, width: usize) {
        fact(out, "jepsen valid?", &clean(&self.summary()), width);
        let told: Vec<String> =
            self.facts.iter().filter_map(|(name, value)| shown(name, value)).collect();
        if !told.is_empty() {
            fact(out, "", &clean(&told.join(", ")), width);
        }
        let answer = match outcome {
            Outcome::Linearizable => "yes",
            Outcome::Violation(_) => "no",
            Outcome::Undecided(_) => "undecided",
        };
        fact(out, "linearizable", answer, width);
        for assumption in &self.assumptions {
            fact(out, "assumed", &clean(assumption), width);
        }
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let facts: serde_json::Map<String, serde_json::Value> =
            self.facts.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({
            "workload": self.workload,
            "valid": self.valid,
            "error": self.error,
            "facts": facts,
            "assumptions": self.assumptions,
        })
    }
}

/// A fact in a few words; `None` if there is nothing to tell.
fn shown(name: &str, value: &Value) -> Option<String> {
    Some(match value {
        Value::Nil => return None,
        Value::List(elements) if elements.is_empty() => return None,
        Value::List(elements) => {
            let mut text = format!("{name} [");
            for (at, element) in elements.iter().take(MAX_ELEMENTS).enumerate() {
                let _ = write!(
                    text,
                    "{}{}",
                    if at == 0 { "" } else { " " },
                    shorten(&element.to_string(), MAX_VALUE)
                );
            }
            if elements.len() > MAX_ELEMENTS {
                let _ = write!(text, " \u{2026} {} more", elements.len() - MAX_ELEMENTS);
            }
            text + "]"
        }
        other => format!("{name} {}", shorten(&other.to_string(), MAX_VALUE)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_answers_are_shown() {
        let numbers = |n: i64| Value::List((0..n).map(Value::Int).collect());
        let jepsen = Jepsen {
            workload: "set".to_owned(),
            valid: Some(false),
            facts: vec![
                ("lost-count".to_owned(), Value::Int(9)),
                ("lost".to_owned(), numbers(9)),
                ("unexpected".to_owned(), numbers(0)),
            ],
            ..Jepsen::default()
        };
        let mut out = String::new();
        jepsen.render(&mut out, &Outcome::Linearizable, 120);
        let lines: Vec<String> = crate::text::without_colours(&out)
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        assert_eq!(
            lines,
            [
                "  jepsen valid?  false (set)",
                "                 lost-count 9, lost [0 1 2 3 4 5 6 7 \u{2026} 1 more]",
                "  linearizable   yes"
            ]
        );
    }
}
