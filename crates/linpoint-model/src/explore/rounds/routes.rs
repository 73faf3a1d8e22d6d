//! Routes to states. Only the states of a path are stored, so the moves between them are computed again.

use super::super::worker::{MoveFilter, Successor, Tables};
use super::super::{Ending, Route};
use super::Rounds;
use crate::error::ModelError;

impl Rounds<'_> {
    /// The moves to this state, followed by `last`.
    pub(super) fn route(&self, to: u32, last: Option<Successor>) -> Result<Route, ModelError> {
        let path = self.discovered.path(to);
        let mut worker = self.worker(false, Tables::default());
        let mut route = Vec::new();
        for pair in path.windows(2) {
            let mut step = None;
            worker.expand(pair[0], MoveFilter::All, |next| {
                if next.state == pair[1] && step.is_none() {
                    step = Some(next);
                }
            })?;
            let step =
                step.ok_or_else(|| ModelError::Internal("a step cannot be found again".into()))?;
            route.push(step);
        }
        route.extend(last);
        Ok(Route(route))
    }

    /// A violation: the moves to some state that carries this.
    pub(super) fn route_to_carried(&self, carried: u32) -> Result<Ending, ModelError> {
        let carries =
            |at: &usize| self.tree.parts(self.discovered.states.get(*at)).carried == carried;
        match (0..self.discovered.len()).find(carries) {
            Some(at) => Ok(Ending::Violation(self.route(at as u32, None)?)),
            None => Err(ModelError::Internal("a history belongs to no state".into())),
        }
    }
}
