//! Structures from other crates, for OS threads only.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Mutex, MutexGuard};

use crossbeam_deque::{Injector, Steal, Stealer, Worker};
use crossbeam_queue::{ArrayQueue, SegQueue};
use crossbeam_skiplist::SkipMap;
use dashmap::DashMap;
use linpoint::spec::models::*;

/// `crossbeam_queue::SegQueue`.
pub fn seg_queue(queue: &SegQueue<u64>, op: &QueueOp<u64>) -> QueueRet<u64> {
    crate::perform_on_queue(op, |value| queue.push(value), || queue.pop())
}

/// `crossbeam_queue::ArrayQueue`.
pub fn array_queue(queue: &ArrayQueue<u64>, op: &QueueOp<u64>) -> QueueRet<u64> {
    match op {
        QueueOp::Enqueue(value) => match queue.push(*value) {
            Ok(()) => QueueRet::Done,
            Err(_) => QueueRet::Full,
        },
        QueueOp::Dequeue => QueueRet::Value(queue.pop()),
        QueueOp::Peek => crate::not_offered(op),
    }
}

/// `crossbeam_deque::Injector`.
pub fn injector(queue: &Injector<u64>, op: &QueueOp<u64>) -> QueueRet<u64> {
    crate::perform_on_queue(op, |value| queue.push(value), || stolen(|| queue.steal()))
}

fn stolen(steal: impl Fn() -> Steal<u64>) -> Option<u64> {
    loop {
        match steal() {
            Steal::Success(value) => return Some(value),
            Steal::Empty => return None,
            Steal::Retry => std::hint::spin_loop(),
        }
    }
}

/// `crossbeam_deque::Worker` and `Stealer`: one end belongs to the owner of the worker, the other
/// is shared.
pub struct WorkStealing {
    worker: Mutex<Worker<u64>>,
    stealer: Stealer<u64>,
}

impl Default for WorkStealing {
    fn default() -> Self {
        let worker = Worker::new_lifo();
        WorkStealing { stealer: worker.stealer(), worker: Mutex::new(worker) }
    }
}

impl WorkStealing {
    fn worker(&self) -> MutexGuard<'_, Worker<u64>> {
        self.worker.lock().unwrap()
    }

    /// Performs one operation.
    pub fn perform(&self, op: &DequeOp<u64>) -> DequeRet<u64> {
        match op {
            DequeOp::PushBack(value) => {
                self.worker().push(*value);
                DequeRet::Done
            }
            DequeOp::PopBack => DequeRet::Value(self.worker().pop()),
            DequeOp::PopFront => DequeRet::Value(stolen(|| self.stealer.steal())),
            _ => crate::not_offered(op),
        }
    }
}

/// `crossbeam_skiplist::SkipMap`. Its `insert` is not used: it may remove an entry before it
/// inserts the new one. Entries are removed by `Entry::remove`, which reports whether this call
/// removed the entry.
pub fn skip_map(map: &SkipMap<u64, u64>, op: &KeyValueOp<u64, u64>) -> KeyValueRet<u64> {
    let KeyValueOp::Remove(key) = op else { return skip_map_plain_remove(map, op) };
    KeyValueRet::Value(loop {
        match map.get(key) {
            None => break None,
            Some(entry) if entry.remove() => break Some(*entry.value()),
            Some(_) => {}
        }
    })
}

/// The same with `SkipMap::remove`, which (in version 0.1.3) also returns an entry that another
/// call has just removed: two calls may return the same one. The test of [`skip_map`], which once
/// used it, found this.
pub fn skip_map_plain_remove(
    map: &SkipMap<u64, u64>,
    op: &KeyValueOp<u64, u64>,
) -> KeyValueRet<u64> {
    KeyValueRet::Value(match op {
        KeyValueOp::Get(key) => map.get(key).map(|entry| *entry.value()),
        KeyValueOp::Remove(key) => map.remove(key).map(|entry| *entry.value()),
        KeyValueOp::GetOrElseUpdate(key, value) => Some(*map.get_or_insert(*key, *value).value()),
        _ => crate::not_offered(op),
    })
}

/// `dashmap::DashMap`.
pub fn dash_map(map: &DashMap<u64, u64>, op: &KeyValueOp<u64, u64>) -> KeyValueRet<u64> {
    match op {
        KeyValueOp::Get(key) => KeyValueRet::Value(map.get(key).map(|entry| *entry.value())),
        KeyValueOp::Put(key, value) => {
            map.insert(*key, *value);
            KeyValueRet::Done
        }
        KeyValueOp::Remove(key) => KeyValueRet::Value(map.remove(key).map(|(_, value)| value)),
        KeyValueOp::Delete(key) => {
            map.remove(key);
            KeyValueRet::Done
        }
        KeyValueOp::GetOrElseUpdate(key, value) => {
            KeyValueRet::Value(Some(*map.entry(*key).or_insert(*value).value()))
        }
        _ => crate::not_offered(op),
    }
}

/// The channel of `std`. Its receiver is used by one thread at a time.
pub struct Channel {
    sender: Sender<u64>,
    receiver: Mutex<Receiver<u64>>,
}

impl Default for Channel {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Channel { sender, receiver: Mutex::new(receiver) }
    }
}

impl Channel {
    /// Performs one operation.
    pub fn perform(&self, op: &QueueOp<u64>) -> QueueRet<u64> {
        match op {
            QueueOp::Enqueue(value) => {
                self.sender.send(*value).expect("the receiver is there");
                QueueRet::Done
            }
            QueueOp::Dequeue => match self.receiver.lock().unwrap().try_recv() {
                Ok(value) => QueueRet::Value(Some(value)),
                Err(TryRecvError::Empty) => QueueRet::Value(None),
                Err(TryRecvError::Disconnected) => unreachable!("the sender is there"),
            },
            QueueOp::Peek => crate::not_offered(op),
        }
    }
}
