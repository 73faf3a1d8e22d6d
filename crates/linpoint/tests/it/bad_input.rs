//! Histories and specifications that are empty, wrong or hostile. (The builders refuse records that
//! are not valid histories, and have their own tests.)

use linpoint::{Algorithm, CheckError, Checker, Engine, History, OpId, Sequential, Verdict, check};

/// A counter that panics when it has to add 13.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Superstitious(u32);

impl Sequential for Superstitious {
    type Op = u32;
    type Ret = u32;

    fn apply(&mut self, add: &u32) -> u32 {
        assert!(*add != 13, "not thirteen!");
        self.0 += add;
        self.0
    }
}

fn sequential(ops: &[(u32, u32)]) -> History<u32, u32> {
    let mut events = History::from_events();
    for (op, ret) in ops {
        let id = events.call(*op);
        events.ret(id, *ret).unwrap();
    }
    events.finish()
}

#[test]
fn an_empty_history_is_linearizable() {
    let empty: History<u32, u32> = History::default();
    for engine in Engine::ALL {
        let report = Checker::new(&Superstitious(0)).engine(engine).check(&empty).unwrap();
        assert!(report.verdict.is_linearizable());
    }
    assert!(check(&Superstitious(0), &empty).unwrap().verdict.is_linearizable());
}

#[test]
fn a_history_of_pending_operations_is_linearizable() {
    let mut events = History::from_events();
    events.call(1);
    events.call(2);
    let report = check(&Superstitious(0), &events.finish()).unwrap();
    let Verdict::Linearizable(witness) = report.verdict else { panic!("{:?}", report.verdict) };
    assert!(witness.order.is_empty());
}

#[test]
fn a_panicking_model_is_an_error_that_names_the_operation() {
    let history = sequential(&[(1, 1), (13, 14), (2, 16)]);
    for engine in Engine::ALL {
        let error = Checker::new(&Superstitious(0)).engine(engine).check(&history).unwrap_err();
        let CheckError::SpecPanicked { op, description, message } = &error else {
            panic!("{error}")
        };
        assert_eq!((*op, description.as_str(), message.as_str()), (OpId(1), "13", "not thirteen!"));
    }
    // Nothing is poisoned: checking continues to work.
    let report = check(&Superstitious(0), &sequential(&[(1, 1), (2, 3)])).unwrap();
    assert!(report.verdict.is_linearizable());
}

#[test]
fn an_unknown_engine_is_an_error_that_lists_the_known_ones() {
    let error = "jit-tree+magic".parse::<Algorithm>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown engine \"magic\"; the engines are wg-tree, wg-graph, jit-tree, jit-graph, breadth, \
         hitting, monitor, queue-oriented"
    );
}

#[test]
fn more_than_64_concurrent_operations() {
    // 150 concurrent additions; the results fix one order.
    let mut events = History::from_events();
    let ids: Vec<OpId> = (0..150).map(|_| events.call(1)).collect();
    for (i, id) in ids.iter().enumerate() {
        events.ret(*id, (i + 1) as u32).unwrap();
    }
    let history = events.finish();
    for engine in [Engine::WgGraph, Engine::JitTree, Engine::JitGraph] {
        let report = Checker::new(&Superstitious(0)).engine(engine).check(&history).unwrap();
        assert!(report.verdict.is_linearizable(), "{engine:?}");
    }
}
