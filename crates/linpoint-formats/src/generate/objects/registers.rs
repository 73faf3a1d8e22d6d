//! One value, a number, or segments that are read together.

use super::super::rng::Rng;
use super::super::values::Supply;
use super::{Blocked, Draft, Object, Op};
use crate::{Format, Value};

/// A register, with compare-and-set or swap instead of reads and writes.
pub(super) struct Cell {
    holds: Value,
    supply: Supply,
    kind: Kind,
}

#[derive(PartialEq, Eq)]
enum Kind {
    Register,
    CasRegister,
    Rmw,
}

impl Cell {
    pub(super) fn new(draft: &Draft<'_>) -> Cell {
        let kind = match draft.model.name.as_str() {
            "register" => Kind::Register,
            "rmw" => Kind::Rmw,
            _ => Kind::CasRegister,
        };
        let holds = draft.option("initial").cloned().unwrap_or_default();
        let supply = Supply::new(draft.values).beside([holds.clone()]);
        Cell { holds, supply, kind }
    }
}

impl Object for Cell {
    fn draw(&mut self, _who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        let mut value = || self.supply.draw(rng);
        Some(match self.kind {
            Kind::Rmw => Op::new("swap", [value()]),
            _ if rng.percent(50) => Op::alone("read"),
            Kind::CasRegister if rng.percent(50) => {
                // Some find what they expect, some find what came in between.
                Op::new("cas", [self.holds.clone(), self.supply.draw(rng)])
            }
            _ => Op::new("write", [self.supply.draw(rng)]),
        })
    }

    fn apply(&mut self, _who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        Ok(match (op.name, &op.args[..]) {
            ("write", [value]) => {
                self.holds = value.clone();
                None
            }
            ("swap", [value]) => Some(std::mem::replace(&mut self.holds, value.clone())),
            ("cas", [expected, new]) => {
                let found = self.holds == *expected;
                if found {
                    self.holds = new.clone();
                }
                Some(Value::Bool(found))
            }
            _ => Some(self.holds.clone()),
        })
    }

    fn wrong(&self, op: &Op, _result: &Value) -> Option<Value> {
        matches!(op.name, "read" | "swap").then(|| self.supply.never())
    }

    fn has_results(&self, op: &Op) -> bool {
        op.name != "write"
    }
}

/// Segments that are updated one at a time and read all at once.
pub(super) struct Snapshot {
    segments: Vec<Value>,
    supply: Supply,
    /// Scans tell the first two segments only.
    two: bool,
}

impl Snapshot {
    pub(super) fn new(draft: &Draft<'_>) -> Snapshot {
        let initial = draft.option("initial").cloned().unwrap_or_default();
        // More than there may be is refused by the registry.
        let segments = draft.size("segments").unwrap_or(1).min(1 << 20);
        Snapshot {
            supply: Supply::new(draft.values).beside([initial.clone()]),
            segments: vec![initial; segments],
            two: draft.format == Format::Snapshot,
        }
    }
}

impl Object for Snapshot {
    fn draw(&mut self, who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        if self.segments.is_empty() || rng.percent(40) {
            return Some(Op::alone("scan"));
        }
        let segment = i64::try_from(who as usize % self.segments.len()).ok()?;
        Some(Op::new("update", [Value::Int(segment), self.supply.draw(rng)]))
    }

    fn apply(&mut self, _who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        if let [Value::Int(segment), value] = &op.args[..] {
            if let Some(holds) = self.segments.get_mut(usize::try_from(*segment).unwrap_or(0)) {
                *holds = value.clone();
            }
            return Ok(None);
        }
        let told = if self.two { 2 } else { self.segments.len() };
        Ok(Some(Value::List(self.segments.iter().take(told).cloned().collect())))
    }

    fn wrong(&self, _op: &Op, result: &Value) -> Option<Value> {
        let Value::List(values) = result else { return None };
        let mut values = values.to_vec();
        *values.first_mut()? = self.supply.never();
        Some(Value::List(values.into()))
    }

    fn has_results(&self, op: &Op) -> bool {
        op.name == "scan"
    }
}

/// A number that is added to.
pub(super) struct Counter {
    initial: i64,
    value: i64,
    most: u64,
}

impl Counter {
    pub(super) fn new(draft: &Draft<'_>) -> Result<Counter, String> {
        let initial = draft.option("initial").and_then(Value::as_int).unwrap_or(0);
        if initial.unsigned_abs() > 1 << 60 {
            return Err(format!(
                "a counter that begins with {initial} cannot be added to for long"
            ));
        }
        let most = match draft.values {
            super::Values::Distinct => 9,
            super::Values::Among(n) => n.into(),
        };
        Ok(Counter { initial, value: initial, most })
    }
}

impl Object for Counter {
    fn draw(&mut self, _who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        if rng.percent(40) {
            return Some(Op::alone("get"));
        }
        let name = if rng.percent(60) { "add" } else { "fetch_add" };
        let amount = i64::try_from(1 + rng.below(self.most)).unwrap_or(1);
        Some(Op::new(name, [Value::Int(amount)]))
    }

    fn apply(&mut self, _who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let before = self.value;
        self.value += op.args.first().and_then(Value::as_int).unwrap_or(0);
        Ok((op.name != "add").then_some(Value::Int(before)))
    }

    /// It only ever grows.
    fn wrong(&self, _op: &Op, _result: &Value) -> Option<Value> {
        Some(Value::Int(self.initial - 1))
    }

    fn has_results(&self, op: &Op) -> bool {
        op.name != "add"
    }
}
