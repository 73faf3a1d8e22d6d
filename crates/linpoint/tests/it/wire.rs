//! What a bundled model writes, it reads again.

use linpoint::spec::models::{KeyValue, ModelVisitor, Queue, QueueOp, for_each_model};
use linpoint::wire::{Chance, FromWire, NamedCall, Options, Sizes, ToWire, Value};
use linpoint::{Spec, wire};

struct Random(fastrand::Rng);

impl Chance for Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0.u64(..n)
    }

    fn value(&mut self) -> Value {
        match self.texts() {
            true => Value::str(&format!("v{}", self.0.u8(..5))),
            false => Value::Int(self.0.i64(1..5)),
        }
    }

    fn scattered(&mut self) -> Value {
        self.value()
    }

    fn texts(&self) -> bool {
        true
    }

    fn amount(&mut self) -> i64 {
        self.0.i64(1..9)
    }

    fn process(&self) -> u32 {
        3
    }

    fn key(&mut self) -> Value {
        Value::str(["x", "y", "z"][self.0.usize(..3)])
    }
}

struct RoundTrip;

impl ModelVisitor for RoundTrip {
    fn model<M: FromWire>(&mut self) {
        let name = M::INFO.name;
        let defaults = M::default_options(Sizes { processes: 3, keys: None });
        let options: Vec<(String, Value)> =
            defaults.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let model = M::from_options(&mut Options::new(&options)).expect(name);
        let names = model.wire().expect(name);
        assert_eq!(names.name(), name);

        let written: Vec<(String, Value)> = names
            .options()
            .expect(name)
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        let again = M::from_options(&mut Options::new(&written)).expect(name);
        assert!(model == again, "{name}: {written:?}");

        let mut chance = Random(fastrand::Rng::with_seed(7));
        let mut state = model.initial();
        for _ in 0..300 {
            let op = model.draw(&state, &mut chance).expect(name);
            let (op_name, args) = names.op(&op);
            let args: Vec<Value> = args.iter().map(|arg| arg.to_value().expect(name)).collect();
            assert!(M::INFO.operations.iter().any(|text| text.starts_with(op_name)), "{op_name}");
            let call = NamedCall { name: op_name, args: &args, process: Some(3) };
            assert_eq!(model.read_op(&call).expect(name), op);
            let Some(ret) = model.perform(&mut state, &op, &mut chance) else { continue };
            let value = names.ret(&op, &ret).expect(name);
            assert_eq!(model.read_ret(&op, &value).expect(name), ret, "{name} {op:?}");
            assert!(model.only_ret(&op).is_none_or(|only| only == ret), "{name} {op:?}");
        }
    }
}

#[test]
fn every_bundled_model_reads_what_it_writes() {
    for_each_model(&mut RoundTrip);
}

#[test]
fn values_that_files_do_not_have_are_not_written() {
    let queue: Queue<[u8; 2]> = Queue::new();
    let (name, args) = queue.op(&QueueOp::Enqueue([1, 2]));
    assert_eq!((name, args[0].to_value()), ("enqueue", None));
    assert_eq!(queue.describe_op(&QueueOp::Enqueue([1, 2])), "enqueue([1, 2])");
    let store: KeyValue<String, u64> = KeyValue::new(Some(0));
    assert_eq!(store.options(), Some(vec![("initial", wire::Value::Int(0))]));
}
