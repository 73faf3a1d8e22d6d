//! Names of objects, taken from the source: `self.top.load(Acquire)` accesses `top`.
//!
//! A step knows the file, the line and the column of its call. If the source can be read, the name
//! is the last field, variable or function before the call. Objects with the same name are numbered
//! in the order in which they appear. Without the source, an object is called by its type.

use std::collections::HashMap;
use std::panic::Location;
use std::path::{Path, PathBuf};

use crate::sync::watch::{ObjectId, Shown, Step};

/// The names in one execution.
#[derive(Default)]
pub(super) struct Names {
    sources: HashMap<&'static str, Option<Vec<String>>>,
    /// The base name of each object, in the order of appearance.
    objects: Vec<(ObjectId, String)>,
    pointers: Vec<usize>,
}

impl Names {
    /// The names of all objects in these steps.
    pub fn of<'a>(steps: impl Iterator<Item = &'a Step>) -> Names {
        let mut names = Names::default();
        for step in steps.filter(|step| step.object != 0) {
            if names.base(step.object).is_none() {
                let found = step.place.and_then(|place| names.at(place));
                let name = found.unwrap_or_else(|| step.kind.to_owned());
                names.objects.push((step.object, name));
            }
        }
        names
    }

    fn base(&self, object: ObjectId) -> Option<&str> {
        let found = self.objects.iter().find(|(id, _)| *id == object);
        found.map(|(_, name)| name.as_str())
    }

    /// `top`, or `next#2` if several objects are called so.
    pub fn object(&self, object: ObjectId) -> String {
        let Some(name) = self.base(object) else { return String::new() };
        let same: Vec<ObjectId> =
            self.objects.iter().filter(|(_, other)| other == name).map(|(id, _)| *id).collect();
        match same.iter().position(|id| *id == object) {
            Some(at) if same.len() > 1 => format!("{name}#{}", at + 1),
            _ => name.to_owned(),
        }
    }

    /// The value. Addresses are numbered in the order in which they appear.
    pub fn value(&mut self, value: &Shown) -> String {
        match value {
            Shown::Text(text) => text.clone(),
            Shown::Pointer(0) => "null".to_owned(),
            Shown::Pointer(address) => {
                let known = self.pointers.iter().position(|known| known == address);
                let number = known.unwrap_or_else(|| {
                    self.pointers.push(*address);
                    self.pointers.len() - 1
                });
                format!("ptr#{}", number + 1)
            }
        }
    }

    /// The name before the call at this place.
    fn at(&mut self, place: &'static Location<'static>) -> Option<String> {
        let lines = self.sources.entry(place.file()).or_insert_with(|| read(place.file()));
        let lines = lines.as_ref()?;
        let number = (place.line() as usize).checked_sub(1)?;
        let column = (place.column() as usize).checked_sub(1)?;
        let before: String = lines.get(number)?.chars().take(column).collect();
        let mut text = before.trim_end().strip_suffix('.')?.trim().to_owned();
        // A chain of calls over several lines.
        let mut above = number;
        while text.is_empty() && above > 0 {
            above -= 1;
            text = lines[above].trim().to_owned();
        }
        receiver(&text)
    }
}

/// Reads a file as the compiler named it: relative to the directory in which it ran, which is above
/// the one in which tests run.
fn read(file: &str) -> Option<Vec<String>> {
    let path = Path::new(file);
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let directories = [std::env::current_dir().ok(), manifest];
    let above = directories.iter().flatten().flat_map(|directory| directory.ancestors());
    let found = std::iter::once(PathBuf::new()).chain(above.map(Path::to_owned));
    let text = found.map(|base| base.join(path)).find_map(|p| std::fs::read_to_string(p).ok())?;
    Some(text.lines().map(str::to_owned).collect())
}

/// The last name of an expression: `self.node(number).next` is `next`, `self.flags[1 - me]` is
/// `flags`, `pair.0` is `pair.0`.
fn receiver(expression: &str) -> Option<String> {
    let (name, before) = last_name(expression)?;
    if name.chars().all(|c| c.is_ascii_digit()) {
        let (owner, _) = last_name(before.strip_suffix('.')?)?;
        return Some(format!("{owner}.{name}"));
    }
    (name != "self").then(|| name.to_owned())
}

/// The last name, and what stands before it. Arguments and indices are skipped.
fn last_name(expression: &str) -> Option<(&str, &str)> {
    let mut rest = expression.trim_end();
    while let Some(closing) = rest.chars().next_back().filter(|c| [')', ']', '?'].contains(c)) {
        rest = match closing {
            '?' => &rest[..rest.len() - 1],
            _ => &rest[..opening(rest)?],
        };
        rest = rest.trim_end();
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let begin = rest
        .rfind(|c| !is_part(c))
        .map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
    let name = &rest[begin..];
    (!name.is_empty()).then_some((name, &rest[..begin]))
}

/// The position of the bracket that the last one closes.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, character) in text.char_indices().rev() {
        match character {
            ')' | ']' => depth += 1,
            '(' | '[' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receiver_of_a_call_is_its_last_name() {
        for (expression, expected) in [
            ("let top = self.top", Some("top")),
            ("self.node(number).next", Some("next")),
            ("while !self.flags[other(1 - me)]", Some("flags")),
            ("Some(slot) if !slot.cell", Some("cell")),
            ("self.0", Some("self.0")),
            ("(pair.1)", None),
            ("self", None),
            ("counter", Some("counter")),
            ("STATE", Some("STATE")),
            ("self.head()?", Some("head")),
            ("", None),
            (")", None),
        ] {
            assert_eq!(receiver(expression).as_deref(), expected, "{expression}");
        }
    }
}
