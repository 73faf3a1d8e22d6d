//! Correct objects under every clock and placement: nothing may raise an alarm, except an undrained
//! clock on objects that publish with plain stores.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering, fence};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use crossbeam_queue::SegQueue;
use linpoint_gallery::exhibits::{Scale, Visitor, visit_plain};
use linpoint_test::record::Clock;
use linpoint_test::report::Files;
use linpoint_test::{Placement, Spec, Stress, Test, prelude::*};

use crate::table::{Table, short};

/// Where threads run, and how many others use up CPU time.
const PLACES: [(&str, Placement, usize); 5] = [
    ("default", Placement::Mixed, 0),
    ("free", Placement::Free, 0),
    ("pinned", Placement::Pinned, 0),
    ("crowded", Placement::Crowded(1), 0),
    ("loaded", Placement::Free, 4),
];

/// What is counted for one object, clock and placement.
#[derive(Clone, Copy, Default)]
struct Cell {
    calls: u64,
    alarms: u64,
    operations: u64,
}

/// How objects are tried.
#[derive(Clone)]
struct Way {
    clock: Clock,
    place: Placement,
    neighbours: usize,
    time: Duration,
}

impl Way {
    /// Calls the test until time is over.
    fn try_out<T: Send + Sync + 'static, S: Spec + Send + 'static>(
        &self,
        stress: Stress<T, S>,
    ) -> Cell {
        let stress = stress.threads(2).runs(1_000).clock(self.clock.clone());
        let stress = stress.placement(self.place).busy_neighbours(self.neighbours);
        let stress = stress.shrink_time(Duration::ZERO).files(Files::none());
        let begin = Instant::now();
        let mut cell = Cell::default();
        while begin.elapsed() < self.time {
            cell.calls += 1;
            match stress.try_run() {
                Ok(summary) => cell.operations += summary.operations,
                Err(_) => cell.alarms += 1,
            }
        }
        cell
    }

    fn counter(&self, get: fn(&AtomicI64) -> i64) -> Cell {
        let stress = Stress::new(|| AtomicI64::new(0))
            .spec(Counter { initial: 0 })
            .ops(|rng| if rng.chance(0.5) { CounterOp::FetchAdd(1) } else { CounterOp::Get })
            .perform(move |counter, op| {
                CounterRet::Value(match op {
                    CounterOp::Get => get(counter),
                    CounterOp::FetchAdd(n) => counter.fetch_add(*n, Ordering::SeqCst),
                    _ => unreachable!("not drawn"),
                })
            });
        self.try_out(stress)
    }

    fn register<T: Send + Sync + 'static>(
        &self,
        make: fn() -> T,
        read: fn(&T) -> u64,
        write: fn(&T, u64),
    ) -> Cell {
        let stress = Stress::new(make)
            .spec(Register { initial: 0 })
            .ops(|rng| match rng.chance(0.5) {
                true => RegisterOp::Write(1 + rng.below(1_000)),
                false => RegisterOp::Read,
            })
            .perform(move |register, op| match op {
                RegisterOp::Read => RegisterRet::Value(read(register)),
                RegisterOp::Write(value) => {
                    write(register, *value);
                    RegisterRet::Written
                }
            });
        self.try_out(stress)
    }

    fn queue<T: Send + Sync + 'static>(
        &self,
        make: fn() -> T,
        push: fn(&T, u64),
        pop: fn(&T) -> Option<u64>,
    ) -> Cell {
        let stress = Stress::new(make)
            .spec(Queue::new())
            .ops(profile::queue(Fill::OftenEmpty))
            .perform(move |queue, op| match op {
                QueueOp::Enqueue(value) => {
                    push(queue, *value);
                    QueueRet::Done
                }
                _ => QueueRet::Value(pop(queue)),
            });
        self.try_out(stress)
    }
}

impl Way {
    /// A correct structure of the gallery.
    fn exhibit(&self, name: &str) -> Cell {
        let scale = Scale { threads: 2, operations: 20 };
        visit_plain(name, scale, self.clone()).expect("it is in the gallery")
    }
}

impl Visitor for Way {
    type Out = Cell;
    fn visit<T, S>(self, test: Test<T, S>) -> Cell
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        self.try_out(test.stress())
    }
}

/// An object, and how it is tried.
type Object = (&'static str, fn(&Way) -> Cell);

/// An atomic register with these orders.
macro_rules! register {
    ($read:ident, $write:ident) => {
        |way| {
            way.register(
                AtomicU64::default,
                |cell| cell.load(Ordering::$read),
                |cell, value| cell.store(value, Ordering::$write),
            )
        }
    };
}

const OBJECTS: &[Object] = &[
    ("counter, get: relaxed load", |way| way.counter(|c| c.load(Ordering::Relaxed))),
    ("counter, get: acquire load", |way| way.counter(|c| c.load(Ordering::Acquire))),
    ("counter, get: seq-cst load", |way| way.counter(|c| c.load(Ordering::SeqCst))),
    ("counter, get: fence, load", |way| {
        way.counter(|c| {
            fence(Ordering::SeqCst);
            c.load(Ordering::SeqCst)
        })
    }),
    ("counter, get: fetch_add(0)", |way| way.counter(|c| c.fetch_add(0, Ordering::SeqCst))),
    ("register, relaxed", register!(Relaxed, Relaxed)),
    ("register, release/acquire", register!(Acquire, Release)),
    ("register, seq-cst", register!(SeqCst, SeqCst)),
    ("register, swap", |way| {
        let write = |cell: &AtomicU64, value| {
            cell.swap(value, Ordering::AcqRel);
        };
        way.register(AtomicU64::default, |cell| cell.load(Ordering::Acquire), write)
    }),
    ("register, Mutex", |way| {
        let write = |cell: &Mutex<u64>, value| *cell.lock().expect("no panic") = value;
        way.register(Mutex::default, |cell| *cell.lock().expect("no panic"), write)
    }),
    ("register, RwLock", |way| {
        let write = |cell: &RwLock<u64>, value| *cell.write().expect("no panic") = value;
        way.register(RwLock::default, |cell| *cell.read().expect("no panic"), write)
    }),
    ("queue, Mutex<VecDeque>", |way| {
        way.queue(
            Mutex::<VecDeque<u64>>::default,
            |queue, value| queue.lock().expect("no panic").push_back(value),
            |queue| queue.lock().expect("no panic").pop_front(),
        )
    }),
    ("queue, crossbeam SegQueue", |way| way.queue(SegQueue::new, SegQueue::push, SegQueue::pop)),
    ("queue, crossbeam ArrayQueue", |way| way.exhibit("crossbeam ArrayQueue")),
    ("queue, std mpsc", |way| way.exhibit("std mpsc")),
    ("queue, michael-scott", |way| way.exhibit("michael-scott")),
    ("queue, ticket queue", |way| way.exhibit("ticket queue")),
    ("stack, treiber", |way| way.exhibit("treiber")),
    ("set, skip list", |way| way.exhibit("skip list")),
    ("map, slot map", |way| way.exhibit("slot map")),
    ("map, growing map", |way| way.exhibit("growing map")),
    ("map, DashMap", |way| way.exhibit("DashMap")),
];

/// `linpoint-bench clocks [SECONDS FOR EACH CELL]`.
pub fn main(selection: &[String], quick: bool) {
    let default = if quick { 0.05 } else { 1.35 };
    let seconds = selection.first().and_then(|word| word.parse().ok()).unwrap_or(default);
    let clocks =
        [Clock::private(), Clock::instant(), Clock::shared(), Clock::private().undrained()];
    let mut table =
        Table::new(["object", "clock", "default", "free", "pinned", "crowded", "loaded"]);
    let mut alarms = [0; 4];
    for (name, run) in OBJECTS {
        for (clock, total) in clocks.iter().zip(&mut alarms) {
            let mut cells = vec![(*name).to_owned(), clock.name().to_owned()];
            for (_, place, neighbours) in PLACES {
                let time = Duration::from_secs_f64(seconds);
                let cell = run(&Way { clock: clock.clone(), place, neighbours, time });
                *total += cell.alarms;
                let operations = short(cell.operations as f64);
                cells.push(format!("{} of {}, {operations} ops", cell.alarms, cell.calls));
            }
            table.row(cells);
        }
    }
    table.publish("Alarms on correct objects: alarms of calls, operations", "testing-clocks");
    for (clock, total) in clocks.iter().zip(alarms) {
        println!("{}: {total} alarms ({})", clock.name(), clock.describe());
    }
}
