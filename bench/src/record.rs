//! Histories recorded from real threads on real structures.
//!
//! Each worker keeps its own log; the order of events comes from one shared counter. Workers live
//! through all runs and synchronise before each, so that starting threads is not measured.
//!
//! On a machine with few cores, or under load, short operations hardly ever overlap. A *nudge*
//! yields the processor in the middle of some operations, so that they do.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use linpoint::History;

use crate::measure::thread_cpu;
use linpoint::random::SplitMix64 as Rng;

/// A structure that threads share, and its workload.
pub trait Shared: Sync {
    /// What is called.
    type Op: Send;
    /// What is returned.
    type Ret: Send;
    /// The next operation.
    fn draw(&self, rng: &mut Rng) -> Self::Op;
    /// Performs it.
    fn apply(&self, op: &Self::Op) -> Self::Ret;
}

struct Entry<O, R> {
    op: O,
    ret: R,
    call: u64,
    end: u64,
}

/// The logs of all runs, by worker, and the CPU seconds of the workers while they worked, excluding
/// the time they wait for each other.
pub struct Logs<O, R> {
    workers: Vec<Vec<Vec<Entry<O, R>>>>,
    /// CPU seconds.
    pub cpu: f64,
}

/// Performs `each` operations by each of `workers` on every one of `structures`; one in `nudge` is
/// interrupted before or after its effect, none if that is 0.
pub fn record<T: Shared>(
    structures: &[T],
    workers: usize,
    each: usize,
    nudge: usize,
    seed: u64,
) -> Logs<T::Op, T::Ret> {
    let clocks: Vec<AtomicU64> = structures.iter().map(|_| AtomicU64::new(0)).collect();
    let arrived: Vec<AtomicUsize> = structures.iter().map(|_| AtomicUsize::new(0)).collect();
    let work = |worker: usize| {
        let mut rng = Rng::new(seed ^ ((worker as u64 + 1) << 32));
        let mut logs = Vec::with_capacity(structures.len());
        let mut cpu = 0.0;
        for (run, shared) in structures.iter().enumerate() {
            let clock = &clocks[run];
            let mut log = Vec::with_capacity(each);
            arrived[run].fetch_add(1, Ordering::SeqCst);
            while arrived[run].load(Ordering::SeqCst) < workers {
                std::thread::yield_now();
            }
            let begin = thread_cpu();
            for _ in 0..each {
                let op = shared.draw(&mut rng);
                let pause = if nudge == 0 { 0 } else { 1 + rng.index(2 * nudge) };
                let call = clock.fetch_add(1, Ordering::SeqCst);
                if pause == 1 {
                    std::thread::yield_now();
                }
                let ret = shared.apply(&op);
                if pause == 2 {
                    std::thread::yield_now();
                }
                let end = clock.fetch_add(1, Ordering::SeqCst);
                log.push(Entry { op, ret, call, end });
            }
            cpu += thread_cpu() - begin;
            logs.push(log);
        }
        (logs, cpu)
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|w| scope.spawn(move || work(w))).collect();
        let mut all = Logs { workers: Vec::new(), cpu: 0.0 };
        for handle in handles {
            let (logs, cpu) = handle.join().expect("a worker panicked");
            all.workers.push(logs);
            all.cpu += cpu;
        }
        all
    })
}

impl<O, R> Logs<O, R> {
    /// The history of each run.
    pub fn histories(self) -> Vec<History<O, R>> {
        let mut workers: Vec<_> = self.workers.into_iter().map(Vec::into_iter).collect();
        let mut histories = Vec::new();
        loop {
            let run: Vec<Vec<Entry<O, R>>> =
                workers.iter_mut().filter_map(Iterator::next).collect();
            if run.is_empty() {
                return histories;
            }
            histories.push(history(run));
        }
    }
}

/// Ranks are dense, so the events are placed without sorting.
fn history<O, R>(logs: Vec<Vec<Entry<O, R>>>) -> History<O, R> {
    enum Event<O, R> {
        Call(u32, O, u64),
        Return(R),
        None,
    }
    let count: usize = logs.iter().map(Vec::len).sum();
    let mut events: Vec<Event<O, R>> = (0..2 * count).map(|_| Event::None).collect();
    for (process, log) in logs.into_iter().enumerate() {
        for Entry { op, ret, call, end } in log {
            events[call as usize] = Event::Call(process as u32, op, end);
            events[end as usize] = Event::Return(ret);
        }
    }
    let mut open = vec![None; 2 * count];
    let mut builder = History::from_events();
    for (rank, event) in events.into_iter().enumerate() {
        match event {
            Event::Call(process, op, end) => {
                let id = builder.call_by(process, op).expect("a worker does one thing at a time");
                open[end as usize] = Some(id);
            }
            Event::Return(ret) => {
                let id = open[rank].expect("a return follows its call");
                builder.ret(id, ret).expect("it is open");
            }
            Event::None => unreachable!("every reading of the clock is an event"),
        }
    }
    builder.finish()
}
