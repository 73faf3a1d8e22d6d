//! Collections of Java: the specification itself is the object.

use linpoint::Sequential;
use linpoint_formats::Value;
use linpoint_formats::java::{Answer, Java};

use super::{Blocked, Draft, Object, Op};
use crate::rng::Rng;
use crate::values::Supply;

/// What no method throws.
const NEVER: &str = "java.lang.Error";
/// Numbers stay below this.
const LARGEST: i64 = 1_000_000_000;

#[derive(Clone)]
pub(super) struct Collection {
    object: Java,
    methods: Vec<(&'static str, Vec<&'static str>)>,
    supply: Supply,
}

impl Collection {
    pub(super) fn new(draft: &Draft<'_>) -> Result<Collection, String> {
        let class = draft.option("class").and_then(Value::as_str).unwrap_or_default();
        let arguments = match draft.option("arguments") {
            Some(Value::List(arguments)) => &arguments[..],
            _ => &[],
        };
        let object = Java::new(class, arguments)?;
        // No thread is waiting.
        let waits =
            |name: &str| name.starts_with("take") || ["put", "putFirst", "putLast"].contains(&name);
        let is_map = class.ends_with("Map");
        let methods = object.methods().filter(|(name, _)| is_map || !waits(name)).collect();
        Ok(Collection {
            object,
            methods,
            supply: Supply::new(draft.values, draft.operations, false),
        })
    }

    fn item(&mut self, adds: bool, rng: &mut Rng) -> Value {
        let number = match self.supply.last() {
            last if last > 0 && !adds => i64::try_from(1 + rng.below(last)).unwrap_or(LARGEST),
            _ => self.supply.number(rng),
        };
        Value::Int(number % LARGEST)
    }

    fn arg(&mut self, param: &str, adds: bool, rng: &mut Rng) -> Value {
        match param {
            "item" => self.item(adds, rng),
            "items" => Value::List((0..2).map(|_| self.item(adds, rng)).collect()),
            "entries" => {
                let key = self.item(adds, rng).bare();
                Value::Map([(key.as_str().into(), self.item(adds, rng))].into())
            }
            _ => Value::Bool(rng.percent(50)),
        }
    }
}

fn adds(name: &str) -> bool {
    ["add", "offer", "put", "push"].iter().any(|start| name.starts_with(start))
}

impl Object for Collection {
    fn draw(&mut self, _who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        // As often as not something is added, or the object would be empty most of the time.
        let wanted = rng.percent(50);
        let fitting: Vec<usize> =
            (0..self.methods.len()).filter(|at| adds(self.methods[*at].0) == wanted).collect();
        let (name, params) = self.methods[*fitting.get(rng.index(fitting.len()))?].clone();
        let args: Vec<Value> = params.iter().map(|param| self.arg(param, wanted, rng)).collect();
        Some(Op::new(name, args))
    }

    fn apply(&mut self, _who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let call = self.object.method(op.name, &op.args).map_err(|_| Blocked)?;
        match self.object.apply(&call) {
            Answer::Void => Ok(None),
            Answer::Text(text) => Ok(Some(Value::str(&text))),
        }
    }

    fn fork(&self) -> Box<dyn Object> {
        Box::new(self.clone())
    }

    fn wrong(&self, _op: &Op, _result: &Value) -> Option<Value> {
        Some(Value::str(NEVER))
    }

    fn has_results(&self, op: &Op) -> bool {
        self.object.method(op.name, &op.args).is_ok_and(|call| call.void().is_none())
    }
}
