//! A typed specification and a history of its operations.

use std::cmp::Ordering;
use std::ops::Range;

use super::adapter::{Adapter, Columns};
use super::found::Found;
use super::index::Index;
use super::{
    Call, ClassId, Classes, Operations, Place, RetId, Row, Session, Subject, TypedSession,
};
use crate::history::{History, OpId, Span};
use crate::monitor::{Answer, Refusal};
use crate::spec::{Name, OpView, PartView, Refutation, Role, Spec, Work, stable_hash};

/// A specification and a history of its operations as a [`Subject`].
pub type Typed<'a, S> = Adapter<'a, S, HistoryColumns<'a, S>>;

/// The operations and results of a history.
pub struct HistoryColumns<'a, S: Spec> {
    ops: &'a [S::Op],
    rets: &'a [Option<S::Ret>],
    /// Results that were found by [`Session::outcomes`]: those with numbers beyond the recorded ones.
    found: Found<S::Ret>,
}

/// Not generic over the closure, so that each specification has one copy of the code around it.
type LookAtPart<'a, S> = dyn FnMut(&PartView<'_, <S as Spec>::Op, <S as Spec>::Ret>) + 'a;

impl<'a, S: Spec> Typed<'a, S> {
    /// The subject of a check of `history` against `spec`.
    pub fn new(spec: &'a S, history: &'a History<S::Op, S::Ret>) -> Self {
        let (ops, rets) = history.columns();
        Typed::of_columns(spec, ops, rets)
    }

    /// A subject of these operations and results, which need not be a history.
    pub(crate) fn of_columns(spec: &'a S, ops: &'a [S::Op], rets: &'a [Option<S::Ret>]) -> Self {
        let columns = HistoryColumns { ops, rets, found: Found::default() };
        Adapter::with_columns(spec, columns)
    }
}

impl<S: Spec> Columns<S> for HistoryColumns<'_, S> {
    #[inline]
    fn op(&self, op: OpId) -> &S::Op {
        &self.ops[op.index()]
    }

    #[inline]
    fn ret(&self, ret: RetId) -> Option<&S::Ret> {
        self.get(ret)
    }

    fn is_known(&self, ret: RetId) -> bool {
        ret != RetId::UNKNOWN && self.rets.get(ret.0 as usize).is_none_or(Option::is_some)
    }
}

impl<'a, S: Spec> HistoryColumns<'a, S> {
    /// The result behind a number; `None` if it is unknown.
    #[inline(always)]
    fn get(&self, ret: RetId) -> Option<&S::Ret> {
        match self.rets.get(ret.0 as usize) {
            Some(recorded) => recorded.as_ref(),
            None if ret == RetId::UNKNOWN => None,
            None => Some(self.found_result(ret)),
        }
    }

    /// Out of line, so that looking up a recorded result stays small.
    #[cold]
    fn found_result(&self, ret: RetId) -> &S::Ret {
        let found = self.found.get(ret.0 as usize - self.rets.len());
        found.expect("every number in use has a result")
    }

    /// The number of a result that was found.
    pub(super) fn number(&self, ret: S::Ret) -> RetId {
        RetId((self.rets.len() + self.found.number(ret)) as u32)
    }

    /// Calls `look` with the operations of a part.
    fn with_part(&self, part: &[Row], look: &mut LookAtPart<'_, S>) {
        let view = |row: &Row| {
            let Call { op, ret } = row.call;
            OpView { id: row.id, op: self.op(op), ret: self.get(ret), span: row.span }
        };
        look(&PartView::of(part.iter().map(view).collect()));
    }
}

impl<S: Spec> Subject for Typed<'_, S> {
    fn len(&self) -> usize {
        self.columns.ops.len()
    }

    fn known_results(&self) -> usize {
        self.columns.rets.iter().filter(|ret| ret.is_some()).count()
    }

    fn classes(&self) -> Box<dyn Classes + '_> {
        let (examples, index) = (Vec::new(), Index::default());
        Box::new(TypedClasses { columns: &self.columns, examples, index })
    }

    fn session(&self) -> Box<dyn Session + '_> {
        Box::new(TypedSession::new(self.spec, &self.columns))
    }

    fn refute(&self, part: &[Row]) -> Option<Refutation> {
        let mut refutation = None;
        self.columns.with_part(part, &mut |part| refutation = self.claims.refute(part));
        refutation
    }

    fn decide(&self, part: &[Row], work: Work<'_>) -> Result<Answer, Refusal> {
        let mut answer = None;
        self.columns.with_part(part, &mut |part| {
            answer = self.spec.decides().map(|monitor| monitor.decide(part, &mut *work));
        });
        answer.unwrap_or_else(|| Err(Refusal::new("the specification has no monitor of its own")))
    }

    fn guide(&self, part: &[Row]) -> Option<Vec<u64>> {
        let mut guide = None;
        self.columns.with_part(part, &mut |part| guide = self.claims.guide(part));
        guide
    }

    fn fits(&self, op: OpId, exact: RetId, recorded: RetId) -> bool {
        match (self.columns.get(exact), self.columns.get(recorded)) {
            (Some(exact), Some(recorded)) => self.spec.fits(self.columns.op(op), exact, recorded),
            _ => true,
        }
    }

    fn replay(&self, run: &mut dyn Iterator<Item = Vec<Call>>) -> Option<Result<(), usize>> {
        // PERF: the slices themselves, so that looking a result up follows one pointer, not three. And no `flatten`, which
        // takes twice as many instructions. This is asked for every operation.
        let (columns, ops, rets) = (&self.columns, self.columns.ops, self.columns.rets);
        let mut block = Vec::new().into_iter();
        let mut run = std::iter::from_fn(move || {
            loop {
                if let Some(Call { op, ret }) = block.next() {
                    let recorded = rets.get(ret.0 as usize);
                    let ret = recorded.map_or_else(|| columns.get(ret), Option::as_ref);
                    return Some((&ops[op.index()], ret));
                }
                block = run.next()?.into_iter();
            }
        });
        self.spec.replay(&mut run)
    }

    fn roles(&self, ops: Range<usize>, spans: &[Span], roles: &mut Vec<(Role, Option<Name>)>) {
        if let Some(shaped) = self.shaped {
            let columns = &self.columns;
            shaped.roles(&columns.ops[ops.clone()], &columns.rets[ops], spans, roles);
        }
    }

    fn direction(&self, calls: &[Call]) -> Option<Ordering> {
        // Only results that were found later would need more.
        let shaped = self.shaped.filter(|_| self.columns.found.is_empty())?;
        shaped.direction(self.columns.ops, self.columns.rets, calls)
    }

    fn same_names(&self, pairs: &[[Place; 2]]) -> bool {
        match self.shaped {
            Some(shaped) if self.columns.found.is_empty() => {
                shaped.same_names(self.columns.ops, self.columns.rets, pairs)
            }
            _ => pairs.iter().all(|[a, b]| self.same_name(*a, *b)),
        }
    }
}

/// Classes of calls by their contents.
struct TypedClasses<'a, S: Spec> {
    columns: &'a HistoryColumns<'a, S>,
    /// A call of each class.
    examples: Vec<Call>,
    index: Index,
}

impl<S: Spec> TypedClasses<'_, S> {
    fn class(&mut self, call: Call) -> ClassId {
        let (op, ret) = (self.columns.op(call.op), self.columns.get(call.ret));
        let hash = stable_hash(&(op, ret)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.index.is_full() {
            self.index.resize((2 * self.index.cells()).max(16));
        }
        let same = |class: usize| {
            let known = self.examples[class];
            (known.op == call.op || self.columns.op(known.op) == op)
                && (known.ret == call.ret || self.columns.get(known.ret) == ret)
        };
        match self.index.find(hash, same) {
            Ok(class) => ClassId(class),
            Err(at) => {
                let class = self.examples.len() as u32;
                self.index.insert(at, class, hash);
                self.examples.push(call);
                ClassId(class)
            }
        }
    }
}

impl<S: Spec> Classes for TypedClasses<'_, S> {
    fn clear(&mut self) {
        self.examples.clear();
        self.index.clear();
    }

    fn classify(&mut self, calls: &[Call], classes: &mut Vec<ClassId>) {
        for call in calls {
            classes.push(self.class(*call));
        }
    }
}
