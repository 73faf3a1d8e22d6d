//! Violat's JSON: histories of Java classes, one document each, one after the other.
//!
//! ```text
//! {"schema":{"id":1,"class":"java.util.concurrent.ArrayBlockingQueue","arguments":[20], ...},
//!  "events":[{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"offer", ...},"arguments":[1]}}, ...]}
//! ```
//!
//! Results are the text that Java prints. The specifications are the Java classes themselves, so the
//! model is `java` with the name of the class, and the arguments of its constructor.

pub(crate) mod write;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::model::ModelName;
use crate::raw::{Details, End, RawBuilder, RawHistory, RawId, Sink};
use crate::{Format, ReadError, Source, Value};

#[derive(Deserialize)]
struct Document {
    schema: Schema,
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Schema {
    id: Option<Value>,
    class: String,
    #[serde(default)]
    arguments: Vec<Value>,
}

#[derive(Deserialize)]
struct Event {
    kind: Kind,
    sid: Value,
    invocation: Invocation,
    value: Option<String>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Call,
    Return,
}

#[derive(Deserialize)]
struct Invocation {
    id: Value,
    method: Method,
    #[serde(default)]
    arguments: Vec<Value>,
}

#[derive(Deserialize)]
struct Method {
    name: String,
}

/// True if the input begins with an object whose first key is one of Violat's.
pub(crate) fn recognises(text: &[u8]) -> bool {
    let key = text.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let keys = ["\"schema\"", "\"events\"", "\"frequency\""];
    key.is_some_and(|key| keys.iter().any(|known| key.starts_with(known.as_bytes())))
}

/// Reads all histories of a file.
pub(crate) fn read(source: &Source) -> Vec<Result<RawHistory, ReadError>> {
    let text = source.text();
    let mut documents = serde_json::Deserializer::from_slice(text).into_iter::<Document>();
    let mut histories = Vec::new();
    let (mut from, mut line) = (0, 1_u32);
    loop {
        let blanks = text[from..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        line = line.saturating_add(line_ends(&text[from..from + blanks]));
        match documents.next() {
            None => break,
            Some(Ok(document)) => histories.push(history(source, line, document)),
            Some(Err(error)) => {
                // After a broken document, the start of the next one is unknown.
                let message = error.to_string();
                let place = format!(" at line {} column {}", error.line(), error.column());
                let message = message.strip_suffix(&place).unwrap_or(&message);
                let message = if error.is_eof() { "the file is cut off" } else { message };
                let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
                let error = ReadError::new(source, message).at(source, line, error.column());
                histories.push(Err(error));
                break;
            }
        }
        // From one document to the next: a file can have very many.
        let next = documents.byte_offset();
        line = line.saturating_add(line_ends(&text[from + blanks..next]));
        from = next;
    }
    if let [Ok(only)] = &mut histories[..] {
        only.id = None;
    }
    histories
}

fn line_ends(text: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX)
}

fn history(source: &Source, line: u32, document: Document) -> Result<RawHistory, ReadError> {
    let wrong = |message: String| ReadError::new(source, message).at_line(source, line);
    let mut builder = RawBuilder::new();
    let mut ids: FxHashMap<Value, RawId> = FxHashMap::default();
    for event in document.events {
        let Invocation { id, method, arguments } = event.invocation;
        match (event.kind, ids.get(&id)) {
            (Kind::Call, Some(_)) => return Err(wrong(format!("two calls have the id {id}"))),
            (Kind::Call, None) => {
                let called = builder.call(line, &method.name, arguments, Details::by(event.sid));
                ids.insert(id, called.map_err(|error| wrong(error.into()))?);
            }
            (Kind::Return, None) => return Err(wrong(format!("no call has the id {id}"))),
            (Kind::Return, Some(&op)) => {
                let result = event.value.map(|text| Value::Str(text.into()));
                builder
                    .end(line, op, End::Returned(result))
                    .map_err(|_| wrong(format!("two returns have the id {id}")))?;
            }
        }
    }
    let mut history = builder.finish(Format::Violat);
    history.id = Some(document.schema.id.map_or_else(|| line.to_string(), |id| id.bare()));
    let mut model = ModelName { name: "java".to_owned(), options: Vec::new() };
    let class = Value::Str(document.schema.class.into());
    let arguments = Value::List(document.schema.arguments.into());
    model
        .set("class", class)
        .and_then(|()| model.set("arguments", arguments))
        .map_err(|error| wrong(error.to_string()))?;
    history.model = Some(model);
    Ok(history)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: u32) -> String {
        let invocation = r#"{"id":0,"method":{"name":"offer","void":false},"arguments":[1]}"#;
        format!(
            r#"{{"schema":{{"id":{id},"class":"Q","arguments":[20],"order":[]}},"events":[
            {{"kind":"call","sid":3,"invocation":{invocation}}},
            {{"kind":"return","sid":3,"invocation":{invocation},"value":"true"}}]}}"#
        )
    }

    #[test]
    fn documents_become_histories() {
        let source = Source::new("h", format!("{}\n{}\n", document(7), document(8)));
        let histories: Vec<RawHistory> =
            read(&source).into_iter().map(|h| h.map_err(|e| e.to_string()).unwrap()).collect();
        assert_eq!(histories.len(), 2);
        let second = &histories[1];
        assert_eq!(second.id.as_deref(), Some("8"));
        assert_eq!(second.model.as_ref().unwrap().to_string(), "java:class=\"Q\",arguments=[20]");
        let op = second.ops.iter().next().unwrap();
        assert_eq!((op.name, op.args, op.line), ("offer", &[Value::Int(1)][..], 4));
        assert_eq!(op.result, Some(&Value::str("true")));
        let alone = read(&Source::new("h", document(7))).pop().unwrap();
        assert_eq!(alone.map_err(|e| e.to_string()).unwrap().id, None);
    }

    #[test]
    fn errors_have_a_position() {
        let first = |text: String| {
            let error = read(&Source::new("h", text)).pop().unwrap().err().unwrap().to_string();
            error.lines().next().unwrap_or_default().to_owned()
        };
        let good = document(1);
        assert_eq!(first(good[..80].to_owned()), "h:2:10: the file is cut off");
        assert_eq!(
            first(good.replace("\"call\"", "\"calls\"")),
            "h:2:27: unknown variant `calls`, expected `call` or `return`"
        );
        assert_eq!(first(good.replace("\"call\"", "\"return\"")), "h:1: no call has the id 0");
        assert_eq!(first(good.replace("\"return\"", "\"call\"")), "h:1: two calls have the id 0");
        let two = read(&Source::new("h", format!("{good}{}", good.replace("return", "call"))));
        assert!(two[0].is_ok() && two[1].is_err());
    }
}
