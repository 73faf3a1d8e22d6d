//! The one type of all arguments and results that come out of a file.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::Thin;

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
            Value::Nil => "nil",
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

    /// The value as JSON.
    pub fn to_json(&self) -> String {
        let mut text = Vec::new();
        crate::write::json(self, &mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// The text without quotes if it is one, else the value in words.
    pub fn bare(&self) -> String {
        match self {
            Value::Str(s) => clean(s),
            other => other.to_string(),
        }
    }

    /// A value as people type it on a command line: JSON where it is JSON, `nil`, else a text.
    pub fn from_word(word: &str) -> Value {
        if word == "nil" {
            return Value::Nil;
        }
        serde_json::from_str(word).unwrap_or_else(|_| Value::str(word))
    }
}

// Most values of long histories are numbers: these are copied, compared and hashed without a call.

impl Clone for Value {
    #[inline]
    fn clone(&self) -> Value {
        match self {
            Value::Int(n) => Value::Int(*n),
            other => other.share(),
        }
    }
}

impl PartialEq for Value {
    #[inline]
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
    #[inline]
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
            Value::Nil => f.write_str("nil"),
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

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Value, D::Error> {
        d.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

const NOT_WHOLE: &str =
    "numbers must be whole and fit into 64 bits with a sign; write others as strings";

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Int(n))
    }

    fn visit_u64<E: Error>(self, n: u64) -> Result<Value, E> {
        i64::try_from(n).map(Value::Int).map_err(|_| E::custom(format!("{NOT_WHOLE}: {n}")))
    }

    fn visit_f64<E: Error>(self, n: f64) -> Result<Value, E> {
        Err(E::custom(format!("{NOT_WHOLE}: {n}")))
    }

    fn visit_str<E>(self, s: &str) -> Result<Value, E> {
        Ok(Value::str(s))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = BTreeMap::<Thin<str>, Value>::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value()?;
            if entries.insert(name.as_str().into(), value).is_some() {
                return Err(A::Error::custom(format!("the key {name:?} appears twice")));
            }
        }
        Ok(Value::Map(entries.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Value, String> {
        serde_json::from_str(json).map_err(|e| e.to_string())
    }

    #[test]
    fn values_read_and_print() {
        for (json, words) in [
            ("null", "nil"),
            ("true", "true"),
            ("-3", "-3"),
            ("9223372036854775807", "9223372036854775807"),
            (r#""a\"b""#, r#""a\"b""#),
            (r#""\u001b[31m""#, r#""\u{1b}[31m""#),
            ("[1, [], \"x\"]", "[1, [], \"x\"]"),
            (r#"{"b":1,"a":null}"#, "{a: nil, b: 1}"),
        ] {
            assert_eq!(parse(json).unwrap().to_string(), words);
        }
    }

    #[test]
    fn values_are_ordered_by_kind_and_contents() {
        let texts = ["null", "false", "true", "-1", "0", "7", r#""""#, r#""a""#, r#""b""#, "[]"];
        let more =
            ["[0]", "[0,1]", r#"["a"]"#, "[[]]", "{}", r#"{"a":1}"#, r#"{"a":2}"#, r#"{"b":1}"#];
        let values: Vec<Value> =
            texts.iter().chain(&more).map(|json| parse(json).unwrap()).collect();
        let hash = |value: &Value| {
            let mut hasher = std::hash::DefaultHasher::new();
            value.hash(&mut hasher);
            hasher.finish()
        };
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a} {b}");
                assert_eq!((a == b, hash(a) == hash(b)), (i == j, i == j), "{a} {b}");
            }
        }
    }

    #[test]
    fn what_is_not_a_value() {
        for (json, message) in [
            ("1.5", NOT_WHOLE),
            ("9223372036854775808", NOT_WHOLE),
            ("1e400", "number out of range"),
            (r#"{"a":1,"a":2}"#, r#"the key "a" appears twice"#),
        ] {
            let error = parse(json).unwrap_err();
            assert!(error.contains(message), "{json}: {error}");
        }
        assert!(parse(&"[".repeat(100_000)).unwrap_err().contains("recursion limit"));
    }

    #[test]
    fn values_are_small() {
        use linpoint::spec::models::{QueueOp, QueueRet};
        assert_eq!(size_of::<Value>(), 16);
        assert_eq!(size_of::<QueueOp<Value>>(), 16);
        assert_eq!(size_of::<Option<QueueRet<Value>>>(), 16);
    }

    #[test]
    fn words_of_the_command_line() {
        assert_eq!(Value::from_word("0"), Value::Int(0));
        assert_eq!(Value::from_word("nil"), Value::Nil);
        assert_eq!(Value::from_word("free"), Value::str("free"));
        assert_eq!(Value::from_word("\"0\""), Value::str("0"));
    }

    #[test]
    fn bare_text_is_escaped() {
        assert_eq!(Value::str("a\u{1b}[0m\n").bare(), "a\\u{1b}[0m\\n");
        assert_eq!(Value::Int(4).bare(), "4");
    }
}
