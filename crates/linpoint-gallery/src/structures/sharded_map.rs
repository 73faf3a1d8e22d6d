//! A hash map in shards, each with its own lock.

use std::collections::HashMap;

use linpoint::spec::models::{KeyValueOp, KeyValueRet};

use super::sync::Mutex;

/// A map.
pub struct ShardedMap {
    shards: Vec<Mutex<HashMap<u64, u64>>>,
}

impl ShardedMap {
    /// An empty map.
    pub fn new(shards: usize) -> Self {
        ShardedMap { shards: (0..shards).map(|_| Mutex::new(HashMap::new())).collect() }
    }

    /// Performs one operation.
    pub fn perform(&self, op: &KeyValueOp<u64, u64>) -> KeyValueRet<u64> {
        let shard = |key: &u64| self.shards[*key as usize % self.shards.len()].lock().unwrap();
        match op {
            KeyValueOp::Get(key) => KeyValueRet::Value(shard(key).get(key).copied()),
            KeyValueOp::Put(key, value) => {
                shard(key).insert(*key, *value);
                KeyValueRet::Done
            }
            KeyValueOp::Delete(key) => {
                shard(key).remove(key);
                KeyValueRet::Done
            }
            KeyValueOp::Remove(key) => KeyValueRet::Value(shard(key).remove(key)),
            _ => crate::not_offered(op),
        }
    }
}
