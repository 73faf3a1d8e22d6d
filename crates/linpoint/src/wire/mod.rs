//! Bundled models on the wire: operations as names and values, in both directions.
//!
//! A file, a recorder or a generator knows an operation as a name with arguments ([`NamedCall`]) and a result as a
//! [`Value`]. Each bundled model describes once, beside its specification, how these relate to its own types:
//!
//! * [`ToWire`] writes: the recorder and explanations use it. It works for models of any values.
//! * [`FromWire`] reads, and draws operations for generated histories. It works for models of [`Value`]s.
//!
//! [`for_each_model`](crate::spec::models::for_each_model) lists the models.

mod arg;
mod options;
mod read;
#[cfg(feature = "serde")]
mod serde;
mod thin;
mod value;
mod write;

pub use arg::{Arg, Args, ToValue, args};
pub use options::{BadOption, Fault, Options};
pub use read::{
    Mismatch, NamedCall, Part, added, bad_arg, bad_ret, bool_ret, done, element, int_arg, int_ret,
    known, maybe, none, one, three, two,
};
pub use thin::Thin;
pub use value::Value;
pub use write::{list, object, value_or_nil, value_or_unknown};

use std::fmt::Write;

use crate::history::History;
use crate::spec::Spec;

/// The option of registers.
pub const INITIAL: &str = "initial=VALUE: the value before the first operation (null)";
/// The option of containers with a bound.
pub const CAPACITY: &str =
    "capacity=N: holds at most N values; adding to a full one returns \"full\"";

/// A bundled model, as users name it.
#[derive(Clone, Copy, Debug)]
pub struct ModelInfo {
    /// The name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Its operations with their arguments and results: `dequeue() -> value or null`.
    pub operations: &'static [&'static str],
    /// Its options: `capacity=N: holds at most N values`.
    pub options: &'static [&'static str],
}

/// A model that names its operations. Values of types that the wire does not have make the answer `None`; `describe`
/// works for all.
pub trait ToWire<O, R> {
    /// The name of the model.
    fn name(&self) -> &'static str;

    /// The options of the model, as far as they differ from the defaults.
    fn options(&self) -> Option<Vec<(&'static str, Value)>> {
        Some(Vec::new())
    }

    /// The name of an operation, and its arguments.
    fn op<'a>(&self, op: &'a O) -> (&'static str, Args<'a>);

    /// A result.
    fn ret(&self, op: &O, ret: &R) -> Option<Value>;
}

/// An operation as text: `enqueue(5)`.
pub(crate) fn describe<O, R>(model: &dyn ToWire<O, R>, op: &O) -> String {
    let (name, args) = model.op(op);
    let mut text = format!("{name}(");
    for (i, arg) in args.iter().enumerate() {
        text.push_str(if i == 0 { "" } else { ", " });
        // Writing to a string cannot fail.
        let _ = match arg {
            Arg::Held(value) => write!(text, "{value:?}"),
            other => write!(text, "{other:?}"),
        };
    }
    text.push(')');
    text
}

/// A model that can be read from files.
pub trait FromWire: Spec + Clone + PartialEq + Send + Sync + 'static {
    /// How users name it.
    const INFO: ModelInfo;

    /// False if operations may be about several keys, so that a stream cannot be checked key by key.
    const ONE_KEY: bool = true;

    /// True if operations have keys, drawn from [`Chance::key`].
    const HAS_KEYS: bool = false;

    /// The model with these options.
    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption>;

    /// The operation that a name and arguments stand for.
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch>;

    /// The result that a value stands for.
    fn read_ret(&self, op: &Self::Op, value: &Value) -> Result<Self::Ret, Mismatch>;

    /// True if results of the operation are large and share what they hold, so that equal ones are worth storing once.
    /// They depend on the value alone.
    fn shares_result(&self, _op: &Self::Op) -> bool {
        false
    }

    /// The result of an operation that can have only one. It need not be recorded.
    fn only_ret(&self, _op: &Self::Op) -> Option<Self::Ret> {
        None
    }

    /// True if both allow the same histories, as far as they have the same operations.
    fn is_alike(&self, other: &Self) -> bool {
        self == other
    }

    /// Options that the model requires and a generated history fills in.
    fn default_options(_sizes: Sizes) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// True if a stream can be checked key by key, see [`FromWire::ONE_KEY`].
    fn one_key(&self) -> bool {
        Self::ONE_KEY
    }

    /// What went wrong, for models that can fail: scripts, and programs that answer questions. They go on without
    /// outcomes, and nothing that was found out with them is valid.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Called with a history that is going to be checked. A model that is slow to answer can prepare its answers.
    fn foresee(&self, _history: &History<Self::Op, Self::Ret>) {}

    /// What a process might call next, for generated histories. `state` is the state of the object now. `None` if
    /// histories of this model cannot be generated this way.
    fn draw(&self, _state: &Self::State, _chance: &mut dyn Chance) -> Option<Self::Op> {
        None
    }

    /// Performs an operation. Chooses if there are several outcomes; `None` if the operation has to wait. Override it
    /// where states are large, to change them in place.
    fn perform(
        &self,
        state: &mut Self::State,
        op: &Self::Op,
        chance: &mut dyn Chance,
    ) -> Option<Self::Ret> {
        let mut outcomes = Vec::new();
        self.outcomes(state, op, &mut outcomes);
        let most = outcomes.len() as u64;
        let chosen = if most > 1 { chance.below(most) as usize } else { 0 };
        let (ret, after) = outcomes.into_iter().nth(chosen)?;
        *state = after;
        Some(ret)
    }

    /// A result that the operation cannot have had, whatever the order of operations was. It really returned `ret`.
    /// `never` is a value that no operation mentions.
    fn impossible(&self, op: &Self::Op, ret: &Self::Ret, never: &Value) -> Option<Self::Ret> {
        self.read_ret(op, never).ok().filter(|wrong| wrong != ret)
    }
}

/// How large a generated history is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Number of processes.
    pub processes: u32,
    /// Number of keys, segments or accounts, if the user said how many.
    pub keys: Option<u32>,
}

/// Random choices for [`FromWire::draw`].
pub trait Chance {
    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64;

    /// The next value to write, add or insert.
    fn value(&mut self) -> Value;

    /// The next value, in an order that looks random even if all values are distinct.
    fn scattered(&mut self) -> Value;

    /// True if values are texts.
    fn texts(&self) -> bool;

    /// A small positive number.
    fn amount(&mut self) -> i64;

    /// Who calls.
    fn process(&self) -> u32;

    /// One of the keys.
    fn key(&mut self) -> Value;

    /// True with this probability.
    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
