//! Values as text.

use std::io::Write;

use super::{WriteError, cannot};
use crate::Value;

/// Appends a value as JSON.
pub(crate) fn json(value: &Value, line: &mut Vec<u8>) {
    // A vector takes everything that is written to it, and every value is JSON.
    let _ = serde_json::to_writer(line, value);
}

/// Appends a string as JSON.
pub(crate) fn json_text(text: &str, line: &mut Vec<u8>) {
    let _ = serde_json::to_writer(line, text);
}

/// Appends a value as EDN. Texts are strings, whether or not they were keywords.
pub(crate) fn edn(value: &Value, line: &mut Vec<u8>) -> Result<(), WriteError> {
    match value {
        Value::Nil => line.extend(b"nil"),
        Value::Str(text) => edn_text(text, line),
        Value::List(items) => {
            line.push(b'[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    line.push(b' ');
                }
                edn(item, line)?;
            }
            line.push(b']');
        }
        Value::Map(_) => {
            return cannot("a value that is an object cannot be written: maps are read as lists");
        }
        Value::Bool(_) | Value::Int(_) => json(value, line),
    }
    Ok(())
}

fn edn_text(text: &str, line: &mut Vec<u8>) {
    line.push(b'"');
    for c in text.chars() {
        let escaped = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\t' => "\\t",
            '\r' => "\\r",
            c if c.is_control() => {
                let _ = write!(line, "\\u{:04x}", u32::from(c));
                continue;
            }
            c => {
                line.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
        };
        line.extend(escaped.as_bytes());
    }
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edn::parser::Parser;

    fn value() -> Value {
        let text = Value::str("a\"\\\n\t\r\u{1}\u{7f}ä€😀/");
        let inner = Value::List([Value::Nil, Value::Bool(true), Value::Int(i64::MIN)].into());
        Value::List([text, inner, Value::List([].into())].into())
    }

    #[test]
    fn json_round_trips() {
        let map = Value::Map([("a\"b".into(), value()), ("c".into(), Value::Nil)].into());
        let mut line = Vec::new();
        json(&map, &mut line);
        assert_eq!(serde_json::from_slice::<Value>(&line).unwrap(), map);
    }

    #[test]
    fn edn_round_trips() {
        let mut line = Vec::new();
        edn(&value(), &mut line).unwrap();
        assert_eq!(Parser::new(&line, true).value(0).unwrap(), value());
        assert!(edn(&Value::unknown(), &mut line).is_err());
    }
}
