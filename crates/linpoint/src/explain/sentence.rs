//! One plain sentence that states the contradiction.

use crate::history::{History, OpId};
use crate::spec::Spec;
use crate::verdict::{Partial, ViolationKind};

/// At most this many allowed values are listed.
const MAX_LISTED: usize = 5;
/// At most this many other operations of the core are spelled out.
const MAX_GIVEN: usize = 3;

pub(super) fn reason<S: Spec>(
    spec: &S,
    part: &History<S::Op, S::Ret>,
    kind: ViolationKind,
    failing: Option<OpId>,
    allowed: &[String],
    partials: &[Partial],
    core: &[OpId],
) -> String {
    let Some(failing) = failing else {
        return "no order of the operations explains their results".into();
    };
    let op = part.op(failing);
    let who = part.extras(failing).process.map_or(String::new(), |p| format!(" by client {p}"));
    let called = spec.describe_op(op);
    let did = match part.ret(failing) {
        Some(ret) => format!("{called}{who} returned {}", spec.describe_ret(op, ret)),
        None => format!("{called}{who} returned"),
    };
    if kind == ViolationKind::HintBroken {
        return format!("{did}, which no order that respects the asserted positions explains");
    }
    let others: Vec<String> = core
        .iter()
        .filter(|id| **id != failing)
        .map(|id| {
            let (op, ret) = (part.op(*id), part.ret(*id));
            let result = ret.map_or(String::new(), |r| spec.describe_ret(op, r));
            match result.as_str() {
                "" | "ok" => spec.describe_op(op),
                result => format!("{} -> {result}", spec.describe_op(op)),
            }
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
