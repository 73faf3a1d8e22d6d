//! The shape that a model declares: this is a queue, push adds, take removes.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use linpoint::spec::{Name, Role, Shape};
use linpoint::wire::Value;

use crate::op::CustomOp;

/// A declared shape.
#[derive(Debug)]
pub(crate) struct Shaping {
    kind: Kind,
    /// What each operation does. There are few.
    deeds: Vec<(&'static str, Deed)>,
    initial: Value,
    /// There are operations that the shape does not have.
    has_others: AtomicBool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Queue,
    Stack,
    Bag,
    Deque,
    /// True if the largest element comes first.
    PriorityQueue(bool),
    Lock,
    Set,
    Register,
    Counter,
    Semaphore,
}

const KINDS: &[(&str, Kind)] = &[
    ("queue", Kind::Queue),
    ("stack", Kind::Stack),
    ("bag", Kind::Bag),
    ("deque", Kind::Deque),
    ("max_queue", Kind::PriorityQueue(true)),
    ("min_queue", Kind::PriorityQueue(false)),
    ("lock", Kind::Lock),
    ("set", Kind::Set),
    ("register", Kind::Register),
    ("counter", Kind::Counter),
    ("semaphore", Kind::Semaphore),
];

/// What an operation does to an object of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Deed {
    Add,
    Remove,
    Peek,
    AddFront,
    RemoveFront,
    PeekFront,
    Raise,
    Lower,
    TryRaise,
    TryLower,
    IsUp,
    Write,
    Read,
    CompareAndSet,
    Shift,
    FetchAndShift,
    Number,
    Release,
    Acquire,
    TryAcquire,
}

impl Kind {
    /// The words for what operations do.
    fn words(self) -> &'static [(&'static str, Deed)] {
        match self {
            Kind::Queue | Kind::Stack | Kind::Bag | Kind::PriorityQueue(_) => {
                &[("add", Deed::Add), ("remove", Deed::Remove), ("peek", Deed::Peek)]
            }
            Kind::Deque => &[
                ("add", Deed::Add),
                ("remove", Deed::Remove),
                ("peek", Deed::Peek),
                ("add_front", Deed::AddFront),
                ("remove_front", Deed::RemoveFront),
                ("peek_front", Deed::PeekFront),
            ],
            Kind::Lock => &[
                ("acquire", Deed::Raise),
                ("release", Deed::Lower),
                ("try_acquire", Deed::TryRaise),
                ("is_held", Deed::IsUp),
            ],
            Kind::Set => {
                &[("add", Deed::TryRaise), ("remove", Deed::TryLower), ("contains", Deed::IsUp)]
            }
            Kind::Register => &[
                ("write", Deed::Write),
                ("read", Deed::Read),
                ("compare_and_set", Deed::CompareAndSet),
            ],
            Kind::Counter => &[
                ("add", Deed::Shift),
                ("fetch_and_add", Deed::FetchAndShift),
                ("read", Deed::Number),
            ],
            Kind::Semaphore => &[
                ("release", Deed::Release),
                ("acquire", Deed::Acquire),
                ("try_acquire", Deed::TryAcquire),
            ],
        }
    }
}

const OTHER_RESULT: Role = Role::Foreign("an operation has a result of another kind");

/// A result that says only that the operation is done.
fn is_done(ret: &Value) -> bool {
    match ret {
        Value::Nil | Value::Bool(true) => true,
        Value::Str(text) => &**text == "ok",
        _ => false,
    }
}

impl Shaping {
    /// `("queue", {"push": "add", "take": "remove"})`, and the initial value if there is one.
    pub(crate) fn read(
        declared: &Value,
        mut name: impl FnMut(&str) -> Option<&'static str>,
    ) -> Result<Shaping, String> {
        let form = "the shape must be a kind, what its operations do, and perhaps the initial value: (\"queue\", \
                    {\"push\": \"add\", \"take\": \"remove\"})";
        let Value::List(parts) = declared else { return Err(form.to_owned()) };
        let (kind, deeds, initial) = match &**parts {
            [kind, Value::Map(deeds)] => (kind, deeds, Value::Nil),
            [kind, Value::Map(deeds), initial] => (kind, deeds, initial.clone()),
            _ => return Err(form.to_owned()),
        };
        let kind = kind.as_str().unwrap_or_default();
        let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == kind) else {
            let all: Vec<&str> = KINDS.iter().map(|(known, _)| *known).collect();
            return Err(format!(
                "the shape {kind:?} is unknown; the shapes are: {}",
                all.join(", ")
            ));
        };
        let mut known = Vec::new();
        for (op, deed) in deeds.iter() {
            let words = kind.words();
            let Some((_, deed)) = words.iter().find(|(word, _)| deed.as_str() == Some(word)) else {
                let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                let all = all.join(", ");
                return Err(format!("what {op:?} does must be one of {all}, not {deed}"));
            };
            known.push((name(op).ok_or("there are too many operations")?, *deed));
        }
        match (kind, &initial) {
            (Kind::Semaphore, Value::Int(0..)) | (Kind::Counter, Value::Int(_) | Value::Nil) => {}
            (Kind::Register, _) | (_, Value::Nil) if *kind != Kind::Semaphore => {}
            (Kind::Semaphore, _) => {
                return Err(
                    "a semaphore needs its number of permits: (\"semaphore\", {...}, 3)".into()
                );
            }
            _ => {
                return Err(
                    "only a register, a counter and a semaphore have an initial value".into()
                );
            }
        }
        Ok(Shaping { kind: *kind, deeds: known, initial, has_others: AtomicBool::new(false) })
    }

    /// Takes note of an operation of a history.
    pub(crate) fn meet(&self, name: &'static str) {
        if self.deed(name).is_none() && !self.has_others.load(Relaxed) {
            self.has_others.store(true, Relaxed);
        }
    }

    /// True if all operations that were met are of the shape.
    pub(crate) fn is_complete(&self) -> bool {
        !self.has_others.load(Relaxed)
    }

    #[inline]
    fn deed(&self, name: &'static str) -> Option<Deed> {
        self.deeds.iter().find(|(known, _)| *known == name).map(|(_, deed)| *deed)
    }

    /// True if the operation is always done, so that its result says nothing.
    pub(crate) fn only_says_done(&self, name: &'static str) -> bool {
        matches!(
            self.deed(name),
            Some(
                Deed::Add
                    | Deed::AddFront
                    | Deed::Raise
                    | Deed::Lower
                    | Deed::Write
                    | Deed::Shift
                    | Deed::Release
                    | Deed::Acquire
            )
        )
    }

    pub(crate) fn shape(&self) -> Shape {
        match self.kind {
            Kind::Queue => Shape::Queue,
            Kind::Stack => Shape::Stack,
            Kind::Bag => Shape::Bag,
            Kind::Deque => Shape::Deque,
            Kind::PriorityQueue(_) => Shape::PriorityQueue,
            Kind::Lock | Kind::Set => Shape::Flags,
            Kind::Register => Shape::Registers { initial: Name::of(&self.initial) },
            Kind::Counter => Shape::Counter { initial: self.initial.as_int().unwrap_or(0) },
            Kind::Semaphore => {
                let permits = self.initial.as_int().and_then(|n| u64::try_from(n).ok());
                Shape::Semaphore { initial: permits.unwrap_or(0) }
            }
        }
    }

    pub(crate) fn role(&self, op: &CustomOp, ret: Option<&Value>, pending: bool) -> Role {
        let Some(deed) = self.deed(op.name) else {
            return Role::Foreign("an operation is not one of the declared shape");
        };
        if self.only_says_done(op.name) {
            return match ret {
                Some(ret) if !is_done(ret) => OTHER_RESULT,
                _ => self.done(op, deed),
            };
        }
        match ret {
            None => self.unknown(op, deed, pending),
            Some(ret) => self.known(op, deed, ret),
        }
    }

    /// Of an operation whose result says nothing.
    fn done(&self, op: &CustomOp, deed: Deed) -> Role {
        let missing = Role::Foreign("an operation has no argument");
        match deed {
            Deed::Raise => Role::Raise,
            Deed::Lower => Role::Lower,
            Deed::Release => Role::Release,
            Deed::Acquire => Role::Acquire,
            Deed::Shift => amount(op).map_or(missing, Role::Shift),
            Deed::Add => op.args.last().map_or(missing, |value| Role::Add(Name::of(value))),
            Deed::AddFront => {
                op.args.last().map_or(missing, |value| Role::AddFront(Name::of(value)))
            }
            _ => op.args.last().map_or(missing, |value| Role::Write(Name::of(value))),
        }
    }

    fn unknown(&self, op: &CustomOp, deed: Deed, pending: bool) -> Role {
        match deed {
            Deed::Remove => Role::Take,
            Deed::RemoveFront => Role::TakeFront,
            Deed::TryRaise if pending => Role::Raise,
            Deed::TryLower if pending => Role::Lower,
            Deed::TryAcquire if pending => Role::Acquire,
            Deed::FetchAndShift => amount(op).map_or(OTHER_RESULT, Role::Shift),
            Deed::CompareAndSet => match change(op) {
                Some((from, to)) if from == to => Role::Idle,
                Some((from, to)) if pending => {
                    Role::Replace { from: Name::of(from), to: Name::of(to) }
                }
                _ => Role::Foreign("it is not known whether a completed operation did anything"),
            },
            Deed::TryRaise | Deed::TryLower | Deed::TryAcquire => {
                Role::Foreign("it is not known whether a completed operation did anything")
            }
            _ => Role::Idle,
        }
    }

    fn known(&self, op: &CustomOp, deed: Deed, ret: &Value) -> Role {
        match (deed, ret) {
            (Deed::Remove | Deed::Peek | Deed::RemoveFront | Deed::PeekFront, Value::Nil) => {
                Role::Empty
            }
            (Deed::Remove, element) => Role::Remove(Name::of(element)),
            (Deed::Peek, element) => Role::Peek(Name::of(element)),
            (Deed::RemoveFront, element) => Role::RemoveFront(Name::of(element)),
            (Deed::PeekFront, element) => Role::PeekFront(Name::of(element)),
            (Deed::TryRaise, Value::Bool(true)) => Role::Raise,
            (Deed::TryRaise, Value::Bool(false)) => Role::IsUp,
            (Deed::TryLower, Value::Bool(true)) => Role::Lower,
            (Deed::TryLower | Deed::IsUp, Value::Bool(false)) => Role::IsDown,
            (Deed::IsUp, Value::Bool(true)) => Role::IsUp,
            (Deed::TryAcquire, Value::Bool(true)) => Role::Acquire,
            (Deed::TryAcquire, Value::Bool(false)) => Role::NoPermit,
            (Deed::Read, value) => Role::Read(Name::of(value)),
            (Deed::Number, Value::Int(n)) => Role::IsNumber(*n),
            (Deed::FetchAndShift, Value::Int(from)) => {
                amount(op).map_or(OTHER_RESULT, |by| Role::ShiftFrom { by, from: *from })
            }
            (Deed::CompareAndSet, Value::Bool(done)) => match change(op) {
                Some((from, _)) if !done => Role::Other(Name::of(from)),
                Some((from, to)) if from == to => Role::Read(Name::of(from)),
                Some((from, to)) => Role::Replace { from: Name::of(from), to: Name::of(to) },
                None => OTHER_RESULT,
            },
            _ => OTHER_RESULT,
        }
    }

    /// The element or value that an operation mentions, other than the expected one of a compare-and-set.
    pub(crate) fn value<'a>(&self, op: &'a CustomOp, ret: Option<&'a Value>) -> Option<&'a Value> {
        match self.deed(op.name)? {
            Deed::Add | Deed::AddFront | Deed::Write | Deed::CompareAndSet => op.args.last(),
            _ => ret,
        }
    }

    /// What a compare-and-set expects.
    pub(crate) fn source<'a>(&self, op: &'a CustomOp) -> Option<&'a Value> {
        change(op).map(|(from, _)| from)
    }

    pub(crate) fn initial(&self) -> &Value {
        &self.initial
    }

    /// True if a larger element of a priority queue comes out first.
    pub(crate) fn largest_first(&self) -> bool {
        self.kind == Kind::PriorityQueue(true)
    }
}

/// How much an operation adds: its last argument, or 1.
fn amount(op: &CustomOp) -> Option<i64> {
    op.args.last().map_or(Some(1), Value::as_int)
}

/// The last two arguments of a compare-and-set.
fn change(op: &CustomOp) -> Option<(&Value, &Value)> {
    match op.args.as_slice() {
        [.., from, to] => Some((from, to)),
        _ => None,
    }
}
