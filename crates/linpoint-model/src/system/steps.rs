//! Performs one step of one thread on real data, for the exploration and for the replay of a violation.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::bounds::Bounds;
use crate::error::ModelError;
use crate::model::{Cx, Flow, Model, Op, Ret};
use crate::simple::Simple;

/// The largest number of merged steps.
const MAX_JOINED: usize = 1000;

/// Shared memory, and counters that bound the calls.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct World<S> {
    pub(crate) mem: S,
    /// Operations called by all threads, if their total is bounded.
    pub(crate) begun: u8,
    /// The next value that no operation has carried.
    pub(crate) fresh: u8,
}

/// The state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Thread<O, L> {
    /// Its number if the model distinguishes threads, otherwise 0.
    pub(crate) id: u8,
    /// The index of its program.
    pub(crate) program: u8,
    /// Operations it has called, if that is bounded.
    pub(crate) begun: u8,
    pub(crate) line: u8,
    /// It has written 1, in simple executions.
    pub(crate) has_shifted: bool,
    pub(crate) op: Option<O>,
    pub(crate) local: L,
}

/// The result of a step.
pub(crate) struct TypedMove<M: Model> {
    pub(crate) world: World<M::Shared>,
    pub(crate) thread: Thread<Op<M>, M::Local>,
    pub(crate) call: Option<Op<M>>,
    pub(crate) takes_effect: bool,
    pub(crate) ret: Option<Ret<M>>,
    /// The operation, and the performed lines.
    pub(crate) op: Op<M>,
    pub(crate) lines: Vec<u8>,
}

/// Runs a function of the model and turns a panic into an error.
pub(crate) fn catch_panic<T>(
    at: impl FnOnce() -> String,
    run: impl FnOnce() -> T,
) -> Result<T, ModelError> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| panicked(at(), &*payload))
}

#[cold]
fn panicked(at: String, payload: &(dyn Any + Send)) -> ModelError {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
    ModelError::Panicked { at, message: message.unwrap_or_else(|| "no message".to_owned()) }
}

/// A line of an operation, for messages.
#[cold]
fn place<M: Model>(model: &M, op: &Op<M>, line: u8) -> String {
    format!("line {} of {op:?}", model.label(op, line))
}

/// Performs the steps of a model within its bounds.
pub(crate) struct Steps<'m, M: Model> {
    pub(crate) model: &'m M,
    pub(crate) bounds: Bounds<Op<M>>,
    /// Merge movers into the previous step.
    pub(crate) merges: bool,
    /// Restricts runs to simple executions.
    pub(crate) simple: Option<Simple<M>>,
}

impl<M: Model> Steps<'_, M> {
    /// The operations that an idle thread may call.
    fn calls(&self, world: &World<M::Shared>, thread: &Thread<Op<M>, M::Local>) -> Vec<Op<M>> {
        let number = usize::from(thread.id);
        match &self.bounds {
            Bounds::Total { ops, .. } if world.begun < *ops => {
                (M::INTERFACE.calls)(number, world.fresh)
            }
            Bounds::PerThread { ops, .. } if thread.begun < *ops => {
                (M::INTERFACE.calls)(number, world.fresh)
            }
            Bounds::Unbounded { .. } => (M::INTERFACE.calls)(number, world.fresh),
            Bounds::Programs(programs) => {
                let program = programs.get(usize::from(thread.program));
                let next = program.and_then(|program| program.get(usize::from(thread.begun)));
                next.cloned().into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// True if the thread may call an operation.
    pub(crate) fn may_call(
        &self,
        world: &World<M::Shared>,
        thread: &Thread<Op<M>, M::Local>,
    ) -> bool {
        match &self.bounds {
            Bounds::Total { ops, .. } => world.begun < *ops,
            Bounds::PerThread { ops, .. } => thread.begun < *ops,
            Bounds::Unbounded { .. } => true,
            Bounds::Programs(programs) => programs
                .get(usize::from(thread.program))
                .is_some_and(|program| usize::from(thread.begun) < program.len()),
        }
    }

    /// All next moves of a thread.
    #[inline(never)]
    pub(crate) fn moves(
        &self,
        world: &World<M::Shared>,
        thread: &Thread<Op<M>, M::Local>,
    ) -> Result<Vec<TypedMove<M>>, ModelError> {
        let mut moves = Vec::new();
        if let Some(op) = thread.op.clone() {
            self.continuations(world, thread, op, None, &mut moves)?;
            return Ok(moves);
        }
        let calls =
            catch_panic(|| "its list of operations".to_owned(), || self.calls(world, thread))?;
        for op in calls {
            let mut world = world.clone();
            let mut thread = thread.clone();
            if let Some(simple) = &self.simple {
                let Some(shifted) = simple.admits(&op, thread.has_shifted) else { continue };
                thread.has_shifted = shifted;
            }
            match &self.bounds {
                Bounds::Total { .. } => world.begun += 1,
                Bounds::PerThread { .. } | Bounds::Programs(_) => thread.begun += 1,
                Bounds::Unbounded { .. } => {}
            }
            if (M::INTERFACE.carries)(&op) == Some(world.fresh)
                && !matches!(self.bounds, Bounds::Programs(_))
            {
                world.fresh += 1;
            }
            thread.op = Some(op.clone());
            self.continuations(&world, &thread, op.clone(), Some(op), &mut moves)?;
        }
        Ok(moves)
    }

    /// The next step of `op`, once for every combination of choices.
    fn continuations(
        &self,
        world: &World<M::Shared>,
        thread: &Thread<Op<M>, M::Local>,
        op: Op<M>,
        call: Option<Op<M>>,
        moves: &mut Vec<TypedMove<M>>,
    ) -> Result<(), ModelError> {
        let mut cx = Cx::new(usize::from(thread.id));
        loop {
            let mut moved = TypedMove {
                world: world.clone(),
                thread: thread.clone(),
                call: call.clone(),
                takes_effect: false,
                ret: None,
                op: op.clone(),
                lines: Vec::new(),
            };
            if self.perform(&mut cx, &mut moved)? {
                moved.takes_effect = cx.takes_effect;
                moves.push(moved);
            }
            if !cx.next_choice() {
                return Ok(());
            }
        }
    }

    /// Performs a step, and those that are merged into it. False if it has to wait.
    fn perform(&self, cx: &mut Cx, moved: &mut TypedMove<M>) -> Result<bool, ModelError> {
        loop {
            let line = moved.thread.line;
            cx.line = line;
            let TypedMove { world, thread, op, .. } = moved;
            let (model, before) = (
                self.model,
                (!moved.lines.is_empty()).then(|| (world.mem.clone(), thread.local.clone())),
            );
            let at = || place(model, op, line);
            let flow = catch_panic(at, || model.step(cx, op, &mut world.mem, &mut thread.local))?;
            match flow {
                Flow::Wait => {
                    let Some((mem, local)) = before else { return Ok(false) };
                    (world.mem, thread.local) = (mem, local);
                    return Ok(true);
                }
                Flow::Return(ret) => {
                    moved.lines.push(line);
                    moved.ret = Some(ret);
                    moved.thread.op = None;
                    moved.thread.line = 0;
                    moved.thread.local = M::Local::default();
                    return Ok(true);
                }
                Flow::Goto(next) => {
                    moved.lines.push(line);
                    moved.thread.line = next;
                    cx.line = next;
                    let (mem, local) = (&moved.world.mem, &moved.thread.local);
                    if !self.merges || !self.model.is_mover(cx, &moved.op, mem, local) {
                        return Ok(true);
                    }
                    if moved.lines.len() > MAX_JOINED {
                        let at = place(self.model, &moved.op, line);
                        return Err(ModelError::EndlessMerge { at });
                    }
                }
            }
        }
    }
}
