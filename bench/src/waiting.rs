//! Runs a second of objects whose operations wait.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use linpoint_test::report::Files;
use linpoint_test::{Spec, Stress, Summary, prelude::*};

use crate::table::{Table, short};

/// An object, and how it is tested for a time.
type Object = (&'static str, fn(Duration) -> Summary);

/// `linpoint-bench testing waiting`.
pub fn main(quick: bool) {
    let time = Duration::from_secs(if quick { 1 } else { 4 });
    let mut table = Table::new([
        "object",
        "runs",
        "with waits",
        "time [s]",
        "runs a second",
        "operations a second",
    ]);
    let objects: [Object; 4] = [
        ("channel, receive never waits", |time| channel(time, false)),
        ("channel, Mutex and Condvar", |time| channel(time, true)),
        ("bounded queue of 2", bounded_queue),
        ("rendezvous channel", rendezvous),
    ];
    for (name, run) in objects {
        let summary = run(time);
        let seconds = summary.time.as_secs_f64();
        table.row(vec![
            name.to_owned(),
            summary.runs.to_string(),
            summary.waits.to_string(),
            format!("{seconds:.2}"),
            short(summary.runs as f64 / seconds),
            short(summary.operations as f64 / seconds),
        ]);
    }
    table.publish("Operations that wait: 3 threads, 4 operations each", "testing-waiting");
}

fn measured<T: Send + Sync + 'static, S: Spec + Send + 'static>(
    stress: Stress<T, S>,
    time: Duration,
) -> Summary {
    stress.operations(4).runs(u64::MAX).time_limit(time).files(Files::none()).run()
}

/// What a queue is asked to do: `Some` adds, `None` removes.
type Op = Option<u64>;

/// A queue whose operations wait while it is empty or full.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Waits {
    values: VecDeque<u64>,
    capacity: usize,
    /// False if removing from an empty queue returns 0.
    waits: bool,
}

impl Sequential for Waits {
    type Op = Op;
    type Ret = u64;
    fn apply(&mut self, op: &Op) -> u64 {
        match op {
            Some(value) => {
                self.values.push_back(*value);
                0
            }
            None => self.values.pop_front().unwrap_or_default(),
        }
    }
    fn enabled(&self, op: &Op) -> bool {
        match op {
            Some(_) => self.values.len() < self.capacity,
            None => !self.waits || !self.values.is_empty(),
        }
    }
}

/// A queue behind a lock. `None` once it is closed.
struct Queued {
    values: Mutex<Option<VecDeque<u64>>>,
    changed: Condvar,
    capacity: usize,
    waits: bool,
}

impl Queued {
    fn perform(&self, op: &Op) -> u64 {
        let mut values = self.values.lock().expect("no panic");
        loop {
            let Some(queue) = values.as_mut() else { return 0 };
            match op {
                Some(value) if queue.len() < self.capacity => {
                    queue.push_back(*value);
                    self.changed.notify_all();
                    return 0;
                }
                None if !self.waits || !queue.is_empty() => {
                    self.changed.notify_all();
                    return queue.pop_front().unwrap_or_default();
                }
                _ => values = self.changed.wait(values).expect("no panic"),
            }
        }
    }

    fn close(&self) {
        *self.values.lock().expect("no panic") = None;
        self.changed.notify_all();
    }
}

fn draw(rng: &mut Rng) -> Op {
    rng.chance(0.5).then(|| rng.fresh())
}

fn queue(time: Duration, capacity: usize, waits: bool) -> Summary {
    let make = move || Queued {
        values: Mutex::new(Some(VecDeque::new())),
        changed: Condvar::new(),
        capacity,
        waits,
    };
    let stress = Stress::new(make)
        .spec(Waits { values: VecDeque::new(), capacity, waits })
        .ops(draw)
        .perform(Queued::perform)
        .unblock(Queued::close);
    measured(stress, time)
}

fn channel(time: Duration, waits: bool) -> Summary {
    queue(time, usize::MAX, waits)
}

fn bounded_queue(time: Duration) -> Summary {
    queue(time, 2, true)
}

/// A channel without room: a send returns when its value has been received.
#[derive(Default)]
struct Rendezvous {
    offers: Mutex<Offers>,
    changed: Condvar,
}

#[derive(Default)]
struct Offers {
    values: VecDeque<u64>,
    closed: bool,
}

impl Rendezvous {
    fn perform(&self, op: &Op) -> u64 {
        let mut offers = self.offers.lock().expect("no panic");
        if let Some(value) = op {
            offers.values.push_back(*value);
            self.changed.notify_all();
        }
        loop {
            let ret = match op {
                Some(value) => (!offers.values.contains(value)).then_some(0),
                None => offers.values.pop_front(),
            };
            if ret.is_some() || offers.closed {
                self.changed.notify_all();
                return ret.unwrap_or_default();
            }
            offers = self.changed.wait(offers).expect("no panic");
        }
    }

    fn close(&self) {
        self.offers.lock().expect("no panic").closed = true;
        self.changed.notify_all();
    }
}

/// A queue in which sends wait at the end: one that has not returned has not taken effect. That a send
/// overlaps its receive is not checked.
struct Meetings;

impl Spec for Meetings {
    type Op = Op;
    type Ret = u64;
    type State = VecDeque<u64>;

    fn initial(&self) -> VecDeque<u64> {
        VecDeque::new()
    }

    fn successors(
        &self,
        state: &VecDeque<u64>,
        op: &Op,
        ret: Option<&u64>,
        next: &mut Vec<VecDeque<u64>>,
    ) {
        let mut after = state.clone();
        match op {
            Some(_) if ret.is_none() => return,
            Some(value) => after.push_back(*value),
            None => match after.pop_front() {
                Some(value) if ret.is_none_or(|ret| *ret == value) => {}
                _ => return,
            },
        }
        next.push(after);
    }
}

fn rendezvous(time: Duration) -> Summary {
    let stress = Stress::new(Rendezvous::default)
        .spec(Meetings)
        .ops(draw)
        .perform(Rendezvous::perform)
        .unblock(Rendezvous::close);
    measured(stress, time)
}
