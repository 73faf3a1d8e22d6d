//! Maps and caches.

use linpoint_test::Handles;
use linpoint_test::prelude::*;
use linpoint_test::report::Files;
use published::{key_value, map};

#[test]
fn dashmap() {
    map(dashmap::DashMap::<u64, u64>::new, |m, op| match op {
        MapOp::Insert(k, v) => MapRet::Value(m.insert(*k, *v)),
        MapOp::Remove(k) => MapRet::Value(m.remove(k).map(|(_, v)| v)),
        MapOp::Get(k) => MapRet::Value(m.get(k).map(|v| *v)),
        MapOp::Contains(k) => MapRet::Bool(m.contains_key(k)),
        MapOp::Len => MapRet::Len(m.len()),
    });
}

#[test]
fn papaya() {
    map(papaya::HashMap::<u64, u64>::new, |m, op| match op {
        MapOp::Insert(k, v) => MapRet::Value(m.pin().insert(*k, *v).copied()),
        MapOp::Remove(k) => MapRet::Value(m.pin().remove(k).copied()),
        MapOp::Get(k) => MapRet::Value(m.pin().get(k).copied()),
        MapOp::Contains(k) => MapRet::Bool(m.pin().contains_key(k)),
        MapOp::Len => MapRet::Len(m.len()),
    });
}

#[test]
fn flurry() {
    map(flurry::HashMap::<u64, u64>::new, |m, op| match op {
        MapOp::Insert(k, v) => MapRet::Value(m.pin().insert(*k, *v).copied()),
        MapOp::Remove(k) => MapRet::Value(m.pin().remove(k).copied()),
        MapOp::Get(k) => MapRet::Value(m.pin().get(k).copied()),
        MapOp::Contains(k) => MapRet::Bool(m.pin().contains_key(k)),
        MapOp::Len => MapRet::Len(m.len()),
    });
}

#[test]
fn scc_hash_map() {
    map(scc::HashMap::<u64, u64>::new, |m, op| match op {
        MapOp::Insert(k, v) => MapRet::Value(m.upsert_sync(*k, *v)),
        MapOp::Remove(k) => MapRet::Value(m.remove_sync(k).map(|(_, v)| v)),
        MapOp::Get(k) => MapRet::Value(m.read_sync(k, |_, v| *v)),
        MapOp::Contains(k) => MapRet::Bool(m.contains_sync(k)),
        MapOp::Len => MapRet::Len(m.len()),
    });
}

/// Inserts if the key is absent, removes, looks up: what an index offers, as a set.
fn index<T: Send + Sync + 'static>(
    make: impl Fn() -> T + Clone + Send + Sync + 'static,
    perform: impl Fn(&T, &SetOp<u64>) -> bool + Clone + Send + Sync + 'static,
) {
    for keys in [Keys::Few, Keys::Many] {
        let perform = perform.clone();
        Stress::new(make.clone())
            .spec(Set::new())
            .ops(profile::set(keys))
            .perform(move |set, op| SetRet(perform(set, op)))
            .files(Files::none())
            .run();
    }
}

#[test]
fn scc_tree_index() {
    index(scc::TreeIndex::<u64, u64>::new, |t, op| match op {
        SetOp::Insert(k) => t.insert_sync(*k, 0).is_ok(),
        SetOp::Remove(k) => t.remove_sync(k),
        SetOp::Contains(k) => t.contains(k),
    });
}

#[test]
fn scc_hash_index() {
    index(scc::HashIndex::<u64, u64>::new, |t, op| match op {
        SetOp::Insert(k) => t.insert_sync(*k, 0).is_ok(),
        SetOp::Remove(k) => t.remove_sync(k),
        SetOp::Contains(k) => t.contains(k),
    });
}

#[test]
fn lockfree_set() {
    index(lockfree::set::Set::<u64>::new, |s, op| match op {
        SetOp::Insert(k) => s.insert(*k).is_ok(),
        SetOp::Remove(k) => s.remove(k).is_some(),
        SetOp::Contains(k) => s.contains(k),
    });
}

#[test]
fn crossbeam_skiplist_insert() {
    let ops = |rng: &mut Rng| match rng.below(2) {
        0 => KeyValueOp::Get(0),
        _ => KeyValueOp::Put(0, rng.fresh()),
    };
    key_value(crossbeam_skiplist::SkipMap::<u64, u64>::new, ops, |m, op| match op {
        KeyValueOp::Put(k, v) => {
            m.insert(*k, *v);
            KeyValueRet::Done
        }
        KeyValueOp::Get(k) => KeyValueRet::Value(m.get(k).map(|e| *e.value())),
        _ => unreachable!(),
    });
}

#[test]
fn crossbeam_skiplist_remove() {
    let ops = |rng: &mut Rng| match rng.below(2) {
        0 => KeyValueOp::Remove(0),
        _ => KeyValueOp::GetOrElseUpdate(0, rng.fresh()),
    };
    key_value(crossbeam_skiplist::SkipMap::<u64, u64>::new, ops, |m, op| match op {
        KeyValueOp::GetOrElseUpdate(k, v) => {
            KeyValueRet::Value(Some(*m.get_or_insert(*k, *v).value()))
        }
        KeyValueOp::Remove(k) => KeyValueRet::Value(m.remove(k).map(|e| *e.value())),
        _ => unreachable!(),
    });
}

#[test]
fn lockfree_map() {
    map(lockfree::map::Map::<u64, u64>::new, |m, op| match op {
        MapOp::Insert(k, v) => MapRet::Value(m.insert(*k, *v).map(|e| *e.val())),
        MapOp::Remove(k) => MapRet::Value(m.remove(k).map(|e| *e.val())),
        MapOp::Get(k) => MapRet::Value(m.get(k).map(|e| *e.val())),
        MapOp::Contains(k) => MapRet::Bool(m.get(k).is_some()),
        MapOp::Len => MapRet::Len(m.iter().count()),
    });
}

#[test]
fn chashmap() {
    map(chashmap::CHashMap::<u64, u64>::new, |m, op| match op {
        MapOp::Insert(k, v) => MapRet::Value(m.insert(*k, *v)),
        MapOp::Remove(k) => MapRet::Value(m.remove(k)),
        MapOp::Get(k) => MapRet::Value(m.get(k).map(|v| *v)),
        MapOp::Contains(k) => MapRet::Bool(m.contains_key(k)),
        MapOp::Len => MapRet::Len(m.len()),
    });
}

#[test]
fn cht() {
    map(cht::HashMap::<u64, u64>::new, |m, op| match op {
        MapOp::Insert(k, v) => MapRet::Value(m.insert(*k, *v)),
        MapOp::Remove(k) => MapRet::Value(m.remove(k)),
        MapOp::Get(k) => MapRet::Value(m.get(k)),
        MapOp::Contains(k) => MapRet::Bool(m.get(k).is_some()),
        MapOp::Len => MapRet::Len(m.len()),
    });
}

#[test]
fn leapfrog() {
    map(leapfrog::LeapMap::<u64, u64>::new, |m, op| match op {
        MapOp::Insert(k, v) => MapRet::Value(m.insert(*k, *v)),
        MapOp::Remove(k) => MapRet::Value(m.remove(k)),
        MapOp::Get(k) => MapRet::Value(m.get(k).and_then(|mut r| r.value())),
        MapOp::Contains(k) => MapRet::Bool(m.contains_key(k)),
        MapOp::Len => MapRet::Len(m.len()),
    });
}

#[test]
fn congee() {
    type Tree = congee::Congee<usize, usize>;
    let u = |n: &u64| *n as usize;
    map(Tree::default, move |m, op| match op {
        MapOp::Insert(k, v) => {
            MapRet::Value(m.insert(u(k), u(v), &m.pin()).unwrap().map(|v| v as u64))
        }
        MapOp::Remove(k) => MapRet::Value(m.remove(&u(k), &m.pin()).map(|v| v as u64)),
        MapOp::Get(k) => MapRet::Value(m.get(&u(k), &m.pin()).map(|v| v as u64)),
        MapOp::Contains(k) => MapRet::Bool(m.get(&u(k), &m.pin()).is_some()),
        MapOp::Len => MapRet::Len(m.keys().len()),
    });
}

#[test]
fn concurrent_map() {
    type Tree = concurrent_map::ConcurrentMap<u64, u64>;
    Stress::new(|| {
        let tree = Tree::default();
        Handles::new([tree.clone(), tree.clone(), tree])
    })
    .spec(Map::new())
    .ops(profile::map(Keys::Few))
    .perform_mut(|m, op| match op {
        MapOp::Insert(k, v) => MapRet::Value(m.insert(*k, *v)),
        MapOp::Remove(k) => MapRet::Value(m.remove(k)),
        MapOp::Get(k) => MapRet::Value(m.get(k)),
        MapOp::Contains(k) => MapRet::Bool(m.contains_key(k)),
        MapOp::Len => MapRet::Len(m.len()),
    })
    .files(Files::none())
    .run();
}

#[test]
fn whirlwind() {
    Stress::new(whirlwind::ShardMap::<u64, u64>::new)
        .spec(Map::new())
        .ops(profile::map(Keys::Few))
        .perform_async(async |m, op| match op {
            MapOp::Insert(k, v) => MapRet::Value(m.insert(*k, *v).await),
            MapOp::Remove(k) => MapRet::Value(m.remove(k).await),
            MapOp::Get(k) => MapRet::Value(m.get(k).await.map(|v| *v.value())),
            MapOp::Contains(k) => MapRet::Bool(m.contains_key(k).await),
            MapOp::Len => MapRet::Len(m.len().await),
        })
        .files(Files::none())
        .run();
}

#[test]
fn moka() {
    let make = || moka::sync::Cache::<u64, u64>::new(100);
    key_value(make, profile::key_value(Keys::Few), |m, op| match op {
        KeyValueOp::Put(k, v) => {
            m.insert(*k, *v);
            KeyValueRet::Done
        }
        KeyValueOp::Get(k) => KeyValueRet::Value(m.get(k)),
        KeyValueOp::Remove(k) => KeyValueRet::Value(m.remove(k)),
        _ => unreachable!(),
    });
}

#[test]
fn quick_cache() {
    let make = || quick_cache::sync::Cache::<u64, u64>::new(100);
    key_value(make, profile::key_value(Keys::Few), |m, op| match op {
        KeyValueOp::Put(k, v) => {
            m.insert(*k, *v);
            KeyValueRet::Done
        }
        KeyValueOp::Get(k) => KeyValueRet::Value(m.get(k)),
        KeyValueOp::Remove(k) => KeyValueRet::Value(m.remove(k).map(|(_, v)| v)),
        _ => unreachable!(),
    });
}

#[test]
fn evmap() {
    enum End {
        Writer(evmap::handles::WriteHandle<u64, u64>),
        Reader(evmap::handles::ReadHandle<u64, u64>),
    }
    Stress::new(|| {
        let (writer, reader) = evmap::new();
        Handles::new([End::Writer(writer), End::Reader(reader.clone()), End::Reader(reader)])
    })
    .spec(KeyValue::new(None))
    .ops(|rng| KeyValueOp::Get(rng.below(2)))
    .perform_mut(|end, op| match (end, op) {
        (End::Writer(w), KeyValueOp::Put(k, v)) => {
            w.update(*k, *v).publish();
            KeyValueRet::Done
        }
        (End::Reader(r), KeyValueOp::Get(k)) => KeyValueRet::Value(r.get_one(k).map(|v| *v)),
        _ => unreachable!(),
    })
    .thread(0, |rng| KeyValueOp::Put(rng.below(2), rng.fresh()))
    .files(Files::none())
    .run();
}
