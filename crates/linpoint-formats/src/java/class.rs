//! The classes and their methods.

use Effect::{Changes, Reads, Unless};
use Gives::{Array, Value, View, Void};
use Param::{Entries, Flag, Item, Items};

/// A class of `java.util.concurrent`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Class {
    ArrayBlockingQueue,
    ConcurrentHashMap,
    ConcurrentLinkedDeque,
    ConcurrentLinkedQueue,
    ConcurrentSkipListMap,
    ConcurrentSkipListSet,
    LinkedBlockingDeque,
    LinkedBlockingQueue,
    LinkedTransferQueue,
    PriorityBlockingQueue,
}

/// The type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Param {
    Item,
    /// A collection.
    Items,
    /// A map.
    Entries,
    Flag,
}

/// The kind of result, which determines how a list in a file is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gives {
    Void,
    Value,
    /// A collection or a map, as `toString` prints it.
    View,
    /// An array or an enumeration.
    Array,
}

/// Whether a method can change the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Reads,
    Changes,
    /// It changes nothing if it returns this.
    Unless(&'static str),
}

/// A method with its parameters.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) params: &'static [Param],
    pub(super) gives: Gives,
    pub(super) effect: Effect,
    /// True if it only reads and changes the mapping of its first argument, a key.
    pub(super) keyed: bool,
}

const NONE: &str = "java.util.NoSuchElementException";

const fn m(name: &'static str, params: &'static [Param], gives: Gives, effect: Effect) -> Method {
    Method { name, params, gives, effect, keyed: false }
}

const fn keyed(name: &'static str, params: &'static [Param], effect: Effect) -> Method {
    Method { name, params, gives: Value, effect, keyed: true }
}

/// Methods of all collections.
const COLLECTION: &[Method] = &[
    m("addAll", &[Items], Value, Changes),
    m("containsAll", &[Items], Value, Reads),
    m("removeAll", &[Items], Value, Unless("false")),
    m("retainAll", &[Items], Value, Unless("false")),
    m("clear", &[], Void, Changes),
    m("size", &[], Value, Reads),
    m("isEmpty", &[], Value, Reads),
    m("toString", &[], View, Reads),
    m("toArray", &[], Array, Reads),
];

const QUEUE: &[Method] = &[
    m("add", &[Item], Value, Changes),
    m("offer", &[Item], Value, Unless("false")),
    m("poll", &[], Value, Unless("null")),
    m("peek", &[], Value, Reads),
    m("element", &[], Value, Reads),
    m("remove", &[], Value, Unless(NONE)),
    m("remove", &[Item], Value, Unless("false")),
    m("contains", &[Item], Value, Reads),
];

const BLOCKING: &[Method] = &[
    m("put", &[Item], Void, Changes),
    m("take", &[], Value, Changes),
    m("remainingCapacity", &[], Value, Reads),
];

const DEQUE: &[Method] = &[
    m("addFirst", &[Item], Void, Changes),
    m("addLast", &[Item], Void, Changes),
    m("offerFirst", &[Item], Value, Unless("false")),
    m("offerLast", &[Item], Value, Unless("false")),
    m("pollFirst", &[], Value, Unless("null")),
    m("pollLast", &[], Value, Unless("null")),
    m("peekFirst", &[], Value, Reads),
    m("peekLast", &[], Value, Reads),
    m("getFirst", &[], Value, Reads),
    m("getLast", &[], Value, Reads),
    m("removeFirst", &[], Value, Unless(NONE)),
    m("removeLast", &[], Value, Unless(NONE)),
    m("removeFirstOccurrence", &[Item], Value, Unless("false")),
    m("removeLastOccurrence", &[Item], Value, Unless("false")),
    m("push", &[Item], Void, Changes),
    m("pop", &[], Value, Unless(NONE)),
];

const BLOCKING_DEQUE: &[Method] = &[
    m("putFirst", &[Item], Void, Changes),
    m("putLast", &[Item], Void, Changes),
    m("takeFirst", &[], Value, Changes),
    m("takeLast", &[], Value, Changes),
];

const TRANSFER: &[Method] = &[
    m("tryTransfer", &[Item], Value, Reads),
    m("hasWaitingConsumer", &[], Value, Reads),
    m("getWaitingConsumerCount", &[], Value, Reads),
];

const SORTED_SET: &[Method] = &[
    keyed("add", &[Item], Unless("false")),
    keyed("remove", &[Item], Unless("false")),
    keyed("contains", &[Item], Reads),
    m("first", &[], Value, Reads),
    m("last", &[], Value, Reads),
    m("lower", &[Item], Value, Reads),
    m("floor", &[Item], Value, Reads),
    m("ceiling", &[Item], Value, Reads),
    m("higher", &[Item], Value, Reads),
    m("pollFirst", &[], Value, Unless("null")),
    m("pollLast", &[], Value, Unless("null")),
    m("headSet", &[Item], View, Reads),
    m("headSet", &[Item, Flag], View, Reads),
    m("tailSet", &[Item], View, Reads),
    m("tailSet", &[Item, Flag], View, Reads),
    m("subSet", &[Item, Item], View, Reads),
    m("subSet", &[Item, Flag, Item, Flag], View, Reads),
    m("descendingSet", &[], View, Reads),
];

const MAP: &[Method] = &[
    keyed("put", &[Item, Item], Changes),
    keyed("putIfAbsent", &[Item, Item], Changes),
    keyed("get", &[Item], Reads),
    keyed("getOrDefault", &[Item, Item], Reads),
    keyed("containsKey", &[Item], Reads),
    keyed("remove", &[Item], Unless("null")),
    keyed("remove", &[Item, Item], Unless("false")),
    keyed("replace", &[Item, Item], Unless("null")),
    keyed("replace", &[Item, Item, Item], Unless("false")),
    m("containsValue", &[Item], Value, Reads),
    m("putAll", &[Entries], Void, Changes),
    m("clear", &[], Void, Changes),
    m("size", &[], Value, Reads),
    m("isEmpty", &[], Value, Reads),
    m("toString", &[], View, Reads),
    m("keySet", &[], View, Reads),
    m("values", &[], View, Reads),
    m("entrySet", &[], View, Reads),
];

const HASH_MAP: &[Method] = &[
    m("contains", &[Item], Value, Reads),
    m("mappingCount", &[], Value, Reads),
    m("keys", &[], Array, Reads),
    m("elements", &[], Array, Reads),
];

const SORTED_MAP: &[Method] = &[
    m("firstKey", &[], Value, Reads),
    m("lastKey", &[], Value, Reads),
    m("lowerKey", &[Item], Value, Reads),
    m("floorKey", &[Item], Value, Reads),
    m("ceilingKey", &[Item], Value, Reads),
    m("higherKey", &[Item], Value, Reads),
    m("firstEntry", &[], Value, Reads),
    m("lastEntry", &[], Value, Reads),
    m("lowerEntry", &[Item], Value, Reads),
    m("floorEntry", &[Item], Value, Reads),
    m("ceilingEntry", &[Item], Value, Reads),
    m("higherEntry", &[Item], Value, Reads),
    m("pollFirstEntry", &[], Value, Unless("null")),
    m("pollLastEntry", &[], Value, Unless("null")),
    m("headMap", &[Item], View, Reads),
    m("headMap", &[Item, Flag], View, Reads),
    m("tailMap", &[Item], View, Reads),
    m("tailMap", &[Item, Flag], View, Reads),
    m("subMap", &[Item, Item], View, Reads),
    m("subMap", &[Item, Flag, Item, Flag], View, Reads),
    m("descendingMap", &[], View, Reads),
    m("navigableKeySet", &[], View, Reads),
    m("descendingKeySet", &[], View, Reads),
];

impl Class {
    pub(super) const ALL: [Class; 10] = [
        Class::ArrayBlockingQueue,
        Class::ConcurrentHashMap,
        Class::ConcurrentLinkedDeque,
        Class::ConcurrentLinkedQueue,
        Class::ConcurrentSkipListMap,
        Class::ConcurrentSkipListSet,
        Class::LinkedBlockingDeque,
        Class::LinkedBlockingQueue,
        Class::LinkedTransferQueue,
        Class::PriorityBlockingQueue,
    ];

    /// The class of this name, with or without its package.
    pub(super) fn named(name: &str) -> Option<Class> {
        let name = name.strip_prefix("java.util.concurrent.").unwrap_or(name);
        Class::ALL.into_iter().find(|class| class.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Class::ArrayBlockingQueue => "ArrayBlockingQueue",
            Class::ConcurrentHashMap => "ConcurrentHashMap",
            Class::ConcurrentLinkedDeque => "ConcurrentLinkedDeque",
            Class::ConcurrentLinkedQueue => "ConcurrentLinkedQueue",
            Class::ConcurrentSkipListMap => "ConcurrentSkipListMap",
            Class::ConcurrentSkipListSet => "ConcurrentSkipListSet",
            Class::LinkedBlockingDeque => "LinkedBlockingDeque",
            Class::LinkedBlockingQueue => "LinkedBlockingQueue",
            Class::LinkedTransferQueue => "LinkedTransferQueue",
            Class::PriorityBlockingQueue => "PriorityBlockingQueue",
        }
    }

    fn tables(self) -> &'static [&'static [Method]] {
        match self {
            Class::ArrayBlockingQueue
            | Class::LinkedBlockingQueue
            | Class::PriorityBlockingQueue => &[COLLECTION, QUEUE, BLOCKING],
            Class::LinkedTransferQueue => &[COLLECTION, QUEUE, BLOCKING, TRANSFER],
            Class::ConcurrentLinkedQueue => &[COLLECTION, QUEUE],
            Class::ConcurrentLinkedDeque => &[COLLECTION, QUEUE, DEQUE],
            Class::LinkedBlockingDeque => &[COLLECTION, QUEUE, DEQUE, BLOCKING, BLOCKING_DEQUE],
            Class::ConcurrentSkipListSet => &[COLLECTION, SORTED_SET],
            Class::ConcurrentSkipListMap => &[MAP, SORTED_MAP],
            Class::ConcurrentHashMap => &[MAP, HASH_MAP],
        }
    }

    /// All known methods.
    pub(super) fn methods(self) -> impl Iterator<Item = &'static Method> {
        self.tables().iter().copied().flatten()
    }
}
