//! What the tests of published crates share: one function for each kind of object.

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

use linpoint_test::prelude::*;
use linpoint_test::report::Files;
use linpoint_test::{Handles, Summary};

/// Two threads do something with an object at the same time, again and again with new objects, until the two results
/// are wrong.
pub fn race<T: Sync, A: Send, B>(
    make: impl Fn() -> T,
    a: impl Fn(&T) -> A + Sync,
    b: impl Fn(&T) -> B,
    is_wrong: impl Fn(&A, &B) -> bool,
    message: &str,
) {
    const ROUNDS: usize = 1_000;
    for batch in 0.. {
        let objects: Vec<T> = (0..ROUNDS).map(|_| make()).collect();
        let arrived = [AtomicUsize::new(0), AtomicUsize::new(0)];
        // Waits for the other thread before each round.
        let meet = |me: usize, round: usize| {
            arrived[me].store(round + 1, Ordering::SeqCst);
            while arrived[1 - me].load(Ordering::SeqCst) <= round {
                std::hint::spin_loop();
            }
        };
        let meet = &meet;
        let (ours, theirs) = std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let round = |(round, object)| {
                    meet(0, round);
                    a(object)
                };
                objects.iter().enumerate().map(round).collect::<Vec<A>>()
            });
            let round = |(round, object)| {
                meet(1, round);
                b(object)
            };
            let ours: Vec<B> = objects.iter().enumerate().map(round).collect();
            (ours, other.join().expect("no panic"))
        });
        if let Some(round) = theirs.iter().zip(&ours).position(|(a, b)| is_wrong(a, b)) {
            return println!("round {}: {message}", batch * ROUNDS + round + 1);
        }
    }
}

/// Tests a queue without a bound.
pub fn queue<T: Send + Sync + 'static>(
    make: impl Fn() -> T + Send + Sync + 'static,
    push: impl Fn(&T, u64) + Send + Sync + 'static,
    pop: impl Fn(&T) -> Option<u64> + Send + Sync + 'static,
) -> Summary {
    let push = move |queue: &T, value| {
        push(queue, value);
        true
    };
    bounded_queue(None, make, push, pop)
}

/// Tests a queue; a push that finds it full gives false.
pub fn bounded_queue<T: Send + Sync + 'static>(
    capacity: Option<usize>,
    make: impl Fn() -> T + Send + Sync + 'static,
    push: impl Fn(&T, u64) -> bool + Send + Sync + 'static,
    pop: impl Fn(&T) -> Option<u64> + Send + Sync + 'static,
) -> Summary {
    Stress::new(make)
        .spec(capacity.map_or(Queue::new(), Queue::bounded))
        .ops(profile::queue(Fill::Even))
        .perform(move |queue, op| match op {
            QueueOp::Enqueue(value) if push(queue, *value) => QueueRet::Done,
            QueueOp::Enqueue(_) => QueueRet::Full,
            _ => QueueRet::Value(pop(queue)),
        })
        .files(Files::none())
        .run()
}

/// Tests a stack.
pub fn stack<T: Send + Sync + 'static>(
    make: impl Fn() -> T + Send + Sync + 'static,
    push: impl Fn(&T, u64) + Send + Sync + 'static,
    pop: impl Fn(&T) -> Option<u64> + Send + Sync + 'static,
) -> Summary {
    Stress::new(make)
        .spec(Stack::new())
        .ops(profile::stack(Fill::Even))
        .perform(move |stack, op| match op {
            StackOp::Push(value) => {
                push(stack, *value);
                StackRet::Done
            }
            _ => StackRet::Value(pop(stack)),
        })
        .files(Files::none())
        .run()
}

enum End<P, C> {
    Producer(P),
    Consumer(C),
}

/// Tests a queue of one producer and one consumer.
pub fn spsc<P: Send + 'static, C: Send + 'static>(
    capacity: usize,
    make: impl Fn() -> (P, C) + Send + Sync + 'static,
    push: impl Fn(&mut P, u64) -> bool + Send + Sync + 'static,
    pop: impl Fn(&mut C) -> Option<u64> + Send + Sync + 'static,
) -> Summary {
    Stress::new(move || {
        let (producer, consumer) = make();
        Handles::new([End::Producer(producer), End::Consumer(consumer)])
    })
    .spec(Queue::bounded(capacity))
    .ops(|_| QueueOp::Dequeue)
    .perform_mut(move |end, op| match (end, op) {
        (End::Producer(producer), QueueOp::Enqueue(value)) => match push(producer, *value) {
            true => QueueRet::Done,
            false => QueueRet::Full,
        },
        (End::Consumer(consumer), _) => QueueRet::Value(pop(consumer)),
        _ => unreachable!("the producer only pushes"),
    })
    .thread(0, |rng| QueueOp::Enqueue(rng.fresh()))
    .threads(2)
    .files(Files::none())
    .run()
}

/// Tests a map whose insert returns the old value: with two keys, and with enough keys to make it grow.
pub fn map<T: Send + Sync + 'static>(
    make: impl Fn() -> T + Clone + Send + Sync + 'static,
    perform: impl Fn(&T, &MapOp<u64, u64>) -> MapRet<u64> + Clone + Send + Sync + 'static,
) {
    for keys in [Keys::Few, Keys::Many] {
        Stress::new(make.clone())
            .spec(Map::new())
            .ops(move |rng| match rng.below(12) {
                0 if keys == Keys::Few => MapOp::Len,
                1 => MapOp::Contains(keys.draw(rng)),
                _ => profile::map(keys)(rng),
            })
            .perform(perform.clone())
            .relaxed(|op| matches!(op, MapOp::Len))
            .files(Files::none())
            .run();
    }
}

/// Tests a map whose insert does not return the old value.
pub fn key_value<T: Send + Sync + 'static>(
    make: impl Fn() -> T + Send + Sync + 'static,
    ops: impl Fn(&mut Rng) -> KeyValueOp<u64, u64> + Send + Sync + 'static,
    perform: impl Fn(&T, &KeyValueOp<u64, u64>) -> KeyValueRet<u64> + Send + Sync + 'static,
) -> Summary {
    Stress::new(make).spec(KeyValue::new(None)).ops(ops).perform(perform).files(Files::none()).run()
}

/// Tests a channel that is closed now and then, if it `closes`.
pub fn channel<T: Send + Sync + 'static>(
    spec: Channel<u64>,
    closes: bool,
    make: impl Fn() -> T + Send + Sync + 'static,
    perform: impl Fn(&T, &ChannelOp<u64>) -> ChannelRet<u64> + Send + Sync + 'static,
    release: impl Fn(&T) + Send + Sync + 'static,
) -> Summary {
    Stress::new(make)
        .spec(spec)
        .ops(draw_channel(closes))
        .perform(perform)
        .unblock(release)
        .files(Files::none())
        .run()
}

/// Operations of a channel.
pub fn draw_channel(closes: bool) -> impl Fn(&mut Rng) -> ChannelOp<u64> + Send + Sync + 'static {
    move |rng| match closes && rng.below(20) == 0 {
        true => ChannelOp::Close,
        false => profile::channel(Fill::Even)(rng),
    }
}

/// Performs an operation on the two ends of a channel whose methods have the usual names.
#[macro_export]
macro_rules! perform_channel {
    ($krate:ident, $ends:expr, $op:expr) => {{
        use linpoint_test::models::{ChannelOp::*, ChannelRet};
        let (sender, receiver) = $ends;
        match $op {
            Send(value) => sender.send(*value).map_or(ChannelRet::Closed, |_| ChannelRet::Done),
            TrySend(value) => match sender.try_send(*value) {
                Ok(_) => ChannelRet::Done,
                Err($krate::TrySendError::Full(_)) => ChannelRet::Full,
                Err(_) => ChannelRet::Closed,
            },
            Recv => receiver.recv().map_or(ChannelRet::Closed, ChannelRet::Message),
            TryRecv => match receiver.try_recv() {
                Ok(value) => ChannelRet::Message(value),
                Err($krate::TryRecvError::Empty) => ChannelRet::Empty,
                Err(_) => ChannelRet::Closed,
            },
            Close | Cancel => unreachable!("not drawn"),
        }
    }};
}

/// Releases all that wait at a channel that cannot be closed by one call. Either receivers wait, or senders do.
#[macro_export]
macro_rules! release_channel {
    ($ends:expr) => {{
        let (sender, receiver) = $ends;
        let receivers_wait = sender.try_send(0).is_ok();
        for _ in 0..4 {
            let _ = match receivers_wait {
                true => sender.try_send(0).is_ok(),
                false => receiver.try_recv().is_ok(),
            };
        }
    }};
}

/// A vector that only grows.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Growing(Vec<u64>);

/// An operation of [`Growing`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GrowingOp {
    /// Gives the index of the new element.
    Push(u64),
    /// Gives the element, if there is one.
    Get(usize),
    /// Gives the number of elements.
    Len,
}

impl Sequential for Growing {
    type Op = GrowingOp;
    type Ret = Option<u64>;

    fn apply(&mut self, op: &GrowingOp) -> Option<u64> {
        match op {
            GrowingOp::Push(value) => {
                self.0.push(*value);
                Some(self.0.len() as u64 - 1)
            }
            GrowingOp::Get(index) => self.0.get(*index).copied(),
            GrowingOp::Len => Some(self.0.len() as u64),
        }
    }
}

/// Tests a vector that only grows.
pub fn growing<T: Send + Sync + 'static>(
    make: impl Fn() -> T + Send + Sync + 'static,
    push: impl Fn(&T, u64) -> usize + Send + Sync + 'static,
    get: impl Fn(&T, usize) -> Option<u64> + Send + Sync + 'static,
    len: impl Fn(&T) -> usize + Send + Sync + 'static,
) -> Summary {
    Stress::new(make)
        .spec(Growing::default())
        .ops(|rng| match rng.below(3) {
            0 => GrowingOp::Push(rng.fresh()),
            1 => GrowingOp::Get(rng.below(12) as usize),
            _ => GrowingOp::Len,
        })
        .perform(move |vector, op| match op {
            GrowingOp::Push(value) => Some(push(vector, *value) as u64),
            GrowingOp::Get(index) => get(vector, *index),
            GrowingOp::Len => Some(len(vector) as u64),
        })
        .files(Files::none())
        .run()
}
