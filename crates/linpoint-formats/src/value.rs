//! Values as text: JSON, and words of the command line.

use crate::Value;

/// The value as JSON.
pub fn to_json(value: &Value) -> String {
    let mut text = Vec::new();
    crate::write::json(value, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// A value as people type it on a command line: JSON if it is JSON, `nil`, or else a text.
pub(crate) fn from_word(word: &str) -> Value {
    if word == "nil" {
        return Value::Nil;
    }
    serde_json::from_str(word).unwrap_or_else(|_| Value::str(word))
}

#[cfg(test)]
mod tests {
    use std::hash::{Hash, Hasher};

    use super::*;

    fn parse(json: &str) -> Result<Value, String> {
        serde_json::from_str(json).map_err(|e| e.to_string())
    }

    #[test]
    fn values_read_and_print() {
        for (json, words) in [
            ("null", "null"),
            ("true", "true"),
            ("-3", "-3"),
            ("9223372036854775807", "9223372036854775807"),
            (r#""a\"b""#, r#""a\"b""#),
            (r#""\u001b[31m""#, r#""\u{1b}[31m""#),
            ("[1, [], \"x\"]", "[1, [], \"x\"]"),
            (r#"{"b":1,"a":null}"#, "{a: null, b: 1}"),
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
            ("1.5", "numbers must be whole"),
            ("9223372036854775808", "numbers must be whole"),
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
        assert_eq!(from_word("0"), Value::Int(0));
        assert_eq!(from_word("nil"), Value::Nil);
        assert_eq!(from_word("free"), Value::str("free"));
        assert_eq!(from_word("\"0\""), Value::str("0"));
    }

    #[test]
    fn bare_text_is_escaped() {
        assert_eq!(Value::str("a\u{1b}[0m\n").bare(), "a\\u{1b}[0m\\n");
        assert_eq!(Value::Int(4).bare(), "4");
    }
}
