//! What engines see of a specification and a history: numbers.
//!
//! Engines, monitors, the planner and explanations know nothing of the types of operations, results and states.
//! They address an operation by its [`OpId`], a result by a [`RetId`], a state by a [`StateId`], and ask a
//! [`Subject`] about them. So all of them are compiled once, whatever the specification.
//!
//! * A typed [`Spec`] becomes a subject through one [`Adapter`]: with a history as [`Typed`], which
//!   [`Checker`](crate::Checker) uses, and with the operations of a stream as [`TypedStream`], which
//!   [`Incremental`](crate::incremental::Incremental) uses.
//! * A model whose operations and states are known only at run time (a script, another process) implements
//!   [`Subject`] and [`Session`] itself and is checked with [`Checker::of_subject`](crate::Checker::of_subject). For
//!   streams it implements [`StreamSubject`] and is checked with
//!   [`StreamChecker`](crate::incremental::StreamChecker).
//!
//! A dynamic model has to implement three methods of [`Operations`] ([`is_known`](Operations::is_known),
//! [`describe_op`](Operations::describe_op), [`describe_ret`](Operations::describe_ret)), three of [`Subject`]
//! ([`len`](Subject::len), [`classes`](Subject::classes), [`session`](Subject::session)), and [`Session`]. Everything else
//! is optional: it makes checking faster or explanations better.
//!
//! [`Spec`]: crate::Spec

mod adapter;
mod case;
mod found;
mod index;
mod session;
mod slab;
mod stream;
mod typed;

pub use adapter::Adapter;
pub(crate) use case::Case;
pub use session::{Session, Stop};
pub(crate) use session::{TypedSession, guard};
pub use stream::{Marks, StreamSubject, TypedStream};
pub use typed::Typed;

use std::cmp::Ordering;
use std::ops::Range;

use crate::history::{OpId, Span};
use crate::monitor::{Answer, Refusal};
use crate::spec::derived;
use crate::spec::{Footprint, Name, Refutation, Role, Shape, Slot, Text, Traces, Work};

pub use crate::budget::Budget;

/// Names a result.
///
/// In a history, the recorded result of an operation has the number of the operation, even if it is unknown
/// ([`Operations::is_known`]). Larger numbers are results that [`Session::outcomes`] has found. In a stream
/// ([`StreamSubject`]), results have numbers of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RetId(pub u32);

impl RetId {
    /// Some result, it is not known which.
    pub const UNKNOWN: RetId = RetId(u32::MAX);

    /// The recorded result of an operation of a history.
    pub fn of(op: OpId) -> RetId {
        RetId(op.0)
    }
}

/// Names a class of equal (operation, result) pairs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClassId(pub u32);

impl ClassId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Names a state of a [`Session`] or a [`StreamSubject`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

impl StateId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operation with the result that it is taken to have had.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// The operation.
    pub op: OpId,
    /// Its result.
    pub ret: RetId,
}

impl Call {
    /// The operation with the result that was recorded.
    pub fn recorded(op: OpId) -> Call {
        Call { op, ret: RetId::of(op) }
    }

    /// The operation with any result.
    pub fn unknown(op: OpId) -> Call {
        Call { op, ret: RetId::UNKNOWN }
    }

    /// The same operation with any result.
    pub fn without_result(self) -> Call {
        Call::unknown(self.op)
    }
}

/// A place where a [`Name`] is mentioned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The operation and its result.
    pub call: Call,
    /// Which of its names.
    pub slot: Slot,
}

/// An operation of an independent part of a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The number by which the history knows it.
    pub id: OpId,
    /// The number by which the subject knows it, and its result.
    pub call: Call,
    /// When it was open.
    pub span: Span,
}

/// What is known about single operations and results.
///
/// The optional methods have the meaning, and make the claims, of the methods of [`Spec`](crate::Spec) and
/// [`Shaped`](crate::spec::Shaped) with the same names.
pub trait Operations {
    /// True if it is known what this result is.
    fn is_known(&self, ret: RetId) -> bool;

    /// An operation as text: `enqueue(5)`.
    fn describe_op(&self, op: OpId) -> String;

    /// A result as text.
    fn describe_ret(&self, call: Call) -> String;

    /// See [`Spec::footprint`](crate::Spec::footprint).
    fn footprint(&self, _op: OpId) -> Footprint {
        Footprint::Whole
    }

    /// See [`Spec::is_read`](crate::Spec::is_read).
    fn is_read(&self, _call: Call) -> bool {
        false
    }

    /// See [`Claims::leaves`](crate::spec::Claims::leaves). It and the claims below follow from the shape, if that
    /// [is complete](Operations::is_complete).
    fn leaves(&self, op: OpId) -> Traces {
        match self.is_complete() {
            true => derived::leaves(self.role(Call::unknown(op), true), self.key(op)),
            false => Traces::Any,
        }
    }

    /// See [`Claims::senses`](crate::spec::Claims::senses).
    fn senses(&self, call: Call) -> Traces {
        if !self.is_complete() {
            return Traces::Any;
        }
        let role = self.role(call, false);
        let mut view = Vec::new();
        if role == Role::Scan {
            self.view(call.ret, &mut view);
        }
        derived::senses(&derived::Senses {
            role,
            pending: self.role(call.without_result(), true),
            key: self.key(call.op),
            is_known: self.is_known(call.ret),
            view: &view,
        })
    }

    /// See [`Claims::senses_to_act`](crate::spec::Claims::senses_to_act).
    fn senses_to_act(&self, op: OpId) -> Traces {
        let call = Call::unknown(op);
        match self.is_complete() {
            true => {
                let (pending, unknown) = (self.role(call, true), self.role(call, false));
                derived::senses_to_act(pending, unknown, self.key(op))
            }
            false => self.senses(call),
        }
    }

    /// See [`Claims::anonymous_kind`](crate::spec::Claims::anonymous_kind).
    fn anonymous_kind(&self, op: OpId) -> Option<u64> {
        let pending = || self.role(Call::unknown(op), true);
        let kind = || derived::anonymous_kind(self.shape(), pending(), self.key(op));
        self.is_complete().then(kind).flatten()
    }

    /// See [`Claims::same_kind`](crate::spec::Claims::same_kind).
    fn same_kind(&self, a: OpId, b: OpId) -> bool {
        let place = |op, slot| Place { call: Call::unknown(op), slot };
        !self.is_complete()
            || derived::same_kind(self.role(Call::unknown(a), true), self.key(a))
                .all(|slot| self.same_name(place(a, slot), place(b, slot)))
    }

    /// See [`Claims::idle_unless_named`](crate::spec::Claims::idle_unless_named).
    fn idle_unless_named(&self, op: OpId) -> bool {
        self.is_complete()
            && derived::idle_unless_named(self.shape(), self.role(Call::unknown(op), true))
    }

    /// See [`Claims::needs_unnamed`](crate::spec::Claims::needs_unnamed).
    fn needs_unnamed(&self, call: Call) -> bool {
        let is_known = self.is_known(call.ret);
        !is_known || (self.is_complete() && derived::needs_unnamed(self.role(call, false), true))
    }

    /// The kind of object, [`Shape::Opaque`] if it is none of the known ones.
    fn shape(&self) -> Shape {
        Shape::Opaque
    }

    /// The name of the monitor that the specification brings, if it has one. See [`Subject::decide`].
    fn own_monitor(&self) -> Option<&'static str> {
        None
    }

    /// See [`Shaped::role`](crate::spec::Shaped::role).
    fn role(&self, _call: Call, _pending: bool) -> Role {
        Role::Foreign("the object has no shape")
    }

    /// See [`Shaped::is_complete`](crate::spec::Shaped::is_complete).
    fn is_complete(&self) -> bool {
        false
    }

    /// See [`Shaped::key`](crate::spec::Shaped::key).
    fn key(&self, _op: OpId) -> Option<Name> {
        None
    }

    /// See [`Shaped::same_name`](crate::spec::Shaped::same_name).
    fn same_name(&self, _a: Place, _b: Place) -> bool {
        false
    }

    /// See [`Shaped::is_initial`](crate::spec::Shaped::is_initial).
    fn is_initial(&self, _place: Place) -> bool {
        false
    }

    /// See [`Shaped::compare`](crate::spec::Shaped::compare).
    fn compare(&self, _a: Place, _b: Place) -> Ordering {
        Ordering::Equal
    }

    /// See [`Shaped::view`](crate::spec::Shaped::view). Pushes nothing if the result is unknown.
    fn view(&self, _ret: RetId, _names: &mut Vec<Option<Name>>) {}

    /// See [`Shaped::appends`](crate::spec::Shaped::appends).
    fn appends(&self, _op: OpId) -> bool {
        false
    }

    /// See [`Shaped::text`](crate::spec::Shaped::text).
    fn text(&self, _place: Place) -> Option<Text<'_>> {
        None
    }

    /// See [`Shaped::initial_text`](crate::spec::Shaped::initial_text).
    fn initial_text(&self) -> Option<Text<'_>> {
        None
    }
}

/// A specification together with the operations of a history.
///
/// The optional methods have the meaning, and make the claims, of the methods of [`Spec`](crate::Spec) with the same
/// names.
pub trait Subject: Operations + Sync {
    /// Number of operations.
    fn len(&self) -> usize;

    /// True if there are no operations.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of operations whose recorded result is known.
    fn known_results(&self) -> usize {
        (0..self.len() as u32).filter(|op| self.is_known(RetId(*op))).count()
    }

    /// A fresh numbering of equal calls.
    fn classes(&self) -> Box<dyn Classes + '_>;

    /// A fresh set of states.
    fn session(&self) -> Box<dyn Session + '_>;

    /// See [`Claims::refute`](crate::spec::Claims::refute). By default, it follows from the shape.
    fn refute(&self, part: &[Row]) -> Option<Refutation> {
        let shape = self.shape();
        if !derived::Part::can_refute(shape) {
            return None;
        }
        let place = |at: derived::At| Place { call: part[at.row].call, slot: at.slot };
        derived::Part {
            shape,
            is_complete: self.is_complete(),
            rows: &rows(self, part),
            view: &|row, names| self.view(part[row].call.ret, names),
            same_name: &|a, b| self.same_name(place(a), place(b)),
            mention: &|row| {
                let Row { id, call, .. } = part[row];
                let result = self.is_known(call.ret).then(|| self.describe_ret(call));
                derived::mention(id, self.describe_op(call.op), result)
            },
        }
        .refute()
    }

    /// See [`Claims::guide`](crate::spec::Claims::guide). By default, it follows from the shape.
    fn guide(&self, part: &[Row]) -> Option<Vec<u64>> {
        let shape = self.shape();
        if !derived::Part::can_guide(shape) {
            return None;
        }
        derived::guide(shape, &rows(self, part))
    }

    /// See [`Decides::decide`](crate::spec::Decides::decide). Asked if there is an
    /// [own monitor](Operations::own_monitor).
    fn decide(&self, _part: &[Row], _work: Work<'_>) -> Result<Answer, Refusal> {
        Err(Refusal { reason: "the specification has no monitor of its own".into() })
    }

    /// See [`Spec::fits`](crate::Spec::fits), for two results that [`Session::outcomes`] has found. Only
    /// [`check_claims_of`](crate::spec::claims::check_claims_of) asks.
    fn fits(&self, _op: OpId, exact: RetId, recorded: RetId) -> bool {
        exact == recorded
    }

    /// See [`Spec::replay`](crate::Spec::replay). The calls come in blocks, because asking for each would take as
    /// long as performing it.
    fn replay(&self, _run: &mut dyn Iterator<Item = Vec<Call>>) -> Option<Result<(), usize>> {
        None
    }

    /// Pushes the roles and keys of consecutive operations with their recorded results. Override it only to save
    /// calls for millions of operations.
    fn roles(&self, ops: Range<usize>, spans: &[Span], roles: &mut Vec<(Role, Option<Name>)>) {
        roles.extend(ops.zip(spans).map(|(op, span)| {
            let op = OpId(op as u32);
            (self.role(Call::recorded(op), span.is_pending()), self.key(op))
        }));
    }

    /// How all elements of a priority queue compare with their successors, if that is the same for all and never
    /// `Equal`. Override it only to save calls.
    fn direction(&self, calls: &[Call]) -> Option<Ordering> {
        let place = |call: Call| Place { call, slot: Slot::Value };
        direction_of(calls, |a, b| self.compare(place(a), place(b)))
    }

    /// True if all pairs have the same name. Override it only to save calls.
    fn same_names(&self, pairs: &[[Place; 2]]) -> bool {
        pairs.iter().all(|[a, b]| self.same_name(*a, *b))
    }
}

/// What the operations of a part do, going by their roles.
fn rows<T: Operations + ?Sized>(subject: &T, part: &[Row]) -> Vec<derived::Row> {
    let row = |&Row { call, span, .. }: &Row| derived::Row {
        span,
        role: subject.role(call, span.is_pending()),
        pending: subject.role(call.without_result(), true),
        key: subject.key(call.op),
        is_known: subject.is_known(call.ret),
    };
    part.iter().map(row).collect()
}

/// Numbers classes of equal calls, from 0 on, in the order in which they are met.
pub trait Classes {
    /// Forgets all classes.
    fn clear(&mut self);

    /// Pushes the class of each call.
    fn classify(&mut self, calls: &[Call], classes: &mut Vec<ClassId>);
}

/// See [`Subject::direction`].
#[inline]
pub(crate) fn direction_of(
    calls: &[Call],
    compare: impl Fn(Call, Call) -> Ordering,
) -> Option<Ordering> {
    let order = |pair: &[Call]| compare(pair[0], pair[1]);
    let first = calls.windows(2).next().map(order).filter(|order| order.is_ne())?;
    calls.windows(2).all(|pair| order(pair) == first).then_some(first)
}
