use std::time::Duration;

use super::*;
use crate::budget::Limits;
use crate::spec::models::{Queue, QueueOp, QueueRet, Register, RegisterOp, RegisterRet};

/// A list that is copied by each operation, and that panics at some length.
struct Copied {
    forbidden: usize,
}

const LENGTH: usize = 10_000;

impl Spec for Copied {
    type Op = ();
    type Ret = usize;
    type State = Vec<u8>;

    fn initial(&self) -> Vec<u8> {
        vec![0; LENGTH]
    }

    fn successors(&self, state: &Vec<u8>, (): &(), ret: Option<&usize>, next: &mut Vec<Vec<u8>>) {
        let mut outcomes = Vec::new();
        self.outcomes(state, &(), &mut outcomes);
        next.extend(
            outcomes.into_iter().filter(|o| ret.is_none_or(|ret| o.0 == *ret)).map(|o| o.1),
        );
    }

    fn outcomes(&self, state: &Vec<u8>, (): &(), out: &mut Vec<(usize, Vec<u8>)>) -> bool {
        assert_ne!(state.len(), self.forbidden, "too long");
        let mut longer = state.clone();
        longer.push(0);
        out.push((state.len(), longer));
        true
    }

    fn state_bytes(&self, state: &Vec<u8>) -> usize {
        size_of::<Vec<u8>>() + state.capacity()
    }
}

#[test]
fn unused_values_are_dropped() {
    let spec = Queue::<u64>::new();
    let mut stream = Incremental::new(&spec);
    let mut most = 0;
    for n in 0..20_000 {
        let put = stream.call(QueueOp::Enqueue(n)).unwrap();
        let take = stream.call(QueueOp::Dequeue).unwrap();
        assert_eq!(stream.ret(put, QueueRet::Done), Ok(Step::Fine));
        assert_eq!(stream.ret(take, QueueRet::Value(Some(n))), Ok(Step::Fine));
        most = most.max(stream.stream.stored());
    }
    assert!(most < 1_000, "{most}");
}

#[test]
fn large_states_are_dropped_early() {
    let spec = Copied { forbidden: usize::MAX };
    let mut stream = Incremental::whole(&spec);
    for n in 0..2_000 {
        let open = stream.call(()).unwrap();
        assert_eq!(stream.ret(open, LENGTH + n), Ok(Step::Fine));
        // A megabyte for each state, and a few states in use.
        assert!(stream.stream.stored() < 400, "{}", stream.stream.stored());
    }
}

#[test]
fn a_panic_is_an_error_that_names_the_operation() {
    let spec = Copied { forbidden: LENGTH + 1 };
    let mut stream = Incremental::whole(&spec);
    let (a, b) = (stream.call(()).unwrap(), stream.call(()).unwrap());
    assert!(matches!(
        stream.ret(a, LENGTH + 1),
        Err(StreamError::SpecPanicked { description, message })
            if description == "()" && message.contains("too long")
    ));
    // Both are still open.
    assert_eq!(stream.fail(b), Ok(Step::Fine));
    assert_eq!(stream.fail(b), Err(StreamError::NotOpen));
    assert_eq!(stream.ret(a, LENGTH), Ok(Step::Fine));
}

#[test]
fn streams_can_be_sent_to_other_threads() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&Incremental::new(&Register { initial: 0u32 }));
    is_send(&StreamChecker::new());
}

#[test]
fn operations_in_a_reused_slot_are_not_confused() {
    let spec = Register { initial: 0 };
    let mut stream = Incremental::new(&spec);
    let first = stream.call(RegisterOp::Write(1)).unwrap();
    assert_eq!(stream.ret(first, RegisterRet::Written), Ok(Step::Fine));
    let second = stream.call(RegisterOp::Read).unwrap();
    assert_eq!(stream.ret(first, RegisterRet::Written), Err(StreamError::NotOpen));
    assert_eq!(stream.ret(second, RegisterRet::Value(1)), Ok(Step::Fine));
}

/// Whatever was not tried because a limit was reached may be an explanation. The clock is looked at after some amount of
/// work, so operations that do not overlap come first, more and more of them: in some case the limit is reached
/// between the return and the only operation that explains it.
#[test]
fn a_limit_is_never_a_violation() {
    let spec = Queue::<u64>::new();
    let mut limited = 0;
    for before in 0..600 {
        let allowance = Allowance::new(&Limits { time: Some(Duration::ZERO), memory: None });
        let mut stream = Incremental::new(&spec).configurations_only().allowance(allowance);
        let mut step = Step::Fine;
        for _ in 0..before {
            let dequeue = stream.call(QueueOp::Dequeue).unwrap();
            step = stream.ret(dequeue, QueueRet::Value(None)).unwrap();
        }
        let was_fine = step == Step::Fine;
        stream.call(QueueOp::Enqueue(1)).unwrap();
        let dequeue = stream.call(QueueOp::Dequeue).unwrap();
        match stream.ret(dequeue, QueueRet::Value(Some(1))).unwrap() {
            Step::Fine => {}
            Step::Undecided(limit) => {
                assert_eq!(limit, Limit::Time);
                limited += u32::from(was_fine);
            }
            Step::Violation(violation) => panic!("{before}: {violation:?}"),
        }
    }
    // Often enough that it is not always reached before the first configuration.
    assert!(limited > 40, "{limited}");
}
