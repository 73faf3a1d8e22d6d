//! Evaluates the tree.
//!
//! Everything is bounded: each call of a script has a limit on its ticks (a statement, a call, an element that is copied)
//! and on its depth. A script can ask for nothing that changes from one call to the next.

use smallvec::SmallVec;

use super::ast::{Expr, Function, Literal, Op, Outer, Program, Stmt, Target};
use super::builtins::{self, Arguments};
use super::fault::{Outcome, Pos, fault};
use super::ops;
use super::value::{Shared, Val};

mod expressions;
mod statements;

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
                    // Others are reported by the caller, who knows all of them.
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
}
