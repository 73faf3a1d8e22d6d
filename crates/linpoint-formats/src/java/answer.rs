//! Results of the methods of Java collections, as Java prints them.

use std::fmt::{self, Display};
use std::sync::Arc;

use super::item::Item;

/// A result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// A method without a result returned.
    Void,
    /// The text that Java prints for the result, or the class name of the exception.
    Text(Arc<str>),
}

/// An exception that a method throws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Thrown {
    NoSuchElement,
    IllegalArgument,
    IllegalState,
    NullPointer,
    ClassCast,
}

/// A result, or the exception that was thrown instead.
pub(super) type Outcome = Result<Answer, Thrown>;

impl Thrown {
    pub(super) fn class(self) -> &'static str {
        match self {
            Thrown::NoSuchElement => "java.util.NoSuchElementException",
            Thrown::IllegalArgument => "java.lang.IllegalArgumentException",
            Thrown::IllegalState => "java.lang.IllegalStateException",
            Thrown::NullPointer => "java.lang.NullPointerException",
            Thrown::ClassCast => "java.lang.ClassCastException",
        }
    }
}

impl From<Thrown> for Answer {
    fn from(thrown: Thrown) -> Answer {
        Answer::Text(thrown.class().into())
    }
}

/// Any value that prints as in Java.
pub(super) fn shown(value: impl Display) -> Outcome {
    Ok(Answer::Text(value.to_string().into()))
}

pub(super) fn void() -> Outcome {
    Ok(Answer::Void)
}

/// An item, or null.
pub(super) fn maybe(item: Option<impl Display>) -> Outcome {
    match item {
        Some(item) => shown(item),
        None => shown("null"),
    }
}

/// An item that must be present.
pub(super) fn present(item: Option<impl Display>) -> Outcome {
    item.ok_or(Thrown::NoSuchElement).and_then(shown)
}

/// A collection: `[1, 2]`.
pub(super) fn collection(items: impl Iterator<Item = impl Display>) -> Outcome {
    shown(joined("[", items, ", ", "]"))
}

/// An array, or the elements of an enumeration: `[1,2]`.
pub(super) fn array(items: impl Iterator<Item = impl Display>) -> Outcome {
    shown(joined("[", items, ",", "]"))
}

/// A map: `{1=2, 3=4}`.
pub(super) fn map<'a>(entries: impl Iterator<Item = (&'a Item, &'a Item)>) -> Outcome {
    shown(joined("{", entries.map(|(key, value)| Entry(key, value)), ", ", "}"))
}

/// An entry of a map: `1=2`.
pub(super) struct Entry<K, V>(pub(super) K, pub(super) V);

impl<K: Display, V: Display> Display for Entry<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.0, self.1)
    }
}

pub(super) fn joined(
    open: &str,
    items: impl Iterator<Item = impl Display>,
    between: &str,
    close: &str,
) -> String {
    use std::fmt::Write;
    let mut text = open.to_owned();
    for (i, item) in items.enumerate() {
        if i > 0 {
            text.push_str(between);
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{item}");
    }
    text.push_str(close);
    text
}
