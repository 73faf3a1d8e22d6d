//! The history of a violating run as the report needs it.

use std::time::Duration;

use linpoint::OpId;
use linpoint::history::Span;
use linpoint_model::Violation;
use linpoint_report::{Heading, Operation, Operations, Rendered};

use super::Request;

/// The operations of a violating run.
pub struct RunOperations<'a>(pub &'a Violation);

impl RunOperations<'_> {
    /// The report on the history.
    pub fn rendered(&self, request: &Request<'_>, time: Duration) -> Rendered {
        let heading = Heading {
            name: request.model.to_owned(),
            model: request.about.to_owned(),
            operations: self.0.operations.len(),
            time,
            ..Heading::default()
        };
        Rendered::new(heading, self, &self.0.report)
    }
}

impl Operations for RunOperations<'_> {
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
}
