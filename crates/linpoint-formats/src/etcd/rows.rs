//! The rows of etcd's robustness reports, as they are in the files.

use serde::{Deserialize, Serialize};

/// A request with its answer: an object in `operations.json`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Row {
    /// A stream: what a client did until a request failed.
    pub client_id: i64,
    /// The request.
    pub input: Input,
    /// Nanoseconds since the start of the test.
    pub call: i64,
    /// The answer.
    pub output: Output,
    /// Nanoseconds since the start of the test.
    pub r#return: i64,
}

/// A request. One of the members belongs to its type.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Input {
    /// `range`, `txn`, `leaseGrant`, `leaseRevoke`, `compact`, `defragment`.
    pub r#type: String,
    /// Of `leaseGrant`.
    pub lease_grant: Option<Lease>,
    /// Of `leaseRevoke`.
    pub lease_revoke: Option<Lease>,
    /// Of `range`.
    pub range: Option<Range>,
    /// Of `txn`.
    pub txn: Option<Txn>,
    /// Of `compact`.
    pub compact: Option<Compact>,
}

/// A lease.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Lease {
    /// Its number; 0 if it is not known.
    #[serde(rename = "LeaseID")]
    pub lease_id: i64,
}

/// A compaction.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Compact {
    /// What is before this revision is forgotten.
    pub revision: i64,
}

/// A range.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Range {
    /// The first key.
    pub start: String,
    /// The key after the last one; empty for a single key.
    pub end: String,
    /// 0 for none.
    pub limit: i64,
    /// 0 for the current one.
    pub revision: i64,
    /// Values are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keys_only: bool,
}

/// A transaction.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Txn {
    /// All must hold.
    pub conditions: Option<Vec<Condition>>,
    /// What is done if they do.
    pub operations_on_success: Option<Vec<Operation>>,
    /// What is done if they do not.
    pub operations_on_failure: Option<Vec<Operation>>,
}

/// A condition.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Condition {
    /// The key.
    pub key: String,
    /// Its mod revision, unless a version is expected.
    pub expected_revision: i64,
    /// Its version, if that is not 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub expected_version: i64,
}

/// An operation of a transaction. One of the members belongs to its type.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Operation {
    /// `put-operation`, `delete-operation`, `range-operation`.
    pub r#type: String,
    /// Of a range.
    pub range: Range,
    /// Of a put.
    pub put: Put,
    /// Of a delete.
    pub delete: Delete,
}

/// A put.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Put {
    /// The key.
    pub key: String,
    /// The value.
    pub value: ValueOrHash,
    /// 0 for none.
    #[serde(rename = "LeaseID")]
    pub lease_id: i64,
}

/// A delete.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Delete {
    /// The key.
    pub key: String,
}

/// A short value, or the hash of a long one.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "PascalCase", default)]
pub struct ValueOrHash {
    /// The value, if it is short.
    pub value: String,
    /// Its hash, if it is long.
    pub hash: u32,
}

/// An answer, or an error.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Output {
    /// Of a transaction.
    pub txn: Option<TxnAnswer>,
    /// Of a range.
    pub range: Option<Found>,
    /// The revision just after it.
    pub revision: i64,
    /// Why a compaction was refused.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub client_error: String,
    /// It is known that it took effect, but not what it answered.
    #[serde(skip_serializing_if = "std::ops::Not::not", alias = "PartialResponse")]
    pub persisted: bool,
    /// Why there is no answer.
    pub error: String,
}

/// The answer to a transaction.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct TxnAnswer {
    /// The conditions did not hold.
    pub failure: bool,
    /// One for each operation.
    pub results: Option<Vec<Found>>,
}

/// The answer to a range, or to an operation of a transaction.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Found {
    /// The keys.
    #[serde(rename = "KVs")]
    pub kvs: Option<Vec<KeyValue>>,
    /// How many there are, before the limit.
    pub count: i64,
    /// How many were deleted.
    #[serde(skip_serializing_if = "is_zero")]
    pub deleted: i64,
}

/// A key with its value.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct KeyValue {
    /// The key.
    pub key: String,
    /// Its value.
    pub value: ValueOrHash,
    /// The revision of its last change.
    pub mod_revision: i64,
    /// Puts since it was created; 0 if that was not recorded.
    #[serde(skip_serializing_if = "is_zero")]
    pub version: i64,
}

/// A watch with what it delivered: an object in `watch.json`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Watch {
    /// What was asked for.
    pub request: WatchRequest,
    /// What was delivered.
    pub responses: Option<Vec<Response>>,
}

/// What a watch asks for.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct WatchRequest {
    /// A key, or a prefix of keys.
    pub key: String,
    /// Events from this revision on; 0 for the next one.
    pub revision: i64,
    /// The key is a prefix.
    pub with_prefix: bool,
    /// Progress is reported.
    pub with_progress_notify: bool,
    /// Events have the value before.
    #[serde(rename = "WithPrevKV")]
    pub with_prev_kv: bool,
}

/// A batch of events.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Response {
    /// The events.
    pub events: Option<Vec<Event>>,
    /// It says that all events up to a revision have been delivered.
    pub is_progress_notify: bool,
    /// The revision of the store.
    pub revision: i64,
    /// When it was received, in nanoseconds since the start of the test.
    pub time: i64,
    /// Why the watch ended.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
}

/// A change of a key.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Event {
    /// `put-operation` or `delete-operation`.
    pub r#type: String,
    /// The key.
    pub key: String,
    /// The value that was put.
    pub value: ValueOrHash,
    /// The revision of the change.
    pub revision: i64,
    /// The key was absent before; not recorded by older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_create: Option<bool>,
    /// What the key had before, if the watch asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_value: Option<PrevValue>,
}

/// What a key had before an event.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct PrevValue {
    /// The value.
    pub value: ValueOrHash,
    /// The revision of the change before.
    pub mod_revision: i64,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// Values of this many bytes or more are recorded as hashes.
const LONG: usize = 20;

impl ValueOrHash {
    /// The value as etcd's tests record it: long values are hashed by 32-bit FNV-1a.
    pub fn of(value: &str) -> ValueOrHash {
        if value.len() < LONG {
            return ValueOrHash { value: value.to_owned(), hash: 0 };
        }
        let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        let hash = value.bytes().fold(0x811c_9dc5, step);
        ValueOrHash { value: String::new(), hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_hashed() {
        assert_eq!(ValueOrHash::of("short").value, "short");
        // From the definition of FNV-1a: the empty text has the offset as hash.
        let long = "a".repeat(20);
        let hash = ValueOrHash::of(&long).hash;
        assert_eq!(ValueOrHash::of(&long), ValueOrHash { value: String::new(), hash });
        assert_ne!(hash, ValueOrHash::of(&"b".repeat(20)).hash);
    }
}
