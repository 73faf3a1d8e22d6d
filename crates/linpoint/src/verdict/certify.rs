//! Independent validation of witnesses: a few lines that share no code with the engines.
//!
//! An order is a witness if (1) it contains every completed operation once and every pending one at
//! most once, (2) it respects real time, (3) it is legal for the specification, and (4) it respects
//! asserted order hints. (2) needs one pass: an order respects real time exactly if no operation
//! comes after one that was called after its return.

use rustc_hash::FxHashMap;

use crate::budget::{Budget, Limit};
use crate::history::{OpId, Span, Timeline};
use crate::sorting::sort_by_key;
use crate::subject::{Case, Stop, guard};

/// Checks (1), (2) and (4) for an order of the whole history.
pub(crate) fn order_is_valid(
    timeline: &Timeline,
    order: &[OpId],
    hints_asserted: bool,
) -> Result<(), String> {
    let mut seen = vec![false; timeline.len()];
    let mut latest_call = 0;
    let mut latest_position: FxHashMap<(Option<u32>, u32), u64> = FxHashMap::default();
    for &id in order {
        match seen.get_mut(id.index()) {
            Some(seen) if !*seen => *seen = true,
            _ => return Err(format!("operation {id} is unknown or takes effect twice")),
        }
        let span = timeline.span(id);
        latest_call = latest_call.max(span.call);
        if span.ret < latest_call {
            return Err(format!("operation {id} takes effect after its return"));
        }
        if !hints_asserted {
            continue;
        }
        let extras = timeline.extras(id);
        if let Some(hint) = extras.hint {
            let latest = latest_position.entry((extras.object, hint.scope)).or_insert(0);
            if hint.position < *latest {
                return Err(format!("operation {id} takes effect after a later position"));
            }
            *latest = hint.position;
        }
    }
    let missing = |id: &OpId| !seen[id.index()] && timeline.span(*id).ret != Span::NEVER;
    match timeline.ids().find(missing) {
        Some(id) => Err(format!("operation {id} is missing")),
        None => Ok(()),
    }
}

/// Why an order was rejected.
pub(crate) enum Invalid {
    /// It is not legal.
    Illegal(String),
    /// The specification panicked.
    Panicked(String),
    /// A limit came first. Pending operations whose results are unknown may lead to any number of states.
    Unknown(Limit),
}

/// Follow at most this many states at first.
const FEW_STATES: usize = 64;
/// Operations that are replayed in place between two looks at the clock.
const BLOCK: usize = 1024;
/// Units of work of one step in one state, see [`Budget::work`].
const WORK_PER_STEP: usize = 64;
/// Drop unused states after this many operations.
const TIDY: usize = 1024;

/// Checks (3) for the order of one part, on an object that is changed in place if the specification
/// has one. Otherwise nondeterministic specifications are followed in several states in parallel: in a few of those that are
/// possible, and if that leads nowhere, in all.
pub(crate) fn replay_is_legal(
    case: &Case<'_>,
    order: &[OpId],
    budget: &mut Budget<'_>,
) -> Result<(), Invalid> {
    let illegal = |id: OpId| {
        let op = case.describe_op(id);
        Err(Invalid::Illegal(format!("operation {id}, {op}, is not legal at its place")))
    };
    let mut late = None;
    let mut blocks = order.chunks(BLOCK).enumerate().map_while(|(at, block)| {
        late = (at > 0).then(|| budget.check_now().err()).flatten();
        late.is_none().then(|| block.iter().map(|id| case.call(*id)).collect())
    });
    let replayed = guard(|| case.subject.replay(&mut blocks)).map_err(Invalid::Panicked)?;
    if let Some(replayed) = replayed {
        return match late {
            Some(limit) => Err(Invalid::Unknown(limit)),
            None => replayed.or_else(|at| illegal(order[at])),
        };
    }
    for most in [FEW_STATES, usize::MAX] {
        match followed(case, order, most, budget) {
            Ok(Followed::ToTheEnd) => return Ok(()),
            Ok(Followed::Until { at, in_all_states: true }) => return illegal(order[at]),
            Ok(Followed::Until { .. }) => {}
            Err(Stop::Limit(limit)) => return Err(Invalid::Unknown(limit)),
            Err(Stop::SpecPanicked { message, .. }) => return Err(Invalid::Panicked(message)),
        }
    }
    Err(Invalid::Illegal("a replay in all states left some out".to_owned()))
}

/// How far an order can be followed.
enum Followed {
    ToTheEnd,
    /// It is illegal there, in the states that were followed.
    Until {
        at: usize,
        in_all_states: bool,
    },
}

/// Follows an order in at most this many states at a time.
fn followed(
    case: &Case<'_>,
    order: &[OpId],
    most: usize,
    budget: &mut Budget<'_>,
) -> Result<Followed, Stop> {
    let mut session = case.subject.session();
    let mut states = vec![session.initial(budget)?];
    let (mut next, mut in_all_states) = (Vec::new(), true);
    for (at, &id) in order.iter().enumerate() {
        for state in &states {
            budget.work(WORK_PER_STEP)?;
            session.step(*state, case.call(id), &mut next, budget)?;
        }
        sort_by_key(&mut next, |state| state.0);
        next.dedup();
        if next.is_empty() {
            return Ok(Followed::Until { at, in_all_states });
        }
        in_all_states &= next.len() <= most;
        next.truncate(most);
        std::mem::swap(&mut states, &mut next);
        next.clear();
        if at % TIDY == TIDY - 1 {
            session.keep_only(&mut states, budget);
        }
    }
    Ok(Followed::ToTheEnd)
}

/// Merges legal orders of independent parts into one order of the history.
///
/// Each operation is placed at the latest call among those before it in its part, which lies
/// between its own call and its return; sorting by that place respects real time across parts.
pub(crate) fn merge(timeline: &Timeline, parts: &[&Vec<OpId>]) -> Vec<OpId> {
    if let [one] = parts {
        return (*one).clone();
    }
    let mut start_at = vec![0u32; timeline.ranks() as usize + 1];
    let places = |part: &[OpId]| {
        let mut place = 0;
        part.iter()
            .map(|id| {
                place = timeline.span(*id).call.max(place);
                (place, *id)
            })
            .collect::<Vec<_>>()
    };
    let placed: Vec<Vec<(u32, OpId)>> = parts.iter().map(|p| places(p)).collect();
    for (place, _) in placed.iter().flatten() {
        start_at[*place as usize + 1] += 1;
    }
    for i in 1..start_at.len() {
        start_at[i] += start_at[i - 1];
    }
    let mut order = vec![OpId(0); parts.iter().map(|p| p.len()).sum()];
    for (place, id) in placed.iter().flatten() {
        let at = &mut start_at[*place as usize];
        order[*at as usize] = *id;
        *at += 1;
    }
    order
}
