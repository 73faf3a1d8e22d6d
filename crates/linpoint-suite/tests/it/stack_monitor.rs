//! The stack monitor: histories that other checkers got wrong, deep nesting, pending pops.

use linpoint::history::{Extras, History, Interval, OpId, Ties};
use linpoint::monitor::{self, Answer};
use linpoint::spec::Spec;
use linpoint::spec::models::{Stack, StackOp, StackRet};
use linpoint_suite::small::check::Trial;
use linpoint_suite::small::objects::SmallStack;
use linpoint_suite::{Rng, rng_of_case};

use StackOp::{Peek, Pop, Push};
use StackRet::{Done, Value};

type StackHistory<V> = History<StackOp<V>, StackRet<V>>;

/// `push1[0,3]` is a push of 1 from 0 to 3; `pop1`, `peek1` and `popE` found 1 and nothing;
/// `[2,..]` never returned. An operation that ends when another begins precedes it.
fn parse<V: std::str::FromStr>(text: &str) -> StackHistory<V> {
    let mut intervals = History::from_intervals(Ties::Ordered);
    for word in text.split_whitespace() {
        let (name, times) = word.trim_end_matches(']').split_once('[').unwrap();
        let (start, end) = times.split_once(',').unwrap();
        let (name, value) = name.split_at(name.find(|c: char| !c.is_lowercase()).unwrap());
        let value: Option<V> = value.parse().ok();
        let (op, ret) = match (name, value) {
            ("push", Some(value)) => (Push(value), Done),
            ("pop", value) => (Pop, Value(value)),
            ("peek", value) => (Peek, Value(value)),
            _ => panic!("{word}"),
        };
        let (start, end) = (start.parse().unwrap(), end.parse::<u64>().ok());
        let ret = end.map(|_| ret);
        intervals.add(Interval { op, ret, start, end, extras: Extras::default() }).unwrap();
    }
    intervals.finish().unwrap()
}

/// The answer of the monitor, compared with brute force.
fn ask(text: &str) -> Option<bool> {
    Trial::new(SmallStack).one(&parse(text))
}

fn decide(history: &StackHistory<u32>) -> Answer {
    let ids: Vec<OpId> = history.ids().collect();
    monitor::decide(&Stack::new(), history, &ids).unwrap().answer
}

#[test]
fn peeks_between_push_and_pop() {
    assert_eq!(ask("push1[1,2] peek1[3,4] pop1[5,6]"), Some(true));
    assert_eq!(ask("push1[1,2] push2[3,4] peek1[5,6]"), Some(false));
    assert_eq!(ask("push1[1,2] push2[3,4] peek2[5,6] pop2[7,8] peek1[9,10]"), Some(true));
    assert_eq!(ask("push1[1,2] push2[3,6] peek1[4,5] peek2[7,8]"), Some(true));
}

/// Where two elements are alone one after the other, and the first is explained before the run is
/// examined, only its part of the run is free. The order was wrong.
#[test]
fn a_run_of_lonely_elements_is_freed_in_parts() {
    let history = "push1[0,2] push2[1,7] push3[5,8] peek1[4,9] pop2[3,11] push4[10,15] pop3[13,16] \
                   pop4[14,17] push5[12,19] push6[6,22] push7[21,24] pop7[18,27] pop5[25,28] \
                   pop6[26,29] popE[23,30] pop1[20,31]";
    assert_eq!(ask(history), Some(true));
}

/// It reveals nothing, but it is complete and must be in the order, once.
#[test]
fn a_completed_peek_of_unknown_result_is_in_the_order() {
    let mut events = History::from_events();
    let push = events.call(Push(1));
    let peek = events.call(Peek);
    events.ret(push, Done).unwrap();
    events.ret_unknown(peek).unwrap();
    let pop = events.call(Pop);
    events.ret(pop, Value(Some(1))).unwrap();
    assert_eq!(Trial::new(SmallStack).one(&events.finish()), Some(true));
}

#[test]
fn a_wrong_empty_result_at_the_end_is_found() {
    assert_eq!(ask("push1[1,2] popE[3,4]"), Some(false));
    assert_eq!(ask("push1[1,2] peekE[3,4]"), Some(false));
    assert_eq!(ask("popE[1,2] popE[3,4]"), Some(true));
    assert_eq!(ask("push1[1,2]"), Some(true));
    assert_eq!(ask(""), Some(true));
}

#[test]
fn an_element_below_is_not_popped_first() {
    assert_eq!(ask("push1[1,2] push2[3,4] push3[5,6] pop1[7,8]"), Some(false));
    assert_eq!(ask("push1[1,2] push2[3,4] pop1[5,6] pop2[7,8]"), Some(false));
    assert_eq!(ask("push1[1,2] push2[3,4] pop1[5,8] pop2[6,7]"), Some(true));
}

#[test]
fn pending_pops_take_blocking_elements() {
    let two = |pops: &str| ask(&format!("push1[0,1] push2[0,1] popE[2,3] {pops}"));
    assert_eq!(two(""), Some(false));
    // No single element blocks alone, so all assignments must be tried.
    assert_eq!(two("pop?[0,..]"), Some(false));
    assert_eq!(two("pop?[0,..] pop?[3,..]"), Some(false));
    assert_eq!(two("pop?[0,..] pop?[1,..]"), Some(true));
    assert_eq!(ask("push1[0,1] push2[2,3] pop1[4,5] pop?[4,..]"), Some(true));
    assert_eq!(ask("push1[0,1] push2[2,3] pop1[4,5] pop?[5,..]"), Some(false));
}

/// Each element is pushed before the one around it is complete: all are needed.
#[test]
fn a_chain_of_any_length_is_reported_as_a_chain() {
    for k in [2, 3, 40] {
        let mut text = format!("push0[0,1] pop0[10,{}]", 10 * k + 10);
        for i in 1..=k {
            let push = format!(" push{i}[{},{}]", 10 * i - 8, 10 * i - 1);
            text += &format!("{push} pop{i}[{},{}]", 11 + 10 * i, 10 * k + 60);
        }
        if k == 2 {
            assert_eq!(ask(&text), Some(false));
        }
        let Answer::Violation(found) = decide(&parse(&text)) else { panic!("accepted {k}") };
        assert_eq!(found.ops.len(), 2 * (k + 1));
        assert!(found.reason.to_string().contains("none lowest"), "{}", found.reason);
    }
}

#[test]
fn the_sentence_names_the_blocking_elements() {
    let reason = |text: &str| match decide(&parse(text)) {
        Answer::Violation(found) => found.reason.to_string(),
        Answer::Linearizable(_) => panic!("accepted {text}"),
    };
    assert_eq!(
        reason("push1[1,2] push2[3,4] pop1[5,6] pop2[7,8] push3[0,20] pop3[0,20]"),
        "pop() -> 1 ran while what push(2) added was there; push(2) ran while what push(1) added \
         was there; so each of these elements was above another, and none lowest"
    );
    assert_eq!(
        reason("push1[1,2] popE[3,4]"),
        "pop() -> empty ran while what push(1) added was there, never removed"
    );
}

/// Elements with many overlapping operations: most bugs here need several of them.
fn crowded(rng: &mut Rng, most: usize, with_pending: bool) -> StackHistory<u8> {
    let (horizon, longest) = (rng.usize(8..=30), rng.usize(1..=12));
    let mut rows = Vec::new();
    let mut add = |rng: &mut Rng, op, ret, from: usize| {
        let start = rng.usize(from..=horizon);
        let end = start + rng.usize(0..=longest);
        // Distinct enough that calls and returns come in any order.
        let (start, end) = (64 * start + rng.usize(..32), 64 * end + 32 + rng.usize(..32));
        if rows.len() < most {
            rows.push(Interval {
                op,
                end: Option::is_some(&ret).then_some(end as u64),
                ret,
                start: start as u64,
                extras: Extras::default(),
            });
        }
        start / 64
    };
    for v in 0..rng.usize(2..=4) as u8 {
        let is_pending = with_pending && rng.f64() < 0.1;
        let from = add(rng, Push(v), (!is_pending).then_some(Done), 0);
        if rng.f64() < if with_pending { 0.5 } else { 0.85 } {
            add(rng, Pop, Some(Value(Some(v))), from);
        }
        while rng.f64() < 0.3 {
            add(rng, Peek, Some(Value(Some(v))), from);
        }
    }
    while with_pending && rng.f64() < 0.7 {
        add(rng, Pop, None, 0);
    }
    if rng.f64() < 0.25 {
        add(rng, Pop, Some(Value(None)), 0);
    }
    let mut intervals = History::from_intervals(Ties::Concurrent);
    for row in rows {
        intervals.add(row).unwrap();
    }
    intervals.finish().unwrap()
}

#[test]
fn crowded_histories_agree_with_brute_force() {
    let is_long = std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1");
    let count = if is_long { 1_000_000 } else { 4_000 };
    for (most, with_pending) in [(6, false), (8, false), (7, true), (9, true)] {
        let mut trial = Trial::new(SmallStack);
        for case in 0..count {
            trial.one(&crowded(&mut rng_of_case(most as u64, case), most, with_pending));
        }
        println!("at most {most} operations: {}", trial.tally);
        assert!(trial.tally.no > count / 10 && trial.tally.yes > count / 4);
    }
}

/// An operation that has not returned, and its result once it has taken effect.
type Open = (OpId, StackOp<u32>, Option<StackRet<u32>>);

/// Clients that push, pop and peek; `spoil` takes one element from the middle.
fn long(rng: &mut Rng, ops: usize, clients: usize, spoil: bool) -> StackHistory<u32> {
    let mut events = History::from_events();
    let mut open: Vec<Option<Open>> = vec![None; clients];
    let (mut stack, mut made, mut spoilt) = (Vec::new(), 0, !spoil);
    while made < ops || open.iter().any(Option::is_some) {
        let client = rng.usize(..clients);
        match open[client].take() {
            None if made < ops => {
                made += 1;
                let op = match rng.usize(..10) {
                    0 | 1 => Peek,
                    2..5 => Pop,
                    _ => Push(made as u32),
                };
                open[client] = Some((events.call(op.clone()), op, None));
            }
            None => {}
            Some((id, _, Some(ret))) => events.ret(id, ret).unwrap(),
            Some((id, op, None)) => {
                let ret = match op {
                    Push(v) => {
                        stack.push(v);
                        Done
                    }
                    Pop if !spoilt && stack.len() > 4 * clients => {
                        spoilt = true;
                        Value(Some(stack.remove(clients)))
                    }
                    Pop => Value(stack.pop()),
                    Peek => Value(stack.last().copied()),
                };
                open[client] = Some((id, op, Some(ret)));
            }
        }
    }
    assert!(spoilt);
    events.finish()
}

#[test]
fn long_histories_have_orders_and_short_contradictions() {
    let mut rng = rng_of_case(5, 0);
    for clients in [1, 3, 20] {
        let good = long(&mut rng, 5_000, clients, false);
        let Answer::Linearizable(order) = decide(&good) else { panic!("rejected") };
        assert_eq!(order.len(), 5_000);
        let mut run = order.iter().map(|id| (good.op(*id), good.ret(*id)));
        assert_eq!(Stack::new().replay(&mut run), Some(Ok(())));
        let mut lead = 0;
        for id in order {
            let span = good.span(id);
            assert!(span.ret > lead, "{id} comes too late");
            lead = lead.max(span.call);
        }
        let Answer::Violation(found) = decide(&long(&mut rng, 5_000, clients, true)) else {
            panic!("accepted")
        };
        // To prove that something was never removed takes all pops.
        let is_short = found.ops.len() <= 8 || found.reason.to_string().contains("never removed");
        assert!(is_short, "{}: {}", found.ops.len(), found.reason);
    }
}
