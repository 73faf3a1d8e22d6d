//! Violations that random streams hardly ever contain.

use crate::incremental::{Incremental, Step};
use crate::spec::models::{Queue, QueueOp, QueueRet};

use QueueOp::{Dequeue, Enqueue, Peek};
use QueueRet::{Done, Value};

/// The first element is removed in time for the empty result, as it seems. Then a peek that was called after the second
/// had been added finds it.
#[test]
fn a_late_peek_leaves_no_time_for_an_empty_result() {
    let spec = Queue::new();
    let mut stream = Incremental::new(&spec);
    let first = stream.call(Enqueue(1)).unwrap();
    assert_eq!(stream.ret(first, Done), Ok(Step::Fine));
    let (removal, empty) = (stream.call(Dequeue).unwrap(), stream.call(Dequeue).unwrap());
    let second = stream.call(Enqueue(2)).unwrap();
    assert_eq!(stream.ret(second, Done), Ok(Step::Fine));
    let peek = stream.call(Peek).unwrap();
    assert_eq!(stream.ret(removal, Value(Some(1))), Ok(Step::Fine));
    assert_eq!(stream.ret(empty, Value(None)), Ok(Step::Fine));
    assert_eq!(stream.monitored(), 1);
    let step = stream.ret(peek, Value(Some(1))).unwrap();
    assert!(matches!(step, Step::Violation(_)), "{step:?}");
}

/// When the second element is removed, the first matters only because the empty result was called before its removal. It
/// must not be forgotten: the peek shows that the empty result comes before the second element, when the first was there.
/// What happened earlier decides when something is forgotten.
#[test]
fn what_was_there_during_an_empty_result_is_remembered() {
    let spec = Queue::new();
    for earlier in 10..30 {
        let mut stream = Incremental::new(&spec);
        for value in 10..earlier {
            let add = stream.call(Enqueue(value)).unwrap();
            assert_eq!(stream.ret(add, Done), Ok(Step::Fine));
            let remove = stream.call(Dequeue).unwrap();
            assert_eq!(stream.ret(remove, Value(Some(value))), Ok(Step::Fine));
        }
        let first = stream.call(Enqueue(1)).unwrap();
        assert_eq!(stream.ret(first, Done), Ok(Step::Fine));
        let (second, empty) = (stream.call(Enqueue(2)).unwrap(), stream.call(Dequeue).unwrap());
        assert_eq!(stream.ret(second, Done), Ok(Step::Fine));
        let removal = stream.call(Dequeue).unwrap();
        assert_eq!(stream.ret(removal, Value(Some(1))), Ok(Step::Fine));
        let removal = stream.call(Dequeue).unwrap();
        assert_eq!(stream.ret(empty, Value(None)), Ok(Step::Fine));
        let peek = stream.call(Peek).unwrap();
        assert_eq!(stream.ret(removal, Value(Some(2))), Ok(Step::Fine));
        assert_eq!(stream.monitored(), 1);
        let step = stream.ret(peek, Value(Some(2))).unwrap();
        assert!(matches!(step, Step::Violation(_)), "{earlier}: {step:?}");
    }
}
