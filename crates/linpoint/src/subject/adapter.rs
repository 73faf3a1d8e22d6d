//! The one adapter from typed specifications to numbers.

use std::cmp::Ordering;

use super::{Call, Operations, Place, RetId};
use crate::history::OpId;
use crate::spec::{
    Decides, EffectiveClaims, Footprint, Mention, Name, Role, Shape, Shaped, Spec, Text, Traces,
};

/// A typed specification whose operations and results are known by numbers. `C` is what holds them: the columns of
/// a history ([`Typed`](super::Typed)) or the table of a stream ([`TypedStream`](super::TypedStream)).
pub struct Adapter<'a, S: Spec, C> {
    pub(super) spec: &'a S,
    pub(super) shaped: Option<&'a dyn Shaped<S::Op, S::Ret>>,
    pub(super) claims: EffectiveClaims<'a, S::Op, S::Ret>,
    pub(super) columns: C,
}

/// Operations and results by number.
pub trait Columns<S: Spec> {
    /// An operation.
    fn op(&self, op: OpId) -> &S::Op;

    /// A result; `None` if it is unknown.
    fn ret(&self, ret: RetId) -> Option<&S::Ret>;

    /// True if it is known what this result is.
    fn is_known(&self, ret: RetId) -> bool;

    /// What is mentioned at `place`.
    #[inline]
    fn mention(&self, place: Place) -> Mention<'_, S::Op, S::Ret> {
        Mention { op: self.op(place.call.op), ret: self.ret(place.call.ret), slot: place.slot }
    }
}

impl<'a, S: Spec, C> Adapter<'a, S, C> {
    pub(super) fn with_columns(spec: &'a S, columns: C) -> Self {
        Adapter { spec, shaped: spec.shaped(), claims: EffectiveClaims::of(spec), columns }
    }
}

impl<S: Spec, C: Columns<S>> Operations for Adapter<'_, S, C> {
    fn is_known(&self, ret: RetId) -> bool {
        self.columns.is_known(ret)
    }

    fn describe_op(&self, op: OpId) -> String {
        self.spec.describe_op(self.columns.op(op))
    }

    fn describe_ret(&self, call: Call) -> String {
        let describe = |ret| self.spec.describe_ret(self.columns.op(call.op), ret);
        self.columns.ret(call.ret).map_or_else(|| "?".to_owned(), describe)
    }

    fn footprint(&self, op: OpId) -> Footprint {
        self.spec.footprint(self.columns.op(op))
    }

    fn is_read(&self, call: Call) -> bool {
        self.spec.is_read(self.columns.op(call.op), self.columns.ret(call.ret))
    }

    fn leaves(&self, op: OpId) -> Traces {
        self.claims.leaves(self.columns.op(op))
    }

    fn senses(&self, call: Call) -> Traces {
        self.claims.senses(self.columns.op(call.op), self.columns.ret(call.ret))
    }

    fn senses_to_act(&self, op: OpId) -> Traces {
        self.claims.senses_to_act(self.columns.op(op))
    }

    fn anonymous_kind(&self, op: OpId) -> Option<u64> {
        self.claims.anonymous_kind(self.columns.op(op))
    }

    fn same_kind(&self, a: OpId, b: OpId) -> bool {
        self.claims.same_kind(self.columns.op(a), self.columns.op(b))
    }

    fn needs_unnamed(&self, call: Call) -> bool {
        self.claims.needs_unnamed(self.columns.op(call.op), self.columns.ret(call.ret))
    }

    fn idle_unless_named(&self, op: OpId) -> bool {
        self.claims.idle_unless_named(self.columns.op(op))
    }

    fn shape(&self) -> Shape {
        self.shaped.map_or(Shape::Opaque, Shaped::shape)
    }

    fn own_monitor(&self) -> Option<&'static str> {
        self.spec.decides().map(Decides::name)
    }

    fn role(&self, call: Call, pending: bool) -> Role {
        let Some(shaped) = self.shaped else { return Role::Foreign("the object has no shape") };
        shaped.role(self.columns.op(call.op), self.columns.ret(call.ret), pending)
    }

    fn is_complete(&self) -> bool {
        self.shaped.is_some_and(Shaped::is_complete)
    }

    fn key(&self, op: OpId) -> Option<Name> {
        self.shaped?.key(self.columns.op(op))
    }

    fn same_name(&self, a: Place, b: Place) -> bool {
        let Some(shaped) = self.shaped else { return false };
        shaped.same_name(self.columns.mention(a), self.columns.mention(b))
    }

    fn is_initial(&self, place: Place) -> bool {
        let Some(shaped) = self.shaped else { return false };
        shaped.is_initial(self.columns.mention(place))
    }

    fn compare(&self, a: Place, b: Place) -> Ordering {
        let Some(shaped) = self.shaped else { return Ordering::Equal };
        shaped.compare(self.columns.mention(a), self.columns.mention(b))
    }

    fn view(&self, ret: RetId, names: &mut Vec<Option<Name>>) {
        if let (Some(shaped), Some(ret)) = (self.shaped, self.columns.ret(ret)) {
            shaped.view(ret, names);
        }
    }

    fn appends(&self, op: OpId) -> bool {
        self.shaped.is_some_and(|shaped| shaped.appends(self.columns.op(op)))
    }

    fn text(&self, place: Place) -> Option<Text<'_>> {
        self.shaped?.text(self.columns.mention(place))
    }

    fn initial_text(&self) -> Option<Text<'_>> {
        self.shaped?.initial_text()
    }
}
