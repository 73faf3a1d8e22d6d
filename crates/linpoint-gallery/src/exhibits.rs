//! The catalogue: every structure with what is wrong with it, and how it is shown.

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
    /// What is wrong with it.
    pub flaw: Option<Flaw>,
    /// Whether it can be scheduled by shuttle and loom too.
    pub schedulable: bool,
}

/// What is wrong with a structure, and how it shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// How long it took in Lowe's paper to find it, if it is one of his.
    pub published: &'static str,
    /// False if it needs a memory that is weaker than shuttle's.
    pub interleaving: bool,
}

const fn right(name: &'static str, schedulable: bool) -> Exhibit {
    Exhibit { name, flaw: None, schedulable }
}

const fn wrong(name: &'static str, published: &'static str, interleaving: bool) -> Exhibit {
    Exhibit { name, flaw: Some(Flaw { published, interleaving }), schedulable: true }
}

/// All structures: first the wrong ones.
pub const ALL: &[Exhibit] = &[
    wrong("counter, load and store", "", true),
    wrong("register, relaxed", "679 ms", false),
    wrong("register, hoisted", "679 ms", true),
    wrong("treiber, ABA", "", true),
    wrong("shann, as published", "100 ms", true),
    wrong("slot map, blind delete", "figure 7", true),
    wrong("growing map, blind move", "8.2 s", true),
    wrong("skip list, bad hash", "123 ms", true),
    wrong("read-free map, early status", "671 ms", true),
    wrong("ticket queue, skips", "", true),
    wrong("sized stack, size beside it", "", true),
    // Nobody made it wrong for the gallery: it was found by it.
    Exhibit { schedulable: false, ..wrong("crossbeam SkipMap, its remove", "", true) },
    right("counter", true),
    right("register", true),
    right("treiber", true),
    right("michael-scott", true),
    right("shann", true),
    right("ticket queue", true),
    right("sized stack", true),
    right("slot map", true),
    right("read-free map", true),
    right("growing map", true),
    right("skip list", true),
    right("sharded map", true),
    right("treiber with epochs", false),
    right("crossbeam SegQueue", false),
    right("crossbeam ArrayQueue", false),
    right("crossbeam Injector", false),
    right("crossbeam Worker and Stealer", false),
    right("crossbeam SkipMap", false),
    right("DashMap", false),
    right("std mpsc", false),
];

/// How large a test is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    /// Number of threads.
    pub threads: usize,
    /// Operations of each.
    pub operations: usize,
}

impl Scale {
    /// Operations of all threads.
    pub fn operations_in_all(self) -> usize {
        self.threads * self.operations
    }

    /// True if all schedules are to be seen: then structures are as small as they can be.
    pub fn is_small(self) -> bool {
        self.operations_in_all() <= 12
    }

    pub(crate) fn keys(self) -> u64 {
        if self.is_small() { 3 } else { 32 }
    }
}

/// A structure, whatever its type is: it performs operations. So there is one type for all structures with the same
/// specification, and the compiler has less to do.
pub type Object<Op, Ret> = Box<dyn Fn(&Op) -> Ret + Send + Sync>;

/// Makes objects of what `make` makes.
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

/// Somebody who does something with the test of a structure, whatever its types are.
pub trait Visitor {
    /// What comes of it.
    type Out;
    /// Does it.
    fn visit<T, S>(self, test: Test<T, S>) -> Self::Out
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static;
}

/// Shows the test of a structure for threads of the operating system to the visitor; `None` if there is no such structure.
pub fn visit_plain<V: Visitor>(name: &str, scale: Scale, visitor: V) -> Option<V::Out> {
    let exhibit = ALL.iter().find(|exhibit| exhibit.name == name)?;
    let sized = Sized { scale, visitor };
    if exhibit.schedulable {
        plain::structures::definitions::visit(name, scale, sized)
    } else {
        Some(visit_external(name, sized))
    }
}

/// Shows the test of a structure for shuttle to the visitor; `None` if there is no such structure.
pub fn visit_shuttled<V: Visitor>(name: &str, scale: Scale, visitor: V) -> Option<V::Out> {
    shuttled::structures::definitions::visit(name, scale, Sized { scale, visitor })
}

/// Shows the test of a structure for loom to the visitor; `None` if there is no such structure.
pub fn visit_loomed<V: Visitor>(name: &str, scale: Scale, visitor: V) -> Option<V::Out> {
    loomed::structures::definitions::visit(name, scale, Sized { scale, visitor })
}

/// Sets the size of the test.
struct Sized<V> {
    scale: Scale,
    visitor: V,
}

impl<V: Visitor> Visitor for Sized<V> {
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
        "crossbeam SkipMap, its remove" => visitor.visit(
            Test::new(object(SkipMap::new, external::skip_map_as_it_is))
                .spec(map())
                .ops(|rng| draw::telling_map(rng, 1))
                .perform(act),
        ),
        "crossbeam SkipMap" => visitor.visit(
            Test::new(object(SkipMap::new, external::skip_map))
                .spec(map())
                .ops(|rng| draw::telling_map(rng, 4))
                .perform(act),
        ),
        "DashMap" => {
            visitor.visit(
                Test::new(object(DashMap::new, external::dash_map))
                    .spec(map())
                    .ops(|rng| {
                        if rng.chance(0.5) { draw::map(rng, 4) } else { draw::telling_map(rng, 4) }
                    })
                    .perform(act),
            )
        }
        "std mpsc" => visitor.visit(
            Test::new(object(external::Channel::default, external::Channel::perform))
                .spec(queue())
                .ops(draw::queue)
                .perform(act),
        ),
        _ => unreachable!("every structure of the catalogue has a test"),
    }
}
