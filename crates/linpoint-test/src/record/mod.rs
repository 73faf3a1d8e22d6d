//! Records the operations of a program, with or without a test around it.
//!
//! Each thread or task writes to a log of its own, which no other thread touches while operations
//! run. The logs are merged afterwards. [`clock`] explains what the stamps guarantee and which
//! clocks can hide missing fences.
//!
//! ```
//! use std::sync::Mutex;
//! use linpoint_test::models::{Counter, CounterOp, CounterRet};
//! use linpoint_test::record::Recorder;
//!
//! let (recorder, shared) = (Recorder::new(), Mutex::new(0));
//! std::thread::scope(|scope| {
//!     for _ in 0..2 {
//!         let (mut log, shared) = (recorder.log(), &shared);
//!         scope.spawn(move || {
//!             for _ in 0..10 {
//!                 log.record(CounterOp::Add(1), || {
//!                     *shared.lock().unwrap() += 1;
//!                     CounterRet::Done
//!                 });
//!             }
//!         });
//!     }
//! });
//! let history = recorder.history()?;
//! assert!(linpoint::check(&Counter { initial: 0 }, &history)?.verdict.is_linearizable());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod clock;
pub mod json;
pub(crate) mod merge;
pub(crate) mod sheet;

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use linpoint::History;
use linpoint::history::HistoryError;

pub use clock::Clock;
use merge::{Row, merge, untangle};
use sheet::{OPEN, Sheet, Writer};

/// Default capacity of a log, in operations.
const CAPACITY: usize = 1024;

type Sheets<O, R> = Arc<Mutex<Vec<Arc<Sheet<O, R>>>>>;

/// Collects the operations of any number of threads or tasks. Clones record into the same history.
pub struct Recorder<O, R> {
    clock: Clock,
    /// One list for each log: a sheet, and further ones when it is full.
    logs: Arc<Mutex<Vec<Sheets<O, R>>>>,
}

impl<O, R> Clone for Recorder<O, R> {
    fn clone(&self) -> Self {
        Recorder { clock: self.clock.clone(), logs: self.logs.clone() }
    }
}

impl<O, R> Default for Recorder<O, R> {
    fn default() -> Self {
        Recorder::new()
    }
}

/// Ignores poisoning: the lists are only pushed to, so they are never half changed.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<O, R> Recorder<O, R> {
    /// A recorder with [`Clock::private`].
    pub fn new() -> Self {
        Recorder::with_clock(Clock::private())
    }

    /// A recorder with this clock.
    pub fn with_clock(clock: Clock) -> Self {
        Recorder { clock, logs: Arc::default() }
    }

    /// The clock that stamps events.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// A log for one thread or task, with room for 1,024 operations.
    pub fn log(&self) -> Log<O, R> {
        self.log_for(CAPACITY)
    }

    /// A log with room for this many operations. It allocates when there are more.
    pub fn log_for(&self, operations: usize) -> Log<O, R> {
        let sheets = Sheets::default();
        lock(&self.logs).push(sheets.clone());
        let writer = new_sheet(&sheets, operations.max(1));
        Log { clock: self.clock.clone(), writer, sheets, before: 0, capacity: operations.max(1) }
    }
}

impl<O: Clone, R: Clone> Recorder<O, R> {
    /// Merges what was recorded so far into a history. Operations that have not returned are
    /// pending.
    ///
    /// Each log is a process, numbered from 0 in the order of creation; a log with overlapping
    /// operations becomes several processes. While threads still write, the result is only a
    /// snapshot: it may lack an operation whose effect another one has observed. Call it when the
    /// program has ended or hangs.
    pub fn history(&self) -> Result<History<O, R>, HistoryError> {
        let mut lanes = Vec::new();
        for sheets in lock(&self.logs).iter() {
            let mut rows = Vec::new();
            for sheet in lock(sheets).iter() {
                rows.extend(sheet.entries().map(|entry| Row {
                    op: entry.op.clone(),
                    ret: entry.ret.cloned(),
                    call: entry.call,
                    end: entry.end,
                }));
            }
            lanes.extend(lanes_of(rows, lanes.len() as u32));
        }
        merge(lanes)
    }
}

/// A log without overlaps stays one lane, in the order in which it was written.
fn lanes_of<O, R>(rows: Vec<Row<O, R>>, first: u32) -> Vec<merge::Lane<O, R>> {
    let overlap = rows.windows(2).any(|pair| pair[0].end == OPEN || pair[1].call < pair[0].call);
    let overlap = overlap || rows.windows(2).any(|pair| pair[1].call < pair[0].end);
    if overlap { untangle(rows, first) } else { vec![merge::Lane { process: first, rows }] }
}

fn new_sheet<O, R>(sheets: &Sheets<O, R>, capacity: usize) -> Writer<Arc<Sheet<O, R>>, O, R> {
    loop {
        let sheet = Arc::new(Sheet::new(capacity));
        if let Some(writer) = Writer::claim(sheet.clone()) {
            lock(sheets).push(sheet);
            return writer;
        }
    }
}

/// The log of one thread or task. The recorder keeps its contents when the log is dropped.
pub struct Log<O, R> {
    clock: Clock,
    writer: Writer<Arc<Sheet<O, R>>, O, R>,
    sheets: Sheets<O, R>,
    /// Operations on earlier sheets.
    before: usize,
    capacity: usize,
}

/// An operation that was called and has not returned. If this is dropped, the operation stays
/// pending: it may or may not have taken effect.
#[derive(Debug)]
#[must_use = "an operation that does not return is pending"]
pub struct Called(usize);

impl<O, R> Log<O, R> {
    /// Performs and records an operation.
    #[inline]
    pub fn record(&mut self, op: O, perform: impl FnOnce() -> R) -> R
    where
        R: Clone,
    {
        let called = self.call(op);
        let ret = perform();
        self.ret_copy(called, ret)
    }

    /// Performs and records an async operation. The future may move between threads. If it is
    /// dropped before it is ready, the operation stays pending.
    pub async fn record_async(&mut self, op: O, perform: impl Future<Output = R>) -> R
    where
        R: Clone,
    {
        let called = self.call(op);
        let ret = perform.await;
        self.ret_copy(called, ret)
    }

    /// Stamps the return before it clones the result.
    #[inline]
    fn ret_copy(&mut self, called: Called, ret: R) -> R
    where
        R: Clone,
    {
        let end = self.clock.ret();
        self.ret_at(called, ret.clone(), end);
        ret
    }

    /// Records a call. Call this before the operation starts.
    #[inline]
    pub fn call(&mut self, op: O) -> Called {
        if self.writer.is_full() {
            self.start_new_sheet();
        }
        let Log { clock, writer, before, .. } = self;
        Called(*before + writer.call(op, || clock.call()))
    }

    /// Records a return. Call this after the operation has ended.
    #[inline]
    pub fn ret(&mut self, called: Called, ret: R) {
        let end = self.clock.ret();
        self.ret_at(called, ret, end);
    }

    fn ret_at(&mut self, Called(number): Called, ret: R, end: u64) {
        match number.checked_sub(self.before) {
            Some(at) => self.writer.ret(at, ret, end),
            None => self.ret_on_an_earlier_sheet(number, ret, end),
        }
    }

    #[cold]
    fn start_new_sheet(&mut self) {
        self.before += self.capacity;
        self.writer = new_sheet(&self.sheets, self.capacity);
    }

    #[cold]
    fn ret_on_an_earlier_sheet(&mut self, number: usize, ret: R, end: u64) {
        let sheet = lock(&self.sheets)[number / self.capacity].clone();
        if let Some(mut writer) = Writer::claim(sheet) {
            writer.ret(number % self.capacity, ret, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linpoint::OpId;

    #[test]
    fn logs_grow_and_operations_may_overlap() {
        let recorder = Recorder::new();
        let mut log = recorder.log_for(2);
        let first = log.call(0);
        let second = log.call(1);
        for op in 2..9 {
            assert_eq!(log.record(op, || op * 10), op * 10);
        }
        log.ret(second, 10);
        log.ret(first, 0);
        let _ = log.call(99);
        drop(log);
        let history = recorder.history().unwrap();
        assert_eq!(history.len(), 10);
        for id in history.ids() {
            let expected = Some(*history.op(id) * 10).filter(|_| *history.op(id) != 99);
            assert_eq!(history.ret(id).copied(), expected);
        }
        let by_op = |op| history.ids().find(|id| *history.op(*id) == op).unwrap();
        assert!(history.span(by_op(2)).precedes(history.span(by_op(3))));
        assert!(!history.span(by_op(0)).precedes(history.span(by_op(8))));
        assert!(history.span(by_op(99)).is_pending());
    }

    #[test]
    fn each_log_is_a_process() {
        let recorder = Recorder::with_clock(Clock::shared());
        let (mut a, mut b) = (recorder.log(), recorder.clone().log());
        b.record("b", || ());
        a.record("a", || ());
        let history = recorder.history().unwrap();
        assert_eq!(history.op(OpId(0)), &"a");
        assert_eq!(history.extras(OpId(0)).process, Some(0));
        assert_eq!(history.extras(OpId(1)).process, Some(1));
        assert!(history.span(OpId(1)).precedes(history.span(OpId(0))));
    }

    #[test]
    fn a_dropped_future_leaves_its_operation_pending() {
        use std::pin::pin;
        use std::task::{Context, Poll, Waker};

        let recorder = Recorder::new();
        let mut log = recorder.log();
        let mut polled = false;
        let ready_later = std::future::poll_fn(|_| {
            if std::mem::replace(&mut polled, true) { Poll::Ready(7) } else { Poll::Pending }
        });
        let mut context = Context::from_waker(Waker::noop());
        {
            let mut future = pin!(log.record_async("waits", ready_later));
            assert!(future.as_mut().poll(&mut context).is_pending());
            assert_eq!(future.as_mut().poll(&mut context), Poll::Ready(7));
        }
        {
            let mut future = pin!(log.record_async("cancelled", std::future::pending()));
            assert!(future.as_mut().poll(&mut context).is_pending());
        }
        let history = recorder.history().unwrap();
        assert_eq!(history.ret(OpId(0)), Some(&7));
        assert!(history.span(OpId(1)).is_pending());
    }
}
