//! The options of a model: `queue:capacity=20`.

use super::Value;
use super::read::whole;

/// A model that could not be made from its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadOption {
    /// A sentence for people.
    pub message: String,
    /// What kind of mistake it is.
    pub fault: Fault,
}

/// What is wrong with options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An option has a wrong value.
    Wrong,
    /// A required option is missing.
    Missing,
}

impl BadOption {
    /// A required option is missing.
    pub fn missing(message: &str) -> BadOption {
        BadOption { message: message.to_owned(), fault: Fault::Missing }
    }
}

impl From<String> for BadOption {
    fn from(message: String) -> BadOption {
        BadOption { message, fault: Fault::Wrong }
    }
}

/// The options of a model, taken out one by one. What is left over is unknown.
pub struct Options<'a> {
    left: Vec<&'a (String, Value)>,
}

impl<'a> Options<'a> {
    /// These options.
    pub fn new(options: &'a [(String, Value)]) -> Options<'a> {
        Options { left: options.iter().collect() }
    }

    /// Any value.
    pub fn value(&mut self, key: &str) -> Option<&'a Value> {
        let at = self.left.iter().position(|(known, _)| known == key)?;
        Some(&self.left.remove(at).1)
    }

    /// Any value, nil if not given.
    pub fn value_or_nil(&mut self, key: &str) -> Value {
        self.value(key).cloned().unwrap_or_default()
    }

    /// A whole number of the type asked for.
    pub fn int<N: TryFrom<i64>>(&mut self, key: &str) -> Result<Option<N>, BadOption> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let n = value.as_int().and_then(|n| N::try_from(n).ok());
        n.map(Some).ok_or_else(|| {
            format!("the option {key:?} must be {}, not {value}", whole::<N>()).into()
        })
    }

    /// A switch: off unless given.
    pub fn switch(&mut self, key: &str) -> Result<bool, BadOption> {
        match self.value(key) {
            None => Ok(false),
            Some(Value::Bool(b)) => Ok(*b),
            Some(other) => {
                Err(format!("the option {key:?} must be true or false, not {other}").into())
            }
        }
    }

    /// An object: names with values, of which `convert` makes what is needed.
    pub fn object<T, C: FromIterator<(Value, T)>>(
        &mut self,
        key: &str,
        convert: impl Fn(&Value) -> Option<T>,
        what: &str,
    ) -> Result<Option<C>, BadOption> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let bad =
            || format!("the option {key:?} must be an object of names with {what}, not {value}");
        let Value::Map(entries) = value else { return Err(bad().into()) };
        let pairs = entries.iter().map(|(name, v)| Some((Value::Str(name.clone()), convert(v)?)));
        pairs.collect::<Option<_>>().map(Some).ok_or_else(|| bad().into())
    }

    /// An option that the model does not have.
    pub fn left_over(&self) -> Option<&'a str> {
        self.left.first().map(|(key, _)| key.as_str())
    }
}
