//! Elements, keys and values of Java's collections: `Integer` and `String`.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::Value;

/// An object in a collection.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// A `java.lang.Integer`.
    Int(i32),
    /// A `java.lang.String`.
    Text(Arc<str>),
}

impl Item {
    /// The item that a value in a file stands for; `null` is `None`.
    pub(super) fn read(value: &Value) -> Result<Option<Item>, String> {
        match value {
            Value::Nil => Ok(None),
            Value::Int(n) => match i32::try_from(*n) {
                Ok(n) => Ok(Some(Item::Int(n))),
                Err(_) => Err(format!("{n} is not a 32-bit Integer of Java")),
            },
            Value::Str(text) => Item::text(text).map(Some),
            other => {
                Err(format!("elements are Integers and Strings, not {}: {other}", other.kind()))
            }
        }
    }

    /// Results are identified by what Java prints: an element must not print like "nothing" or like
    /// an exception.
    fn text(text: &str) -> Result<Item, String> {
        if text == "null" || text.starts_with("java.") {
            return Err(format!("the String {text:?} would print like another result of Java"));
        }
        Ok(Item::Text(text.into()))
    }

    /// The item that the key of a JSON object stands for; such keys are texts.
    pub(super) fn key(text: &str) -> Result<Item, String> {
        match text.parse() {
            Ok(n) => Ok(Item::Int(n)),
            Err(_) => Item::text(text),
        }
    }

    /// `hashCode()`.
    pub(super) fn hash_code(&self) -> i32 {
        match self {
            Item::Int(n) => *n,
            Item::Text(text) => text
                .encode_utf16()
                .fold(0, |hash: i32, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit))),
        }
    }

    /// True if `compareTo` does not throw.
    pub(super) fn is_comparable(&self, other: &Item) -> bool {
        matches!((self, other), (Item::Int(_), Item::Int(_)) | (Item::Text(_), Item::Text(_)))
    }
}

/// Like `compareTo`; items of different classes are ordered by class name.
impl Ord for Item {
    fn cmp(&self, other: &Item) -> Ordering {
        match (self, other) {
            (Item::Int(a), Item::Int(b)) => a.cmp(b),
            (Item::Text(a), Item::Text(b)) => a.encode_utf16().cmp(b.encode_utf16()),
            (Item::Int(_), Item::Text(_)) => Ordering::Less,
            (Item::Text(_), Item::Int(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Item) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Int(n) => n.fmt(f),
            Item::Text(text) => text.fmt(f),
        }
    }
}
