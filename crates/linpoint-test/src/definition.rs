//! The definition of a test, independent of how it is scheduled: an object, its specification, and
//! how operations are drawn and performed.
//!
//! [`Test::new`] asks for these step by step, so that each closure is checked against the types of
//! the steps before it: [`NeedsSpec`], [`NeedsOps`], [`NeedsPerform`].
//! [`Stress::new`](crate::Stress::new) asks for the same and yields a stress test.

mod draw;

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use linpoint::Spec;

use crate::block_on::block_on;
use crate::execution::message_of;
use crate::handles::Handles;
use crate::rng::Rng;
use draw::{Draw, LENGTHS};

type Make<T> = Arc<dyn Fn() -> T + Send + Sync>;
type Perform<T, S> = Arc<dyn Fn(&T, usize, &<S as Spec>::Op) -> <S as Spec>::Ret + Send + Sync>;
type Unblock<T> = Arc<dyn Fn(&T) + Send + Sync>;
type Validate<T> = Arc<dyn Fn(&T) + Send + Sync>;
/// A property of operations.
type Which<S> = Arc<dyn Fn(&<S as Spec>::Op) -> bool + Send + Sync>;
type OnPanic<S> = Arc<dyn Fn(&<S as Spec>::Op, &str) -> Option<<S as Spec>::Ret> + Send + Sync>;

/// An object, its specification, and the operations performed on it. Clones share everything.
///
/// Run it with [`Test::stress`], or with `Test::shuttle` and `Test::loom` (features of the same
/// names).
pub struct Test<T, S: Spec> {
    make: Make<T>,
    spec: Arc<S>,
    perform: Perform<T, S>,
    draw: Draw<S::Op>,
    /// Threads that draw their operations in another way.
    roles: Vec<(usize, Draw<S::Op>)>,
    setup: Arc<[S::Op]>,
    finally: Arc<[S::Op]>,
    threads: usize,
    /// `None`: long and short runs take turns.
    operations: Option<usize>,
    name: Option<String>,
    unblock: Option<Unblock<T>>,
    validate: Option<Validate<T>>,
    relaxed: Option<Which<S>>,
    may_block: Option<Which<S>>,
    on_panic: Option<OnPanic<S>>,
}

impl<T, S: Spec> Clone for Test<T, S> {
    fn clone(&self) -> Self {
        Test {
            make: self.make.clone(),
            spec: self.spec.clone(),
            perform: self.perform.clone(),
            draw: self.draw.clone(),
            roles: self.roles.clone(),
            setup: self.setup.clone(),
            finally: self.finally.clone(),
            threads: self.threads,
            operations: self.operations,
            name: self.name.clone(),
            unblock: self.unblock.clone(),
            validate: self.validate.clone(),
            relaxed: self.relaxed.clone(),
            may_block: self.may_block.clone(),
            on_panic: self.on_panic.clone(),
        }
    }
}

/// What the steps of [`Test::new`] yield: a definition, or a way to run it.
#[doc(hidden)]
pub trait Mode {
    /// The result.
    type Of<T, S: Spec + Send + 'static>;
    /// Makes it from a definition.
    fn of<T, S: Spec + Send + 'static>(test: Test<T, S>) -> Self::Of<T, S>;
}

/// Yields the definition itself.
#[doc(hidden)]
pub enum Defined {}

impl Mode for Defined {
    type Of<T, S: Spec + Send + 'static> = Test<T, S>;
    fn of<T, S: Spec + Send + 'static>(test: Test<T, S>) -> Test<T, S> {
        test
    }
}

/// A test that needs a specification next: [`NeedsSpec::spec`].
#[must_use]
pub struct NeedsSpec<T, M> {
    make: Make<T>,
    mode: PhantomData<fn() -> M>,
}

/// A test that needs operations next: [`NeedsOps::ops`] or [`NeedsOps::ops_from`].
#[must_use]
pub struct NeedsOps<T, S, M> {
    make: Make<T>,
    spec: Arc<S>,
    mode: PhantomData<fn() -> M>,
}

/// A test that needs to know how operations are performed: [`NeedsPerform::perform`].
#[must_use]
pub struct NeedsPerform<T, S: Spec, M> {
    make: Make<T>,
    spec: Arc<S>,
    draw: Draw<S::Op>,
    mode: PhantomData<fn() -> M>,
}

pub(crate) fn start<T, M: Mode>(make: impl Fn() -> T + Send + Sync + 'static) -> NeedsSpec<T, M> {
    NeedsSpec { make: Arc::new(make), mode: PhantomData }
}

impl<T, M: Mode> NeedsSpec<T, M> {
    /// The specification: one of [`crate::models`], any struct that implements
    /// [`Sequential`](crate::Sequential), or any [`Spec`].
    pub fn spec<S: Spec + Send + 'static>(self, spec: S) -> NeedsOps<T, S, M> {
        NeedsOps { make: self.make, spec: Arc::new(spec), mode: PhantomData }
    }
}

impl<T, S: Spec, M: Mode> NeedsOps<T, S, M> {
    fn draw(self, draw: Draw<S::Op>) -> NeedsPerform<T, S, M> {
        NeedsPerform { make: self.make, spec: self.spec, draw, mode: PhantomData }
    }

    /// How an operation is drawn. The function must depend on nothing but the [`Rng`]: it is called
    /// again to shrink and to replay. [`Rng::thread`] is the thread that will perform the
    /// operation. [`crate::profile`] has ready-made functions.
    pub fn ops(
        self,
        draw: impl Fn(&mut Rng) -> S::Op + Send + Sync + 'static,
    ) -> NeedsPerform<T, S, M> {
        self.draw(Draw::By(Arc::new(draw)))
    }

    /// Draws operations uniformly from a list, which can also be enumerated.
    ///
    /// # Panics
    ///
    /// If the list is empty.
    pub fn ops_from(self, ops: impl IntoIterator<Item = S::Op>) -> NeedsPerform<T, S, M> {
        let ops: Arc<[S::Op]> = ops.into_iter().collect();
        assert!(!ops.is_empty(), "a test needs at least one operation");
        self.draw(Draw::From(ops))
    }
}

#[cfg(feature = "proptest")]
impl<T, S: Spec, M: Mode> NeedsOps<T, S, M> {
    /// Draws operations by a proptest strategy, which also simplifies them when a failure is
    /// shrunk.
    pub fn ops_of(
        self,
        strategy: impl proptest::strategy::Strategy<Value = S::Op> + Send + Sync + 'static,
    ) -> NeedsPerform<T, S, M> {
        self.draw(Draw::By(Arc::new(move |rng| crate::proptest_ops::draw(&strategy, rng))))
    }
}

impl<T, S: Spec + Send + 'static, M: Mode> NeedsPerform<T, S, M> {
    /// Performs an operation on the object.
    pub fn perform(
        self,
        perform: impl Fn(&T, &S::Op) -> S::Ret + Send + Sync + 'static,
    ) -> M::Of<T, S> {
        self.perform_by(move |object, _, op| perform(object, op))
    }

    /// Performs an operation that is a future. The thread waits for it; no runtime is needed, except by futures that
    /// use one themselves, such as timers.
    ///
    /// ```text
    /// .perform_async(async |(sender, receiver), op| match op {
    ///     ChannelOp::Recv => receiver.recv().await.map_or(ChannelRet::Closed, ChannelRet::Message),
    ///     …
    /// })
    /// ```
    pub fn perform_async(
        self,
        perform: impl AsyncFn(&T, &S::Op) -> S::Ret + Send + Sync + 'static,
    ) -> M::Of<T, S> {
        self.perform_by(move |object, _, op| block_on(perform(object, op)))
    }

    /// Performs an operation on the object as the thread with this number, for objects that give
    /// each thread a part of its own. Setup and final operations have the number after those of the
    /// threads.
    pub fn perform_by(
        self,
        perform: impl Fn(&T, usize, &S::Op) -> S::Ret + Send + Sync + 'static,
    ) -> M::Of<T, S> {
        M::of(Test {
            make: self.make,
            spec: self.spec,
            perform: Arc::new(perform),
            draw: self.draw,
            roles: Vec::new(),
            setup: Arc::new([]),
            finally: Arc::new([]),
            threads: 3,
            operations: None,
            name: None,
            unblock: None,
            validate: None,
            relaxed: None,
            may_block: None,
            on_panic: None,
        })
    }
}

impl<H: 'static, S: Spec + Send + 'static, M: Mode> NeedsPerform<Handles<H>, S, M> {
    /// Performs an operation with the handle of the thread that performs it. See [`Handles`].
    pub fn perform_mut(
        self,
        perform: impl Fn(&mut H, &S::Op) -> S::Ret + Send + Sync + 'static,
    ) -> M::Of<Handles<H>, S> {
        self.perform_by(move |handles, thread, op| {
            handles.with(thread, |handle| perform(handle, op))
        })
    }
}

impl<T> Test<T, crate::models::Register<()>> {
    /// Defines a test of the objects that `make` makes. The next steps are
    /// [`spec`](NeedsSpec::spec), [`ops`](NeedsOps::ops) and [`perform`](NeedsPerform::perform).
    #[allow(clippy::new_ret_no_self)]
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> NeedsSpec<T, Defined> {
        start(make)
    }
}

/// Settings.
impl<T, S: Spec> Test<T, S> {
    /// The number of threads; 3 by default.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The number of operations of each thread. By default, runs of 20 and of 4 operations take turns: in long
    /// runs more can happen, but later operations hide what went wrong, such as a wake-up that was lost.
    pub fn operations(mut self, operations: usize) -> Self {
        self.operations = Some(operations);
        self
    }

    /// Thread `number` draws its operations by this function instead: a producer, the owner of a deque. There
    /// are at least this many threads.
    pub fn thread(
        mut self,
        number: usize,
        draw: impl Fn(&mut Rng) -> S::Op + Send + Sync + 'static,
    ) -> Self {
        self.roles.retain(|(thread, _)| *thread != number);
        self.roles.push((number, Draw::By(Arc::new(draw))));
        self.threads = self.threads.max(number + 1);
        self
    }

    /// Operations performed, and recorded, before the threads start.
    pub fn setup(mut self, ops: impl IntoIterator<Item = S::Op>) -> Self {
        self.setup = ops.into_iter().collect();
        self
    }

    /// Operations performed, and recorded, when all threads have ended. They observe the outcome.
    pub fn finally(mut self, ops: impl IntoIterator<Item = S::Op>) -> Self {
        self.finally = ops.into_iter().collect();
        self
    }

    /// The name under which reports, replay files and regressions are kept. The default is the name
    /// of the thread, which is that of the `#[test]`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Releases operations that wait, so that their threads can be reused: closes the channel,
    /// fills the queue. Called when the execution has been recorded; results returned after that
    /// are ignored.
    pub fn unblock(mut self, unblock: impl Fn(&T) + Send + Sync + 'static) -> Self {
        self.unblock = Some(Arc::new(unblock));
        self
    }

    /// Looks at the object after each run, when all threads have ended, and panics if something is wrong with it:
    /// a broken invariant fails the test even if no operation has noticed it. Runs that end in a wait are not
    /// validated. For stress tests only; schedulers ignore it.
    pub fn validate(mut self, validate: impl Fn(&T) + Send + Sync + 'static) -> Self {
        self.validate = Some(Arc::new(validate));
        self
    }

    /// The operations for which this is true are checked for less than linearizability: such an operation must
    /// return a correct result if no operation of another thread overlaps it. If one does, its result is ignored.
    /// For `len`, `is_empty` and iterators, which many structures do not promise to be atomic. For stress tests
    /// only; under schedulers all operations must be linearizable.
    pub fn relaxed(mut self, is_relaxed: impl Fn(&S::Op) -> bool + Send + Sync + 'static) -> Self {
        self.relaxed = Some(Arc::new(is_relaxed));
        self
    }

    /// The operations for which this is true may wait for other threads: `lock`, `recv`. All others must be
    /// obstruction-free, if that is tested: see `Shuttle::obstruction_free`.
    pub fn may_block(mut self, may_block: impl Fn(&S::Op) -> bool + Send + Sync + 'static) -> Self {
        self.may_block = Some(Arc::new(may_block));
        self
    }

    /// Maps a panic, given the operation and the message, to a result of the specification, or to
    /// `None` if it is a failure. By default every panic of an operation fails the test.
    pub fn panics_as(
        mut self,
        result: impl Fn(&S::Op, &str) -> Option<S::Ret> + Send + Sync + 'static,
    ) -> Self {
        self.on_panic = Some(Arc::new(result));
        self
    }
}

/// For runners.
impl<T, S: Spec> Test<T, S> {
    /// Makes a new object.
    pub fn make(&self) -> T {
        (self.make)()
    }

    /// The specification.
    pub fn specification(&self) -> &S {
        &self.spec
    }

    /// Performs an operation as the thread with this number.
    #[inline]
    pub fn perform(&self, object: &T, thread: usize, op: &S::Op) -> S::Ret {
        (self.perform)(object, thread, op)
    }

    /// The number of threads of a drawn scenario.
    pub fn thread_count(&self) -> usize {
        self.threads
    }

    /// The number of operations of each thread of a drawn scenario, at most.
    pub fn operation_count(&self) -> usize {
        self.operations.unwrap_or(LENGTHS[0])
    }

    /// The operations before the threads start.
    pub fn setup_ops(&self) -> &[S::Op] {
        &self.setup
    }

    /// The operations after all threads have ended.
    pub fn final_ops(&self) -> &[S::Op] {
        &self.finally
    }

    /// All operations that can be drawn, if they are from a list.
    pub fn listed_ops(&self) -> Option<&[S::Op]> {
        match &self.draw {
            Draw::From(ops) => Some(ops),
            Draw::By(_) => None,
        }
    }

    /// The name set by [`Test::name`].
    pub fn given_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// How to release operations that wait, if that is known.
    pub fn unblocks(&self) -> Option<&(dyn Fn(&T) + Send + Sync)> {
        self.unblock.as_deref()
    }

    /// True if threads have numbers that matter.
    pub(crate) fn has_roles(&self) -> bool {
        !self.roles.is_empty()
    }

    /// The message of a failed validation.
    pub(crate) fn invalidity(&self, object: &T) -> Option<String> {
        let validate = self.validate.as_ref()?;
        let outcome = catch_unwind(AssertUnwindSafe(|| validate(object)));
        outcome.err().map(|payload| message_of(&*payload))
    }

    /// The function that recognises relaxed operations, if there are any.
    pub(crate) fn relaxed_ops(&self) -> Option<&Which<S>> {
        self.relaxed.as_ref()
    }

    /// True if the operation may wait for other threads.
    #[cfg(feature = "shuttle")]
    pub(crate) fn blocks(&self, op: &S::Op) -> bool {
        self.may_block.as_ref().is_some_and(|may_block| may_block(op))
    }

    /// The result that a panic of an operation maps to, if any.
    pub fn result_of_panic(&self, op: &S::Op, message: &str) -> Option<S::Ret> {
        self.on_panic.as_ref().and_then(|result| result(op, message))
    }
}
