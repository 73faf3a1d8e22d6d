//! Depth-first searches that run out of memory forget what they can and continue. Their answers must
//! not change.

use linpoint::spec::models::{Queue, QueueOp, QueueRet};
use linpoint::{Checker, Engine, History, Report, Switches};

/// Far less than the searches below would use, but enough for several thousand steps.
const LITTLE: usize = 2 << 20;

/// Eight concurrent enqueues, then one dequeue after the other, in an order that is hard to guess.
/// The last one dequeues `last`.
fn queue(last: u32) -> History<QueueOp<u32>, QueueRet<u32>> {
    let mut events = History::from_events();
    let open: Vec<_> = (0..8).map(|v| events.call(QueueOp::Enqueue(v))).collect();
    for id in open {
        events.ret(id, QueueRet::Done).expect("it is open");
    }
    for value in [5, 2, 7, 0, 3, 6, 1, last] {
        let id = events.call(QueueOp::Dequeue);
        events.ret(id, QueueRet::Value(Some(value))).expect("it is open");
    }
    events.finish()
}

/// The search alone: nothing guesses the order or refutes.
fn search(engine: Engine, memory: usize, history: &History<QueueOp<u32>, QueueRet<u32>>) -> Report {
    let switches = Switches { guide: false, monitors: false, ..Switches::default() };
    let spec = Queue::new();
    let checker = Checker::new(&spec).engine(engine).switches(switches).memory(memory).threads(1);
    checker.check(history).expect("an answer")
}

#[test]
fn searches_that_forget_give_the_same_answers() {
    for engine in [Engine::WgTree, Engine::WgGraph, Engine::JitTree, Engine::JitGraph] {
        for (last, expected) in [(4, true), (5, false)] {
            let history = queue(last);
            let roomy = search(engine, 1 << 30, &history);
            assert!(roomy.stats.peak_bytes > 2 * LITTLE, "{engine:?}: {}", roomy.stats.peak_bytes);
            let report = search(engine, LITTLE, &history);
            for report in [roomy, report] {
                let verdict = report.verdict;
                assert_eq!(verdict.is_linearizable(), expected, "{engine:?}: {verdict:?}");
                assert_eq!(verdict.violation().is_some(), !expected, "{engine:?}: {verdict:?}");
            }
        }
    }
}
