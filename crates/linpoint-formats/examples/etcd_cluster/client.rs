//! A client: random requests, and what is recorded of them.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use linpoint_formats::etcd::rows::{
    Condition, Delete, Found, Input, KeyValue, Lease, Operation, Output, Put, Range, Row, Txn,
    TxnAnswer, ValueOrHash,
};
use serde_json::{Value, json};

use super::http::{Answer, Http, decode, encode, number, revision};
use super::{KEYS, MEMBERS, Shared};

/// A client that does one request after the other.
pub(super) struct Client<'a> {
    shared: &'a Shared<'a>,
    member: usize,
    stream: u32,
    random: fastrand::Rng,
    http: Option<Http>,
    /// The revision of each key that it has seen; 0 for an absent one.
    seen: Vec<i64>,
    /// The revision of its last answer.
    last: i64,
    lease: i64,
    answered: Vec<Row>,
    failed: Vec<Row>,
}

impl<'a> Client<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, number: u32, random: fastrand::Rng) -> Client<'a> {
        Client {
            shared,
            member: number as usize % MEMBERS,
            stream: number,
            random,
            http: None,
            seen: vec![0; KEYS as usize],
            last: 0,
            lease: 0,
            answered: Vec::new(),
            failed: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> (Vec<Row>, Vec<Row>) {
        while !self.shared.is_over() {
            let (path, body, input) = self.request();
            let call = self.shared.now();
            let answer = self.ask(path, &body);
            let end = self.shared.now();
            let mut row =
                Row { client_id: self.stream.into(), input, call, r#return: end, ..Row::default() };
            match answer {
                Ok(answer) => {
                    row.output = self.output(&mut row.input, &answer);
                    self.last = revision(&answer);
                    self.answered.push(row);
                }
                Err(error) => {
                    row.output.error = error;
                    self.failed.push(row);
                    self.stream = self.shared.streams.fetch_add(1, Ordering::Relaxed);
                    self.member = (self.member + 1) % MEMBERS;
                }
            }
            thread::sleep(Duration::from_micros(self.random.u64(..6_000)));
        }
        (self.answered, self.failed)
    }

    fn ask(&mut self, path: &str, body: &Value) -> Answer {
        let mut http = match self.http.take() {
            Some(http) => http,
            None => {
                Http::open(self.shared.cluster.ports[self.member]).map_err(|e| e.to_string())?
            }
        };
        let answer = http.post(path, body).map_err(|error| error.to_string())??;
        self.http = Some(http);
        Ok(answer)
    }

    /// The next request: where it goes, what is sent, and what is recorded.
    fn request(&mut self) -> (&'static str, Value, Input) {
        let named = |name: &str| Input { r#type: name.to_owned(), ..Input::default() };
        let at = self.random.u64(..KEYS);
        let key = format!("key/{at}");
        match self.random.u64(..20) {
            0..=3 => {
                let old = if self.random.u64(..4) == 0 { self.last } else { 0 };
                let range = Range {
                    start: "key/".to_owned(),
                    end: "key0".to_owned(),
                    limit: 4,
                    revision: old,
                    keys_only: false,
                };
                let body = json!({
                    "key": encode(&range.start), "range_end": encode(&range.end), "limit": "4", "revision": old.to_string()
                });
                ("/v3/kv/range", body, Input { range: Some(range), ..named("range") })
            }
            4..=6 => {
                let body = json!({ "key": encode(&key) });
                let range = Range { start: key, ..Range::default() };
                ("/v3/kv/range", body, Input { range: Some(range), ..named("range") })
            }
            7 if self.lease == 0 => {
                let body = json!({ "TTL": "3600" });
                (
                    "/v3/lease/grant",
                    body,
                    Input { lease_grant: Some(Lease::default()), ..named("leaseGrant") },
                )
            }
            7 => {
                let lease_id = std::mem::take(&mut self.lease);
                let body = json!({ "ID": lease_id.to_string() });
                (
                    "/v3/lease/revoke",
                    body,
                    Input { lease_revoke: Some(Lease { lease_id }), ..named("leaseRevoke") },
                )
            }
            kind => {
                let condition = (kind > 10).then(|| Condition {
                    key: key.clone(),
                    expected_revision: self.seen[at as usize],
                    expected_version: 0,
                });
                let value = self.shared.values.fetch_add(1, Ordering::Relaxed).to_string();
                let lease_id = if kind == 8 { self.lease } else { 0 };
                let operation = match kind {
                    18.. => Operation {
                        r#type: "delete-operation".to_owned(),
                        delete: Delete { key: key.clone() },
                        ..Operation::default()
                    },
                    _ => {
                        let put =
                            Put { key: key.clone(), value: ValueOrHash::of(&value), lease_id };
                        Operation {
                            r#type: "put-operation".to_owned(),
                            put,
                            ..Operation::default()
                        }
                    }
                };
                let sent = match kind {
                    18.. => json!({ "request_delete_range": { "key": encode(&key) } }),
                    _ => {
                        json!({ "request_put": { "key": encode(&key), "value": encode(&value), "lease": lease_id.to_string() } })
                    }
                };
                let compare: Vec<Value> = condition
                    .iter()
                    .map(|condition| {
                        let revision = condition.expected_revision.to_string();
                        json!({ "key": encode(&key), "target": "MOD", "result": "EQUAL", "mod_revision": revision })
                    })
                    .collect();
                let read = json!({ "request_range": { "key": encode(&key) } });
                let range = Range { start: key, ..Range::default() };
                let otherwise = Operation {
                    r#type: "range-operation".to_owned(),
                    range,
                    ..Operation::default()
                };
                let has_condition = condition.is_some();
                let body = json!({
                    "compare": compare, "success": [sent], "failure": if has_condition { vec![read] } else { Vec::new() }
                });
                let txn = Txn {
                    conditions: Some(condition.into_iter().collect()),
                    operations_on_success: Some(vec![operation]),
                    operations_on_failure: Some(if has_condition {
                        vec![otherwise]
                    } else {
                        Vec::new()
                    }),
                };
                ("/v3/kv/txn", body, Input { txn: Some(txn), ..named("txn") })
            }
        }
    }

    /// What is recorded of an answer, and what the client remembers of it.
    fn output(&mut self, input: &mut Input, answer: &Value) -> Output {
        let mut output = Output { revision: revision(answer), ..Output::default() };
        if input.range.is_some() {
            let found = self.found(answer);
            output.range = Some(found);
        } else if let Some(lease) = &mut input.lease_grant {
            lease.lease_id = number(&answer["ID"]);
            self.lease = lease.lease_id;
        } else if let Some(txn) = &input.txn {
            let succeeded = answer["succeeded"].as_bool().unwrap_or_default();
            let is_put = |operation: &Operation| operation.r#type == "put-operation";
            let first = txn.operations_on_success.iter().flatten().next();
            if let Some(operation) = first.filter(|_| succeeded) {
                let key =
                    if is_put(operation) { &operation.put.key } else { &operation.delete.key };
                self.see(key, if is_put(operation) { output.revision } else { 0 });
            }
            let responses = answer["responses"].as_array().cloned().unwrap_or_default();
            let results = responses.iter().map(|response| {
                let deleted = number(&response["response_delete_range"]["deleted"]);
                Found { deleted, ..self.found(&response["response_range"]) }
            });
            let results = results.collect();
            output.txn = Some(TxnAnswer { failure: !succeeded, results: Some(results) });
        }
        output
    }

    fn see(&mut self, key: &str, revision: i64) {
        let at = key.rsplit('/').next().and_then(|at| at.parse::<usize>().ok());
        if let Some(seen) = at.and_then(|at| self.seen.get_mut(at)) {
            *seen = revision;
        }
    }

    fn found(&mut self, answer: &Value) -> Found {
        let keys = answer["kvs"].as_array().cloned().unwrap_or_default();
        let kvs: Vec<KeyValue> = keys
            .iter()
            .map(|found| KeyValue {
                key: decode(&found["key"]),
                value: ValueOrHash::of(&decode(&found["value"])),
                mod_revision: number(&found["mod_revision"]),
                version: number(&found["version"]),
            })
            .collect();
        for found in &kvs {
            self.see(&found.key, found.mod_revision);
        }
        Found { count: number(&answer["count"]), kvs: Some(kvs), deleted: 0 }
    }
}
