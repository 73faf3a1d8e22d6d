//! The derived claims of a typed specification.

use super::likely::Run;
use super::part::{At, Part, Row, guide};
use super::sources::typed_mention;
use super::{Senses, anonymous_kind, idle_unless_named, leaves, needs_unnamed, same_kind, senses};
use crate::spec::{
    Claims, Mention, OpView, PartView, Refutation, Returned, Role, Shaped, Slot, Spec, Traces,
};

/// Operations and results as text, without the type of the specification.
trait Described<O, R>: Sync {
    fn op(&self, op: &O) -> String;
    fn ret(&self, op: &O, ret: &R) -> String;
}

impl<S: Spec> Described<S::Op, S::Ret> for S {
    fn op(&self, op: &S::Op) -> String {
        self.describe_op(op)
    }

    fn ret(&self, op: &S::Op, ret: &S::Ret) -> String {
        self.describe_ret(op, ret)
    }
}

/// The claims that follow from what a specification says about its [shape](Spec::shaped).
///
/// Engines use them if the specification makes no [claims](Spec::claims) of its own. A specification whose shape says too little
/// can make some of its claims itself and take the others from here.
pub struct Derived<'a, O, R> {
    shaped: &'a dyn Shaped<O, R>,
    text: &'a dyn Described<O, R>,
    extent: Extent,
}

/// How much of an object the shape describes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    /// Not known.
    Some,
    /// All that there is to know about its state.
    State,
    /// All its operations as well.
    Operations,
}

impl<'a, O, R> Derived<'a, O, R> {
    /// The claims about `spec`; `None` if it has no shape.
    pub fn of<S: Spec<Op = O, Ret = R>>(spec: &'a S) -> Option<Self> {
        let shaped = spec.shaped()?;
        let extent = if shaped.is_complete() { Extent::Operations } else { Extent::Some };
        Some(Derived { shaped, text: spec, extent })
    }

    /// The claims that follow from a shape other than the one that `spec` states.
    ///
    /// CLAIM: `shaped` is true of the object, as far as the claims that are used depend on it.
    pub(crate) fn of_shape<S: Spec<Op = O, Ret = R>>(
        shaped: &'a dyn Shaped<O, R>,
        spec: &'a S,
    ) -> Self {
        Derived { shaped, text: spec, extent: Extent::Operations }
    }

    /// For an object with operations that the shape does not have. They are taken to leave, and to sense, anything.
    ///
    /// CLAIM: the state of the object is that of the shape, and all operations whose pending role is not
    /// [`Role::Foreign`] are as [`Shaped::is_complete`] says.
    pub fn with_foreign_operations(self) -> Self {
        Derived { extent: self.extent.max(Extent::State), ..self }
    }

    /// What the operation does if it takes effect.
    fn pending(&self, op: &O) -> Role {
        self.shaped.role(op, None, true)
    }

    fn row(&self, view: &OpView<'_, O, R>) -> Row {
        Row {
            span: view.span,
            role: self.shaped.role(view.op, view.ret, view.span.is_pending()),
            pending: self.pending(view.op),
            key: self.shaped.key(view.op),
            is_known: view.ret.is_some(),
        }
    }

    fn rows(&self, views: &[OpView<'_, O, R>]) -> Vec<Row> {
        views.iter().map(|view| self.row(view)).collect()
    }
}

impl<O, R> Claims<O, R> for Derived<'_, O, R> {
    fn leaves(&self, op: &O) -> Traces {
        match self.extent {
            Extent::Some => Traces::Any,
            _ => leaves(self.pending(op), self.shaped.key(op)),
        }
    }

    fn senses(&self, op: &O, ret: Option<&R>) -> Traces {
        if self.extent == Extent::Some {
            return Traces::Any;
        }
        let role = self.shaped.role(op, ret, false);
        let mut view = Vec::new();
        if let (Role::Scan, Some(ret)) = (role, ret) {
            self.shaped.view(ret, &mut view);
        }
        let (pending, key) = (self.pending(op), self.shaped.key(op));
        senses(&Senses { role, pending, key, is_known: ret.is_some(), view: &view })
    }

    fn senses_to_act(&self, op: &O) -> Traces {
        if self.extent == Extent::Some {
            return Traces::Any;
        }
        let unknown = self.shaped.role(op, None, false);
        super::senses_to_act(self.pending(op), unknown, self.shaped.key(op))
    }

    fn anonymous_kind(&self, op: &O) -> Option<u64> {
        if self.extent < Extent::Operations {
            return None;
        }
        anonymous_kind(self.shaped.shape(), self.pending(op), self.shaped.key(op))
    }

    fn same_kind(&self, a: &O, b: &O) -> bool {
        let mention = |op, slot: Slot| Mention { op, ret: None, slot };
        same_kind(self.pending(a), self.shaped.key(a))
            .all(|slot| self.shaped.same_name(mention(a, slot), mention(b, slot)))
    }

    fn idle_unless_named(&self, op: &O) -> bool {
        self.extent == Extent::Operations
            && idle_unless_named(self.shaped.shape(), self.pending(op))
    }

    fn needs_unnamed(&self, op: &O, ret: Option<&R>) -> bool {
        ret.is_none() || needs_unnamed(self.shaped.role(op, ret, false), true)
    }

    fn refute(&self, part: &PartView<'_, O, R>) -> Option<Refutation> {
        let shape = self.shaped.shape();
        if !Part::can_refute(shape) {
            return None;
        }
        let views: Vec<OpView<'_, O, R>> = part.iter().collect();
        let place = |at: At| {
            let OpView { op, ret, .. } = views[at.row];
            Mention { op, ret, slot: at.slot }
        };
        Part {
            shape,
            is_complete: self.extent > Extent::Some,
            rows: &self.rows(&views),
            view: &|row, names| {
                if let Some(ret) = views[row].ret {
                    self.shaped.view(ret, names);
                }
            },
            same_name: &|a, b| self.shaped.same_name(place(a), place(b)),
            mention: &|row| {
                let OpView { id, op, ret, .. } = views[row];
                typed_mention(id, self.text.op(op), ret.map(|ret| self.text.ret(op, ret)))
            },
        }
        .refute()
    }

    fn guide(&self, part: &PartView<'_, O, R>) -> Option<Vec<u64>> {
        let shape = self.shaped.shape();
        if !Part::can_guide(shape) {
            return None;
        }
        guide(shape, &self.rows(&part.iter().collect::<Vec<_>>()))
    }

    fn likely_order(&self, run: &[Returned<'_, O, R>]) -> Option<Vec<u32>> {
        let shape = self.shaped.shape();
        if !Run::can_be_guessed(shape) {
            return None;
        }
        let keys = match Run::has_keys(shape) {
            true => run.iter().map(|op| self.shaped.key(op.op)).collect(),
            false => Vec::new(),
        };
        let element = |at: u32| {
            let Returned { op, ret, .. } = run[at as usize];
            Mention { op, ret: Some(ret), slot: Slot::Value }
        };
        let compare = |a, b| self.shaped.compare(element(a), element(b));
        let mut done = self.shaped.done(run);
        for (done, returned) in done.iter_mut().zip(run) {
            // It is not certain what it did: assume the usual.
            if let Role::Foreign(_) = done.role {
                done.role = self.pending(returned.op);
            }
        }
        Run { shape, done: &done, keys: &keys, compare: &compare }.likely_order()
    }
}
