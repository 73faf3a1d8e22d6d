//! Replays a violation on real data, without any reduction but merged steps, and checks its history with the library. A
//! violation that the library does not confirm is an internal error.

use linpoint::history::Span;
use linpoint::{OpId, Report, Spec, Verdict};

use super::Route;
use crate::error::ModelError;
use crate::method::{Method, Numbers, ThreadEvent, history, report};
use crate::model::Model;
use crate::system::{ModelSystem, Move, System, TypedMove, by_key};

/// A run that is not linearizable.
#[derive(Debug)]
pub struct Violation {
    /// Shared memory before the first step.
    pub initially: String,
    /// The run, step by step.
    pub steps: Vec<Step>,
    /// The operations of its history, in the order of their calls, which is the numbering of the report.
    pub operations: Vec<Operation>,
    /// The library's report on the history, with its explanation. With the method `points` the history may be linearizable:
    /// then the model has wrong linearization points.
    pub report: Report,
}

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The thread.
    pub thread: usize,
    /// The operation, if the step calls it.
    pub call: Option<String>,
    /// The index of the operation in the history.
    pub operation: usize,
    /// The labels of the performed lines.
    pub lines: Vec<String>,
    /// The result, if the operation returned.
    pub ret: Option<String>,
    /// Shared memory after the step.
    pub shared: String,
    /// The local state of the thread after the step, if it is within an operation.
    pub local: Option<String>,
}

/// An operation of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The thread.
    pub thread: usize,
    /// The operation.
    pub op: String,
    /// The result, if it returned.
    pub ret: Option<String>,
    /// The interval during which it was open, in events of the history.
    pub span: Span,
}

/// A system that can replay its runs on real data.
pub(crate) trait Replay: System {
    /// The numbers of shared memory and of all threads before the first step.
    fn first(&self) -> Result<(u32, Vec<u32>), ModelError>;

    /// Shared memory as text.
    fn show(&self, shared: u32) -> String;

    /// Performs a move of a thread again. Describes the step, except for the numbers of the thread and of the operation.
    fn replay_move(
        &self,
        shared: u32,
        thread: u32,
        index: usize,
    ) -> Result<(Move, Step), ModelError>;

    /// The specification over the numbers of operations and results.
    fn numbers(&self) -> Box<dyn Numbers + '_>;
}

impl<M: Model> Replay for ModelSystem<'_, M> {
    fn first(&self) -> Result<(u32, Vec<u32>), ModelError> {
        ModelSystem::first(self)
    }

    fn show(&self, shared: u32) -> String {
        self.steps.model.show(&self.worlds.get(shared).mem)
    }

    fn replay_move(
        &self,
        shared: u32,
        thread: u32,
        index: usize,
    ) -> Result<(Move, Step), ModelError> {
        let moves = self.steps.moves(self.worlds.get(shared), self.threads.get(thread))?;
        let lost = || ModelError::Internal("a run cannot be performed again".into());
        let moved = moves.get(index).ok_or_else(lost)?;
        Ok((self.number_move(moved)?, described(self.steps.model, moved)))
    }

    fn numbers(&self) -> Box<dyn Numbers + '_> {
        Box::new(self.numbered())
    }
}

/// A replayed run.
struct Replayed {
    initially: String,
    steps: Vec<Step>,
    events: Vec<ThreadEvent>,
}

/// Replays a run. Only steps are merged; nothing is sorted or renamed.
fn replay(system: &dyn Replay, route: &Route) -> Result<Replayed, ModelError> {
    let (mut shared, mut threads) = system.first()?;
    // The route names positions of sorted threads.
    let mut positions: Vec<usize> = match system.sort_keys() {
        None => (0..threads.len()).collect(),
        Some(keys) => by_key(&threads.iter().map(|thread| keys.get(*thread)).collect::<Vec<_>>()),
    };
    let initially = system.show(shared);
    let (mut steps, mut events) = (Vec::new(), Vec::new());
    let mut begun = 0;
    let mut current = vec![0; threads.len()];
    for next in &route.0 {
        let thread = positions[usize::from(next.thread)];
        let (moved, mut step) =
            system.replay_move(shared, threads[thread], usize::from(next.index))?;
        if step.call.is_some() {
            current[thread] = begun;
            begun += 1;
        }
        (step.thread, step.operation) = (thread, current[thread]);
        steps.push(step);
        events.push(ThreadEvent { thread: thread as u8, event: moved.event });
        positions = next.order.applied(&positions);
        (shared, threads[thread]) = (moved.shared, moved.thread);
    }
    Ok(Replayed { initially, steps, events })
}

/// Replays a run, and confirms with the library that it is a violation.
pub(crate) fn violation(
    system: &dyn Replay,
    method: Method,
    route: &Route,
) -> Result<Violation, ModelError> {
    let Replayed { initially, steps, events } = replay(system, route)?;
    let numbers = system.numbers();
    let history = history(&events);
    let report = report(&*numbers, &history);
    let report = report.map_err(|error| ModelError::Internal(error.to_string()))?;
    if !matches!(report.verdict, Verdict::Violation(_)) && method != Method::Points {
        return Err(ModelError::Internal("the library does not confirm a violation".into()));
    }
    let operation = |at: usize| {
        let id = OpId(at as u32);
        let op = *history.op(id);
        Operation {
            thread: history.extras(id).process.unwrap_or(0) as usize,
            op: numbers.describe_op(op),
            ret: history.ret(id).map(|ret| numbers.describe_ret(op, *ret)),
            span: history.span(id),
        }
    };
    let operations = (0..history.len()).map(operation).collect();
    Ok(Violation { initially, steps, operations, report })
}

/// Describes a step, except for the numbers of the thread and of the operation.
fn described<M: Model>(model: &M, moved: &TypedMove<M>) -> Step {
    let spec = model.spec();
    Step {
        thread: 0,
        call: moved.call.as_ref().map(|op| spec.describe_op(op)),
        operation: 0,
        lines: moved.lines.iter().map(|line| model.label(&moved.op, *line)).collect(),
        ret: moved.ret.as_ref().map(|ret| spec.describe_ret(&moved.op, ret)),
        shared: model.show(&moved.world.mem),
        local: moved.thread.op.is_some().then(|| model.show_local(&moved.thread.local)),
    }
}
