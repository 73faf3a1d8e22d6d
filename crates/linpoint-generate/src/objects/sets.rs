//! Values that are there or not.

use linpoint_formats::Value;
use rustc_hash::FxHashSet;

use super::{Blocked, Draft, Object, Op, Recorded, Values};
use crate::rng::Rng;
use crate::values::Supply;

/// A set. If values are distinct, each is inserted once and removed at most once.
#[derive(Clone)]
pub(super) struct Set {
    members: FxHashSet<i64>,
    supply: Supply,
    distinct: bool,
    /// Inserted and not yet removed, as far as callers know.
    known: Vec<i64>,
    /// Values of ambiguous operations that may have changed the set.
    ambiguous: FxHashSet<i64>,
}

impl Set {
    pub(super) fn new(draft: &Draft<'_>) -> Set {
        Set {
            members: FxHashSet::default(),
            supply: Supply::new(draft.values, draft.operations, false),
            distinct: draft.values == Values::Distinct,
            known: Vec::new(),
            ambiguous: FxHashSet::default(),
        }
    }

    fn distinct(&mut self, rng: &mut Rng) -> (&'static str, i64) {
        let name = ["insert", "remove", "contains"][rng.index(3)];
        let value = match name {
            _ if name == "insert" || self.known.is_empty() => {
                let value = self.supply.number(rng);
                self.known.push(value);
                return ("insert", value);
            }
            "remove" => self.known.swap_remove(rng.index(self.known.len())),
            _ if rng.percent(30) => {
                i64::try_from(1 + rng.below(self.supply.last())).unwrap_or(i64::MAX)
            }
            _ => self.known[rng.index(self.known.len())],
        };
        (name, value)
    }
}

fn value(op: &Op) -> i64 {
    op.args.first().and_then(Value::as_int).unwrap_or_default()
}

impl Object for Set {
    fn draw(&mut self, _who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        let (name, value) = if self.distinct {
            self.distinct(rng)
        } else {
            (["insert", "remove", "contains"][rng.index(3)], self.supply.number(rng))
        };
        Some(Op::new(name, [Value::Int(value)]))
    }

    fn apply(&mut self, _who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let value = value(op);
        Ok(Some(Value::Bool(match op.name {
            "insert" => self.members.insert(value),
            "remove" => self.members.remove(&value),
            _ => self.members.contains(&value),
        })))
    }

    /// A value is inserted as often as it is removed, or once more if it is there in the end. Where one
    /// more or one less breaks that, and no ambiguous operation could make up for it, no order is legal.
    fn fork(&self) -> Box<dyn Object> {
        Box::new(self.clone())
    }

    fn wrong(&self, op: &Op, result: &Value) -> Option<Value> {
        let value = value(op);
        if self.ambiguous.contains(&value) {
            return None;
        }
        let there = self.members.contains(&value);
        let breaks = match (op.name, result) {
            ("insert", Value::Bool(did)) => *did != there,
            ("remove", Value::Bool(did)) => *did == there,
            _ => false,
        };
        breaks.then(|| Value::Bool(*result == Value::Bool(false)))
    }

    fn has_results(&self, _op: &Op) -> bool {
        true
    }

    fn record(&mut self, op: &Op, recorded: Recorded<'_>) {
        if matches!(recorded, Recorded::Ambiguous) && op.name != "contains" {
            self.ambiguous.insert(value(op));
        }
    }
}
