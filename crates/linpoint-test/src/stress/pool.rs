//! Worker threads that are reused for all runs.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::time::Duration;

use linpoint::Spec;

use super::os_thread;
use super::round::Batch;
use super::settings::Placement;

/// Threads that wait for batches.
pub(crate) struct Pool<T, S: Spec> {
    workers: Vec<Worker<T, S>>,
    placement: Placement,
    /// The number of threads that are stuck forever. They cannot be stopped, only abandoned.
    abandoned: usize,
}

struct Worker<T, S: Spec> {
    /// `None` once the pool is dropped.
    jobs: Option<mpsc::Sender<Job<T, S>>>,
    handle: Option<std::thread::JoinHandle<()>>,
    thread: Arc<os_thread::Thread>,
}

struct Job<T, S: Spec> {
    batch: Arc<Batch<T, S>>,
    finish: Arc<Finish>,
}

/// The workers that have finished with a batch.
#[derive(Default)]
struct Finish {
    workers: Mutex<Vec<usize>>,
    changed: Condvar,
}

impl Finish {
    fn signal(&self, worker: usize) {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        self.changed.notify_all();
    }

    /// Waits for all workers, but no longer than `time`. Returns those that have finished.
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
        Pool { workers: Vec::new(), placement, abandoned: 0 }
    }

    /// The number of abandoned threads.
    pub(crate) fn abandoned(&self) -> usize {
        self.abandoned
    }

    fn spawn(&self, number: usize) -> Worker<T, S> {
        let (jobs, inbox) = mpsc::channel::<Job<T, S>>();
        let thread = Arc::new(os_thread::Thread::default());
        let (known, placement) = (thread.clone(), self.placement);
        let body = move || {
            known.bind_current();
            os_thread::place(placement, number);
            while let Ok(Job { batch, finish }) = inbox.recv() {
                batch.work(number);
                // Drop the batch first: the receiver of the signal unwraps the `Arc`.
                drop(batch);
                finish.signal(number);
            }
        };
        let name = format!("linpoint {number}");
        let handle = std::thread::Builder::new().name(name).spawn(body);
        let handle = handle.expect("the system starts a thread");
        Worker { jobs: Some(jobs), handle: Some(handle), thread }
    }

    /// Gives a batch to as many threads as it needs.
    pub(crate) fn start(&mut self, batch: Batch<T, S>) -> Running<T, S> {
        let threads = batch.current_rounds.len();
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

    /// Abandons and replaces the threads that have not finished a stopped batch within this time.
    pub(crate) fn abandon_stuck(&mut self, running: Running<T, S>, time: Duration) {
        let done = running.finish.wait(running.threads, time);
        for number in (0..running.threads).filter(|number| !done.contains(number)) {
            let worker = self.spawn(number);
            let stuck = std::mem::replace(&mut self.workers[number], worker);
            // Dropping the handle detaches the thread; if it ever continues, it finds its inbox
            // closed.
            drop((stuck.jobs, stuck.handle));
            self.abandoned += 1;
        }
    }

    /// The state of a thread, as the operating system reports it.
    pub(crate) fn state_of(&self, number: usize) -> os_thread::ThreadState {
        self.workers
            .get(number)
            .map_or(os_thread::ThreadState::Unknown, |worker| worker.thread.state())
    }
}

impl<T, S: Spec> Running<T, S> {
    pub(crate) fn batch(&self) -> &Arc<Batch<T, S>> {
        &self.batch
    }

    /// Waits, but no longer than `time`. Returns true if all threads have finished.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        self.finish.wait(self.threads, time).len() == self.threads
    }

    /// The batch, if all threads have finished.
    pub(crate) fn finished(self) -> Option<Batch<T, S>> {
        Arc::try_unwrap(self.batch).ok()
    }

    /// Stops new operations, and releases waiting ones if the test says how.
    pub(crate) fn stop(&self, round: usize)
    where
        T: Send + Sync + 'static,
        S: Send + 'static,
    {
        self.batch.stop.store(true, Ordering::SeqCst);
        if self.batch.test.unblocks().is_some() {
            // On a separate thread: it may block on the same lock as the stuck threads.
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
                // The panic hook has already printed the panic of a worker.
                let _ = handle.join();
            }
        }
    }
}
