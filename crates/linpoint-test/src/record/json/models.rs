//! The bundled models in the words of `linpoint models`.

use linpoint::spec::models::{
    Bag, BagOp, BagRet, CasRegister, CasRegisterOp, CasRegisterRet, Counter, CounterOp, CounterRet,
    Deque, DequeOp, DequeRet, KeyValue, KeyValueOp, KeyValueRet, Order, PriorityQueue,
    PriorityQueueOp, PriorityQueueRet, Queue, QueueOp, QueueRet, Register, RegisterOp, RegisterRet,
    Semaphore, SemaphoreOp, SemaphoreRet, Set, SetOp, SetRet, Stack, StackOp, StackRet,
};
use linpoint::{Spec, spec::models};
use serde_json::{Map, Value, json};

use super::{JsonModel, JsonValue};

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl JsonValue for $number {
            fn to_json(&self) -> Value {
                // The format has whole numbers of 64 bits with a sign; others become texts.
                i64::try_from(*self).map_or_else(|_| json!(self.to_string()), Value::from)
            }
        }
    )*};
}

numbers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl JsonValue for String {
    fn to_json(&self) -> Value {
        json!(self)
    }
}

impl JsonValue for &'static str {
    fn to_json(&self) -> Value {
        json!(self)
    }
}

impl JsonValue for bool {
    fn to_json(&self) -> Value {
        json!(self)
    }
}

/// What a model can hold and JSON can say.
trait Held: models::Value + JsonValue {}
impl<V: models::Value + JsonValue> Held for V {}

fn maybe<V: JsonValue>(value: Option<&V>) -> Value {
    value.map_or(Value::Null, JsonValue::to_json)
}

fn option(key: &str, value: Option<Value>) -> Map<String, Value> {
    value.map(|value| (key.to_owned(), value)).into_iter().collect()
}

fn one<V: JsonValue>(value: &V) -> Vec<Value> {
    vec![value.to_json()]
}

impl<V: Held> JsonModel for Queue<V> {
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("queue", option("capacity", self.capacity.map(|capacity| json!(capacity))))
    }
    fn op(&self, op: &QueueOp<V>) -> (&'static str, Vec<Value>) {
        match op {
            QueueOp::Enqueue(value) => ("enqueue", one(value)),
            QueueOp::Dequeue => ("dequeue", vec![]),
            QueueOp::Peek => ("peek", vec![]),
        }
    }
    fn ret(&self, _: &QueueOp<V>, ret: &QueueRet<V>) -> Value {
        match ret {
            QueueRet::Done => json!("ok"),
            QueueRet::Full => json!("full"),
            QueueRet::Value(value) => maybe(value.as_ref()),
        }
    }
}

impl<V: Held> JsonModel for Stack<V> {
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("stack", Map::new())
    }
    fn op(&self, op: &StackOp<V>) -> (&'static str, Vec<Value>) {
        match op {
            StackOp::Push(value) => ("push", one(value)),
            StackOp::Pop => ("pop", vec![]),
            StackOp::Peek => ("peek", vec![]),
        }
    }
    fn ret(&self, _: &StackOp<V>, ret: &StackRet<V>) -> Value {
        match ret {
            StackRet::Done => json!("ok"),
            StackRet::Value(value) => maybe(value.as_ref()),
        }
    }
}

impl<V: Held> JsonModel for Deque<V> {
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("deque", option("capacity", self.capacity.map(|capacity| json!(capacity))))
    }
    fn op(&self, op: &DequeOp<V>) -> (&'static str, Vec<Value>) {
        match op {
            DequeOp::PushFront(value) => ("push_front", one(value)),
            DequeOp::PushBack(value) => ("push_back", one(value)),
            DequeOp::PopFront => ("pop_front", vec![]),
            DequeOp::PopBack => ("pop_back", vec![]),
            DequeOp::PeekFront => ("peek_front", vec![]),
            DequeOp::PeekBack => ("peek_back", vec![]),
        }
    }
    fn ret(&self, _: &DequeOp<V>, ret: &DequeRet<V>) -> Value {
        match ret {
            DequeRet::Done => json!("ok"),
            DequeRet::Full => json!("full"),
            DequeRet::Value(value) => maybe(value.as_ref()),
        }
    }
}

impl<V: Held + Ord> JsonModel for PriorityQueue<V> {
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("priority-queue", option("min", (self.order == Order::Min).then_some(json!(true))))
    }
    fn op(&self, op: &PriorityQueueOp<V>) -> (&'static str, Vec<Value>) {
        match op {
            PriorityQueueOp::Insert(value) => ("insert", one(value)),
            PriorityQueueOp::Poll => ("poll", vec![]),
            PriorityQueueOp::Peek => ("peek", vec![]),
        }
    }
    fn ret(&self, _: &PriorityQueueOp<V>, ret: &PriorityQueueRet<V>) -> Value {
        match ret {
            PriorityQueueRet::Done => json!("ok"),
            PriorityQueueRet::Value(value) => maybe(value.as_ref()),
        }
    }
}

impl<V: Held + Ord> JsonModel for Bag<V> {
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("bag", Map::new())
    }
    fn op(&self, op: &BagOp<V>) -> (&'static str, Vec<Value>) {
        match op {
            BagOp::Add(value) => ("add", one(value)),
            BagOp::Remove => ("remove", vec![]),
        }
    }
    fn ret(&self, _: &BagOp<V>, ret: &BagRet<V>) -> Value {
        match ret {
            BagRet::Done => json!("ok"),
            BagRet::Value(value) => maybe(value.as_ref()),
        }
    }
}

impl<V: Held> JsonModel for Set<V>
where
    Set<V>: Spec<Op = SetOp<V>, Ret = SetRet>,
{
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("set", Map::new())
    }
    fn op(&self, op: &SetOp<V>) -> (&'static str, Vec<Value>) {
        match op {
            SetOp::Insert(value) => ("insert", one(value)),
            SetOp::Remove(value) => ("remove", one(value)),
            SetOp::Contains(value) => ("contains", one(value)),
        }
    }
    fn ret(&self, _: &SetOp<V>, ret: &SetRet) -> Value {
        json!(ret.0)
    }
}

impl<V: Held> JsonModel for Register<V> {
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("register", option("initial", Some(self.initial.to_json())))
    }
    fn op(&self, op: &RegisterOp<V>) -> (&'static str, Vec<Value>) {
        match op {
            RegisterOp::Read => ("read", vec![]),
            RegisterOp::Write(value) => ("write", one(value)),
        }
    }
    fn ret(&self, _: &RegisterOp<V>, ret: &RegisterRet<V>) -> Value {
        match ret {
            RegisterRet::Value(value) => value.to_json(),
            RegisterRet::Written => json!("ok"),
        }
    }
}

impl<V: Held> JsonModel for CasRegister<V> {
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("cas-register", option("initial", Some(self.initial.to_json())))
    }
    fn op(&self, op: &CasRegisterOp<V>) -> (&'static str, Vec<Value>) {
        match op {
            CasRegisterOp::Read => ("read", vec![]),
            CasRegisterOp::Write(value) => ("write", one(value)),
            CasRegisterOp::Cas(old, new) => ("cas", vec![old.to_json(), new.to_json()]),
        }
    }
    fn ret(&self, _: &CasRegisterOp<V>, ret: &CasRegisterRet<V>) -> Value {
        match ret {
            CasRegisterRet::Value(value) => value.to_json(),
            CasRegisterRet::Written => json!("ok"),
            CasRegisterRet::Bool(done) => json!(done),
        }
    }
}

impl JsonModel for Counter {
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("counter", option("initial", Some(json!(self.initial))))
    }
    fn op(&self, op: &CounterOp) -> (&'static str, Vec<Value>) {
        match op {
            CounterOp::Get => ("get", vec![]),
            CounterOp::Add(number) => ("add", one(number)),
            CounterOp::FetchAdd(number) => ("fetch_add", one(number)),
        }
    }
    fn ret(&self, _: &CounterOp, ret: &CounterRet) -> Value {
        match ret {
            CounterRet::Done => json!("ok"),
            CounterRet::Value(number) => json!(number),
        }
    }
}

impl JsonModel for Semaphore {
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("semaphore", option("initial", Some(json!(self.initial))))
    }
    fn op(&self, op: &SemaphoreOp) -> (&'static str, Vec<Value>) {
        let name = match op {
            SemaphoreOp::Release => "release",
            SemaphoreOp::TryAcquire => "try_acquire",
            SemaphoreOp::Acquire => "acquire",
        };
        (name, vec![])
    }
    fn ret(&self, _: &SemaphoreOp, ret: &SemaphoreRet) -> Value {
        match ret {
            SemaphoreRet::Done => json!("ok"),
            SemaphoreRet::Bool(done) => json!(done),
        }
    }
}

impl<K: Held, V: Held> JsonModel for KeyValue<K, V>
where
    KeyValue<K, V>: Spec<Op = KeyValueOp<K, V>, Ret = KeyValueRet<V>>,
{
    fn model(&self) -> (&'static str, Map<String, Value>) {
        ("kv", option("initial", self.initial.as_ref().map(JsonValue::to_json)))
    }
    fn op(&self, op: &KeyValueOp<K, V>) -> (&'static str, Vec<Value>) {
        let pair = |key: &K, value: &V| vec![key.to_json(), value.to_json()];
        match op {
            KeyValueOp::Get(key) => ("get", one(key)),
            KeyValueOp::Put(key, value) => ("put", pair(key, value)),
            KeyValueOp::Append(key, value) => ("append", pair(key, value)),
            KeyValueOp::Delete(key) => ("delete", one(key)),
            KeyValueOp::Remove(key) => ("remove", one(key)),
            KeyValueOp::GetOrElseUpdate(key, value) => ("get_or_else_update", pair(key, value)),
            KeyValueOp::CompareAndSet(key, old, new) => {
                ("compare_and_set", vec![key.to_json(), maybe(old.as_ref()), new.to_json()])
            }
        }
    }
    fn ret(&self, _: &KeyValueOp<K, V>, ret: &KeyValueRet<V>) -> Value {
        match ret {
            KeyValueRet::Done => json!("ok"),
            KeyValueRet::Value(value) => maybe(value.as_ref()),
            KeyValueRet::Bool(done) => json!(done),
        }
    }
}
