//! What the objects of the catalogue should do, one after the other.

use linpoint::Sequential;

use crate::model::SpecPart;
use crate::names::Names;

/// The result of an operation on a container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Taken {
    /// It was put in.
    Ok,
    /// This was taken out; 0 is what was never put in.
    Value(u8),
    /// There was nothing.
    Empty,
    /// There was no room.
    Full,
}

impl Taken {
    fn words(self) -> String {
        match self {
            Taken::Ok => "ok".into(),
            Taken::Value(value) => value.to_string(),
            Taken::Empty => "empty".into(),
            Taken::Full => "full".into(),
        }
    }

    fn of(value: Option<u8>) -> Taken {
        value.map_or(Taken::Empty, Taken::Value)
    }
}

/// Operations of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StackOp {
    /// Puts a value on top.
    Push(u8),
    /// Takes the top value off.
    Pop,
}

impl StackOp {
    pub(super) fn all(fresh: u8) -> Vec<StackOp> {
        vec![StackOp::Push(fresh), StackOp::Pop]
    }

    pub(super) fn value(&self) -> Option<u8> {
        match self {
            StackOp::Push(value) => Some(*value),
            StackOp::Pop => None,
        }
    }

    pub(super) fn parse(name: &str, argument: Option<u8>) -> Option<StackOp> {
        match (name, argument) {
            ("push", Some(value)) => Some(StackOp::Push(value)),
            ("pop", None) => Some(StackOp::Pop),
            _ => None,
        }
    }
}

/// A stack.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stack(Vec<u8>);

impl Sequential for Stack {
    type Op = StackOp;
    type Ret = Taken;

    fn apply(&mut self, op: &StackOp) -> Taken {
        match op {
            StackOp::Push(value) => {
                self.0.push(*value);
                Taken::Ok
            }
            StackOp::Pop => Taken::of(self.0.pop()),
        }
    }

    fn describe_op(&self, op: &StackOp) -> String {
        match op {
            StackOp::Push(value) => format!("push({value})"),
            StackOp::Pop => "pop".into(),
        }
    }

    fn describe_ret(&self, _op: &StackOp, ret: &Taken) -> String {
        ret.words()
    }

    fn describe(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Operations of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QueueOp {
    /// Puts a value at the end.
    Enq(u8),
    /// Takes the first value.
    Deq,
}

impl QueueOp {
    pub(super) fn all(fresh: u8) -> Vec<QueueOp> {
        vec![QueueOp::Enq(fresh), QueueOp::Deq]
    }

    pub(super) fn value(&self) -> Option<u8> {
        match self {
            QueueOp::Enq(value) => Some(*value),
            QueueOp::Deq => None,
        }
    }

    pub(super) fn parse(name: &str, argument: Option<u8>) -> Option<QueueOp> {
        match (name, argument) {
            ("enq", Some(value)) => Some(QueueOp::Enq(value)),
            ("deq", None) => Some(QueueOp::Deq),
            _ => None,
        }
    }
}

/// A queue, bounded or not.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Queue {
    pub(super) values: Vec<u8>,
    /// At most so many values; an enqueue of one more says so.
    pub capacity: Option<u8>,
    /// A dequeue waits while there is nothing.
    pub waits: bool,
}

impl Sequential for Queue {
    type Op = QueueOp;
    type Ret = Taken;

    fn apply(&mut self, op: &QueueOp) -> Taken {
        match op {
            QueueOp::Enq(_)
                if self.capacity.is_some_and(|room| self.values.len() >= usize::from(room)) =>
            {
                Taken::Full
            }
            QueueOp::Enq(value) => {
                self.values.push(*value);
                Taken::Ok
            }
            QueueOp::Deq if self.values.is_empty() => Taken::Empty,
            QueueOp::Deq => Taken::Value(self.values.remove(0)),
        }
    }

    fn enabled(&self, op: &QueueOp) -> bool {
        !(self.waits && *op == QueueOp::Deq && self.values.is_empty())
    }

    fn describe_op(&self, op: &QueueOp) -> String {
        match op {
            QueueOp::Enq(value) => format!("enq({value})"),
            QueueOp::Deq => "deq".into(),
        }
    }

    fn describe_ret(&self, _op: &QueueOp, ret: &Taken) -> String {
        ret.words()
    }

    fn describe(&self) -> String {
        format!("{:?}", self.values)
    }
}

/// An end of a deque.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// Operations of a deque.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DequeOp {
    /// Puts a value at an end.
    Push(Side, u8),
    /// Takes the value at an end.
    Pop(Side),
}

impl DequeOp {
    pub(super) fn all(fresh: u8) -> Vec<DequeOp> {
        use Side::{Left, Right};
        vec![
            DequeOp::Push(Right, fresh),
            DequeOp::Push(Left, fresh),
            DequeOp::Pop(Right),
            DequeOp::Pop(Left),
        ]
    }

    pub(super) fn value(&self) -> Option<u8> {
        match self {
            DequeOp::Push(_, value) => Some(*value),
            DequeOp::Pop(_) => None,
        }
    }

    pub(super) fn parse(name: &str, argument: Option<u8>) -> Option<DequeOp> {
        match (name, argument) {
            ("pushR", Some(value)) => Some(DequeOp::Push(Side::Right, value)),
            ("pushL", Some(value)) => Some(DequeOp::Push(Side::Left, value)),
            ("popR", None) => Some(DequeOp::Pop(Side::Right)),
            ("popL", None) => Some(DequeOp::Pop(Side::Left)),
            _ => None,
        }
    }
}

/// A double-ended queue.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Deque(Vec<u8>);

impl Sequential for Deque {
    type Op = DequeOp;
    type Ret = Taken;

    fn apply(&mut self, op: &DequeOp) -> Taken {
        match op {
            DequeOp::Push(Side::Right, value) => self.0.push(*value),
            DequeOp::Push(Side::Left, value) => self.0.insert(0, *value),
            DequeOp::Pop(Side::Right) => return Taken::of(self.0.pop()),
            DequeOp::Pop(Side::Left) if self.0.is_empty() => return Taken::Empty,
            DequeOp::Pop(Side::Left) => return Taken::Value(self.0.remove(0)),
        }
        Taken::Ok
    }

    fn describe_op(&self, op: &DequeOp) -> String {
        match op {
            DequeOp::Push(Side::Right, value) => format!("pushR({value})"),
            DequeOp::Push(Side::Left, value) => format!("pushL({value})"),
            DequeOp::Pop(Side::Right) => "popR".into(),
            DequeOp::Pop(Side::Left) => "popL".into(),
        }
    }

    fn describe_ret(&self, _op: &DequeOp, ret: &Taken) -> String {
        ret.words()
    }

    fn describe(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Operations of a set of small numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SetOp {
    /// Puts a key in; true if it was not there.
    Add(u8),
    /// Puts a key in, as a node with an upper level where the structure has levels.
    AddHigh(u8),
    /// Takes a key out; true if it was there.
    Remove(u8),
    /// True if a key is there.
    Contains(u8),
}

impl SetOp {
    /// The key.
    pub fn key(self) -> u8 {
        match self {
            SetOp::Add(key) | SetOp::AddHigh(key) | SetOp::Remove(key) | SetOp::Contains(key) => {
                key
            }
        }
    }

    /// True for both kinds of add.
    pub fn is_add(self) -> bool {
        matches!(self, SetOp::Add(_) | SetOp::AddHigh(_))
    }

    /// Every operation on keys 1 to `keys`.
    pub(super) fn all(keys: u8, levels: bool) -> Vec<SetOp> {
        let mut all: Vec<SetOp> = (1..=keys).map(SetOp::Add).collect();
        if levels {
            all.extend((1..=keys).map(SetOp::AddHigh));
        }
        all.extend((1..=keys).map(SetOp::Remove));
        all.extend((1..=keys).map(SetOp::Contains));
        all
    }

    pub(super) fn parse(name: &str, key: Option<u8>) -> Option<SetOp> {
        let key = key.filter(|key| (1..=8).contains(key))?;
        match name {
            "add" => Some(SetOp::Add(key)),
            "add^" => Some(SetOp::AddHigh(key)),
            "remove" => Some(SetOp::Remove(key)),
            "contains" => Some(SetOp::Contains(key)),
            _ => None,
        }
    }
}

/// A set, a bit for each key.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Set(u16);

impl Sequential for Set {
    type Op = SetOp;
    type Ret = bool;

    fn apply(&mut self, op: &SetOp) -> bool {
        let bit = 1 << op.key();
        let was_there = self.0 & bit != 0;
        match op {
            SetOp::Add(_) | SetOp::AddHigh(_) => {
                self.0 |= bit;
                !was_there
            }
            SetOp::Remove(_) => {
                self.0 &= !bit;
                was_there
            }
            SetOp::Contains(_) => was_there,
        }
    }

    fn describe_op(&self, op: &SetOp) -> String {
        match op {
            SetOp::Add(key) => format!("add({key})"),
            SetOp::AddHigh(key) => format!("add^({key})"),
            SetOp::Remove(key) => format!("remove({key})"),
            SetOp::Contains(key) => format!("contains({key})"),
        }
    }

    fn describe_ret(&self, _op: &SetOp, ret: &bool) -> String {
        ret.to_string()
    }

    fn describe(&self) -> String {
        let keys: Vec<String> =
            (0..16).filter(|k| self.0 >> k & 1 == 1).map(|k| k.to_string()).collect();
        format!("{{{}}}", keys.join(", "))
    }
}

/// Operations of a map with one key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SlotOp {
    /// Stores a value.
    Update(u8),
    /// Removes what is stored.
    Delete,
    /// Reads what is stored.
    Get,
}

impl SlotOp {
    pub(super) fn parse(name: &str, argument: Option<u8>) -> Option<SlotOp> {
        match (name, argument) {
            ("update", Some(value)) => Some(SlotOp::Update(value)),
            ("delete", None) => Some(SlotOp::Delete),
            ("get", None) => Some(SlotOp::Get),
            _ => None,
        }
    }
}

/// A map with one key.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Slot(Option<u8>);

impl Sequential for Slot {
    type Op = SlotOp;
    type Ret = Taken;

    fn apply(&mut self, op: &SlotOp) -> Taken {
        match op {
            SlotOp::Update(value) => self.0 = Some(*value),
            SlotOp::Delete => self.0 = None,
            SlotOp::Get => return Taken::of(self.0),
        }
        Taken::Ok
    }

    fn describe_op(&self, op: &SlotOp) -> String {
        match op {
            SlotOp::Update(value) => format!("update({value})"),
            SlotOp::Delete => "delete".into(),
            SlotOp::Get => "get".into(),
        }
    }

    fn describe_ret(&self, op: &SlotOp, ret: &Taken) -> String {
        match (op, ret) {
            (SlotOp::Get, Taken::Empty) => "absent".into(),
            _ => ret.words(),
        }
    }
}

/// At most this many processes share a snapshot object.
pub const MAX_SEGMENTS: usize = 10;
/// The contents of all segments; those that nobody owns are 0.
pub type View = [u8; MAX_SEGMENTS];

/// Operations of a snapshot object; each process owns a segment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SnapshotOp {
    /// This process writes its segment.
    Update(u8, u8),
    /// Reads all segments at once.
    Scan,
}

impl SnapshotOp {
    pub(super) fn all(thread: usize) -> Vec<SnapshotOp> {
        let own = thread as u8;
        vec![SnapshotOp::Update(own, 0), SnapshotOp::Update(own, 1), SnapshotOp::Scan]
    }

    pub(super) fn parse(thread: usize, name: &str, argument: Option<u8>) -> Option<SnapshotOp> {
        match (name, argument) {
            ("update", Some(value @ 0..=1)) => Some(SnapshotOp::Update(thread as u8, value)),
            ("scan", None) => Some(SnapshotOp::Scan),
            _ => None,
        }
    }
}

/// The result of an operation on a snapshot object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scanned {
    /// It was written.
    Ok,
    /// What was there.
    View(View),
}

/// A snapshot object.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Snapshot {
    values: View,
    segments: u8,
}

impl Snapshot {
    /// So many segments, at least 1 and at most 10.
    pub fn new(segments: usize) -> Snapshot {
        Snapshot { values: View::default(), segments: segments.clamp(1, MAX_SEGMENTS) as u8 }
    }

    /// Number of segments.
    pub(super) fn len(&self) -> usize {
        usize::from(self.segments)
    }
}

impl Sequential for Snapshot {
    type Op = SnapshotOp;
    type Ret = Scanned;

    fn apply(&mut self, op: &SnapshotOp) -> Scanned {
        match op {
            SnapshotOp::Update(segment, value) => {
                if let Some(own) = self.values.get_mut(usize::from(*segment)) {
                    *own = *value;
                }
                Scanned::Ok
            }
            SnapshotOp::Scan => Scanned::View(self.values),
        }
    }

    fn describe_op(&self, op: &SnapshotOp) -> String {
        match op {
            SnapshotOp::Update(_, value) => format!("update({value})"),
            SnapshotOp::Scan => "scan".into(),
        }
    }

    fn describe_ret(&self, _op: &SnapshotOp, ret: &Scanned) -> String {
        match ret {
            Scanned::Ok => "ok".into(),
            Scanned::View(view) => format!("{:?}", &view[..self.len()]),
        }
    }

    fn describe(&self) -> String {
        format!("{:?}", &self.values[..self.len()])
    }
}

/// Visits values in stacks.
pub(super) fn stack_names(part: SpecPart<'_, Stack>, names: &mut Names) {
    match part {
        SpecPart::Op(StackOp::Push(value)) | SpecPart::Ret(Taken::Value(value)) => {
            names.value(value)
        }
        SpecPart::State(stack) => stack.0.iter_mut().for_each(|value| names.value(value)),
        _ => {}
    }
}

/// Visits values in queues.
pub(super) fn queue_names(part: SpecPart<'_, Queue>, names: &mut Names) {
    match part {
        SpecPart::Op(QueueOp::Enq(value)) | SpecPart::Ret(Taken::Value(value)) => {
            names.value(value)
        }
        SpecPart::State(queue) => queue.values.iter_mut().for_each(|value| names.value(value)),
        _ => {}
    }
}

/// Visits values in deques.
pub(super) fn deque_names(part: SpecPart<'_, Deque>, names: &mut Names) {
    match part {
        SpecPart::Op(DequeOp::Push(_, value)) | SpecPart::Ret(Taken::Value(value)) => {
            names.value(value)
        }
        SpecPart::State(deque) => deque.0.iter_mut().for_each(|value| names.value(value)),
        _ => {}
    }
}

/// Visits values in maps of one key.
pub(super) fn slot_names(part: SpecPart<'_, Slot>, names: &mut Names) {
    match part {
        SpecPart::Op(SlotOp::Update(value)) | SpecPart::Ret(Taken::Value(value)) => {
            names.value(value)
        }
        SpecPart::State(slot) => slot.0.iter_mut().for_each(|value| names.value(value)),
        _ => {}
    }
}
