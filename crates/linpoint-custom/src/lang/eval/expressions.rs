//! Expressions.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

use super::super::ast::{
    Call, Clause, Comprehension, Expr, Function, Kind, Method, Op, Slice, Target,
};
use super::super::builtins::{self, Arguments};
use super::super::fault::{Fault, Outcome, Pos, fault};
use super::super::value::Val;
use super::super::{methods, ops};
use super::{Frame, Run};

impl<'p> Run<'p> {
    pub(super) fn eval(
        &mut self,
        expr: &'p Expr,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Val> {
        match expr {
            Expr::Literal(literal) => Ok(self.machine.constants[*literal as usize].clone()),
            Expr::Name(slot, pos) => self.variable(*slot, *pos, function, frame),
            Expr::Binary(op, pair, pos) => {
                let a = self.eval(&pair.0, function, frame)?;
                let b = self.eval(&pair.1, function, frame)?;
                match (op, &a, &b) {
                    (Op::Eq, ..) => Ok(Val::Bool(a == b)),
                    (Op::Ne, ..) => Ok(Val::Bool(a != b)),
                    _ => self.binary(*op, &a, &b, *pos),
                }
            }
            Expr::And(pair) => match self.eval(&pair.0, function, frame)? {
                left if left.is_true() => self.eval(&pair.1, function, frame),
                left => Ok(left),
            },
            Expr::Or(pair) => match self.eval(&pair.0, function, frame)? {
                left if left.is_true() => Ok(left),
                _ => self.eval(&pair.1, function, frame),
            },
            Expr::Not(of) => Ok(Val::Bool(!self.eval(of, function, frame)?.is_true())),
            Expr::Negate(of, pos) => match self.eval(of, function, frame)? {
                Val::Int(n) => n.checked_neg().map(Val::Int).map_or_else(|| too_large(*pos), Ok),
                other => fault(*pos, format!("a {} has no negative", other.kind())),
            },
            Expr::Choice(parts) => match self.eval(&parts.0, function, frame)?.is_true() {
                true => self.eval(&parts.1, function, frame),
                false => self.eval(&parts.2, function, frame),
            },
            Expr::Index(pair, pos) => {
                let of = self.eval(&pair.0, function, frame)?;
                let key = self.eval(&pair.1, function, frame)?;
                ops::item(&of, &key).or_else(|message| fault(*pos, message))
            }
            _ => self.eval_rarely(expr, function, frame),
        }
    }

    /// Out of line, so that the frames of nested expressions stay small.
    #[inline(never)]
    fn eval_rarely(
        &mut self,
        expr: &'p Expr,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Val> {
        match expr {
            Expr::Slice(slice, pos) => self.slice(slice, *pos, function, frame),
            Expr::Call(call, pos) => self.eval_call(call, *pos, function, frame),
            Expr::Method(method, pos) => self.eval_method(method, *pos, function, frame),
            Expr::Tuple(items) => {
                let mut values: SmallVec<[Val; 4]> = SmallVec::new();
                for item in items {
                    values.push(self.eval(item, function, frame)?);
                }
                Ok(Val::tuple(values))
            }
            Expr::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(self.eval(item, function, frame)?);
                }
                Ok(Val::list(values))
            }
            Expr::Dict(entries, pos) => {
                let mut dict = BTreeMap::new();
                for (key, value) in entries {
                    let key = self.eval(key, function, frame)?;
                    ops::must_be_key(&key).or_else(|message| fault(*pos, message))?;
                    dict.insert(key, self.eval(value, function, frame)?);
                }
                Ok(Val::dict(dict))
            }
            Expr::Set(items, pos) => {
                let mut set = BTreeSet::new();
                for item in items {
                    let item = self.eval(item, function, frame)?;
                    ops::must_be_key(&item).or_else(|message| fault(*pos, message))?;
                    set.insert(item);
                }
                Ok(Val::set(set))
            }
            Expr::Comprehension(comprehension, pos) => {
                self.comprehension(comprehension, *pos, function, frame)
            }
            _ => Ok(Val::None),
        }
    }

    fn slice(
        &mut self,
        slice: &'p Slice,
        pos: Pos,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Val> {
        let of = self.eval(&slice.of, function, frame)?;
        let mut part = |part: &'p Option<Expr>| match part {
            None => Ok(None),
            Some(expr) => match self.eval(expr, function, frame)? {
                Val::Int(n) => Ok(Some(n)),
                Val::None => Ok(None),
                other => fault(pos, format!("a position is a number, not a {}", other.kind())),
            },
        };
        let (begin, end, step) = (part(&slice.begin)?, part(&slice.end)?, part(&slice.step)?);
        self.spend(ops::len(&of).unwrap_or(0), pos)?;
        ops::slice(&of, begin, end, step).or_else(|message| fault(pos, message))
    }

    fn args(
        &mut self,
        args: &'p [Expr],
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<SmallVec<[Val; 4]>> {
        let mut values = SmallVec::new();
        for arg in args {
            values.push(self.eval(arg, function, frame)?);
        }
        Ok(values)
    }

    fn named_args(
        &mut self,
        named: &'p [(Box<str>, Expr)],
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Vec<(&'p str, Val)>> {
        let mut eval =
            |(name, arg): &'p (Box<str>, Expr)| Ok((&**name, self.eval(arg, function, frame)?));
        named.iter().map(&mut eval).collect()
    }

    fn eval_call(
        &mut self,
        call: &'p Call,
        pos: Pos,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Val> {
        let called = self.eval(&call.function, function, frame)?;
        let args = self.args(&call.args, function, frame)?;
        let named = self.named_args(&call.named, function, frame)?;
        match called {
            Val::Function(called) => self.call(called, args, &named, pos),
            Val::Builtin(builtin) => {
                self.spend(1, pos)?;
                builtins::call(self, builtin, &mut Arguments { args, named, pos })
            }
            other => fault(pos, format!("a {} cannot be called", other.kind())),
        }
    }

    fn eval_method(
        &mut self,
        method: &'p Method,
        pos: Pos,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Val> {
        let of = self.eval(&method.of, function, frame)?;
        let args = self.args(&method.args, function, frame)?;
        let named = self.named_args(&method.named, function, frame)?;
        self.spend(1, pos)?;
        methods::call(self, &of, method.name, &mut Arguments { args, named, pos })
    }

    fn comprehension(
        &mut self,
        comprehension: &'p Comprehension,
        pos: Pos,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Val> {
        let mut slots = Vec::new();
        for clause in &comprehension.clauses {
            if let Clause::For(target, ..) = clause {
                slots_of(target, &mut slots);
            }
        }
        // Its variables are not seen outside, and hide others of the same names.
        let hidden: Vec<Val> = slots.iter().map(|slot| frame[*slot as usize].clone()).collect();
        let mut found = Found { list: Vec::new(), dict: BTreeMap::new(), set: BTreeSet::new() };
        self.clauses(comprehension, 0, &mut found, pos, function, frame)?;
        for (slot, value) in slots.into_iter().zip(hidden) {
            frame[slot as usize] = value;
        }
        Ok(match comprehension.kind {
            Kind::List(_) => Val::list(found.list),
            Kind::Dict(..) => Val::dict(found.dict),
            Kind::Set(_) => Val::set(found.set),
        })
    }

    fn clauses(
        &mut self,
        comprehension: &'p Comprehension,
        at: usize,
        found: &mut Found,
        pos: Pos,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<()> {
        match comprehension.clauses.get(at) {
            Some(Clause::If(condition)) => match self.eval(condition, function, frame)?.is_true() {
                true => self.clauses(comprehension, at + 1, found, pos, function, frame),
                false => Ok(()),
            },
            Some(Clause::For(target, over, at_pos)) => {
                let over = self.eval(over, function, frame)?;
                self.iterate(&over, *at_pos, &mut |run, item| {
                    run.assign(target, item, function, frame)?;
                    run.clauses(comprehension, at + 1, found, pos, function, frame)?;
                    Ok(true)
                })
            }
            None => {
                let is_key =
                    |key: &Val| ops::must_be_key(key).or_else(|message| fault(pos, message));
                match &comprehension.kind {
                    Kind::List(item) => found.list.push(self.eval(item, function, frame)?),
                    Kind::Set(item) => {
                        let item = self.eval(item, function, frame)?;
                        is_key(&item)?;
                        found.set.insert(item);
                    }
                    Kind::Dict(key, value) => {
                        let key = self.eval(key, function, frame)?;
                        is_key(&key)?;
                        let value = self.eval(value, function, frame)?;
                        found.dict.insert(key, value);
                    }
                }
                Ok(())
            }
        }
    }
}

/// What a comprehension has found.
struct Found {
    list: Vec<Val>,
    dict: BTreeMap<Val, Val>,
    set: BTreeSet<Val>,
}

fn slots_of(target: &Target, slots: &mut Vec<u32>) {
    match target {
        Target::Name(slot) => slots.push(*slot),
        Target::Several(targets, _) => targets.iter().for_each(|target| slots_of(target, slots)),
        Target::Index(..) => {}
    }
}

fn too_large<T>(pos: Pos) -> Outcome<T> {
    Err(Box::new(Fault { pos, message: ops::TOO_LARGE.to_owned() }))
}
