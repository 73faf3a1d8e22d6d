//! A specification derived from the object itself, used by a single thread.
//!
//! The idea is that of Line-Up: what the object does when a single thread uses it is correct, and
//! its concurrent behaviour must be explained by that. A state is the list of operations so far. To
//! find the next result, all of them are performed on a fresh object, once for every list; results
//! are cached.
//!
//! Each list is performed twice. If the results differ, the object is not deterministic, which
//! [`Derived::flaw`] reports; the first result counts.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linpoint::Spec;

use crate::definition::Test;
use crate::execution::Runner;
use crate::scenario::Scenario;

type Perform<Op, Ret> = dyn Fn(&[Op]) -> Vec<Option<Ret>> + Send + Sync;
type Results<Op, Ret> = HashMap<Arc<[Op]>, Option<Ret>>;

/// A specification derived from an object. Clones share the cached results.
pub struct Derived<Op, Ret> {
    perform: Arc<Perform<Op, Ret>>,
    /// The result of the last operation of a list; `None` if it waits.
    known: Arc<Mutex<Results<Op, Ret>>>,
    flaw: Arc<Mutex<Option<String>>>,
}

impl<Op, Ret> Clone for Derived<Op, Ret> {
    fn clone(&self) -> Self {
        let Derived { perform, known, flaw } = self;
        Derived { perform: perform.clone(), known: known.clone(), flaw: flaw.clone() }
    }
}

impl<Op, Ret> Derived<Op, Ret>
where
    Op: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    Ret: Clone + Eq + Hash + Debug + Send + Sync + 'static,
{
    /// From a function that performs a list of operations on a fresh object and returns their
    /// results. The result of an operation that waits is `None`, and the operations after it are
    /// left out.
    pub fn new(perform: impl Fn(&[Op]) -> Vec<Option<Ret>> + Send + Sync + 'static) -> Self {
        Derived { perform: Arc::new(perform), known: Arc::default(), flaw: Arc::default() }
    }

    /// From an object on `std` primitives whose operations never wait.
    pub fn from_object<T>(
        make: impl Fn() -> T + Send + Sync + 'static,
        perform: impl Fn(&T, &Op) -> Ret + Send + Sync + 'static,
    ) -> Self {
        Derived::new(move |ops| {
            let object = make();
            ops.iter().map(|op| Some(perform(&object, op))).collect()
        })
    }

    /// From an object on shuttle or loom primitives. One thread performs the operations under
    /// `runner`, for which one execution is enough. An operation that waits there is not enabled in
    /// the specification.
    pub fn under<T, R>(
        runner: R,
        make: impl Fn() -> T + Send + Sync + 'static,
        perform: impl Fn(&T, &Op) -> Ret + Send + Sync + 'static,
    ) -> Self
    where
        T: Send + Sync + 'static,
        R: Runner<T, AnyResult<Op, Ret>> + Clone + Send + Sync + 'static,
    {
        let asked = AnyResult { results: Arc::default(), op: PhantomData };
        let (results, fresh) = (asked.results.clone(), asked.results.clone());
        let make = move || {
            lock(&fresh).clear();
            make()
        };
        let test = Test::new(make).spec(asked).ops(|_| unreachable!("nothing is drawn")).perform(
            move |object, op| {
                let result = perform(object, op);
                lock(&results).push(result.clone());
                result
            },
        );
        let turn = Mutex::new(());
        Derived::new(move |ops| {
            let _turn = lock(&turn);
            let threads = vec![ops.to_vec()];
            let scenario = Scenario { setup: Vec::new(), threads, finally: Vec::new() };
            let mut runner = runner.clone();
            // Schedulers use thread-local state, and the current thread may belong to one of them.
            let attempt = || runner.attempt(&test, &scenario);
            std::thread::scope(|scope| scope.spawn(attempt).join().ok());
            let results = std::mem::take(&mut *lock(&test.specification().results));
            let mut results: Vec<_> = results.into_iter().map(Some).collect();
            if results.len() < ops.len() {
                results.push(None);
            }
            results
        })
    }

    /// The first list of operations that gave different results when performed twice, if there is
    /// one.
    pub fn flaw(&self) -> Option<String> {
        lock(&self.flaw).clone()
    }

    /// The result of the last operation of the list.
    fn result(&self, ops: &[Op]) -> Option<Ret> {
        if let Some(known) = lock(&self.known).get(ops) {
            return known.clone();
        }
        for _ in 0..2 {
            let results = (self.perform)(ops);
            let mut known = lock(&self.known);
            for (at, result) in results.into_iter().enumerate() {
                let list = &ops[..=at];
                match known.get(list) {
                    None => {
                        known.insert(list.into(), result);
                    }
                    Some(before) if *before == result => {}
                    Some(before) => {
                        let text = format!("{list:?} returned {before:?}, then {result:?}");
                        lock(&self.flaw).get_or_insert(text);
                    }
                }
            }
        }
        // If the results end early, the last operation waits, and those after it cannot happen.
        lock(&self.known).entry(ops.into()).or_insert(None).clone()
    }
}

fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<Op, Ret> Spec for Derived<Op, Ret>
where
    Op: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    Ret: Clone + Eq + Hash + Debug + Send + Sync + 'static,
{
    type Op = Op;
    type Ret = Ret;
    type State = Arc<[Op]>;

    fn initial(&self) -> Arc<[Op]> {
        Arc::new([])
    }

    fn successors(&self, state: &Arc<[Op]>, op: &Op, ret: Option<&Ret>, next: &mut Vec<Arc<[Op]>>) {
        let mut outcomes = Vec::new();
        self.outcomes(state, op, &mut outcomes);
        let fits = |(got, _): &(Ret, Arc<[Op]>)| ret.is_none_or(|ret| ret == got);
        next.extend(outcomes.into_iter().filter(fits).map(|(_, after)| after));
    }

    fn outcomes(&self, state: &Arc<[Op]>, op: &Op, out: &mut Vec<(Ret, Arc<[Op]>)>) -> bool {
        let after: Arc<[Op]> = state.iter().chain([op]).cloned().collect();
        if let Some(ret) = self.result(&after) {
            out.push((ret, after));
        }
        true
    }

    fn state_bytes(&self, state: &Arc<[Op]>) -> usize {
        size_of::<Self::State>() + size_of_val(&**state)
    }
}

/// A specification that allows every result of every operation.
pub struct AnyResult<Op, Ret> {
    results: Arc<Mutex<Vec<Ret>>>,
    op: PhantomData<fn() -> Op>,
}

impl<Op, Ret> Spec for AnyResult<Op, Ret>
where
    Op: Clone + Eq + Hash + Debug + Send + Sync,
    Ret: Clone + Eq + Hash + Debug + Send + Sync,
{
    type Op = Op;
    type Ret = Ret;
    type State = ();

    fn initial(&self) {}

    fn successors(&self, _state: &(), _op: &Op, _ret: Option<&Ret>, next: &mut Vec<()>) {
        next.push(());
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use linpoint::{History, check};

    use super::*;

    #[test]
    fn an_object_is_its_own_specification() {
        let derived = Derived::from_object(
            || Cell::new(0),
            |counter, add: &u32| counter.replace(counter.get() + add),
        );
        let verdict = |first: u32, second: u32| {
            let mut events = History::from_events();
            let (a, b) = (events.call(1), events.call(10));
            events.ret(a, first).unwrap();
            events.ret(b, second).unwrap();
            check(&derived, &events.finish()).unwrap().verdict.is_linearizable()
        };
        assert!(verdict(0, 1) && verdict(10, 0));
        assert!(!verdict(0, 0) && !verdict(10, 1));
        assert_eq!(derived.flaw(), None);
    }

    #[test]
    fn a_nondeterministic_object_is_detected() {
        let calls = AtomicU32::new(0);
        let derived = Derived::new(move |ops: &[u8]| {
            ops.iter().map(|_| Some(calls.fetch_add(1, Relaxed))).collect()
        });
        derived.result(&[7]);
        assert_eq!(derived.flaw().unwrap(), "[7] returned Some(0), then Some(1)");
    }
}
