//! Threads that interrupt others: each sleeps most of the time on one core, and whenever it wakes, the
//! system stops what runs there.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::os_thread::{Cores, PreciseTimers};
use super::settings::Placement;
use crate::rng::SplitMix64;

/// The longest sleep.
const SLEEP: Duration = Duration::from_micros(60);
/// The longest time for which a thread is kept from running.
const BURST: Duration = Duration::from_micros(15);

/// Interrupts what runs on a few cores, while it is asked to.
#[derive(Default)]
pub(super) struct Interrupters {
    orders: Arc<Orders>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

#[derive(Default)]
struct Orders {
    now: Mutex<Order>,
    changed: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Order {
    #[default]
    Pause,
    Interrupt,
    End,
}

impl Orders {
    fn give(&self, order: Order) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = order;
        self.changed.notify_all();
    }

    /// The order, as soon as it is not to pause.
    fn next(&self) -> Order {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.changed.wait_while(now, |order| *order == Order::Pause);
        *now.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Interrupters {
    /// Interrupts what runs on the first cores until the guard is dropped.
    pub(super) fn interrupt(&mut self, used: usize, cores: &Arc<Cores>) -> Guard<'_> {
        for number in self.threads.len()..used {
            let (orders, cores) = (self.orders.clone(), cores.clone());
            let thread = std::thread::spawn(move || {
                cores.place(Placement::Pinned, number);
                let _precise = PreciseTimers::new();
                let mut random = SplitMix64::new(number as u64);
                while orders.next() == Order::Interrupt {
                    wake_up(&mut random);
                }
            });
            self.threads.push(thread);
        }
        self.orders.give(Order::Interrupt);
        Guard(&self.orders)
    }
}

/// Sleeps, then keeps the core for a moment.
fn wake_up(random: &mut SplitMix64) {
    let mut up_to = |time: Duration| Duration::from_nanos(random.up_to(time.as_nanos() as u64));
    std::thread::sleep(up_to(SLEEP));
    let (begin, burst) = (Instant::now(), up_to(BURST));
    while begin.elapsed() < burst {
        std::hint::spin_loop();
    }
}

/// Interruptions end when this is dropped.
pub(super) struct Guard<'a>(&'a Orders);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.give(Order::Pause);
    }
}

impl Drop for Interrupters {
    fn drop(&mut self) {
        self.orders.give(Order::End);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
