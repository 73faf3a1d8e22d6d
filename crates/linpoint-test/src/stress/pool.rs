//! Threads that live through all runs, and the watchdog that looks after them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::time::Duration;

use linpoint::Spec;

use super::place;
use super::round::Batch;
use super::settings::Placement;

/// Threads that wait for batches.
pub(crate) struct Pool<T, S: Spec> {
    workers: Vec<Worker<T, S>>,
    placement: Placement,
    /// Threads that are stuck for ever: they cannot be ended, only left behind.
    left_behind: usize,
}

struct Worker<T, S: Spec> {
    /// `None` once the pool is dropped.
    jobs: Option<mpsc::Sender<Job<T, S>>>,
    handle: Option<std::thread::JoinHandle<()>>,
    thread: Arc<place::Thread>,
}

struct Job<T, S: Spec> {
    batch: Arc<Batch<T, S>>,
    finish: Arc<Finish>,
}

/// Who has finished with a batch.
#[derive(Default)]
struct Finish {
    workers: Mutex<Vec<usize>>,
    changed: Condvar,
}

impl Finish {
    fn tell(&self, worker: usize) {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        self.changed.notify_all();
    }

    /// Waits for all, but no longer than that. Who has finished.
    fn wait(&self, all: usize, time: Duration) -> Vec<usize> {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(workers, time, |done| done.len() < all);
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }
}

/// A batch that threads are working on.
pub(crate) struct Running<T, S: Spec> {
    batch: Arc<Batch<T, S>>,
    finish: Arc<Finish>,
    threads: usize,
}

impl<T: Send + Sync + 'static, S: Spec + Send + 'static> Pool<T, S> {
    pub(crate) fn new(placement: Placement) -> Self {
        Pool { workers: Vec::new(), placement, left_behind: 0 }
    }

    /// How many threads had to be left behind.
    pub(crate) fn left_behind(&self) -> usize {
        self.left_behind
    }

    fn spawn(&self, number: usize) -> Worker<T, S> {
        let (jobs, inbox) = mpsc::channel::<Job<T, S>>();
        let thread = Arc::new(place::Thread::default());
        let (known, placement) = (thread.clone(), self.placement);
        let body = move || {
            known.is_me();
            place::go(placement, number);
            while let Ok(Job { batch, finish }) = inbox.recv() {
                batch.work(number);
                // First the batch, then the message: whoever gets it may want the batch for itself.
                drop(batch);
                finish.tell(number);
            }
        };
        let name = format!("linpoint {number}");
        let handle = std::thread::Builder::new().name(name).spawn(body);
        let handle = handle.expect("the system can start a thread");
        Worker { jobs: Some(jobs), handle: Some(handle), thread }
    }

    /// Hands a batch to as many threads as it has work for.
    pub(crate) fn start(&mut self, batch: Batch<T, S>) -> Running<T, S> {
        let threads = batch.places.len();
        while self.workers.len() < threads {
            let worker = self.spawn(self.workers.len());
            self.workers.push(worker);
        }
        let (batch, finish) = (Arc::new(batch), Arc::new(Finish::default()));
        for worker in &self.workers[..threads] {
            let job = Job { batch: batch.clone(), finish: finish.clone() };
            if let Some(jobs) = &worker.jobs {
                // A worker ends only when its sender is gone.
                let _ = jobs.send(job);
            }
        }
        Running { batch, finish, threads }
    }

    /// Leaves those behind that have not finished a stopped batch within this time, and replaces them.
    pub(crate) fn give_up_on(&mut self, running: Running<T, S>, time: Duration) {
        let done = running.finish.wait(running.threads, time);
        for number in (0..running.threads).filter(|number| !done.contains(number)) {
            let worker = self.spawn(number);
            let stuck = std::mem::replace(&mut self.workers[number], worker);
            // Dropping the handle lets the thread go; if it ever comes back, it finds its inbox closed.
            drop((stuck.jobs, stuck.handle));
            self.left_behind += 1;
        }
    }

    /// What the operating system says a thread is doing.
    pub(crate) fn doing(&self, number: usize) -> place::Doing {
        self.workers.get(number).map_or(place::Doing::Unknown, |worker| worker.thread.doing())
    }
}

impl<T, S: Spec> Running<T, S> {
    pub(crate) fn batch(&self) -> &Arc<Batch<T, S>> {
        &self.batch
    }

    /// Waits, but no longer than that. True if all threads have finished.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        self.finish.wait(self.threads, time).len() == self.threads
    }

    /// The batch, when all threads have finished.
    pub(crate) fn finished(self) -> Option<Batch<T, S>> {
        Arc::try_unwrap(self.batch).ok()
    }

    /// Lets no more operations begin, and ends those that wait, as far as the test knows how.
    pub(crate) fn stop(&self, round: usize)
    where
        T: Send + Sync + 'static,
        S: Send + 'static,
    {
        self.batch.stop.store(true, Ordering::SeqCst);
        if self.batch.test.unblocks().is_some() {
            // In a thread of its own, since what it touches may be what others are stuck in.
            let batch = self.batch.clone();
            std::thread::spawn(move || {
                if let (Some(unblock), Some(round)) =
                    (batch.test.unblocks(), batch.rounds.get(round))
                {
                    unblock(&round.object);
                }
            });
        }
    }
}

impl<T, S: Spec> Drop for Pool<T, S> {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            worker.jobs = None;
        }
        for worker in &mut self.workers {
            if let Some(handle) = worker.handle.take() {
                // A worker that panicked has said so.
                let _ = handle.join();
            }
        }
    }
}
