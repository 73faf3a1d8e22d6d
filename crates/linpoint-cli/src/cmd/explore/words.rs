//! A violation in the words of the report.

use std::time::Duration;

use linpoint::OpId;
use linpoint::history::Span;
use linpoint_model::Violation;
use linpoint_report::{Annotation, Heading, Operation, Operations, Rendered};

use super::Question;

/// The history of a run.
pub struct Words<'a>(pub &'a Violation);

impl Words<'_> {
    /// The report on the history.
    pub fn rendered(&self, question: &Question<'_>, time: Duration) -> Rendered {
        let heading = Heading {
            name: question.model.to_owned(),
            model: question.about.to_owned(),
            operations: self.0.operations.len(),
            time,
            ..Heading::default()
        };
        Rendered::new(heading, self, &self.0.report)
    }
}

impl Operations for Words<'_> {
    fn operation(&self, id: OpId) -> Operation {
        let known = &self.0.operations[id.index()];
        Operation {
            op: known.op.clone(),
            ret: known.ret.clone(),
            process: Some(known.thread as u32),
            client: Some(format!("T{}", known.thread)),
            object: None,
            span: known.span,
            line: None,
        }
    }

    fn span(&self, id: OpId) -> Span {
        self.0.operations[id.index()].span
    }

    /// The steps, one lane for each thread.
    fn annotations(&self) -> Vec<Annotation> {
        let mut events = 0;
        let mut all = Vec::new();
        for (number, step) in self.0.steps.iter().enumerate() {
            events += u32::from(step.call.is_some());
            all.push(Annotation {
                lane: format!("steps of T{}", step.thread),
                text: format!("{}. {}: {}", number + 1, step.lines.join(", "), step.shared),
                from: events,
                to: None,
            });
            events += u32::from(step.ret.is_some());
        }
        all
    }
}
