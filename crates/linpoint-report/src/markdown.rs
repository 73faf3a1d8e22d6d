//! A summary in Markdown, for the page of a run: a table of the histories that need attention, and a list of the others.
//! See `docs/output.md`.

use std::fmt::Write;

use crate::rendered::{Outcome, Rendered};
use crate::text::{self, clean, count, shorten};

/// Rows of the table. GitHub refuses a summary of more than a mebibyte.
const MAX_ROWS: usize = 300;
/// Linearizable histories that are listed.
const MAX_LISTED: usize = 1000;
/// Sentences of one history.
const MAX_REASONS: usize = 3;
/// They are cut to this length, and names and models too.
const MAX_REASON: usize = 500;
const MAX_NAME: usize = 200;

/// One history in the summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The cells of its row; `None` if it is linearizable.
    problem: Option<Problem>,
    name: String,
    model: String,
    operations: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Problem {
    kind: Kind,
    verdict: String,
    parts: String,
    why: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Violation,
    Undecided,
    Error,
}

impl Entry {
    /// A history that was checked.
    pub fn new(rendered: &Rendered) -> Entry {
        let heading = &rendered.heading;
        let verdict = text::verdict(&rendered.outcome).to_lowercase();
        let problem = match &rendered.outcome {
            Outcome::Linearizable => match &heading.jepsen {
                Some(jepsen) if jepsen.valid == Some(false) => {
                    let why = escaped(&format!("jepsen valid? {}", jepsen.summary()), MAX_REASON);
                    let parts = String::new();
                    Some(Problem { kind: Kind::Violation, verdict, parts, why })
                }
                _ => None,
            },
            Outcome::Undecided(why) => {
                let (parts, why) = (String::new(), escaped(&text::undecided(why), MAX_REASON));
                Some(Problem { kind: Kind::Undecided, verdict, parts, why })
            }
            Outcome::Violation(all) => {
                let shown = all.iter().take(MAX_REASONS).map(|e| escaped(&e.reason, MAX_REASON));
                let mut why = shown.collect::<Vec<_>>().join("<br>");
                if all.len() > MAX_REASONS {
                    let more = count(all.len() - MAX_REASONS, "more violation");
                    let _ = write!(why, "<br>and {more}");
                }
                let parts = rendered.failing_parts.as_ref().map(|parts| parts.text());
                let parts = escaped(&parts.unwrap_or_default(), MAX_REASON);
                Some(Problem { kind: Kind::Violation, verdict, parts, why })
            }
        };
        Entry {
            problem,
            name: escaped(&heading.name, MAX_NAME),
            model: escaped(&heading.model, MAX_NAME),
            operations: heading.operations,
        }
    }

    /// An input that could not be checked.
    pub fn error(name: &str, message: &str) -> Entry {
        let why = escaped(message.lines().next().unwrap_or_default(), MAX_REASON);
        let (verdict, parts) = ("error".to_owned(), String::new());
        Entry {
            problem: Some(Problem { kind: Kind::Error, verdict, parts, why }),
            name: escaped(name, MAX_NAME),
            model: String::new(),
            operations: 0,
        }
    }
}

/// All histories as one document. `summary` is the line that ends it.
pub fn render(entries: &[Entry], summary: &str) -> String {
    let (bad, fine): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|e| e.problem.is_some());
    let mut out = format!("## {}\n\n", title(entries));
    if !bad.is_empty() {
        out.push_str("| | history | verdict | keys | why | model | operations |\n");
        out.push_str("| --- | --- | --- | --- | --- | --- | ---: |\n");
        bad.iter().take(MAX_ROWS).for_each(|entry| row(&mut out, entry));
        out.push('\n');
    }
    if bad.len() > MAX_ROWS {
        let _ = writeln!(out, "and {} like these\n", count(bad.len() - MAX_ROWS, "more input"));
    }
    if !fine.is_empty() {
        let _ = writeln!(out, "<details><summary>{} linearizable</summary>\n", fine.len());
        for entry in fine.iter().take(MAX_LISTED) {
            let operations = count(entry.operations, "operation");
            let _ = writeln!(out, "- \u{2705} {} ({}, {operations})", entry.name, entry.model);
        }
        if fine.len() > MAX_LISTED {
            let _ = writeln!(out, "- and {} more", fine.len() - MAX_LISTED);
        }
        out.push_str("\n</details>\n\n");
    }
    out.push_str(summary);
    out
}

fn title(entries: &[Entry]) -> String {
    let has = |kind| {
        let of = |e: &&Entry| e.problem.as_ref().is_some_and(|p| p.kind == kind);
        entries.iter().filter(of).count()
    };
    let all = entries.len();
    let are = |n: usize| if n == 1 { "is" } else { "are" };
    match (has(Kind::Violation), has(Kind::Error), has(Kind::Undecided)) {
        (0, 0, 0) if all == 1 => "\u{2705} The history is linearizable".to_owned(),
        (0, 0, 0) => format!("\u{2705} All {all} histories are linearizable"),
        (0, 0, n) => format!("\u{2753} {n} of {all} histories {} undecided", are(n)),
        (0, n, _) => format!("\u{26a0}\u{fe0f} {n} of {all} inputs could not be checked"),
        (n, _, _)
            if entries
                .iter()
                .any(|e| e.problem.as_ref().is_some_and(|p| p.verdict == "linearizable")) =>
        {
            format!("\u{274c} {n} of {all} histories {} not linearizable or not valid", are(n))
        }
        (n, _, _) => format!("\u{274c} {n} of {all} histories {} not linearizable", are(n)),
    }
}

fn row(out: &mut String, entry: &Entry) {
    let Entry { problem: Some(problem), name, model, operations } = entry else { return };
    let Problem { kind, verdict, parts, why } = problem;
    let mark = match kind {
        Kind::Violation => "\u{274c}",
        Kind::Undecided => "\u{2753}",
        Kind::Error => "\u{26a0}\u{fe0f}",
    };
    let operations = if *kind == Kind::Error { String::new() } else { operations.to_string() };
    let _ =
        writeln!(out, "| {mark} | {name} | {verdict} | {parts} | {why} | {model} | {operations} |");
}

/// A text on one line in which nothing is markup.
fn escaped(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for c in shorten(&clean(text), most).chars() {
        if "\\`*_[]<>|~&$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        let text = "a|b <img> `c` *d*\n[e](f) -> \\";
        let expected = "a\\|b \\<img\\> \\`c\\` \\*d\\*\\\\n\\[e\\](f) -\\> \\\\";
        assert_eq!(escaped(text, 100), expected);
    }

    #[test]
    fn long_summaries_are_cut() {
        let bad = Entry::error("x", "what?");
        let fine = Entry { problem: None, ..bad.clone() };
        let text = render(&[vec![bad; MAX_ROWS + 2], vec![fine; MAX_LISTED + 3]].concat(), "end\n");
        assert_eq!(text.matches("\n| \u{26a0}").count(), MAX_ROWS);
        assert!(text.contains("\nand 2 more inputs like these\n"), "{text}");
        assert!(text.contains("\n- and 3 more\n") && text.ends_with("\nend\n"), "{text}");
    }
}
