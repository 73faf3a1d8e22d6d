//! A page with a table of histories and links to their pages. It sorts and filters. A single file that needs no network.

use std::time::Duration;

use linpoint::verdict::ViolationKind;
use serde_json::{Value, json};

use crate::page;
use crate::rendered::{Outcome, Rendered};
use crate::text::{self, clean, shorten};

const STYLE: &str = include_str!("../assets/index.css");
const BODY: &str = include_str!("../assets/index.html");
const SCRIPT: &str = include_str!("../assets/index.js");

/// Longer reasons are cut.
const MAX_REASON: usize = 400;

/// One history of the table.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    name: String,
    verdict: Verdict,
    model: String,
    operations: usize,
    time: Duration,
    reason: String,
    /// The file of its page, in the directory of the table.
    link: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Ok,
    Bad,
    Undecided,
    Error,
}

impl Entry {
    /// A history that was checked.
    pub fn new(rendered: &Rendered) -> Entry {
        let heading = &rendered.heading;
        let (verdict, reason) = match &rendered.outcome {
            Outcome::Linearizable => (Verdict::Ok, String::new()),
            Outcome::Undecided(why) => (Verdict::Undecided, text::undecided(why)),
            Outcome::Violation(all) => {
                let first = all.first();
                let kind = first.map_or(ViolationKind::NotLinearizable, |first| first.kind);
                let hint = match kind {
                    ViolationKind::NotLinearizable => "",
                    _ => "with order hints: ",
                };
                let parts = rendered.failing_parts.as_ref().map(|parts| parts.text() + ": ");
                let reason = first.map(|first| clean(&first.reason)).unwrap_or_default();
                (Verdict::Bad, format!("{hint}{}{reason}", parts.unwrap_or_default()))
            }
        };
        Entry {
            name: clean(&heading.name),
            verdict,
            model: clean(&heading.model),
            operations: heading.operations,
            time: heading.time,
            reason: shorten(&reason, MAX_REASON),
            link: None,
        }
    }

    /// The entry with the file of its page, which is in the directory of the table.
    pub fn with_link(self, file: String) -> Entry {
        Entry { link: Some(file), ..self }
    }

    /// An input that could not be read or checked.
    pub fn error(name: &str, message: &str) -> Entry {
        let line = message.lines().next().unwrap_or_default();
        Entry {
            name: clean(name),
            verdict: Verdict::Error,
            model: String::new(),
            operations: 0,
            time: Duration::ZERO,
            reason: shorten(&clean(line), MAX_REASON),
            link: None,
        }
    }

    fn facts(&self) -> Value {
        let verdict = match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Bad => "bad",
            Verdict::Undecided => "undecided",
            Verdict::Error => "error",
        };
        let Entry { name, model, operations, time, reason, link, .. } = self;
        let (seconds, time) = (time.as_secs_f64(), text::duration(*time));
        json!([name, verdict, model, operations, seconds, time, reason, link])
    }
}

/// The page. `summary` is a line that counts the outcomes.
pub fn render(entries: &[Entry], summary: &str) -> String {
    let facts = json!({
        "summary": clean(text::without_colours(summary).trim()),
        "entries": entries.iter().map(Entry::facts).collect::<Vec<_>>(),
    });
    let failing = entries.iter().filter(|entry| entry.verdict == Verdict::Bad).count();
    let title = match failing {
        0 => format!("{} · linpoint", count_histories(entries.len())),
        n => format!("{n} of {} not linearizable · linpoint", count_histories(entries.len())),
    };
    page::with_facts(&title, STYLE, BODY, &facts, &[page::DOM, page::THEME, SCRIPT])
}

fn count_histories(n: usize) -> String {
    match n {
        1 => "1 history".to_owned(),
        n => format!("{n} histories"),
    }
}
