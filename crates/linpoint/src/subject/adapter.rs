//! The one adapter from typed specifications to numbers.

use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::Arc;

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
    fn ret(&self, ret: RetId) -> Option<Held<'_, S::Ret>>;

    /// True if it is known what this result is.
    fn is_known(&self, ret: RetId) -> bool;

    /// Calls `look` with the operation and its result.
    #[inline]
    fn with<T>(&self, call: Call, look: impl FnOnce(&S::Op, Option<&S::Ret>) -> T) -> T {
        look(self.op(call.op), self.ret(call.ret).as_deref())
    }

    /// Calls `look` with what is mentioned at two places. Not by two nested closures: sorting and scans ask millions
    /// of times.
    #[inline]
    fn with_places<T>(
        &self,
        a: Place,
        b: Place,
        look: impl FnOnce(Mention<'_, S::Op, S::Ret>, Mention<'_, S::Op, S::Ret>) -> T,
    ) -> T {
        let (in_a, in_b) = (self.ret(a.call.ret), self.ret(b.call.ret));
        let a = Mention { op: self.op(a.call.op), ret: in_a.as_deref(), slot: a.slot };
        look(a, Mention { op: self.op(b.call.op), ret: in_b.as_deref(), slot: b.slot })
    }

    /// Calls `look` with what is mentioned at `place`.
    fn with_place<T>(&self, place: Place, look: impl FnOnce(Mention<'_, S::Op, S::Ret>) -> T) -> T {
        self.with(place.call, |op, ret| look(Mention { op, ret, slot: place.slot }))
    }
}

/// A result that was recorded, or one that was found meanwhile and is shared.
pub enum Held<'a, R> {
    /// Stored in the columns.
    Borrowed(&'a R),
    /// Found by an engine.
    Shared(Arc<R>),
}

impl<R> Deref for Held<'_, R> {
    type Target = R;

    fn deref(&self) -> &R {
        match self {
            Held::Borrowed(ret) => ret,
            Held::Shared(ret) => ret,
        }
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
        let describe = |op: &S::Op, ret: Option<&S::Ret>| {
            ret.map_or_else(|| "?".to_owned(), |ret| self.spec.describe_ret(op, ret))
        };
        self.columns.with(call, describe)
    }

    fn footprint(&self, op: OpId) -> Footprint {
        self.spec.footprint(self.columns.op(op))
    }

    fn is_read(&self, call: Call) -> bool {
        self.columns.with(call, |op, ret| self.spec.is_read(op, ret))
    }

    fn leaves(&self, op: OpId) -> Traces {
        self.claims.leaves(self.columns.op(op))
    }

    fn senses(&self, call: Call) -> Traces {
        self.columns.with(call, |op, ret| self.claims.senses(op, ret))
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
        self.columns.with(call, |op, ret| self.claims.needs_unnamed(op, ret))
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
        self.columns.with(call, |op, ret| shaped.role(op, ret, pending))
    }

    fn is_complete(&self) -> bool {
        self.shaped.is_some_and(Shaped::is_complete)
    }

    fn key(&self, op: OpId) -> Option<Name> {
        self.shaped?.key(self.columns.op(op))
    }

    fn same_name(&self, a: Place, b: Place) -> bool {
        let Some(shaped) = self.shaped else { return false };
        self.columns.with_places(a, b, |a, b| shaped.same_name(a, b))
    }

    fn is_initial(&self, place: Place) -> bool {
        let Some(shaped) = self.shaped else { return false };
        self.columns.with_place(place, |mention| shaped.is_initial(mention))
    }

    fn compare(&self, a: Place, b: Place) -> Ordering {
        let Some(shaped) = self.shaped else { return Ordering::Equal };
        self.columns.with_places(a, b, |a, b| shaped.compare(a, b))
    }

    fn view(&self, ret: RetId, names: &mut Vec<Option<Name>>) {
        if let (Some(shaped), Some(ret)) = (self.shaped, self.columns.ret(ret)) {
            shaped.view(&ret, names);
        }
    }

    fn appends(&self, op: OpId) -> bool {
        self.shaped.is_some_and(|shaped| shaped.appends(self.columns.op(op)))
    }

    fn text(&self, place: Place) -> Option<Text<'_>> {
        let (shaped, op, slot) = (self.shaped?, self.columns.op(place.call.op), place.slot);
        match self.columns.ret(place.call.ret) {
            None => shaped.text(Mention { op, ret: None, slot }),
            Some(Held::Borrowed(ret)) => shaped.text(Mention { op, ret: Some(ret), slot }),
            Some(Held::Shared(found)) => {
                let text = shaped.text(Mention { op, ret: Some(&found), slot })?;
                Some(Text { language: text.language, letters: text.letters.into_owned().into() })
            }
        }
    }

    fn initial_text(&self) -> Option<Text<'_>> {
        self.shaped?.initial_text()
    }
}
