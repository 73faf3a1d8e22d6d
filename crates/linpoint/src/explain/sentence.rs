//! One plain sentence that states the contradiction.

use crate::history::OpId;
use crate::subject::Case;
use crate::verdict::{Form, Reason, ReasonKind, ViolationKind};

/// List at most this many allowed values, with at most this many characters.
const MAX_LISTED: usize = 5;
const MAX_LISTED_LENGTH: usize = 60;
/// Spell out at most this many other operations of the core, with at most this many characters.
const MAX_GIVEN: usize = 3;
const MAX_GIVEN_LENGTH: usize = 80;

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
    let length: usize = allowed.iter().map(|text| text.chars().count()).sum();
    let is_short = length <= MAX_LISTED_LENGTH;
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
        [one] if is_short => {
            did(ReasonKind::WrongResult).text(format!(", but only {one} was possible by then"))
        }
        [_] => did(ReasonKind::WrongResult).text(", but only another result was possible by then"),
        many if many.len() <= MAX_LISTED && is_short => {
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
    let mentions: Vec<_> = others.iter().map(|id| part.mention(*id, Form::WithResult)).collect();
    let length = |text: &str| text.chars().count();
    let lengths = mentions.iter().map(|m| length(&m.call) + m.result.as_deref().map_or(0, length));
    if lengths.sum::<usize>() > MAX_GIVEN_LENGTH {
        return reason;
    }
    mentions.into_iter().enumerate().fold(reason, |reason, (at, mention)| {
        let before = match at {
            0 => ", given ",
            _ if at + 1 == others.len() => " and ",
            _ => ", ",
        };
        reason.text(before).op(mention)
    })
}
