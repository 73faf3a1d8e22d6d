//! Values as serde sees them, for readers and writers of JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Thin, Value};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Nil => s.serialize_unit(),
            Value::Bool(b) => s.serialize_bool(*b),
            Value::Int(n) => s.serialize_i64(*n),
            Value::Str(text) => s.serialize_str(text),
            Value::List(items) => s.collect_seq(items.iter()),
            Value::Map(entries) => {
                let mut map = s.serialize_map(Some(entries.len()))?;
                for (name, value) in entries.iter() {
                    map.serialize_entry(&**name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Value, D::Error> {
        d.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

const NOT_WHOLE: &str =
    "numbers must be whole and fit into 64 bits with a sign; write others as strings";

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Int(n))
    }

    fn visit_u64<E: Error>(self, n: u64) -> Result<Value, E> {
        i64::try_from(n).map(Value::Int).map_err(|_| E::custom(format!("{NOT_WHOLE}: {n}")))
    }

    fn visit_f64<E: Error>(self, n: f64) -> Result<Value, E> {
        Err(E::custom(format!("{NOT_WHOLE}: {n}")))
    }

    fn visit_str<E>(self, s: &str) -> Result<Value, E> {
        Ok(Value::str(s))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = BTreeMap::<Thin<str>, Value>::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value()?;
            if entries.insert(name.as_str().into(), value).is_some() {
                return Err(A::Error::custom(format!("the key {name:?} appears twice")));
            }
        }
        Ok(Value::Map(entries.into_iter().collect()))
    }
}
