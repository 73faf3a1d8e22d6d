//! Explains to a person why a history is not linearizable.
//!
//! For a part that is known to be bad, this finds (1) the earliest failing return, (2) the results
//! that would have been allowed there, (3) the longest partial linearizations, and (4) a core: a
//! few operations that contradict each other whatever the others did. Each is found by queries
//! about derived histories ([`probe`]), which have limits of their own. A limit makes the
//! explanation less precise, and the explanation says so, but it never changes the verdict.
//! [`local`] says how they contradict each other, where that has a name.

mod containing;
mod core;
mod earliest;
mod local;
mod probe;
mod sentence;

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::budget::{Cancel, Limit, Memory};
use crate::check::{CheckError, Hints};
use crate::decide::Evidence;
use crate::history::OpId;
use crate::sorting::{pair, sort_by_key};
use crate::subject::{Case, guard};
use crate::verdict::{CoreStatus, OrderWith, ReasonKind, Violation, ViolationKind};

use probe::{Confirmed, Probe};

/// An explanation takes at most this long if the user set no time limit.
pub(crate) const EXPLAINING: Duration = Duration::from_secs(3);

/// Look for an argument about at most this many operations.
const MOST_READERS: usize = 8;

/// What the explanation needs to know about the check.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) hints: Hints,
    pub(crate) deadline: Option<Instant>,
    pub(crate) memory: &'a Memory,
    pub(crate) cancel: &'a Cancel,
}

/// Explains the violation in the part that has these operations.
pub(crate) fn explain(
    case: &Case<'_>,
    ops: &[OpId],
    evidence: &Evidence,
    setting: &Setting<'_>,
) -> Result<Violation, CheckError> {
    let latest = Instant::now() + EXPLAINING;
    let deadline = setting.deadline.map_or(latest, |d| d.min(latest));
    let mut probe =
        Probe { hints: setting.hints, deadline, memory: setting.memory, cancel: setting.cancel };
    let mut kind = ViolationKind::NotLinearizable;
    if setting.hints == Hints::Assert {
        // Is it bad because of the order hints, or also without them? A proof of the specification knows no hints.
        probe.hints = Hints::Ignore;
        let is_bad_anyway = match evidence.refutation {
            Some(_) => Some(true),
            None => probe.is_bad(&case.derive(ops, |_, _| {})),
        };
        if is_bad_anyway != Some(true) {
            probe.hints = Hints::Assert;
            kind = match is_bad_anyway {
                Some(_) => ViolationKind::HintBroken,
                None => ViolationKind::WithHints,
            };
        }
    }
    let part = case.derive(ops, |_, _| {});
    let explained = guard(|| explain_part(&probe, &part, evidence, ops, kind));
    let mut violation = explained.map_err(|message| CheckError::SpecPanicked {
        op: ops.first().copied().unwrap_or(OpId(0)),
        description: "explaining a violation".into(),
        message,
    })??;
    // Translates operation numbers of the part to those of the history.
    let rename = |id: &mut OpId| *id = ops[id.index()];
    violation.core.iter_mut().for_each(rename);
    violation.failing.iter_mut().for_each(rename);
    violation.partials.iter_mut().for_each(|p| p.order.iter_mut().for_each(rename));
    Ok(violation)
}

/// The order that gets furthest and contains an operation with its own result.
pub(crate) fn order_with(
    case: &Case<'_>,
    violation: &Violation,
    op: OpId,
    setting: &Setting<'_>,
) -> OrderWith {
    let Setting { memory, cancel, .. } = *setting;
    let deadline = setting.deadline.unwrap_or_else(|| Instant::now() + EXPLAINING);
    let hints = match violation.kind {
        ViolationKind::NotLinearizable => Hints::Ignore,
        _ => setting.hints,
    };
    let probe = Probe { hints, deadline, memory, cancel };
    let ops = &violation.part;
    let Some(failing) = violation.failing.map(|id| case.span(id)) else {
        return OrderWith::Unknown;
    };
    let Some(at) = ops.iter().position(|id| *id == op) else { return OrderWith::Unknown };
    let own = case.span(op);
    if own.call > failing.ret {
        // The failing operation would have to come before it.
        return if violation.failing_is_earliest { OrderWith::None } else { OrderWith::Unknown };
    }
    if own.ret < failing.ret {
        // It is in every partial order.
        return match violation.partials.first() {
            Some(partial) => OrderWith::Order { partial: partial.clone(), until: failing.ret - 1 },
            None => OrderWith::Unknown,
        };
    }
    let part = case.derive(ops, |_, _| {});
    let op = OpId(at as u32);
    let found =
        guard(|| containing::find(&probe, &part, failing, op)).unwrap_or(OrderWith::Unknown);
    match found {
        OrderWith::Order { mut partial, until } => {
            partial.order.iter_mut().for_each(|id| *id = ops[id.index()]);
            OrderWith::Order { partial, until }
        }
        other => other,
    }
}

/// Explains a history of a single part. Operations are numbered within it.
fn explain_part<'a>(
    probe: &Probe<'a>,
    part: &Case<'a>,
    evidence: &Evidence,
    ops: &[OpId],
    kind: ViolationKind,
) -> Result<Violation, CheckError> {
    if let Some(limit) = probe.is_late() {
        return Ok(in_brief(part, evidence, ops, kind, (limit, None)));
    }
    let refutation = evidence.refutation.as_ref();
    // A proof may name a large number of operations.
    let numbers = refutation.map(|_| numbered(ops));
    let local = |id: &OpId| numbers.as_ref()?.get(id).copied();
    let named: Option<Vec<OpId>> =
        refutation.and_then(|r| r.ops.iter().map(local).collect::<Option<_>>());
    let earliest = earliest::find(probe, part, evidence, named.as_deref());
    let failing = earliest.op;
    let (until_failure, ids) = earliest.prefix(part);
    let in_prefix = numbered(&ids);
    let to_prefix = |id: &OpId| in_prefix.get(id).copied();
    let scene = local::Scene { whole: part, until_failure: &until_failure, ids: &ids };
    let readers = |others: &[OpId]| -> Vec<OpId> {
        let others = others.iter().rev().take(MOST_READERS).filter(|id| Some(**id) != failing);
        failing.iter().chain(others).copied().collect()
    };
    // Order hints are no part of an argument.
    let may_argue = kind == ViolationKind::NotLinearizable;
    let argue = |others: &[OpId]| {
        let is_late = || probe.is_late().is_some();
        may_argue.then(|| local::find(&scene, &readers(others), &is_late)).flatten()
    };
    let mut argued = argue(named.as_deref().unwrap_or(&[]));
    let about: Vec<OpId> = argued.iter().map(|argued| argued.about).collect();
    let still_holds = |ops: &[OpId]| {
        let relaxed = core::relaxed(&until_failure, ops);
        let scene = local::Scene { until_failure: &relaxed, ..scene };
        let is_known = |id: &OpId| to_prefix(id).is_some_and(|id| ops.contains(&id));
        about.iter().all(is_known) && local::find(&scene, &about, &|| false).is_some()
    };
    let proof = match (&argued, named) {
        (Some(argued), _) => Some(core::Proof {
            is_whole: false,
            ops: argued.ops.iter().chain(&failing).filter_map(to_prefix).collect(),
            argument: Some(&still_holds),
        }),
        (None, Some(named)) => Some(core::Proof {
            // An operation that had not returned by then is no longer part of a proof.
            is_whole: named.iter().all(|id| {
                let is_pending = |id: &OpId| until_failure.span(*id).is_pending();
                to_prefix(id).is_some_and(|it| is_pending(&it) == part.span(*id).is_pending())
            }),
            ops: named.iter().filter_map(to_prefix).collect(),
            argument: None,
        }),
        (None, None) => None,
    };
    // The sentence comes before the core, which can take any time.
    let for_sentence = probe.with_a_share(3);
    let partials = earliest::partials(&for_sentence, part, &earliest);
    let (allowed, allowed_is_complete) =
        earliest::allowed(&for_sentence, part, &earliest).unwrap_or((Vec::new(), false));
    let found =
        core::find(probe, &until_failure, failing.as_ref().and_then(to_prefix), proof.as_ref());
    let confirmed_by = match found.status {
        // Without a core of its own, all of it has just been refuted by an engine.
        CoreStatus::NotMinimised(_) if found.ops.len() == ids.len() => None,
        _ => match probe.confirm(&core::relaxed(&until_failure, &found.ops)) {
            Confirmed::By(engine) => Some(engine),
            Confirmed::Unknown => None,
            Confirmed::Denied(_) => return without_core(probe, part, evidence, ops, kind),
        },
    };
    let mut core: Vec<OpId> = found.ops.iter().map(|id| ids[id.index()]).collect();
    if argued.is_none() {
        argued = argue(&core);
    }
    let mut core_status = found.status;
    if let Some(argued) = &argued {
        // What the sentence names is always shown. With more operations, a core is still one.
        let named = argued.argument.named();
        let more: Vec<OpId> =
            named.into_iter().filter(|id| !core.contains(id) && to_prefix(id).is_some()).collect();
        if !more.is_empty() {
            core.extend(more);
            sort_by_key(&mut core, |id| pair(part.span(*id).call, id.0));
            if core_status == CoreStatus::Minimal {
                core_status = CoreStatus::Extended;
            }
        }
    }
    // A proof has its own sentence, which nothing confirms. What the failing operation could have returned is confirmed.
    let nothing_else_to_say = failing.is_none() || (allowed.is_empty() && partials.is_empty());
    let reason = match (argued, refutation) {
        (Some(argued), _) => argued.reason.renumbered(|id| ops[id.index()]),
        (None, Some(r)) if nothing_else_to_say || r.reason.kind != ReasonKind::Contradiction => {
            r.reason.clone()
        }
        _ => sentence::reason(part, kind, failing, (&allowed, allowed_is_complete), &core)
            .renumbered(|id| ops[id.index()]),
    };
    Ok(Violation {
        kind,
        part: ops.to_vec(),
        reason,
        failing,
        failing_is_earliest: earliest.is_exact,
        allowed,
        allowed_is_complete,
        partials,
        core,
        core_status,
        confirmed_by,
    })
}

/// What is left to say if the operations that were thought to contradict each other do not. That is an error in this
/// crate, but the violation stands if a second engine confirms it for the whole history.
fn without_core(
    probe: &Probe<'_>,
    part: &Case<'_>,
    evidence: &Evidence,
    ops: &[OpId],
    kind: ViolationKind,
) -> Result<Violation, CheckError> {
    let confirmed_by = match probe.confirm(part) {
        Confirmed::By(engine) => Some(engine),
        Confirmed::Unknown => None,
        Confirmed::Denied(engine) => {
            let message =
                format!("{engine} does not confirm the violation that another engine found");
            return Err(CheckError::Internal(message));
        }
    };
    Ok(in_brief(part, evidence, ops, kind, (UNANSWERED, confirmed_by)))
}

/// The verdict and a sentence. Everything else takes time.
fn in_brief(
    part: &Case<'_>,
    evidence: &Evidence,
    ops: &[OpId],
    kind: ViolationKind,
    (limit, confirmed_by): (Limit, Option<String>),
) -> Violation {
    let core: Vec<OpId> = part.ids().collect();
    let reason = match &evidence.refutation {
        Some(refutation) => refutation.reason.clone(),
        None => {
            sentence::reason(part, kind, None, (&[], false), &core).renumbered(|id| ops[id.index()])
        }
    };
    Violation {
        kind,
        part: ops.to_vec(),
        reason,
        failing: None,
        failing_is_earliest: false,
        allowed: Vec::new(),
        allowed_is_complete: false,
        partials: Vec::new(),
        core,
        core_status: CoreStatus::NotMinimised(limit),
        confirmed_by,
    }
}

/// The position of each operation in a list.
fn numbered(ops: &[OpId]) -> FxHashMap<OpId, OpId> {
    ops.iter().enumerate().map(|(i, id)| (*id, OpId(i as u32))).collect()
}

/// Reported if a limit ended a query.
const UNANSWERED: Limit = Limit::Steps;
