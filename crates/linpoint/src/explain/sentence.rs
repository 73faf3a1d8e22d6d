//! One plain sentence that states the contradiction.

use crate::history::{History, OpId};
use crate::spec::Spec;
use crate::verdict::{Partial, ViolationKind};

/// At most this many allowed values are listed.
const MAX_LISTED: usize = 5;

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
    let others = core.iter().filter(|id| **id != failing).count();
    let because = match others {
        0 => String::new(),
        1 => "; one other operation rules that out".into(),
        n => format!("; {n} other operations together rule that out"),
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
