//! The histories: types, sizes, mixes.

use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::path::Path;

use linpoint::spec::models::{Order, PriorityQueue, Queue, Register, Set, Snapshot, Stack};
use linpoint::{History, Spec};

use super::objects::{Mix, SimCell, SimContainer, SimSet, SimSnapshot};
use super::text::{Text, TextLog};
use crate::generate::{Object, Simulation, simulate};
use crate::objects::Values;

/// A type of object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// Of distinct values.
    Set,
    /// Of distinct values.
    Stack,
    /// Of distinct values.
    Queue,
    /// Of distinct priorities; the largest comes first.
    PriorityQueue,
    /// Of distinct values.
    Register,
    /// Each segment with one writer, distinct values.
    Snapshot,
}

impl Type {
    /// All types, by name.
    pub const ALL: [(Type, &'static str); 6] = [
        (Type::Set, "set"),
        (Type::Stack, "stack"),
        (Type::Queue, "queue"),
        (Type::PriorityQueue, "priority-queue"),
        (Type::Register, "register"),
        (Type::Snapshot, "snapshot"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Type::ALL.into_iter().find(|(t, _)| *t == self).map_or("", |(_, name)| name)
    }

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|(_, n)| *n == name).map(|(t, _)| t)
    }

    /// Whether fastlin supports it.
    pub fn is_in_fastlin(self) -> bool {
        !matches!(self, Type::Register | Type::Snapshot)
    }
}

/// Maximum number of segments of a snapshot object. Scans have one value for each segment, so with
/// a segment for each of a hundred clients a history would be a hundred times as large as its
/// number of operations suggests.
const SEGMENTS: usize = 8;

/// The parameters of a history.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The object.
    pub object: Type,
    /// Number of operations.
    pub operations: usize,
    /// Number of processes.
    pub processes: u32,
    /// The frequencies of operations.
    pub mix: Mix,
    /// The random seed.
    pub seed: u64,
}

/// A computation on the histories of a shape, independent of their types.
pub trait Visitor {
    /// The result.
    type Output;
    /// Runs it. `header` is the first line of a file.
    fn visit<S: Spec, X>(self, spec: &S, object: X, header: &str) -> Self::Output
    where
        S::Op: Text<S::Ret>,
        X: Object<Op = S::Op, Ret = S::Ret>;
}

impl Shape {
    /// Passes the object to a visitor.
    pub fn accept<V: Visitor>(&self, visitor: V) -> V::Output {
        let (mix, unique) = (self.mix, Values::UNIQUE);
        match self.object {
            Type::Set => visitor.visit(&Set::new(), SimSet::new(mix), "# set"),
            Type::Stack => {
                let object = SimContainer::<Vec<i64>>::new(mix, unique);
                visitor.visit(&Stack::new(), object, "# stack")
            }
            Type::Queue => {
                let object = SimContainer::<VecDeque<i64>>::new(mix, unique);
                visitor.visit(&Queue::new(), object, "# queue")
            }
            Type::PriorityQueue => {
                let object = SimContainer::<BinaryHeap<i64>>::new(mix, Values::SCATTERED);
                visitor.visit(&PriorityQueue::new(Order::Max), object, "# priorityqueue")
            }
            Type::Register => {
                let header = r#"{"linpoint":1,"model":"register","initial":0}"#;
                visitor.visit(&Register { initial: 0 }, SimCell::new(mix), header)
            }
            Type::Snapshot => {
                let clients = self.processes as usize;
                let segments = clients.min(SEGMENTS);
                let header = format!(
                    r#"{{"linpoint":1,"model":"snapshot","segments":{segments},"initial":0}}"#
                );
                let object = SimSnapshot::new(mix, segments, clients);
                visitor.visit(&Snapshot { segments, initial: 0 }, object, &header)
            }
        }
    }

    /// The history in memory.
    pub fn history<X: Object>(&self, object: X) -> History<X::Op, X::Ret> {
        simulate(object, self.processes, self.operations, 0.0, self.seed)
    }

    /// Writes the same history to a file.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        struct Write<'a>(&'a Shape, &'a Path);
        impl Visitor for Write<'_> {
            type Output = io::Result<()>;
            fn visit<S: Spec, X>(self, _spec: &S, object: X, header: &str) -> io::Result<()>
            where
                S::Op: Text<S::Ret>,
                X: Object<Op = S::Op, Ret = S::Ret>,
            {
                let Write(shape, path) = self;
                let log = TextLog::create(path, header)?;
                let mut simulation =
                    Simulation::logging_to(log, object, shape.processes, shape.seed);
                simulation.until(shape.operations);
                simulation.finish_log().finish()
            }
        }
        self.accept(Write(self, path))
    }
}
