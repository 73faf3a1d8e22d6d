//! What the operations of a history can tell about the object, whatever the verdict is.

use linpoint::spec::{Footprint, Traces};
use linpoint::{History, OpId, Spec};
use rustc_hash::FxHashMap;

/// What is known about a history beyond its operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// For each operation: its result is impossible in some state that the object may have been in.
    pub telling: Vec<bool>,
    /// Operations that can change the object.
    pub changing: usize,
    /// Sizes of the parts that are independent of each other.
    pub parts: Vec<usize>,
}

/// Operations that are performed one after the other to see what states there are.
const RUN: usize = 256;
/// States that are kept, and how many bytes of them.
const STATES: usize = 24;
const STATE_BYTES: usize = 1 << 26;
/// Operations that are tried, and states to which they are applied, to see what they leave.
const FEW: usize = 4;
/// If so many operations of a kind tell nothing, the others of that kind are not looked at.
const ENOUGH: usize = 1000;

/// Looks at results. `kinds` are numbers for the names of operations.
pub(super) fn telling<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    kinds: &[u16],
) -> Vec<bool> {
    let possible = Possible::new(spec, history);
    // By kind: how many were looked at, and whether one told something.
    let mut seen: FxHashMap<u16, (usize, bool)> = FxHashMap::default();
    let mut tells = |id: OpId| {
        let Some(ret) = history.ret(id) else { return false };
        let kind = kinds.get(id.index()).copied().unwrap_or_default();
        let (looked, told) = seen.entry(kind).or_default();
        if *looked >= ENOUGH && !*told {
            return false;
        }
        *looked += 1;
        let tells = possible.excludes(spec, history.op(id), ret);
        *told |= tells;
        tells
    };
    history.ids().map(&mut tells).collect()
}

/// States that the object may have been in, as far as a quick look tells.
struct Possible<'h, S: Spec> {
    states: Vec<S::State>,
    /// A few operations that leave a trace of this name, or touch this key.
    leavers: FxHashMap<u64, Vec<&'h S::Op>>,
}

impl<'h, S: Spec> Possible<'h, S> {
    fn new(spec: &S, history: &'h History<S::Op, S::Ret>) -> Self {
        let mut leavers: FxHashMap<u64, Vec<&S::Op>> = FxHashMap::default();
        for id in history.ids() {
            let op = history.op(id);
            if spec.is_read(op, None) {
                continue;
            }
            for name in names(spec.leaves(op), spec.footprint(op)) {
                let known = leavers.entry(name).or_default();
                if known.len() < FEW && !known.contains(&op) {
                    known.push(op);
                }
            }
        }
        let mut state = spec.initial();
        let (mut states, mut bytes) = (vec![state.clone()], 0);
        for id in history.ids().take(RUN) {
            if states.len() >= STATES || bytes > STATE_BYTES {
                break;
            }
            let mut next = Vec::new();
            spec.successors(&state, history.op(id), None, &mut next);
            let Some(after) = next.pop().filter(|after| *after != state) else { continue };
            bytes += spec.state_bytes(&after);
            state = after;
            if !states.contains(&state) {
                states.push(state.clone());
            }
        }
        Possible { states, leavers }
    }

    /// True if there is a state in which the operation cannot have had this result.
    fn excludes(&self, spec: &S, op: &S::Op, ret: &S::Ret) -> bool {
        let mut next = Vec::new();
        let mut impossible = |state: &S::State| {
            next.clear();
            spec.successors(state, op, Some(ret), &mut next);
            next.is_empty()
        };
        if self.states.iter().any(&mut impossible) {
            return true;
        }
        // What others do to what it depends on need not have been among the first.
        let names = names(spec.senses(op, Some(ret)), spec.footprint(op));
        let mut leavers = names.filter_map(|name| self.leavers.get(&name)).flatten();
        leavers.any(|leaver| {
            self.states.iter().take(FEW).any(|state| {
                let mut after = Vec::new();
                spec.successors(state, leaver, None, &mut after);
                after.iter().take(FEW).any(&mut impossible)
            })
        })
    }
}

/// By what operations that have to do with each other are found: traces and keys.
fn names(traces: Traces, footprint: Footprint) -> impl Iterator<Item = u64> {
    let keys = match footprint {
        Footprint::Keys(keys) => keys.into_vec(),
        Footprint::Whole => Vec::new(),
    };
    traces.names().to_vec().into_iter().chain(keys)
}

/// Operations that can change the object.
pub(super) fn changing<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> usize {
    history.ids().filter(|id| !spec.is_read(history.op(*id), history.ret(*id))).count()
}
