//! The specification of a model that a user wrote.

use std::cmp::Ordering;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use linpoint::history::History;
use linpoint::spec::{
    Claims, Footprint, Mention, Name, Role, Run, Shape, Shaped, Slot, Spec, Traces,
};
use linpoint::wire::{
    Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, Part, ToValue,
    ToWire, Value,
};

use crate::convert::fits;
use crate::declared::Shaping;
use crate::lang::ScriptError;
use crate::op::{CustomOp, Key, Names};
use crate::process::{self, ProcessLimits};
use crate::relation::{Arg, Relation, State, Template};
use crate::script::Script;

/// A model that a user wrote. Cheap to clone.
#[derive(Clone)]
pub struct CustomModel {
    inner: Arc<Inner>,
}

struct Inner {
    name: &'static str,
    about: &'static str,
    /// The names of the options and their values, those that were not given too.
    options: Vec<(&'static str, Value)>,
    given: Vec<(&'static str, Value)>,
    relation: Box<dyn Relation>,
    names: Names,
    shaping: Option<Shaping>,
    /// Every operation is about one key.
    one_key: bool,
    /// The first thing that went wrong.
    failure: Mutex<Option<Failed>>,
}

/// What went wrong while a model was asked something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed(pub String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

/// What a model says about itself when it is made.
pub(crate) struct Introduction {
    pub(crate) about: String,
    pub(crate) options: Vec<(String, Value)>,
    pub(crate) shape: Option<Value>,
    /// Every operation is about one key.
    pub(crate) one_key: bool,
    pub(crate) likely_names: Vec<String>,
    pub(crate) relation: Box<dyn Relation>,
}

/// Text that lives as long as the program: a few names for each model.
fn leak(text: &str) -> &'static str {
    Box::leak(text.into())
}

impl CustomModel {
    /// The model in a script. `options` replace entries of its dict `options`.
    ///
    /// # Errors
    ///
    /// What is wrong with the script, and where.
    pub fn script(path: &Path, options: &[(String, Value)]) -> Result<CustomModel, ScriptError> {
        let file = path.display().to_string();
        let read = std::fs::read_to_string(path);
        let text = read.map_err(|error| ScriptError::of_file(&file, error.to_string()))?;
        CustomModel::script_of(&file, &text, options)
    }

    /// The model in a script that has been read.
    ///
    /// # Errors
    ///
    /// What is wrong with the script, and where.
    pub fn script_of(
        file: &str,
        text: &str,
        options: &[(String, Value)],
    ) -> Result<CustomModel, ScriptError> {
        let (script, introduction) = Script::read(file, text, options)?;
        CustomModel::introduced(file, introduction, options)
            .map_err(|(name, message)| script.error_at_global(name, message))
    }

    /// The model that a program answers for. The command is split at spaces; parts in quotes stay together.
    ///
    /// # Errors
    ///
    /// The program cannot be started, or does not introduce itself.
    pub fn command(
        command: &str,
        options: &[(String, Value)],
        limits: ProcessLimits,
    ) -> Result<CustomModel, Failed> {
        let introduction = process::start(command, options, limits).map_err(Failed)?;
        CustomModel::introduced(command, introduction, options)
            .map_err(|(_, message)| Failed(format!("the model {command:?}: {message}")))
    }

    fn introduced(
        name: &str,
        introduction: Introduction,
        given: &[(String, Value)],
    ) -> Result<CustomModel, (&'static str, String)> {
        let Introduction { about, options, shape, one_key, likely_names, relation } = introduction;
        if let Some((name, _)) =
            given.iter().find(|(name, _)| options.iter().all(|(known, _)| known != name))
        {
            let known: Vec<&str> = options.iter().map(|(name, _)| name.as_str()).collect();
            let message = match known.is_empty() {
                true => format!("the model has no options, so not {name:?} either"),
                false => format!(
                    "the model has no option {name:?}; its options are: {}",
                    known.join(", ")
                ),
            };
            return Err(("options", message));
        }
        let names = Names::new(likely_names.iter().map(String::as_str));
        let shaping = match &shape {
            None | Some(Value::Nil) => None,
            Some(shape) => {
                let read = Shaping::read(shape, |name| names.get(name));
                Some(read.map_err(|message| ("shape", message))?)
            }
        };
        let leaked = |options: &[(String, Value)]| {
            options.iter().map(|(name, value)| (leak(name), value.clone())).collect()
        };
        Ok(CustomModel {
            inner: Arc::new(Inner {
                name: leak(name),
                about: leak(&about),
                options: leaked(&options),
                given: leaked(given),
                relation,
                names,
                shaping,
                one_key,
                failure: Mutex::default(),
            }),
        })
    }

    /// How it is listed.
    pub fn info(&self) -> ModelInfo {
        let Inner { name, about, .. } = *self.inner;
        let option = |(name, value): &(&str, Value)| leak(&format!("{name}={value}"));
        let options: Vec<&'static str> = self.inner.options.iter().map(option).collect();
        ModelInfo { name, about, operations: &[], options: options.leak() }
    }

    /// What went wrong, if something did. Then no verdict can be trusted.
    pub fn failure(&self) -> Option<Failed> {
        self.inner.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// True if it says what can be called, so that histories can be generated.
    pub fn can_draw(&self) -> bool {
        self.relation().ops(&self.initial(), 0).is_some()
    }

    /// What it is, in a line.
    pub fn about(&self) -> &'static str {
        self.inner.about
    }

    pub(crate) fn relation(&self) -> &dyn Relation {
        &*self.inner.relation
    }

    fn shaping(&self) -> Option<&Shaping> {
        self.inner.shaping.as_ref()
    }

    /// Takes note of a failure; from then on, there are no more answers.
    pub(crate) fn noted<T>(&self, answer: Result<T, String>) -> Option<T> {
        answer
            .map_err(|message| {
                let mut failure = self.inner.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(Failed(message));
            })
            .ok()
    }

    /// An operation by its name and arguments.
    pub(crate) fn op(&self, call: &NamedCall<'_>) -> Result<CustomOp, Mismatch> {
        let bad = |part, message: String| Mismatch::Wrong { part, message };
        let too_many = || bad(Part::Name, "there are too many different operations".to_owned());
        let name = self.inner.names.get(call.name).ok_or_else(too_many)?;
        if let Some(shaping) = self.shaping() {
            shaping.meet(name);
        }
        let process = call.process.filter(|_| self.relation().wants_process());
        let (key, is_read) = (Key::Whole, false);
        let mut op = CustomOp { name, args: call.args.into(), process, key, is_read };
        (op.key, op.is_read) =
            self.relation().about(&op).map_err(|message| bad(Part::Name, message))?;
        Ok(op)
    }

    /// What may be called in a state.
    pub(crate) fn templates(&self, state: &State, process: u32) -> Option<Vec<Template>> {
        self.noted(self.relation().ops(state, process)?)
    }
}

/// Two models are equal if they were made of the same text with the same options; not being sure is no harm.
impl PartialEq for CustomModel {
    fn eq(&self, other: &CustomModel) -> bool {
        let same = |a: &Inner, b: &Inner| a.name == b.name && a.given == b.given;
        Arc::ptr_eq(&self.inner, &other.inner) || same(&self.inner, &other.inner)
    }
}

impl fmt::Debug for CustomModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.inner.name)
    }
}

impl Spec for CustomModel {
    type Op = CustomOp;
    type Ret = Value;
    type State = State;

    fn initial(&self) -> State {
        self.noted(self.relation().initial()).unwrap_or_default()
    }

    fn successors(&self, state: &State, op: &CustomOp, ret: Option<&Value>, next: &mut Vec<State>) {
        let ret = ret.filter(|ret| !self.fits_any(op, ret));
        self.noted(self.relation().successors(state, op, ret, next));
    }

    fn outcomes(&self, state: &State, op: &CustomOp, out: &mut Vec<(Value, State)>) -> bool {
        self.noted(self.relation().outcomes(state, op, out));
        true
    }

    fn fits(&self, op: &CustomOp, exact: &Value, recorded: &Value) -> bool {
        self.fits_any(op, recorded) || fits(exact, recorded)
    }

    fn footprint(&self, op: &CustomOp) -> Footprint {
        match &op.key {
            Key::Whole => Footprint::Whole,
            Key::One(key) => Footprint::key(key),
            Key::Several(keys) => Footprint::keys(keys.iter()),
        }
    }

    fn is_read(&self, op: &CustomOp, _ret: Option<&Value>) -> bool {
        op.is_read
    }

    fn shaped(&self) -> Option<&dyn Shaped<CustomOp, Value>> {
        self.shaping().map(|_| self as _)
    }

    fn claims(&self) -> Option<&dyn Claims<CustomOp, Value>> {
        // Those of a shape say more.
        self.shaping().is_none().then_some(self)
    }

    fn replay(&self, run: Run<'_, '_, CustomOp, Value>) -> Option<Result<(), usize>> {
        let fits_any = |op: &CustomOp, ret: &Value| self.fits_any(op, ret);
        let replayed = self.relation().replay(run, &fits_any)?;
        // The caller looks for a failure anyway.
        Some(self.noted(replayed).unwrap_or(Ok(())))
    }

    fn wire(&self) -> Option<&dyn ToWire<CustomOp, Value>> {
        Some(self)
    }

    fn describe_op(&self, op: &CustomOp) -> String {
        let args: Vec<String> = op.args.iter().map(Value::to_string).collect();
        let by = op.process.map(|process| format!(" by {process}")).unwrap_or_default();
        format!("{}({}){by}", op.name, args.join(", "))
    }

    fn describe_state(&self, state: &State) -> String {
        self.relation().describe(state)
    }

    fn state_bytes(&self, state: &State) -> usize {
        size_of::<State>() + state.len()
    }
}

impl CustomModel {
    /// True if the result says only that the operation is done, and the operation can do nothing else.
    fn fits_any(&self, op: &CustomOp, ret: &Value) -> bool {
        let is_done = match ret {
            Value::Nil => true,
            Value::Str(text) => &**text == "ok",
            _ => false,
        };
        is_done && self.shaping().is_some_and(|shaping| shaping.only_says_done(op.name))
    }
}

type Mentioned<'a> = Mention<'a, CustomOp, Value>;

/// What a place mentions.
fn mentioned<'a>(shaping: &Shaping, mention: Mentioned<'a>) -> Option<&'a Value> {
    match mention.slot {
        Slot::Source => shaping.source(mention.op),
        Slot::Key => match &mention.op.key {
            Key::One(key) => Some(key),
            _ => None,
        },
        _ => shaping.value(mention.op, mention.ret),
    }
}

impl Shaped<CustomOp, Value> for CustomModel {
    fn shape(&self) -> Shape {
        self.shaping().map_or(Shape::Opaque, Shaping::shape)
    }

    fn is_complete(&self) -> bool {
        self.shaping().is_some_and(Shaping::is_complete)
    }

    fn role(&self, op: &CustomOp, ret: Option<&Value>, pending: bool) -> Role {
        match self.shaping() {
            Some(shaping) => shaping.role(op, ret, pending),
            None => Role::Foreign("the object has no shape"),
        }
    }

    fn key(&self, op: &CustomOp) -> Option<Name> {
        match &op.key {
            Key::One(key) => Some(Name::of(key)),
            _ => None,
        }
    }

    fn same_name(&self, a: Mentioned<'_>, b: Mentioned<'_>) -> bool {
        self.shaping().is_some_and(|shaping| mentioned(shaping, a) == mentioned(shaping, b))
    }

    fn is_initial(&self, mention: Mentioned<'_>) -> bool {
        let is_initial = |shaping: &Shaping| mentioned(shaping, mention) == Some(shaping.initial());
        self.shaping().is_some_and(is_initial)
    }

    fn compare(&self, a: Mentioned<'_>, b: Mentioned<'_>) -> Ordering {
        let Some(shaping) = self.shaping() else { return Ordering::Equal };
        let order = mentioned(shaping, a).cmp(&mentioned(shaping, b));
        if shaping.largest_first() { order } else { order.reverse() }
    }
}

impl Claims<CustomOp, Value> for CustomModel {
    fn leaves(&self, op: &CustomOp) -> Traces {
        if op.is_read { Traces::none() } else { Traces::Any }
    }
}

impl ToWire<CustomOp, Value> for CustomModel {
    fn name(&self) -> &'static str {
        self.inner.name
    }

    fn options(&self) -> Option<Vec<(&'static str, Value)>> {
        Some(self.inner.given.clone())
    }

    fn op<'a>(&self, op: &'a CustomOp) -> (&'static str, Args<'a>) {
        let held = |value: &'a Value| linpoint::wire::Arg::Held(value as &dyn ToValue);
        (op.name, op.args.iter().map(held).collect())
    }

    fn ret(&self, _op: &CustomOp, ret: &Value) -> Option<Value> {
        Some(ret.clone())
    }
}

impl FromWire for CustomModel {
    /// Not listed: what a model is called is known when it is loaded, see [`CustomModel::info`].
    const INFO: ModelInfo =
        ModelInfo { name: "custom", about: "a model of your own", operations: &[], options: &[] };

    const ONE_KEY: bool = false;

    fn from_options(_options: &mut Options<'_>) -> Result<Self, BadOption> {
        Err("a model of your own is made of a script or a command".to_owned().into())
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<CustomOp, Mismatch> {
        self.op(call)
    }

    fn read_ret(&self, _op: &CustomOp, value: &Value) -> Result<Value, Mismatch> {
        Ok(value.clone())
    }

    fn only_ret(&self, op: &CustomOp) -> Option<Value> {
        let shaping = self.shaping()?;
        shaping.only_says_done(op.name).then_some(Value::Nil)
    }

    fn one_key(&self) -> bool {
        self.inner.one_key
    }

    fn failure(&self) -> Option<String> {
        CustomModel::failure(self).map(|failed| failed.0)
    }

    fn foresee(&self, history: &History<CustomOp, Value>) {
        if !self.relation().looks_ahead() {
            return;
        }
        let mut ids: Vec<_> = history.timeline().ids().collect();
        ids.sort_by_key(|id| history.span(*id).ret);
        self.relation().foresee(&mut ids.into_iter().map(|id| (history.op(id), history.ret(id))));
    }

    fn draw(&self, state: &State, chance: &mut dyn Chance) -> Option<CustomOp> {
        let process = chance.process();
        let templates = self.templates(state, process)?;
        if templates.is_empty() {
            return None;
        }
        let template = &templates[chance.below(templates.len() as u64) as usize];
        let args: Vec<Value> = template.args.iter().map(|arg| filled(arg, chance)).collect();
        self.op(&NamedCall { name: &template.name, args: &args, process: Some(process) }).ok()
    }

    fn impossible(&self, op: &CustomOp, ret: &Value, never: &Value) -> Option<Value> {
        let is_certain = self.only_ret(op).is_none() && ret != never;
        is_certain.then(|| never.clone())
    }
}

fn filled(arg: &Arg, chance: &mut dyn Chance) -> Value {
    match arg {
        Arg::Fixed(value) => value.clone(),
        Arg::Key => chance.key(),
        Arg::Value => chance.value(),
        Arg::Amount => Value::Int(chance.amount()),
        Arg::Process => Value::Int(chance.process().into()),
    }
}
