//! Measures the cost of recording, and how many operations per second linpoint-test records and
//! checks.
//!
//! Threads that really run in parallel compete for cache lines and locks, so the objects themselves
//! take several times as long as on one core. That is part of the time of a test, and no tool can
//! avoid it. The column "object alone" shows how much it is, measured with the same threads and
//! barriers but nothing recorded.

use std::collections::BinaryHeap;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::Instant;

use crossbeam_queue::SegQueue;
use linpoint::spec::models::{
    KeyValue, KeyValueOp, KeyValueRet, Order, PriorityQueue, PriorityQueueOp, PriorityQueueRet,
    Queue, QueueOp, QueueRet, Set, SetOp, SetRet,
};
use linpoint_test::record::{Clock, Recorder};
use linpoint_test::report::Files;
use linpoint_test::rng::Place;
use linpoint_test::{Noise, Placement, Rng, Stress, Summary};
use rustc_hash::FxHashMap;

use crate::measure::{cpu, thread_cpu};
use crate::objects::map_key;
use crate::table::{Table, short};
use crate::waiting;

/// Tables by name.
pub fn main(selection: &[String], quick: bool) {
    let wanted = |name: &str| selection.is_empty() || selection.iter().any(|s| s == name);
    if wanted("recording") {
        recording(quick);
    }
    if wanted("checking") {
        checking(quick);
    }
    if wanted("waiting") {
        waiting::main(quick);
    }
}

/// Operations in a log.
const BLOCK: usize = 20_000;

fn recording(quick: bool) {
    let blocks = if quick { 20 } else { 400 };
    let mut table = Table::new([
        "clock",
        "two reads, 1 thread [ns]",
        "recorded, 1 thread [ns]",
        "two reads, 2 threads [ns]",
        "recorded, 2 threads [ns]",
    ]);
    let clocks = [
        ("private: TSC", Clock::private()),
        ("private: TSC, undrained", Clock::private().undrained()),
        ("private: the system's clock", Clock::instant()),
        ("shared counter", Clock::shared()),
    ];
    for (name, clock) in clocks {
        let mut cells = vec![name.to_owned()];
        for threads in [1, 2] {
            cells.push(format!("{:.1}", bare(&clock, threads, blocks)));
            cells.push(format!("{:.1}", recorded(&clock, threads, blocks)));
        }
        table.row(cells);
    }
    let title = "Recording an empty operation: nanoseconds of CPU time for each operation of a thread, medians";
    table.publish(title, "testing-recording");
}

/// Nanoseconds of CPU time for each operation of a thread, the median of many blocks. Other work on
/// the machine is not counted; that the threads run in parallel is likely, but not certain.
fn median(threads: usize, blocks: usize, block: impl Fn() -> f64 + Sync) -> f64 {
    let barrier = Barrier::new(threads);
    let work = || {
        let measure = |_| {
            barrier.wait();
            block()
        };
        (0..blocks).map(measure).collect::<Vec<f64>>()
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let all = handles.into_iter().map(|handle| handle.join().expect("a thread panicked"));
        let mut all: Vec<f64> = all.flatten().collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    })
}

fn per_operation(begin: f64) -> f64 {
    (thread_cpu() - begin) * 1e9 / BLOCK as f64
}

fn bare(clock: &Clock, threads: usize, blocks: usize) -> f64 {
    median(threads, blocks, || {
        let begin = thread_cpu();
        for _ in 0..BLOCK {
            black_box((clock.call(), clock.ret()));
        }
        per_operation(begin)
    })
}

fn recorded(clock: &Clock, threads: usize, blocks: usize) -> f64 {
    median(threads, blocks, || {
        let recorder = Recorder::with_clock(clock.clone());
        let mut log = recorder.log_for(BLOCK);
        let begin = thread_cpu();
        for i in 0..BLOCK as u64 {
            log.record(i, || black_box(i));
        }
        per_operation(begin)
    })
}

/// As in the program of Lowe's figure 6.
const THREADS: usize = 4;
const OPERATIONS: usize = 200;

fn checking(quick: bool) {
    let runs = if quick { 200 } else { 1_000 };
    let mut table = Table::new([
        "object",
        "noise",
        "operations",
        "CPU [s]",
        "wall [s]",
        "per CPU second",
        "per second",
        "easy runs",
        "searched",
        "CPU [ns]",
        "object alone [ns]",
    ]);
    for (noise_name, noise) in [("none", Noise::NONE), ("some", Noise::SOME), ("much", Noise::MUCH)]
    {
        let mut row = |name: &str, test: &dyn Fn() -> Summary, alone: f64| {
            test();
            let (cpu_before, begin) = (cpu(), Instant::now());
            let summary = test();
            let (cpu, wall) = (cpu() - cpu_before, begin.elapsed().as_secs_f64());
            let operations = summary.operations as f64;
            table.row(vec![
                name.to_owned(),
                noise_name.to_owned(),
                short(operations),
                format!("{cpu:.3}"),
                format!("{wall:.3}"),
                short(operations / cpu),
                short(operations / wall),
                format!("{} %", 100 * summary.easy / summary.runs),
                format!("{} %", 100 * summary.searched / summary.runs),
                format!("{:.0}", cpu * 1e9 / operations),
                if alone.is_nan() { "-".to_owned() } else { format!("{alone:.0}") },
            ]);
        };
        let queue_alone =
            alone(runs, SegQueue::new, draw_queue(|rng| 1 + rng.below(20)), perform_queue);
        let map_alone = alone(runs, Shards::default, draw_map(|rng| 1 + rng.below(4)), perform_map);
        row("queue, 20 values", &|| queue(runs, noise, |rng| 1 + rng.below(20)), queue_alone);
        row("queue, values that differ", &|| queue(runs, noise, Rng::fresh), queue_alone);
        row("map, 20 keys, 4 values", &|| map(runs, noise, |rng| 1 + rng.below(4)), map_alone);
        row("map, 20 keys, values that differ", &|| map(runs, noise, Rng::fresh), map_alone);
        row("priority queue", &|| priority_queue(runs, noise), f64::NAN);
        row("set, 20 values", &|| set(runs, noise), f64::NAN);
    }
    let title = format!(
        "Recording and checking: {THREADS} threads x {OPERATIONS} operations x {runs} runs; \
         Lowe's own framework: 253 k - 444 k per CPU second"
    );
    table.publish(&title, "testing-checking");
}

/// Nanoseconds of CPU time for each operation if nothing is recorded or checked: the median of a
/// few attempts, since it depends on which threads get a core together.
fn alone<T: Sync, O: Sync, R>(
    runs: u64,
    make: impl Fn() -> T,
    draw: impl Fn(&mut Rng) -> O,
    perform: impl Fn(&T, &O) -> R + Sync,
) -> f64 {
    let mut times: Vec<f64> = (0..9).map(|_| alone_once(runs, &make, &draw, &perform)).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Threads synchronise before every run.
fn alone_once<T: Sync, O: Sync, R>(
    runs: u64,
    make: impl Fn() -> T,
    draw: impl Fn(&mut Rng) -> O,
    perform: impl Fn(&T, &O) -> R + Sync,
) -> f64 {
    let mut rng = Rng::new(0, Place::default());
    let mut round = |_| {
        let ops: Vec<Vec<O>> =
            (0..THREADS).map(|_| (0..OPERATIONS).map(|_| draw(&mut rng)).collect()).collect();
        (make(), ops, AtomicUsize::new(0))
    };
    let rounds: Vec<_> = (0..runs).map(&mut round).collect();
    let begin = cpu();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (rounds, perform) = (&rounds, &perform);
            scope.spawn(move || {
                for (object, ops, arrived) in rounds {
                    arrived.fetch_add(1, Ordering::AcqRel);
                    while arrived.load(Ordering::Acquire) < THREADS {
                        std::thread::yield_now();
                    }
                    for op in &ops[thread] {
                        black_box(perform(object, op));
                    }
                }
            });
        }
    });
    (cpu() - begin) * 1e9 / (runs as usize * THREADS * OPERATIONS) as f64
}

fn draw_queue(value: impl Fn(&mut Rng) -> u64 + Copy) -> impl Fn(&mut Rng) -> QueueOp<u64> {
    move |rng| match rng.chance(0.3) {
        true => QueueOp::Enqueue(value(rng)),
        false => QueueOp::Dequeue,
    }
}

fn perform_queue(queue: &SegQueue<u64>, op: &QueueOp<u64>) -> QueueRet<u64> {
    match op {
        QueueOp::Enqueue(value) => {
            queue.push(*value);
            QueueRet::Done
        }
        _ => QueueRet::Value(queue.pop()),
    }
}

fn queue(
    runs: u64,
    noise: Noise,
    value: impl Fn(&mut Rng) -> u64 + Copy + Send + Sync + 'static,
) -> Summary {
    Stress::new(SegQueue::<u64>::new)
        .spec(Queue::new())
        .ops(draw_queue(value))
        .perform(perform_queue)
        .threads(THREADS)
        .operations(OPERATIONS)
        .runs(runs)
        .noise(noise)
        // Interrupters use CPU time, and are not what is measured.
        .placement(Placement::Free)
        .files(Files::none())
        .run()
}

/// A heap behind a lock.
fn priority_queue(runs: u64, noise: Noise) -> Summary {
    Stress::new(Mutex::<BinaryHeap<u64>>::default)
        .spec(PriorityQueue::new(Order::Max))
        .ops(|rng: &mut Rng| match rng.chance(0.5) {
            true => PriorityQueueOp::Insert(rng.below(1_000_000)),
            false => PriorityQueueOp::Poll,
        })
        .perform(|heap: &Mutex<BinaryHeap<u64>>, op: &PriorityQueueOp<u64>| {
            let mut heap = heap.lock().expect("no thread panics");
            match op {
                PriorityQueueOp::Insert(value) => {
                    heap.push(*value);
                    PriorityQueueRet::Done
                }
                _ => PriorityQueueRet::Value(heap.pop()),
            }
        })
        .threads(THREADS)
        .operations(OPERATIONS)
        .runs(runs)
        .noise(noise)
        .files(Files::none())
        .run()
}

/// A set of bits.
fn set(runs: u64, noise: Noise) -> Summary {
    Stress::new(AtomicUsize::default)
        .spec(Set::new())
        .ops(|rng: &mut Rng| {
            let kinds = [SetOp::Insert, SetOp::Remove, SetOp::Contains];
            kinds[rng.below(3) as usize](rng.below(20))
        })
        .perform(|bits: &AtomicUsize, op: &SetOp<u64>| {
            let (SetOp::Insert(v) | SetOp::Remove(v) | SetOp::Contains(v)) = op;
            let bit = 1 << *v;
            SetRet(match op {
                SetOp::Insert(_) => bits.fetch_or(bit, Ordering::AcqRel) & bit == 0,
                SetOp::Remove(_) => bits.fetch_and(!bit, Ordering::AcqRel) & bit != 0,
                SetOp::Contains(_) => bits.load(Ordering::Acquire) & bit != 0,
            })
        })
        .threads(THREADS)
        .operations(OPERATIONS)
        .runs(runs)
        .noise(noise)
        .files(Files::none())
        .run()
}

/// A map behind eight locks.
type Shards = [Mutex<FxHashMap<u32, u32>>; SHARDS];
const SHARDS: usize = 8;

fn draw_map(value: impl Fn(&mut Rng) -> u64 + Copy) -> impl Fn(&mut Rng) -> KeyValueOp<u32, u32> {
    move |rng| {
        let kind = rng.below(4);
        let key = rng.below(20) as u32;
        match kind {
            0 => KeyValueOp::Get(key),
            1 => KeyValueOp::Put(key, value(rng) as u32),
            2 => KeyValueOp::Delete(key),
            _ => KeyValueOp::GetOrElseUpdate(key, value(rng) as u32),
        }
    }
}

fn perform_map(shards: &Shards, op: &KeyValueOp<u32, u32>) -> KeyValueRet<u32> {
    let mut shard = shards[map_key(op) as usize % SHARDS].lock().expect("no thread panics");
    match op {
        KeyValueOp::Get(key) => KeyValueRet::Value(shard.get(key).copied()),
        KeyValueOp::Put(key, value) => {
            shard.insert(*key, *value);
            KeyValueRet::Done
        }
        KeyValueOp::Delete(key) => {
            shard.remove(key);
            KeyValueRet::Done
        }
        KeyValueOp::GetOrElseUpdate(key, value) => {
            KeyValueRet::Value(Some(*shard.entry(*key).or_insert(*value)))
        }
        other => unreachable!("{other:?} is in no mix"),
    }
}

fn map(
    runs: u64,
    noise: Noise,
    value: impl Fn(&mut Rng) -> u64 + Copy + Send + Sync + 'static,
) -> Summary {
    Stress::new(Shards::default)
        .spec(KeyValue::new(None))
        .ops(draw_map(value))
        .perform(perform_map)
        .threads(THREADS)
        .operations(OPERATIONS)
        .runs(runs)
        .noise(noise)
        // Interrupters use CPU time, and are not what is measured.
        .placement(Placement::Free)
        .files(Files::none())
        .run()
}
