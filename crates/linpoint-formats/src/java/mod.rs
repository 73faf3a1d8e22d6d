//! Collections of `java.util.concurrent` as specifications: the behaviour of each class with one
//! thread.
//!
//! Results are the texts that Java prints, as Violat records them; an exception is the full name of
//! its class. Elements, keys and values are `Integer` and `String`. All results are those of JDK
//! 17, down to the order in which a hash table or a heap is printed; a test compares them with a
//! real JVM. As far as results depend on other classes: collections given as arguments are
//! `ArrayList`s, and maps list their entries in ascending order of the keys.
//!
//! A method that has to wait (`take` on an empty queue, `put` on a full one) is not enabled. A call that never
//! returned may have taken effect or not.

mod answer;
mod call;
mod class;
mod heap;
mod item;
mod linear;
mod sorted;
mod table;
mod tree_bin;
mod wire;

pub use answer::Answer;
pub use call::{BadCall, Call};
pub use item::Item;

use linpoint::Sequential;
use linpoint::spec::Footprint;

use crate::{JavaError, Value};
use call::Arg;
use class::{Class, Effect, Param};
use heap::Heap;
use linear::Linear;
use sorted::Sorted;
use table::Table;

/// The largest `initialCapacity` of a `ConcurrentHashMap`: its table is part of every state.
const MOST_EXPECTED: i32 = 1 << 12;

/// An object of one of the classes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Java {
    class: Class,
    contents: Contents,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Contents {
    Linear(Linear),
    Heap(Heap),
    Sorted(Sorted),
    Table(Table),
}

impl Java {
    /// The names of the classes, without their package.
    pub fn classes() -> impl Iterator<Item = &'static str> {
        Class::ALL.into_iter().map(Class::name)
    }

    /// True if there is a specification of this class.
    pub fn knows(class: &str) -> bool {
        Class::named(class).is_some()
    }

    /// A new, empty object. `arguments` are those of the constructor.
    pub fn new(class: &str, arguments: &[Value]) -> Result<Java, JavaError> {
        let Some(known) = Class::named(class) else {
            let class = Value::str(class).bare();
            return Err(JavaError::UnknownClass(class));
        };
        let bad = || {
            let given: Vec<String> = arguments.iter().map(Value::to_string).collect();
            JavaError::UnknownConstructor(format!("{}({})", known.name(), given.join(", ")))
        };
        let number = match arguments {
            [] => None,
            [Value::Int(n)] => Some(i32::try_from(*n).map_err(|_| bad())?),
            // Fairness determines which thread waits longest, which is not observable here.
            [Value::Int(n), Value::Bool(_)] if known == Class::ArrayBlockingQueue => {
                Some(i32::try_from(*n).map_err(|_| bad())?)
            }
            _ => return Err(bad()),
        };
        let linear = |capacity| Contents::Linear(Linear::new(known, capacity));
        let contents = match (known, number) {
            (
                Class::ArrayBlockingQueue | Class::LinkedBlockingQueue | Class::LinkedBlockingDeque,
                Some(capacity @ 1..),
            ) => linear(capacity),
            (
                Class::LinkedBlockingQueue
                | Class::LinkedBlockingDeque
                | Class::LinkedTransferQueue
                | Class::ConcurrentLinkedQueue
                | Class::ConcurrentLinkedDeque,
                None,
            ) => linear(i32::MAX),
            (Class::PriorityBlockingQueue, None | Some(1..)) => Contents::Heap(Heap::default()),
            (Class::ConcurrentSkipListSet, None) => Contents::Sorted(Sorted::set()),
            (Class::ConcurrentSkipListMap, None) => Contents::Sorted(Sorted::map()),
            (Class::ConcurrentHashMap, None) => Contents::Table(Table::default()),
            (Class::ConcurrentHashMap, Some(expected @ 0..=MOST_EXPECTED)) => {
                Contents::Table(Table::expecting(u16::try_from(expected).unwrap_or(u16::MAX)))
            }
            _ => return Err(bad()),
        };
        Ok(Java { class: known, contents })
    }

    /// The call of a method with these arguments.
    pub fn method(&self, name: &str, args: &[Value]) -> Result<Call, BadCall> {
        Call::read(self.class, name, args)
    }

    /// The methods, each with its parameters: "item", "items" (a collection), "entries" (a map), "flag".
    pub fn methods(&self) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
        let word = |param: &Param| match param {
            Param::Item => "item",
            Param::Items => "items",
            Param::Entries => "entries",
            Param::Flag => "flag",
        };
        self.class
            .methods()
            .map(move |method| (method.name, method.params.iter().map(word).collect()))
    }
}

impl Sequential for Java {
    type Op = Call;
    type Ret = Answer;

    fn apply(&mut self, call: &Call) -> Answer {
        let outcome = match &mut self.contents {
            Contents::Linear(linear) => linear.call(call),
            Contents::Heap(heap) => heap.call(call),
            Contents::Sorted(sorted) => sorted.call(call),
            Contents::Table(table) => table.call(call),
        };
        outcome.unwrap_or_else(Answer::from)
    }

    fn enabled(&self, call: &Call) -> bool {
        match &self.contents {
            Contents::Linear(linear) => linear.enabled(call),
            Contents::Heap(heap) => heap.enabled(call),
            Contents::Sorted(_) | Contents::Table(_) => true,
        }
    }

    /// Keys are independent unless an operation looks at the whole: methods that print or count the
    /// whole have no footprint and join all keys. Texts as keys may not be comparable with numbers,
    /// so they do too.
    fn footprint(&self, call: &Call) -> Footprint {
        match &call.args[..] {
            [Arg::Item(Some(key @ Item::Int(_))), ..] if call.method.keyed => Footprint::key(key),
            _ => Footprint::Whole,
        }
    }

    fn is_read(&self, call: &Call, answer: Option<&Answer>) -> bool {
        match (call.method.effect, answer) {
            (Effect::Reads, _) => true,
            (Effect::Unless(text), Some(Answer::Text(answer))) => **answer == *text,
            _ => false,
        }
    }

    fn describe_op(&self, call: &Call) -> String {
        call.to_string()
    }

    fn describe_ret(&self, _call: &Call, answer: &Answer) -> String {
        match answer {
            Answer::Void => "done".to_owned(),
            Answer::Text(text) => text.to_string(),
        }
    }

    fn describe(&self) -> String {
        let mut printed = self.clone();
        match printed.method("toString", &[]) {
            Ok(call) => match printed.apply(&call) {
                Answer::Text(text) => text.to_string(),
                Answer::Void => String::new(),
            },
            Err(_) => String::new(),
        }
    }

    fn bytes(&self) -> usize {
        let heap = match &self.contents {
            Contents::Linear(linear) => linear.bytes(),
            Contents::Heap(heap) => heap.bytes(),
            Contents::Sorted(sorted) => sorted.bytes(),
            Contents::Table(table) => table.bytes(),
        };
        size_of::<Self>() + heap
    }
}

#[cfg(test)]
mod tests {
    use linpoint::spec::claims::check_claims;

    use super::*;

    /// Calls of all methods with a few arguments, occasionally reaching the capacity.
    fn calls(object: &Java, items: &[Value]) -> Vec<Call> {
        let two = |i: usize| items[i % items.len()].clone();
        let arg = |param: &str, i: usize| match param {
            "item" => two(i),
            "items" => Value::List([two(i), two(i + 1)].into()),
            "entries" => Value::Map([(two(i).bare().as_str().into(), two(i + 1))].into()),
            _ => Value::Bool(i.is_multiple_of(2)),
        };
        let mut calls = Vec::new();
        for (name, params) in object.methods() {
            for i in 0..if params.is_empty() { 1 } else { items.len() } {
                let args: Vec<Value> =
                    params.iter().enumerate().map(|(at, param)| arg(param, i + at)).collect();
                calls.extend(object.method(name, &args));
            }
        }
        calls
    }

    #[test]
    fn claims_hold() {
        let numbers = [1, 2, 3].map(Value::Int);
        let mixed = [Value::Int(1), Value::str("a"), Value::Nil];
        for class in Java::classes() {
            // A table remembers how large it has been: keys do not depend on that, but states do.
            if class == "ConcurrentHashMap" {
                continue;
            }
            let capacity: &[Value] =
                if class == "ArrayBlockingQueue" { &[Value::Int(2)] } else { &[] };
            let object = Java::new(class, capacity).unwrap();
            for items in [&numbers, &mixed] {
                check_claims(&object, &calls(&object, items), 3, 40)
                    .unwrap_or_else(|error| panic!("{class}: {error}"));
            }
        }
    }

    #[test]
    fn bins_are_split_as_java_does() {
        let mut map = Java::new("ConcurrentHashMap", &[]).unwrap();
        for key in [0, 16, 32, 48, 64, 80, 96, 112, 128] {
            let put = map.method("put", &[Value::Int(key), Value::Int(0)]).unwrap();
            map.apply(&put);
        }
        // As JDK 17 prints it: the ninth key in one bin makes the table grow three times.
        assert_eq!(map.describe(), "{0=0, 128=0, 16=0, 32=0, 48=0, 64=0, 80=0, 96=0, 112=0}");
    }
}
