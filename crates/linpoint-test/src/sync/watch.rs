//! What schedulers learn about accesses to shared objects.
//!
//! Shuttle and loom decide when a thread runs, but not what it is about to do. The primitives in
//! [`traced`](super::traced) tell it to two kinds of listeners:
//!
//! * a *strategy* that asks which object each thread accesses next ([`announced`]);
//! * a *tape*, which keeps every step with its place in the source and its value, while a failing
//!   schedule is replayed ([`Listening::to_steps`]).
//!
//! Both schedulers run all threads of an execution on one OS thread, so everything here is local to
//! the OS thread, and the order of the tape is exact. Without a listener, an access costs
//! one read of a thread-local variable more.

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

/// The identity of an object. It is assigned at the first access while somebody listens, because
/// constructors of atomics are constant.
#[derive(Debug)]
pub(crate) struct Tag(AtomicU32);

/// The number of an object; zero for none.
pub(crate) type ObjectId = u32;

impl Tag {
    pub const fn new() -> Self {
        Tag(AtomicU32::new(0))
    }

    fn id(&self) -> ObjectId {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        match self.0.load(Ordering::Relaxed) {
            0 => {
                let id = NEXT.fetch_add(1, Ordering::Relaxed).max(1);
                // A static may be used by two OS threads: the first number stays.
                self.0
                    .compare_exchange(0, id, Ordering::Relaxed, Ordering::Relaxed)
                    .map_or_else(|id| id, |_| id)
            }
            id => id,
        }
    }
}

/// What an access may do to its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    Read,
    Write,
}

/// The next access of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub object: ObjectId,
    pub effect: Effect,
    pub place: &'static Location<'static>,
}

impl Access {
    /// True if the order of the two matters: they access the same object, and one of them may
    /// change it.
    pub fn races_with(&self, other: &Access) -> bool {
        let writes = self.effect == Effect::Write || other.effect == Effect::Write;
        self.object == other.object && writes
    }
}

/// A value as the tape keeps it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shown {
    Text(String),
    /// An address, which differs from run to run.
    Pointer(usize),
}

/// A value that the tape can keep.
pub(crate) trait Show {
    fn show(&self) -> Shown;
}

/// Larger numbers are shown in base 16: they consist of several parts, or are masks.
const LARGEST_DECIMAL: i128 = u32::MAX as i128;

macro_rules! shown_numbers {
    ($($number:ty)*) => { $(
        impl Show for $number {
            fn show(&self) -> Shown {
                Shown::Text(match *self as i128 > LARGEST_DECIMAL {
                    true => format!("{self:#x}"),
                    false => self.to_string(),
                })
            }
        }
    )* };
}
shown_numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl Show for bool {
    fn show(&self) -> Shown {
        Shown::Text(self.to_string())
    }
}

impl<T> Show for *mut T {
    fn show(&self) -> Shown {
        Shown::Pointer(self.addr())
    }
}

/// How an access ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Nothing,
    Value(Shown),
    /// A conditional access succeeded.
    Succeeded,
    /// A compare-and-exchange found another value.
    Found(Shown),
    /// The lock was taken.
    WouldBlock,
    /// The thread sleeps.
    Sleeps,
}

/// One access of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The thread, as its scheduler numbers it.
    pub thread: u64,
    pub place: Option<&'static Location<'static>>,
    pub object: ObjectId,
    /// The type of the object.
    pub kind: &'static str,
    pub name: &'static str,
    pub arguments: Vec<Shown>,
    pub order: Option<Ordering>,
    pub outcome: Outcome,
    pub effect: Effect,
}

/// What is on a tape.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// The next event of the journal: a call or a return.
    Event {
        thread: u64,
    },
    Step(Step),
}

/// A tape, and the numbers of the threads.
struct Tape {
    /// The current thread, if there is one.
    who: fn() -> Option<u64>,
    entries: Vec<Entry>,
    /// Steps that have begun and may wait.
    begun: Vec<Step>,
}

const ANNOUNCE: u8 = 1;
const RECORD: u8 = 2;

thread_local! {
    static LISTENERS: Cell<u8> = const { Cell::new(0) };
    static ANNOUNCED: Cell<Option<Access>> = const { Cell::new(None) };
    static TAPE: RefCell<Option<Tape>> = const { RefCell::new(None) };
}

/// Somebody listens until this is dropped. Then earlier listeners, if any, listen again: a
/// specification may execute scenarios of its own.
pub(crate) struct Listening {
    before: (u8, Option<Tape>),
}

impl Listening {
    fn new(listeners: u8, tape: Option<Tape>) -> Self {
        let before = TAPE.with(|kept| kept.replace(tape));
        Listening { before: (LISTENERS.replace(listeners), before) }
    }

    /// There is no listener.
    pub fn to_nothing() -> Self {
        Listening::new(0, None)
    }

    /// A strategy asks for announcements.
    pub fn to_announcements() -> Self {
        Listening::new(ANNOUNCE, None)
    }

    /// A tape keeps every step. `who` is the current thread.
    pub fn to_steps(who: fn() -> Option<u64>) -> Self {
        Listening::new(RECORD, Some(Tape { who, entries: Vec::new(), begun: Vec::new() }))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let (listeners, tape) = std::mem::take(&mut self.before);
        LISTENERS.set(listeners);
        TAPE.with(|kept| kept.replace(tape));
    }
}

/// True if a tape keeps the steps.
pub(crate) fn is_recording() -> bool {
    LISTENERS.get() & RECORD != 0
}

fn on_tape(act: impl FnOnce(&mut Tape)) {
    if is_recording() {
        TAPE.with(|tape| tape.borrow_mut().as_mut().map(act));
    }
}

/// The access that the thread which ran last is about to make. It is asked for once.
pub(crate) fn announced() -> Option<Access> {
    ANNOUNCED.take()
}

/// Notes that an event was added to the journal.
pub(crate) fn event() {
    on_tape(|tape| {
        if let Some(thread) = (tape.who)() {
            tape.entries.push(Entry::Event { thread });
        }
    });
}

/// Notes that a thread sleeps in the step that it has begun, if it has.
pub(crate) fn sleeps(thread: u64) {
    on_tape(|tape| {
        let Some(at) = tape.begun.iter().position(|step| step.thread == thread) else { return };
        let step = &mut tape.begun[at];
        if step.outcome != Outcome::Sleeps {
            step.outcome = Outcome::Sleeps;
            tape.entries.push(Entry::Step(step.clone()));
        }
    });
}

/// Forgets what is on the tape, if there is one: an execution begins, which is recorded or not.
pub(crate) fn rewind(records: bool) {
    TAPE.with(|tape| {
        if let Some(tape) = tape.borrow_mut().as_mut() {
            tape.entries.clear();
            tape.begun.clear();
            LISTENERS.set(if records { RECORD } else { 0 });
        }
    });
}

/// Ends the tape. What destructors do afterwards is not part of the execution.
pub(crate) fn stop() -> Vec<Entry> {
    if !is_recording() {
        return Vec::new();
    }
    LISTENERS.set(LISTENERS.get() & !RECORD);
    let tape = TAPE.with(|tape| tape.borrow_mut().take());
    let Some(Tape { mut entries, begun, .. }) = tape else { return Vec::new() };
    // Where a scheduler does not say that a thread sleeps, it is only known now.
    let asleep = |step: Step| Step { outcome: Outcome::Sleeps, ..step };
    let unnoticed = begun.into_iter().filter(|step| step.outcome != Outcome::Sleeps);
    entries.extend(unnoticed.map(asleep).map(Entry::Step));
    entries
}

/// An access that has begun, if somebody records it.
pub(crate) struct Begun {
    place: &'static Location<'static>,
    object: ObjectId,
    kind: &'static str,
    effect: Effect,
}

/// Begins an access that lets the scheduler switch threads.
#[inline]
#[track_caller]
pub(crate) fn begin(tag: &Tag, kind: &'static str, effect: Effect) -> Option<Begun> {
    if LISTENERS.get() == 0 {
        return None;
    }
    let (object, place) = (tag.id(), Location::caller());
    ANNOUNCED.set(Some(Access { object, effect, place }));
    let begun = Begun { place, object, kind, effect };
    is_recording().then_some(begun)
}

/// Begins an access that lets no thread switch, or one of no object.
#[inline]
#[track_caller]
pub(crate) fn begin_quietly(
    tag: Option<&Tag>,
    kind: &'static str,
    effect: Effect,
) -> Option<Begun> {
    if !is_recording() {
        return None;
    }
    let object = tag.map_or(0, Tag::id);
    Some(Begun { place: Location::caller(), object, kind, effect })
}

impl Begun {
    fn step(&self, thread: u64, name: &'static str) -> Step {
        Step {
            thread,
            place: Some(self.place),
            object: self.object,
            kind: self.kind,
            name,
            arguments: Vec::new(),
            order: None,
            outcome: Outcome::Nothing,
            effect: self.effect,
        }
    }

    /// The step may wait: it is shown even if it never ends.
    #[cold]
    pub fn may_wait(&self, name: &'static str) {
        on_tape(|tape| {
            if let Some(thread) = (tape.who)() {
                tape.begun.push(self.step(thread, name));
            }
        });
    }

    /// The step has ended.
    #[cold]
    pub fn end(
        self,
        name: &'static str,
        arguments: Vec<Shown>,
        order: Option<Ordering>,
        outcome: Outcome,
    ) {
        on_tape(|tape| {
            let Some(thread) = (tape.who)() else { return };
            tape.begun.retain(|step| step.thread != thread);
            let step = Step { arguments, order, outcome, ..self.step(thread, name) };
            tape.entries.push(Entry::Step(step));
        });
    }

    /// The step has ended. It has no place of its own in the source: a destructor.
    #[cold]
    pub fn end_of_scope(self, name: &'static str) {
        on_tape(|tape| {
            let Some(thread) = (tape.who)() else { return };
            tape.entries.push(Entry::Step(Step { place: None, ..self.step(thread, name) }));
        });
    }
}
