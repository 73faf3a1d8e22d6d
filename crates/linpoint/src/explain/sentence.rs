//! One plain sentence that states the contradiction.

use crate::history::OpId;
use crate::subject::Case;
use crate::verdict::{Partial, ViolationKind};

/// At most this many allowed values are listed.
const MAX_LISTED: usize = 5;
/// At most this many other operations of the core are spelled out.
const MAX_GIVEN: usize = 3;

pub(super) fn reason(
    part: &Case<'_>,
    kind: ViolationKind,
    failing: Option<OpId>,
    allowed: &[String],
    partials: &[Partial],
    core: &[OpId],
) -> String {
    let Some(failing) = failing else {
        return "no order of the operations explains their results".into();
    };
    let who = part.extras(failing).process.map_or(String::new(), |p| format!(" by client {p}"));
    let called = part.describe_op(failing);
    let did = match part.describe_ret(failing) {
        Some(ret) => format!("{called}{who} returned {ret}"),
        None => format!("{called}{who} returned"),
    };
    if kind == ViolationKind::HintBroken {
        return format!("{did}, which no order that respects the asserted positions explains");
    }
    let others: Vec<String> = core
        .iter()
        .filter(|id| **id != failing)
        .map(|id| match part.describe_ret(*id).as_deref() {
            None | Some("" | "ok") => part.describe_op(*id),
            Some(result) => format!("{} -> {result}", part.describe_op(*id)),
        })
        .collect();
    let because = match others.as_slice() {
        [] => String::new(),
        [one] => format!(", given {one}"),
        [first @ .., last] if others.len() <= MAX_GIVEN => {
            format!(", given {} and {last}", first.join(", "))
        }
        many => format!(", given {} other operations", many.len()),
    };
    match allowed {
        [] if partials.is_empty() => format!("{did}, which no order explains{because}"),
        [] => format!("{did}, but it could not have returned at all by then{because}"),
        [one] => format!("{did}, but only {one} was possible by then{because}"),
        many if many.len() <= MAX_LISTED => {
            format!("{did}, but only {} were possible by then{because}", many.join(", "))
        }
        many => format!("{did}, which is none of the {} possible results{because}", many.len()),
    }
}
