//! For the operations that were open at a failing return: the order that gets furthest with each of them, and what could
//! come next after every order.

use std::time::{Duration, Instant};

use linpoint::history::Span;
use linpoint::verdict::{Fits, Known, Next, OrderWith, Violation};
use linpoint::{OpId, Report, Stats};
use serde_json::{Value, json};

use super::columns::violations;
use crate::rendered::Operations;
use crate::text::{clean, shorten};

/// Look for orders with at most this many operations.
const MOST_SOUGHT: usize = 24;
/// All orders of a page may take this long, and no longer than what is left of the time for the check.
const SEEKING: Duration = Duration::from_millis(500);
/// Describe at most this many operations that could come next.
const MOST_NEXT: usize = 24;
/// Look at what could come next after at most this many operations of all orders together.
const MOST_STEPS: usize = 2_000_000;
/// Longer results are cut to this many characters.
const MAX_RESULT: usize = 120;

/// The orders that were found for one violation, beside its partial orders.
#[derive(Default)]
pub(super) struct Orders {
    /// Each operation that was sought, and the order with it.
    sought: Vec<(OpId, OrderWith)>,
}

/// Looks for the orders of all violations.
pub(super) fn find_all(report: &Report, operations: &dyn Operations) -> Vec<Orders> {
    let Stats { decide, certify, explain, .. } = report.stats;
    let left = |time: Duration| time.saturating_sub(decide + certify + explain);
    let time = report.plan.limits.time.map_or(SEEKING, left).min(SEEKING);
    let until = Instant::now() + time;
    violations(report).into_iter().map(|v| Orders::find(v, operations, until)).collect()
}

impl Orders {
    /// Looks for orders until some time.
    fn find(violation: &Violation, operations: &dyn Operations, until: Instant) -> Orders {
        let Some(failing) = violation.failing else { return Orders::default() };
        let end = operations.span(failing).ret;
        let is_open = |span: Span| span.call < end && span.ret >= end;
        let mut open: Vec<OpId> =
            violation.part.iter().copied().filter(|id| is_open(operations.span(*id))).collect();
        // Operations that never returned have no result of their own: partial orders say all about them.
        open.retain(|id| !operations.span(*id).is_pending());
        let rank = |id: &OpId| {
            (*id != failing, !violation.core.contains(id), end - operations.span(*id).call)
        };
        open.sort_by_key(rank);
        open.truncate(MOST_SOUGHT);
        let order = |id: OpId| Some((id, operations.order_with(violation, id, until)?));
        Orders { sought: open.into_iter().filter_map(order).collect() }
    }

    /// The partial orders of the violation and those that were found, each with the results that it explains.
    pub(super) fn all<'a>(
        &'a self,
        violation: &'a Violation,
        operations: &dyn Operations,
    ) -> impl Iterator<Item = (&'a [OpId], Known)> {
        let end = violation.failing.map_or(Span::NEVER, |id| operations.span(id).ret);
        let partials = violation.partials.iter();
        let partials = partials.map(move |partial| (&partial.order[..], Known::until(end)));
        let found = self.sought.iter().filter_map(|(id, found)| match found {
            OrderWith::Order { partial, until } => {
                Some((&partial.order[..], Known { until: until + 1, also: Some(*id) }))
            }
            _ => None,
        });
        partials.chain(found)
    }

    /// The facts for the page. `position` is where an operation is in its part.
    pub(super) fn facts(
        &self,
        violation: &Violation,
        operations: &dyn Operations,
        position: &dyn Fn(OpId) -> Option<u32>,
    ) -> Value {
        let mut steps = 0;
        let next = |(order, known): (&[OpId], Known)| {
            steps += order.len();
            let next = match steps <= MOST_STEPS {
                true => operations.next(&violation.part, order, known, MOST_NEXT),
                false => None,
            };
            let facts = |next: Next| Some(json!([position(next.op)?, fits(&next.fits)]));
            next.map(|all| all.into_iter().filter_map(facts).collect::<Vec<_>>())
        };
        let next: Vec<_> = self.all(violation, operations).map(next).collect();
        let mut at = violation.partials.len();
        let with: Vec<Value> = self
            .sought
            .iter()
            .filter_map(|(id, found)| {
                let order = match found {
                    OrderWith::Order { .. } => {
                        at += 1;
                        json!(at - 1)
                    }
                    OrderWith::None => json!("none"),
                    OrderWith::Unknown => Value::Null,
                };
                Some(json!([position(*id)?, order]))
            })
            .collect();
        let states = self.sought.iter().filter_map(|(_, found)| match found {
            OrderWith::Order { partial, .. } => Some(&partial.state),
            _ => None,
        });
        let states = violation.partials.iter().map(|partial| &partial.state).chain(states);
        json!({
            "next": next,
            "with": with,
            "partials": violation.partials.len(),
            "ends": states.map(|state| shorten(state, 600)).collect::<Vec<_>>(),
        })
    }
}

/// Whether an operation can come next: true, false, `"waits"`, or what it would return.
fn fits(fits: &Fits) -> Value {
    match fits {
        Fits::Yes => json!(true),
        Fits::No => json!(false),
        Fits::NotEnabled => json!("waits"),
        Fits::WouldReturn(results) => {
            json!(results.iter().map(|ret| shorten(&clean(ret), MAX_RESULT)).collect::<Vec<_>>())
        }
    }
}
