//! Queue, stack and priority queue of numbers.

use linpoint::spec::models::{
    Order, PriorityQueue, PriorityQueueOp, PriorityQueueRet, Queue, QueueOp, QueueRet, Stack,
    StackOp, StackRet,
};

use crate::Rng;
use crate::small::draw::Style;
use crate::small::{Nibbles, SmallObject};

/// A queue.
pub struct SmallQueue;

/// A stack.
pub struct SmallStack;

/// A priority queue.
pub struct SmallPriorityQueue(pub Order);

/// Some result of looking at a container: a value, or nothing.
pub(super) fn any_value(rng: &mut Rng, values: u8) -> Option<u8> {
    let value = rng.usize(..usize::from(values) + 1) as u8;
    (value < values).then_some(value)
}

macro_rules! container {
    ($small:ty, $name:literal, $spec:ty, $new:expr, $op:ident, $ret:ident,
     $add:ident, $remove:ident, $peek:ident, $next:expr) => {
        impl SmallObject for $small {
            type Op = $op<u8>;
            type Ret = $ret<u8>;
            type Spec = $spec;

            fn name(&self) -> &'static str {
                $name
            }

            fn spec(&self) -> $spec {
                ($new)(self)
            }

            fn start(&self) -> u64 {
                0
            }

            fn step(&self, state: u64, op: &$op<u8>) -> Option<($ret<u8>, u64)> {
                let held = Nibbles(state);
                let next: Option<(u8, Nibbles)> = ($next)(self, held);
                Some(match op {
                    $op::$add(v) => ($ret::Done, held.push(*v).0),
                    $op::$remove => {
                        let left = next.map_or(held, |(_, rest)| rest);
                        ($ret::Value(next.map(|(v, _)| v)), left.0)
                    }
                    $op::$peek => ($ret::Value(next.map(|(v, _)| v)), state),
                })
            }

            fn draw(&self, rng: &mut Rng, _style: &Style, fresh: u8) -> $op<u8> {
                match rng.usize(..10) {
                    0..5 => $op::$add(fresh),
                    5..8 => $op::$remove,
                    _ => $op::$peek,
                }
            }

            fn any_result(&self, rng: &mut Rng, op: &$op<u8>, values: u8) -> $ret<u8> {
                match op {
                    $op::$add(_) => $ret::Done,
                    _ => $ret::Value(any_value(rng, values)),
                }
            }

            fn letters(&self, values: u8) -> Vec<($op<u8>, Option<$ret<u8>>)> {
                let mut letters = vec![($op::$remove, None)];
                for v in 0..values {
                    letters.extend([($op::$add(v), Some($ret::Done)), ($op::$add(v), None)]);
                }
                for found in (0..values).map(Some).chain([None]) {
                    letters.push(($op::$remove, Some($ret::Value(found))));
                    letters.push(($op::$peek, Some($ret::Value(found))));
                }
                letters
            }
        }
    };
}

container!(
    SmallQueue,
    "queue",
    Queue<u8>,
    |_: &SmallQueue| Queue::new(),
    QueueOp,
    QueueRet,
    Enqueue,
    Dequeue,
    Peek,
    |_: &SmallQueue, held: Nibbles| held.pop_first()
);
container!(
    SmallStack,
    "stack",
    Stack<u8>,
    |_: &SmallStack| Stack::new(),
    StackOp,
    StackRet,
    Push,
    Pop,
    Peek,
    |_: &SmallStack, held: Nibbles| held.pop_last()
);
container!(
    SmallPriorityQueue,
    "priority queue",
    PriorityQueue<u8>,
    |small: &SmallPriorityQueue| PriorityQueue::new(small.0),
    PriorityQueueOp,
    PriorityQueueRet,
    Insert,
    Poll,
    Peek,
    SmallPriorityQueue::next
);

impl SmallPriorityQueue {
    /// The element that comes out first, and the rest, in ascending order so that equal contents
    /// are equal states.
    fn next(&self, held: Nibbles) -> Option<(u8, Nibbles)> {
        let mut values: Vec<u8> = held.iter().collect();
        values.sort_unstable();
        let first = match self.0 {
            Order::Max => values.pop()?,
            Order::Min => (!values.is_empty()).then(|| values.remove(0))?,
        };
        Some((first, values.into_iter().fold(Nibbles(0), Nibbles::push)))
    }
}
