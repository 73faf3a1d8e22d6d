//! Arguments of any type.

use std::any::Any;
use std::fmt::Debug;

use super::Value;

/// The arguments of an operation.
pub type Args<'a> = Vec<Arg<'a>>;

/// An argument.
#[derive(Clone, Debug)]
pub enum Arg<'a> {
    /// Something that the operation holds.
    Held(&'a dyn ToValue),
    /// A fixed word.
    Word(&'static str),
    /// Several arguments as one.
    List(Args<'a>),
}

impl Arg<'_> {
    /// The argument on the wire; `None` if the wire has no such type.
    pub fn to_value(&self) -> Option<Value> {
        match self {
            Arg::Held(value) => (**value).to_value(),
            Arg::Word(word) => Some(Value::str(word)),
            Arg::List(items) => super::list(items.iter().map(Arg::to_value)),
        }
    }
}

/// Lists arguments.
pub fn args<const N: usize>(args: [&dyn ToValue; N]) -> Args<'_> {
    args.into_iter().map(Arg::Held).collect()
}

/// A value of any type: text for people, and a [`Value`] if the wire has its type.
pub trait ToValue: Debug {
    /// The value on the wire; `None` if the wire has no such type.
    fn to_value(&self) -> Option<Value>;
}

impl<T: Debug + 'static> ToValue for T {
    fn to_value(&self) -> Option<Value> {
        value_of(self)
    }
}

/// The wire has whole numbers of 64 bits with a sign; larger ones become text.
fn value_of(any: &dyn Any) -> Option<Value> {
    macro_rules! numbers {
        ($($number:ty),*) => {$(
            if let Some(n) = any.downcast_ref::<$number>() {
                let text = |_| Value::str(&n.to_string());
                return Some(i64::try_from(*n).map_or_else(text, Value::Int));
            }
        )*};
    }
    if let Some(value) = any.downcast_ref::<Value>() {
        return Some(value.clone());
    }
    numbers!(u64, i64, u32, i32, usize, isize, u8, i8, u16, i16, u128, i128);
    if let Some(text) = any.downcast_ref::<String>() {
        return Some(Value::str(text));
    }
    if let Some(text) = any.downcast_ref::<&'static str>() {
        return Some(Value::str(text));
    }
    any.downcast_ref::<bool>().map(|b| Value::Bool(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_types_have_values() {
        assert_eq!(7u8.to_value(), Some(Value::Int(7)));
        assert_eq!(u64::MAX.to_value(), Some(Value::str("18446744073709551615")));
        assert_eq!("a".to_value(), Some(Value::str("a")));
        assert_eq!(true.to_value(), Some(Value::Bool(true)));
        assert_eq!(Value::Nil.to_value(), Some(Value::Nil));
        assert_eq!([1, 2].to_value(), None);
    }
}
