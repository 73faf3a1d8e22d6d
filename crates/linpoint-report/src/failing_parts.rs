//! Which of several keys or objects fail.

use linpoint::{OpId, PartStatus, Report};

use crate::rendered::{Explanation, Operations, Outcome};
use crate::text::shorten;

/// Names of failing parts that are listed.
const MAX_NAMES: usize = 5;
/// They are cut to this length.
const MAX_NAME: usize = 40;
/// Look at this many operations of a part to find its name.
const MAX_ASKED: usize = 64;

/// What an independent part of a history is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartName {
    /// What it is: `key` or `object`.
    pub word: &'static str,
    /// The key as text, or the name of the object.
    pub name: String,
}

impl PartName {
    /// `key "cart"`.
    pub fn text(&self) -> String {
        format!("{} {}", self.word, brief(&self.name))
    }
}

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
    /// How many parts fail. Names the parts of the explanations.
    pub(crate) fn new(
        operations: &dyn Operations,
        report: &Report,
        outcome: &mut Outcome,
    ) -> Option<FailingParts> {
        let (first, statuses) = (report.verdict.violation()?, &report.parts);
        if statuses.len() < 2 {
            return None;
        }
        let violations: Vec<_> = std::iter::once(first).chain(&report.more).collect();
        let parts: Vec<Option<PartName>> =
            violations.iter().map(|violation| part_name(operations, &violation.part)).collect();
        let named = parts.iter().flatten();
        let word = match named.clone().last() {
            Some(part) if named.clone().count() == parts.len() => part.word,
            _ => "part",
        };
        let names = named.map(|part| part.name.clone()).collect();
        let has = |status: PartStatus| statuses.iter().filter(|s| **s == status).count();
        let failing = has(PartStatus::Violation).max(violations.len());
        let is_complete = has(PartStatus::NotChecked) + has(PartStatus::Undecided) == 0;
        if let Outcome::Violation(explanations) = outcome {
            let name = |(explanation, part): (&mut Explanation, _)| explanation.part_name = part;
            explanations.iter_mut().zip(parts).for_each(name);
        }
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
fn part_name(operations: &dyn Operations, part: &[OpId]) -> Option<PartName> {
    let first = operations.operation(*part.first()?);
    if let Some(name) = first.object {
        return Some(PartName { word: "object", name });
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
    others.into_iter().all(same).then(|| PartName { word: "key", name: name.clone() })
}
