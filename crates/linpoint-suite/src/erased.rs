//! Any specification, as one type.
//!
//! The checker, the oracle, the generators and the runner are generic. Compiling them for each of
//! two dozen models takes minutes. [`Erased`] hides the types of a model behind pointers, so that
//! one copy serves all. Every claim of the model is forwarded, so the engines are tested with it
//! just the same; a test compares an erased model with a plain one.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use linpoint::history::{Extras, History, Interval, OpId, Span, Ties};
use linpoint::spec::{
    Claims, Decides, Done, EffectiveClaims, Footprint, Mention, Name, PartView, Refutation,
    Returned, Role, Run, Shape, Shaped, Slot, Spec, Text, Traces,
};
use linpoint::subject::{Call, Place};
use linpoint::verdict::Piece;
use linpoint::wire::ToWire;

use crate::vocabulary::{Vocabulary, Word};

/// The common interface of values and states.
trait AnyValue: Any + Debug {
    fn equals(&self, other: &dyn Any) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<T: Any + Debug + Eq + Hash> AnyValue for T {
    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

macro_rules! thing {
    ($name:ident) => {
        impl $name {
            fn get<T: 'static>(&self) -> &T {
                let any: &dyn Any = &*self.0;
                any.downcast_ref().expect("values of one specification")
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.equals(&*other.0 as &dyn Any)
            }
        }

        impl Eq for $name {}

        impl Hash for $name {
            fn hash<H: Hasher>(&self, hasher: &mut H) {
                self.0.hash_into(hasher);
            }
        }

        impl Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Debug::fmt(&self.0, f)
            }
        }
    };
}

/// An operation or a result.
#[derive(Clone)]
pub struct ErasedValue(Arc<dyn AnyValue + Send + Sync>);
thing!(ErasedValue);

/// A state.
#[derive(Clone)]
pub struct ErasedState(Rc<dyn AnyValue>);
thing!(ErasedState);

/// A specification whose types are hidden.
pub struct Erased(Box<dyn Spec<Op = ErasedValue, Ret = ErasedValue, State = ErasedState>>);

impl Erased {
    /// Hides the types of `spec`.
    pub fn new<S: Spec + 'static>(spec: S) -> Self
    where
        S::Op: 'static,
        S::Ret: 'static,
        S::State: 'static,
    {
        Erased(Box::new(Restored(spec)))
    }
}

impl<S: Spec + 'static> Vocabulary<S> {
    /// The same vocabulary with erased types.
    pub fn erase(self) -> Vocabulary<Erased> {
        let value = |ret: S::Ret| ErasedValue(Arc::new(ret));
        let word = |w: Word<S::Op, S::Ret>| Word {
            op: ErasedValue(Arc::new(w.op)),
            results: w.results.into_iter().map(value).collect(),
            once: w.once,
        };
        Vocabulary {
            name: self.name,
            spec: Erased::new(self.spec),
            words: self.words.into_iter().map(word).collect(),
            few: self.few,
        }
    }
}

/// Restores the erased types.
struct Restored<S>(S);

impl<S: Spec + 'static> Restored<S> {
    fn ret(ret: Option<&ErasedValue>) -> Option<&S::Ret> {
        ret.map(ErasedValue::get)
    }

    /// Models need histories of their own types, so one is built from the part.
    fn with_types<T>(
        &self,
        part: &PartView<'_, ErasedValue, ErasedValue>,
        look: impl FnOnce(&PartView<'_, S::Op, S::Ret>) -> T,
    ) -> T {
        let mut history = History::from_intervals(Ties::Concurrent);
        for view in part.iter() {
            let Span { call, ret } = view.span;
            let interval = Interval {
                op: view.op.get::<S::Op>().clone(),
                ret: Self::ret(view.ret).cloned(),
                start: u64::from(call),
                end: (ret != Span::NEVER).then_some(u64::from(ret)),
                extras: Extras::default(),
            };
            history.add(interval).expect("a part of a history");
        }
        let history = history.finish().expect("a part of a history");
        let ids: Vec<OpId> = history.ids().collect();
        look(&PartView::new(&history, &ids))
    }
}

#[deny(clippy::missing_trait_methods, reason = "a claim that is not forwarded is not tested")]
impl<S: Spec + 'static> Spec for Restored<S> {
    type Op = ErasedValue;
    type Ret = ErasedValue;
    type State = ErasedState;

    fn initial(&self) -> ErasedState {
        ErasedState(Rc::new(self.0.initial()))
    }

    /// No model of the corpus has a monitor of its own. That of etcd is tested by itself (`crate::etcd`).
    fn decides(&self) -> Option<&dyn Decides<Self::Op, Self::Ret>> {
        None
    }

    fn successors(
        &self,
        state: &ErasedState,
        op: &ErasedValue,
        ret: Option<&ErasedValue>,
        next: &mut Vec<ErasedState>,
    ) {
        let mut typed = Vec::new();
        self.0.successors(state.get(), op.get(), Self::ret(ret), &mut typed);
        next.extend(typed.into_iter().map(|state| ErasedState(Rc::new(state))));
    }

    fn outcomes(
        &self,
        state: &ErasedState,
        op: &ErasedValue,
        out: &mut Vec<(ErasedValue, ErasedState)>,
    ) -> bool {
        let mut typed = Vec::new();
        let known = self.0.outcomes(state.get(), op.get(), &mut typed);
        let erase = |(ret, state)| (ErasedValue(Arc::new(ret)), ErasedState(Rc::new(state)));
        out.extend(typed.into_iter().map(erase));
        known
    }

    fn may_rest(&self, state: &ErasedState, waiting: &[ErasedValue]) -> bool {
        let waiting: Vec<S::Op> = waiting.iter().map(|op| op.get::<S::Op>().clone()).collect();
        self.0.may_rest(state.get(), &waiting)
    }

    fn footprint(&self, op: &ErasedValue) -> Footprint {
        self.0.footprint(op.get())
    }

    fn fits(&self, op: &ErasedValue, exact: &ErasedValue, recorded: &ErasedValue) -> bool {
        self.0.fits(op.get(), exact.get(), recorded.get())
    }

    fn is_read(&self, op: &ErasedValue, ret: Option<&ErasedValue>) -> bool {
        self.0.is_read(op.get(), Self::ret(ret))
    }

    fn shaped(&self) -> Option<&dyn Shaped<ErasedValue, ErasedValue>> {
        self.0.shaped().is_some().then_some(self)
    }

    /// Those that follow from the shape follow from the one that is passed on.
    fn claims(&self) -> Option<&dyn Claims<ErasedValue, ErasedValue>> {
        self.0.claims().is_some().then_some(self)
    }

    fn replay(&self, run: Run<'_, '_, ErasedValue, ErasedValue>) -> Option<Result<(), usize>> {
        let mut typed = run.map(|(op, ret)| (op.get::<S::Op>(), Self::ret(ret)));
        self.0.replay(&mut typed)
    }

    /// Names of operations are no claim, and describing them is forwarded.
    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        None
    }

    fn describe_op(&self, op: &ErasedValue) -> String {
        self.0.describe_op(op.get())
    }

    fn describe_ret(&self, op: &ErasedValue, ret: &ErasedValue) -> String {
        self.0.describe_ret(op.get(), ret.get())
    }

    fn describe_state(&self, state: &ErasedState) -> String {
        self.0.describe_state(state.get())
    }

    fn state_bytes(&self, state: &ErasedState) -> usize {
        self.0.state_bytes(state.get())
    }
}

impl<S: Spec + 'static> Restored<S> {
    fn claims_of_type(&self) -> EffectiveClaims<'_, S::Op, S::Ret> {
        EffectiveClaims::of(&self.0)
    }

    fn shape_of_type(&self) -> &dyn Shaped<S::Op, S::Ret> {
        self.0.shaped().expect("asked only where there is one")
    }

    fn mention<'a>(mention: Mention<'a, ErasedValue, ErasedValue>) -> Mention<'a, S::Op, S::Ret> {
        Mention { op: mention.op.get(), ret: Self::ret(mention.ret), slot: mention.slot }
    }
}

#[deny(clippy::missing_trait_methods, reason = "a claim that is not forwarded is not tested")]
impl<S: Spec + 'static> Claims<ErasedValue, ErasedValue> for Restored<S> {
    fn leaves(&self, op: &ErasedValue) -> Traces {
        self.claims_of_type().leaves(op.get())
    }

    fn senses(&self, op: &ErasedValue, ret: Option<&ErasedValue>) -> Traces {
        self.claims_of_type().senses(op.get(), Self::ret(ret))
    }

    fn senses_to_act(&self, op: &ErasedValue) -> Traces {
        self.claims_of_type().senses_to_act(op.get())
    }

    fn anonymous_kind(&self, op: &ErasedValue) -> Option<u64> {
        self.claims_of_type().anonymous_kind(op.get())
    }

    fn same_kind(&self, a: &ErasedValue, b: &ErasedValue) -> bool {
        self.claims_of_type().same_kind(a.get(), b.get())
    }

    fn needs_unnamed(&self, op: &ErasedValue, ret: Option<&ErasedValue>) -> bool {
        self.claims_of_type().needs_unnamed(op.get(), Self::ret(ret))
    }

    fn idle_unless_named(&self, op: &ErasedValue) -> bool {
        self.claims_of_type().idle_unless_named(op.get())
    }

    fn refute(&self, part: &PartView<'_, ErasedValue, ErasedValue>) -> Option<Refutation> {
        let mut found = self.with_types(part, |part| self.claims_of_type().refute(part))?;
        let ids: Vec<OpId> = part.iter().map(|view| view.id).collect();
        for id in &mut found.ops {
            *id = ids[id.index()];
        }
        for piece in &mut found.reason.pieces {
            if let Piece::Op(mention) = piece {
                mention.op = ids[mention.op.index()];
            }
        }
        Some(found)
    }

    fn guide(&self, part: &PartView<'_, ErasedValue, ErasedValue>) -> Option<Vec<u64>> {
        self.with_types(part, |part| self.claims_of_type().guide(part))
    }

    fn likely_order(&self, run: &[Returned<'_, ErasedValue, ErasedValue>]) -> Option<Vec<u32>> {
        let typed = run.iter().map(|done| Returned {
            process: done.process,
            op: done.op.get::<S::Op>(),
            ret: done.ret.get::<S::Ret>(),
            call: done.call,
            end: done.end,
        });
        self.claims_of_type().likely_order(&typed.collect::<Vec<_>>())
    }
}

#[deny(clippy::missing_trait_methods, reason = "a claim that is not forwarded is not tested")]
impl<S: Spec + 'static> Shaped<ErasedValue, ErasedValue> for Restored<S> {
    fn shape(&self) -> Shape {
        self.shape_of_type().shape()
    }

    fn role(&self, op: &ErasedValue, ret: Option<&ErasedValue>, pending: bool) -> Role {
        self.shape_of_type().role(op.get(), Self::ret(ret), pending)
    }

    fn is_complete(&self) -> bool {
        self.shape_of_type().is_complete()
    }

    fn key(&self, op: &ErasedValue) -> Option<Name> {
        self.shape_of_type().key(op.get())
    }

    fn same_name(
        &self,
        a: Mention<'_, ErasedValue, ErasedValue>,
        b: Mention<'_, ErasedValue, ErasedValue>,
    ) -> bool {
        self.shape_of_type().same_name(Self::mention(a), Self::mention(b))
    }

    // These are not claims: what they say about many operations has been forwarded for each.

    fn roles(
        &self,
        ops: &[ErasedValue],
        rets: &[Option<ErasedValue>],
        spans: &[Span],
        roles: &mut Vec<(Role, Option<Name>)>,
    ) {
        for (op, (ret, span)) in ops.iter().zip(rets.iter().zip(spans)) {
            roles.push((self.role(op, ret.as_ref(), span.is_pending()), self.key(op)));
        }
    }

    fn done(&self, run: &[Returned<'_, ErasedValue, ErasedValue>]) -> Vec<Done> {
        let done = |op: &Returned<'_, ErasedValue, ErasedValue>| Done {
            process: op.process,
            call: op.call,
            end: op.end,
            role: self.role(op.op, Some(op.ret), false),
        };
        run.iter().map(done).collect()
    }

    fn direction(
        &self,
        ops: &[ErasedValue],
        rets: &[Option<ErasedValue>],
        calls: &[Call],
    ) -> Option<Ordering> {
        let mention = |call: Call| Mention {
            op: &ops[call.op.index()],
            ret: rets.get(call.ret.0 as usize).and_then(Option::as_ref),
            slot: Slot::Value,
        };
        let order = |pair: &[Call]| self.compare(mention(pair[0]), mention(pair[1]));
        let mut orders = calls.windows(2).map(order);
        let first = orders.next().filter(|order| order.is_ne())?;
        orders.all(|order| order == first).then_some(first)
    }

    fn same_names(
        &self,
        ops: &[ErasedValue],
        rets: &[Option<ErasedValue>],
        pairs: &[[Place; 2]],
    ) -> bool {
        let mention = |Place { call, slot }: Place| {
            let ret = rets.get(call.ret.0 as usize).and_then(Option::as_ref);
            Mention { op: &ops[call.op.index()], ret, slot }
        };
        pairs.iter().all(|[a, b]| self.same_name(mention(*a), mention(*b)))
    }

    fn is_initial(&self, mention: Mention<'_, ErasedValue, ErasedValue>) -> bool {
        self.shape_of_type().is_initial(Self::mention(mention))
    }

    fn appends(&self, op: &ErasedValue) -> bool {
        self.shape_of_type().appends(op.get())
    }

    fn text<'a>(&'a self, mention: Mention<'a, ErasedValue, ErasedValue>) -> Option<Text<'a>> {
        self.shape_of_type().text(Self::mention(mention))
    }

    fn initial_text(&self) -> Option<Text<'_>> {
        self.shape_of_type().initial_text()
    }

    fn compare(
        &self,
        a: Mention<'_, ErasedValue, ErasedValue>,
        b: Mention<'_, ErasedValue, ErasedValue>,
    ) -> Ordering {
        self.shape_of_type().compare(Self::mention(a), Self::mention(b))
    }

    fn view(&self, ret: &ErasedValue, names: &mut Vec<Option<Name>>) {
        self.shape_of_type().view(ret.get(), names);
    }
}

/// Forwards everything. (A `dyn Spec` is not sized, and generic code needs a sized type.)
#[deny(clippy::missing_trait_methods, reason = "a claim that is not forwarded is not tested")]
impl Spec for Erased {
    type Op = ErasedValue;
    type Ret = ErasedValue;
    type State = ErasedState;

    fn initial(&self) -> ErasedState {
        self.0.initial()
    }

    /// No model of the corpus has a monitor of its own. That of etcd is tested by itself (`crate::etcd`).
    fn decides(&self) -> Option<&dyn Decides<Self::Op, Self::Ret>> {
        None
    }

    fn successors(
        &self,
        state: &ErasedState,
        op: &ErasedValue,
        ret: Option<&ErasedValue>,
        next: &mut Vec<ErasedState>,
    ) {
        self.0.successors(state, op, ret, next);
    }

    fn outcomes(
        &self,
        state: &ErasedState,
        op: &ErasedValue,
        out: &mut Vec<(ErasedValue, ErasedState)>,
    ) -> bool {
        self.0.outcomes(state, op, out)
    }

    fn may_rest(&self, state: &ErasedState, waiting: &[ErasedValue]) -> bool {
        self.0.may_rest(state, waiting)
    }

    fn footprint(&self, op: &ErasedValue) -> Footprint {
        self.0.footprint(op)
    }

    fn fits(&self, op: &ErasedValue, exact: &ErasedValue, recorded: &ErasedValue) -> bool {
        self.0.fits(op, exact, recorded)
    }

    fn is_read(&self, op: &ErasedValue, ret: Option<&ErasedValue>) -> bool {
        self.0.is_read(op, ret)
    }

    fn shaped(&self) -> Option<&dyn Shaped<ErasedValue, ErasedValue>> {
        self.0.shaped()
    }

    fn claims(&self) -> Option<&dyn Claims<ErasedValue, ErasedValue>> {
        self.0.claims()
    }

    fn replay(&self, run: Run<'_, '_, ErasedValue, ErasedValue>) -> Option<Result<(), usize>> {
        self.0.replay(run)
    }

    /// Names of operations are no claim, and describing them is forwarded.
    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        None
    }

    fn describe_op(&self, op: &ErasedValue) -> String {
        self.0.describe_op(op)
    }

    fn describe_ret(&self, op: &ErasedValue, ret: &ErasedValue) -> String {
        self.0.describe_ret(op, ret)
    }

    fn describe_state(&self, state: &ErasedState) -> String {
        self.0.describe_state(state)
    }

    fn state_bytes(&self, state: &ErasedState) -> usize {
        self.0.state_bytes(state)
    }
}
