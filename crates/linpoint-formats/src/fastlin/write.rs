//! Writes the text of fastlin and of FPTLin.

use std::io::Write;

use super::{KINDS, Kind, Values, kind_of};
use crate::write::{Call, Ending, Header, WriteError, Writer, Written, cannot, shown};
use crate::{Format, Value};

/// Writes a line for each operation that has returned.
pub(crate) struct Lines<'w> {
    format: Format,
    out: Box<dyn Write + 'w>,
    line: Vec<u8>,
    kind: &'static Kind,
}

impl<'w> Lines<'w> {
    pub(crate) fn new(format: Format, out: Box<dyn Write + 'w>) -> Self {
        Lines { format, out, line: Vec::new(), kind: &KINDS[0] }
    }

    /// Method and values.
    fn operation(&mut self, call: &Call<'_>, result: Option<&Value>) -> Result<(), WriteError> {
        let format = self.format.name();
        let known = self.kind.methods.iter().find(|(_, name, _)| *name == call.name);
        let Some(&(method, _, values)) = known else {
            let methods: Vec<&str> = self.kind.methods.iter().map(|(_, name, _)| *name).collect();
            return cannot(format!(
                "{format} has no {}: a {} has {}",
                shown(call.name, call.args),
                self.kind.headers[0],
                methods.join(", ")
            ));
        };
        let numbers = numbers(values, call, result)?;
        let method =
            if self.format == Format::Fptlin { method.to_uppercase() } else { method.to_owned() };
        self.line.extend(method.as_bytes());
        for number in numbers.into_iter().flatten() {
            let _ = write!(self.line, " {number}");
        }
        Ok(())
    }
}

/// The values after the method: one or two numbers.
fn numbers(
    values: Values,
    call: &Call<'_>,
    result: Option<&Value>,
) -> Result<[Option<i64>; 2], WriteError> {
    let what = || shown(call.name, call.args);
    let number = |value: Option<&Value>| match value {
        Some(Value::Int(-1)) => cannot(format!("{}: -1 means \"empty\"", what())),
        Some(Value::Int(n)) => Ok(*n),
        other => {
            let other = other.map_or_else(|| "nothing".to_owned(), Value::to_string);
            cannot(format!("{}: values must be whole numbers, not {other}", what()))
        }
    };
    let known = || {
        let unknown = || WriteError::Cannot(format!("{}: its result is unknown", what()));
        result.ok_or_else(unknown)
    };
    let truth = || match known()? {
        Value::Bool(b) => Ok(i64::from(*b)),
        other => cannot(format!("{}: the result must be true or false, not {other}", what())),
    };
    let any_number = |value: Option<&Value>| match value {
        Some(Value::Int(n)) => Ok(*n),
        other => number(other),
    };
    let argument = call.args.first();
    Ok(match values {
        Values::Argument => [Some(number(argument)?), None],
        Values::Result => match known()? {
            Value::Nil => [Some(-1), None],
            value => [Some(number(Some(value))?), None],
        },
        Values::ArgumentAndTruth => [Some(any_number(argument)?), Some(truth()?)],
        Values::ArgumentOf(_) => [Some(any_number(argument)?), None],
        Values::One => [Some(1), None],
        Values::Truth => [Some(truth()?), None],
        Values::ResultAndArgument => {
            [Some(any_number(Some(known()?))?), Some(any_number(argument)?)]
        }
    })
}

impl Writer for Lines<'_> {
    fn begin(&mut self, header: &Header<'_>) -> Written {
        let Some(kind) = kind_of(header.model) else {
            let format = self.format.name();
            let model = header.model.map_or("a history without a model", |model| &model.name);
            let types: Vec<&str> = KINDS.iter().map(|kind| kind.headers[0]).collect();
            return cannot(format!(
                "{format} cannot express {model}: its types are {}",
                types.join(", ")
            ));
        };
        self.kind = kind;
        Ok(writeln!(self.out, "# {}", kind.headers[0])?)
    }

    fn call(&mut self, _call: &Call<'_>) -> Written {
        Ok(())
    }

    fn end(&mut self, call: &Call<'_>, ending: Ending<'_>) -> Written {
        let Ending::Returned { at, result } = ending else {
            let (format, what) = (self.format.name(), shown(call.name, call.args));
            return cannot(format!("{what} never returned, which {format} cannot express"));
        };
        if call.object.is_some() {
            return cannot(format!("{} supports one object per file", self.format.name()));
        }
        let start = call.start;
        if self.format == Format::Fptlin {
            let process = call.process.unwrap_or_default();
            let _ = write!(self.line, "{process} {start} {at} ");
            self.operation(call, result)?;
        } else {
            self.operation(call, result)?;
            let _ = write!(self.line, " {start} {at}");
        }
        self.line.push(b'\n');
        self.out.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }

    fn finish(&mut self) -> Written {
        Ok(self.out.flush()?)
    }
}
