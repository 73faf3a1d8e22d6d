//! A model as a [`System`]: numbers shared memory, threads, and what the method carries.

use std::sync::Arc;

use super::core::SystemCore;
use super::event::{MAX_OPS, MAX_RETS};
use super::interner::stable_hash;
use super::steps::{Steps, catch_panic};
use super::{
    Column, Event, Interner, MAX_MOVES, Move, Parts, Renaming, System, Thread, TypedMove, World,
};
use crate::bounds::{Bounds, MAX_THREADS};
use crate::error::{ModelError, Unsupported};
use crate::method::{
    Configs, Method, Monitor, Numbered, Numbers, Recorded, Scratch, ThreadEvent, Tracker,
};
use crate::model::{Model, Op, Ret, Symmetry};
use crate::simple::Simple;

/// The reductions in use: requested, possible with the bounds and the method, and claimed by the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ActiveReductions {
    pub(crate) merges: bool,
    pub(crate) symmetry: Symmetry,
}

/// A model with its bounds, as a system over numbers.
pub(crate) struct ModelSystem<'m, M: Model> {
    pub(crate) steps: Steps<'m, M>,
    pub(crate) worlds: Interner<World<M::Shared>>,
    pub(crate) threads: Interner<Thread<Op<M>, M::Local>>,
    ops: Arc<Interner<Op<M>>>,
    rets: Arc<Interner<Ret<M>>>,
    pub(super) core: SystemCore<'m>,
}

/// Carries nothing, for methods that do not need it.
struct NoTracker;

impl Tracker for NoTracker {
    fn initial(&self) -> u32 {
        0
    }

    fn advance(&self, _: u32, _: ThreadEvent, _: &mut Scratch) -> Option<u32> {
        Some(0)
    }

    fn len(&self) -> usize {
        1
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// Creates what states carry for a method.
fn tracker<'m>(
    method: Method,
    threads: usize,
    numbers: &dyn Fn() -> Box<dyn Numbers + 'm>,
    monitor: Option<Monitor<'m>>,
) -> Result<Box<dyn Tracker + 'm>, ModelError> {
    Ok(match method {
        Method::Sound | Method::Simple => Box::new(Configs::new(numbers(), threads, false)),
        Method::Points => Box::new(Configs::new(numbers(), threads, true)),
        Method::Recorded => Box::new(Recorded::new(numbers())),
        Method::Polynomial => match monitor {
            Some(monitor) => Box::new(monitor),
            None => return Err(Unsupported::NotSnapshot.into()),
        },
        Method::External | Method::Common => Box::new(NoTracker),
    })
}

impl<'m, M: Model> ModelSystem<'m, M> {
    pub(crate) fn new(
        model: &'m M,
        bounds: &Bounds<Op<M>>,
        method: Method,
        reduced: ActiveReductions,
        simple: Option<Simple<M>>,
    ) -> Result<Self, ModelError> {
        let threads = bounds.threads();
        if threads == 0 || threads > MAX_THREADS {
            return Err(Unsupported::ThreadCount.into());
        }
        if method == Method::Points && !model.has_points() {
            return Err(Unsupported::NoPoints.into());
        }
        let ops = Arc::new(Interner::new());
        let rets = Arc::new(Interner::new());
        let numbers = || Box::new(Numbered::new(model, &ops, &rets)) as Box<dyn Numbers + 'm>;
        let monitor = simple.as_ref().map(|simple| Monitor::new(simple, &ops, &rets));
        let tracker = tracker(method, threads, &numbers, monitor)?;
        let core = SystemCore::new(reduced, threads, bounds.is_bounded(), tracker);
        Ok(ModelSystem {
            steps: Steps { model, bounds: bounds.clone(), merges: reduced.merges, simple },
            worlds: Interner::new(),
            threads: Interner::new(),
            ops,
            rets,
            core,
        })
    }

    /// The specification over the numbers of operations and results.
    pub(crate) fn numbered(&self) -> Numbered<'m, M::Spec> {
        Numbered::new(self.steps.model, &self.ops, &self.rets)
    }

    /// The number of a thread. Its key is set before the number is returned.
    pub(super) fn thread_number(&self, thread: &Thread<Op<M>, M::Local>) -> u32 {
        let number = self.threads.intern(thread);
        if self.core.keys.get(number) == 0 {
            // The lowest bit marks an idle thread.
            let key = (stable_hash(thread) | 2) & !1 | u64::from(thread.op.is_none());
            self.core.keys.set(number, key);
        }
        number
    }

    /// A thread before its first step. Threads with equal programs are equal if the model is symmetric in threads.
    fn first_thread(&self, thread: usize) -> Thread<Op<M>, M::Local> {
        let program = match &self.steps.bounds {
            Bounds::Programs(programs) => {
                programs.iter().position(|program| *program == programs[thread]).unwrap_or(thread)
            }
            _ => 0,
        };
        Thread {
            id: if self.steps.model.symmetry().threads { 0 } else { thread as u8 },
            program: program as u8,
            begun: 0,
            line: 0,
            has_shifted: false,
            op: None,
            local: M::Local::default(),
        }
    }

    /// The numbers of shared memory and of all threads before the first step.
    pub(crate) fn first(&self) -> Result<(u32, Vec<u32>), ModelError> {
        let mem = catch_panic(|| "its initial memory".to_owned(), || self.steps.model.initial())?;
        let shared = self.worlds.intern(&World { mem, begun: 0, fresh: 1 });
        let mut threads = Vec::with_capacity(self.core.threads);
        for thread in 0..self.core.threads {
            threads.push(self.thread_number(&self.first_thread(thread)));
        }
        Ok((shared, threads))
    }

    /// A move by the numbers of its parts.
    pub(crate) fn number_move(&self, moved: &TypedMove<M>) -> Result<Move, ModelError> {
        Ok(Move {
            shared: self.worlds.intern(&moved.world),
            thread: self.thread_number(&moved.thread),
            event: self.event(moved.call.as_ref(), moved.takes_effect, moved.ret.as_ref())?,
        })
    }

    fn event(
        &self,
        call: Option<&Op<M>>,
        takes_effect: bool,
        ret: Option<&Ret<M>>,
    ) -> Result<Event, ModelError> {
        let call = call.map(|op| self.ops.intern(op));
        let ret = ret.map(|ret| self.rets.intern(ret));
        if call.is_some_and(|op| op > MAX_OPS) || ret.is_some_and(|ret| ret > MAX_RETS) {
            return Err(Unsupported::TooManyValues.into());
        }
        Ok(Event::new(call, takes_effect, ret))
    }
}

impl<M: Model> System for ModelSystem<'_, M> {
    fn threads(&self) -> usize {
        self.core.threads
    }

    fn initial(&self) -> Result<Parts, ModelError> {
        let (shared, threads) = self.first()?;
        self.core.initial(shared, &threads)
    }

    fn moves(&self, shared: u32, thread: u32, out: &mut Vec<Move>) -> Result<(), ModelError> {
        let (world, thread) = (self.worlds.get(shared), self.threads.get(thread));
        let moves = self.steps.moves(world, thread)?;
        if moves.len() > MAX_MOVES {
            return Err(Unsupported::TooManyOutcomes.into());
        }
        for moved in &moves {
            out.push(self.number_move(moved)?);
        }
        Ok(())
    }

    fn tracker(&self) -> &dyn Tracker {
        &*self.core.tracker
    }

    fn sort_keys(&self) -> Option<&Column> {
        self.core.reduced.symmetry.threads.then_some(&self.core.keys)
    }

    fn canonicalizes(&self) -> bool {
        self.core.reduced.symmetry.nodes || self.core.reduced.symmetry.values
    }

    fn canonical(&self, parts: &mut Parts) -> Renaming {
        self.canonicalized(parts)
    }

    fn is_idle(&self, thread: u32) -> bool {
        self.core.keys.get(thread) & 1 == 1
    }

    fn is_over(&self, parts: &Parts) -> bool {
        let threads = &parts.threads[..self.threads()];
        let world = self.worlds.get(parts.shared);
        threads.iter().all(|thread| {
            self.is_idle(*thread) && !self.steps.may_call(world, self.threads.get(*thread))
        })
    }

    fn bytes(&self) -> usize {
        self.worlds.bytes() + self.threads.bytes() + self.core.bytes()
    }
}
