//! Which of several keys or objects fail.

use linpoint::{OpId, PartStatus, Report};

use crate::rendered::Operations;
use crate::text::shorten;

/// Names of failing parts that are listed.
const MAX_NAMES: usize = 5;
/// They are cut to this length.
const MAX_NAME: usize = 40;
/// Look at this many operations of a part to find its name.
const MAX_ASKED: usize = 64;

/// How many of several independent parts fail, and which.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailingParts {
    /// What a part is: `key`, `object` or `part`.
    pub word: &'static str,
    /// The names of those that fail, as far as they have one.
    pub names: Vec<String>,
    /// How many fail.
    pub failing: usize,
    /// How many there are.
    pub all: usize,
    /// False if some were not decided.
    pub is_complete: bool,
}

impl FailingParts {
    pub(crate) fn new(operations: &dyn Operations, report: &Report) -> Option<FailingParts> {
        let first = report.verdict.violation()?;
        let statuses = &report.parts;
        if statuses.len() < 2 {
            return None;
        }
        let violations = || std::iter::once(first).chain(&report.more);
        let has = |status: PartStatus| statuses.iter().filter(|s| **s == status).count();
        let mut word = "key";
        let mut names = Vec::new();
        for violation in violations() {
            match part_name(operations, &violation.part) {
                Some((kind, name)) => {
                    word = kind;
                    names.push(name);
                }
                None => word = "part",
            }
        }
        let failing = has(PartStatus::Violation).max(violations().count());
        let is_complete = has(PartStatus::NotChecked) + has(PartStatus::Undecided) == 0;
        Some(FailingParts { word, names, failing, all: statuses.len(), is_complete })
    }

    /// `1 of 10 keys fails: "cart"`.
    pub fn text(&self) -> String {
        let FailingParts { word, names, failing, all, is_complete } = self;
        let at_least = if *is_complete { "" } else { "at least " };
        let fails = if *failing == 1 { "fails" } else { "fail" };
        let mut text = format!("{at_least}{failing} of {all} {word}s {fails}");
        let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| brief(name)).collect();
        if !shown.is_empty() {
            let more = failing.saturating_sub(shown.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            text += &format!(": {}{more}", shown.join(", "));
        }
        text
    }
}

/// A name, cut if it is long.
fn brief(name: &str) -> String {
    shorten(name, MAX_NAME)
}

/// What a part is called: by its object, or by the argument that all its operations have first.
fn part_name(operations: &dyn Operations, part: &[OpId]) -> Option<(&'static str, String)> {
    let first = operations.operation(*part.first()?);
    if let Some(object) = first.object {
        return Some(("object", object));
    }
    let key = |op: &str| {
        let inside = op.split_once('(')?.1;
        let mut quoted = false;
        let end = inside.find(|c: char| {
            quoted ^= c == '"';
            !quoted && (c == ',' || c == ')')
        })?;
        Some(inside[..end].to_owned()).filter(|key| !key.is_empty())
    };
    let name = key(&first.op)?;
    let others = part.iter().take(MAX_ASKED);
    let same = |id: &OpId| key(&operations.operation(*id).op).as_ref() == Some(&name);
    others.into_iter().all(same).then_some(("key", name))
}
