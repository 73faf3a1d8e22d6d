//! Six planted bugs: two steps that should be one, a lost wake-up, ABA, a resize that loses updates, an
//! initialisation that happens twice. Nothing in them yields or sleeps to widen a window.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Condvar, Mutex, RwLock};

use linpoint_test::prelude::*;

use crate::planted::{Outcome, call};

/// A bug, and one default call of its test.
pub type Bug = (&'static str, Box<dyn Fn() -> Outcome>);

/// All of them.
pub fn all() -> Vec<Bug> {
    vec![
        ("two-step queue", Box::new(two_step_queue)),
        ("two-step counter", Box::new(two_step_counter)),
        ("lost wake-up", Box::new(lost_wake_up)),
        ("ABA stack", Box::new(aba_stack)),
        ("resize race", Box::new(resize_race)),
        ("double-checked init", Box::new(double_checked_init)),
    ]
}

/// A dequeue looks at the first element under the lock, and removes it under the lock, later.
fn two_step_queue() -> Outcome {
    call(
        Stress::new(Mutex::<VecDeque<u64>>::default)
            .spec(Queue::new())
            .ops(profile::queue(Fill::Even))
            .perform(|queue, op| match op {
                QueueOp::Enqueue(value) => {
                    queue.lock().unwrap().push_back(*value);
                    QueueRet::Done
                }
                _ => {
                    let first = queue.lock().unwrap().front().copied();
                    if first.is_some() {
                        queue.lock().unwrap().pop_front();
                    }
                    QueueRet::Value(first)
                }
            }),
    )
}

/// An addition reads and writes.
fn two_step_counter() -> Outcome {
    call(
        Stress::new(AtomicI64::default)
            .spec(Counter { initial: 0 })
            .ops(|rng| if rng.chance(0.5) { CounterOp::FetchAdd(1) } else { CounterOp::Get })
            .perform(|counter, op| {
                let before = counter.load(SeqCst);
                if *op != CounterOp::Get {
                    counter.store(before + 1, SeqCst);
                }
                CounterRet::Value(before)
            }),
    )
}

/// A channel. A receiver that finds it empty releases the lock and then goes to sleep.
#[derive(Default)]
struct Sleepy {
    values: Mutex<VecDeque<u64>>,
    sent: Condvar,
    closed: AtomicU64,
}

impl Sleepy {
    fn receive(&self) -> u64 {
        loop {
            if let Some(value) = self.values.lock().unwrap().pop_front() {
                return value;
            }
            let values = self.values.lock().unwrap();
            if self.closed.load(SeqCst) != 0 {
                return 0;
            }
            drop(self.sent.wait(values).unwrap());
        }
    }
}

/// The specification of a channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Channel(VecDeque<u64>);

/// `Some` sends, `None` receives.
impl Sequential for Channel {
    type Op = Option<u64>;
    type Ret = u64;
    fn apply(&mut self, op: &Option<u64>) -> u64 {
        match op {
            Some(value) => {
                self.0.push_back(*value);
                0
            }
            None => self.0.pop_front().unwrap_or_default(),
        }
    }
    fn enabled(&self, op: &Option<u64>) -> bool {
        op.is_some() || !self.0.is_empty()
    }
}

fn lost_wake_up() -> Outcome {
    call(
        Stress::new(Sleepy::default)
            .spec(Channel::default())
            .ops(|rng| rng.chance(0.5).then(|| rng.fresh()))
            .perform(|channel, op| match op {
                Some(value) => {
                    channel.values.lock().unwrap().push_back(*value);
                    channel.sent.notify_one();
                    0
                }
                None => channel.receive(),
            })
            .unblock(|channel| {
                channel.closed.store(1, SeqCst);
                let _values = channel.values.lock().unwrap();
                channel.sent.notify_all();
            }),
    )
}

/// Treiber's stack. Removed nodes are used again, and a reused node looks like the old one.
struct Aba {
    top: AtomicUsize,
    unused: AtomicUsize,
    /// Value and next node, by node minus one.
    nodes: Vec<(AtomicU64, AtomicUsize)>,
    /// Protects the list of unused nodes, which would suffer as well.
    freeing: Mutex<()>,
}

impl Aba {
    fn new() -> Aba {
        const NODES: usize = 256;
        let node = |n: usize| (AtomicU64::new(0), AtomicUsize::new((n + 2) % (NODES + 1)));
        let nodes = (0..NODES).map(node).collect();
        Aba { top: 0.into(), unused: 1.into(), nodes, freeing: Mutex::default() }
    }

    fn next(&self, node: usize) -> &AtomicUsize {
        &self.nodes[node - 1].1
    }

    fn push(&self, value: u64) {
        let node = {
            let _held = self.freeing.lock().unwrap();
            let node = self.unused.load(Relaxed);
            self.unused.store(self.next(node).load(Relaxed), Relaxed);
            node
        };
        self.nodes[node - 1].0.store(value, Relaxed);
        loop {
            let top = self.top.load(Acquire);
            self.next(node).store(top, Relaxed);
            if self.top.compare_exchange(top, node, AcqRel, Relaxed).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<u64> {
        loop {
            let top = self.top.load(Acquire);
            if top == 0 {
                return None;
            }
            let next = self.next(top).load(Relaxed);
            if self.top.compare_exchange(top, next, AcqRel, Relaxed).is_ok() {
                let value = self.nodes[top - 1].0.load(Relaxed);
                let _held = self.freeing.lock().unwrap();
                self.next(top).store(self.unused.load(Relaxed), Relaxed);
                self.unused.store(top, Relaxed);
                return Some(value);
            }
        }
    }
}

fn aba_stack() -> Outcome {
    call(Stress::new(Aba::new).spec(Stack::new()).ops(profile::stack(Fill::Even)).perform(
        |stack, op| match op {
            StackOp::Push(value) => {
                stack.push(*value);
                StackRet::Done
            }
            _ => StackRet::Value(stack.pop()),
        },
    ))
}

/// An array of registers that grows. The old contents are copied while others may still write them.
fn resize_race() -> Outcome {
    type Cells = RwLock<Vec<AtomicU64>>;
    fn reach(cells: &Cells, key: usize) {
        let larger: Vec<AtomicU64> = {
            let cells = cells.read().unwrap();
            if key < cells.len() {
                return;
            }
            let copy = cells.iter().map(|cell| cell.load(SeqCst).into());
            copy.chain((cells.len()..2 * (key + 1)).map(|_| AtomicU64::new(0))).collect()
        };
        let mut cells = cells.write().unwrap();
        if key >= cells.len() {
            *cells = larger;
        }
    }
    call(
        Stress::new(Cells::default)
            .spec(KeyValue::new(Some(0)))
            .ops(|rng| {
                let key = rng.below(16);
                match rng.chance(0.5) {
                    true => KeyValueOp::Put(key, rng.fresh()),
                    false => KeyValueOp::Get(key),
                }
            })
            .perform(|cells, op| match op {
                KeyValueOp::Put(key, value) => {
                    reach(cells, *key as usize);
                    cells.read().unwrap()[*key as usize].store(*value, SeqCst);
                    KeyValueRet::Done
                }
                KeyValueOp::Get(key) => {
                    let cells = cells.read().unwrap();
                    let value = cells.get(*key as usize).map_or(0, |cell| cell.load(SeqCst));
                    KeyValueRet::Value(Some(value))
                }
                _ => unreachable!("not drawn"),
            }),
    )
}

/// A cell that is initialised once: the first value stays.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Once(u64);

impl Sequential for Once {
    type Op = u64;
    type Ret = u64;
    fn apply(&mut self, value: &u64) -> u64 {
        if self.0 == 0 {
            self.0 = *value;
        }
        self.0
    }
}

/// A thread that finds the cell empty takes the lock, and does not look again.
fn double_checked_init() -> Outcome {
    call(
        Stress::new(|| (AtomicU64::new(0), Mutex::new(())))
            .spec(Once::default())
            .ops(Rng::fresh)
            .perform(|(cell, lock), value| {
                if cell.load(Acquire) == 0 {
                    let _held = lock.lock().unwrap();
                    cell.store(*value, Release);
                }
                cell.load(Acquire)
            }),
    )
}
