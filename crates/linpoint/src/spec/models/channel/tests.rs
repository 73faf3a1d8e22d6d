use super::*;
use crate::history::{History, Interval, Ties};
use crate::spec::claims::check_claims;
use crate::spec::models::tests::{next, run};

#[test]
fn sequential_semantics() {
    let ops = [TryRecv, Recv, Send(1), TrySend(2), Send(3), TrySend(4), Recv, Close, Send(5)];
    let (rets, state) = run(&Channel::unbounded(), &ops);
    assert_eq!(rets, ["empty", "waits", "ok", "ok", "ok", "ok", "1", "true", "closed"]);
    assert_eq!(state, "[2, 3, 4] (front first), closed");
    let (rets, state) = run(&Channel::bounded(2), &ops);
    assert_eq!(rets, ["empty", "waits", "ok", "ok", "waits", "full", "1", "true", "closed"]);
    assert_eq!(state, "[2] (front first), closed");
}

#[test]
fn a_closed_channel_is_drained_and_a_cancelled_one_is_empty() {
    let ops = [Send(1), Close, Close, TryRecv, TryRecv, Recv];
    let (rets, _) = run(&Channel::unbounded(), &ops);
    assert_eq!(rets, ["ok", "true", "false", "1", "closed", "closed"]);
    let (rets, _) = run(&Channel::unbounded(), &[Send(1), Cancel, TryRecv, Cancel]);
    assert_eq!(rets, ["ok", "true", "closed", "false"]);
}

#[test]
fn a_close_may_say_nothing() {
    let spec = Channel::<u8>::unbounded();
    let open = spec.initial();
    assert_eq!(next(&spec, &open, &Close, Some(&Done)), ["empty, closed"]);
    assert_eq!(next(&spec, &open.closed(&Close), &Close, Some(&Done)), ["empty, closed"]);
    assert!(next(&spec, &open, &Close, Some(&Bool(false))).is_empty());
    assert!(next(&spec, &open, &Recv, Some(&Done)).is_empty());
}

#[test]
fn claims_hold() {
    let few = [Send(1), TrySend(2), Send(3), Recv, Recv, TryRecv];
    let all = [Send(1), TrySend(2), Send(3), Recv, TryRecv, Close, Cancel];
    for spec in [Channel::unbounded(), Channel::bounded(1), Channel::bounded(2)] {
        check_claims(&spec, &few, 1, 400).unwrap();
        check_claims(&spec, &all, 2, 400).unwrap();
    }
}

/// Operations with when they were called and when they returned.
fn meets(ops: &[(ChannelOp<u8>, ChannelRet<u8>, u64, u64)]) -> bool {
    let mut history = History::from_intervals(Ties::Concurrent);
    for (op, ret, call, end) in ops {
        history.add(Interval::new(op.clone(), ret.clone(), *call, *end)).unwrap();
    }
    let verdict = crate::check(&Channel::rendezvous(), &history.finish().unwrap()).unwrap().verdict;
    verdict.is_linearizable()
}

#[test]
fn a_send_meets_its_receive() {
    let send = |v, call, end| (Send(v), Done, call, end);
    let recv = |v, call, end| (Recv, Message(v), call, end);
    let close = (Close, Done, 90, 91);
    assert!(meets(&[send(1, 1, 5), recv(1, 3, 8), close.clone()]));
    assert!(meets(&[send(1, 3, 8), recv(1, 1, 5), close.clone()]));
    // The send returned before its message was received.
    assert!(!meets(&[send(1, 1, 2), recv(1, 3, 4), close.clone()]));
    // It was never received.
    assert!(!meets(&[send(1, 1, 2), close.clone()]));
    // Received twice, never sent.
    assert!(!meets(&[send(1, 1, 9), recv(1, 1, 9), recv(1, 1, 9), close.clone()]));
    assert!(!meets(&[recv(2, 1, 9), close.clone()]));
    // Senders have no order.
    assert!(meets(&[send(1, 1, 9), send(2, 2, 9), recv(2, 3, 4), recv(1, 5, 6), close.clone()]));
    // After the close.
    assert!(!meets(&[close, send(1, 92, 99), recv(1, 92, 99)]));
}

#[test]
fn in_a_rendezvous_one_side_may_wait() {
    let spec = Channel::rendezvous();
    let open = spec.initial();
    assert!(spec.may_rest(&open, &[Send(1), Send(2)]) && spec.may_rest(&open, &[Recv, Recv]));
    assert!(!spec.may_rest(&open, &[Send(1), Recv]) && !spec.may_rest(&open, &[TryRecv]));
    assert!(!spec.may_rest(&open.closed(&Close), &[Recv]));
    let owes = State { owed: Owed::This(1), ..open };
    assert!(!spec.may_rest(&owes, &[Recv]) && !spec.may_rest(&owes, &[Send(1)]));
    let bounded = Channel::bounded(1);
    assert!(bounded.may_rest(&bounded.initial(), &[Recv]));
    assert!(!bounded.may_rest(&bounded.initial(), &[Recv, Send(1)]));
}

#[test]
fn a_pending_receive_of_a_rendezvous_may_have_taken_any_message() {
    let spec = Channel::rendezvous();
    let open = spec.initial();
    assert_eq!(next(&spec, &open, &Recv, None), ["empty, something was received"]);
    let owes = State { owed: Owed::Any, ..open.clone() };
    assert_eq!(next(&spec, &owes, &Send(7), Some(&Done)), ["empty"]);
    assert!(next(&spec, &owes, &TryRecv, None).is_empty());
    assert!(next(&spec, &open, &Send(7), None).is_empty());
    assert_eq!(next(&spec, &open, &TrySend(7), Some(&Full)), ["empty"]);
}
