//! A monitor on histories that are too large for brute force: its orders are validated, and its verdicts are compared
//! with those of breadth-first search.

use linpoint::history::{History, OpId};
use linpoint::monitor::{Answer, decide};
use linpoint::spec::Spec;
use linpoint::{Checker, Engine, Verdict};

/// The verdict of breadth-first search, unless it needs too much memory.
fn searched<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> Option<bool> {
    let checker = Checker::new(spec).engine(Engine::Breadth).memory(1 << 26).threads(1);
    match checker.explains(false).check(history).unwrap().verdict {
        Verdict::Linearizable(_) => Some(true),
        Verdict::Violation(_) => Some(false),
        _ => None,
    }
}

/// Panics if the order does not explain the history.
pub fn validate<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>, order: &[OpId]) {
    let mut states = vec![spec.initial()];
    let mut is_there = vec![false; history.len()];
    let mut latest_call = 0;
    for id in order {
        let mut next = Vec::new();
        for state in &states {
            spec.successors(state, history.op(*id), history.ret(*id), &mut next);
        }
        assert!(!next.is_empty(), "{id} is not legal");
        states = next;
        assert!(!std::mem::replace(&mut is_there[id.index()], true), "{id} twice");
        assert!(history.span(*id).ret >= latest_call, "{id} too late");
        latest_call = latest_call.max(history.span(*id).call);
    }
    for id in history.ids() {
        assert!(is_there[id.index()] || history.span(id).is_pending(), "{id} is missing");
    }
}

/// The monitor's verdict. Panics if the order behind it is wrong.
pub fn is_linearizable<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> bool {
    let ids: Vec<OpId> = history.ids().collect();
    match decide(spec, history, &ids).unwrap().answer {
        Answer::Linearizable(order) => {
            validate(spec, history, &order);
            true
        }
        Answer::Violation(_) => false,
    }
}

/// Compares the monitor with breadth-first search on histories drawn for each round. Enough of them have to be right,
/// and enough wrong.
pub fn compare<S: Spec>(
    spec: &S,
    rounds: u64,
    mut draw: impl FnMut(u64) -> Vec<History<S::Op, S::Ret>>,
) {
    let mut answers = [0, 0];
    let mut unknown = 0;
    for round in 0..rounds {
        for history in draw(round) {
            let answer = is_linearizable(spec, &history);
            answers[usize::from(answer)] += 1;
            match searched(spec, &history) {
                Some(expected) => assert_eq!(answer, expected, "round {round}"),
                None => unknown += 1,
            }
        }
    }
    let [no, yes] = answers;
    println!("{no} no, {yes} yes, of these {unknown} not compared");
    assert!(no > rounds && yes > rounds && unknown < yes, "{no} no, {yes} yes, {unknown} unknown");
}
