//! The earliest return at which the history is no longer linearizable, the results that would have
//! been allowed there, and the longest partial linearizations.

use super::probe::Probe;
use crate::decide::Evidence;
use crate::history::{OpId, Span};
use crate::sorting::{pair, sort_by_key};
use crate::subject::{Case, RetId};
use crate::verdict::Partial;

/// A failing return.
pub(super) struct Earliest {
    pub(super) op: Option<OpId>,
    /// Its rank.
    rank: u32,
    /// False if an earlier return may fail too.
    pub(super) is_exact: bool,
}

impl Earliest {
    /// The history just after the failing return, and its operations.
    pub(super) fn prefix<'a>(&self, part: &Case<'a>) -> (Case<'a>, Vec<OpId>) {
        prefix(part, self.rank)
    }
}

/// Try at most this many results as allowed ones.
const MAX_CANDIDATES: usize = 24;
/// Show at most this many partial linearizations.
const MAX_PARTIALS: usize = 3;
/// Show only one for a longer history: finding several takes a full search.
const SMALL: usize = 2_000;

/// The history up to and including the return at `rank`: later calls are gone, and operations that
/// are still open are pending.
fn prefix<'a>(part: &Case<'a>, rank: u32) -> (Case<'a>, Vec<OpId>) {
    let ids: Vec<OpId> = part.ids().filter(|id| part.span(*id).call <= rank).collect();
    let cut = part.derive(&ids, |_, row| {
        if row.span.ret > rank {
            row.span.ret = Span::NEVER;
            row.ret = RetId::UNKNOWN;
        }
    });
    (cut, ids)
}

/// Searches for the first return whose prefix is bad, by bisection: prefixes of linearizable
/// histories are linearizable.
pub(super) fn find(
    probe: &Probe<'_>,
    part: &Case<'_>,
    evidence: &Evidence,
    named: Option<&[OpId]>,
) -> Earliest {
    let mut returns: Vec<(u32, OpId)> = part
        .ids()
        .filter(|id| !part.span(*id).is_pending())
        .map(|id| (part.span(id).ret, id))
        .collect();
    sort_by_key(&mut returns, |(ret, id)| pair(*ret, id.0));
    let Some(last) = returns.len().checked_sub(1) else {
        return Earliest { op: None, rank: u32::MAX - 1, is_exact: false };
    };
    // INVARIANT: returns before `low` do not fail, the one at `high` does. An engine has explained
    // the returns before `reached`; it knew all results, also of operations still open there, so
    // the first failure may well be later than where it got stuck.
    let (mut low, mut high) = ((evidence.reached as usize).min(last), last);
    if let Some(named) = named {
        // Once all of these have returned, the contradiction is complete. A named operation that
        // began later still has to be known to begin later, so its call must be included; using
        // its return is safe.
        let until = named.iter().map(|id| part.span(*id).ret).max().unwrap_or(u32::MAX);
        high = returns.partition_point(|(rank, _)| *rank < until).min(last);
        low = low.min(high);
    }
    let mut is_exact = true;
    // Most failures show soon after `low`: widen from there before halving.
    let mut stride = 1;
    while low < high {
        let at = (low + stride - 1).min((low + high) / 2);
        match probe.is_bad(&prefix(part, returns[at].0).0) {
            Some(true) => {
                high = at;
                stride = 1;
            }
            Some(false) => {
                low = at + 1;
                stride *= 2;
            }
            None => {
                is_exact = false;
                break;
            }
        }
    }
    let (rank, op) = returns[high];
    Earliest { op: Some(op), rank, is_exact }
}

/// The results the failing operation could have returned, as text, and whether the list is
/// complete.
pub(super) fn allowed(
    probe: &Probe<'_>,
    part: &Case<'_>,
    earliest: &Earliest,
) -> Option<(Vec<String>, bool)> {
    let failing = earliest.op.filter(|_| probe.is_late().is_none())?;
    let (cut, ids) = prefix(part, earliest.rank);
    let local = OpId(ids.iter().position(|id| *id == failing)? as u32);
    let all: Vec<OpId> = cut.ids().collect();
    let with = |ret: RetId| {
        cut.derive(&all, |id, row| {
            if id == local {
                row.ret = ret;
            }
        })
    };
    let unknown = with(RetId::UNKNOWN);
    let (candidates, mut complete) =
        probe.results(&unknown, local, MAX_CANDIDATES).unwrap_or_else(|| {
            let (before, _) = prefix(part, earliest.rank.saturating_sub(1));
            (probe.some_results(&before, local, MAX_CANDIDATES), false)
        });
    let mut allowed = Vec::new();
    for ret in candidates {
        let case = with(ret);
        match probe.is_bad(&case) {
            Some(false) => allowed.push(part.subject.describe_ret(case.call(local))),
            Some(true) => {}
            None => complete = false,
        }
    }
    allowed.sort();
    allowed.dedup();
    Some((allowed, complete))
}

/// Linearizations of everything before the failing return.
pub(super) fn partials(probe: &Probe<'_>, part: &Case<'_>, earliest: &Earliest) -> Vec<Partial> {
    if probe.is_late().is_some() {
        return Vec::new();
    }
    let Some(before) = earliest.rank.checked_sub(1) else { return Vec::new() };
    let (cut, ids) = prefix(part, before);
    let most = if ids.len() <= SMALL { MAX_PARTIALS } else { 1 };
    let mut partials: Vec<Partial> = probe
        .linearizations(&cut, most)
        .into_iter()
        .map(|(order, state)| Partial {
            order: order.into_iter().map(|id| ids[id.index()]).collect(),
            state,
        })
        .collect();
    partials.sort_by_key(|p| std::cmp::Reverse(p.order.len()));
    partials
}
