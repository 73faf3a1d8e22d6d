//! The one type of all arguments and results that come out of a file.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::Thin;

/// A value of a recorded operation. Cheap to clone, and equal only to values of the same kind: the
/// string `"1"` is not the number `1`. Two words long: long histories are made of these.
// The kind has a word of its own, so that a value is two words to the processor as well: with a shorter kind,
// the bytes between are copied in pieces, and reading them back as a whole stalls.
#[derive(Eq, Default)]
#[repr(u64)]
pub enum Value {
    /// Nothing: a missing key, an empty register.
    #[default]
    Nil,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Str(Thin<str>),
    /// Several values in order.
    List(Thin<[Value]>),
    /// Values by name, sorted by name.
    Map(Thin<[(Thin<str>, Value)]>),
}

impl Value {
    /// A text.
    pub fn str(text: &str) -> Value {
        Value::Str(text.into())
    }

    /// What kind of value this is, for messages: "a number".
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Nil => "null",
            Value::Bool(_) => "a truth value",
            Value::Int(_) => "a number",
            Value::Str(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "an object",
        }
    }

    /// The number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(s) => Some(s),
            _ => None,
        }
    }

    /// Bytes on the heap. What several values share is counted for each.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Value::Nil | Value::Bool(_) | Value::Int(_) => 0,
            Value::Str(text) => text.len(),
            Value::List(items) => {
                size_of_val(&**items) + items.iter().map(Value::heap_bytes).sum::<usize>()
            }
            Value::Map(entries) => {
                let inside = |(name, value): &(Thin<str>, Value)| name.len() + value.heap_bytes();
                size_of_val(&**entries) + entries.iter().map(inside).sum::<usize>()
            }
        }
    }

    /// `{"unknown": true}`, which stands for a result that is not known.
    pub fn unknown() -> Value {
        Value::Map([("unknown".into(), Value::Bool(true))].into())
    }

    /// True for `{"unknown": true}`, which stands for a result that is not known.
    pub fn is_unknown(&self) -> bool {
        match self {
            Value::Map(entries) => {
                matches!(&**entries, [(key, Value::Bool(true))] if &**key == "unknown")
            }
            _ => false,
        }
    }

    /// A text without its quotes; any other value as it is displayed.
    pub fn bare(&self) -> String {
        match self {
            Value::Str(s) => clean(s),
            other => other.to_string(),
        }
    }
}

// PERF: most values of long histories are numbers. They are copied, compared and hashed without a call, in other
// crates too.

impl Clone for Value {
    #[inline(always)]
    fn clone(&self) -> Value {
        match self {
            Value::Int(n) => Value::Int(*n),
            other => other.share(),
        }
    }
}

impl PartialEq for Value {
    #[inline(always)]
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            _ => self.compare(other).is_eq(),
        }
    }
}

/// By kind, in the order of the kinds, and then by contents.
impl Ord for Value {
    #[inline]
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            _ => self.compare(other),
        }
    }
}

impl PartialOrd for Value {
    #[inline]
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A number is hashed like any other number; the rest with its kind.
impl Hash for Value {
    #[inline(always)]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Value::Int(n) => n.hash(state),
            other => other.hash_with_kind(state),
        }
    }
}

impl Value {
    /// The position of the kind in the list of kinds.
    fn kind_number(&self) -> u8 {
        match self {
            Value::Nil => 0,
            Value::Bool(_) => 1,
            Value::Int(_) => 2,
            Value::Str(_) => 3,
            Value::List(_) => 4,
            Value::Map(_) => 5,
        }
    }

    #[inline(never)]
    fn share(&self) -> Value {
        match self {
            Value::Nil => Value::Nil,
            Value::Bool(b) => Value::Bool(*b),
            Value::Int(n) => Value::Int(*n),
            Value::Str(s) => Value::Str(s.clone()),
            Value::List(items) => Value::List(items.clone()),
            Value::Map(entries) => Value::Map(entries.clone()),
        }
    }

    fn compare(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::List(a), Value::List(b)) => a.cmp(b),
            (Value::Map(a), Value::Map(b)) => a.cmp(b),
            _ => self.kind_number().cmp(&other.kind_number()),
        }
    }

    fn hash_with_kind<H: Hasher>(&self, state: &mut H) {
        self.kind_number().hash(state);
        match self {
            Value::Nil => {}
            Value::Bool(b) => b.hash(state),
            Value::Int(n) => n.hash(state),
            Value::Str(s) => s.hash(state),
            Value::List(items) => items.hash(state),
            Value::Map(entries) => entries.hash(state),
        }
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Value {
        Value::Int(n)
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Value {
        Value::str(s)
    }
}

/// Text from a file, with everything escaped that could move the cursor of a terminal.
fn clean(s: &str) -> String {
    s.chars()
        .flat_map(|c| {
            let escape = c.is_control();
            let plain = (!escape).then_some(c);
            plain.into_iter().chain(escape.then(|| c.escape_default()).into_iter().flatten())
        })
        .collect()
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nil => f.write_str("null"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            // Debug escapes quotes, control characters and other unprintables.
            Value::Str(s) => write!(f, "{s:?}"),
            Value::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Value::Map(entries) => {
                f.write_str("{")?;
                for (i, (name, item)) in entries.iter().enumerate() {
                    write!(f, "{}{}: {item}", if i == 0 { "" } else { ", " }, clean(name))?;
                }
                f.write_str("}")
            }
        }
    }
}

/// The same as [`fmt::Display`]: models describe their values with `{:?}`, and people read it.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
