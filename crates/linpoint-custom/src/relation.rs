//! What a model answers.

use linpoint::spec::Run;
use linpoint::wire::Value;

use crate::op::{CustomOp, Key};

/// A state as bytes. Equal states have equal bytes.
pub(crate) type State = Box<[u8]>;

/// The message of a model that failed, with the place in the script if there is one.
pub(crate) type Failure = String;

/// What the operations of a model do. Several threads may ask at the same time.
pub(crate) trait Relation: Send + Sync {
    /// The state before the first operation.
    fn initial(&self) -> Result<State, Failure>;

    /// Pushes every state to which the operation may lead, if it returned `ret`, or if it is not known what it returned.
    fn successors(
        &self,
        state: &State,
        op: &CustomOp,
        ret: Option<&Value>,
        next: &mut Vec<State>,
    ) -> Result<(), Failure>;

    /// Pushes every result that the operation may have, with the state that follows.
    fn outcomes(
        &self,
        state: &State,
        op: &CustomOp,
        out: &mut Vec<(Value, State)>,
    ) -> Result<(), Failure>;

    /// Forgets the answer to a question, if it was kept.
    fn forget(&self, _state: &State, _op: &CustomOp) {}

    /// Performs the operations one after the other and gives the position of the first illegal one. `None` if there is no
    /// quicker way than step by step.
    fn replay(
        &self,
        _run: Run<'_, '_, CustomOp, Value>,
        _fits_any: &dyn Fn(&CustomOp, &Value) -> bool,
    ) -> Option<Result<Result<(), usize>, Failure>> {
        None
    }

    /// A state as text.
    fn describe(&self, state: &State) -> String;

    /// True if it matters who calls.
    fn wants_process(&self) -> bool;

    /// What an operation is about, and whether it is a read.
    fn about(&self, op: &CustomOp) -> Result<(Key, bool), Failure>;

    /// What can be called in a state, for generated histories; `None` if the model does not say.
    fn ops(&self, state: &State, process: u32) -> Option<Result<Vec<Template>, Failure>>;

    /// True if [`Relation::foresee`] is of use.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// The operations of a history that is going to be checked, in the order of their returns.
    fn foresee(&self, _ops: &mut dyn Iterator<Item = (&CustomOp, Option<&Value>)>) {}
}

/// An operation that can be called, with places that are filled in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Template {
    pub(crate) name: String,
    pub(crate) args: Vec<Arg>,
}

/// An argument of a [`Template`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Arg {
    Fixed(Value),
    Key,
    Value,
    Amount,
    Process,
}
