//! Two threads that use the lock-free tables, in every interleaving with few preemptions, and with every value that a
//! relaxed load may return.

use std::sync::Arc;

use loom::sync::atomic::AtomicUsize;
use loom::thread;

use super::Ordering;
use crate::explore::{SharedCache, Visited};
use crate::system::{Column, GrowingArray, Interner, Pairs, Query, Reserve};

/// Checks all executions with at most three preemptions, or `LOOM_MAX_PREEMPTIONS`. More preemptions take long.
fn model(test: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(test);
}

/// Runs two closures on two threads that share a table. Returns the table and the results of the closures.
fn both<T, R>(
    table: T,
    one: impl FnOnce(&T) -> R + 'static,
    other: impl FnOnce(&T) -> R,
) -> (T, [R; 2])
where
    T: Send + Sync + 'static,
    R: 'static,
{
    let table = Arc::new(table);
    let shared = Arc::clone(&table);
    let handle = thread::spawn(move || one(&shared));
    let second = other(&table);
    let first = handle.join().unwrap();
    let table = Arc::into_inner(table).expect("the other thread has ended");
    (table, [first, second])
}

#[test]
fn loom_growing_threads_share_one_entry() {
    model(|| {
        let add = |entries: &GrowingArray<AtomicUsize>| {
            entries.entry(0).fetch_add(1, Ordering::Relaxed);
        };
        let (entries, _) = both(GrowingArray::new(), add, add);
        assert_eq!(entries.get(0).map(|entry| entry.load(Ordering::Relaxed)), Some(2));
        assert!(entries.get(1_000).is_none());
    });
}

#[test]
fn loom_column_reads_are_never_torn() {
    const VALUE: u64 = 0x0123_4567_89ab_cdef;
    model(|| {
        let write = |column: &Column| {
            column.set(3, VALUE);
            VALUE
        };
        let read = |column: &Column| column.get(3);
        let (column, [_, seen]) = both(Column::new(), write, read);
        assert!([0, VALUE].contains(&seen), "{seen:x}");
        assert_eq!(column.get(3), VALUE);
    });
}

#[test]
fn loom_interner_equal_values_get_one_number() {
    model(|| {
        let number = |order: [u64; 2]| {
            move |interner: &Interner<u64>| {
                order.map(|value| {
                    let number = interner.intern(&value);
                    // Every number in use has its value, whichever thread interned it.
                    assert_eq!(*interner.get(number), value);
                    number
                })
            }
        };
        let (interner, [[a, b], [d, c]]) =
            both(Interner::new(), number([10, 20]), number([20, 10]));
        assert_eq!((a, b), (c, d));
        assert_ne!(a, b);
        assert_eq!(interner.len(), 2);
    });
}

/// A thread's key is set before its number is returned, as in `ModelSystem::thread_number`.
#[test]
fn loom_interner_a_number_comes_with_its_key() {
    const KEY: u64 = 7;
    model(|| {
        let number = |(interner, keys): &(Interner<u64>, Column)| {
            let number = interner.intern(&10);
            if keys.get(number) == 0 {
                keys.set(number, KEY);
            }
            assert_eq!(keys.get(number), KEY);
            number
        };
        let (_, [a, b]) = both((Interner::new(), Column::new()), number, number);
        assert_eq!(a, b);
    });
}

/// Numbers of pairs, one after another.
fn number(order: [(u32, u32); 2]) -> impl FnOnce(&Pairs) -> [u32; 2] + 'static {
    move |pairs| {
        let mut reserve = Reserve::default();
        order.map(|(left, right)| {
            let number = pairs.number(left, right, &mut reserve);
            assert_eq!(pairs.get(number), (left, right));
            number
        })
    }
}

/// Numbers of pairs, in one batch.
fn number_all(order: [(u32, u32); 2]) -> impl FnOnce(&Pairs) -> [u32; 2] + 'static {
    move |pairs| {
        let mut queries = order.map(|(left, right)| Query::new(left, right, 0));
        pairs.number_all(&mut queries, &mut Reserve::default());
        for (query, pair) in queries.iter().zip(order) {
            assert_eq!(pairs.get(query.number), pair);
        }
        queries.map(|query| query.number)
    }
}

/// Both threads agree, and still do when the table has grown.
fn check(mut pairs: Pairs, [a, b]: [u32; 2], [d, c]: [u32; 2], all: [(u32, u32); 2]) {
    assert_eq!((a, b), (c, d));
    assert_ne!(a, b);
    pairs.make_room(10);
    assert_eq!(number(all)(&pairs), [a, b]);
}

#[test]
fn loom_pairs_equal_pairs_get_one_number() {
    model(|| {
        let (p, q) = ((1, 2), (3, 4));
        let (pairs, [one, other]) = both(Pairs::new(), number([p, q]), number([q, p]));
        check(pairs, one, other, [p, q]);
    });
}

#[test]
fn loom_pairs_batches_agree_with_single_queries() {
    model(|| {
        let (p, q) = ((1, 2), (3, 4));
        let numbered = |pairs: &Pairs| number([q, p])(pairs);
        let (pairs, [one, other]) = both(Pairs::new(), number_all([p, q]), numbered);
        check(pairs, one, other, [p, q]);
    });
}

#[test]
fn loom_visited_every_state_is_new_once() {
    model(|| {
        let add = |order: [u64; 2]| {
            move |visited: &Visited| {
                let mut share = visited.share(2);
                let new = order.map(|state| visited.insert(state, &mut share));
                // Added states are found, whichever thread added them.
                assert!(order.iter().all(|state| !visited.insert(*state, &mut share)));
                (new, share)
            }
        };
        let (mut visited, [([a, b], first), ([d, c], second)]) =
            both(Visited::new(), add([1, 2]), add([2, 1]));
        assert!(a != c && b != d, "each state is new to exactly one thread");
        visited.settle(&first);
        visited.settle(&second);
        assert_eq!(visited.len(), 2);
    });
}

#[test]
fn loom_shared_cache_answers_are_never_mixed() {
    model(|| {
        // Both keys use the same slot.
        let use_it = |key: u64| {
            move |cache: &SharedCache| {
                cache.add(0, key, key as u32 + 1);
                cache.get(0, key)
            }
        };
        let (cache, seen) = both(SharedCache::new(2), use_it(5), use_it(6));
        let kept = [5, 6].map(|key| cache.get(0, key));
        assert!([[Some(6), None], [None, Some(7)]].contains(&kept), "{kept:?}");
        assert_eq!(seen, kept);
    });
}
