//! A preallocated log with one writer, which other threads can read while it is being written.
//!
//! An operation costs only plain stores to the writer's own memory: on x86-64 the release stores
//! that publish an entry are ordinary moves, so the log neither waits for the store buffer nor
//! makes other cores wait. The readers are the watchdog, when a thread is stuck, and the code that
//! merges the logs.
//!
//! Why `unsafe`: results are of any type, so publishing one safely would need a lock or a
//! `OnceLock` for each. That is a locked instruction, which would hide a missing fence.
//! `bench/record/testing-recording.tsv` shows what such an instruction costs, in the row of the
//! shared counter.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The end stamp of an operation that has not returned.
pub(crate) const OPEN: u64 = u64::MAX;

/// A log of a fixed size. Aligned so that neighbours in memory share no cache line with it.
#[repr(align(128))]
pub(crate) struct Sheet<O, R> {
    /// The number of calls. INVARIANT: `op` and `call` of this many slots are initialised.
    called: AtomicUsize,
    /// True while there is a writer.
    claimed: AtomicBool,
    slots: Box<[Slot<O, R>]>,
}

struct Slot<O, R> {
    op: UnsafeCell<MaybeUninit<O>>,
    /// INVARIANT: initialised if and only if `end` is not [`OPEN`].
    ret: UnsafeCell<MaybeUninit<R>>,
    call: AtomicU64,
    end: AtomicU64,
}

/// A recorded operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a, O, R> {
    pub(crate) op: &'a O,
    pub(crate) ret: Option<&'a R>,
    pub(crate) call: u64,
    /// [`OPEN`] if it has not returned.
    pub(crate) end: u64,
}

// SAFETY: the only writer writes a slot before it publishes it by a release store (`called` for the
// operation, `end` for the result) and does not change it afterwards; readers look at it after an
// acquire load of the same. Values are then read from several threads, and may be dropped by a
// thread that did not create them.
#[allow(unsafe_code)]
unsafe impl<O: Send + Sync, R: Send + Sync> Sync for Sheet<O, R> {}

impl<O, R> Sheet<O, R> {
    /// A log with room for `capacity` operations.
    pub(crate) fn new(capacity: usize) -> Self {
        let slot = || Slot {
            op: UnsafeCell::new(MaybeUninit::uninit()),
            ret: UnsafeCell::new(MaybeUninit::uninit()),
            call: AtomicU64::new(0),
            end: AtomicU64::new(OPEN),
        };
        Sheet {
            called: AtomicUsize::new(0),
            claimed: AtomicBool::new(false),
            slots: std::iter::repeat_with(slot).take(capacity).collect(),
        }
    }

    /// The number of operations that fit.
    pub(crate) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// The number of operations that were called.
    pub(crate) fn called(&self) -> usize {
        self.called.load(Ordering::Acquire)
    }

    /// The operation number `at`, if it was called.
    pub(crate) fn get(&self, at: usize) -> Option<Entry<'_, O, R>> {
        (at < self.called()).then(|| self.entry(&self.slots[at]))
    }

    /// All entries so far.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_, O, R>> {
        self.slots[..self.called()].iter().map(|slot| self.entry(slot))
    }

    /// Only for slots below `called`.
    #[allow(unsafe_code)]
    fn entry<'a>(&'a self, slot: &'a Slot<O, R>) -> Entry<'a, O, R> {
        let end = slot.end.load(Ordering::Acquire);
        // SAFETY: the caller has seen `called` beyond this slot, so its operation is initialised;
        // `end` says whether the result is. Neither is written again while this borrow of the sheet
        // lives.
        let (op, ret) = unsafe {
            let ret = (end != OPEN).then(|| (*slot.ret.get()).assume_init_ref());
            ((*slot.op.get()).assume_init_ref(), ret)
        };
        Entry { op, ret, call: slot.call.load(Ordering::Relaxed), end }
    }

    /// Empties the log. Each entry is passed to `take`: operation, result, call, end.
    #[allow(unsafe_code)]
    pub(crate) fn drain(&mut self, mut take: impl FnMut(O, Option<R>, u64, u64)) {
        let called = std::mem::take(self.called.get_mut());
        for slot in &mut self.slots[..called] {
            let end = std::mem::replace(slot.end.get_mut(), OPEN);
            // SAFETY: by the invariants both are initialised. `called` and `end` have been reset,
            // so they are not taken twice, even if `take` panics: then the rest is leaked.
            let (op, ret) = unsafe {
                let ret = (end != OPEN).then(|| slot.ret.get_mut().assume_init_read());
                (slot.op.get_mut().assume_init_read(), ret)
            };
            take(op, ret, *slot.call.get_mut(), end);
        }
    }
}

impl<O, R> Drop for Sheet<O, R> {
    fn drop(&mut self) {
        self.drain(|_, _, _, _| ());
    }
}

/// The only writer of a sheet. `P` is a reference or an `Arc`.
pub(crate) struct Writer<P: Deref<Target = Sheet<O, R>>, O, R> {
    sheet: P,
    called: usize,
}

impl<P: Deref<Target = Sheet<O, R>>, O, R> Writer<P, O, R> {
    /// `None` if the sheet has a writer already.
    pub(crate) fn claim(sheet: P) -> Option<Self> {
        if sheet.claimed.swap(true, Ordering::Acquire) {
            return None;
        }
        let called = sheet.called();
        Some(Writer { sheet, called })
    }

    /// True if no more operations fit.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.called == self.sheet.slots.len()
    }

    /// Records a call and returns its number. `stamp` is called last, so that as little as possible
    /// happens between it and the operation.
    ///
    /// # Panics
    ///
    /// If the sheet is full.
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) fn call(&mut self, op: O, stamp: impl FnOnce() -> u64) -> usize {
        let at = self.called;
        let slot = &self.sheet.slots[at];
        // SAFETY: this is the only writer, and no thread reads a slot that is not yet counted in
        // `called`.
        unsafe { (*slot.op.get()).write(op) };
        self.called = at + 1;
        slot.call.store(stamp(), Ordering::Relaxed);
        self.sheet.called.store(at + 1, Ordering::Release);
        at
    }

    /// Records a return with this stamp.
    ///
    /// # Panics
    ///
    /// If there is no such operation, or it has already returned.
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) fn ret(&mut self, at: usize, ret: R, end: u64) {
        assert!(at < self.called, "operation {at} was not called");
        let slot = &self.sheet.slots[at];
        assert!(slot.end.load(Ordering::Relaxed) == OPEN, "operation {at} has already returned");
        // SAFETY: this is the only writer, and no thread reads the result while `end` is OPEN.
        unsafe { (*slot.ret.get()).write(ret) };
        slot.end.store(end.min(OPEN - 1), Ordering::Release);
    }
}

impl<P: Deref<Target = Sheet<O, R>>, O, R> Drop for Writer<P, O, R> {
    fn drop(&mut self) {
        self.sheet.claimed.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn entries_match_what_was_written() {
        let mut sheet = Sheet::new(3);
        let mut writer = Writer::claim(&sheet).unwrap();
        assert!(Writer::claim(&sheet).is_none());
        let a = writer.call("a".to_owned(), || 1);
        let b = writer.call("b".to_owned(), || 2);
        writer.ret(b, "B".to_owned(), 3);
        assert!(!writer.is_full());
        drop(writer);
        assert_eq!((sheet.called(), a), (2, 0));
        let seen: Vec<_> = sheet.entries().map(|e| (e.op.clone(), e.ret.cloned(), e.end)).collect();
        assert_eq!(seen[0], ("a".to_owned(), None, OPEN));
        assert_eq!(seen[1], ("b".to_owned(), Some("B".to_owned()), 3));
        let mut drained = Vec::new();
        sheet.drain(|op, ret, call, _| drained.push((op, ret, call)));
        assert_eq!(drained[1], ("b".to_owned(), Some("B".to_owned()), 2));
        assert_eq!(sheet.called(), 0);
    }

    #[test]
    #[should_panic(expected = "has already returned")]
    fn a_second_return_panics() {
        let sheet = Sheet::new(1);
        let mut writer = Writer::claim(&sheet).unwrap();
        let a = writer.call((), || 0);
        writer.ret(a, (), 1);
        writer.ret(a, (), 2);
    }

    /// For Miri: every value is dropped once, whether it was drained or not.
    #[test]
    fn every_value_is_dropped_exactly_once() {
        let (op, ret) = (Arc::new(()), Arc::new(()));
        let mut sheet = Sheet::new(4);
        let mut writer = Writer::claim(&sheet).unwrap();
        for i in 0..3 {
            let at = writer.call(op.clone(), || i);
            if i > 0 {
                writer.ret(at, ret.clone(), i);
            }
        }
        drop(writer);
        sheet.drain(|_, _, _, _| ());
        assert_eq!((Arc::strong_count(&op), Arc::strong_count(&ret)), (1, 1));
        let mut writer = Writer::claim(&sheet).unwrap();
        let at = writer.call(op.clone(), || 9);
        writer.ret(at, ret.clone(), 10);
        drop(writer);
        drop(sheet);
        assert_eq!((Arc::strong_count(&op), Arc::strong_count(&ret)), (1, 1));
    }

    #[test]
    fn a_reader_sees_only_published_entries() {
        let sheet = Arc::new(Sheet::<u64, u64>::new(1_000));
        let writer = sheet.clone();
        let thread = std::thread::spawn(move || {
            let mut writer = Writer::claim(writer).unwrap();
            for i in 0..1_000 {
                let at = writer.call(i, || i);
                writer.ret(at, i + 1, i);
            }
        });
        while sheet.called() < 1_000 {
            for (at, entry) in sheet.entries().enumerate() {
                assert_eq!(*entry.op, at as u64);
                assert!(entry.ret.is_none_or(|ret| *ret == at as u64 + 1));
            }
        }
        thread.join().unwrap();
    }
}
