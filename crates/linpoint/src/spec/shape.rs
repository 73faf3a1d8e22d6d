//! Shapes: how a spec states that its object is, say, a queue.
//!
//! A [`Shape`] names the kind of object, a [`Role`] says what one operation means for it. Elements,
//! keys and written values are known by a [`Name`], a number that equal values share; because two
//! different values may share one too, the monitors ask [`Shaped::same_name`] before they rely on it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::{Done, Returned};
use crate::history::Span;
use crate::subject::{Call, Place, direction_of};

/// An object of a kind that the monitors know ([`crate::monitor`]), in their words.
///
/// CLAIM: a sequence of operations is legal for the shape, going by their roles, exactly if it is
/// legal for the specification.
pub trait Shaped<O, R>: Sync {
    /// The kind of object.
    fn shape(&self) -> Shape;

    /// What the operation means for an object of this kind. `ret` is `None` if the result is unknown,
    /// be it that the operation never returned (`pending`) or that it was not recorded.
    fn role(&self, op: &O, ret: Option<&R>, pending: bool) -> Role;

    /// True if all operations of the object are operations of the shape. Then the claims that make a
    /// search faster follow from the roles, see [`Derived`](super::Derived). False is safe: an object that is a queue with a
    /// `size()` has an operation that notices every enqueue.
    ///
    /// CLAIM:
    ///
    /// * The role of a pending operation is never [`Role::Foreign`], and neither is that of a result that the
    ///   operation can have.
    /// * Wherever an operation can do what its pending role says, it does that.
    /// * Elsewhere it cannot happen, if a completed operation with an unknown result has the same role (a lock that
    ///   waits); it changes nothing, if that role is Foreign (a `try_lock`).
    fn is_complete(&self) -> bool {
        false
    }

    /// The flag or register that the operation is about, where there is one for each key.
    ///
    /// CLAIM: operations with different keys have disjoint [footprints](super::Spec::footprint).
    fn key(&self, _op: &O) -> Option<Name> {
        None
    }

    /// Pushes the roles of operations and their keys, as [`Shaped::role`] and [`Shaped::key`] give them. It is
    /// only here so that millions of operations can be asked about without two calls for each, and is not meant to
    /// be written again.
    #[doc(hidden)]
    fn roles(
        &self,
        ops: &[O],
        rets: &[Option<R>],
        spans: &[Span],
        roles: &mut Vec<(Role, Option<Name>)>,
    ) {
        let results = rets.iter().zip(spans);
        roles.extend(ops.iter().zip(results).map(|(op, (ret, span))| {
            (self.role(op, ret.as_ref(), span.is_pending()), self.key(op))
        }));
    }

    /// The roles of a run, as [`Shaped::role`] gives them. Like [`Shaped::roles`], it is not meant to be overridden: stress
    /// tests ask about every run.
    #[doc(hidden)]
    fn done(&self, run: &[Returned<'_, O, R>]) -> Vec<Done> {
        let done = |op: &Returned<'_, O, R>| Done {
            process: op.process,
            call: op.call,
            end: op.end,
            role: self.role(op.op, Some(op.ret), false),
        };
        run.iter().map(done).collect()
    }

    /// True if what two operations mention is equal, and not only the names of it. Called with
    /// mentions that have one name.
    fn same_name(&self, a: Mention<'_, O, R>, b: Mention<'_, O, R>) -> bool;

    /// True if [`Shaped::same_name`] is so for all pairs of places, whose results were recorded. Like
    /// [`Shaped::roles`], it is not meant to be overridden.
    #[doc(hidden)]
    fn same_names(&self, ops: &[O], rets: &[Option<R>], pairs: &[[Place; 2]]) -> bool {
        let mention = |place: Place| Mention {
            op: &ops[place.call.op.index()],
            ret: rets.get(place.call.ret.0 as usize).and_then(Option::as_ref),
            slot: place.slot,
        };
        pairs.iter().all(|[a, b]| self.same_name(mention(*a), mention(*b)))
    }

    /// How all elements of a priority queue compare with their successors, see
    /// [`Subject::direction`](crate::subject::Subject::direction). Like [`Shaped::roles`], it is not meant to be
    /// overridden.
    #[doc(hidden)]
    fn direction(&self, ops: &[O], rets: &[Option<R>], calls: &[Call]) -> Option<Ordering> {
        let mention = |Call { op, ret }: Call| {
            let ret = rets.get(ret.0 as usize).and_then(Option::as_ref);
            Mention { op: &ops[op.index()], ret, slot: Slot::Value }
        };
        direction_of(calls, |a, b| self.compare(mention(a), mention(b)))
    }

    /// True if what an operation mentions is the initial value of a register or segment, and does
    /// not only have its name.
    fn is_initial(&self, _mention: Mention<'_, O, R>) -> bool {
        false
    }

    /// Which of two elements of a priority queue comes out first: the *greater* one.
    fn compare(&self, _a: Mention<'_, O, R>, _b: Mention<'_, O, R>) -> Ordering {
        Ordering::Equal
    }

    /// True if the operation appends to a register: what it leaves depends on what it finds, in the
    /// way that [`Shaped::text`] reports. Its role need not say so.
    fn appends(&self, _op: &O) -> bool {
        false
    }

    /// A value that was written, appended or found in a register that is appended to, as a text.
    /// `None` if it cannot be told as one.
    ///
    /// CLAIM: different values have different texts, and an operation that
    /// [appends](Shaped::appends) leaves the text that it found, followed by its own.
    fn text<'a>(&'a self, _mention: Mention<'a, O, R>) -> Option<Text<'a>> {
        None
    }

    /// The initial value of a register that is appended to.
    fn initial_text(&self) -> Option<Text<'_>> {
        None
    }

    /// Pushes what a scan found: the name of the value of each segment, `None` where it is not known.
    fn view(&self, _ret: &R, _names: &mut Vec<Option<Name>>) {}
}

/// What kind of object a specification describes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Shape {
    /// None of those below.
    #[default]
    Opaque,
    /// A first-in first-out queue without a bound, initially empty.
    Queue,
    /// A first-in first-out queue with a bound, initially empty. There is no monitor for it.
    BoundedQueue {
        /// The largest number of elements.
        capacity: usize,
    },
    /// A bag, initially empty: it is the turn of every element.
    Bag,
    /// A stack without a bound, initially empty.
    Stack,
    /// A queue with two ends, without a bound, initially empty. [`Role::Add`], [`Role::Remove`], [`Role::Take`] and
    /// [`Role::Peek`] are about its back.
    Deque,
    /// A priority queue without a bound, initially empty. [`Shaped::compare`] says which element
    /// comes out first.
    PriorityQueue,
    /// A flag that is raised and lowered, or one for each key: an element of a set, a lock, a
    /// test-and-set bit. Initially all are down.
    Flags,
    /// A value that is overwritten, or one for each key. Each has this value initially.
    Registers {
        /// The initial value.
        initial: Name,
    },
    /// A number that is added to, modulo 2^64.
    Counter {
        /// The number before the first operation.
        initial: i64,
    },
    /// A number of permits.
    Semaphore {
        /// The permits before the first operation.
        initial: u64,
    },
    /// Segments that are written one at a time and read all at once.
    Snapshot {
        /// Number of segments.
        segments: usize,
        /// The value of each before the first update.
        initial: Name,
    },
}

impl Shape {
    /// True if there is a monitor for objects of this shape.
    pub fn has_monitor(self) -> bool {
        !matches!(self, Shape::Opaque | Shape::BoundedQueue { .. })
    }
}

/// What an operation means for an object of a [`Shape`].
///
/// For an operation that never returned, a role says what it does *if* it takes effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Role {
    /// Nothing that the shape has: the monitor refuses the history, for this reason.
    Foreign(&'static str),
    /// It changes nothing and says nothing: a peek that never returned.
    Idle,

    /// Queue, stack, priority queue, bag, deque: adds this element.
    Add(Name),
    /// Removes this element, the one whose turn it is.
    Remove(Name),
    /// Removes the element whose turn it is, or finds none; which is not known.
    Take,
    /// Finds this element to be the one whose turn it is.
    Peek(Name),
    /// Finds no element.
    Empty,
    /// Finds no room for another element, and adds nothing.
    Full,

    /// Deque: adds this element at the front.
    AddFront(Name),
    /// Removes this element from the front.
    RemoveFront(Name),
    /// Removes the element at the front, or finds none; which is not known.
    TakeFront,
    /// Finds this element at the front.
    PeekFront(Name),

    /// Flags: raises the flag, which was down.
    Raise,
    /// Lowers the flag, which was up.
    Lower,
    /// Finds it up.
    IsUp,
    /// Finds it down.
    IsDown,

    /// Registers: writes this value over whatever was there.
    Write(Name),
    /// Finds this value.
    Read(Name),
    /// Finds some value other than this one, which is [`Slot::Source`]; which one is not known.
    Other(Name),
    /// Writes `to` where `from` was.
    Replace {
        /// What it found.
        from: Name,
        /// What it left.
        to: Name,
    },

    /// Counter: adds this much.
    Shift(i64),
    /// Adds this much to this number.
    ShiftFrom {
        /// What it adds.
        by: i64,
        /// What it found.
        from: i64,
    },
    /// Finds this number.
    IsNumber(i64),

    /// Semaphore: adds a permit.
    Release,
    /// Takes a permit.
    Acquire,
    /// Finds no permit.
    NoPermit,

    /// Snapshot: writes a value to a segment.
    Update {
        /// Which segment.
        segment: u32,
        /// What it wrote.
        value: Name,
    },
    /// Finds the values that [`Shaped::view`] gives.
    Scan,
}

/// A number that equal values share.
///
/// Whole numbers keep their distances, so that histories whose values are numbers in some range can
/// be indexed by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(pub u64);

impl Name {
    /// The name of a value.
    pub fn of<T: Hash + ?Sized>(value: &T) -> Name {
        let mut hasher = Namer(0);
        value.hash(&mut hasher);
        Name(hasher.0)
    }
}

/// Hashes so that whole numbers, and enums around them, stay as close as they were.
struct Namer(u64);

impl Namer {
    fn number(&mut self, n: u64) {
        self.0 = self.0.rotate_left(44).wrapping_add(n);
    }
}

impl Hasher for Namer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(bytes);
        self.0 = self.0.rotate_left(23) ^ hasher.finish();
    }

    fn write_u8(&mut self, n: u8) {
        self.number(n.into());
    }

    fn write_u16(&mut self, n: u16) {
        self.number(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.number(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.number(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.number(n as u64);
    }

    fn write_i8(&mut self, n: i8) {
        self.number(i64::from(n) as u64);
    }

    fn write_i16(&mut self, n: i16) {
        self.number(i64::from(n) as u64);
    }

    fn write_i32(&mut self, n: i32) {
        self.number(i64::from(n) as u64);
    }

    fn write_i64(&mut self, n: i64) {
        self.number(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.number(n as u64);
    }
}

/// A value that is appended to, as a sequence of letters. Texts of different languages are not joined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text<'a> {
    /// Says how to read the letters. `None` where there is no value at all: what is appended to that
    /// keeps its own language.
    pub language: Option<u8>,
    /// The letters.
    pub letters: Cow<'a, [u8]>,
}

/// Which of the names of an operation is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// The element, or the value that was written or found; of [`Role::Replace`], `to`.
    Value,
    /// Of [`Role::Replace`], `from`.
    Source,
    /// The key, see [`Shaped::key`].
    Key,
    /// The value of a segment in the result of a scan.
    Segment(u32),
}

/// A place where a name is mentioned.
#[derive(Debug)]
pub struct Mention<'a, O, R> {
    /// What was called.
    pub op: &'a O,
    /// What was returned, if known.
    pub ret: Option<&'a R>,
    /// Which of its names.
    pub slot: Slot,
}

impl<O, R> Clone for Mention<'_, O, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O, R> Copy for Mention<'_, O, R> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_distances() {
        #[derive(Hash)]
        enum Wrapped {
            Text(&'static str),
            Number(i64),
        }
        assert_eq!(Name::of(&7u32), Name(7));
        assert_eq!(Name::of(&Wrapped::Number(12)).0 - Name::of(&Wrapped::Number(5)).0, 7);
        assert_ne!(Name::of(&Wrapped::Text("a")), Name::of(&Wrapped::Text("b")));
    }
}
