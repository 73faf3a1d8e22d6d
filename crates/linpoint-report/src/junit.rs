//! JUnit XML with one test case per history.
//!
//! A violation is a `failure`. An undecided history is an `error` of type `undecided`, never a success. An
//! unreadable input is an `error` of type `input`. See `docs/output.md`.

use std::fmt::Write;
use std::time::Duration;

use crate::rendered::{Outcome, Rendered};
use crate::text;
use crate::xml::escaped as xml;

/// Width of the explanation in a failure, in columns.
const WIDTH: usize = 100;

/// One history as a test case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    name: String,
    class: String,
    time: Duration,
    problem: Option<Problem>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Problem {
    /// `failure` or `error`.
    tag: &'static str,
    kind: &'static str,
    message: String,
    text: String,
}

impl Case {
    /// The test case of a history that was checked.
    pub fn new(rendered: &Rendered) -> Case {
        let heading = &rendered.heading;
        let in_full = || text::without_colours(&text::render(rendered, WIDTH));
        let problem = match &rendered.outcome {
            Outcome::Linearizable => match &heading.jepsen {
                Some(jepsen) if jepsen.valid == Some(false) => {
                    let message = format!("jepsen valid? {}", jepsen.summary());
                    Some(("failure", "jepsen", message, in_full()))
                }
                _ => None,
            },
            Outcome::Undecided(why) => {
                Some(("error", "undecided", text::undecided(why), in_full()))
            }
            Outcome::Violation(all) => {
                let reason = all.first().map(|e| e.reason.clone()).unwrap_or_default();
                Some(("failure", "violation", reason, in_full()))
            }
        };
        Case {
            name: heading.name.clone(),
            class: heading.model.clone(),
            time: heading.time,
            problem: problem.map(|(tag, kind, message, text)| Problem { tag, kind, message, text }),
        }
    }

    /// The test case of an input that could not be checked.
    pub fn error(name: &str, message: &str) -> Case {
        Case {
            name: name.to_owned(),
            class: "input".to_owned(),
            time: Duration::ZERO,
            problem: Some(Problem {
                tag: "error",
                kind: "input",
                message: message.lines().next().unwrap_or_default().to_owned(),
                text: message.to_owned(),
            }),
        }
    }
}

/// All test cases as one document.
pub fn render(cases: &[Case], time: Duration) -> String {
    let tagged = |tag: &str| {
        cases.iter().filter(|c| c.problem.as_ref().is_some_and(|p| p.tag == tag)).count()
    };
    let totals = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.6}\"",
        cases.len(),
        tagged("failure"),
        tagged("error"),
        time.as_secs_f64()
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites name=\"linpoint\" {totals}>");
    let _ = writeln!(out, "  <testsuite name=\"linpoint check\" skipped=\"0\" {totals}>");
    for case in cases {
        write_case(&mut out, case);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn write_case(out: &mut String, case: &Case) {
    let Case { name, class, time, problem } = case;
    let (name, class) = (xml(name), xml(class));
    let time = time.as_secs_f64();
    let _ = write!(out, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"{time:.6}\"");
    match problem {
        None => out.push_str("/>\n"),
        Some(Problem { tag, kind, message, text }) => {
            // Line breaks need escaping in attributes only.
            let (message, text) = (xml(message), xml(text).replace("&#10;", "\n"));
            let _ = writeln!(
                out,
                ">\n      <{tag} type=\"{kind}\" message=\"{message}\">{text}</{tag}>"
            );
            out.push_str("    </testcase>\n");
        }
    }
}
