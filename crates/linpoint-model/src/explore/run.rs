//! Replays a violation on real data, without any reduction but merged steps, and checks its history with the library. A
//! violation that the library does not confirm is an internal error.

use linpoint::history::Span;
use linpoint::{OpId, Report, Spec, Verdict};

use super::Route;
use crate::bounds::MAX_THREADS;
use crate::error::ModelError;
use crate::method::{Method, Numbers, ThreadEvent, history, report};
use crate::model::Model;
use crate::system::{ModelSystem, System, TypedMove};

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
    /// Replays a run.
    fn replay(&self, route: &Route) -> Result<Replayed, ModelError>;

    /// The specification, by the numbers of operations and results.
    fn numbers(&self) -> Box<dyn Numbers + '_>;
}

/// A replayed run.
pub(crate) struct Replayed {
    initially: String,
    steps: Vec<Step>,
    events: Vec<ThreadEvent>,
}

impl<M: Model> Replay for ModelSystem<'_, M> {
    fn replay(&self, route: &Route) -> Result<Replayed, ModelError> {
        let lost = || ModelError::Internal("a run cannot be performed again".into());
        let model = self.steps.model;
        let mut world = self.first_world()?;
        let mut threads = self.first_threads();
        let mut positions = self.first_positions();
        let initially = model.show(&world.mem);
        let (mut steps, mut events) = (Vec::new(), Vec::new());
        for next in &route.0 {
            let thread = positions[usize::from(next.thread)];
            let moves = self.steps.moves(&world, &threads[thread])?;
            let moved = moves.into_iter().nth(usize::from(next.index)).ok_or_else(lost)?;
            let event = self.event(moved.call.as_ref(), moved.takes_effect, moved.ret.as_ref())?;
            events.push(ThreadEvent { thread: thread as u8, event });
            steps.push(shown(model, thread, &moved));
            positions = next.order.applied(&positions);
            world = moved.world;
            threads[thread] = moved.thread;
        }
        Ok(Replayed { initially, steps, events })
    }

    fn numbers(&self) -> Box<dyn Numbers + '_> {
        Box::new(self.numbered())
    }
}

/// Replays a run, and confirms with the library that it is a violation.
pub(crate) fn violation(
    system: &dyn Replay,
    method: Method,
    route: &Route,
) -> Result<Violation, ModelError> {
    let Replayed { initially, mut steps, events } = system.replay(route)?;
    number_operations(&mut steps);
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

/// Sets the operation of each step.
fn number_operations(steps: &mut [Step]) {
    let mut begun = 0;
    let mut current = [0; MAX_THREADS];
    for step in steps {
        if step.call.is_some() {
            current[step.thread] = begun;
            begun += 1;
        }
        step.operation = current[step.thread];
    }
}

/// Describes a step. Its operation has no number yet.
fn shown<M: Model>(model: &M, thread: usize, moved: &TypedMove<M>) -> Step {
    let spec = model.spec();
    Step {
        thread,
        call: moved.call.as_ref().map(|op| spec.describe_op(op)),
        operation: 0,
        lines: moved.lines.iter().map(|line| model.label(&moved.op, *line)).collect(),
        ret: moved.ret.as_ref().map(|ret| spec.describe_ret(&moved.op, ret)),
        shared: model.show(&moved.world.mem),
        local: moved.thread.op.is_some().then(|| model.show_local(&moved.thread.local)),
    }
}
