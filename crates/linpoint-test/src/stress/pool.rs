//! Worker threads that are reused for all runs.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use linpoint::Spec;

use super::os_thread::{self, Cores, PreciseTimers};
use super::round::Batch;
use super::settings::Placement;

/// Threads that wait for batches.
pub(crate) struct Pool<T, S: Spec> {
    workers: Vec<Worker<T, S>>,
    cores: Arc<Cores>,
    /// The number of threads that are stuck forever. They cannot be stopped, only abandoned.
    abandoned: usize,
    helper: Helper,
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
    pub(crate) fn new() -> Self {
        let cores = Arc::new(Cores::of_this_thread());
        Pool { workers: Vec::new(), cores, abandoned: 0, helper: Helper::default() }
    }

    /// The cores that threads may use.
    pub(crate) fn cores(&self) -> &Arc<Cores> {
        &self.cores
    }

    /// The number of abandoned threads.
    pub(crate) fn abandoned(&self) -> usize {
        self.abandoned
    }

    fn spawn(&self, number: usize) -> Worker<T, S> {
        let (jobs, inbox) = mpsc::channel::<Job<T, S>>();
        let thread = Arc::new(os_thread::Thread::default());
        let (known, cores) = (thread.clone(), self.cores.clone());
        let body = move || {
            known.bind_current();
            let _precise = PreciseTimers::new();
            let mut placement = Placement::Free;
            while let Ok(Job { batch, finish }) = inbox.recv() {
                let wanted = batch.manner.placement;
                if std::mem::replace(&mut placement, wanted) != wanted {
                    cores.place(wanted, number);
                }
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
    pub(crate) fn start(&mut self, mut batch: Batch<T, S>) -> Running<T, S> {
        let threads = batch.threads();
        while self.workers.len() < threads {
            let worker = self.spawn(self.workers.len());
            self.workers.push(worker);
        }
        if let Some(pace) = &mut batch.pace {
            pace.of_threads(self.workers.iter().map(|worker| worker.thread.clone()).collect());
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

    /// The number of times that a thread has run, if it sleeps.
    pub(crate) fn asleep_since(&self, number: usize) -> Option<u64> {
        self.workers.get(number).and_then(|worker| worker.thread.asleep_since())
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

    /// The batch, when all threads have finished. An error if somebody still uses it after this time: the
    /// function that releases waiting operations does not return.
    pub(crate) fn finished(self, time: Duration) -> Result<Batch<T, S>, Arc<Batch<T, S>>> {
        let begin = Instant::now();
        let mut batch = self.batch;
        loop {
            match Arc::try_unwrap(batch) {
                Ok(batch) => return Ok(batch),
                Err(shared) if begin.elapsed() >= time => return Err(shared),
                Err(shared) => batch = shared,
            }
            std::thread::yield_now();
        }
    }

    /// Lets threads leave this run and those before it, and releases operations that wait in it, if the test
    /// says how. The batch goes on.
    pub(crate) fn release(&self, pool: &Pool<T, S>, round: usize)
    where
        T: Send + Sync + 'static,
        S: Send + 'static,
    {
        self.batch.leave(round);
        self.unblock(pool, round);
    }

    /// Lets threads leave all runs, and releases operations that wait in this one, if the test says how.
    pub(crate) fn stop(&self, pool: &Pool<T, S>, round: usize)
    where
        T: Send + Sync + 'static,
        S: Send + 'static,
    {
        self.batch.stop();
        self.unblock(pool, round);
    }

    fn unblock(&self, pool: &Pool<T, S>, round: usize)
    where
        T: Send + Sync + 'static,
        S: Send + 'static,
    {
        if self.batch.test.unblocks().is_some() {
            let batch = self.batch.clone();
            pool.helper.perform(Box::new(move || {
                if let (Some(unblock), Some(round)) =
                    (batch.test.unblocks(), batch.rounds.get(round))
                {
                    unblock(&round.object);
                }
            }));
        }
    }
}

/// A thread for work that may block on the same lock as the threads under test.
#[derive(Default)]
struct Helper {
    /// The inbox of the thread, and the number of tasks that it has not completed.
    thread: RefCell<Option<(mpsc::Sender<Task>, Arc<AtomicUsize>)>>,
}

type Task = Box<dyn FnOnce() + Send>;

impl Helper {
    /// Performs a task. A thread that is still busy with an earlier one is replaced.
    fn perform(&self, task: Task) {
        let mut thread = self.thread.borrow_mut();
        if thread.as_ref().is_some_and(|(_, open)| open.load(Ordering::SeqCst) > 0) {
            *thread = None;
        }
        let (inbox, open) = thread.get_or_insert_with(|| {
            let (inbox, tasks) = mpsc::channel::<Task>();
            let open = Arc::new(AtomicUsize::new(0));
            let counter = open.clone();
            std::thread::spawn(move || {
                while let Ok(task) = tasks.recv() {
                    task();
                    counter.fetch_sub(1, Ordering::SeqCst);
                }
            });
            (inbox, open)
        });
        open.fetch_add(1, Ordering::SeqCst);
        // The thread ends only when its inbox is dropped.
        let _ = inbox.send(task);
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
