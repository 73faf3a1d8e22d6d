//! A script as a model.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use linpoint::spec::Run;
use linpoint::wire::Value;

use crate::convert::{fits_val, to_val, to_value};
use crate::lang::{
    Fault, Machine, Outcome, Program, ScriptError, Val, fault, parse, state as bytes,
};
use crate::model::Introduction;
use crate::op::{CustomOp, Key};
use crate::relation::{Arg, Failure, Relation, State, Template};

/// A script that was read.
#[derive(Clone)]
pub(crate) struct Script {
    text: Arc<Text>,
    program: Arc<Program>,
    options: Arc<[(String, Value)]>,
    functions: Functions,
    /// The machines of threads belong to it.
    number: u64,
}

struct Text {
    file: String,
    source: String,
}

/// The functions of a model, by their numbers.
#[derive(Clone, Copy, Default)]
struct Functions {
    init: Option<u32>,
    step: u32,
    /// True if it has a fourth parameter: who calls.
    with_process: bool,
    key: Option<u32>,
    is_read: Option<u32>,
    describe: Option<u32>,
    ops: Option<u32>,
    /// True if it has a second parameter: who calls.
    ops_with_process: bool,
}

/// A machine, and which script it runs.
struct Owned {
    script: u64,
    machine: Machine,
    buffer: Vec<u8>,
    /// The names of operations that were met, as values.
    names: Vec<(&'static str, Val)>,
}

/// Machines of different scripts that a thread keeps.
const MACHINES: usize = 4;

thread_local! {
    /// Values of scripts stay on their thread. The last one was used last.
    static OWNED: RefCell<Vec<Owned>> = const { RefCell::new(Vec::new()) };
}

/// Longest result or state in a message.
const LONGEST: usize = 200;

impl Script {
    /// Reads a script.
    pub(crate) fn read(
        file: &str,
        source: &str,
        options: &[(String, Value)],
    ) -> Result<(Script, Introduction), ScriptError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let text = Arc::new(Text { file: file.to_owned(), source: source.to_owned() });
        let located = |fault: Box<Fault>| ScriptError::new(file, source, &fault);
        if source.len() > u32::MAX as usize / 2 {
            return Err(ScriptError::of_file(file, "the script is too long"));
        }
        let program = parse(source).map_err(located)?;
        let mut script = Script {
            text,
            program: Arc::new(program),
            options: options.into(),
            functions: Functions::default(),
            number: NUMBER.fetch_add(1, Relaxed),
        };
        let machine = script.machine().map_err(located)?;
        script.functions = script
            .functions(&machine)
            .map_err(|(name, message)| script.error_at_global(name, message))?;
        let introduction = script.introduction(&machine)?;
        Ok((script, introduction))
    }

    /// An error at the place where a global name is defined.
    pub(crate) fn error_at_global(&self, name: &str, message: String) -> ScriptError {
        let Text { file, source } = &*self.text;
        let starts = |line: &str| {
            let rest = line.strip_prefix("def ").unwrap_or(line).trim_start();
            rest.strip_prefix(name)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        let mut at = 0;
        for line in source.split_inclusive('\n') {
            if starts(line) {
                let pos = crate::lang::Pos(at as u32);
                return ScriptError::new(file, source, &Fault { pos, message });
            }
            at += line.len();
        }
        ScriptError::of_file(file, message)
    }

    fn machine(&self) -> Outcome<Machine> {
        let options: Vec<(String, Val)> =
            self.options.iter().map(|(name, value)| (name.clone(), to_val(value))).collect();
        Machine::new(&self.program, &options)
    }

    /// The functions of the model, or which name is wrong and why.
    fn functions(&self, machine: &Machine) -> Result<Functions, (&'static str, String)> {
        let function =
            |name: &'static str, params: std::ops::RangeInclusive<usize>, form: &str| match machine
                .global(&self.program, name)
            {
                Some(Val::Function(function)) => {
                    let (given, _) = self.program.signature(function).unwrap_or_default();
                    match params.contains(&given) {
                        true => Ok(Some((function, given))),
                        false => Err((name, format!("define it as {form}"))),
                    }
                }
                _ => Ok(None),
            };
        let only = |found: Option<(u32, usize)>| found.map(|(function, _)| function);
        let missing =
            |name: &'static str, form: &str| (name, format!("the script must define {form}"));
        let init = only(function("init", 0..=0, "init()")?);
        if init.is_none() && machine.global(&self.program, "init").is_none() {
            return Err(missing(
                "init",
                "init(), which gives the state before the first operation",
            ));
        }
        let form = "step(state, op, args) or step(state, op, args, process)";
        let (step, params) = function("step", 3..=4, form)?
            .ok_or_else(|| missing("step", "step(state, op, args), which performs an operation"))?;
        let ops = function("ops", 1..=2, "ops(state) or ops(state, process)")?;
        Ok(Functions {
            init,
            step,
            with_process: params == 4,
            key: only(function("key", 2..=2, "key(op, args)")?),
            is_read: only(function("is_read", 2..=2, "is_read(op, args)")?),
            describe: only(function("describe", 1..=1, "describe(state)")?),
            ops: only(ops),
            ops_with_process: ops.is_some_and(|(_, params)| params == 2),
        })
    }

    fn introduction(&self, machine: &Machine) -> Result<Introduction, ScriptError> {
        let global = |name: &str| machine.global(&self.program, name);
        let wrong = |name: &str, message: String| self.error_at_global(name, message);
        let mut options = Vec::new();
        match global("options") {
            None => {}
            Some(Val::Dict(known)) => {
                for (name, value) in known.get().iter() {
                    let value = to_value(value).map_err(|message| wrong("options", message))?;
                    options.push((name.to_text(), value));
                }
            }
            Some(_) => return Err(wrong("options", "the options must be a dict".into())),
        }
        let shape = global("shape").map(|shape| to_value(&shape)).transpose();
        let about = match global("about") {
            Some(Val::Str(about)) => about.to_string(),
            _ => "a model in a script".to_owned(),
        };
        Ok(Introduction {
            about,
            options,
            shape: shape.map_err(|message| wrong("shape", message))?,
            one_key: global("one_key").is_some_and(|one_key| one_key.is_true()),
            likely_names: self.program.strings().map(str::to_owned).collect(),
            relation: Box::new(self.clone()),
        })
    }

    /// Works with the machine of this thread.
    fn with<T>(&self, work: impl FnOnce(&mut Owned) -> Outcome<T>) -> Outcome<T> {
        OWNED.with(|owned| {
            // Nothing else can have it: scripts do not call models.
            let Ok(mut owned) = owned.try_borrow_mut() else {
                return fault(Default::default(), "the script is running already");
            };
            match owned.iter().rposition(|owned| owned.script == self.number) {
                Some(at) if at + 1 == owned.len() => {}
                Some(at) => owned[at..].rotate_left(1),
                None => {
                    if owned.len() >= MACHINES {
                        owned.remove(0);
                    }
                    let machine = self.machine()?;
                    let (buffer, names) = (Vec::new(), Vec::new());
                    owned.push(Owned { script: self.number, machine, buffer, names });
                }
            }
            match owned.last_mut() {
                Some(last) => work(last),
                None => fault(Default::default(), "the script is gone"),
            }
        })
    }

    /// The message of a failure: the place, and what the script was asked.
    fn located(&self, fault: &Fault, about: impl FnOnce() -> String) -> Failure {
        let Text { file, source } = &*self.text;
        let error = ScriptError::new(file, source, fault);
        let about = about();
        match about.is_empty() {
            true => error.to_string(),
            false => format!("{error}\n  in {about}"),
        }
    }

    fn in_step(&self, fault: &Fault, state: &State, op: &CustomOp) -> Failure {
        self.located(fault, || {
            let state = short(bytes::read(state).repr());
            format!("{} in state {state}", short(in_words(op)))
        })
    }

    /// Calls `step`.
    fn step(&self, owned: &mut Owned, state: Val, op: &CustomOp) -> Outcome<Val> {
        let name = match owned.names.iter().find(|(name, _)| std::ptr::eq(*name, op.name)) {
            Some((_, value)) => value.clone(),
            None => {
                let value = Val::str(op.name);
                owned.names.push((op.name, value.clone()));
                value
            }
        };
        let args = Val::list(op.args.iter().map(to_val).collect());
        let process = || op.process.map_or(Val::None, |process| Val::Int(process.into()));
        let process = self.functions.with_process.then(process);
        let given = [state, name, args].into_iter().chain(process);
        owned.machine.call(&self.program, self.functions.step, given)
    }

    /// Calls `each` with every outcome: a result and a state.
    fn each_outcome(
        &self,
        outcome: &Val,
        each: &mut dyn FnMut(&Val, &Val) -> Result<(), String>,
    ) -> Outcome<()> {
        let pos = self.program.signature(self.functions.step).unwrap_or_default().1;
        let wrong = |value: &Val| {
            let given = short(value.repr());
            let expected = "a result and a state, a list of such pairs, or None";
            fault(pos, format!("step must return {expected}, not {given}"))
        };
        let pair = |value: &Val, each: &mut dyn FnMut(&Val, &Val) -> Result<(), String>| match value
        {
            Val::Tuple(items) => match &**items {
                [ret, state] => each(ret, state).or_else(|message| fault(pos, message)),
                _ => wrong(value),
            },
            _ => wrong(value),
        };
        match outcome {
            Val::None => Ok(()),
            Val::List(list) => list.get().iter().try_for_each(|item| pair(item, each)),
            other => pair(other, each),
        }
    }

    /// Calls a function of the model that is about an operation.
    fn ask_about(&self, function: u32, op: &CustomOp) -> Outcome<Val> {
        self.with(|owned| {
            let args = Val::list(op.args.iter().map(to_val).collect());
            owned.machine.call(&self.program, function, [Val::str(op.name), args])
        })
    }

    fn first_state(&self, owned: &mut Owned) -> Outcome<Val> {
        let value = match self.functions.init {
            Some(init) => owned.machine.call(&self.program, init, [])?,
            None => owned.machine.global(&self.program, "init").unwrap_or(Val::None),
        };
        self.own(value, &mut owned.buffer)
    }

    /// The state as a step gets it. It is copied if it may share collections with itself or with global variables: a
    /// state is a value.
    fn own(&self, state: Val, buffer: &mut Vec<u8>) -> Outcome<Val> {
        match state.is_on_its_own() {
            true => Ok(state),
            false => self.encoded(&state, buffer).map(|state| bytes::read(&state)),
        }
    }

    fn encoded(&self, state: &Val, buffer: &mut Vec<u8>) -> Outcome<State> {
        buffer.clear();
        match bytes::write(state, buffer) {
            Ok(()) => Ok(buffer.as_slice().into()),
            Err(message) => {
                fault(self.program.signature(self.functions.step).unwrap_or_default().1, message)
            }
        }
    }
}

fn short(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

fn in_words(op: &CustomOp) -> String {
    let args: Vec<String> = op.args.iter().map(Value::to_string).collect();
    format!("{}({})", op.name, args.join(", "))
}

impl Relation for Script {
    fn initial(&self) -> Result<State, Failure> {
        let state = self.with(|owned| {
            let state = self.first_state(owned)?;
            self.encoded(&state, &mut owned.buffer)
        });
        state.map_err(|fault| self.located(&fault, String::new))
    }

    fn successors(
        &self,
        state: &State,
        op: &CustomOp,
        ret: Option<&Value>,
        next: &mut Vec<State>,
    ) -> Result<(), Failure> {
        let done = self.with(|owned| {
            let outcome = self.step(owned, bytes::read(state), op)?;
            let buffer = &mut owned.buffer;
            self.each_outcome(&outcome, &mut |exact, after| {
                if ret.is_none_or(|ret| fits_val(exact, ret)) {
                    buffer.clear();
                    bytes::write(after, buffer)?;
                    next.push(buffer.as_slice().into());
                }
                Ok(())
            })
        });
        done.map_err(|fault| self.in_step(&fault, state, op))
    }

    fn outcomes(
        &self,
        state: &State,
        op: &CustomOp,
        out: &mut Vec<(Value, State)>,
    ) -> Result<(), Failure> {
        let done = self.with(|owned| {
            let outcome = self.step(owned, bytes::read(state), op)?;
            let buffer = &mut owned.buffer;
            self.each_outcome(&outcome, &mut |exact, after| {
                buffer.clear();
                bytes::write(after, buffer)?;
                out.push((to_value(exact)?, buffer.as_slice().into()));
                Ok(())
            })
        });
        done.map_err(|fault| self.in_step(&fault, state, op))
    }

    /// In place, as long as there is one outcome that fits: the state is not copied between two operations.
    fn replay(
        &self,
        run: Run<'_, '_, CustomOp, Value>,
        fits_any: &dyn Fn(&CustomOp, &Value) -> bool,
    ) -> Option<Result<Result<(), usize>, Failure>> {
        let mut last = None;
        let mut is_ambiguous = false;
        let replayed = self.with(|owned| {
            let mut state = self.first_state(owned)?;
            for (at, (op, ret)) in run.enumerate() {
                last = Some(op);
                let ret = ret.filter(|ret| !fits_any(op, ret));
                let outcome = self.step(owned, state, op)?;
                let mut next = None;
                self.each_outcome(&outcome, &mut |exact, after| {
                    if ret.is_none_or(|ret| fits_val(exact, ret)) {
                        is_ambiguous |= next.replace(after.clone()).is_some();
                    }
                    Ok(())
                })?;
                match next {
                    Some(after) if !is_ambiguous => state = self.own(after, &mut owned.buffer)?,
                    _ => return Ok(Err(at)),
                }
            }
            Ok(Ok(()))
        });
        match replayed {
            // Several states may follow: step by step, then.
            Ok(Err(_)) if is_ambiguous => None,
            Ok(replayed) => Some(Ok(replayed)),
            Err(fault) => {
                Some(Err(self.located(&fault, || last.map(in_words).unwrap_or_default())))
            }
        }
    }

    fn describe(&self, state: &State) -> String {
        let value = bytes::read(state);
        let Some(describe) = self.functions.describe else { return short(value.repr()) };
        let told = self.with(|owned| owned.machine.call(&self.program, describe, [value]));
        match told {
            Ok(text) => text.to_text(),
            Err(fault) => format!("(describe failed: {})", fault.message),
        }
    }

    fn wants_process(&self) -> bool {
        self.functions.with_process
    }

    fn about(&self, op: &CustomOp) -> Result<(Key, bool), Failure> {
        let failed = |fault: Box<Fault>| self.located(&fault, || in_words(op));
        let key = match self.functions.key {
            None => Key::Whole,
            Some(function) => {
                let key = self.ask_about(function, op).map_err(failed)?;
                let value = |key: &Val| {
                    to_value(key).map_err(|message| {
                        self.located(&Fault { pos: Default::default(), message }, String::new)
                    })
                };
                match &key {
                    Val::None => Key::Whole,
                    Val::List(keys) => {
                        Key::Several(keys.get().iter().map(value).collect::<Result<_, Failure>>()?)
                    }
                    only => Key::One(value(only)?),
                }
            }
        };
        let is_read = match self.functions.is_read {
            None => false,
            Some(function) => self.ask_about(function, op).map_err(failed)?.is_true(),
        };
        Ok((key, is_read))
    }

    fn ops(&self, state: &State, process: u32) -> Option<Result<Vec<Template>, Failure>> {
        let found = self.with(|owned| {
            let ops = match self.functions.ops {
                Some(function) => {
                    let process =
                        self.functions.ops_with_process.then_some(Val::Int(process.into()));
                    let given = [bytes::read(state)].into_iter().chain(process);
                    owned.machine.call(&self.program, function, given)?
                }
                None => match owned.machine.global(&self.program, "ops") {
                    Some(ops) => ops,
                    None => return Ok(None),
                },
            };
            let pos = match self.functions.ops {
                Some(function) => self.program.signature(function).unwrap_or_default().1,
                None => Default::default(),
            };
            templates(&ops).map(Some).or_else(|message| fault(pos, message))
        });
        found.map_err(|fault| self.located(&fault, String::new)).transpose()
    }
}

/// `[("put", KEY, VALUE), ("get", KEY)]`.
fn templates(ops: &Val) -> Result<Vec<Template>, String> {
    let form = "ops must be a list of operations with their arguments: [(\"put\", KEY, VALUE), (\"get\", KEY)]";
    let Val::List(list) = ops else { return Err(form.to_owned()) };
    let one = |op: &Val| match op {
        Val::Tuple(parts) => match &**parts {
            [Val::Str(name), args @ ..] => Ok(Template {
                name: name.to_string(),
                args: args.iter().map(arg).collect::<Result<_, String>>()?,
            }),
            _ => Err(form.to_owned()),
        },
        Val::Str(name) => Ok(Template { name: name.to_string(), args: Vec::new() }),
        _ => Err(form.to_owned()),
    };
    list.get().iter().map(one).collect()
}

fn arg(val: &Val) -> Result<Arg, String> {
    Ok(match val.placeholder() {
        Some("KEY") => Arg::Key,
        Some("VALUE") => Arg::Value,
        Some("AMOUNT") => Arg::Amount,
        Some(_) => Arg::Process,
        None => Arg::Fixed(to_value(val)?),
    })
}
