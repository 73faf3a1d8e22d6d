//! Evaluates the tree.
//!
//! Everything is bounded: each call of a script has a limit on its ticks (a statement, a call, an element that is copied)
//! and on its depth. A script can ask for nothing that changes from one call to the next.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

use super::ast::{
    Call, Clause, Comprehension, Expr, Function, Kind, Literal, Method, Op, Outer, Program, Slice,
    Stmt, Target,
};
use super::builtins::{self, Arguments};
use super::fault::{Fault, Outcome, Pos, fault};
use super::value::{Shared, Val};
use super::{methods, ops};

/// Ticks for one call from outside.
pub(crate) const TICKS: u64 = 1_000_000;
/// Nested expressions and statements of all functions that are being called.
const DEEPEST: u32 = 1000;

/// The variables of a script on one thread.
pub(crate) struct Machine {
    constants: Vec<Val>,
    globals: Vec<Val>,
    ticks: u64,
    depth: u32,
}

/// The variables of a call.
type Frame = SmallVec<[Val; 10]>;

/// What a statement does to those after it.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Val),
}

/// A machine at work.
pub(crate) struct Run<'p> {
    program: &'p Program,
    machine: &'p mut Machine,
}

impl Machine {
    /// Runs the script itself, which defines its functions. `options` replaces entries of the global dict of this name.
    pub(crate) fn new(program: &Program, options: &[(String, Val)]) -> Outcome<Machine> {
        let constant = |literal: &Literal| match literal {
            Literal::None => Val::None,
            Literal::Bool(b) => Val::Bool(*b),
            Literal::Int(n) => Val::Int(*n),
            Literal::Str(text) => Val::str(text),
        };
        let script = &program.functions[0];
        let mut machine = Machine {
            constants: program.literals.iter().map(constant).collect(),
            globals: vec![Val::Unset; script.names.len()],
            ticks: TICKS,
            depth: 0,
        };
        // Functions are known from the beginning.
        for statement in &script.body {
            if let Stmt::Def(global, function) = statement {
                machine.globals[*global as usize] = Val::Function(*function);
            }
        }
        let slot = script.names.iter().position(|name| &**name == "options");
        for statement in &script.body {
            let mut frame: Frame = std::mem::take(&mut machine.globals).into();
            let mut run = Run { program, machine: &mut machine };
            let done = run.execute_in_script(statement, script, &mut frame);
            machine.globals = frame.into_vec();
            done?;
            // As soon as they are there, so that what is computed from them is right.
            let is_options = |at: usize| matches!(statement, Stmt::Assign(Target::Name(to), _) if *to as usize == at);
            if let Some(at) = slot.filter(|at| is_options(*at))
                && let Val::Dict(known) = &machine.globals[at]
                && let Ok(mut known) = known.change()
            {
                for (key, value) in options {
                    // Others are reported by whoever knows all of them.
                    if let Some(known) = known.get_mut(&Val::str(key)) {
                        *known = value.clone();
                    }
                }
            }
        }
        machine.globals.iter().for_each(Val::freeze);
        Ok(machine)
    }

    /// A global variable.
    pub(crate) fn global(&self, program: &Program, name: &str) -> Option<Val> {
        let at = program.functions[0].names.iter().position(|known| **known == *name)?;
        match self.globals.get(at)? {
            Val::Unset => None,
            value => Some(value.clone()),
        }
    }

    /// Calls a function.
    pub(crate) fn call(
        &mut self,
        program: &Program,
        function: u32,
        args: impl IntoIterator<Item = Val>,
    ) -> Outcome<Val> {
        self.ticks = TICKS;
        self.depth = 0;
        let pos = program.functions[function as usize].pos;
        let args = args.into_iter().collect();
        Run { program, machine: self }.call(function, args, &[], pos)
    }
}

impl Program {
    /// The number of parameters of a function, and where it is.
    pub(crate) fn signature(&self, function: u32) -> Option<(usize, Pos)> {
        let function = self.functions.get(function as usize)?;
        Some((function.params, function.pos))
    }

    /// All strings in the script.
    pub(crate) fn strings(&self) -> impl Iterator<Item = &str> {
        self.literals.iter().filter_map(|literal| match literal {
            Literal::Str(text) => Some(&**text),
            _ => None,
        })
    }
}

impl<'p> Run<'p> {
    /// Takes ticks.
    #[inline]
    pub(super) fn spend(&mut self, ticks: usize, pos: Pos) -> Outcome<()> {
        match self.machine.ticks.checked_sub(ticks as u64) {
            Some(left) => {
                self.machine.ticks = left;
                Ok(())
            }
            None => fault(pos, "this takes too long: does it loop forever?"),
        }
    }

    /// Calls any function.
    pub(super) fn apply(
        &mut self,
        function: &Val,
        args: SmallVec<[Val; 4]>,
        pos: Pos,
    ) -> Outcome<Val> {
        match function {
            Val::Function(function) => self.call(*function, args, &[], pos),
            Val::Builtin(builtin) => {
                let mut args = Arguments { args, named: Vec::new(), pos };
                builtins::call(self, *builtin, &mut args)
            }
            other => fault(pos, format!("a {} cannot be called", other.kind())),
        }
    }

    fn call(
        &mut self,
        function: u32,
        args: SmallVec<[Val; 4]>,
        named: &[(&str, Val)],
        pos: Pos,
    ) -> Outcome<Val> {
        let program = self.program;
        let called = &program.functions[function as usize];
        self.spend(1, pos)?;
        self.machine.depth += called.depth + 1;
        if self.machine.depth > DEEPEST {
            return fault(pos, "functions call each other too deeply");
        }
        let mut frame = self.frame(called, args, named, pos)?;
        let flow = self.block(&called.body, called, &mut frame)?;
        self.machine.depth -= called.depth + 1;
        Ok(match flow {
            Flow::Return(value) => value,
            _ => Val::None,
        })
    }

    /// The variables of a call, with the arguments.
    fn frame(
        &mut self,
        function: &'p Function,
        args: SmallVec<[Val; 4]>,
        named: &[(&str, Val)],
        pos: Pos,
    ) -> Outcome<Frame> {
        let params = function.params;
        let mut frame: Frame = args.into_iter().collect();
        let wrong = |given: usize| {
            let name = &function.name;
            let s = if params == 1 { "" } else { "s" };
            fault(pos, format!("{name}() takes {params} argument{s}, not {given}"))
        };
        if frame.len() > params {
            return wrong(frame.len());
        }
        let given = frame.len() + named.len();
        frame.resize(function.names.len(), Val::Unset);
        for (name, value) in named {
            let at = function.names[..params].iter().position(|param| **param == **name);
            match at.map(|at| &mut frame[at]) {
                Some(slot @ Val::Unset) => *slot = value.clone(),
                Some(_) => return fault(pos, format!("the argument `{name}` is given twice")),
                None => {
                    return fault(pos, format!("{}() has no parameter `{name}`", function.name));
                }
            }
        }
        let first_default = params - function.defaults.len();
        for at in 0..params {
            if matches!(frame[at], Val::Unset) {
                let default =
                    at.checked_sub(first_default).and_then(|at| function.defaults.get(at));
                frame[at] = match default {
                    Some(Expr::Literal(literal)) => {
                        self.machine.constants[*literal as usize].clone()
                    }
                    _ => return wrong(given),
                };
            }
        }
        Ok(frame)
    }

    /// A statement outside of functions: its variables are the global ones.
    fn execute_in_script(
        &mut self,
        statement: &'p Stmt,
        script: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<()> {
        // Functions that are called meanwhile see the global variables as they are now.
        self.machine.globals = frame.to_vec();
        self.execute(statement, script, frame).map(drop)
    }

    fn block(
        &mut self,
        body: &'p [Stmt],
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Flow> {
        for statement in body {
            match self.execute(statement, function, frame)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn execute(
        &mut self,
        statement: &'p Stmt,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Flow> {
        self.spend(1, Pos::default())?;
        match statement {
            Stmt::Expr(expr) => drop(self.eval(expr, function, frame)?),
            Stmt::Assign(target, value) => {
                let value = self.eval(value, function, frame)?;
                self.assign(target, value, function, frame)?;
            }
            Stmt::Update(target, op, value, pos) => {
                self.update(target, *op, value, *pos, function, frame)?;
            }
            Stmt::Delete(of, key, pos) => {
                let of = self.eval(of, function, frame)?;
                let key = self.eval(key, function, frame)?;
                ops::delete(&of, &key).or_else(|message| fault(*pos, message))?;
            }
            Stmt::If(branches, otherwise) => {
                for (condition, body) in branches {
                    if self.eval(condition, function, frame)?.is_true() {
                        return self.block(body, function, frame);
                    }
                }
                return self.block(otherwise, function, frame);
            }
            Stmt::For(target, over, body, pos) => {
                let over = self.eval(over, function, frame)?;
                return self.for_loop(target, &over, body, *pos, function, frame);
            }
            Stmt::While(condition, body, pos) => {
                while self.eval(condition, function, frame)?.is_true() {
                    self.spend(1, *pos)?;
                    match self.block(body, function, frame)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        flow @ Flow::Return(_) => return Ok(flow),
                    }
                }
            }
            Stmt::Return(None) => return Ok(Flow::Return(Val::None)),
            Stmt::Return(Some(value)) => {
                return Ok(Flow::Return(self.eval(value, function, frame)?));
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Pass => {}
            Stmt::Def(global, function) => frame[*global as usize] = Val::Function(*function),
        }
        Ok(Flow::Next)
    }

    fn for_loop(
        &mut self,
        target: &'p Target,
        over: &Val,
        body: &'p [Stmt],
        pos: Pos,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Flow> {
        let mut left = Flow::Next;
        self.iterate(over, pos, &mut |run, item| {
            run.assign(target, item, function, frame)?;
            match run.block(body, function, frame)? {
                Flow::Next | Flow::Continue => return Ok(true),
                Flow::Break => {}
                flow @ Flow::Return(_) => left = flow,
            }
            Ok(false)
        })?;
        Ok(left)
    }

    /// Calls `each` with every item, until it gives false.
    pub(super) fn iterate(
        &mut self,
        over: &Val,
        pos: Pos,
        each: &mut dyn FnMut(&mut Self, Val) -> Outcome<bool>,
    ) -> Outcome<()> {
        match over {
            Val::Tuple(items) => self.go_over(items.iter().cloned(), pos, each),
            Val::List(list) => {
                self.guarded(list, |run| run.go_over(list.get().iter().cloned(), pos, each))
            }
            Val::Dict(dict) => {
                self.guarded(dict, |run| run.go_over(dict.get().keys().cloned(), pos, each))
            }
            Val::Set(set) => {
                self.guarded(set, |run| run.go_over(set.get().iter().cloned(), pos, each))
            }
            Val::Str(text) => {
                let letters = text.chars().map(|c| Val::str(c.encode_utf8(&mut [0; 4])));
                self.go_over(letters, pos, each)
            }
            Val::Range(range) => {
                let (from, _, step) = **range;
                let len = super::value::range_len(range);
                let number = |i: u64| Val::Int(from.wrapping_add((i as i64).wrapping_mul(step)));
                self.go_over((0..len).map(number), pos, each)
            }
            other => fault(pos, format!("a {} has no elements to go over", other.kind())),
        }
    }

    /// Meanwhile the collection cannot be changed, so it can stay borrowed.
    fn guarded<T, R>(&mut self, shared: &Shared<T>, run: impl FnOnce(&mut Self) -> R) -> R {
        shared.enter_loop();
        let result = run(self);
        shared.leave_loop();
        result
    }

    fn go_over(
        &mut self,
        items: impl Iterator<Item = Val>,
        pos: Pos,
        each: &mut dyn FnMut(&mut Self, Val) -> Outcome<bool>,
    ) -> Outcome<()> {
        for item in items {
            self.spend(1, pos)?;
            if !each(self, item)? {
                break;
            }
        }
        Ok(())
    }

    /// All items.
    pub(super) fn items(&mut self, over: &Val, pos: Pos) -> Outcome<Vec<Val>> {
        let mut items = Vec::new();
        self.iterate(over, pos, &mut |_, item| {
            items.push(item);
            Ok(true)
        })?;
        Ok(items)
    }

    fn assign(
        &mut self,
        target: &'p Target,
        value: Val,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<()> {
        match target {
            Target::Name(slot) => frame[*slot as usize] = value,
            Target::Index(pair, pos) => {
                let of = self.eval(&pair.0, function, frame)?;
                let key = self.eval(&pair.1, function, frame)?;
                ops::set_item(&of, key, value).or_else(|message| fault(*pos, message))?;
            }
            Target::Several(targets, pos) => {
                let items = self.items(&value, *pos)?;
                if items.len() != targets.len() {
                    let (wanted, given) = (targets.len(), items.len());
                    return fault(*pos, format!("expected {wanted} values, not {given}"));
                }
                for (target, item) in targets.iter().zip(items) {
                    self.assign(target, item, function, frame)?;
                }
            }
        }
        Ok(())
    }

    fn update(
        &mut self,
        target: &'p Target,
        op: Op,
        value: &'p Expr,
        pos: Pos,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<()> {
        let value = self.eval(value, function, frame)?;
        match target {
            Target::Name(slot) => {
                let before = self.variable(*slot, pos, function, frame)?;
                frame[*slot as usize] = self.updated(before, op, value, pos)?;
            }
            Target::Index(pair, _) => {
                let of = self.eval(&pair.0, function, frame)?;
                let key = self.eval(&pair.1, function, frame)?;
                let before = ops::item(&of, &key).or_else(|message| fault(pos, message))?;
                let after = self.updated(before, op, value, pos)?;
                ops::set_item(&of, key, after).or_else(|message| fault(pos, message))?;
            }
            Target::Several(..) => {}
        }
        Ok(())
    }

    /// `list += more` changes the list, as in Python.
    fn updated(&mut self, before: Val, op: Op, value: Val, pos: Pos) -> Outcome<Val> {
        if let (Val::List(list), Op::Add) = (&before, op) {
            let more = self.items(&value, pos)?;
            list.change().or_else(|message| fault(pos, message))?.extend(more);
            return Ok(before);
        }
        self.binary(op, &before, &value, pos)
    }

    fn binary(&mut self, op: Op, a: &Val, b: &Val, pos: Pos) -> Outcome<Val> {
        self.spend(ops::cost(op, a, b), pos)?;
        ops::binary(op, a, b).or_else(|message| fault(pos, message))
    }

    /// The value of a name.
    #[inline]
    fn variable(&self, slot: u32, pos: Pos, function: &Function, frame: &Frame) -> Outcome<Val> {
        match &frame[slot as usize] {
            Val::Unset => self.outer(slot, pos, function),
            value => Ok(value.clone()),
        }
    }

    fn outer(&self, slot: u32, pos: Pos, function: &Function) -> Outcome<Val> {
        let value = match function.outer[slot as usize] {
            Outer::Builtin(builtin) => return Ok(Val::Builtin(builtin)),
            Outer::Global(global) => self.machine.globals[global as usize].clone(),
            Outer::Nothing => Val::Unset,
        };
        match value {
            Val::Unset => {
                let name = &function.names[slot as usize];
                fault(pos, format!("`{name}` has no value yet"))
            }
            value => Ok(value),
        }
    }

    fn eval(&mut self, expr: &'p Expr, function: &'p Function, frame: &mut Frame) -> Outcome<Val> {
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
