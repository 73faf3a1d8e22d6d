//! Failures told as steps in the source: what a reader of a report sees.

use linpoint::Spec;
use linpoint::spec::models as spec;
use linpoint::spec::models::{KeyValueOp, StackOp};
use linpoint_gallery::exhibits::{ALL, Scale, Visitor, visit_shuttled};
use linpoint_gallery::shuttled::structures::{
    growing_map::GrowingMap, mailbox::Mailbox, treiber::Treiber,
};
use linpoint_gallery::specs::{MailOp, MailSpec};
use linpoint_test::Test;
use linpoint_test::report::Fault;
use linpoint_test::research::{Failure, Retold, Runner, Scenario};
use linpoint_test::schedule::Interleaving;
use linpoint_test::schedule::interleaving::What;
use linpoint_test::schedule::shuttle::Shuttle;

/// Finds a failure of the scenario and retells it.
fn retold<T, S>(test: &Test<T, S>, scenario: &Scenario<S::Op>) -> (Fault, Interleaving)
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    let mut shuttle = Shuttle::random();
    let failure = shuttle.attempt(test, scenario).failure.expect("it is broken");
    let Retold { failure, interleaving, .. } = shuttle.retell(test, scenario, failure);
    let interleaving = interleaving.expect("shuttle knows the steps");
    assert_places(&interleaving);
    let fewest = interleaving.fewest.as_deref();
    assert_eq!(fewest, Some("1 preemption; it does not fail without"), "{interleaving}");
    (failure.fault, interleaving)
}

/// Every place is a line of the source that makes this access.
fn assert_places(interleaving: &Interleaving) {
    for moment in &interleaving.moments {
        if let What::Step { text, place: Some((file, line)), .. } = &moment.what {
            let source =
                std::fs::read_to_string(format!("../../{file}")).expect("it is in the tree");
            let line = source.lines().nth(*line as usize - 1).expect("the file has this line");
            let access = text.split(['(', ' ']).next().unwrap_or_default();
            let method = access.rsplit('.').next().unwrap_or_default();
            assert!(line.contains(&format!("{method}(")), "{access} is not in {line:?}");
        }
    }
}

/// The text without places.
fn without_places(interleaving: &Interleaving) -> String {
    let text = interleaving.to_string();
    let lines = text.lines().filter(|line| !line.starts_with("in "));
    let line = |line: &str| match line.rsplit_once("  ") {
        Some((access, place)) if place.contains(".rs:") => access.trim_end().to_owned(),
        _ => line.to_owned(),
    };
    lines.map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_node_that_comes_back() {
    let test = Test::new(|| Treiber::new(false, 8))
        .spec(spec::Stack::new())
        .ops(|_| unreachable!("nothing is drawn"))
        .perform(Treiber::perform);
    let threads = vec![vec![StackOp::Pop], vec![StackOp::Pop, StackOp::Push(4)]];
    let scenario = Scenario { setup: vec![StackOp::Push(7)], threads, finally: vec![] };
    let (fault, interleaving) = retold(&test, &scenario);
    assert_eq!(fault, Fault::NotLinearizable);
    let expected = "\
main  push(7) → ok
t0    pop()
        top.load → 1
        next.load → 0
        value.load → 7
── switch to t1
t1    pop() → 7
        top.load → 1
        next.load → 0
        value.load → 7
        top.compare_exchange(1, 0) → ok
        unused.lock
        unused.unlock
t1    push(4) → ok
        unused.lock
        unused.unlock
        value.store(4)
        top.load → 0
        next.store(0)
        top.compare_exchange(0, 1) → ok
── switch to t0
t0    … pop() → 7
        top.compare_exchange(1, 0) → ok
        unused.lock
        unused.unlock";
    assert_eq!(without_places(&interleaving), expected, "{interleaving}");
}

#[test]
fn an_update_lost_while_a_table_grows() {
    let test = Test::new(|| GrowingMap::new(false, &[2, 16]))
        .spec(spec::KeyValue::new(None))
        .ops(|_| unreachable!("nothing is drawn"))
        .perform(GrowingMap::perform);
    let scenario = Scenario {
        setup: vec![KeyValueOp::Put(0, 10), KeyValueOp::Put(1, 11)],
        threads: vec![vec![KeyValueOp::Delete(0)], vec![KeyValueOp::Put(2, 12)]],
        finally: vec![KeyValueOp::Get(0)],
    };
    let (fault, interleaving) = retold(&test, &scenario);
    assert_eq!(fault, Fault::NotLinearizable);
    let text = without_places(&interleaving);
    let window = "\
        cell#1.load → 12
── switch to t0
t0    delete(0) → ok
        current.load → 0
        key#1.load → 1
        cell#1.load → 12
        cell#1.compare_exchange(12, 0) → ok
── switch to t1
t1    … put(2, 12) → ok
        cell#1.store(1)
";
    assert!(text.contains(window), "{interleaving}");
    assert!(text.ends_with("main  get(0) → 10"), "{interleaving}");
}

#[test]
fn a_lost_wake_up() {
    let test = Test::new(|| Mailbox::new(false))
        .spec(MailSpec::default())
        .ops(|_| unreachable!("nothing is drawn"))
        .perform(Mailbox::perform);
    let threads = vec![vec![MailOp::Send(1)], vec![MailOp::Receive]];
    let scenario = Scenario { setup: vec![], threads, finally: vec![] };
    let (fault, interleaving) = retold(&test, &scenario);
    assert!(matches!(fault, Fault::Stuck { .. }), "{fault:?}");
    let expected = "\
t1    Receive
        messages.lock
        messages.unlock
── switch to t0
t0    Send(1) → Sent
        messages.lock
        messages.unlock
        arrived.notify_one (no thread waits)
── switch to t1
t1    … Receive
        messages.lock
        arrived.wait sleeps
t1    … Receive does not return";
    assert_eq!(without_places(&interleaving), expected, "{interleaving}");
}

/// Retells the first failure of a broken structure.
struct FirstFailure;

impl Visitor for FirstFailure {
    type Out = ();
    fn visit<T, S>(self, test: Test<T, S>)
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let mut shuttle = Shuttle::random().executions(200);
        let mut attempt = |run| {
            let scenario = test.draw(1, run);
            let failure = shuttle.attempt(&test, &scenario).failure?;
            Some((scenario, failure))
        };
        let (scenario, failure) = (0..500).find_map(&mut attempt).expect("it is broken");
        let told = shuttle.retell(&test, &scenario, failure.clone());
        assert_is_the_same_execution(&told, test.specification(), failure.fault);
        let schedule = told.failure.execution.schedule.as_deref();
        let again = shuttle.replay(&test, &scenario, schedule).failure.expect("it fails again");
        assert_eq!(again.fault, told.failure.fault);
    }
}

/// The calls and results of the steps are those of the history.
fn assert_is_the_same_execution<S: Spec>(told: &Retold<S::Op, S::Ret>, spec: &S, fault: Fault) {
    let Failure { execution, fault: retold } = &told.failure;
    assert_eq!(std::mem::discriminant(retold), std::mem::discriminant(&fault));
    let interleaving = told.interleaving.as_ref().expect("shuttle knows the steps");
    assert_places(interleaving);
    let history = &execution.history;
    let mut ids: Vec<_> = history.ids().collect();
    ids.sort_by_key(|id| history.span(*id).call);
    let in_history: Vec<(u32, String)> = ids
        .iter()
        .map(|id| (history.extras(*id).process.unwrap_or(0), spec.describe_op(history.op(*id))))
        .collect();
    let calls = interleaving.moments.iter().filter_map(|moment| match &moment.what {
        What::Call(op) => Some((moment.process, op.clone())),
        _ => None,
    });
    assert_eq!(calls.collect::<Vec<_>>(), in_history);
    let results = interleaving.moments.iter().filter(|m| matches!(m.what, What::Return(_)));
    let returned = ids.iter().filter(|id| history.ret(**id).is_some());
    assert_eq!(results.count(), returned.count());
}

#[test]
fn every_broken_structure_is_retold_with_its_own_fault() {
    let scale = Scale { threads: 3, operations: 3 };
    let broken = ALL.iter().filter(|e| e.schedulable && e.flaw.is_some_and(|f| f.interleaving));
    for exhibit in broken {
        visit_shuttled(exhibit.name, scale, FirstFailure).expect("shuttle can schedule it");
    }
}
