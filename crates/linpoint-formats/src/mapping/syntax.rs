//! The words of a map: names of fields, and templates of operations.

use super::{MapError, wrong};
use crate::Value;

/// What an operation of the file is for the model: `add_fetch(1)`, `put(key, val)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Template {
    pub(super) name: String,
    /// `None` if the arguments are where those of all operations are.
    pub(super) args: Option<Vec<Arg>>,
}

/// An argument of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Arg {
    /// A word: the field that holds the argument.
    Field(String),
    /// JSON: the argument itself.
    Constant(Value),
}

impl Template {
    pub(super) fn parse(text: &str) -> Result<Template, MapError> {
        let Some((name, rest)) = text.split_once('(') else {
            return Ok(Template { name: text.trim().to_owned(), args: None });
        };
        let Some(inside) = rest.trim_end().strip_suffix(')') else {
            return wrong(format!("{text:?} has no closing parenthesis at its end"));
        };
        if name.trim().is_empty() {
            return wrong(format!("{text:?} has no name before its arguments"));
        }
        let args = match inside.trim() {
            "" => Vec::new(),
            inside => {
                split_outside(inside, ',').into_iter().map(Arg::parse).collect::<Result<_, _>>()?
            }
        };
        Ok(Template { name: name.trim().to_owned(), args: Some(args) })
    }
}

impl Arg {
    fn parse(text: &str) -> Result<Arg, MapError> {
        let text = text.trim();
        let is_json = text.starts_with(['"', '[', '{', '-'])
            || text.starts_with(|c: char| c.is_ascii_digit());
        if is_json || matches!(text, "true" | "false" | "null") {
            let value = serde_json::from_str(text).map(Arg::Constant);
            return value
                .map_err(|error| MapError(format!("the argument {text:?} is not JSON: {error}")));
        }
        if text.is_empty() {
            return wrong("an argument is empty: it is the name of a field, or a JSON value");
        }
        Ok(Arg::Field(text.to_owned()))
    }
}

/// The name of a field: a word, or a JSON string if it has commas or other signs in it.
pub(super) fn unquoted(text: &str) -> Result<String, MapError> {
    let text = text.trim();
    if !text.starts_with('"') {
        return Ok(text.to_owned());
    }
    serde_json::from_str(text)
        .map_err(|error| MapError(format!("{text} is not a JSON string: {error}")))
}

/// Splits a text at a sign, except within quotes, brackets and parentheses.
pub(crate) fn split_outside(text: &str, sign: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut depth, mut quoted, mut escaped) = (0, 0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' | '{' | '(' if !quoted => depth += 1,
            ']' | '}' | ')' if !quoted => depth = depth.saturating_sub(1),
            c if c == sign && !quoted && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}
