//! Writes a report as etcd's robustness tests do, of a store that is simulated: `etcd_report DIR FAILED [SEED]`.
//!
//! Clients read and write keys under conditions, as Kubernetes does. Many requests do not answer; most of those take
//! effect nevertheless, at once or much later. There are FAILED of them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linpoint::spec::Spec;
use linpoint::spec::models::{
    Etcd, EtcdCondition, EtcdExpected, EtcdFound, EtcdOp, EtcdRange, EtcdRet, EtcdState, EtcdStep,
    EtcdTxn,
};
use linpoint::wire::Value;
use linpoint_formats::etcd::row;

/// What is generated.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of requests without an answer.
    pub failed: usize,
    /// Number of clients.
    pub clients: u32,
    /// Number of keys.
    pub keys: u64,
    /// One in this many requests is a list of all keys.
    pub lists: u64,
    /// Seed.
    pub seed: u64,
}

/// A request on its way.
struct Request {
    client: u32,
    stream: u32,
    op: EtcdOp,
    call: u64,
    /// When the client goes on.
    end: u64,
    fails: bool,
}

/// The rows of each client, in the order in which etcd's tests write them: those without an answer last.
pub fn generate(plan: &Plan) -> BTreeMap<u32, Vec<String>> {
    let mut simulation = Simulation {
        plan: *plan,
        random: fastrand::Rng::with_seed(plan.seed),
        state: Etcd.initial(),
        waiting: BTreeMap::new(),
        rows: BTreeMap::new(),
        lost: BTreeMap::new(),
        known: BTreeMap::new(),
        failed: 0,
        streams: plan.clients,
        serial: 0,
    };
    for client in 0..plan.clients {
        simulation.next(client, client, u64::from(client) * 1_000 + 1);
    }
    simulation.run();
    let Simulation { mut rows, lost, .. } = simulation;
    for (client, lost) in lost {
        rows.entry(client).or_default().extend(lost);
    }
    rows
}

struct Simulation {
    plan: Plan,
    random: fastrand::Rng,
    state: EtcdState,
    /// What happens next, by time and a serial number.
    waiting: BTreeMap<(u64, u64), Event>,
    rows: BTreeMap<u32, Vec<String>>,
    lost: BTreeMap<u32, Vec<String>>,
    /// What each client has seen of each key.
    known: BTreeMap<(u32, u64), i64>,
    failed: usize,
    streams: u32,
    serial: u64,
}

enum Event {
    Effect(Request),
    GoOn { client: u32, stream: u32 },
}

impl Simulation {
    fn at(&mut self, time: u64, event: Event) {
        self.serial += 1;
        self.waiting.insert((time, self.serial), event);
    }

    fn run(&mut self) {
        while let Some(((time, _), event)) = self.waiting.pop_first() {
            match event {
                Event::Effect(request) => self.effect(request),
                Event::GoOn { client, stream } if self.failed < self.plan.failed => {
                    let pause = 1 + self.random.u64(..2_000);
                    self.next(client, stream, time + pause);
                }
                Event::GoOn { .. } => {}
            }
        }
    }

    /// A client makes its next request.
    fn next(&mut self, client: u32, stream: u32, call: u64) {
        let op = self.request(client);
        let is_read = Etcd.is_read(&op, None);
        // Faults come in bursts, as when a member is killed.
        let is_fault = (call / 1_000_000).is_multiple_of(3);
        let fails = !is_read && self.random.u64(..10) < if is_fault { 8 } else { 2 };
        let delay = 1 + self.random.u64(..20_000);
        let effect = match fails {
            true if self.random.u64(..10) < 2 => None,
            true if self.random.u64(..10) == 0 => Some(call + delay * 50),
            _ => Some(call + delay),
        };
        let end = call + delay + 1 + self.random.u64(..20_000);
        let request = Request { client, stream, op, call, end, fails };
        let next = match fails {
            true => {
                self.failed += 1;
                self.streams += 1;
                self.streams
            }
            false => stream,
        };
        self.at(end, Event::GoOn { client, stream: next });
        match effect {
            Some(effect) => self.at(effect, Event::Effect(request)),
            None => self.write(&request, None),
        }
    }

    fn key(number: u64) -> Value {
        Value::str(&format!("/registry/pods/default/{number:04}"))
    }

    fn request(&mut self, client: u32) -> EtcdOp {
        let all = || EtcdRange {
            start: Value::str("/registry/pods/"),
            end: Some(Value::str("/registry/pods0")),
            limit: 10,
            keys_only: false,
        };
        if self.random.u64(..self.plan.lists) == 0 {
            return EtcdOp::Range { range: all(), revision: 0 };
        }
        let number = self.random.u64(..self.plan.keys);
        let key = Simulation::key(number);
        let Some(&revision) = self.known.get(&(client, number)) else {
            // A client that has not seen a key reads it first.
            return EtcdOp::Range { range: EtcdRange::key(key), revision: 0 };
        };
        self.serial += 1;
        let value = Value::str(&self.serial.to_string());
        let write = match revision != 0 && self.random.u64(..8) == 0 {
            true => EtcdStep::Delete(key.clone()),
            false => EtcdStep::Put { key: key.clone(), value, lease: 0 },
        };
        let expected = EtcdExpected::Revision(revision);
        EtcdOp::Txn(EtcdTxn {
            conditions: vec![EtcdCondition { key: key.clone(), expected }],
            success: vec![write],
            failure: vec![EtcdStep::Range(EtcdRange::key(key))],
        })
    }

    fn effect(&mut self, request: Request) {
        let mut out = Vec::new();
        Etcd.outcomes(&self.state, &request.op, &mut out);
        let Some((ret, after)) = out.pop() else { return };
        self.state = after;
        if request.fails {
            // The client does not know any more what the key has.
            if let Some(number) = number_of(&request.op) {
                self.known.remove(&(request.client, number));
            }
            return self.write(&request, None);
        }
        self.learn(request.client, &request.op, &ret);
        self.write(&request, Some(ret));
    }

    /// What a client sees of keys, it remembers.
    fn learn(&mut self, client: u32, op: &EtcdOp, ret: &EtcdRet) {
        let mut seen = |found: &EtcdFound| {
            for key in &found.keys {
                let number = key.key.as_str().and_then(|key| key.rsplit('/').next()?.parse().ok());
                if let Some(number) = number {
                    self.known.insert((client, number), key.revision);
                }
            }
        };
        match ret {
            EtcdRet::Range { found, .. } => {
                seen(found);
                if let (Some(number), []) = (number_of(op), &found.keys[..]) {
                    self.known.insert((client, number), 0);
                }
            }
            EtcdRet::Txn { results, succeeded, revision } => {
                results.iter().for_each(&mut seen);
                if let Some(number) = number_of(op) {
                    let is_put = matches!(op, EtcdOp::Txn(txn) if matches!(txn.success[..], [EtcdStep::Put { .. }]));
                    match (succeeded, is_put, results.first()) {
                        (true, true, _) => {
                            self.known.insert((client, number), *revision);
                        }
                        (true, false, _) => {
                            self.known.insert((client, number), 0);
                        }
                        (false, _, Some(found)) if found.keys.is_empty() => {
                            self.known.insert((client, number), 0);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn write(&mut self, request: &Request, ret: Option<EtcdRet>) {
        let Request { client, stream, op, call, end, .. } = request;
        // In the reports, these have the last time of the client plus a second.
        let end = if ret.is_some() { *end } else { end + 1_000_000_000 };
        let Ok(row) = row(*stream, op, ret.as_ref(), (*call, end)) else { return };
        let Ok(text) = serde_json::to_string(&row) else { return };
        let rows = if ret.is_some() { &mut self.rows } else { &mut self.lost };
        rows.entry(*client).or_default().push(text);
    }
}

/// The number of the key that a request is about.
fn number_of(op: &EtcdOp) -> Option<u64> {
    let key = match op {
        EtcdOp::Range { range, .. } if range.end.is_none() => &range.start,
        EtcdOp::Txn(txn) => &txn.conditions.first()?.key,
        _ => return None,
    };
    key.as_str()?.rsplit('/').next()?.parse().ok()
}

/// Writes a report into a folder.
pub fn write(plan: &Plan, folder: &Path) -> io::Result<()> {
    for (client, rows) in generate(plan) {
        let client = folder.join(format!("client-{}", client + 1));
        fs::create_dir_all(&client)?;
        fs::write(client.join("operations.json"), rows.join("\n") + "\n")?;
    }
    Ok(())
}

#[allow(dead_code, reason = "a test includes this file")]
fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().map(PathBuf::from);
    let failed = args.next().and_then(|failed| failed.parse().ok());
    let (Some(folder), Some(failed)) = (folder, failed) else {
        eprintln!("usage: etcd_report DIR FAILED [SEED]");
        std::process::exit(2);
    };
    let seed = args.next().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    write(&Plan { failed, clients: 10, keys: 40, lists: 12, seed }, &folder)
}
