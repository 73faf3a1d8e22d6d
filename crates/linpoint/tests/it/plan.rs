//! Plans are plain data that can be inspected, printed and compared.

use linpoint::history::{Extras, OrderHint};
use linpoint::plan::{Monitor, Tactic};
use linpoint::spec::models::{
    KeyValue, KeyValueOp, KeyValueRet, Register, RegisterOp, RegisterRet,
};
use linpoint::{Algorithm, Checker, Engine, Hints, History, Switches};

fn two_keys(hinted: bool) -> History<KeyValueOp<&'static str, u32>, KeyValueRet<u32>> {
    let mut events = History::from_events();
    for (position, key) in ["a", "b", "a"].into_iter().enumerate() {
        let hint = OrderHint { scope: 0, position: position as u64 };
        let extras = Extras { hint: hinted.then_some(hint), ..Extras::default() };
        let id = events.call_with(KeyValueOp::Put(key, 1), extras).unwrap();
        events.ret(id, KeyValueRet::Done).unwrap();
    }
    events.finish()
}

#[test]
fn keys_are_split_unless_an_asserted_scope_spans_them() {
    let spec = KeyValue::new(None);
    let parts = |hints, hinted| {
        Checker::new(&spec).hints(hints).plan(&two_keys(hinted)).unwrap().features.parts
    };
    assert_eq!(parts(Hints::Assert, false), 2);
    assert_eq!(parts(Hints::Order, true), 2);
    assert_eq!(parts(Hints::Assert, true), 1);
    let whole = Checker::new(&spec).split_by_key(false).plan(&two_keys(false)).unwrap();
    assert_eq!((whole.features.parts, whole.split.as_str()), (1, "not split: switched off"));
}

#[test]
fn refused_tactics_say_why() {
    let mut events = History::from_events();
    let id = events.call(RegisterOp::Write(1));
    events.ret(id, RegisterRet::Written).unwrap();
    let complete = events.clone().finish();
    events.call(RegisterOp::Write(2));
    let pending = events.finish();
    let spec = Register { initial: 0 };
    let refusal = |history| {
        let plan = Checker::new(&spec).plan(history).unwrap();
        plan.ladder.iter().find(|c| c.tactic == Tactic::UnlimitedPending).unwrap().refused.clone()
    };
    assert_eq!(refusal(&complete).as_deref(), Some("no operation is pending"));
    assert_eq!(refusal(&pending), None);
}

#[test]
fn selecting_an_engine_overrides_the_ladder() {
    let spec = Register { initial: 0 };
    let history: History<RegisterOp<i32>, RegisterRet<i32>> = History::default();
    let plan = Checker::new(&spec)
        .engine("jit-tree+breadth".parse::<Algorithm>().unwrap())
        .plan(&history)
        .unwrap();
    let steps: Vec<_> = plan.steps().cloned().collect();
    assert_eq!(steps, [Tactic::Compete(vec![Engine::JitTree, Engine::Breadth])]);
}

#[test]
fn a_report_says_why_the_monitor_did_not_decide() {
    let spec = Register { initial: 0 };
    let mut events = History::from_events();
    for op in [RegisterOp::Write(1), RegisterOp::Write(1), RegisterOp::Read] {
        let is_read = op == RegisterOp::Read;
        let id = events.call(op);
        let ret = if is_read { RegisterRet::Value(1) } else { RegisterRet::Written };
        events.ret(id, ret).unwrap();
    }
    let history = events.finish();
    let report = Checker::new(&spec).check(&history).unwrap();
    assert!(report.verdict.is_linearizable());
    assert_eq!(report.engine, "jit-graph");
    let refused = report.plan.ladder[0].refused.as_deref();
    assert_eq!(refused, Some("a value that was found is written twice"));
    let error = Checker::new(&spec).engine(Monitor::OfShape).check(&history).unwrap_err();
    assert_eq!(
        error.to_string(),
        "monitor does not decide this history: a value that was found is written twice"
    );
}

#[test]
fn monitors_can_be_switched_off() {
    let spec = Register { initial: 0 };
    let mut events = History::from_events();
    let id = events.call(RegisterOp::Read);
    events.ret(id, RegisterRet::Value(0)).unwrap();
    let history = events.finish();
    let engine = |monitors| {
        let switches = Switches { monitors, ..Switches::default() };
        Checker::new(&spec).switches(switches).check(&history).unwrap().engine
    };
    assert_eq!((engine(true).as_str(), engine(false).as_str()), ("register-monitor", "jit-graph"));
}

#[test]
fn a_plan_prints() {
    let spec = KeyValue::new(None);
    let plan = Checker::new(&spec).threads(2).plan(&two_keys(false)).unwrap();
    assert_eq!(
        plan.to_string(),
        "3 operations (0 pending, 0 with unknown result), up to 1 open at once\n\
         2 independent parts, the largest with 2 operations\n\
         0. monitor: knows this kind of object and needs no search\n\
         1. monitor by part: what is refused as a whole may be accepted in parts\n\
         2. straight jit-graph: most linearizable histories need hardly more steps than operations\n\
         3. refute: an obvious contradiction needs no search\n\
         4. probe jit-graph: small searches end soon\n\
         5. unlimited-pending: not used, no operation is pending\n\
         6. jit-graph+breadth: complete: depth-first and breadth-first search run in parallel\n\
         2 thread(s), no time limit, at most three quarters of the free memory"
    );
}
