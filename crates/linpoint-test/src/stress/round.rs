//! One run of a scenario by threads: the data they share, and the work of each.
//!
//! Runs come in batches, so that threads need not be woken for each run; within a batch they meet
//! at a barrier before every run. The first thread also performs the setup, before the others
//! start, and the final operations, when all have ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use linpoint::Spec;

use super::breakpoints::{Pace, Points, Stops};
use super::gate::{Gate, Sleepers};
use super::manner::Manner;
use super::settings::Noise;
use crate::definition::Test;
use crate::execution::message_of;
use crate::record::Clock;
use crate::record::sheet::{Sheet, Writer};
use crate::rng::{SplitMix64, mix};
use crate::scenario::{Scenario, main_process};

/// The log of a thread. The operations are those of the scenario, so only results are stored.
pub(crate) type ThreadLog<S> = Sheet<(), <S as Spec>::Ret>;

/// One run.
pub(crate) struct Round<T, S: Spec> {
    pub(crate) object: T,
    pub(crate) scenario: Scenario<S::Op>,
    /// One for each thread, and one for the setup and the final operations.
    pub(crate) logs: Vec<ThreadLog<S>>,
    /// The number of threads that are ready to start.
    ready: Gate,
    /// The number of threads that have noticed that all are ready.
    set: Gate,
    /// The number of threads that have ended.
    ended: Gate,
    /// Thread, number of the operation, message.
    pub(crate) panics: Mutex<Vec<(usize, usize, String)>>,
}

/// Several runs, one after the other.
pub(crate) struct Batch<T, S: Spec> {
    pub(crate) test: Test<T, S>,
    pub(crate) rounds: Vec<Round<T, S>>,
    clock: Clock,
    pub(crate) manner: Manner,
    seed: u64,
    /// Threads leave the runs before this one and perform no new operations in them.
    stopped: AtomicUsize,
    /// The run that each thread is in.
    current_rounds: Vec<Padded>,
    sleepers: Sleepers,
    /// How many threads can run at the same time.
    together: usize,
    /// If operations are stopped by breakpoints: how far the threads have come.
    pub(crate) pace: Option<Pace>,
}

/// A number on a cache line of its own, which one thread writes and the watchdog reads.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Padded(AtomicUsize);

impl<T, S: Spec> Round<T, S> {
    /// `logs` must have room for the operations of each thread.
    pub(crate) fn new(object: T, scenario: Scenario<S::Op>, logs: Vec<ThreadLog<S>>) -> Self {
        Round {
            object,
            scenario,
            logs,
            ready: Gate::default(),
            set: Gate::default(),
            ended: Gate::default(),
            panics: Mutex::default(),
        }
    }

    /// The log of a thread; the last log is for the setup and the final operations.
    pub(crate) fn log_of(&self, thread: usize) -> &ThreadLog<S> {
        &self.logs[thread]
    }

    /// True if all threads have ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.count() == self.scenario.threads.len()
    }

    /// A number that changes with every step of the run.
    pub(crate) fn progress(&self) -> usize {
        let called: usize = self.logs.iter().map(Sheet::called).sum();
        called + self.ready.count() + self.ended.count()
    }
}

impl<T, S: Spec> Batch<T, S> {
    /// The runs must all have the same number of threads.
    pub(crate) fn new(
        test: Test<T, S>,
        rounds: Vec<Round<T, S>>,
        clock: Clock,
        manner: Manner,
        seed: u64,
    ) -> Self {
        let threads = rounds.first().map_or(0, |round| round.scenario.threads.len());
        Batch {
            test,
            rounds,
            clock,
            manner,
            seed,
            stopped: 0.into(),
            current_rounds: (0..threads).map(|_| Padded::default()).collect(),
            sleepers: Sleepers::new(threads),
            together: threads,
            pace: None,
        }
    }

    /// Threads wait for each other on this many cores.
    pub(crate) fn on_cores(self, cores: usize) -> Self {
        Batch { together: self.threads().min(cores.max(1)), ..self }
    }

    /// Stops operations at these points.
    pub(crate) fn stopping_at(self, points: Option<Arc<Points>>) -> Self {
        let pace = points.map(|points| Pace::new(points, self.threads(), self.together == 1));
        Batch { pace, ..self }
    }

    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.current_rounds.len()
    }

    /// The run that each thread is in.
    pub(crate) fn positions(&self) -> Vec<usize> {
        self.current_rounds.iter().map(|round| round.0.load(Ordering::Acquire)).collect()
    }

    /// The earliest run that a thread is in.
    pub(crate) fn earliest_round(&self) -> usize {
        self.positions().into_iter().min().unwrap_or(0)
    }

    /// A number that changes with every step of this run and of the next.
    pub(crate) fn progress_from(&self, round: usize) -> usize {
        self.rounds[round..].iter().take(2).map(Round::progress).sum()
    }

    /// Lets threads leave the runs up to this one.
    pub(crate) fn leave(&self, round: usize) {
        self.stopped.store(round + 1, Ordering::SeqCst);
    }

    /// Lets threads leave all runs.
    pub(crate) fn stop(&self) {
        self.stopped.store(usize::MAX, Ordering::SeqCst);
    }

    #[inline]
    fn is_stopped(&self, round: usize) -> bool {
        round < self.stopped.load(Ordering::Relaxed)
    }

    /// The work of thread `me`.
    pub(crate) fn work(&self, me: usize) {
        self.sleepers.register(me);
        let seed = mix(self.seed ^ me as u64);
        let mut stops = self.pace.as_ref().map(|pace| Stops::new(pace, me, seed));
        for (number, round) in self.rounds.iter().enumerate() {
            self.current_rounds[me].0.store(number, Ordering::Release);
            self.take_part(me, number, round, stops.as_mut());
        }
    }

    /// Performs the part of thread `me` in a run.
    fn take_part(
        &self,
        me: usize,
        number: usize,
        round: &Round<T, S>,
        stops: Option<&mut Stops<'_>>,
    ) {
        let Scenario { setup, threads, finally } = &round.scenario;
        let main = main_process(threads.len()) as usize;
        if me == 0 && !setup.is_empty() {
            self.perform(round, number, (main, 0), setup, Disturbance::none(), None);
        }
        let is_stopped = || self.is_stopped(number);
        round.ready.arrive(threads.len(), &self.sleepers);
        if !round.ready.wait(threads.len(), is_stopped) {
            self.end_round(round);
            return;
        }
        // Threads that slept at the gate begin later than the last one, unless it waits for them.
        round.set.arrive(threads.len(), &self.sleepers);
        round.set.wait_briefly(self.together);
        let seed = mix(self.seed ^ ((number as u64) << 20) ^ me as u64);
        let disturbance = Disturbance::new(self.manner.noise, seed);
        self.perform(round, number, (me, 0), &threads[me], disturbance, stops);
        self.end_round(round);
        if me == 0 && !finally.is_empty() && round.ended.wait(threads.len(), is_stopped) {
            self.perform(round, number, (main, setup.len()), finally, Disturbance::none(), None);
        }
    }

    fn end_round(&self, round: &Round<T, S>) {
        if let Some(pace) = &self.pace {
            pace.end_round();
        }
        round.ended.arrive(self.threads(), &self.sleepers);
    }

    /// Performs operations one after the other, up to the first that panics. `first` is the number
    /// of the first one in the log of the thread.
    fn perform(
        &self,
        round: &Round<T, S>,
        round_number: usize,
        (thread, first): (usize, usize),
        ops: &[S::Op],
        mut disturbance: Disturbance,
        mut stops: Option<&mut Stops<'_>>,
    ) {
        let Some(mut writer) = Writer::claim(round.log_of(thread)) else { return };
        // The setup did not complete, so the final operations would be out of place in the log.
        if round.log_of(thread).called() != first {
            return;
        }
        for (number, op) in (first..).zip(ops) {
            disturbance.between_operations();
            if self.is_stopped(round_number) {
                return;
            }
            let at = writer.call((), || self.clock.call());
            let perform = || self.test.perform(&round.object, thread, op);
            let ret = match &mut stops {
                None => catch_unwind(AssertUnwindSafe(perform)),
                Some(stops) => {
                    let stopped = || stops.during(round_number, perform);
                    catch_unwind(AssertUnwindSafe(stopped))
                }
            };
            let end = self.clock.ret();
            if let Some(stops) = &stops {
                stops.done();
            }
            match ret {
                Ok(ret) => writer.ret(at, ret, end),
                Err(payload) => {
                    let message = message_of(&*payload);
                    let meaning = || self.test.result_of_panic(op, &message);
                    let Some(ret) = catch_unwind(AssertUnwindSafe(meaning)).unwrap_or(None) else {
                        let mut panics =
                            round.panics.lock().unwrap_or_else(PoisonError::into_inner);
                        panics.push((thread, number, message));
                        return;
                    };
                    writer.ret(at, ret, end);
                }
            }
        }
    }
}

/// Random pauses of one thread.
struct Disturbance {
    /// Of 2^32 numbers, those below this one pause.
    pause: u64,
    longest: u32,
    /// Of 2^32 numbers, those from this one up yield.
    yields: u64,
    random: SplitMix64,
}

impl Disturbance {
    fn none() -> Self {
        Disturbance::new(Noise::NONE, 0)
    }

    fn new(noise: Noise, seed: u64) -> Self {
        let share = |p: f64| (p.clamp(0.0, 1.0) * (1_u64 << 32) as f64) as u64;
        Disturbance {
            pause: share(noise.pause),
            longest: noise.longest_pause.max(1),
            yields: (1 << 32) - share(noise.yields),
            random: SplitMix64::new(seed),
        }
    }

    #[inline]
    fn between_operations(&mut self) {
        let random = self.random.next_u64();
        let draw = random & 0xffff_ffff;
        if draw < self.pause {
            for _ in 0..(random >> 32) as u32 % self.longest {
                std::hint::spin_loop();
            }
        }
        if draw >= self.yields {
            std::thread::yield_now();
        }
    }
}
