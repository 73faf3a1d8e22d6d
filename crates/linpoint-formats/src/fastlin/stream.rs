//! Plain lines of fastlin's text: single spaces, names in lower case, a header. See
//! [`crate::stream`].

use linpoint::history::{Extras, Ties};

use super::{Kind, SET_WITHOUT_RESULTS, Values, header_kind, lacks_result};
use crate::blocks::Cursor;
use crate::model::ModelName;
use crate::raw::{Clock, RawBuilder, RawHistory, RawOp};
use crate::stream::{self, Clients, Receiver};
use crate::{Format, Value};

/// Reads the header. `rest` are the lines that follow it.
pub(crate) fn open(header: &[u8], rest: &[u8]) -> Option<(RawHistory, Box<dyn stream::Lines>)> {
    let mut kind = header_kind(header.strip_prefix(b"# ")?.strip_suffix(b"\n")?)?;
    let first = rest.split(|byte| *byte == b'\n').next()?;
    if kind.model == "set" && lacks_result(first) {
        kind = &SET_WITHOUT_RESULTS;
    }
    let mut history = RawBuilder::new().finish(Format::Fastlin);
    history.model = ModelName::parse(kind.model).ok();
    history.ties = Ties::Ordered;
    history.clock = Clock::Whole;
    Some((history, Box::new(Lines::of(kind))))
}

/// Lines of one type of object.
#[derive(Clone)]
struct Lines {
    methods: Vec<Method>,
}

/// A method, and how to recognise it by the first eight bytes of a line.
#[derive(Clone)]
struct Method {
    /// The start of its lines, including the space.
    text: Vec<u8>,
    /// Its first eight bytes, the first one lowest.
    word: u64,
    /// The bits of those that count: all, or fewer for a shorter text.
    mask: u64,
    /// Its name in the model.
    name: &'static str,
    values: Values,
}

impl Lines {
    fn of(kind: &Kind) -> Lines {
        let method = |&(method, name, values): &(&str, &'static str, Values)| {
            let text = [method.as_bytes(), b" "].concat();
            let begin = |fill: u8| {
                let mut bytes = [0; 8];
                for (byte, text) in bytes.iter_mut().zip(&text) {
                    *byte = if fill == 0 { *text } else { fill };
                }
                u64::from_le_bytes(bytes)
            };
            let (word, mask) = (begin(0), begin(0xff));
            Method { text, word, mask, name, values }
        };
        Lines { methods: kind.methods.iter().map(method).collect() }
    }

    /// The method that a line begins with, and the space after it.
    #[inline]
    fn method(&self, cursor: &mut Cursor<'_>) -> Option<&Method> {
        let word = cursor.word();
        let method = self.methods.iter().find(|method| {
            word & method.mask == method.word
                && (method.text.len() <= 8 || cursor.is_at(&method.text))
        })?;
        cursor.skip(method.text.len());
        Some(method)
    }
}

impl stream::Lines for Lines {
    #[inline]
    fn line(
        &mut self,
        cursor: &mut Cursor<'_>,
        line: u32,
        _clients: &mut Clients<'_>,
        to: &mut dyn Receiver,
    ) -> Option<bool> {
        let method = self.method(cursor)?;
        let (first, second) = numbers(cursor, method.values)?;
        let (start, end) = times(cursor)?;
        let arg = argument(method.values, first, second)?;
        let result = result(method.values, first, second)?;
        Some(to.add(&RawOp {
            name: method.name,
            args: arg.as_slice(),
            result: result.as_ref(),
            start,
            end: Some(end),
            extras: Extras::default(),
            line,
            end_line: line,
        }))
    }

    fn another(&self) -> Box<dyn stream::Lines> {
        Box::new(self.clone())
    }
}

/// The values of a line as numbers, and the space after them. The second one is 0 if there is only
/// one.
#[inline]
fn numbers(cursor: &mut Cursor<'_>, values: Values) -> Option<(i64, i64)> {
    let first = cursor.int()?;
    let second = match values {
        Values::ArgumentAndTruth | Values::ResultAndArgument => {
            cursor.take(b' ').then(|| cursor.int())??
        }
        _ => 0,
    };
    cursor.take(b' ').then_some((first, second))
}

/// The argument, if there is one.
#[inline]
fn argument(values: Values, first: i64, second: i64) -> Option<Option<Value>> {
    Some(match values {
        Values::Argument if first == -1 => return None,
        Values::Argument | Values::ArgumentAndTruth | Values::ArgumentOf(_) => {
            Some(Value::Int(first))
        }
        Values::ResultAndArgument => Some(Value::Int(second)),
        Values::One if first != 1 => return None,
        Values::Result | Values::Truth | Values::One => None,
    })
}

/// The result, if there is one.
#[inline]
fn result(values: Values, first: i64, second: i64) -> Option<Option<Value>> {
    let truth = |number: i64| match number {
        0 => Some(Value::Bool(false)),
        1 => Some(Value::Bool(true)),
        _ => None,
    };
    Some(match values {
        Values::Result if first == -1 => Some(Value::Nil),
        Values::Result | Values::ResultAndArgument => Some(Value::Int(first)),
        Values::ArgumentAndTruth => Some(truth(second)?),
        Values::ArgumentOf(result) => Some(Value::Bool(result)),
        Values::Truth => Some(truth(first)?),
        Values::Argument | Values::One => None,
    })
}

/// Start and end, and the end of the line.
#[inline]
fn times(cursor: &mut Cursor<'_>) -> Option<(u64, u64)> {
    let start = cursor.digits()?;
    let end = cursor.take(b' ').then(|| cursor.digits())??;
    (cursor.take(b'\n') && start <= end).then_some((start, end))
}
