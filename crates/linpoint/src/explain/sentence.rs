//! One plain sentence that states the contradiction.

use crate::history::OpId;
use crate::subject::Case;
use crate::verdict::{Form, Reason, ReasonKind, ViolationKind};

/// List at most this many allowed values.
const MAX_LISTED: usize = 5;
/// Spell out at most this many other operations of the core.
const MAX_GIVEN: usize = 3;

pub(super) fn reason(
    part: &Case<'_>,
    kind: ViolationKind,
    failing: Option<OpId>,
    (allowed, is_complete): (&[String], bool),
    core: &[OpId],
) -> Reason {
    let Some(failing) = failing else {
        return Reason::new(ReasonKind::NoOrder)
            .text("no order of the operations explains their results");
    };
    let did = |kind| Reason::new(kind).op(part.mention(failing, Form::Returned));
    if kind != ViolationKind::NotLinearizable {
        return did(ReasonKind::HintBroken)
            .text(", which no order that respects the asserted positions explains");
    }
    let reason = match allowed {
        // An incomplete list says nothing about what was possible.
        [] if !is_complete => did(ReasonKind::NoOrder).text(", which no order explains"),
        some if !is_complete => {
            let listed: Vec<&str> = some.iter().take(MAX_GIVEN).map(String::as_str).collect();
            let listed = listed.join(" or ");
            did(ReasonKind::WrongResult)
                .text(format!(", which no order explains; {listed} would have been possible"))
        }
        [] => did(ReasonKind::NoResult)
            .text(", but no result was possible then: it should have waited"),
        [one] => {
            did(ReasonKind::WrongResult).text(format!(", but only {one} was possible by then"))
        }
        many if many.len() <= MAX_LISTED => {
            let listed = many.join(", ");
            did(ReasonKind::WrongResult).text(format!(", but only {listed} were possible by then"))
        }
        many => did(ReasonKind::WrongResult)
            .text(format!(", which is none of the {} possible results", many.len())),
    };
    let others: Vec<OpId> = core.iter().copied().filter(|id| *id != failing).collect();
    given(part, reason, &others)
}

/// Adds the other operations of the core, if they are few. A number of operations explains nothing.
fn given(part: &Case<'_>, reason: Reason, others: &[OpId]) -> Reason {
    if others.is_empty() || others.len() > MAX_GIVEN {
        return reason;
    }
    others.iter().enumerate().fold(reason, |reason, (at, id)| {
        let before = match at {
            0 => ", given ",
            _ if at + 1 == others.len() => " and ",
            _ => ", ",
        };
        reason.text(before).op(part.mention(*id, Form::WithResult))
    })
}
