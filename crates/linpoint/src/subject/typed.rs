//! The one adapter from typed specifications and histories to numbers.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::{Call, ClassId, Classes, Place, RetId, Row, Session, Subject, TypedSession};
use crate::history::{History, OpId, Span};
use crate::spec::{
    Footprint, Mention, Name, OpView, PartView, Refutation, Role, Shape, Shaped, Spec, Text, Traces,
};

/// A specification and a history of its operations as a [`Subject`].
pub struct Typed<'a, S: Spec> {
    spec: &'a S,
    shaped: Option<&'a dyn Shaped<S::Op, S::Ret>>,
    columns: Columns<'a, S>,
}

/// Operations and results by number.
pub(super) struct Columns<'a, S: Spec> {
    pub(super) ops: &'a [S::Op],
    rets: &'a [Option<S::Ret>],
    /// Results that were found by [`Session::outcomes`]: those with numbers beyond the recorded ones.
    found: Mutex<Vec<Arc<S::Ret>>>,
}

impl<'a, S: Spec> Typed<'a, S> {
    /// The subject of a check of `history` against `spec`.
    pub fn new(spec: &'a S, history: &'a History<S::Op, S::Ret>) -> Self {
        let (ops, rets) = history.columns();
        let columns = Columns { ops, rets, found: Mutex::new(Vec::new()) };
        Typed { spec, shaped: spec.shaped(), columns }
    }

    fn op(&self, op: OpId) -> &'a S::Op {
        &self.columns.ops[op.index()]
    }

    fn shaped(&self) -> Option<&'a dyn Shaped<S::Op, S::Ret>> {
        self.shaped
    }
}

impl<'a, S: Spec> Columns<'a, S> {
    /// The result behind a number; `Err` if it was found, and not recorded.
    fn ret(&self, ret: RetId) -> Result<Option<&'a S::Ret>, Arc<S::Ret>> {
        match self.rets.get(ret.0 as usize) {
            Some(recorded) => Ok(recorded.as_ref()),
            None if ret == RetId::UNKNOWN => Ok(None),
            None => Err(self.found()[ret.0 as usize - self.rets.len()].clone()),
        }
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Vec<Arc<S::Ret>>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `look` with the operation and its result.
    #[inline]
    pub(super) fn with<T>(&self, call: Call, look: impl FnOnce(&S::Op, Option<&S::Ret>) -> T) -> T {
        let op = &self.ops[call.op.index()];
        match self.ret(call.ret) {
            Ok(ret) => look(op, ret),
            Err(found) => look(op, Some(&found)),
        }
    }

    /// The number of a result that was found.
    pub(super) fn number(&self, ret: S::Ret) -> RetId {
        let mut found = self.found();
        let at = found.iter().position(|known| **known == ret).unwrap_or_else(|| {
            found.push(Arc::new(ret));
            found.len() - 1
        });
        RetId((self.rets.len() + at) as u32)
    }

    fn with_place<T>(&self, place: Place, look: impl FnOnce(Mention<'_, S::Op, S::Ret>) -> T) -> T {
        self.with(place.call, |op, ret| look(Mention { op, ret, slot: place.slot }))
    }

    /// Calls `look` with the operations of a part. All results that were found have to outlive that.
    fn with_part<T>(
        &self,
        part: &[Row],
        look: impl FnOnce(&PartView<'_, S::Op, S::Ret>) -> T,
    ) -> T {
        let found = self.found().clone();
        let view = |row: &Row| {
            let at = row.call.ret.0 as usize;
            let ret = match self.rets.get(at) {
                Some(recorded) => recorded.as_ref(),
                None => at.checked_sub(self.rets.len()).and_then(|at| Some(&**found.get(at)?)),
            };
            OpView { id: row.id, op: &self.ops[row.call.op.index()], ret, span: row.span }
        };
        look(&PartView::of(part.iter().map(view).collect()))
    }
}

impl<S: Spec> Subject for Typed<'_, S> {
    fn len(&self) -> usize {
        self.columns.ops.len()
    }

    fn is_known(&self, ret: RetId) -> bool {
        ret != RetId::UNKNOWN && self.columns.rets.get(ret.0 as usize).is_none_or(Option::is_some)
    }

    fn known_results(&self) -> usize {
        self.columns.rets.iter().filter(|ret| ret.is_some()).count()
    }

    fn classes(&self) -> Box<dyn Classes + '_> {
        let by_content = FxHashMap::default();
        Box::new(TypedClasses {
            columns: &self.columns,
            by_content,
            of_found: Vec::new(),
            count: 0,
        })
    }

    fn session(&self) -> Box<dyn Session + '_> {
        Box::new(TypedSession::new(self.spec, &self.columns))
    }

    fn describe_op(&self, op: OpId) -> String {
        self.spec.describe_op(self.op(op))
    }

    fn describe_ret(&self, call: Call) -> String {
        let describe = |op: &S::Op, ret: Option<&S::Ret>| {
            ret.map_or_else(|| "?".to_owned(), |ret| self.spec.describe_ret(op, ret))
        };
        self.columns.with(call, describe)
    }

    fn footprint(&self, op: OpId) -> Footprint {
        self.spec.footprint(self.op(op))
    }

    fn is_read(&self, call: Call) -> bool {
        self.columns.with(call, |op, ret| self.spec.is_read(op, ret))
    }

    fn leaves(&self, op: OpId) -> Traces {
        self.spec.leaves(self.op(op))
    }

    fn senses(&self, call: Call) -> Traces {
        self.columns.with(call, |op, ret| self.spec.senses(op, ret))
    }

    fn senses_to_act(&self, op: OpId) -> Traces {
        self.spec.senses_to_act(self.op(op))
    }

    fn anonymous_kind(&self, op: OpId) -> Option<u64> {
        self.spec.anonymous_kind(self.op(op))
    }

    fn idle_unless_named(&self, op: OpId) -> bool {
        self.spec.idle_unless_named(self.op(op))
    }

    fn refute(&self, part: &[Row]) -> Option<Refutation> {
        self.columns.with_part(part, |part| self.spec.refute(part))
    }

    fn guide(&self, part: &[Row]) -> Option<Vec<u64>> {
        self.columns.with_part(part, |part| self.spec.guide(part))
    }

    fn replay(&self, run: &mut dyn Iterator<Item = Call>) -> Option<Result<(), usize>> {
        let Columns { ops, rets, .. } = self.columns;
        let found = self.columns.found().clone();
        let mut run = run.map(|call| {
            let at = call.ret.0 as usize;
            let ret = match rets.get(at) {
                Some(recorded) => recorded.as_ref(),
                None => at.checked_sub(rets.len()).and_then(|at| Some(&**found.get(at)?)),
            };
            (&ops[call.op.index()], ret)
        });
        self.spec.replay(&mut run)
    }

    fn shape(&self) -> Shape {
        self.shaped().map_or(Shape::Opaque, Shaped::shape)
    }

    fn role(&self, call: Call, pending: bool) -> Role {
        let Some(shaped) = self.shaped() else { return Role::Foreign("the object has no shape") };
        self.columns.with(call, |op, ret| shaped.role(op, ret, pending))
    }

    fn key(&self, op: OpId) -> Option<Name> {
        self.shaped()?.key(self.op(op))
    }

    fn roles(&self, ops: Range<usize>, spans: &[Span], roles: &mut Vec<(Role, Option<Name>)>) {
        if let Some(shaped) = self.shaped() {
            let columns = &self.columns;
            shaped.roles(&columns.ops[ops.clone()], &columns.rets[ops], spans, roles);
        }
    }

    fn same_name(&self, a: Place, b: Place) -> bool {
        let Some(shaped) = self.shaped() else { return false };
        self.columns.with_place(a, |a| self.columns.with_place(b, |b| shaped.same_name(a, b)))
    }

    fn same_names(&self, pairs: &[[Place; 2]]) -> bool {
        match self.shaped() {
            Some(shaped) if self.columns.found().is_empty() => {
                shaped.same_names(self.columns.ops, self.columns.rets, pairs)
            }
            _ => pairs.iter().all(|[a, b]| self.same_name(*a, *b)),
        }
    }

    fn is_initial(&self, place: Place) -> bool {
        let Some(shaped) = self.shaped() else { return false };
        self.columns.with_place(place, |mention| shaped.is_initial(mention))
    }

    fn compare(&self, a: Place, b: Place) -> Ordering {
        let Some(shaped) = self.shaped() else { return Ordering::Equal };
        self.columns.with_place(a, |a| self.columns.with_place(b, |b| shaped.compare(a, b)))
    }

    fn view(&self, ret: RetId, names: &mut Vec<Option<Name>>) {
        let Some(shaped) = self.shaped() else { return };
        match self.columns.ret(ret) {
            Ok(None) => {}
            Ok(Some(ret)) => shaped.view(ret, names),
            Err(found) => shaped.view(&found, names),
        }
    }

    fn appends(&self, op: OpId) -> bool {
        self.shaped().is_some_and(|shaped| shaped.appends(self.op(op)))
    }

    fn text(&self, place: Place) -> Option<Text<'_>> {
        let (shaped, op, slot) = (self.shaped()?, self.op(place.call.op), place.slot);
        match self.columns.ret(place.call.ret) {
            Ok(ret) => shaped.text(Mention { op, ret, slot }),
            Err(found) => {
                let text = shaped.text(Mention { op, ret: Some(&found), slot })?;
                Some(Text { language: text.language, letters: text.letters.into_owned().into() })
            }
        }
    }

    fn initial_text(&self) -> Option<Text<'_>> {
        self.shaped()?.initial_text()
    }
}

/// Classes of calls by their contents.
struct TypedClasses<'a, S: Spec> {
    columns: &'a Columns<'a, S>,
    by_content: FxHashMap<(&'a S::Op, Option<&'a S::Ret>), ClassId>,
    /// Calls whose result was found, of which there are few.
    of_found: Vec<(Call, ClassId)>,
    count: u32,
}

impl<S: Spec> TypedClasses<'_, S> {
    /// The class of a call whose result was not recorded. It may be equal to one that was.
    #[cold]
    fn class_of_found(&mut self, call: Call, ret: &S::Ret) -> ClassId {
        let op = &self.columns.ops[call.op.index()];
        if let Some(class) = self.by_content.get(&(op, Some(ret))) {
            return *class;
        }
        let same = |(known, _): &&(Call, ClassId)| {
            known.ret == call.ret && self.columns.ops[known.op.index()] == *op
        };
        if let Some((_, class)) = self.of_found.iter().find(same) {
            return *class;
        }
        let class = ClassId(self.count);
        self.count += 1;
        self.of_found.push((call, class));
        class
    }

    fn class(&mut self, call: Call) -> ClassId {
        let ret = match self.columns.ret(call.ret) {
            Ok(ret) => ret,
            Err(found) => return self.class_of_found(call, &found),
        };
        let op = &self.columns.ops[call.op.index()];
        if let (Some(ret), false) = (ret, self.of_found.is_empty()) {
            let columns = self.columns;
            let same = |(known, _): &&(Call, ClassId)| {
                columns.with(*known, |known_op, known_ret| known_op == op && known_ret == Some(ret))
            };
            if let Some((_, class)) = self.of_found.iter().find(same) {
                return *class;
            }
        }
        let next = ClassId(self.count);
        let class = *self.by_content.entry((op, ret)).or_insert(next);
        self.count += u32::from(class == next);
        class
    }
}

impl<S: Spec> Classes for TypedClasses<'_, S> {
    fn clear(&mut self) {
        self.by_content.clear();
        self.of_found.clear();
        self.count = 0;
    }

    fn classify(&mut self, calls: &[Call], classes: &mut Vec<ClassId>) {
        classes.extend(calls.iter().map(|call| self.class(*call)));
    }
}
