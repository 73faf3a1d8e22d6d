//! Incremental checking of long streams: events per CPU second and peak memory.
//!
//! Events are made as they are fed, so that the stream itself takes no memory. The same stream is
//! made once more without a checker, to tell what making it costs.

use std::collections::{HashMap, VecDeque};

use linpoint::incremental::{Incremental, Open, Step};
use linpoint::spec::Spec;
use linpoint::spec::models::{KeyValue, KeyValueOp, KeyValueRet, Queue, QueueOp, QueueRet};

use crate::measure::{cpu, peak_rss};
use crate::rng::Rng;
use crate::table::{Table, mib, seconds, short};

/// Keys of the map.
const KEYS: usize = 1_000;

/// An object that answers at once.
trait Atomic {
    type Op: Clone;
    type Ret: Clone;
    fn draw(&mut self, rng: &mut Rng) -> Self::Op;
    fn apply(&mut self, op: &Self::Op) -> Self::Ret;
}

#[derive(Default)]
struct Map {
    content: HashMap<u64, u64>,
    written: u64,
}

impl Atomic for Map {
    type Op = KeyValueOp<u64, u64>;
    type Ret = KeyValueRet<u64>;

    fn draw(&mut self, rng: &mut Rng) -> Self::Op {
        let key = rng.below(KEYS) as u64;
        match rng.below(4) {
            0 | 1 => KeyValueOp::Get(key),
            2 => {
                self.written += 1;
                KeyValueOp::Put(key, self.written)
            }
            _ => KeyValueOp::Remove(key),
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            KeyValueOp::Put(key, value) => {
                self.content.insert(*key, *value);
                KeyValueRet::Done
            }
            KeyValueOp::Remove(key) => KeyValueRet::Value(self.content.remove(key)),
            KeyValueOp::Get(key) => KeyValueRet::Value(self.content.get(key).copied()),
            other => unreachable!("{other:?} is never drawn"),
        }
    }
}

#[derive(Default)]
struct Fifo {
    content: VecDeque<u64>,
    added: u64,
}

impl Atomic for Fifo {
    type Op = QueueOp<u64>;
    type Ret = QueueRet<u64>;

    fn draw(&mut self, rng: &mut Rng) -> Self::Op {
        if rng.below(10) < 3 {
            self.added += 1;
            QueueOp::Enqueue(self.added)
        } else {
            QueueOp::Dequeue
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            QueueOp::Enqueue(v) => {
                self.content.push_back(*v);
                QueueRet::Done
            }
            _ => QueueRet::Value(self.content.pop_front()),
        }
    }
}

/// What a client is doing.
enum Client<X: Atomic> {
    Idle,
    Called(Option<Open>, X::Op),
    Done(Option<Open>, X::Ret),
}

/// Makes a stream of `operations` by `clients`; feeds it to a checker if there is one. Gives the
/// largest number of configurations seen.
fn stream<S: Spec, X: Atomic<Op = S::Op, Ret = S::Ret>>(
    mut object: X,
    mut checker: Option<Incremental<'_, S>>,
    clients: usize,
    operations: u64,
) -> usize {
    let mut rng = Rng::new(42);
    let mut doing: Vec<Client<X>> = (0..clients).map(|_| Client::Idle).collect();
    let (mut begun, mut ended, mut most) = (0, 0, 0);
    while ended < operations {
        let client = &mut doing[rng.below(clients)];
        *client = match std::mem::replace(client, Client::Idle) {
            Client::Idle if begun < operations => {
                begun += 1;
                let op = object.draw(&mut rng);
                let open = checker.as_mut().map(|c| c.call(op.clone()).expect("a valid stream"));
                Client::Called(open, op)
            }
            Client::Idle => Client::Idle,
            Client::Called(open, op) => Client::Done(open, object.apply(&op)),
            Client::Done(open, ret) => {
                ended += 1;
                if let (Some(checker), Some(open)) = (&mut checker, open) {
                    let step = checker.ret(open, ret).expect("a valid stream");
                    assert!(step == Step::Fine, "the stream is linearizable");
                    if ended % 4096 == 0 {
                        most = most.max(checker.configurations());
                    }
                }
                Client::Idle
            }
        };
    }
    most
}

pub fn main(quick: bool) {
    let operations = if quick { 300_000 } else { 10_000_000 };
    let mut table = Table::new([
        "object",
        "clients",
        "CPU",
        "of it making events",
        "events / CPU s",
        "configurations",
        "peak RSS",
    ]);
    for (name, clients) in [("map, 1,000 keys", 32), ("queue, 30 % enqueues", 4)] {
        let run = |checked: bool| {
            let begin = cpu();
            let most = if name.starts_with("map") {
                let spec = KeyValue::new(None);
                stream(
                    Map::default(),
                    checked.then(|| Incremental::new(&spec)),
                    clients,
                    operations,
                )
            } else {
                let spec = Queue::new();
                stream(
                    Fifo::default(),
                    checked.then(|| Incremental::new(&spec)),
                    clients,
                    operations,
                )
            };
            (cpu() - begin, most)
        };
        let (making, _) = run(false);
        let (all, most) = run(true);
        table.row(vec![
            name.to_owned(),
            clients.to_string(),
            seconds(all),
            seconds(making),
            short(2.0 * operations as f64 / (all - making)),
            most.to_string(),
            mib(peak_rss()),
        ]);
    }
    let title = format!("Incremental checking of {operations} operations (twice as many events)");
    table.publish(&title, "stream");
}
