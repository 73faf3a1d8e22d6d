//! Method calls: reading them from a file, and printing them.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::answer::{Answer, joined};
use super::class::{Class, Gives, Method, Param};
use super::item::Item;
use crate::Value;

/// An item, or null.
pub(super) type MaybeNull = Option<Item>;

/// An argument.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Arg {
    Item(MaybeNull),
    /// A collection; `None` is null.
    Items(Option<Box<[MaybeNull]>>),
    /// A map, in ascending order of its keys; `None` is null.
    Entries(Option<Box<[(Item, MaybeNull)]>>),
    Flag(bool),
}

/// A call of a method with its arguments.
#[derive(Clone)]
pub struct Call {
    pub(super) method: &'static Method,
    pub(super) args: Box<[Arg]>,
}

/// Why a call is not valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadCall {
    /// The class has no such method, or this crate does not know it.
    Method(String),
    /// An argument has the wrong type.
    Argument(String),
}

impl std::fmt::Display for BadCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (BadCall::Method(message) | BadCall::Argument(message)) = self;
        f.write_str(message)
    }
}

impl std::error::Error for BadCall {}

impl Call {
    /// The method of this name that takes these arguments.
    pub(super) fn read(class: Class, name: &str, args: &[Value]) -> Result<Call, BadCall> {
        let mut wrong = None;
        for method in class.methods().filter(|method| method.name == name) {
            if method.params.len() == args.len() {
                let args: Result<Box<[Arg]>, String> = method
                    .params
                    .iter()
                    .zip(args)
                    .map(|(param, value)| read(*param, value))
                    .collect();
                match args {
                    Ok(args) => return Ok(Call { method, args }),
                    Err(message) => wrong = Some(format!("{name}: {message}")),
                }
            }
        }
        match wrong {
            Some(message) => Err(BadCall::Argument(message)),
            None => Err(BadCall::Method(unknown(class, name, args.len()))),
        }
    }

    /// The method's name.
    pub fn name(&self) -> &'static str {
        self.method.name
    }

    /// The result that a value in a file stands for.
    pub(crate) fn answer(&self, value: &Value) -> Result<Answer, String> {
        let printed = |value: &Value| match value {
            Value::Nil => Ok("null".to_owned()),
            Value::Bool(_) | Value::Int(_) => Ok(value.to_string()),
            Value::Str(text) => Ok((**text).to_owned()),
            other => {
                Err(format!("the result must be what Java prints, not {}: {other}", other.kind()))
            }
        };
        let text = match (self.method.gives, value) {
            (Gives::Void, Value::Nil) => return Ok(Answer::Void),
            (Gives::Void, Value::Str(text)) if &**text == "ok" => return Ok(Answer::Void),
            (Gives::View | Gives::Array, Value::List(items)) => {
                let items: Vec<String> = items.iter().map(printed).collect::<Result<_, _>>()?;
                let between = if self.method.gives == Gives::Array { "," } else { ", " };
                joined("[", items.iter(), between, "]")
            }
            (_, value) => printed(value)?,
        };
        Ok(Answer::Text(text.into()))
    }

    /// The result of a method that returns nothing.
    pub fn void(&self) -> Option<Answer> {
        (self.method.gives == Gives::Void).then_some(Answer::Void)
    }
}

fn unknown(class: Class, name: &str, args: usize) -> String {
    let other = class.methods().any(|method| method.name == name);
    let class = class.name();
    match (other, args) {
        (false, _) => format!("unknown method {name:?} of the Java class {class}"),
        (true, 1) => format!("{class} has no method {name:?} with one argument"),
        (true, n) => format!("{class} has no method {name:?} with {n} arguments"),
    }
}

fn read(param: Param, value: &Value) -> Result<Arg, String> {
    match (param, value) {
        (Param::Item, value) => Item::read(value).map(Arg::Item),
        (Param::Items, Value::Nil) => Ok(Arg::Items(None)),
        (Param::Items, Value::List(items)) => {
            let items: Result<Box<[_]>, String> = items.iter().map(Item::read).collect();
            items.map(|items| Arg::Items(Some(items)))
        }
        (Param::Items, other) => Err(expected("a collection", other)),
        (Param::Entries, Value::Nil) => Ok(Arg::Entries(None)),
        (Param::Entries, Value::Map(entries)) => {
            let mut read = Vec::with_capacity(entries.len());
            for (key, value) in entries.iter() {
                read.push((Item::key(key)?, Item::read(value)?));
            }
            read.sort();
            Ok(Arg::Entries(Some(read.into())))
        }
        (Param::Entries, other) => Err(expected("a map", other)),
        (Param::Flag, Value::Bool(flag)) => Ok(Arg::Flag(*flag)),
        (Param::Flag, other) => Err(expected("true or false", other)),
    }
}

fn expected(what: &str, value: &Value) -> String {
    format!("the argument must be {what}, not {}: {value}", value.kind())
}

impl PartialEq for Call {
    fn eq(&self, other: &Call) -> bool {
        self.method.name == other.method.name && self.args == other.args
    }
}

impl Eq for Call {}

impl Hash for Call {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.method.name.hash(state);
        self.args.hash(state);
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.method.name, joined("(", self.args.iter(), ", ", ")"))
    }
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let item = |item: &MaybeNull| item.as_ref().map_or("null".to_owned(), Item::to_string);
        match self {
            Arg::Item(one) => f.write_str(&item(one)),
            Arg::Items(None) | Arg::Entries(None) => f.write_str("null"),
            Arg::Items(Some(items)) => f.write_str(&joined("[", items.iter().map(item), ", ", "]")),
            Arg::Entries(Some(entries)) => {
                let entry = |(key, value): &(Item, MaybeNull)| format!("{key}={}", item(value));
                f.write_str(&joined("{", entries.iter().map(entry), ", ", "}"))
            }
            Arg::Flag(flag) => flag.fmt(f),
        }
    }
}
