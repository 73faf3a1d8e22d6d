//! LiMo's `.hist`: calls and returns of queues and stacks, one per line.
//!
//! ```text
//! # @object atomic-queue
//! [1] call deq
//! [2] call enq(1)
//! [1] return empty
//! [2] return
//! ```
//!
//! The removed value may be in the call instead of the return. A bare return of a removal whose
//! call has no value either means "empty". Often each operation has a thread of its own. A thread
//! that calls while its last operation is open has abandoned that one: it stays pending, and the
//! next return belongs to the new one. An operation without a return is pending, and the removed
//! value in its call is then ignored.

pub(crate) mod write;

use rustc_hash::FxHashMap;

use crate::model::ModelName;
use crate::raw::{Details, End, RawBuilder, RawHistory, Sink};
use crate::words::{parse_int, shown};
use crate::{Format, ReadError, Source, Value};

/// Method, name in a queue, name in a stack, whether it removes something. Methods of another
/// object are left to the model to refuse.
const METHODS: &[(&str, &str, &str, bool)] = &[
    ("enq", "enqueue", "enqueue", false),
    ("deq", "dequeue", "dequeue", true),
    ("push", "push", "push", false),
    ("pop", "pop", "pop", true),
    ("add", "enqueue", "push", false),
    ("remove", "dequeue", "pop", true),
];

const OBJECTS: &[(&str, &str)] = &[("atomic-queue", "queue"), ("atomic-stack", "stack")];

/// True if the first line that is not a comment is an event.
pub(crate) fn recognises(text: &[u8]) -> bool {
    for line in text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii) {
        match line {
            [] => {}
            [b'#', ..] if line.windows(7).any(|w| w == b"@object") => return true,
            [b'#', ..] => {}
            [b'[', rest @ ..] => {
                let Some(close) = rest.iter().position(|b| *b == b']') else { return false };
                let event = rest[close + 1..].trim_ascii_start();
                return event.starts_with(b"call") || event.starts_with(b"return");
            }
            _ => return false,
        }
    }
    false
}

/// The column of a part of an operation on a line.
pub(crate) fn locate(line: &[u8], part: linpoint::wire::Part) -> Option<usize> {
    let find = |word: &[u8]| {
        let at = line.windows(word.len()).position(|w| w == word)? + word.len();
        let blanks = line[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        Some(at + blanks + 1)
    };
    match part {
        linpoint::wire::Part::Result => find(b"return"),
        _ => find(b"call"),
    }
}

/// Reads a history. `model`, from the user, overrides the object that the file names.
pub(crate) fn read(source: &Source, model: Option<&ModelName>) -> Result<RawHistory, ReadError> {
    let mut reader = Reader {
        source,
        builder: RawBuilder::new(),
        given: model,
        model: None,
        declared: FxHashMap::default(),
    };
    for (number, line) in source.lines() {
        let text = std::str::from_utf8(line).map_err(|e| {
            let error = ReadError::new(source, "these bytes are not UTF-8");
            error.at(source, number, e.valid_up_to() + 1)
        })?;
        reader.line(Line { source, number, whole: text, rest: text })?;
    }
    let mut history = reader.builder.finish(Format::Limo);
    history.model = reader.model;
    Ok(history)
}

struct Reader<'a> {
    source: &'a Source,
    builder: RawBuilder,
    given: Option<&'a ModelName>,
    model: Option<ModelName>,
    /// The values that the open removals of threads remove, according to their calls.
    declared: FxHashMap<Value, Value>,
}

/// A line, and the part that is still to be read.
#[derive(Clone, Copy)]
struct Line<'a> {
    source: &'a Source,
    number: u32,
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Consumes the matching prefix of the rest.
    fn take(&mut self, meant: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !meant(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// An error at the start of the rest.
    fn wrong(&self, message: impl Into<String>) -> ReadError {
        let column = self.whole.len() - self.rest.len() + 1;
        ReadError::new(self.source, message).at(self.source, self.number, column)
    }
}

/// A word: a number, or otherwise a text.
fn value(word: &str) -> Value {
    parse_int(word.as_bytes()).map_or_else(|| Value::str(word), Value::Int)
}

/// A removed value: nil for "empty".
fn removed(word: &str) -> Value {
    if word == "empty" { Value::Nil } else { value(word) }
}

impl Reader<'_> {
    fn line(&mut self, mut line: Line<'_>) -> Result<(), ReadError> {
        line.skip_blanks();
        if line.rest.is_empty() {
            return Ok(());
        }
        if line.rest.starts_with('#') {
            return self.comment(line);
        }
        const EVENT: &str = "an event is \"[1] call push(5)\" or \"[1] return\"";
        let Some(rest) = line.rest.strip_prefix('[') else {
            return Err(line.wrong("this is not an event").help(EVENT));
        };
        line.rest = rest;
        let thread = line.take(|c| c != ']').trim();
        if thread.is_empty() || line.rest.is_empty() {
            return Err(line.wrong("the line ends inside the thread").help(EVENT));
        }
        let thread = value(thread);
        line.rest = &line.rest[1..];
        line.skip_blanks();
        let at = line;
        match line.take(|c| c.is_ascii_alphabetic()) {
            "call" => self.call(line, thread),
            "return" => self.ret(line, thread),
            word => Err(at
                .wrong(format!("{} is neither call nor return", shown(word.as_bytes())))
                .help(EVENT)),
        }
    }

    fn comment(&mut self, mut line: Line<'_>) -> Result<(), ReadError> {
        let Some((_, object)) = line.rest.split_once("@object") else { return Ok(()) };
        line.rest = object;
        line.skip_blanks();
        let (at, name) = (line, line.take(|c| !c.is_whitespace()));
        if self.model.is_some() {
            return Err(at.wrong("a second object: a file has one history"));
        }
        let Some((_, model)) = OBJECTS.iter().find(|(object, _)| *object == name) else {
            return Err(at
                .wrong(format!("unknown object {}", shown(name.as_bytes())))
                .help("the objects are atomic-queue and atomic-stack"));
        };
        self.model = ModelName::parse(model).ok();
        Ok(())
    }

    fn call(&mut self, mut line: Line<'_>, thread: Value) -> Result<(), ReadError> {
        line.skip_blanks();
        let at = line;
        let word = line.take(|c| c.is_ascii_alphanumeric() || c == '_');
        let Some(&(_, in_queue, in_stack, removes)) =
            METHODS.iter().find(|(method, ..)| *method == word)
        else {
            let methods: Vec<&str> = METHODS.iter().map(|(method, ..)| *method).collect();
            return Err(at
                .wrong(format!("unknown method {}", shown(word.as_bytes())))
                .help(format!("the methods are {}", methods.join(", "))));
        };
        let model = self.given.or(self.model.as_ref());
        let is_stack = model.is_some_and(|model| model.name == "stack");
        let name = if is_stack { in_stack } else { in_queue };
        let arg = argument(line)?;
        if let Some(open) = self.builder.open_of(&thread) {
            // The thread has abandoned it.
            let _ = self.builder.end(line.number, open, End::Lost);
        }
        self.declared.remove(&thread);
        let mut args = None;
        match arg {
            Some(word) if removes => {
                self.declared.insert(thread.clone(), removed(word));
            }
            Some(word) => args = Some(value(word)),
            None if !removes => return Err(at.wrong(format!("the value of {word} is missing"))),
            None => {}
        }
        let called = self.builder.call(line.number, name, args, Details::by(thread));
        called.map(|_| ()).map_err(|message| at.wrong(message))
    }

    fn ret(&mut self, mut line: Line<'_>, thread: Value) -> Result<(), ReadError> {
        line.skip_blanks();
        let Some(open) = self.builder.open_of(&thread) else {
            return Err(line.wrong(format!("thread {} has no open call", thread.bare())));
        };
        let word = line.rest.trim_end();
        let given = (!word.is_empty()).then(|| removed(word));
        let name = self.builder.op(open).name;
        let removes = matches!(name, "dequeue" | "pop");
        let result = match (self.declared.remove(&thread), given) {
            (None, Some(_)) if !removes => {
                return Err(line.wrong(format!("{name} returns nothing")));
            }
            (None, None) if !removes => None,
            (None, None) => Some(Value::Nil),
            (Some(declared), Some(given)) if declared != given => {
                return Err(line.wrong(format!("{given} here, but {declared} in the call")));
            }
            (declared, given) => declared.or(given),
        };
        self.builder.end(line.number, open, End::Returned(result)).map_err(|before| {
            ReadError::new(self.source, format!("it has already ended on line {before}"))
                .at_line(self.source, line.number)
        })
    }
}

/// The argument: `(v)` or ` v`; none if there is nothing, or nothing between the parentheses.
fn argument(mut line: Line<'_>) -> Result<Option<&str>, ReadError> {
    line.skip_blanks();
    let text = line.rest.trim_end();
    let word = match text.strip_prefix('(') {
        Some(inner) => match inner.strip_suffix(')') {
            Some(inner) => inner.trim(),
            None => return Err(line.wrong("the closing parenthesis is missing")),
        },
        None => text,
    };
    if word.contains(char::is_whitespace) {
        return Err(line.wrong(format!("{} is more than one word", shown(word.as_bytes()))));
    }
    Ok((!word.is_empty()).then_some(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(text: &str) -> Result<RawHistory, String> {
        read(&Source::new("h.hist", text), None).map_err(|e| e.to_string())
    }

    fn words(text: &str) -> Vec<String> {
        let history = history(text).unwrap();
        let word = |op: crate::raw::RawOp<'_>| {
            let end = if op.end.is_some() { "" } else { " pending" };
            format!("{}{:?} {:?}{end}", op.name, op.args, op.result)
        };
        history.ops.iter().map(word).collect()
    }

    #[test]
    fn events_become_operations() {
        let text = "# A queue\n# @object atomic-queue\n\n[1] call deq\n  [2] call enq(1)\n\
                    [1] return empty\n[2] return\n[t] call enq a\n[4] call remove()\n[4] return a\n";
        assert!(recognises(text.as_bytes()));
        assert_eq!(
            words(text),
            [
                "dequeue[] Some(null)",
                "enqueue[1] None",
                "enqueue[\"a\"] None pending",
                "dequeue[] Some(\"a\")"
            ]
        );
        assert_eq!(history(text).unwrap().model.unwrap().to_string(), "queue");
    }

    #[test]
    fn the_removed_value_may_be_in_the_call() {
        let text = "[1] call pop(?<1,1>)\n[1] return\n[1] call pop(3)\n[1] return 3\n\
                    [1] call pop\n[1] return\n[1] call pop(4)\n";
        assert_eq!(
            words(text),
            ["pop[] Some(\"?<1,1>\")", "pop[] Some(3)", "pop[] Some(null)", "pop[] None pending"]
        );
    }

    #[test]
    fn adding_and_removing_depend_on_the_object() {
        let events = "[1] call add(1)\n[1] return\n[1] call remove\n[1] return 1\n";
        let stack = format!("# @object atomic-stack\n{events}");
        assert_eq!(words(&stack), ["push[1] None", "pop[] Some(1)"]);
        assert_eq!(words(events), ["enqueue[1] None", "dequeue[] Some(1)"]);
        let given = ModelName::parse("stack").unwrap();
        let history = read(&Source::new("h", events), Some(&given)).unwrap();
        assert_eq!(history.ops.iter().next().unwrap().name, "push");
    }

    #[test]
    fn a_thread_that_calls_again_abandons_its_operation() {
        let text = "[1] call pop(9)\n[1] call pop\n[1] return 0\n";
        assert_eq!(words(text), ["pop[] None pending", "pop[] Some(0)"]);
    }

    #[test]
    fn errors_have_a_position() {
        for (text, message) in [
            ("# @object atomic-set\n", "h.hist:1:11: unknown object \"atomic-set\""),
            (
                "# @object atomic-set-of-all-the-things-that-there-are-in-the-world",
                "h.hist:1:11: unknown object \"atomic-set-of-all-the-things-that-there-\u{2026}\"",
            ),
            ("hello", "h.hist:1:1: this is not an event"),
            ("[1", "h.hist:1:3: the line ends inside the thread"),
            ("[1] cal pop", "h.hist:1:5: \"cal\" is neither call nor return"),
            ("[1] call peek", "h.hist:1:10: unknown method \"peek\""),
            ("[1] call push", "h.hist:1:10: the value of push is missing"),
            ("[1] call push(1", "h.hist:1:14: the closing parenthesis is missing"),
            ("[1] call push 1 2", "h.hist:1:15: \"1 2\" is more than one word"),
            ("[1] return", "h.hist:1:11: thread 1 has no open call"),
            ("[1] call push 1\n[1] return 1", "h.hist:2:12: push returns nothing"),
            ("[1] call pop(1)\n[1] return 2", "h.hist:2:12: 2 here, but 1 in the call"),
        ] {
            let error = history(text).err().unwrap();
            assert_eq!(error.lines().next(), Some(message), "in full:\n{error}");
        }
    }
}
