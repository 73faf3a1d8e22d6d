//! Compares the incremental checker with the oracle: it must report the earliest failing return and
//! no other, and its allowed results must be the oracle's.

use linpoint::Hints;
use linpoint::history::{History, OpId};
use linpoint::incremental::{Incremental, Step, StreamError};
use linpoint::spec::Spec;
use linpoint_suite::generate::{Params, cases};
use linpoint_suite::oracle::{Oracle, called_by, prefix};
use linpoint_suite::streams::events_of;
use linpoint_suite::{Vocabulary, corpus, for_each_model};

/// Feeds the history event by event. Returns the operation at whose return it stopped being
/// linearizable and the results that were allowed there. Operations that never return are reported
/// as crashed halfway through, so that both kinds of pending operations occur.
#[allow(clippy::type_complexity)]
fn first_failure<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
) -> Result<Option<(OpId, Vec<S::Ret>)>, StreamError> {
    let mut stream = Incremental::whole(spec);
    let mut open = vec![None; history.len()];
    for (is_end, id) in events_of(history) {
        if !is_end {
            open[id.index()] = Some(stream.call(history.op(id).clone())?);
            continue;
        }
        let handle = open[id.index()].expect("calls come first");
        let step = match (history.span(id).is_pending(), history.ret(id)) {
            (true, _) => {
                stream.crash(handle)?;
                continue;
            }
            (false, Some(ret)) => stream.ret(handle, ret.clone())?,
            (false, None) => stream.ret_unknown(handle)?,
        };
        match step {
            Step::Fine => {}
            Step::Violation(v) => return Ok(Some((id, v.allowed))),
            Step::Undecided(limit) => panic!("no limit was set, but {limit} was hit"),
        }
    }
    Ok(None)
}

fn compare<S: Spec>(vocabulary: &Vocabulary<S>) {
    let spec = &vocabulary.spec;
    let count = if std::env::var("LINPOINT_LONG").is_ok() { 40_000 } else { 1_500 };
    let oracle = Oracle::new().remember_failures(true);
    let mut failures = 0;
    for (i, case) in cases(vocabulary, Params::small(), 0x57EA, count).enumerate() {
        let history = &case.history;
        // One object only: several would be several streams.
        if case.hints == Hints::Assert
            || history.ids().any(|id| history.extras(id).object.is_some())
        {
            continue;
        }
        let expected = oracle.earliest_failure(spec, history);
        let found = match first_failure(spec, history) {
            Ok(found) => found,
            Err(StreamError::NoOutcomes(_)) => return,
            Err(e) => panic!("{}, case {i}: {e}", vocabulary.name),
        };
        assert_eq!(found.as_ref().map(|(id, _)| *id), expected, "{}, case {i}", vocabulary.name);
        if let Some((id, mut allowed)) = found {
            failures += 1;
            let last = history.span(id).ret;
            let local = called_by(history, last).iter().position(|o| *o == id).expect("was called");
            let cut = prefix(history, last);
            let mut right =
                oracle.allowed_results(spec, &cut, OpId(local as u32)).expect("enumerable");
            let key = |r: &S::Ret| format!("{r:?}");
            allowed.sort_by_key(key);
            right.sort_by_key(key);
            assert_eq!(allowed, right, "{}, case {i}, {id}", vocabulary.name);
        }
    }
    println!(
        "{}: {count} histories, {failures} failures found at the right return",
        vocabulary.name
    );
    assert!(failures > 0, "{}: nothing was tested", vocabulary.name);
}

macro_rules! test_each {
    ($($model:ident)*) => {$(
        #[test]
        fn $model() {
            compare(&corpus::$model().erase());
        }
    )*};
}

for_each_model!(test_each);
