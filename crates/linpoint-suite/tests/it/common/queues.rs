//! A compact notation for queue histories.

use linpoint::history::{Extras, History, Interval, Ties};
use linpoint::spec::models::{QueueOp, QueueRet};

/// A queue of small numbers.
pub type QueueHistory = History<QueueOp<u8>, QueueRet<u8>>;

/// `enq1[0,3]` is an enqueue of 1 from 0 to 3; `deq1`, `peek1` and `deqE` found 1 and nothing;
/// `[2,..]` never returned, and `deq?` is a dequeue whose result is therefore unknown. An operation
/// that ends when another begins precedes it.
pub fn parse(text: &str) -> QueueHistory {
    let mut intervals = History::from_intervals(Ties::Ordered);
    for word in text.split_whitespace() {
        let (name, times) = word.trim_end_matches(']').split_once('[').unwrap();
        let (start, end) = times.split_once(',').unwrap();
        let at = name.find(|c: char| !c.is_lowercase()).unwrap();
        let (name, value) = name.split_at(at);
        let value: Option<u8> = value.parse().ok();
        let (op, ret) = match name {
            "enq" => (QueueOp::Enqueue(value.unwrap()), QueueRet::Done),
            "deq" => (QueueOp::Dequeue, QueueRet::Value(value)),
            "peek" => (QueueOp::Peek, QueueRet::Value(value)),
            _ => panic!("{word}"),
        };
        let (start, end) = (start.parse().unwrap(), end.parse::<u64>().ok());
        let ret = end.map(|_| ret);
        intervals.add(Interval { op, ret, start, end, extras: Extras::default() }).unwrap();
    }
    intervals.finish().unwrap()
}
