//! The catalogue: every structure, its flaw if it is broken, and its test.

use crossbeam_deque::Injector;
use crossbeam_queue::{ArrayQueue, SegQueue};
use crossbeam_skiplist::SkipMap;
use dashmap::DashMap;
use linpoint::Spec;
use linpoint::spec::models as spec;
use linpoint_test::Test;

use crate::epoch_treiber::EpochTreiber;
use crate::{draw, external, loomed, plain, shuttled};

/// A structure of the gallery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhibit {
    /// Its name.
    pub name: &'static str,
    /// Its flaw; `None` if it is correct.
    pub flaw: Option<Flaw>,
    /// True if shuttle and loom can schedule it.
    pub schedulable: bool,
}

/// The flaw of a broken structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The time to find it in Lowe's paper, if it is from there.
    pub published: &'static str,
    /// True if an interleaving shows it. False if it needs a weaker memory than shuttle's.
    pub interleaving: bool,
}

const fn correct(name: &'static str, schedulable: bool) -> Exhibit {
    Exhibit { name, flaw: None, schedulable }
}

const fn broken(name: &'static str, published: &'static str, interleaving: bool) -> Exhibit {
    Exhibit { name, flaw: Some(Flaw { published, interleaving }), schedulable: true }
}

/// All structures, the broken ones first.
pub const ALL: &[Exhibit] = &[
    broken("counter, load and store", "", true),
    broken("register, relaxed", "679 ms", false),
    broken("register, hoisted", "679 ms", true),
    broken("treiber, ABA", "", true),
    broken("shann, as published", "100 ms", true),
    broken("slot map, blind delete", "figure 7", true),
    broken("growing map, blind move", "8.2 s", true),
    broken("skip list, bad hash", "123 ms", true),
    broken("read-free map, early status", "671 ms", true),
    broken("ticket queue, skips slots", "", true),
    broken("sized stack, size outside the lock", "", true),
    // This bug is real, not planted: the gallery found it.
    Exhibit { schedulable: false, ..broken("crossbeam SkipMap, plain remove", "", true) },
    correct("counter", true),
    correct("register", true),
    correct("treiber", true),
    correct("michael-scott", true),
    correct("shann", true),
    correct("ticket queue", true),
    correct("sized stack", true),
    correct("slot map", true),
    correct("read-free map", true),
    correct("growing map", true),
    correct("skip list", true),
    correct("sharded map", true),
    correct("treiber with epochs", false),
    correct("crossbeam SegQueue", false),
    correct("crossbeam ArrayQueue", false),
    correct("crossbeam Injector", false),
    correct("crossbeam Worker and Stealer", false),
    correct("crossbeam SkipMap", false),
    correct("DashMap", false),
    correct("std mpsc", false),
];

/// The size of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    /// The number of threads.
    pub threads: usize,
    /// The number of operations of each thread.
    pub operations: usize,
}

impl Scale {
    /// The number of operations of all threads.
    pub fn operations_in_all(self) -> usize {
        self.threads * self.operations
    }

    /// True if the test is small enough to explore all schedules. Structures are then as small as
    /// possible.
    pub fn is_small(self) -> bool {
        self.operations_in_all() <= 12
    }

    pub(crate) fn keys(self) -> u64 {
        if self.is_small() { 3 } else { 32 }
    }
}

/// A structure with its type erased: a function that performs operations. All structures with the
/// same specification have the same type, which keeps compile times down.
pub type Object<Op, Ret> = Box<dyn Fn(&Op) -> Ret + Send + Sync>;

/// Erases the type of the structures that `make` makes.
pub fn object<T: Send + Sync + 'static, Op, Ret>(
    make: impl Fn() -> T,
    perform: fn(&T, &Op) -> Ret,
) -> impl Fn() -> Object<Op, Ret>
where
    Op: 'static,
    Ret: 'static,
{
    move || {
        let structure = make();
        Box::new(move |op| perform(&structure, op))
    }
}

/// Performs an operation.
pub fn act<Op, Ret>(object: &Object<Op, Ret>, op: &Op) -> Ret {
    object(op)
}

/// A function that is generic over the types of a test.
pub trait Visitor {
    /// The result.
    type Out;
    /// Called with the test of a structure.
    fn visit<T, S>(self, test: Test<T, S>) -> Self::Out
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static;
}

/// Calls the visitor with the test of a structure for OS threads; `None` if there is no such
/// structure.
pub fn visit_plain<V: Visitor>(name: &str, scale: Scale, visitor: V) -> Option<V::Out> {
    let exhibit = ALL.iter().find(|exhibit| exhibit.name == name)?;
    let resized = Resized { scale, visitor };
    if exhibit.schedulable {
        plain::structures::definitions::visit(name, scale, resized)
    } else {
        Some(visit_external(name, resized))
    }
}

/// Calls the visitor with the test of a structure for shuttle; `None` if there is no such
/// structure.
pub fn visit_shuttled<V: Visitor>(name: &str, scale: Scale, visitor: V) -> Option<V::Out> {
    shuttled::structures::definitions::visit(name, scale, Resized { scale, visitor })
}

/// Calls the visitor with the test of a structure for loom; `None` if there is no such structure.
pub fn visit_loomed<V: Visitor>(name: &str, scale: Scale, visitor: V) -> Option<V::Out> {
    loomed::structures::definitions::visit(name, scale, Resized { scale, visitor })
}

/// Sets the size of the test before the inner visitor is called.
struct Resized<V> {
    scale: Scale,
    visitor: V,
}

impl<V: Visitor> Visitor for Resized<V> {
    type Out = V::Out;
    fn visit<T, S>(self, test: Test<T, S>) -> V::Out
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let Scale { threads, operations } = self.scale;
        self.visitor.visit(test.threads(threads).operations(operations))
    }
}

fn visit_external<V: Visitor>(name: &str, visitor: V) -> V::Out {
    let queue = spec::Queue::new;
    let map = || spec::KeyValue::new(None);
    match name {
        "treiber with epochs" => visitor.visit(
            Test::new(object(EpochTreiber::default, EpochTreiber::perform))
                .spec(spec::Stack::new())
                .ops(draw::stack)
                .perform(act),
        ),
        "crossbeam SegQueue" => visitor.visit(
            Test::new(object(SegQueue::new, external::seg_queue))
                .spec(queue())
                .ops(draw::queue)
                .perform(act),
        ),
        "crossbeam ArrayQueue" => visitor.visit(
            Test::new(object(|| ArrayQueue::new(3), external::array_queue))
                .spec(spec::Queue::bounded(3))
                .ops(draw::queue)
                .perform(act),
        ),
        "crossbeam Injector" => visitor.visit(
            Test::new(object(Injector::new, external::injector))
                .spec(queue())
                .ops(draw::queue)
                .perform(act),
        ),
        "crossbeam Worker and Stealer" => visitor.visit(
            Test::new(object(external::WorkStealing::default, external::WorkStealing::perform))
                .spec(spec::Deque::new())
                .ops(draw::deque)
                .perform(act),
        ),
        "crossbeam SkipMap, plain remove" => visitor.visit(
            Test::new(object(SkipMap::new, external::skip_map_plain_remove))
                .spec(map())
                .ops(|rng| draw::informative_map(rng, 1))
                .perform(act),
        ),
        "crossbeam SkipMap" => visitor.visit(
            Test::new(object(SkipMap::new, external::skip_map))
                .spec(map())
                .ops(|rng| draw::informative_map(rng, 4))
                .perform(act),
        ),
        "DashMap" => visitor.visit(
            Test::new(object(DashMap::new, external::dash_map))
                .spec(map())
                .ops(|rng| {
                    if rng.chance(0.5) { draw::map(rng, 4) } else { draw::informative_map(rng, 4) }
                })
                .perform(act),
        ),
        "std mpsc" => visitor.visit(
            Test::new(object(external::Channel::default, external::Channel::perform))
                .spec(queue())
                .ops(draw::queue)
                .perform(act),
        ),
        _ => unreachable!("every structure of the catalogue has a test"),
    }
}
