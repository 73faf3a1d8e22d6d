//! Plans are plain data: they can be asked for, printed and compared.

use linpoint::history::{Extras, OrderHint};
use linpoint::plan::Tactic;
use linpoint::spec::models::{
    KeyValue, KeyValueOp, KeyValueRet, Register, RegisterOp, RegisterRet,
};
use linpoint::{Checker, Engine, Hints, History};

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
fn engines_asked_for_by_name_are_all_there_is() {
    let spec = Register { initial: 0 };
    let history: History<RegisterOp<i32>, RegisterRet<i32>> = History::default();
    let plan = Checker::new(&spec).engine("jit-tree+breadth").plan(&history).unwrap();
    let steps: Vec<_> = plan.steps().cloned().collect();
    assert_eq!(steps, [Tactic::Compete(vec![Engine::JitTree, Engine::Breadth])]);
}

#[test]
fn a_plan_prints() {
    let spec = KeyValue::new(None);
    let plan = Checker::new(&spec).threads(2).plan(&two_keys(false)).unwrap();
    assert_eq!(
        plan.to_string(),
        "3 operations (0 pending, 0 with unknown result), up to 1 open at once\n\
         2 independent parts, the largest with 2 operations\n\
         1. straight jit-graph: most linearizable histories need hardly more steps than operations\n\
         2. refute: an obvious contradiction needs no search\n\
         3. probe jit-graph: small searches end soon\n\
         4. unlimited-pending: not used, no operation is pending\n\
         5. jit-graph+breadth: complete; luck and robustness race each other\n\
         2 thread(s), no time limit, at most three quarters of the free memory"
    );
}
