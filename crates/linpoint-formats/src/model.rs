//! The name of a model with its options: `queue:capacity=20`.

use std::fmt;

use crate::Value;
use crate::mapping::split_outside;

/// More options than any model has.
const MOST_OPTIONS: usize = 256;

/// A model as a user names it. Whether it exists is the registry's business.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelName {
    /// The name.
    pub name: String,
    /// Options in the order in which they were given; a bare word is an option that is true.
    pub options: Vec<(String, Value)>,
}

impl ModelName {
    /// `name`, or `name:option,option=value`.
    ///
    /// # Errors
    ///
    /// The name is missing, an option has no name or is given twice, or there are too many options.
    pub fn parse(text: &str) -> Result<ModelName, ModelNameError> {
        if is_composite(text) {
            components_of(text)?;
            return Ok(ModelName { name: text.to_owned(), options: Vec::new() });
        }
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() {
            return Err(ModelNameError::NoName(text.to_owned()));
        }
        let mut model = ModelName { name: name.to_owned(), options: Vec::new() };
        for option in split_options(rest) {
            let (key, value) = match option.split_once('=') {
                Some((key, value)) => (key, crate::value::from_word(value)),
                None => (option, Value::Bool(true)),
            };
            if key.is_empty() {
                return Err(ModelNameError::NamelessOption(text.to_owned()));
            }
            model.set(key, value)?;
        }
        Ok(model)
    }

    /// The components of a model of several objects: `kv+counter`. `None` for a model of one object.
    pub fn components(&self) -> Option<Vec<Component>> {
        is_composite(&self.name).then(|| components_of(&self.name).ok())?
    }

    /// The value of an option.
    pub fn option(&self, key: &str) -> Option<&Value> {
        self.options.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Adds an option.
    ///
    /// # Errors
    ///
    /// The model already has the option, or too many.
    pub fn set(&mut self, key: &str, value: Value) -> Result<(), ModelNameError> {
        if self.options.iter().any(|(known, _)| known == key) {
            return Err(ModelNameError::GivenTwice(key.to_owned()));
        }
        if self.options.len() >= MOST_OPTIONS {
            return Err(ModelNameError::TooManyOptions);
        }
        self.options.push((key.to_owned(), value));
        Ok(())
    }

    /// This model, with the options that only `other` has if both are the same model. This is how the
    /// command line overrides the header of a file.
    pub fn or_options_of(mut self, other: Option<&ModelName>) -> ModelName {
        if let Some(other) = other.filter(|other| other.name == self.name) {
            for (key, value) in &other.options {
                // An option that is set already is kept.
                let _ = self.set(key, value.clone());
            }
        }
        self
    }

    /// A more general model that is equivalent for the operations of this one, if there is one. Some formats only have that.
    pub fn generalised(&self) -> Option<ModelName> {
        let name = (self.name == "register").then(|| "cas-register".to_owned())?;
        Some(ModelName { name, options: self.options.clone() })
    }
}

/// One of several objects of a service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Its name: that of its model, unless it is given as `name=model`.
    pub name: String,
    /// Its model.
    pub model: ModelName,
}

/// True if a text names several models. A plus sign in an option must be in quotes; paths are not models.
fn is_composite(text: &str) -> bool {
    text.contains('+') && !text.contains('/') && split_outside(text, '+').len() > 1
}

fn components_of(text: &str) -> Result<Vec<Component>, ModelNameError> {
    let mut all: Vec<Component> = Vec::new();
    for part in split_outside(text, '+') {
        let (name, model) = match part.split_once('=') {
            Some((name, model)) if !name.contains(':') => (name.trim(), model.trim()),
            _ => (part.split(':').next().unwrap_or_default().trim(), part.trim()),
        };
        let component = Component { name: name.to_owned(), model: ModelName::parse(model)? };
        if name.is_empty() || all.iter().any(|other| other.name == component.name) {
            return Err(ModelNameError::ComponentTwice(name.to_owned()));
        }
        all.push(component);
    }
    Ok(all)
}

/// Why a text does not name a model.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ModelNameError {
    /// There is nothing before the colon.
    NoName(String),
    /// There is nothing before an equals sign.
    NamelessOption(String),
    /// This option is given twice.
    GivenTwice(String),
    /// There are more options than any model has.
    TooManyOptions,
    /// Two components have this name.
    ComponentTwice(String),
}

impl fmt::Display for ModelNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelNameError::NoName(text) => write!(f, "a model needs a name: {text:?}"),
            ModelNameError::NamelessOption(text) => {
                write!(f, "an option of a model needs a name: {text:?}")
            }
            ModelNameError::GivenTwice(key) => write!(f, "the option {key:?} is given twice"),
            ModelNameError::ComponentTwice(name) => {
                write!(f, "each component needs a name of its own: {name:?}; as in a=kv+b=kv")
            }
            ModelNameError::TooManyOptions => {
                write!(f, "a model has at most {MOST_OPTIONS} options")
            }
        }
    }
}

impl std::error::Error for ModelNameError {}

/// The options between commas; commas inside of JSON values do not count.
fn split_options(text: &str) -> Vec<&str> {
    let mut options = Vec::new();
    let (mut from, mut depth, mut quoted, mut escaped) = (0, 0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                options.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    options.push(&text[from..]);
    options.retain(|option| !option.is_empty());
    options
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, (key, value)) in self.options.iter().enumerate() {
            f.write_str(if i == 0 { ":" } else { "," })?;
            match value {
                Value::Bool(true) => f.write_str(key)?,
                value => write!(f, "{key}={value}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_values_or_switches() {
        let model = ModelName::parse("queue:capacity=20,strict").unwrap();
        assert_eq!(model.name, "queue");
        let options = [("capacity", Value::Int(20)), ("strict", Value::Bool(true))];
        assert!(model.options.iter().map(|(k, v)| (k.as_str(), v.clone())).eq(options));
        assert_eq!(model.to_string(), "queue:capacity=20,strict");
    }

    #[test]
    fn commas_inside_of_values() {
        let model = ModelName::parse(r#"bank:accounts={"a,b":1,"c":[2,3]},x="\",y""#).unwrap();
        assert_eq!(model.option("accounts").unwrap().to_string(), "{a,b: 1, c: [2, 3]}");
        assert_eq!(model.option("x"), Some(&Value::str("\",y")));
    }

    #[test]
    fn several_components() {
        let components = |text: &str| ModelName::parse(text).unwrap().components().unwrap();
        let shown = |text: &str| -> Vec<String> {
            components(text).iter().map(|c| format!("{} is {}", c.name, c.model)).collect()
        };
        assert_eq!(shown("kv+counter:initial=5"), ["kv is kv", "counter is counter:initial=5"]);
        assert_eq!(shown(r#"a=kv:initial="x+y"+b=kv"#), [r#"a is kv:initial="x+y""#, "b is kv"]);
        assert_eq!(ModelName::parse("kv:initial=0").unwrap().components(), None);
        assert_eq!(
            ModelName::parse("kv+kv").unwrap_err(),
            ModelNameError::ComponentTwice("kv".to_owned())
        );
        assert!(ModelName::parse("kv+").is_err() && ModelName::parse("+kv").is_err());
        assert!(ModelName::parse("a+b/c.star").unwrap().components().is_none());
    }

    #[test]
    fn what_is_not_a_model() {
        let error = |text| ModelName::parse(text).unwrap_err();
        assert_eq!(error(":x"), ModelNameError::NoName(":x".to_owned()));
        assert_eq!(error("queue:=3"), ModelNameError::NamelessOption("queue:=3".to_owned()));
        assert_eq!(error("queue:a,a=1"), ModelNameError::GivenTwice("a".to_owned()));
    }

    #[test]
    fn the_command_line_overrides_the_header() {
        let header = ModelName::parse("queue:capacity=20,x=1").unwrap();
        let typed = ModelName::parse("queue:capacity=5").unwrap();
        assert_eq!(typed.or_options_of(Some(&header)).to_string(), "queue:capacity=5,x=1");
        let other = ModelName::parse("stack").unwrap();
        assert_eq!(other.or_options_of(Some(&header)).to_string(), "stack");
    }
}
