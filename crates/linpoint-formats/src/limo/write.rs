//! Writes LiMo's `.hist`.

use std::io::Write;

use super::{METHODS, OBJECTS};
use crate::Value;
use crate::write::{Call, Ending, Header, WriteError, Writer, Written, cannot, shown};

/// Writes a line for each event.
pub(crate) struct Lines<'w> {
    out: Box<dyn Write + 'w>,
}

impl<'w> Lines<'w> {
    pub(crate) fn new(out: Box<dyn Write + 'w>) -> Self {
        Lines { out }
    }
}

/// The method of an operation, and whether it removes something.
fn method(call: &Call<'_>) -> Result<(&'static str, bool), WriteError> {
    let known = METHODS
        .iter()
        .find(|(_, in_queue, in_stack, _)| *in_queue == call.name && in_queue == in_stack);
    match known {
        Some(&(method, _, _, removes)) => Ok((method, removes)),
        None => {
            let what = shown(call.name, call.args);
            cannot(format!("limo has no {what}: only enqueue, dequeue, push and pop"))
        }
    }
}

/// A value as a word: a number, or a text that cannot be mistaken for anything else.
fn word(value: &Value) -> Result<String, WriteError> {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"()".contains(c);
    match value {
        Value::Int(n) => Ok(n.to_string()),
        Value::Str(text) if super::removed(text) == *value && text.chars().all(plain) => {
            Ok(text.to_string())
        }
        other => cannot(format!("limo cannot express the value {other}: it has numbers and words")),
    }
}

impl Writer for Lines<'_> {
    fn begin(&mut self, header: &Header<'_>) -> Written {
        let model = header.model.map_or("a history without a model", |model| &model.name);
        let Some((object, _)) = OBJECTS.iter().find(|(_, name)| *name == model) else {
            return cannot(format!("limo cannot express {model}: its objects are queue and stack"));
        };
        Ok(writeln!(self.out, "# @object {object}")?)
    }

    fn call(&mut self, call: &Call<'_>) -> Written {
        if call.object.is_some() {
            return cannot("limo supports one object per file");
        }
        let ((method, removes), process) = (method(call)?, call.process.unwrap_or_default());
        match call.args {
            [value] if !removes => {
                writeln!(self.out, "[{process}] call {method}({})", word(value)?)?;
            }
            _ => writeln!(self.out, "[{process}] call {method}")?,
        }
        Ok(())
    }

    fn end(&mut self, call: &Call<'_>, ending: Ending<'_>) -> Written {
        let (_, removes) = method(call)?;
        let process = call.process.unwrap_or_default();
        match ending {
            Ending::Returned { result: None, .. } if removes => {
                let what = shown(call.name, call.args);
                return cannot(format!("{what}: its result is unknown; limo needs one"));
            }
            Ending::Returned { result: Some(Value::Nil), .. } if removes => {
                writeln!(self.out, "[{process}] return empty")?;
            }
            Ending::Returned { result: Some(value), .. } if removes => {
                writeln!(self.out, "[{process}] return {}", word(value)?)?;
            }
            Ending::Returned { result: Some(Value::Bool(false)), .. } => {
                let what = shown(call.name, call.args);
                return cannot(format!("{what} was refused, which limo cannot express"));
            }
            Ending::Returned { .. } => writeln!(self.out, "[{process}] return")?,
            // A thread that calls again abandons it.
            Ending::Lost => {}
            Ending::Failed => return cannot("limo cannot express failed operations"),
        }
        Ok(())
    }

    fn finish(&mut self) -> Written {
        Ok(self.out.flush()?)
    }
}
